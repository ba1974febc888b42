"""Generated questions against an engine that shares no code with the generator."""

from collections import Counter
from itertools import islice

import pyoxigraph
import pytest

from backend.errors import InspiredError
from inspired.decomposition.decompose import COMPOSITION, CONJUNCTION, decompose, question_type
from inspired.decomposition.steps import compose
from inspired.knowledge_base.graph import WORLD, Graph
from inspired.lab.questions.generator import SHARES, GeneratedQuestion, generate
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.forms import Entity, Exists, Filter, Literal, Order, Triple, Union, walk
from inspired.logical_form.sparql_reader import read_sparql
from inspired.logical_form.sparql_writer import write_compact, write_sparql
from inspired.parsers.query_graphs.query_graph import framed

FREEBASE = "http://rdf.freebase.com/ns/"


@pytest.fixture(scope="module")
def questions(world: Graph) -> list[GeneratedQuestion]:
    return [*generate(world, 4, 200, "train"), *generate(world, 5, 200, "held-out")]


@pytest.fixture(scope="module")
def store() -> pyoxigraph.Store:
    import gzip

    store = pyoxigraph.Store()
    with gzip.open(WORLD, "rb") as file:
        store.bulk_load(file, format=pyoxigraph.RdfFormat.TURTLE)
    return store


def said_by_engine(store: pyoxigraph.Store, sparql: str) -> set[str]:
    found = [solution["x"] for solution in store.query(sparql)]
    return {each.value.removeprefix(FREEBASE) for each in found}


@pytest.mark.slow
def test_an_engine_finds_the_same_answers(questions: list[GeneratedQuestion], store: pyoxigraph.Store) -> None:
    for question in questions:
        told = {each.id if isinstance(each, Entity) else each.text for each in question.answers}
        assert told
        assert said_by_engine(store, write_sparql(question.form)) == told, question


@pytest.mark.slow
def test_every_form_survives_writing_splitting_and_joining(questions: list[GeneratedQuestion]) -> None:
    for question in questions:
        assert read_sparql(write_sparql(question.form, prefixes=True)) == question.form
        steps = decompose(question.form)
        assert equivalent(compose(steps), question.form)
        assert equivalent(framed(question.form), question.form)
        assert question_type(steps) == question.type
        assert write_compact(question.form)


def test_each_condition_narrows_and_no_answer_is_named(questions: list[GeneratedQuestion], store: pyoxigraph.Store) -> None:
    for question in questions[::5]:
        assert not {each.id for each in question.answers if isinstance(each, Entity)} & set(question.names)
        if question.type != CONJUNCTION:
            continue
        steps = decompose(question.form).steps
        for step in steps:
            rest = [each for each in question.form.patterns if isinstance(each, Filter) or each not in step.patterns]
            wider = framed(type(question.form)(question.form.answer, tuple(rest)))
            found = said_by_engine(store, write_sparql(wider))
            assert len(found) > len(question.answers), question


def test_the_types_are_balanced_and_no_predicate_prevails(questions: list[GeneratedQuestion]) -> None:
    types = Counter(each.type for each in questions)
    for type_, share in SHARES.items():
        assert types[type_] / len(questions) == pytest.approx(share, abs=0.02)
    told = Counter(p for each in questions for p in {t.predicate for t in walk(each.form) if isinstance(t, Triple)})
    del told["common.topic.notable_types"]
    assert told.most_common(1)[0][1] < 0.12 * len(questions)
    assert len(told) > 100


def test_all_constructions_occur(questions: list[GeneratedQuestion]) -> None:
    nodes = [each for question in questions for each in walk(question.form)]
    assert any(isinstance(each, Union) for each in nodes)
    assert {each.negated for each in nodes if isinstance(each, Exists)} == {True, False}
    assert {each.descending for each in nodes if isinstance(each, Order)} == {True, False}
    assert {each.datatype for each in nodes if isinstance(each, Literal)} >= {"integer", "decimal", "dateTime", None}
    assert any(isinstance(each, Triple) and each.predicate.endswith("basic_title") for each in nodes)


def test_names_in_a_question_mean_one_thing_only(questions: list[GeneratedQuestion], world: Graph) -> None:
    owners: dict[str, set[str]] = {}
    for id_, name in world.names.items():
        if id_ not in world.schema.properties and id_ not in world.schema.types:
            owners.setdefault(name.casefold(), set()).add(id_)
    for question in questions:
        for id_, name in question.names.items():
            if not id_.startswith("m.type_"):
                assert owners[name.casefold()] == {id_}
                assert name.casefold().removeprefix("the ") in question.question.casefold()


@pytest.mark.slow
def test_a_seed_makes_the_same_questions_and_another_one_others(world: Graph) -> None:
    first, again, other = (list(islice(generate(world, seed, 30, "train"), 30)) for seed in (1, 1, 2))
    assert first == again
    assert {each.question for each in first}.isdisjoint(each.question for each in other)


def test_a_graph_without_wordings_is_worded_from_its_schema(village: Graph) -> None:
    made = list(generate(village, 0, 60, "train"))
    assert {each.type for each in made} == set(SHARES)
    assert len({write_sparql(each.form) for each in made}) == len(made)
    assert any("river" in each.question for each in made)
    assert any(each.type == COMPOSITION and "that" in each.question for each in made)


@pytest.mark.slow
def test_a_graph_without_questions_says_so(village: Graph) -> None:
    with pytest.raises(InspiredError, match="no more simple questions"):
        list(generate(village, 0, 1000, "train", {"simple": 1}))
    with pytest.raises(InspiredError, match="no more"):
        list(generate(village, 0, 5, "held-out"))
    with pytest.raises(InspiredError, match="train and held-out"):
        next(generate(village, 0, 5, "learned"))
