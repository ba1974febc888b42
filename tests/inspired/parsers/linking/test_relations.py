"""The relations of a graph, with a schema or without."""

from hypothesis import given, settings
from hypothesis import strategies as st

from inspired.knowledge_base.graph import Graph
from inspired.logical_form.forms import Entity, Literal
from inspired.parsers.linking.relations import DATE, NUMBER, THING, Relations


def test_mediating_nodes_are_those_without_a_name(films: Graph) -> None:
    assert Relations(films).mediators == {f"g.p{number}" for number in range(1, 7)}


def test_edges_are_found_without_a_schema_and_lead_to_the_right_kind_of_value(films: Graph) -> None:
    forward = Relations(films).forward
    assert forward["film.film.starring", "film.performance.actor"] == THING
    assert forward["film.film.runtime",] == NUMBER
    assert forward["film.film.initial_release_date",] == DATE
    assert ("film.film.starring",) not in forward


def test_a_relation_that_always_runs_both_ways_is_one(films: Graph) -> None:
    relations = Relations(films)
    ways = [each for each in relations.all if each.path == ("people.person.spouse",)]
    assert [each.outward for each in ways] == [False]
    assert relations.reverses["people.person.spouse",] == ("people.person.spouse",)


def test_of_a_dated_figure_only_the_figure_is_asked_for() -> None:
    facts = []
    for number, (id_, name) in enumerate((("m.a", "A"), ("m.b", "B"))):
        facts += [
            (id_, "type.object.name", Literal(name, None, "en")),
            (id_, "place.population", Entity(f"g.{number}")),
            (f"g.{number}", "figure.number", Literal(str(number), "integer")),
            (f"g.{number}", "figure.year", Literal("2020-01-01T00:00:00", "dateTime")),
        ]
    assert list(Relations(Graph(facts)).forward) == [("place.population", "figure.number")]


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("pq"), st.integers(0, 5)), max_size=25))
def test_going_there_and_back_comes_home(triples: list[tuple[int, str, int]]) -> None:
    facts = [(f"m.{a}", p, Entity(f"m.{b}")) for a, p, b in triples]
    named = [(f"m.{number}", "type.object.name", Literal(f"Thing {number}", None, "en")) for number in range(6)]
    relations = Relations(Graph([*named, *facts]))
    for start, predicate, end in facts:
        leading = [each for each in relations.at([Entity(start)]) if end in relations.follow(Entity(start), each)]
        assert any(predicate in each.path or (predicate,) in relations.reverses for each in leading)
        assert any(Entity(start) in relations.follow(end, each) for each in relations.at([end]))
