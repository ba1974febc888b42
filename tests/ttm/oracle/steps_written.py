"""Which steps of the language the oracle's conversations hold, whatever the names and numbers in them."""

from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any

from ttm.language.grammar import grammar_of
from ttm.language.parse import Parse
from ttm.tabular.data.schema import Schema

from ..conftest import awkward_subject
from .generate import SEED, cheap_cases

# A data set, with texts, dates and gaps, that the oracle has conversations about.
ODD = ("binary", "several", "regression")


def kinds_of_steps(parse: Parse, schema: Schema) -> set[Any]:
    """Return the steps of a parse with the kind of feature in place of each feature, and without values."""
    kinds = {name: str(feature.kind) for feature in schema.features for name in (feature.name, feature.token)}
    return {_without_values(step, kinds) for step in parse.steps}


@cache
def written_steps(kind: str) -> frozenset[Any]:
    """Return the kinds of steps that occur in the oracle's conversations about one of `ODD`; none for other data sets."""
    if kind not in ODD:
        return frozenset()
    subject = awkward_subject(kind)
    grammar = grammar_of(subject.schema)
    texts = (text for case in cheap_cases(subject.schema, subject.dataset.frame, SEED) for text in case)
    return frozenset(step for text in texts for step in kinds_of_steps(grammar.read(text), subject.schema))


def _without_values(node: Any, kinds: dict[str, str]) -> Any:
    if isinstance(node, Enum | bool) or node is None:
        return node
    if is_dataclass(node):
        return type(node).__name__, *(_without_values(getattr(node, field.name), kinds) for field in fields(node))
    if isinstance(node, tuple):
        return tuple(_without_values(part, kinds) for part in node)
    return kinds.get(node, "text") if isinstance(node, str) else "number"
