"""The evaluation of parsers: what counts as understood, and the figures that are printed."""

import argparse
import json
from pathlib import Path

import pytest

from backend.errors import DatasetError, SettingsError
from tests.ttm.parsers.schemas import SCHEMAS
from tests.ttm.parsers.test_nearest import Words
from ttm import parsers
from ttm.lab.evaluate import (
    GoldPair,
    ParsingScore,
    arguments,
    evaluate,
    read_split,
    read_suite,
    run,
    same_text,
    structure,
)
from ttm.lab.execution_match import execution
from ttm.language.grammar import grammar_of
from ttm.parsers import ALONE, DialogueContext, LearnedParser, ParseCandidate, Understanding
from ttm.tabular.data.dataset import load_dataset
from ttm.tabular.data.schema import Schema

SCHEMA = SCHEMAS["recidivism"]
USER_STUDY = Path(__file__).parents[3] / "corpus" / "user_study"
PUBLISHED = Path(__file__).parents[4] / "shared" / "data" / "ttm" / "diabetes_test_suite.txt"
SUITE = """How many men are there?
filter man true and countdata [E]

How many men are there?
filter man true and countdata [E]


How old are they?
previousfilter and statistic age [E]
"""


class Parrot:
    """Understands every utterance as the same parses, and breaks at the word `break`."""

    def __init__(self, *parses: str) -> None:
        self._parses = [grammar_of(SCHEMA).read(parse) for parse in parses]

    def understand(self, utterance: str, context: DialogueContext = ALONE) -> Understanding:
        if "break" in utterance:
            raise RuntimeError
        return Understanding(utterance, tuple(ParseCandidate(parse, 0.5) for parse in self._parses), True)


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is computed is kept in a folder of this test."""
    monkeypatch.setenv("PARLEY_DATA_DIR", str(tmp_path / "parley"))


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
    items = [GoldPair("break", "countdata"), GoldPair("fine", "countdata [E]")]
    result = evaluate(Parrot("countdata"), "parrot", items)
    assert [one.correct for one in result.judged] == [False, True]
    assert result.as_json()["exact_match"] == 0.5
    assert result.as_json()["iid"] is None
    assert (result.failures, result.as_json()["failed"]) == (["RuntimeError"], 1)


def test_a_right_reading_may_stand_among_the_first_three() -> None:
    parrot = Parrot("countdata", "show", "predict", "likelihood")
    items = [
        GoldPair("one", "countdata [E]"),
        GoldPair("three", "predict [E]"),
        GoldPair("four", "likelihood [E]"),
        GoldPair("break", "show"),
    ]
    result = evaluate(parrot, "parrot", items)
    assert [one.correct for one in result.judged] == [True, False, False, False]
    assert [one.among for one in result.judged] == [True, True, False, False]
    assert result.as_json()["top_3"] == 0.5
    assert result.calibration_error == pytest.approx(0.375)  # three times 0.5, of which one came true, and one 0.0


def test_results_are_compared_where_the_parse_is_another(tmp_path: Path) -> None:
    same = execution(str(folder(tmp_path)))
    read = grammar_of(load_dataset(tmp_path).schema).read
    assert same("filter age greater than 29 and countdata [e]", read("filter age greater equal than 30 and countdata"))
    assert not same("filter age greater than 29 and countdata [e]", read("filter age greater than 40 and countdata"))
    assert not same("statistic height [e]", read("countdata"))


def test_two_refusals_are_not_the_same_answer(tmp_path: Path) -> None:
    same = execution(str(folder(tmp_path)))
    read = grammar_of(load_dataset(tmp_path).schema).read
    assert not same("filter id 999 and predict [e]", read("filter id 999 and show"))
    assert not same("filter age greater than 99 and predict [e]", read("filter age greater than 98 and predict"))


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
    low, high = ParsingScore(190, 175).interval
    assert 0.87 < low < 175 / 190 < high < 0.96


def folder(tmp_path: Path) -> Path:
    rows = "\n".join(f"{20 + n},{n % 2},{n % 3 % 2}" for n in range(40))
    (tmp_path / "data.csv").write_text(f"age,man,y\n{rows}\n", "utf-8")
    (tmp_path / "dataset.toml").write_text('data = "data.csv"\ntarget = "y"\nclasses = ["safe", "risky"]\n', "utf-8")
    return tmp_path


def parsed(*argv: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    arguments(parser)
    return parser.parse_args(argv)


def test_somebody_elses_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    errors, suite = tmp_path / "errors.tsv", tmp_path / "suite.txt"
    suite.write_text(SUITE.replace("How old are they?\npreviousfilter and ", "What is the average age?\n"), "utf-8")
    run(parsed("--dataset", str(folder(tmp_path)), "--suite", str(suite), "--errors", str(errors), "--json"))
    figures = json.loads(capsys.readouterr().out)
    assert (figures["n"], figures["correct"], figures["exact_match"], figures["execution_match"]) == (2, 2, 1.0, 1.0)
    assert (figures["iid"], figures["compositional"]) == (None, None)
    assert figures["ms"]["median"] > 0
    assert figures["parser"] == "learned"
    assert errors.read_text("utf-8").splitlines() == ["parser\tsplit\tutterance\tgold\tfound"]


@pytest.mark.slow
def test_the_table_has_a_line_for_each_parser(
    tmp_path: Path, suite: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ttm.parsers import examples

    monkeypatch.setattr(examples, "packaged_embedder", Words)
    parsers = ["--parser", "all", "linker", "--no-execution"]
    run(parsed("--dataset", str(folder(tmp_path)), "--suite", str(suite), *parsers))
    head, *lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["learned", "linker", "nearest"]
    assert "top 3" in head


def test_an_unknown_parser_is_refused(tmp_path: Path, suite: Path) -> None:
    for name in ("oracle", "seq2seq", "linker:x"):
        with pytest.raises(SettingsError, match=rf"{name}.*linker, nearest, few-shot"):
            run(parsed("--dataset", str(folder(tmp_path)), "--suite", str(suite), "--parser", name))


@pytest.mark.parametrize(("parser", "readers"), [("learned", 1), ("learned:second=off", 0), ("linker", 0)])
def test_dialogues_are_read_as_the_app_reads_them(
    parser: str, readers: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Schema] = []
    monkeypatch.setattr(parsers, "second_reader", made.append)  # which is none, so the ranking decides alone
    lines = (USER_STUDY / "rewordings.jsonl").read_text("utf-8").splitlines()[:2]
    (tmp_path / "said.jsonl").write_text("\n".join(lines), "utf-8")
    run(parsed("--dialogues", str(tmp_path), "--tables", str(USER_STUDY / "tables"), "--parser", parser, "--json"))
    assert json.loads(capsys.readouterr().out)["singles"]["turns"] == 2
    assert len(made) == readers


def test_dialogues_are_read_without_rows(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="one of learned, learned:second=off, linker only, not nearest"):
        run(parsed("--dialogues", str(tmp_path), "--parser", "nearest"))


@pytest.mark.slow
@pytest.mark.skipif(not PUBLISHED.is_file(), reason="the published suite is not here")
def test_the_default_parser_reads_170_of_the_published_suite() -> None:
    """New weights and rules are judged by unread authors; on the paper's suite they must not sink unnoticed."""
    suite = read_suite(PUBLISHED)
    assert len(suite) == 190
    assert evaluate(LearnedParser(load_dataset("diabetes").schema), "learned", suite).score().correct >= 170
