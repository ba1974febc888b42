"""From the predicted steps to the gold ones and from one step to another, for any pair."""

import random
from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.errors import LogicalFormError
from inspired.decomposition.correction_operations import KINDS, apply, diff
from inspired.decomposition.decompose import decompose, read_steps
from inspired.decomposition.modifications import (
    AddRestriction,
    ChangeComparator,
    ChangeDirection,
    ChangeEntity,
    ChangeValue,
    RemoveRestriction,
    modify,
)
from inspired.decomposition.steps import Decomposition, Step, compose, problems
from inspired.logical_form.forms import Entity, Literal, LogicalForm, Order, Triple, Variable
from inspired.logical_form.sparql_reader import read_sparql
from tests.inspired.conftest import Query
from tests.inspired.logical_forms import logical_forms

WORDS = st.lists(st.sampled_from("abcd"), max_size=7)


def mutated(steps: Sequence[Step], other: Sequence[Step], draw: random.Random) -> tuple[Step, ...]:
    """Steps as a parser might get them wrong: some gone, some doubled, some from elsewhere, some changed, some moved."""
    made: list[Step] = []
    for step in steps:
        match draw.choice(["keep", "keep", "drop", "double", "swap", "entity", "front"]):
            case "drop":
                continue
            case "double":
                made += [step, step]
            case "swap" if other:
                made.append(draw.choice(other))
            case "entity":
                named = [each for triple in step.main for each in (triple.subject, triple.object) if isinstance(each, Entity)]
                made.append(modify(step, ChangeEntity(named[0], Entity("m.wrong"))) if named else step)
            case "front":
                made.insert(0, step)
            case _:
                made.append(step)
    return tuple(made)


@pytest.mark.slow
@given(logical_forms(), logical_forms(), st.randoms(use_true_random=False))
@settings(max_examples=600)
def test_applying_a_difference_gives_the_gold_steps(one: LogicalForm, two: LogicalForm, draw: random.Random) -> None:
    gold, other = decompose(one).steps, decompose(two).steps
    predicted = mutated(gold, other, draw)
    for old, new in ((predicted, gold), (gold, predicted), (gold, other)):
        operations = diff(old, new)
        assert apply(operations, old) == new
        assert all(each.kind in KINDS for each in operations)
        assert [each.old for each in operations if each.kind != "insert"] == list(old)


@given(WORDS, WORDS)
def test_no_shorter_row_of_operations_exists(old: list[str], new: list[str]) -> None:
    operations = diff(old, new)
    assert list(apply(operations, old)) == new
    assert sum(each.kind != "keep" for each in operations) == edit_distance(old, new)


def edit_distance(old: list[str], new: list[str]) -> int:
    table = {(here, 0): here for here in range(len(old) + 1)} | {(0, there): there for there in range(len(new) + 1)}
    for here, there in product(range(1, len(old) + 1), range(1, len(new) + 1)):
        table[here, there] = min(
            table[here - 1, there] + 1,
            table[here, there - 1] + 1,
            table[here - 1, there - 1] + (old[here - 1] != new[there - 1]),
        )
    return table[len(old), len(new)]


def test_what_is_right_is_kept() -> None:
    assert [each.kind for each in diff("abc", "abc")] == ["keep"] * 3
    assert diff((), ()) == ()


def test_a_step_is_replaced_by_the_one_that_is_like_it() -> None:
    (capital,) = read_steps("?c ns:location.country.capital ns:m.1")
    (other_capital,) = read_steps("?c ns:location.country.capital ns:m.2")
    (film,) = read_steps("?c ns:film.film.directed_by ?x")
    found = diff((capital,), (film, other_capital))
    assert [(each.kind, each.new) for each in found] == [("insert", film), ("replace", other_capital)]


def test_operations_for_other_steps_are_refused() -> None:
    operations = diff("abc", "axc")
    for steps in ("ab", "abcd", "xbc"):
        with pytest.raises(LogicalFormError):
            apply(operations, steps)


