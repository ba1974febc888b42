"""Nearly every question can be read as a follow-up; only what goes on from the one before is. "None of them" is an answer."""

from pathlib import Path

import pytest

from backend.errors import InspiredError
from inspired.knowledge_base.graph import embedded_graph
from inspired.parsers.follow_ups.before import Before
from inspired.parsers.follow_ups.new_subject import EVIDENCE, NewSubject, ReadAfter, evidence, new_subject, read_after
from inspired.parsers.query_graphs.default_parser import DefaultParser

NEIGHBOURS = "Which neighbours of Spain use the euro?"


@pytest.fixture(scope="module")
def parser() -> DefaultParser:
    return DefaultParser(embedded_graph())


def after(parser: DefaultParser, before: str, question: str) -> ReadAfter:
    reading = parser.parse(before, 1)[0]
    state = parser.state_of(reading.form)
    assert state is not None
    return read_after(parser, question, Before(before, reading.form, tuple(state.nodes)), 3)


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("What is the national anthem of Germany?", "whose anthem is hatikvah"),
        ("Which countries export the most to Mexico?", "Which religions are there in Lebanon?"),
        ("What is the capital of Peru?", "what cities have more than 15 million people in them?"),
        (NEIGHBOURS, "What is the currency of the country whose capital is Ulaanbaatar?"),
        ("What is the capital of Peru?", "What do they call the national anthem in South Africa?"),
        (NEIGHBOURS, "How many countries celebrate an Independence Day as their national holiday?"),
    ],
)
def test_a_new_subject_is_read_as_if_nothing_was_asked_before(parser: DefaultParser, before: str, question: str) -> None:
    understood = after(parser, before, question)
    assert not understood.goes_on
    assert understood.whole == question
    assert understood.readings[0].form == parser.parse(question, 1)[0].form


@pytest.mark.parametrize(
    "question",
    [
        "and of Portugal?",
        "How many are there?",
        "what are their capitals?",
        "only those in Africa",
        "europe only",
        "any in NATO?",
        "with more than 5 million people",
        "France not",
        "who of them has a president",
        "which one has the most people",
        "how many speak French",
        "sort by population, biggest first",
        "Which of those are in the European Union?",
        "do any of those belong to OPEC?",
        "total?",
    ],
)
def test_a_follow_up_goes_on(parser: DefaultParser, question: str) -> None:
    assert after(parser, NEIGHBOURS, question).goes_on


@pytest.mark.parametrize(
    "question",
    [
        "which of them have a king?",
        "which of them border Poland?",
        "Of those, which border Poland?",
        "How many of these are in OPEC?",
    ],
)
def test_what_is_true_of_none_of_them_is_asked_of_them_all_the_same(parser: DefaultParser, question: str) -> None:
    """All of them ask, by themselves, what has answers elsewhere."""
    understood = after(parser, NEIGHBOURS, question)
    assert understood.goes_on
    first = understood.readings[0]
    assert first.unused == ()
    assert {"Spain", "Euro"} < set(first.names.values())
    state = parser.state_of(first.form)
    assert state is None or not state.nodes


def test_which_of_two_that_are_named_is_no_follow_up(parser: DefaultParser) -> None:
    assert not after(parser, NEIGHBOURS, "Which of the two countries has more people, Kenya or Ghana?").goes_on


def test_others_are_asked_for_without_what_was_asked_about(parser: DefaultParser) -> None:
    understood = after(parser, "Which languages are spoken in Switzerland?", "which other countries speak Italian?")
    assert understood.goes_on
    assert "m.country_ch" not in {getattr(each, "id", "") for each in parser.state_of(understood.readings[0].form).nodes}


@pytest.mark.parametrize("question", ["what is the weather?", "xyzzy?"])
def test_what_is_not_understood_does_not_answer_the_question_before_again(parser: DefaultParser, question: str) -> None:
    with pytest.raises(InspiredError):
        after(parser, NEIGHBOURS, question)


def test_weights_are_read_as_they_were_saved(parser: DefaultParser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "weights.json"
    kept = NewSubject(tuple(float(each) for each in range(len(EVIDENCE))), -0.5)
    kept.save(path)
    monkeypatch.setattr("inspired.parsers.follow_ups.new_subject.FITTED", path)
    new_subject.cache_clear()
    try:
        assert new_subject() == kept
    finally:
        new_subject.cache_clear()
    readings = parser.parse(NEIGHBOURS, 1)
    values = evidence(parser.analyse("and which of them?"), (), readings)
    assert len(values) == len(EVIDENCE)
    assert all(0 <= each <= 1 for each in values)
