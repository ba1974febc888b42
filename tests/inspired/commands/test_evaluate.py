"""Questions with known answers, counted by what became of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from backend.program.command_line import run
from inspired.__main__ import main

FILMS = Path(__file__).parents[1] / "parsers" / "films.ttl"
FREEBASE = "http://rdf.freebase.com/ns/"
DIRECTED = f"SELECT ?x WHERE {{ <{FREEBASE}m.comet> <{FREEBASE}film.film.directed_by> ?x }}"


def evaluated(path: Path, content: Any, *argv: str) -> int:
    path.write_text(json.dumps(content), "utf-8")
    return run("python -m inspired", main, ["evaluate", "--questions", str(path), "--kb", str(FILMS), "--json", *argv])


def test_a_file_of_lc_quad_is_answered_by_its_own_queries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"uid": 1, "question": "Who directed Comet Season?", "sparql_wikidata": DIRECTED},
        {"uid": 2, "question": "When was Comet Season released?", "sparql_wikidata": DIRECTED},
        {"uid": 3, "question": "Who directed Comet Season?", "sparql_wikidata": "SELECT ?x WHERE { ?x <http://a.b/c> ?y }"},
    ]
    assert evaluated(tmp_path / "lcquad.json", rows) == 0
    printed = capsys.readouterr()
    totals = json.loads(printed.out)["all"]
    assert (totals["questions"], totals["right"], totals["wrong"]) == (2, 1, 1)
    assert "1 of 3 questions are left out" in printed.err


def test_a_file_without_any_answer_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"uid": 1, "question": "Who directed Comet Season?", "sparql_wikidata": ""}]
    assert evaluated(tmp_path / "lcquad.json", rows) == 2
    assert "holds no question whose answers are known" in capsys.readouterr().err