X, Y = Variable("x"), Variable("y")
TITLE = Triple(Y, "government.government_position_held.basic_title", Entity("m.title"))
CHANGES = [
    ("?x ns:a.b.c ns:m.1", ChangeEntity(Entity("m.1"), Entity("m.2")), "?x ns:a.b.c ns:m.2"),
    ("?x ns:a.b.c ns:m.1", ChangeEntity(Entity("m.1"), Variable("c")), "?x ns:a.b.c ?c"),
    ('?x ns:a.b.c "1.8"', ChangeValue(Literal("1.8"), Literal("2.0")), '?x ns:a.b.c "2.0"'),
    (
        "?x ns:a.b.c ?n FILTER (?n < 5)",
        ChangeComparator(Literal("5", "integer"), "<", ">="),
        "?x ns:a.b.c ?n FILTER (?n >= 5)",
    ),
    ("ORDER BY ?n LIMIT 1", ChangeDirection(True), "ORDER BY DESC(?n) LIMIT 1"),
    (
        "ns:m.1 ns:government.governmental_jurisdiction.governing_officials ?y . "
        "?y ns:government.government_position_held.office_holder ?x",
        AddRestriction(TITLE),
        "ns:m.1 ns:government.governmental_jurisdiction.governing_officials ?y . "
        "?y ns:government.government_position_held.office_holder ?x . "
        "?y ns:government.government_position_held.basic_title ns:m.title",
    ),
]


@pytest.mark.parametrize(("before", "change", "after"), CHANGES)
def test_one_part_changes_and_the_rest_stays(before: str, change: object, after: str) -> None:
    (old,), (new,) = read_steps(before), read_steps(after)
    assert modify(old, change) == new  # type: ignore[arg-type]


def test_a_restriction_can_be_taken_away() -> None:
    (narrow,) = read_steps(CHANGES[-1][2])
    (wide,) = read_steps(CHANGES[-1][0])
    assert modify(narrow, RemoveRestriction(TITLE)) == wide


def test_changes_of_parts_that_are_not_there_are_refused() -> None:
    (step,) = read_steps("?x ns:a.b.c ns:m.1")
    for change in (
        ChangeEntity(Entity("m.9"), Entity("m.2")),
        ChangeValue(Literal("1"), Literal("2")),
        ChangeComparator(Literal("1"), "<", ">"),
        ChangeComparator(Literal("1"), "<", "~"),
        ChangeDirection(True),
        RemoveRestriction(TITLE),
        AddRestriction(TITLE),
    ):
        with pytest.raises(LogicalFormError):
            modify(step, change)


def test_what_corrections_leave_open_is_said() -> None:
    steps = decompose(
        read_sparql(
            "SELECT ?x { FILTER(?x != ?c) ?c ns:location.country.capital ns:m.1 . ?c ns:location.country.official_language ?x }"
        )
    )
    first, second = steps.steps
    assert problems(steps) == []
    assert "No step finds ?x" in problems(steps.with_steps([first]))[0]
    apart = read_steps("ns:m.2 ns:people.person.children ?z")
    assert problems(steps.with_steps([first, second, *apart])) == ["Nothing links the answer to step 3: no variable is shared."]
    sorting = Step(order=Order(Variable("n")))
    assert "sorts by ?n" in problems(steps.with_steps([first, second, sorting]))[0]


def test_a_filter_about_a_step_that_went_goes_with_it() -> None:
    steps = decompose(
        read_sparql(
            "SELECT ?x { FILTER(?x != ?c) FILTER(?x != ns:m.1) ?c ns:a.b.c ns:m.1 . ?c ns:a.b.d ?x . ?x ns:a.b.e ns:m.2 }"
        )
    )
    left = steps.with_steps(steps.steps[2:])
    assert left.frame.filters == ()
    assert "?c" not in str(compose(left))


def test_every_correction_of_a_query_can_be_put_together(query: Query, queries: list[Query]) -> None:
    gold = decompose(read_sparql(query.sparql))
    for other in queries:
        predicted = decompose(read_sparql(other.sparql))
        corrected = Decomposition(gold.frame, apply(diff(predicted.steps, gold.steps), predicted.steps))
        assert compose(corrected) == compose(gold)
