"""Questions, follow-ups and corrections of a file, one JSON object a line."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from backend.program.command_line import run
from inspired.__main__ import main
from inspired.parsers.query_graphs.default_parser import IMPROBABLE

FILMS = Path(__file__).parents[1] / "parsers" / "films.ttl"


def answered(lines: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], *argv: str) -> list[dict[str, Any]]:
    source = tmp_path / "questions.jsonl"
    source.write_text("\n".join(lines), "utf-8")
    assert run("python -m inspired", main, ["ask", "--in", str(source), "--json", *argv]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def names(result: dict[str, Any]) -> list[str]:
    return [each["name"] for each in result["answers"]]


@pytest.mark.slow
def test_a_conversation_goes_on_and_is_corrected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, denied, counted, other, corrected, back = answered(
        [
            '{"conversation": "a", "question": "Which countries border Germany?"}',
            '{"conversation": "a", "question": "Which of these do not use the euro?"}',
            '{"conversation": "a", "question": "How many?"}',
            '{"conversation": 7, "question": "Which neighbours of Germany use the euro?"}',
            '{"conversation": 7, "step": 2, "change": "replace", "utterance": "Which of these do not use the euro?"}',
            '{"conversation": 7, "step": 2, "change": "delete"}',
        ],
        tmp_path,
        capsys,
    )
    assert names(denied) == ["Czechia", "Denmark", "Poland", "Switzerland"]
    assert (names(counted), counted["kind"]) == (["4"], "count")
    assert sorted(names(other) + names(corrected)) == sorted(names(first))
    assert corrected["steps"][1]["words"] == "Which of these does not use the currency Euro?"
    assert names(back) == names(first)


@pytest.mark.slow
def test_the_two_are_those_that_the_last_two_questions_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lima, quito, larger, sites, in_total = answered(
        [
            '{"conversation": 1, "question": "What is the capital of Peru?"}',
            '{"conversation": 1, "question": "And of Ecuador?"}',
            '{"conversation": 1, "question": "Which of the two cities is bigger?"}',
            '{"conversation": 2, "question": "How many World Heritage Sites does Chile have?"}',
            '{"conversation": 3, "question": "How many World Heritage Sites does Chile have in total?"}',
        ],
        tmp_path,
        capsys,
    )
    assert (names(lima), names(quito), names(larger)) == (["Lima"], ["Quito"], ["Lima"])
    assert names(sites) == names(in_total)
    assert in_total["unused"] == []


@pytest.mark.slow
def test_an_improbable_reading_is_no_answer_and_can_be_corrected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    improbable, corrected = answered(
        [
            '{"conversation": 1, "question": "When should I sow carrots in Peru?"}',
            '{"conversation": 1, "step": 1, "change": "replace", "utterance": "What is the capital of Peru?"}',
        ],
        tmp_path,
        capsys,
    )
    assert (improbable["answers"], improbable["kind"], improbable["confidence"] < IMPROBABLE) == ([], "none", True)
    assert "improbable" in improbable["refused"]
    assert improbable["unused"]
    assert (names(corrected), corrected["refused"]) == (["Lima"], None)


@pytest.mark.slow
def test_the_two_are_those_that_were_asked_about_where_values_were_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more, highest, lowest, many, fewer = answered(
        [
            '{"conversation": 1, "question": "What is the population of Peru?"}',
            '{"conversation": 1, "question": "And of Chile?"}',
            '{"conversation": 1, "question": "Which of the two has more people?"}',
            '{"conversation": 2, "question": "Which country in South America has the largest population?"}',
            '{"conversation": 2, "question": "What about the smallest?"}',
            '{"conversation": 3, "question": "Which countries have more than eight neighbours?"}',
            '{"conversation": 3, "question": "Just the ones over 12"}',
        ],
        tmp_path,
        capsys,
    )[2:]
    assert names(more) == ["Peru"]
    assert (names(highest), names(lowest)) == (["Brazil"], ["Suriname"])
    assert set(names(fewer)) < set(names(many))


def test_one_bad_line_does_not_end_the_batch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = answered(
        [
            "no JSON",
            "[1]",
            '{"conversation": "a"}',
            '{"conversation": "a", "step": 1, "change": "delete"}',
            '{"conversation": "a", "question": ""}',
            '{"conversation": "a", "question": "When was Lantern Street released?"}',
            '{"conversation": "a", "step": 9, "change": "delete"}',
        ],
        tmp_path,
        capsys,
        "--kb",
        str(FILMS),
    )
    assert [bool(each["refused"]) for each in results] == [True, True, True, True, True, False, True]
    assert results[5]["answers"][0]["name"] == "15 January 1988"
    assert all(set(each) >= {"steps", "answers", "kind", "confidence", "readings", "unused", "refused"} for each in results)


def test_a_question_or_a_file_has_to_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("python -m inspired", main, ["ask", "--json"]) == 2
    assert "QUESTION" in capsys.readouterr().err


def test_a_correction_names_the_words_that_it_does_not_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked, corrected, back = answered(
        [
            '{"conversation": 1, "question": "Who directed Comet Season?"}',
            '{"conversation": 1, "step": 2, "change": "insert", '
            '"utterance": "What is the lovely place of birth of that person?"}',
            '{"conversation": 1, "step": 2, "change": "delete"}',
        ],
        tmp_path,
        capsys,
        "--kb",
        str(FILMS),
    )
    assert [each["unused"] for each in (asked, corrected, back)] == [[], ["lovely"], []]


def test_lines_come_from_standard_input_as_well(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    line = '{"conversation": 1, "question": "When was Lantern Street released?"}'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(line.encode())))
    assert run("python -m inspired", main, ["ask", "--in", "-", "--json", "--kb", str(FILMS)]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["conversation"], names(result)) == (1, ["15 January 1988"])


@pytest.mark.parametrize(("content", "problem"), [(b"", "holds no line"), (b"\xfc\n", "line 1: this is not UTF-8 text")])
def test_a_file_without_a_line_that_can_be_read_is_an_error(
    content: bytes, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "questions.jsonl"
    source.write_bytes(content)
    assert run("python -m inspired", main, ["ask", "--in", str(source), "--kb", str(FILMS)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert problem in printed.err
