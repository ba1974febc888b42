"""The meaning of a term is looked up; it needs no rows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ttm.language.operations.data import DefineTerm
from ttm.operations.results import Result
from ttm.operations.rows.context import Context


@dataclass(frozen=True)
class TermMeaning(Result):
    """The name of a term in terms.toml."""

    term: str


def meaning(step: DefineTerm, context: Context) -> TermMeaning:
    return TermMeaning(f"meaning {step.term}", context.group, step.term)


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {DefineTerm: meaning}
