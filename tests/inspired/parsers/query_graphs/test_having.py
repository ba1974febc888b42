"""What people say that things have: anything at all, something of a kind; and the words in which they say it."""

from dataclasses import replace
from pathlib import Path

import pytest

from inspired.dialogue.dialogue import begin
from inspired.knowledge_base.graph import Graph, read_graph
from inspired.logical_form.forms import Entity
from inspired.parsers.query_graphs.default_parser import DefaultParser

PARKS = """
@prefix : <http://parks.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Species rdfs:label "species" . :Enclosure rdfs:label "nature enclosure" . :Botanist rdfs:label "botanist" .
:River rdfs:label "river" . :Province rdfs:label "province" . :Zone rdfs:label "zone" .
:namedAfter rdfs:label "named after" . :swimmingSpeed rdfs:label "swimming speed" . :hazardRating rdfs:label "hazard rating" .
:bodyWeight rdfs:label "body weight" . :zone rdfs:label "zone" . :habitat rdfs:label "habitat" .
:waterTemperature rdfs:label "water temperature" . :keeperNote rdfs:label "keeper note" .
:northern a :Zone ; rdfs:label "marsh" ; :keeperNote "Marshes" . :southern a :Zone ; rdfs:label "heath" .
:east a :Province ; rdfs:label "Eastmark Province" . :west a :Province ; rdfs:label "Westmark Province" .
:hooker a :Botanist ; rdfs:label "Jo Hookerly" . :banks a :Botanist ; rdfs:label "Sam Banksworth" .
:tisk a :River ; rdfs:label "Tisk" ; :passes :e1 . :fen a :River ; rdfs:label "Fenwater" ; :passes :e1 .
:passes rdfs:label "passes" . :creatureType rdfs:label "creature type" . :wardCode rdfs:label "ward code" .
:fish a :Type ; rdfs:label "cold-blooded" . :warm a :Type ; rdfs:label "furry" .
:s1 :creatureType :warm . :s2 :creatureType :warm . :s3 :creatureType :fish . :s4 :creatureType :warm .
:e1 :wardCode "AX", "BX", "CX" . :e2 :wardCode "DX" . :Shelter rdfs:label "shelter" . :location rdfs:label "location" .
:h1 a :Shelter ; rdfs:label "Gull hut" ; :location :e2 . :h2 a :Shelter ; rdfs:label "Tern hut" ; :location :e2 .
:h3 a :Shelter ; rdfs:label "Owl hut" ; :location :swim . :swim a :Province ; rdfs:label "Swim" .
:Marsh rdfs:subClassOf :Enclosure . :River rdfs:subClassOf :Water .
:e1 a :Enclosure ; rdfs:label "Enclosure of Alder" ; :province :east ; :waterTemperature 4 .
:e2 a :Enclosure ; rdfs:label "Enclosure of Birch" ; :province :west ; :waterTemperature 11 .
:s1 a :Species ; rdfs:label "hookerling" ; :namedAfter :hooker ; :habitat :e1 ; :zone :northern ; :hazardRating 3 ;
  :bodyWeight 40 ; :swimmingSpeed 12 .
:s2 a :Species ; rdfs:label "banksrat" ; :namedAfter :banks ; :habitat :e2 ; :zone :southern ; :hazardRating 8 ; :bodyWeight 2 .
:s3 a :Species ; rdfs:label "tiskfish" ; :namedAfter :tisk ; :habitat :e1 ; :zone :northern ; :hazardRating 9 ; :bodyWeight 7 ;
  :swimmingSpeed 20 .
:s4 a :Species ; rdfs:label "plain mole" ; :habitat :e2 ; :zone :southern ; :hazardRating 5 ; :bodyWeight 1 .
"""
ANSWERS = {
    # anything at all, and something of a kind
    "Which species that live in the marsh can swim?": {"s1", "s3"},
    "Which species have a swimming speed?": {"s1", "s3"},
    "Which species are named after a botanist?": {"s1", "s2"},
    "Which species are named after rivers?": {"s3"},
    "How many species are named after botanists?": 2,
    "Which species are not named after a botanist?": {"s3", "s4"},
    # names with and without the word for their class, in any order
    "Which enclosures are in the province of Eastmark?": {"e1"},
    "Which enclosures are in Westmark?": {"e2"},
    "species with the zone marshes": {"s1", "s3"},
    # what words and short forms stand for
    "Which species has the highest HR?": {"s3"},
    "How heavy is the banksrat?": {"2"},
    "Which is the coldest enclosure?": {"e1"},
    "Which species is most heavy?": {"s1"},
    "Which species is least heavy?": {"s4"},
    "species with a hazard rating of 5 to 8": {"s2", "s4"},
    "species with a hazard rating of 8 per cent or above": {"s2", "s3"},
    "wich speces have the habbitat Alder": {"s1", "s3"},
    "Are there any species that don't live in the marsh? Which ones?": {"s2", "s4"},
    "count species": 4,
    # what is counted, sorted and called so by the relation that sorts it
    "How many ward codes does Alder have?": 3,
    "Which enclosures have two or more ward codes?": {"e1"},
    "Which creatures can swim?": {"s1", "s3"},
    "is the hookerling or the banksrat heavier": {"s1"},
    # where something is that is in something else, and which class is no thing by itself
    "Which shelters are in the province of Westmark?": {"h1", "h2"},
    "Which shelters are not in an enclosure?": {"h3"},
}


@pytest.fixture(scope="module")
def parks(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    path: Path = tmp_path_factory.mktemp("parks") / "parks.ttl"
    path.write_text(PARKS, encoding="utf-8")
    return read_graph(path)


@pytest.fixture(scope="module")
def parser(parks: Graph) -> DefaultParser:
    return DefaultParser(parks)


@pytest.mark.parametrize("question", ANSWERS)
def test_the_reading_finds_what_is_asked_for(parser: DefaultParser, question: str) -> None:
    wanted = ANSWERS[question]
    state = parser.state_of(replace(parser.parse(question)[0].form, returns=None))
    assert state is not None
    found = {each.id.rpartition("/")[2] if isinstance(each, Entity) else each.text for each in state.nodes}
    assert (len(found) if isinstance(wanted, int) else found) == wanted


@pytest.mark.parametrize(("question", "holds"), [("Has Birch a shelter?", True), ("Has Alder a shelter?", False)])
def test_whether_a_thing_has_one_of_a_kind(parser: DefaultParser, question: str, holds: bool) -> None:
    best = parser.meanings(parser.analyse(question))[0]
    assert best.returns is not None
    assert (set(best.returns.members) <= best.state.nodes) is holds  # type: ignore[union-attr]


def test_the_step_says_how_a_thing_is_linked_to_one_of_a_kind(parser: DefaultParser) -> None:
    reading = parser.parse("Which species are named after a botanist?")[0]
    words = " ".join(begin(reading.form, reading.names).in_words().questions)
    assert {"named after", "botanist"} <= {each for each in ("named after", "botanist") if each in words}
