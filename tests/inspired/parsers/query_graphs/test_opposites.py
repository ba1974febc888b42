"""Facts that could be read in both directions: the words decide; where they do not, both are offered, unsurely."""

import json
from pathlib import Path

import pytest

from inspired.knowledge_base.graph import read_graph
from inspired.logical_form.forms import Entity
from inspired.parsers.query_graphs.default_parser import DefaultParser

CORPUS = Path(__file__).parents[4] / "corpus" / "knowledge_bases" / "directions"
GRAPHS = ("kin", "machines", "firms")
_SURE = 0.7


def _parser(name: str) -> DefaultParser:
    return DefaultParser(read_graph(CORPUS / name / "graph.ttl"))


def _answers(parser: DefaultParser, question: str) -> tuple[frozenset[str], float]:
    best = parser.parse(question)[0]
    state = parser.state_of(best.form)
    assert state is not None
    return frozenset(each.id for each in state.nodes if isinstance(each, Entity)), best.confidence


@pytest.mark.parametrize("name", GRAPHS)
def test_the_direction_follows_the_words(name: str) -> None:
    parser = _parser(name)
    lines = [json.loads(each) for each in (CORPUS / name / "read.jsonl").read_text(encoding="utf-8").splitlines()]
    found = {each["question"]: _answers(parser, each["question"])[0] for each in lines}
    assert found == {each["question"]: frozenset(each["answers"]) for each in lines}


@pytest.mark.parametrize("question", ["parent Cleo Quist", "Cleo Quist and the parent relation"])
def test_both_directions_are_offered_and_neither_is_sure_where_words_leave_it_open(question: str) -> None:
    parser = _parser("kin")
    readings = parser.parse(question)
    found = [state.nodes for each in readings[:3] if (state := parser.state_of(each.form)) is not None]
    for people in ("orla bram", "esme finn"):
        assert frozenset(Entity(f"http://kin.example/{each}") for each in people.split()) in found
    assert readings[0].confidence < _SURE


def test_what_has_no_answer_in_the_direction_asked_for_is_not_answered_surely_in_the_other() -> None:
    """Nobody is on record as a parent of Bram Quist, whose children are."""
    found, confidence = _answers(_parser("kin"), "Who are the parents of Bram Quist?")
    assert not found or confidence < _SURE
