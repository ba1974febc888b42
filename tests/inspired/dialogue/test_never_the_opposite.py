"""Questions about a small graph of somebody's own, from reading to answer: polarity, ties, names that are not there."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspired.dialogue.conversations import Conversations
from inspired.knowledge_base.engine import open_knowledge_base
from inspired.parsers.opening import open_default_parser

BREWERIES = """
@prefix : <http://beer.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Brewery rdfs:label "brewery" . :Beer rdfs:label "beer" . :Town rdfs:label "town" . :Person rdfs:label "person" .
:Ward rdfs:label "ward" . :floor rdfs:label "floor area" .
:brewedBy rdfs:label "brewed by" ; rdfs:domain :Beer ; rdfs:range :Brewery .
:inTown rdfs:label "located in" . :founded rdfs:label "founded" . :abv rdfs:label "alcohol by volume" .
:organic rdfs:label "organic" . :born rdfs:label "date of birth" .
:t a :Town ; rdfs:label "Tarnbridge" . :o a :Town ; rdfs:label "Orvik" . :n a :Town ; rdfs:label "Nowhere" .
:dun a :Brewery ; rdfs:label "Dunmore" ; :inTown :t ; :founded "1901"^^xsd:gYear .
:hop a :Brewery ; rdfs:label "Hopyard" ; :inTown :o ; :founded "2005"^^xsd:gYear .
:big a :Brewery ; rdfs:label "Bigco" ; :inTown :o ; :founded "2011"^^xsd:gYear .
:b1 a :Beer ; rdfs:label "Old Badger" ; :brewedBy :dun ; :abv 9 ; :organic true .
:b2 a :Beer ; rdfs:label "Salt Wife" ; :brewedBy :hop ; :abv 9 ; :organic false .
:b3 a :Beer ; rdfs:label "Pale Rider" ; :brewedBy :hop ; :abv 4 .
:m a :Person ; rdfs:label "Maria Olde" ; :born "1812-01-01"^^xsd:date .
:a1 a :Ward ; rdfs:label "Ward A1" ; :floor 210 . :c2 a :Ward ; rdfs:label "Ward C2" ; :floor 650 .
"""


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], dict[str, Any]]]:
    path: Path = tmp_path_factory.mktemp("beer") / "beer.ttl"
    path.write_text(BREWERIES, encoding="utf-8")
    kb = open_knowledge_base(path)
    parser = open_default_parser(path, kb)
    yield lambda question: Conversations(kb, parser).answer({"conversation": question, "question": question})
    kb.close()


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which breweries brew no beer?", {"Bigco"}),
        ("How many towns have no brewery?", {"1"}),
        ("Which beers are not brewed in Tarnbridge?", {"Salt Wife", "Pale Rider"}),
        ("Is Dunmore older than Hopyard?", {"yes"}),
        ("Is Hopyard older than Dunmore?", {"no"}),
        ("Which breweries were founded since 2005?", {"Hopyard", "Bigco"}),
        ("Which breweries were founded by 2005?", {"Dunmore", "Hopyard"}),
        ("Which breweries are in Tarnbridge or in Orvik?", {"Dunmore", "Hopyard", "Bigco"}),
    ],
)
def test_the_answer_is_never_the_opposite(ask: Callable[[str], dict[str, Any]], question: str, answers: set[str]) -> None:
    result = ask(question)
    assert {each["name"] for each in result["answers"]} == answers, result["query"]


def test_conditions_of_which_one_is_enough_are_not_both_asked_for_in_silence(ask: Callable[[str], dict[str, Any]]) -> None:
    assert "or" in ask("Which beers have an alcohol by volume above 8 or an alcohol by volume below 5?")["unused"]


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("Which beer has the highest alcohol by volume?", "With the same value: "),
        ("Which beer has the lowest alcohol by volume?", ""),
        ("Is Pale Rider organic?", "Nothing is on record that says so, or the contrary."),
        ("Is Salt Wife organic?", ""),
        ("Is Old Badger organic?", ""),
    ],
)
def test_ties_and_what_is_not_on_record_are_noted(ask: Callable[[str], dict[str, Any]], question: str, note: str) -> None:
    result = ask(question)
    written = result.get("note", "")
    assert written.startswith(note)
    assert bool(written) == bool(note)
    if note.startswith("With"):
        (best,) = (each["name"] for each in result["answers"])
        assert {best, written.removeprefix(note).rstrip(".")} == {"Old Badger", "Salt Wife"}


def test_a_name_with_another_number_is_no_slip_of_the_pen(ask: Callable[[str], dict[str, Any]]) -> None:
    result = ask("What is the floor area of Ward D2?")
    assert result["refused"] or {"D", "2"} <= set(result["unused"])
    assert [each["name"] for each in ask("What is the floor area of Ward C2?")["answers"]] == ["650"]
