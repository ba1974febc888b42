"""Groups asked for by their name, others that have the same, things told apart by what they are linked to."""

from dataclasses import replace
from pathlib import Path

import pytest

from inspired.knowledge_base.graph import read_graph
from inspired.logical_form.forms import Asking, Entity
from inspired.parsers.query_graphs.default_parser import DefaultParser

FERRIES = """
@prefix : <http://ferries.example/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:Ship rdfs:label "ship" . :Port rdfs:label "port" . :County rdfs:label "county" . :Voyage rdfs:label "voyage" .
:Fleet rdfs:label "fleet" . :Company rdfs:label "company" . :HarbourPilot rdfs:label "harbour pilot" .
:SeaPilot rdfs:label "sea pilot" . :GullBreed rdfs:label "gull breed" . :Country rdfs:label "country" .
:ofShip rdfs:label "of ship" . :callsAt rdfs:label "calls at" . :inCounty rdfs:label "in county" . :tonnage
  rdfs:label "tonnage" .
:fleet rdfs:label "fleet" . :company rdfs:label "company" . :licensedFor rdfs:label "licensed for" . :builtIn
  rdfs:label "built in" .
:replacedBy rdfs:label "replaced by" . :launched rdfs:label "launched" . :meltingPoint rdfs:label "melting point" .
:nests rdfs:label "nests at" . :alsoKnownAs rdfs:label "also known as" .
:jp a :Country ; rdfs:label "Japan" . :dk a :Country ; rdfs:label "Denmark" .
:skane a :County ; rdfs:label "Skaney" . :blek a :County ; rdfs:label "Blekinga" .
:lund a :Port ; rdfs:label "Lundby" ; :inCounty :skane . :malm a :Port ; rdfs:label "Malmvik" ; :inCounty :skane .
:karl a :Port ; rdfs:label "Karlsund" ; :inCounty :skane . :ronn a :Port ; rdfs:label "Ronnafors" ; :inCounty :blek .
:f1 a :Fleet ; rdfs:label "Blue fleet" ; :company :nord . :f2 a :Fleet ; rdfs:label "Red fleet" ; :company :west .
:nord a :Company ; rdfs:label "Nordlinjen" . :west a :Company ; rdfs:label "Westlinjen" .
:s1 a :Ship ; rdfs:label "Aurora" ; :fleet :f1 ; :tonnage 900 ; :builtIn :jp ; :replacedBy :s2 ; :launched
  "1960"^^xsd:gYear ;
  :alsoKnownAs "Old Rory" .
:s2 a :Ship ; rdfs:label "Boreas" ; :fleet :f1 ; :tonnage 400 ; :builtIn :dk ; :launched "1990"^^xsd:gYear ;
  :alsoKnownAs "The Bo" .
:s3 a :Ship ; rdfs:label "Cirrus" ; :fleet :f2 ; :tonnage 300 ; :builtIn :jp ; :launched "1971"^^xsd:gYear ;
  :alsoKnownAs "Curly" .
:s4 a :Ship ; rdfs:label "Dorado" ; :fleet :f2 ; :tonnage 700 ; :builtIn :dk ; :launched "1985"^^xsd:gYear ;
  :alsoKnownAs "Fish" .
:v1 a :Voyage ; rdfs:label "voyage 11" ; :ofShip :s1 ; :callsAt :lund . :v2 a :Voyage ; rdfs:label "voyage 12" ;
  :ofShip :s2 ;
  :callsAt :malm . :v3 a :Voyage ; rdfs:label "voyage 13" ; :ofShip :s3 ; :callsAt :lund .
:p1 a :HarbourPilot ; rdfs:label "Ada Holm" ; :licensedFor :lund . :p2 a :SeaPilot ; rdfs:label "Bo Krantz" ;
  :licensedFor :lund .
:p3 a :SeaPilot ; rdfs:label "Cia Lindh" ; :licensedFor :malm .
:g1 a :GullBreed ; rdfs:label "greyback" ; :nests :lund . :g2 a :GullBreed ; rdfs:label "whitehood" ; :nests :malm .
:goods a skos:Concept ; skos:prefLabel "goods" . :dry a skos:Concept ; skos:prefLabel "dry goods" ; skos:broader
  :goods .
:grain a skos:Concept ; skos:prefLabel "grain" ; skos:broader :dry ; :meltingPoint 4100 .
:salt a skos:Concept ; skos:prefLabel "salt" ; skos:broader :dry ; :meltingPoint 1074 .
"""
ANSWERS = {
    # a group by its name: what belongs to it, not what it belongs to
    "Name the dry goods.": {"grain", "salt"},
    "How many dry goods are there?": {"grain", "salt"},
    # others that have the same
    "Which ports are in the same county as Lundby?": {"malm", "karl"},
    # the most and the largest, with a number before the noun
    "Which county has the most ports?": {"skane"},
    "the two ships with the highest tonnage": {"s1", "s4"},
    # a noun that two classes share, and one before "breed"
    "Which pilots are licensed for Lundby?": {"p1", "p2"},
    "Which gulls nest at Malmvik?": {"g2"},
    # adjectives of countries, names for other names, kelvin, and what is said before a question
    "Japanese ships": {"s1", "s3"},
    "Under which other name is the Cirrus known?": {"Curly"},
    "goods with a melting point above 3000 K": {"grain"},
    "Hello, my father once sailed on the Aurora with us; what replaced it?": {"s2"},
}
CLAIMS = {
    "Does the Aurora serve Lundby?": True,
    "Does the Boreas serve Lundby?": False,
    "Was the Aurora launched before the Cirrus?": True,
    "Was the Dorado launched before the Cirrus?": False,
}


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> DefaultParser:
    path = Path(tmp_path_factory.mktemp("graph")) / "ferries.ttl"
    path.write_text(FERRIES, encoding="utf-8")
    return DefaultParser(read_graph(path))


@pytest.mark.parametrize(("question", "ids"), list(ANSWERS.items()))
def test_things_are_told_apart_by_groups_and_links(parser: DefaultParser, question: str, ids: set[str]) -> None:
    reading = parser.parse(question)[0]
    state = parser.state_of(replace(reading.form, returns=None))
    assert state is not None
    assert {_id(each) for each in state.nodes} == ids


@pytest.mark.parametrize(("claim", "holds"), list(CLAIMS.items()))
def test_a_claim_about_two_things_goes_along_what_links_them(parser: DefaultParser, claim: str, holds: bool) -> None:
    reading = parser.parse(claim)[0]
    state = parser.state_of(replace(reading.form, returns=None))
    assert isinstance(reading.form.returns, Asking)
    assert state is not None
    assert all(each in state.nodes for each in reading.form.returns.members) == holds


def test_what_has_the_values_is_reached_over_what_lies_between(parser: DefaultParser) -> None:
    meanings = parser.meanings(parser.analyse("Which ship of Nordlinjen has the smallest tonnage?"))
    assert {"s2"} in [{_id(node) for node in each.state.nodes} for each in meanings[:3]]


def _id(node: object) -> str:
    return node.id.rpartition("/")[2] if isinstance(node, Entity) else str(getattr(node, "text", node))
