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


def lines_of(path: Path, rows: list[dict[str, Any]]) -> list[str]:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return ["evaluate", "--questions", str(path), "--kb", str(FILMS), "--json"]


@pytest.mark.slow
def test_what_generate_wrote_is_evaluated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = str(tmp_path / "questions.jsonl")
    assert run("python -m inspired", main, ["generate", "--out", source, "--count", "3"]) == 0
    capsys.readouterr()
    assert run("python -m inspired", main, ["evaluate", "--questions", source, "--json"]) == 0
    totals = json.loads(capsys.readouterr().out)
    assert totals["all"]["questions"] == 3
    assert set(totals["kinds"]) <= {"simple", "composition", "conjunction", "comparative", "superlative"}


def test_answers_of_generated_records_are_compared_by_their_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = {"ID": "1", "compositionality_type": "simple", "question": "Who directed Comet Season?"}
    directors = json.loads(asked_of_films(capsys, record["question"]))["answers"]
    right = [{"answer": "another name", "answer_id": each["id"], "aliases": []} for each in directors]
    wrong = [{"answer": "another name", "answer_id": None, "aliases": []}]
    rows = [{**record, "answer": answer} for answer in (right, wrong)]
    assert run("python -m inspired", main, lines_of(tmp_path / "generated.jsonl", rows)) == 0
    totals = json.loads(capsys.readouterr().out)["kinds"]["simple"]
    assert (totals["questions"], totals["right"]) == (2, 1)


def asked_of_films(capsys: pytest.CaptureFixture[str], question: str) -> str:
    assert run("python -m inspired", main, ["ask", question, "--kb", str(FILMS), "--json"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"question": "Who directed Comet Season?"}, "no question whose answers are known"),
        ({"question": "Who directed Comet Season?", "answers": 3}, "line 1: the answers are a list"),
        ({"question": "Who directed Comet Season?", "answer": "Ada"}, "line 1: the answers are a list"),
    ],
)
def test_lines_without_answers_are_an_error(
    row: dict[str, Any], problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("python -m inspired", main, lines_of(tmp_path / "lines.jsonl", [row])) == 2
    assert problem in capsys.readouterr().err


def test_questions_asked_in_a_row_go_on_from_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"conversation": "1", "question": "Who directed Comet Season?", "answers": ["Ada Okafor"]},
        {"conversation": "2", "question": "How long is it?", "answers": [98]},
    ]
    right = []
    for flags in ([], ["--in-a-row"]):
        assert run("python -m inspired", main, [*lines_of(tmp_path / "lines.jsonl", rows), *flags]) == 0
        right.append(json.loads(capsys.readouterr().out)["all"]["right"])
    assert right == [1, 2]
