"""Splitting into steps loses nothing, and gives steps that a person can follow."""

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings

from backend.errors import LogicalFormError
from inspired.decomposition.decompose import decompose, question_type, read_steps
from inspired.decomposition.steps import compose, problems
from inspired.lab.cwq import CwqRecord, decomposed
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.forms import Entity, LogicalForm, Triple, Variable, variables, walk
from inspired.logical_form.sparql_reader import read_sparql, spellings_of
from inspired.logical_form.substitution import substitute
from tests.counted_calls import counted
from tests.inspired.conftest import Query
from tests.inspired.logical_forms import logical_forms


@pytest.mark.slow
@given(logical_forms())
@settings(max_examples=500)
def test_the_steps_put_together_are_the_query(form: LogicalForm) -> None:
    assert equivalent(compose(decompose(form)), form)


def test_own_queries_have_the_expected_steps(query: Query) -> None:
    steps = decompose(read_sparql(query.sparql))
    assert equivalent(compose(steps), read_sparql(query.sparql))
    assert question_type(steps) == query.type
    assert len(steps.steps) == query.steps
    assert problems(steps) == []


def test_a_superlative_step_stands_last_where_the_query_orders(query: Query) -> None:
    form = read_sparql(query.sparql)
    ordering = [step.order is not None for step in decompose(form).steps]
    assert ordering == [False] * (len(ordering) - 1) + [form.order is not None]


def test_each_step_builds_on_those_before(query: Query) -> None:
    """The first step names something; each later one names something or speaks of what is known."""
    known: set[Variable] = set()
    for step in decompose(read_sparql(query.sparql)).steps:
        named = any(isinstance(each, Entity) and not each.is_type for each in walk(step.patterns))
        assert named or known & set(variables(step.patterns) or variables(step.order or ()))
        known |= set(variables(step.patterns))


def test_a_step_read_from_its_text_is_the_step(query: Query) -> None:
    form = read_sparql(query.sparql)
    for step in decompose(form).steps:
        assert read_steps(step.readable()) == (step,)
        assert read_steps(step.compact(), spellings_of(form)) == (step,)


def test_the_order_of_triples_does_not_change_what_is_asked(query: Query) -> None:
    form = read_sparql(query.sparql)
    draw = random.Random(7)
    for _ in range(5):
        shuffled = draw.sample(form.patterns, len(form.patterns))
        other = LogicalForm(form.answer, tuple(shuffled), form.order, form.distinct, form.limit, form.offset)
        steps = decompose(other)
        assert equivalent(other, form)
        assert len(steps.steps) == query.steps
        assert question_type(steps) == query.type


def test_mediating_nodes_make_one_step() -> None:
    steps = decompose(
        read_sparql(
            "SELECT ?x { ns:m.1 ns:film.actor.film ?y . ?y ns:film.performance.film ?x ; ns:film.performance.character ns:m.2 }"
        )
    ).steps
    assert [step.predicates for step in steps] == [("film.actor.film", "film.performance.film", "film.performance.character")]
    assert [each.predicate for each in steps[0].main] == ["film.actor.film", "film.performance.film"]


def test_things_on_the_way_make_steps_of_their_own() -> None:
    steps = decompose(read_sparql("SELECT ?x { ns:m.1 ns:location.country.capital ?c . ?c ns:location.location.events ?x }"))
    assert [step.predicates for step in steps.steps] == [("location.country.capital",), ("location.location.events",)]
    assert question_type(steps) == "composition"


def test_two_steps_cannot_both_sort() -> None:
    steps = decompose(read_sparql("SELECT ?x { ns:m.1 ns:a.b.c ?x . ?x ns:a.b.d ?n } ORDER BY ?n LIMIT 1"))
    with pytest.raises(LogicalFormError, match="Two steps sort"):
        compose(steps.with_steps([*steps.steps, steps.steps[-1]]))


def test_other_names_are_the_same_query_and_other_entities_are_not(query: Query) -> None:
    form = read_sparql(query.sparql)
    renamed = substitute(
        form, lambda term: Variable(f"{term.name}_2") if isinstance(term, Variable) and term != form.answer else term
    )
    assert equivalent(form, renamed)
    entity = next(each for each in walk(form) if isinstance(each, Entity))
    assert not equivalent(form, substitute(form, lambda term: Entity("m.other") if term == entity else term))


def test_turning_a_triple_round_is_another_query() -> None:
    one = read_sparql("SELECT ?x { ?x ns:a.b.c ?y . ?y ns:a.b.c ns:m.1 }")
    other = LogicalForm(one.answer, (Triple(Variable("y"), "a.b.c", Variable("x")), one.patterns[1]), distinct=False)
    assert not equivalent(one, other)


@pytest.mark.slow
def test_records_of_others(cwq: list[dict[str, Any]], cwq_forms: list[LogicalForm]) -> None:
    """All keep their meaning as steps, and nearly all are of the type that the file says."""
    agree: Counter[bool] = Counter()
    for record, form in zip(cwq, cwq_forms, strict=True):
        steps = decompose(form)
        assert equivalent(compose(steps), form), record["ID"]
        assert problems(steps) == []
        assert len(steps.steps) >= 2
        agree[question_type(steps) == record["compositionality_type"]] += 1
    assert agree[True] >= 0.98 * len(cwq)


def test_taking_a_query_apart_is_little_work(queries: list[Query]) -> None:
    """About 3,500 calls a query, some 0.7 ms: a file of 3,000 queries takes seconds."""
    records = [CwqRecord(ID=query.id, sparql=query.sparql, topic_entity=query.names) for query in queries]
    _, calls = counted(lambda: [decomposed(record) for record in records])
    assert calls / len(records) < 12_000
