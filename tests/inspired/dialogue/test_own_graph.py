"""A graph that a visitor brings: read within limits, with questions it answers, put away for others."""

import gzip
from pathlib import Path

import pytest

from backend.errors import InspiredError, KnowledgeBaseError
from inspired.dialogue import own_graph
from inspired.dialogue.own_graph import OwnGraphs, own_assistant, suggestions
from inspired.dialogue.session import Assistant, silent

LIBRARY = """
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix : <http://library.example/> .
:Book a rdfs:Class ; rdfs:label "book" .
:author rdfs:label "author" .
:emma a :Book ; rdfs:label "Emma" ; :author :austen .
:persuasion a :Book ; rdfs:label "Persuasion" ; :author :austen .
:austen rdfs:label "Jane Austen" .
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "library.ttl"
    path.write_text(LIBRARY, "utf-8")
    return path


def answers(assistant: Assistant, question: str) -> tuple[str, ...]:
    found = assistant.ask(question, silent).dialogue.answers
    assert found is not None
    assert found.final is not None
    return found.final.answers


def test_a_file_answers_the_questions_that_are_made_from_it_until_it_is_put_away(library: Path) -> None:
    assistant, graphs = own_assistant(library, silent), OwnGraphs(most=1)
    graphs.add(assistant)
    (question,) = suggestions(assistant, silent)
    assert (question, answers(assistant, question)) == ("What is the author of Emma?", ("Jane Austen",))
    later = own_assistant(library, silent)
    graphs.add(later)
    with pytest.raises(InspiredError, match=r"put away.*Bring the file again"):
        assistant.ask(question, silent)
    assert answers(later, question) == ("Jane Austen",)
    later.put_away()


@pytest.mark.parametrize(("name", "text", "message"), [
    ("a.csv", "x", "names no RDF syntax"),
    ("a.ttl", "no turtle", r"a\.ttl cannot be read: .*line 1"),
    ("a.ttl", "", "holds 0 facts"),
    ("a.rdf", "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>]><r>&b;</r>", "cannot be read"),
])  # fmt: skip
def test_what_cannot_be_used_is_said_without_a_path(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(KnowledgeBaseError, match=message) as refused:
        own_assistant(tmp_path / name, silent)
    assert str(tmp_path) not in refused.value.shown


def test_a_file_is_measured_before_it_is_read(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = library.with_suffix(".ttl.gz")
    packed.write_bytes(gzip.compress(b"#" * 11_000_000))
    with pytest.raises(KnowledgeBaseError, match="10 MB"):
        own_assistant(packed, silent)
    monkeypatch.setattr(own_graph, "MOST_FACTS", 5)
    with pytest.raises(KnowledgeBaseError, match="from 1 to 5 can be asked here"):
        own_assistant(library, silent)


WARDS = """
@prefix s: <http://clinic.example/schema#> . @prefix e: <http://clinic.example/export/> .
e:Station_C1 a s:Ward ; s:name "Intensive Care Unit" ; s:lead e:ma_101 .
e:ma_101 a s:Nurse ; s:vollerName "Anke" .
"""


def test_names_in_a_vocabulary_of_its_own_are_shown_in_steps_and_answers(tmp_path: Path) -> None:
    (tmp_path / "wards.ttl").write_text(WARDS, "utf-8")
    assistant = own_assistant(tmp_path / "wards.ttl", silent)
    try:
        query = "PREFIX e: <http://clinic.example/export/> SELECT ?x { e:Station_C1 <http://clinic.example/schema#lead> ?x }"
        dialogue = assistant.start(query, {}, "", silent).dialogue
        assert dialogue.in_words().questions == ("What is the lead of Intensive Care Unit?",)
        assert dialogue.answers is not None
        assert dialogue.answers.final is not None
        assert dialogue.answers.final.answers == ("Anke",)
    finally:
        assistant.put_away()
