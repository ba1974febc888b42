"""Whatever the grammar allows is carried out and answered in words, whether there is something to find or not.

What needs no explanation is held to this in `test_oracle`, where it is carried out once for its numbers and its words.
"""

import re
import types
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any, get_args

import pytest

from ttm.language import parse as syntax
from ttm.language.grammar import grammar_of
from ttm.language.parse import METRICS, Condition, Instance, Operation, Parse, Selection
from ttm.operations.render import Answer, render_turn
from ttm.operations.results import Empty, Refused, Result
from ttm.tabular.data.dataset import DEMOS, load_dataset
from ttm.tabular.data.schema import Schema

from ..conftest import awkward_subject
from .conftest import Demo
from .generate import SEED, Case, cheap_cases, costly_cases
from .words import check_words


def _answers(demo: Demo, case: Case) -> Iterator[tuple[str, tuple[Result, ...], list[Answer]]]:
    for text, results in demo.turns(*case):
        yield text, results, render_turn(results, demo.subject.schema)


@pytest.mark.slow
def test_everything_about_explanations_is_answered_in_words(demo: Demo) -> None:
    """The forms are dealt out to the demos in turn; on data of other kinds `operations/test_every_form` asks all of them."""
    cases = costly_cases(demo.subject.schema, demo.subject.dataset.frame, SEED)
    assert len(cases) >= 40
    for case in cases[list(DEMOS).index(demo.name) :: len(DEMOS)]:
        for text, results, answers in _answers(demo, case):
            check_words(text, results, answers, demo.grammar)


# --- empty and impossible ------------------------------------------------------------------------------------------------


def _words(demo: Demo, *texts: str) -> str:
    [*_, (_, _, answers)] = _answers(demo, tuple(f"{text} [e]" for text in texts))
    return " ".join(answer.text for answer in answers).replace("\\", "")


def test_an_empty_group_names_the_condition_that_emptied_it(demo: Demo) -> None:
    first, second = demo.subject.schema.features[:2]
    for operation in ("predict", "score accuracy", "show", "important all", "mistake typical", "explain cfe", "interact"):
        text = f"filter {second.token} present and filter {first.token} less than -100000 and {operation}"
        words = _words(demo, text)
        assert first.label in words
        assert "-100000" in words.replace(",", "")
    counted = _words(demo, f"filter {first.token} less than -100000 and countdata")
    assert re.search(r"\bno\b|\b0\b|\bnone\b", counted.lower())
    together = f"filter {first.token} greater than {first.high} or filter {second.token} greater than {second.high}"
    assert first.label in _words(demo, f"{together} and predict")


def test_conditions_that_exclude_each_other_are_both_there(demo: Demo) -> None:
    feature = demo.subject.schema.features[0]
    text = f"filter {feature.token} greater than 40 and filter {feature.token} less than 30 and likelihood"
    [(_, [result], _)] = list(_answers(demo, (f"{text} [e]",)))
    assert isinstance(result, Empty)
    assert feature.label in result.reason


def test_an_unknown_id_names_the_nearest_and_the_range(demo: Demo) -> None:
    ids = demo.world.frame.index
    words = _words(demo, f"filter id {ids.max() + 1000} and predict")
    assert f"{ids.max() + 1000:,}".replace(",", "") in words.replace(",", "")
    assert str(ids.max()) in words.replace(",", "")
    assert str(ids.min()) in words


def test_an_impossible_value_is_answered_and_flagged(demo: Demo) -> None:
    feature = demo.subject.schema.features[0]
    id_ = demo.world.frame.index[0]
    for text in (
        f"filter id {id_} and change {feature.token} set 400000 and predict",
        f"instance {feature.token} 400000 and predict",
    ):
        words = _words(demo, text)
        assert "predict" in words
        assert f"{feature.high:g}" in words, "the answer tells what occurs in the data"


def test_what_cannot_be_asked_is_refused_with_a_reason(demo: Demo) -> None:
    for text in ("threshold 1.5 and predict", "previousoperation", "similar 3", "instance {} 3 and label"):
        [(_, results, _)] = list(_answers(demo, (f"{text.format(demo.subject.schema.features[0].token)} [e]",)))
        assert len(results) == 1
        assert isinstance(results[0], Refused)
        assert len(results[0].reason) > 20


# --- the cases are complete ----------------------------------------------------------------------------------------------


def _schemas() -> list[Schema]:
    """The demos' and, for text, dates, several classes and quantities, some small ones."""
    return [load_dataset("diabetes").schema, awkward_subject("several").schema, awkward_subject("regression").schema]


def _parses() -> Iterator[tuple[Schema, Parse]]:
    frames = [load_dataset("diabetes").frame, *(awkward_subject(kind).dataset.frame for kind in ("several", "regression"))]
    for schema, frame in zip(_schemas(), frames, strict=True):
        grammar = grammar_of(schema)
        for case in cheap_cases(schema, frame, SEED) + costly_cases(schema, frame, SEED):
            for text in case:
                parse = grammar.read(text)
                assert grammar.read(str(parse)) == parse
                yield schema, parse


def _values(node: Any, found: dict[str, set[Any]]) -> None:
    """Every value of every field of the syntax trees, by `Class.field`."""
    if isinstance(node, tuple):
        for part in node:
            _values(part, found)
    elif is_dataclass(node):
        found[type(node).__name__].add("")
        for field in fields(node):
            value = getattr(node, field.name)
            found[f"{type(node).__name__}.{field.name}"].add(value)
            _values(value, found)


@pytest.fixture(scope="module")
def values() -> dict[str, set[Any]]:
    found: dict[str, set[Any]] = defaultdict(set)
    for _, parse in _parses():
        _values(parse, found)
    return found


def test_every_class_of_the_syntax_occurs(values: dict[str, set[Any]]) -> None:
    classes = [Selection, Instance, *get_args(Operation), *get_args(Condition)]
    assert {one.__name__ for one in classes} - set(values) == set()
    known = {one.__name__ for one in vars(syntax).values() if isinstance(one, type) and is_dataclass(one)}
    assert known - set(values) == set(), "a class that no form produces"


def test_every_field_takes_several_values(values: dict[str, set[Any]]) -> None:
    assert {name: found for name, found in values.items() if "." in name and len(found) < 2} == {}


@pytest.mark.slow
def test_every_word_of_a_closed_list_occurs(values: dict[str, set[Any]]) -> None:
    assert values["Mistake.kind"] == {"sample", "typical", "count"}
    assert values["Score.metric"] == set(METRICS)
    for name, found in values.items():
        for kind in {type(value) for value in found if isinstance(value, StrEnum)}:
            used = {value for value in found if isinstance(value, kind)}
            # A run cannot begin with `versus`, which only divides it.
            allowed = set(kind) - ({kind("versus")} if name == "Selection.joiner" else set())
            assert used == allowed, name


def test_optional_parts_occur_and_are_left_out(values: dict[str, set[Any]]) -> None:
    for one in vars(syntax).values():
        if isinstance(one, type) and is_dataclass(one):
            for field in fields(one):
                if isinstance(field.type, types.UnionType) and type(None) in get_args(field.type):
                    found = values[f"{one.__name__}.{field.name}"]
                    assert None in found
                    assert found - {None}


def test_a_change_of_the_seed_changes_the_cases_and_only_that() -> None:
    dataset = load_dataset("diabetes")
    one, again, other = (cheap_cases(dataset.schema, dataset.frame, seed) for seed in (1, 1, 2))
    assert one == again
    assert one != other
