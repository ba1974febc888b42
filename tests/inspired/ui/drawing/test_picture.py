"""The drawing of a query: everything of it is there, nothing overlaps or leaves the picture, and text stays text."""

import re
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from inspired.decomposition.decompose import decompose
from inspired.dialogue.dialogue import start
from inspired.logical_form.forms import Entity, LogicalForm, Triple, Variable, walk
from inspired.logical_form.schema import is_kind
from inspired.ui.drawing.picture import GraphNode, QueryGraph, query_graph
from inspired.ui.drawing.svg import WIDTH, draw
from tests.inspired.conftest import Query
from tests.inspired.logical_forms import logical_forms

HOSTILE = "</title><script>alert(1)</script> & \"'"
SVG = "{http://www.w3.org/2000/svg}"
Rectangle = tuple[float, float, float, float]


def graph_of(sparql: str, names: dict[str, str] | None = None) -> QueryGraph:
    return query_graph(start(sparql, names or {}).current, names or {})


def node(graph: QueryGraph, text: str) -> GraphNode:
    (found,) = (each for each in graph.nodes if each.text == text)
    return found


def drawn(graph: QueryGraph) -> ElementTree.Element:
    return ElementTree.fromstring(draw(graph))


def rectangles(svg: ElementTree.Element, name: str) -> list[Rectangle]:
    """Left, top, right and bottom of the shapes in groups of a class."""
    found = []
    for group in svg.iter(f"{SVG}g"):
        shape = group.find(f"{SVG}rect")
        if name in group.get("class", "").split() and shape is not None:
            x, y, width, height = (float(shape.get(key, "nan")) for key in ("x", "y", "width", "height"))
            found.append((x, y, x + width, y + height))
    return found


def test_a_composition() -> None:
    graph = graph_of(
        "SELECT ?x { ?c ns:location.country.capital ns:m.1 . ?c ns:location.country.official_language ?x }", {"m.1": "Paris"}
    )
    assert [(each.kind, each.text) for each in graph.nodes] == [
        ("answer", "official language"),
        ("unknown", "country"),
        ("thing", "Paris"),
    ]
    assert [(each.start, each.text, each.end, each.step) for each in graph.edges] == [
        ("?c", "capital", "m.1", 1),
        ("?c", "official language", "?x", 2),
    ]


def test_a_mediating_node_is_drawn_only_if_more_is_said_of_it() -> None:
    plain = "SELECT ?x { ns:m.1 ns:location.location.adjoin_s ?y . ?y ns:location.adjoining_relationship.adjoins ?x }"
    assert [each.text for each in graph_of(plain).edges] == ["adjoin"]
    office = """SELECT ?x { ns:m.1 ns:government.governmental_jurisdiction.governing_officials ?y .
      ?y ns:government.government_position_held.office_holder ?x .
      ?y ns:government.government_position_held.basic_title ns:m.2 }"""
    graph = graph_of(office)
    assert [each.kind for each in graph.nodes].count("joint") == 1
    assert len(graph.edges) == 3


def test_limits_orders_and_exclusions_are_noted() -> None:
    graph = graph_of(
        """SELECT ?x { FILTER (?x != ns:m.1) ns:m.1 ns:language.human_language.countries_spoken_in ?x .
        ?x ns:topic_server.population_number ?num . FILTER (xsd:integer(?num) >= 5000000) }
        ORDER BY DESC(xsd:integer(?num)) LIMIT 3""",
        {"m.1": "Portuguese"},
    )
    assert node(graph, "population").notes == ("at least 5,000,000", "the 3 largest")
    dated = """SELECT ?x { ?x ns:film.film.initial_release_date ?d . FILTER (?d < "1990-01-01"^^xsd:dateTime) }
      ORDER BY ?d LIMIT 1"""
    assert [each.notes for each in graph_of(dated).nodes if each.notes] == [("before 1 January 1990", "the earliest")]


