"""Answers as rows: the values that decided about them, how these are sorted, and where things are on earth."""

from pathlib import Path

import pytest

from inspired.dialogue.answer_rows.coordinates import places_of, position, read_point
from inspired.dialogue.answer_rows.rows import Cell, rows_of, size_of
from inspired.dialogue.dialogue import answer_rows
from inspired.dialogue.intermediate_answers import IntermediateAnswer, StepAnswer
from inspired.dialogue.session import Assistant, Parts, silent
from inspired.knowledge_base.engine import open_knowledge_base
from inspired.knowledge_base.graph import read_graph, read_triples
from inspired.logical_form.forms import Entity, Literal
from tests.inspired.scripted import Late

GEO = "http://www.w3.org/2003/01/geo/wgs84_pos#"
CITIES = f"""
@prefix geo: <{GEO}> . @prefix schema: <https://schema.org/> . @prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix gs: <http://www.opengis.net/ont/geosparql#> . @prefix ns: <http://rdf.freebase.com/ns/> .
@prefix e: <http://e.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
e:vienna rdfs:label "Vienna" ; geo:lat 48.2 ; geo:long "16.4" ; e:people 1973403 ; e:in e:austria .
e:graz rdfs:label "Graz" ; schema:geo [ schema:latitude "47.07" ; schema:longitude "15.44" ] ;
  e:people 302660 ; e:in e:austria .
e:linz rdfs:label "Linz" ; wdt:P625 "Point(14.29 48.31)"^^gs:wktLiteral ; e:people 210118 ; e:in e:austria .
e:wels rdfs:label "Wels" ; ns:location.location.geolocation e:code ; e:people 64071 ; e:in e:austria .
e:code ns:location.geocode.latitude 48.16 ; ns:location.geocode.longitude 14.02 .
e:moon rdfs:label "Crater" ; wdt:P625 "<http://www.wikidata.org/entity/Q405> Point(1 2)" ; e:people 1 ; e:in e:austria .
e:odd rdfs:label "Odd" ; geo:lat 148.2 ; geo:long 16.4 ; e:people 2 ; e:in e:austria .
"""
PLACES = {"vienna": (48.2, 16.4), "graz": (47.07, 15.44), "linz": (48.31, 14.29), "wels": (48.16, 14.02)}
NAMED = {f"http://e.example/{name}": place for name, place in PLACES.items()}


@pytest.fixture
def cities(tmp_path: Path) -> Path:
    (tmp_path / "cities.ttl").write_text(CITIES, "utf-8")
    return tmp_path / "cities.ttl"


def answers() -> list[IntermediateAnswer]:
    names = (*PLACES, "moon", "odd")
    return [IntermediateAnswer(Entity(f"http://e.example/{each}"), each) for each in names]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Point(16.4 48.2)", (48.2, 16.4)),
        ("POINT Z (16.4 -48.2 171)", (-48.2, 16.4)),
        ("<http://www.opengis.net/def/crs/OGC/1.3/CRS84> Point(1 2)", (2, 1)),
        ("<http://www.wikidata.org/entity/Q405> Point(1 2)", None),  # on the moon
        ("48.2 16.4", (48.2, 16.4)),
        ("48.2,16.4", (48.2, 16.4)),
        ("Point(200 10)", None),
        ("POLYGON((1 2, 3 4, 1 2))", None),
        ("<b>", None),
    ],
)
def test_points_are_read(text: str, place: tuple[float, float] | None) -> None:
    assert read_point(text) == place


def test_places_are_the_same_in_memory_and_asked_in_place(cities: Path) -> None:
    graph, kb = read_graph(cities), open_knowledge_base(cities)
    assert places_of(answers(), Late(), graph, ()) == NAMED  # from memory, without a query
    assert places_of(answers(), kb, None, tuple(read_triples(cities))) == NAMED
    kb.close()


def test_a_knowledge_base_without_places_is_not_asked_for_them() -> None:
    kb = Late()
    facts = (("http://e.example/vienna", "http://e.example/in", Entity("http://e.example/austria")),)
    assert places_of(answers(), kb, None, facts) == {}
    assert kb.asked == []
    assert places_of(answers(), kb, None, (("http://e.example/vienna", f"{GEO}lat", Literal("1")),)) == {}  # too late
    assert len(kb.asked) == 1
    assert position("http://e.example/vienna", lambda id_, predicate: ()) is None


def test_numbers_and_dates_are_sorted_as_what_they_are() -> None:
    dates = [
        Literal("-0044-03-15", "date"),
        Literal("0799", "gYear"),
        Literal("1999-02", "gYearMonth"),
        Literal("1999-12-31", "date"),
    ]
    sizes = [size_of(each) for each in dates]
    assert sizes == sorted(sizes, key=lambda each: each or 0)
    assert len(set(sizes)) == len(sizes)
    assert [size_of(Literal(text, "integer")) for text in ("9", "10", "-3")] == [9, 10, -3]
    for node in (Literal("12"), Literal("NaN", "double"), Literal("x", "date"), Entity("m.1")):
        assert size_of(node) is None


def test_an_answer_has_the_value_of_the_step_that_compared() -> None:
    thing, number = Entity("m.1"), Literal("221359387", "integer")
    step = StepAnswer((IntermediateAnswer(thing, "Brazil", number, "221,359,387"),))
    (row,) = rows_of(StepAnswer((IntermediateAnswer(thing, "Brazil"),)), (step, StepAnswer()))
    assert (row.name.text, row.value) == ("Brazil", Cell("221,359,387", "221359387", 221359387))


@pytest.mark.parametrize("sparql", [
    "SELECT ?x { ?x e:in e:austria . ?x e:people ?n FILTER(?n > 250000) }",
    "SELECT ?x { ?x e:in e:austria . ?x e:people ?n } ORDER BY DESC(?n) LIMIT 2",
])  # fmt: skip
def test_a_question_with_a_limit_or_an_order_is_answered_with_values_and_places(cities: Path, sparql: str) -> None:
    kb = open_knowledge_base(cities)
    assistant = Assistant("cities", "", lambda: Parts(kb, read_graph(cities)))
    dialogue = assistant.start(f"PREFIX e: <http://e.example/> {sparql}", {}, "Which are large?", silent).dialogue
    assert dialogue.answers is not None
    assert dialogue.answers.final is not None
    rows = {(row.name.text, row.value.plain, row.position) for row in dialogue.answers.final.table()}
    assert rows == {("Vienna", "1973403", PLACES["vienna"]), ("Graz", "302660", PLACES["graz"])}
    head, *lines = answer_rows(dialogue)
    whole = [dict(zip(head, line, strict=True)) for line in lines if not line[0]]
    assert {(each["answer"], each["value"], each["latitude"], each["longitude"]) for each in whole} == {
        ("Vienna", "1973403", "48.2", "16.4"),
        ("Graz", "302660", "47.07", "15.44"),
    }
    kb.close()
