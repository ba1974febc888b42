"""Nouns that several values of a class end in, and values by which the first of a row is chosen."""

from collections.abc import Callable

import pytest

from inspired.decomposition.decompose import decompose
from inspired.logical_form.forms import Asking, Entity
from inspired.parsers.linking.entities import EntityLinker
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.sub_questions.verbalise import verbalise

REALMS = """
@prefix : <http://realms.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Country rdfs:label "country" . :Form rdfs:label "form of government" . :River rdfs:label "river" .
:abs a :Form ; rdfs:label "absolute monarchy" . :con a :Form ; rdfs:label "constitutional monarchy" .
:ele a :Form ; rdfs:label "elective monarchy" . :rep a :Form ; rdfs:label "federal republic" .
:a a :Country ; rdfs:label "Aldmark" ; :government :abs ; :area 410 ; :river :r1 .
:b a :Country ; rdfs:label "Berulia" ; :government :con ; :area 920 ; :river :r1, :r2 .
:c a :Country ; rdfs:label "Corvanta" ; :government :rep ; :area 1300 ; :river :r3 .
:d a :Country ; rdfs:label "Dunmere" ; :government :ele ; :area 75 ; :river :r3 .
:r1 a :River ; rdfs:label "Elst" ; :length 310 . :r2 a :River ; rdfs:label "Oder Water" ; :length 125 .
:r3 a :River ; rdfs:label "Sarn" ; :length 540 .
"""
ANSWERS = {
    "Which countries are monarchies?": {"a", "b", "d"},
    "How many monarchies are there?": {"a", "b", "d"},
    "Which countries are constitutional monarchies?": {"b"},
    "Is Corvanta a monarchy?": {"a", "b", "d"},
    "the largest monarchy": {"b"},
    "How long is the longest river?": {"540"},
    "What is the length of the shortest river?": {"125"},
    "What is the area of the second largest country?": {"920"},
    "What is the longest river?": {"r3"},
}


@pytest.fixture(scope="module")
def parser(parser_over: Callable[[str], DefaultParser]) -> DefaultParser:
    return parser_over(REALMS)


@pytest.mark.parametrize("question", ANSWERS)
def test_the_likeliest_reading_finds(
    parser: DefaultParser, likeliest: Callable[[DefaultParser, str], set[str]], question: str
) -> None:
    assert likeliest(parser, question) == ANSWERS[question]
    reading = parser.parse(question)[0]
    assert not reading.unused
    assert isinstance(reading.form.returns, Asking) == question.startswith("Is ")


def test_several_values_are_said_with_one_verb(parser: DefaultParser) -> None:
    reading = parser.parse("Which countries are monarchies?")[0]
    words = " ".join(verbalise(decompose(reading.form), reading.names).questions)
    assert "absolute monarchy, constitutional monarchy or elective monarchy" in words


def test_in_a_part_of_a_graph_some_values_are_not_taken_for_all(parser: DefaultParser, monkeypatch: pytest.MonkeyPatch) -> None:
    assert EntityLinker(parser.graph).link("which monarchies").sorts
    monkeypatch.setattr(parser.graph, "partial", True)
    assert not EntityLinker(parser.graph).link("which monarchies").sorts


@pytest.mark.parametrize(
    ("question", "among"),
    [
        ("prime minister of India", "m.person_narendra_modi"),
        ("Which EU countries use the euro?", "m.country_at"),
        ("Which countries became independent from Portugal?", "m.country_br"),
        ("From whom did Morocco become independent?", "m.country_fr"),
        ("Whom did Peru become independent of?", "m.country_es"),
        ("Which countries in Europe are monarchies?", "m.country_dk"),
    ],
)
def test_everyday_questions_about_the_world(world_parser: DefaultParser, question: str, among: str) -> None:
    state = world_parser.state_of(world_parser.parse(question)[0].form)
    assert state is not None
    assert Entity(among) in state.nodes
