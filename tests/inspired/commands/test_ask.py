"""The command that reads and answers a question."""

import json
from pathlib import Path

import pytest

from backend.program.command_line import run
from inspired.__main__ import main

FILMS = Path(__file__).parents[1] / "parsers" / "films.ttl"


def told(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert run("python -m inspired", main, ["ask", *argv]) == 0
    return capsys.readouterr().out


def test_json_holds_the_reading_its_steps_and_their_answers(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(told(capsys, "Where was the director of Orchard of Glass born?", "--kb", str(FILMS), "--json"))
    assert found["type"] == "composition"
    assert [[each["name"] for each in step["answers"]] for step in found["steps"]] == [["Tove Lindqvist"], ["Malmö"]]
    assert [each["name"] for each in found["answers"]] == ["Malmö"]
    assert {"question", "sparql", "confidence", "alternatives", "unused", "ambiguous"} <= set(found)
    assert found["unused"] == []
    assert 0 < found["confidence"] <= 1


def test_text_says_the_steps_the_answer_and_the_doubts(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "When was the lovely Lantern Street released?", "--kb", str(FILMS), "--n", "2")
    assert "15 January 1988" in text
    assert "Not used: lovely" in text
    assert "“Lantern Street” could also be Lantern Street (m.lantern_film)" in text


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["Who?", "--kb", "nowhere.ttl"], "no knowledge base nowhere.ttl"),
        (["Who?", "--n", "0"], "from 1 to"),
        (["Who?", "--parser", "nowhere", "--kb", str(FILMS)], "neither “default”, nor a folder"),
        (["What is all this about?", "--kb", str(FILMS)], "cannot be read"),
    ],
)
def test_bad_input_ends_with_one_line_and_exit_code_2(capsys: pytest.CaptureFixture[str], argv: list[str], words: str) -> None:
    assert run("python -m inspired", main, ["ask", *argv]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert words in said.err
    assert said.err.count("\n") == 1
