"""The evaluation of parsers: what counts as understood, and the figures that are printed."""

import argparse
import json
from pathlib import Path

import pytest

from backend.errors import DatasetError, SettingsError
from tests.ttm.parsers.schemas import SCHEMAS
from ttm.evaluate import Item, Score, add_evaluate, evaluate, read_split, read_suite, run_evaluate, same_text, structure
from ttm.grammar import grammar_of
from ttm.parsers import ALONE, Candidate, DialogueContext, Understanding

SCHEMA = SCHEMAS["recidivism"]
SUITE = """How many men are there?
filter man true and countdata [E]

How many men are there?
filter man true and countdata [E]


How old are they?
previousfilter and statistic age [E]
"""


class Parrot:
    """Understands every utterance as one parse, and breaks at the word `break`."""

    def __init__(self, parse: str) -> None:
        self._parse = grammar_of(SCHEMA).read(parse)

    def understand(self, utterance: str, context: DialogueContext = ALONE) -> Understanding:
        if "break" in utterance:
            raise RuntimeError
        return Understanding(utterance, (Candidate(self._parse, 1.0),), True)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "suite.txt"
    path.write_text(SUITE, "utf-8")
    return path


def test_a_repeated_utterance_counts_once(suite: Path) -> None:
    assert [item.utterance for item in read_suite(suite)] == ["How many men are there?", "How old are they?"]


def test_spaces_and_case_do_not_count() -> None:
    assert same_text("Filter  man true and countdata [E]") == same_text("filter man TRUE and countdata [e]")


def test_an_exception_is_a_miss() -> None:
    items = [Item("break", "countdata"), Item("fine", "countdata [E]")]
    result = evaluate(Parrot("countdata"), "parrot", items)
    assert [one.correct for one in result.judged] == [False, True]
    assert result.as_json()["exact_match"] == 0.5
    assert result.as_json()["iid"] is None


def test_splits_ignore_numbers(tmp_path: Path) -> None:
    path = tmp_path / "split.tsv"
    path.write_text(
        "parse\tsplit\nfilter age greater than 30 and countdata [e]\tiid\nfilter man true and show [e]\tcompositional\n",
        "utf-8",
    )
    split = read_split(path)
    assert split("filter age greater than 55 and countdata [E]") == "iid"
    assert split("filter man false and show [E]") == "compositional"
    assert split("show [E]") is None
    assert structure("filter age less than 3 [e]") != structure("filter age greater than 3 [e]")


def test_a_wrong_split_is_named(tmp_path: Path) -> None:
    path = tmp_path / "split.tsv"
    path.write_text("show [e]\ttrain\n", "utf-8")
    with pytest.raises(DatasetError, match=r"line 1.*'train'"):
        read_split(path)


def test_a_broken_suite_is_named(tmp_path: Path) -> None:
    path = tmp_path / "suite.txt"
    path.write_text("only an utterance\n", "utf-8")
    with pytest.raises(DatasetError, match="only an utterance"):
        read_suite(path)


def test_the_interval_holds_the_share() -> None:
    low, high = Score(190, 175).interval
    assert 0.87 < low < 175 / 190 < high < 0.96


def folder(tmp_path: Path) -> Path:
    rows = "\n".join(f"{20 + n},{n % 2},{n % 3 % 2}" for n in range(40))
    (tmp_path / "data.csv").write_text(f"age,man,y\n{rows}\n", "utf-8")
    (tmp_path / "dataset.toml").write_text('data = "data.csv"\ntarget = "y"\nclasses = ["safe", "risky"]\n', "utf-8")
    return tmp_path


def given(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_evaluate(parser)
    return parser.parse_args(arguments)


def test_somebody_elses_folder(tmp_path: Path, suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    errors = tmp_path / "errors.tsv"
    run_evaluate(given("--dataset", str(folder(tmp_path)), "--suite", str(suite), "--errors", str(errors), "--json"))
    figures = json.loads(capsys.readouterr().out)
    assert (figures["n"], figures["correct"], figures["exact_match"]) == (2, 2, 1.0)
    assert figures["ms"]["median"] > 0
    assert figures["parser"] == "linker"
    assert errors.read_text("utf-8").splitlines() == ["parser\tsplit\tutterance\tgold\tfound"]


def test_the_table_names_each_parser(tmp_path: Path, suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_evaluate(given("--dataset", str(folder(tmp_path)), "--suite", str(suite), "--parser", "all"))
    assert "linker" in capsys.readouterr().out


def test_an_unknown_parser_is_refused(tmp_path: Path, suite: Path) -> None:
    with pytest.raises(SettingsError, match=r"oracle.*linker"):
        run_evaluate(given("--dataset", str(folder(tmp_path)), "--suite", str(suite), "--parser", "oracle"))
