"""`python -m inspired metrics` as a person meets it."""

import json
from pathlib import Path
from typing import Any

import pytest

from backend.program.command_line import run
from inspired.__main__ import main
from tests.counted_calls import counted
from tests.inspired.conftest import Query
from tests.inspired.dialogue_files import made_records, write_lines


def called(*arguments: Path | str) -> int:
    return run("python -m inspired", main, ["metrics", *[str(each) for each in arguments]])


@pytest.fixture
def predictions(made: list[dict[str, Any]], tmp_path: Path) -> Path:
    lines = [{"id": each["id"], "sub_questions": [one["temp_sub_question"] for one in each["gold_sub_qs"]]} for each in made]
    return write_lines(tmp_path / "predictions.jsonl", lines)


@pytest.mark.slow
def test_tables(made_file: Path, predictions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert called(made_file, "--predictions", predictions, "--bert-score", predictions.parent / "no_model") == 0
    said = capsys.readouterr().out
    for title in ("(Table 2)", "(Table 3)", "(Tables 3 and 7)", "(Tables 6 and 21)", "(Table 5)", "(Table 12)"):
        assert title in said
    assert "No BERTScore: the model" in said
    assert "sacrebleu, nrefs:1|case:lc" in said
    assert "generated" in said
    assert max(len(line) for line in said.splitlines() if "No BERTScore" not in line) < 128


@pytest.mark.slow
def test_json_holds_all_of_it_and_is_the_same_each_time(
    made_file: Path, file_of_three: Path, predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("--split", f"a={made_file}", "--split", f"b={file_of_three}", "--predictions", predictions, "--json")
    assert called(*arguments) == 0
    first = capsys.readouterr().out
    assert called(*arguments) == 0
    assert capsys.readouterr().out == first
    report = json.loads(first)
    assert {name: each["dialogues"] for name, each in report["splits"].items()} == {"a": 200, "b": 3}
    assert report["splits"]["b"] == {
        "dialogues": 3,
        "types": {"composition": 3},
        "gold_sub_questions": 6,
        "predicted_sub_questions": 0,
        "turns": {"1": 3, "2": 3},
    }
    assert sum(sum(kinds.values()) for kinds in report["operations"]["by_type"].values()) > 400
    assert list(report["texts"]) == ["templates", "rephrased", "generated"]
    assert report["texts"]["generated"]["lexical_match"] == 1
    assert report["texts"]["rephrased"]["ngrams"][1]["conditional_entropy"] > 0
    assert report["generation"]["bleu_4"] < report["generation"]["bleu_2"] < 100


def test_what_is_missing_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_lines(tmp_path / "bare.jsonl", [{"gold_sub_lfs": ["?x ns:a.b ?y"]}])
    assert called(path) == 0
    said = capsys.readouterr().out
    for told in ("No dialogue has both predicted and gold", "No dialogue has sub-questions", "nothing to compare"):
        assert told in said


def test_wrong_arguments_are_one_line_and_exit_code_two(
    made_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (
        [],
        [tmp_path / "none.jsonl"],
        [made_file, "--split", "made"],
        [made_file, "--split", f"made={made_file}"],
        [made_file, "--bert-score", "roberta-large"],
        [made_file, "--predictions", made_file],
        [made_file, "--seed", "x"],
    ):
        assert called(*arguments) == 2, arguments
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.slow
def test_the_work_grows_no_faster_than_the_file(queries: list[Query], tmp_path: Path) -> None:
    """About 11,500 calls a dialogue, some 4 ms: ten thousand take under a minute."""

    def calls(dialogues: int) -> int:
        path = write_lines(tmp_path / f"{dialogues}.jsonl", made_records(queries, dialogues))
        code, made = counted(lambda: called(path, "--json"))
        assert code == 0
        return made

    calls(10)  # what is loaded and made once
    few = calls(100)
    assert few / 100 < 12_500
    assert calls(400) < 4.4 * few
