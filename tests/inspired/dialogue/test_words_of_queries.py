"""Queries as people paste them: each step says what it looks up, and is answered accordingly."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspired.dialogue.dialogue import Dialogue
from inspired.dialogue.own_graph import own_assistant
from inspired.dialogue.session import Assistant, silent

BEERS = """
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix e: <http://beer.example/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
e:brewedBy rdfs:label "brewed by" . e:style rdfs:label "style" . e:ibu rdfs:label "bitterness" .
e:organic rdfs:label "organic" . e:master rdfs:label "head brewer" . e:Brewery rdfs:label "brewery" .
e:lager rdfs:label "lager" . e:pils rdfs:label "pilsner" ; skos:broader e:lager . e:stout rdfs:label "stout" .
e:amber a e:Brewery ; rdfs:label "Amberwell" ; e:master e:ada . e:fox a e:Brewery ; rdfs:label "Fox Hollow" .
e:ada rdfs:label "Ada Kessler" . e:bo rdfs:label "Bo Fitch" ; e:trained e:ada . e:ada e:trained e:cy . e:cy rdfs:label "Cy" .
e:b1 rdfs:label "Moonrake" ; e:brewedBy e:amber ; e:style e:pils ; e:ibu 84 .
e:b2 rdfs:label "Night Ferry" ; e:brewedBy e:amber ; e:style e:stout ; e:organic true .
e:b3 rdfs:label "Tin Whistle" ; e:brewedBy e:amber ; e:style e:lager ; e:ibu 10 .
"""
PREFIXES = "PREFIX e: <http://beer.example/> PREFIX skos: <http://www.w3.org/2004/02/skos/core#> "


@pytest.fixture(scope="module")
def beers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    path: Path = tmp_path_factory.mktemp("beers") / "beers.ttl"
    path.write_text(BEERS, "utf-8")
    assistant = own_assistant(path, silent)
    yield assistant
    assistant.put_away()


def asked(beers: Assistant, sparql: str) -> Dialogue:
    return beers.start(PREFIXES + sparql, {}, "", silent).dialogue


def answers(dialogue: Dialogue) -> tuple[tuple[str, ...], ...]:
    """Those to each step, and to the whole."""
    assert dialogue.answers is not None
    assert dialogue.answers.final is not None
    steps = [each.answers for each in dialogue.answers.steps if each is not None]
    return (*steps, dialogue.answers.final.answers)


@pytest.mark.parametrize(("sparql", "words", "found"), [
    (
        "SELECT ?x { ?x e:style/skos:broader* e:lager }",
        "Which thing has a style that is lager itself or has the broader lager, directly or through others?",
        ("Moonrake", "Tin Whistle"),
    ),
    (
        "SELECT ?x { { ?x e:ibu ?i FILTER(?i > 5) MINUS { ?x e:style e:lager } } UNION { ?x e:organic true } }",
        "Which thing has the bitterness greater than 5 and does not have the style lager, or has the organic “true”?",
        ("Moonrake", "Night Ferry"),
    ),
    (
        "SELECT ?x { { ?x e:ibu ?i FILTER(?i > 50) } UNION { VALUES ?x { e:b2 } } }",
        "Which thing has the bitterness greater than 50, or is Night Ferry?",
        ("Moonrake", "Night Ferry"),
    ),
    (
        "SELECT ?x { ?x a e:Brewery FILTER NOT EXISTS { ?y e:brewedBy ?x } }",
        "Which thing is of the kind brewery with nothing that is brewed by it?",
        ("Fox Hollow",),
    ),
    (
        "SELECT ?x { ?x a e:Brewery FILTER EXISTS { ?y e:brewedBy ?x . ?y e:style e:stout . ?y e:organic ?o } }",
        "Which thing is of the kind brewery with something that is brewed by it and that has the style stout and that has the "
        "organic something?",
        ("Amberwell",),
    ),
    (
        "SELECT ?x { ?x e:trained ?t FILTER NOT EXISTS { ?b e:master ?x } }",
        "Which thing has a trained with nothing whose head brewer it is?",
        ("Bo Fitch",),
    ),
    (
        "SELECT ?x { ?x e:organic true FILTER EXISTS { ?x e:brewedBy ?b } }",
        "Which thing has the organic “true” with something that it is brewed by?",
        ("Night Ferry",),
    ),
    (
        "SELECT ?x { e:b2 !(e:brewedBy|e:style) ?x FILTER(?x != \"Night Ferry\") }",
        "Which thing is what Night Ferry is related to by anything but “brewed by” and style?",
        ("yes",),
    ),
])  # fmt: skip
def test_one_step_says_what_the_query_does(beers: Assistant, sparql: str, words: str, found: tuple[str, ...]) -> None:
    dialogue = asked(beers, sparql)
    assert dialogue.in_words().questions[0] == words
    assert answers(dialogue)[-1] == found


def test_what_is_optional_and_missing_is_asked_for_as_such(beers: Assistant) -> None:
    dialogue = asked(beers, "SELECT ?x { ?x e:brewedBy e:amber OPTIONAL { ?x e:ibu ?i } FILTER(!BOUND(?i)) }")
    assert dialogue.in_words().questions[1] == "Which of these have no bitterness on record?"
    assert answers(dialogue)[1:] == (("Night Ferry",), ("Night Ferry",))
    limited = "SELECT ?x { ?x e:brewedBy e:amber OPTIONAL { ?x e:ibu ?i FILTER(?i > 50) } FILTER(!BOUND(?i)) }"
    dialogue = asked(beers, limited)
    assert dialogue.in_words().questions[1].endswith("have no bitterness on record, with that bitterness greater than 50?")
    assert answers(dialogue)[1:] == (("Night Ferry", "Tin Whistle"),) * 2


def test_minus_without_a_shared_variable_takes_nothing_away(beers: Assistant) -> None:
    dialogue = asked(beers, "SELECT ?x { ?x e:brewedBy e:amber MINUS { ?z e:organic true } }")
    assert dialogue.in_words().questions[1] == (
        "Which of these are left when something else, which has the organic “true”, is taken away, so that all of them stay?"
    )
    assert answers(dialogue) == (("Moonrake", "Night Ferry", "Tin Whistle"),) * 3
    counted = asked(beers, "SELECT (COUNT(?x) AS ?n) { ?x e:brewedBy e:amber MINUS { ?z e:organic true } }")
    assert answers(counted)[-1] == ("3",)
