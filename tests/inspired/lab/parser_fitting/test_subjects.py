"""Conversations of people teach when a question goes on from the one before it."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from backend.program.command_line import run
from inspired.__main__ import main
from inspired.lab.parser_fitting.subjects import WeighedFollowUp, fit_new_subject, unread_gains, weighed_follow_ups
from inspired.parsers.follow_ups.new_subject import EVIDENCE, GOES_ON

FILMS = Path(__file__).parents[2] / "parsers" / "films.ttl"
LINES: tuple[dict[str, Any], ...] = (
    {"conversation": "1", "question": "Who directed Comet Season?", "kind": "one relation", "answers": ["m.ada"]},
    {"conversation": "1", "question": "Which films did she direct?", "kind": "follow-up", "answers": ["m.comet"]},
    {"conversation": "2", "question": "How long is it, Lantern Street?", "kind": "one relation", "answers": [1]},
    {"conversation": "2", "question": "and Comet Season?", "kind": "follow-up", "answers": [2]},
)


def corpus(folder: Path) -> Path:
    for author in ("a1", "a2"):
        (folder / author).mkdir(parents=True)
        (folder / author / "graph.ttl.gz").write_bytes(gzip.compress(FILMS.read_bytes(), mtime=0))
        (folder / author / "questions.jsonl").write_text("".join(json.dumps(each) + "\n" for each in LINES), "utf-8")
    return folder


def test_follow_ups_are_read_alone_and_in_context(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = corpus(tmp_path / "corpus"), tmp_path / "weights.json"
    questions = list(weighed_follow_ups(folder))
    assert {each.author for each in questions} == {"a1", "a2"}
    assert any(each.follows for each in questions)
    assert all(len(each.evidence) == len(EVIDENCE) for each in questions)
    assert run("python -m inspired", main, ["fit-parser", "--follow-ups", str(folder), "--out", str(out)]) == 0
    assert set(json.loads(out.read_text("utf-8"))["weights"]) == set(EVIDENCE)
    assert "new subjects: " in capsys.readouterr().out


def test_what_was_right_weighs_more_than_how_it_was_asked() -> None:
    points, rest = (0.5, 0.5, 0.0, 0.0, 1.0, 0.0, 0.3), (0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.3)
    asked = [
        *(WeighedFollowUp(author, points, (False, True), True) for author in ("a", "b") for _ in range(20)),
        *(WeighedFollowUp(author, rest, (True, False), False) for author in ("a", "b") for _ in range(20)),
        *(WeighedFollowUp(author, rest, (False, False), True) for author in ("a", "b") for _ in range(20)),
    ]
    fitted = fit_new_subject(asked)
    assert fitted.goes_on(points) > GOES_ON > fitted.goes_on(rest)
    assert unread_gains(asked) == {"new subjects": (40, 0, 40), "follow-ups": (0, 40, 40)}
