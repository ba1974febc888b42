"""What people ask of published graphs: what is so, who does most, the first of a row, things by a part of their name."""

from pathlib import Path

import pytest

from inspired.knowledge_base.graph import Graph, read_graph
from inspired.logical_form.forms import Entity
from inspired.parsers.query_graphs.default_parser import DefaultParser

FILMS = """
@prefix : <http://films.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Source rdfs:label "source" . :FilmSeries rdfs:label "film series" . :Film rdfs:label "film" .
:comic a :Source ; rdfs:label "Based on Comic or Graphic Novel" .
:play a :Source ; rdfs:label "Based on Play" .
:ada a :Person ; rdfs:label "Ada Marwick" . :ben a :Person ; rdfs:label "Ben Okoro" . :cy a :Person ; rdfs:label "Cy Thorn" .
:s1 a :FilmSeries ; rdfs:label "Night Trilogy" .
:f1 a :Film ; rdfs:label "Harbour Night" ; :director :ada ; :source :comic ; :minutes 95 ; :restored true ;
  :released "1984-05-01"^^xsd:date .
:f2 a :Film ; rdfs:label "Quiet Orchard" ; :director :ada ; :source :play ; :minutes 140 ; :restored false ;
  :released "1991-05-01"^^xsd:date .
:f3 a :Film ; rdfs:label "Copper Road" ; :director :ada ; :source :play ; :minutes 120 ; :restored true ;
  :released "1999-05-01"^^xsd:date .
:f4 a :Film ; rdfs:label "Paper Moons" ; :director :ben ; :source :comic ; :minutes 101 ; :restored false ;
  :released "2004-05-01"^^xsd:date .
"""
ANSWERS = {
    "Which films are restored?": {"f1", "f3"},
    "Is Copper Road restored?": True,
    "Is Paper Moons restored?": False,
    "Which films are not restored?": {"f2", "f4"},
    "films from a comic": {"f1", "f4"},
    "Who directed the most films?": {"ada"},
    "Which directors have made at least three films?": {"ada"},
    "the two longest films": {"f2", "f3"},
    "Which films came out before 1990?": {"f1"},
    "How many films were released in 1991?": 1,
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    path: Path = tmp_path_factory.mktemp("films") / "films.ttl"
    path.write_text(FILMS, encoding="utf-8")
    return read_graph(path)


@pytest.mark.parametrize("question", ANSWERS)
def test_the_reading_finds_what_is_asked_for(graph: Graph, question: str) -> None:
    parser = DefaultParser(graph)
    wanted = ANSWERS[question]
    readings = parser.meanings(parser.analyse(question))[:3]
    found = [frozenset(each.id.rpartition("/")[2] for each in one.state.nodes if isinstance(each, Entity)) for one in readings]
    if isinstance(wanted, bool):
        (member,) = readings[0].returns.members  # type: ignore[union-attr]
        assert (member in readings[0].state.nodes) is wanted
    else:
        assert (len(found[0]) if isinstance(wanted, int) else set(found[0])) == wanted