def test_alternatives_are_marked() -> None:
    graph = graph_of("SELECT ?x { { ns:m.1 ns:people.person.parents ?x } UNION { ns:m.1 ns:people.person.children ?x } }")
    assert [each.choice for each in graph.edges] == [True, True]
    assert draw(graph).count("kb-choice") == 2


def test_a_knowledge_base_may_name_its_properties() -> None:
    graph = graph_of("SELECT ?x { ns:m.1 ns:a.b.c ?x }", {"a.b.c": "Favourite dish", "m.1": "Ann"})
    assert [each.text for each in graph.edges] == ["favourite dish"]


def test_everything_of_a_query_is_in_its_picture(query: Query) -> None:
    decomposition = start(query.sparql, query.names).current
    graph = query_graph(decomposition, query.names)
    svg = drawn(graph)
    told = " ".join("".join(each.itertext()) for each in svg.iter(f"{SVG}desc"))
    parts = [each for step in decomposition.steps for each in walk(step.patterns)]
    for each in parts:
        if isinstance(each, Entity) and each.id in query.names:
            assert query.names[each.id].lower() in told.lower()
    shown = {each.key for each in graph.nodes}
    links = [each for each in parts if isinstance(each, Triple) and not is_kind(each.predicate)]
    assert {each.object.id for each in links if isinstance(each.object, Entity)} <= shown
    (role,) = (each for each in svg.iter(f"{SVG}text") if each.get("class") == "kb-role")
    assert role.text == "Answer"


@given(logical_forms())
@settings(max_examples=80)
@pytest.mark.slow
def test_nothing_overlaps_and_nothing_leaves_the_picture(form: LogicalForm) -> None:
    svg = drawn(query_graph(decompose(form), {"m.0a": "A rather long name of a thing that has to be broken"}))
    height = float(svg.get("viewBox", "").split()[3])
    nodes, labels = rectangles(svg, "kb-node"), rectangles(svg, "kb-label")
    for left, top, right, bottom in [*nodes, *labels]:
        assert left >= 0
        assert right <= WIDTH
        assert top >= 0
        assert bottom <= height
    for one, other in [*combinations(nodes, 2), *combinations(labels, 2), *((a, b) for a in nodes for b in labels)]:
        assert not _overlap(one, other)


def _overlap(one: Rectangle, other: Rectangle) -> bool:
    slack = 1.01  # coordinates are rounded
    apart = one[2] - slack <= other[0] or other[2] - slack <= one[0]
    return not (apart or one[3] - slack <= other[1] or other[3] - slack <= one[1])


@pytest.mark.slow
@given(logical_forms())
@settings(max_examples=50)
def test_each_link_is_drawn_and_said(form: LogicalForm) -> None:
    graph = query_graph(decompose(form), {})
    between = [each for each in graph.edges if each.start != each.end]
    assert draw(graph).count('class="kb-link') == len(between)
    assert len(graph.sentences()) >= len(graph.edges)
    assert Variable("x") in walk(form)
    assert [each.kind for each in graph.nodes].count("answer") == 1


@pytest.mark.parametrize("text", [HOSTILE, "עברית ועוד", "x" * 300, "中文" * 40, ""])
def test_names_of_any_kind_stay_text(text: str) -> None:
    sparql = 'SELECT ?x { ?c ns:location.country.capital ns:m.1 . ?c ns:a.b.c ?x . ?c ns:a.b.d "<script>" }'
    picture = draw(graph_of(sparql, {"m.1": text, "a.b.c": text}))
    assert "<script" not in picture
    svg = ElementTree.fromstring(picture)
    if text:
        assert text in "".join("".join(each.itertext()) for each in svg.iter(f"{SVG}title"))
    longest = max(len(each.text or "") for each in svg.iter(f"{SVG}text"))
    assert longest < 40


def test_two_pictures_do_not_share_ids() -> None:
    graph = graph_of("SELECT ?x { ns:m.1 ns:a.b.c ?x }")
    ids = re.findall(r' id="([^"]+)"', draw(graph, "one") + draw(graph, "two"))
    assert len(ids) == len(set(ids)) == 6
