"""The last turn with one part changed: what a short message names goes into each part of it that it fits."""

import pytest

from tests.ttm.parsers.learned.test_composition import CATEGORY, FIRST, NUMERIC, SCHEMA, SECOND, composed, span
from ttm.language.grammar import grammar_of
from ttm.language.parse import Change, Instance, Operation, Selection
from ttm.language.row_state import rows_after
from ttm.parsers.learned.composition.edits import edits_of
from ttm.parsers.learned.decisions.span_decisions import Decisions, SpanDecision
from ttm.parsers.linker.words.tokens import tokenise
from ttm.parsers.understanding import DialogueContext

NAME = CATEGORY.token


def after(text: str) -> DialogueContext:
    parse = grammar_of(SCHEMA).read(text)
    operations = tuple(
        step for step in parse.steps if isinstance(step, Operation) and not isinstance(step, Selection | Instance | Change)
    )
    return DialogueContext(parse, "before", rows=rows_after(parse, None), operations=operations)


def edited(message: str, before: str, *spans: SpanDecision) -> list[str]:
    decisions = Decisions(message, tuple(tokenise(message)), {}, spans)
    return [str(parse).removesuffix(" [e]") for parse in edits_of(decisions, SCHEMA, after(before))]


@pytest.mark.parametrize(
    ("message", "before", "wanted"),
    [
        ("10, sorry", f"filter {NAME} {FIRST} and highest 5 {NUMERIC}", f"filter {NAME} {FIRST} and highest 10 {NUMERIC}"),
        ("and at 70%?", "threshold 0.3 and score recall", "threshold 0.7 and score recall"),
        (
            "by 20, not 10",
            f"filter id 5 and change {NUMERIC} increase 10 and predict",
            f"filter id 5 and change {NUMERIC} increase 20 and predict",
        ),
        ("without that", f"filter id 5 and change {NUMERIC} increase 10 and predict", "filter id 5 and predict"),
        ("and number 7?", "filter id 5 and explain features", "filter id 7 and explain features"),
    ],
)
def test_one_part_changes_and_the_rest_stays(message: str, before: str, wanted: str) -> None:
    assert wanted in edited(message, before)


def test_the_number_that_is_replaced_is_not_put_in() -> None:
    assert all(" 10 " not in f"{text} " for text in edited("by 20, not 10", f"change {NUMERIC} increase 15 and predict"))


def test_a_value_replaces_the_one_of_its_column() -> None:
    before = f"filter {NAME} {FIRST} and score accuracy"
    assert f"filter {NAME} {SECOND} and score accuracy" in edited("no", before, span(SECOND, "condition", f"{NAME}={SECOND}"))


def test_the_rest_stands_for_the_group_and_beside_it() -> None:
    found = edited("and the rest?", f"filter {NUMERIC} greater than 5 and score accuracy")
    assert f"filter {NUMERIC} less equal than 5 and score accuracy" in found
    assert f"filter {NUMERIC} greater than 5 versus filter {NUMERIC} less equal than 5 and score accuracy" in found


def test_nothing_changes_before_the_first_answer() -> None:
    assert edits_of(Decisions("10", tuple(tokenise("10")), {}, ()), SCHEMA, DialogueContext()) == []


def test_two_groups_of_one_value_become_a_group_and_its_contrary() -> None:
    pair = [span(FIRST, "compared", f"{NAME}={FIRST}")] * 2
    wanted = f"filter {NAME} {FIRST} versus filter {NAME} {SECOND} and predict"
    assert composed(*pair, ingredients="predict, where, versus") == wanted


def test_a_column_of_few_values_makes_the_groups() -> None:
    column = span(CATEGORY.label, "argument", NAME)
    text = composed(column, ingredients="score accuracy, where, versus")
    assert text.count("versus") == len(CATEGORY.values) - 1
    assert text.endswith("score accuracy")


def test_a_further_condition_narrows_both_groups() -> None:
    before = after(f"filter {NAME} {FIRST} versus filter {NAME} {SECOND} and predict")
    text = composed(span("over 5", "condition", NUMERIC, "greater"), ingredients="predict, where, keep, versus", context=before)
    assert text.count(f"filter {NUMERIC} greater than 5") == 2
    assert "versus" in text
