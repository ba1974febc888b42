"""`python -m ttm finetune` from pairs to a folder that answers, stopped and gone on with, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from backend.errors import DatasetError, LanguageModelError, SettingsError
from backend.models.sequence_models.own import LstmSizes, TransformerSizes
from backend.program.settings import Settings
from ttm.__main__ import main
from ttm.chat.catalogue import SubjectCatalogue
from ttm.lab.finetune import generated_pairs, held_out, pair, read_pairs
from ttm.lab.parsing_dataset import Portions, write_dataset
from ttm.parsers import LearnedParser
from ttm.parsers.opening import open_parser
from ttm.parsers.sequence import SequenceParser
from ttm.parsers.templates.generate import TrainingPair
from ttm.tabular.data.dataset import load_dataset

pytestmark = pytest.mark.slow

QUICK = ["--epochs", "2", "--batch-size", "16"]
ROWS = [
    {"utterance": f"{ask} people over {age}", "parse": f"filter age greater than {age} and {operation} [e]", "template": ask}
    for ask, operation in (("how many", "countdata"), ("show", "show"), ("predict for", "predict"))
    for age in range(20, 40)
]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LstmSizes, "__init__", _sized(LstmSizes.__init__, width=16))
    monkeypatch.setattr(TransformerSizes, "__init__", _sized(TransformerSizes.__init__, width=16, heads=2, layers=1, inner=16))


def _sized(usual: Any, **sizes: int) -> Any:
    return lambda self, **given: usual(self, **{**sizes, **given})


def data_set(folder: Path, first: str = "age") -> Path:
    folder.mkdir()
    rows = "\n".join(f"{20 + n},{n % 2},{n % 3 % 2}" for n in range(40))
    (folder / "data.csv").write_text(f"{first},man,y\n{rows}\n", "utf-8")
    (folder / "dataset.toml").write_text('data = "data.csv"\ntarget = "y"\nclasses = ["safe", "risky"]\n', "utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return data_set(tmp_path / "people")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    made = tmp_path / "pairs" / "data"
    made.mkdir(parents=True)
    pd.DataFrame(ROWS[::10]).to_parquet(made / "validation-00000-of-00001.parquet")
    pd.DataFrame([row for place, row in enumerate(ROWS) if place % 10]).to_parquet(made / "train-00000-of-00001.parquet")
    return made.parent


def arguments(folder: Path, data: Path, out: Path, model: str = "small") -> list[str]:
    return ["finetune", "--dataset", str(folder), "--data", str(data), "--model", model, "--out", str(out), *QUICK]


@pytest.mark.parametrize("model", ["small", "lstm"])
def test_what_was_trained_answers(
    model: str, folder: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    main([*arguments(folder, data, out, model), "--prefix", "parse: "])
    assert "learnt from 54 pairs in 2 epochs" in capsys.readouterr().out
    about = json.loads((out / "parser.json").read_text())
    assert (about["features"], about["prefix"], len(about["epochs"])) == (["age", "man"], "parse: ", 2)
    assert not (out / "checkpoint").exists()
    for name in (str(out), f"seq2seq:{out}"):
        parser = open_parser(name, load_dataset(folder))
        assert isinstance(parser, SequenceParser)
        assert (parser.model.name, parser.prefix) == ("transformer" if model == "small" else model, "parse: ")
        assert parser.understand("how many people over 31?").in_scope
    with pytest.raises(SettingsError, match="holds a trained model already"):
        main(arguments(folder, data, out, model))


def test_gold_pairs_are_learnt_from_as_well(
    folder: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold.txt"
    gold.write_text("who is over thirty?\nfilter age greater than 30 and show [E]\n\n", encoding="utf-8")
    main([*arguments(folder, data, tmp_path / "out"), "--gold", str(gold)])
    assert "learnt from 59 pairs" in capsys.readouterr().out  # 54, and the pair five times
    gold.write_text("who is tall?\nfilter size greater than 30 and show [E]\n\n", encoding="utf-8")
    with pytest.raises(DatasetError, match=r"gold\.txt: “who is tall\?” has a parse that"):
        main([*arguments(folder, data, tmp_path / "other"), "--gold", str(gold)])


def test_a_chat_may_use_it(folder: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    main(arguments(folder, data, out))
    capsys.readouterr()
    options = ["--dataset", str(folder), "--data-dir", str(tmp_path / "kept"), "--parser", str(out), "--json"]
    main(["answer", *options, "how many?"])
    assert json.loads(capsys.readouterr().out)["utterance"] == "how many?"


def test_other_data_sets_are_understood_by_the_default_parser(folder: Path, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    main(arguments(folder, data, out))
    subjects = SubjectCatalogue(Settings(dataset=str(folder), parser=str(out), data_dir=tmp_path / "kept"))
    assert isinstance(subjects.load().parser, SequenceParser)
    assert isinstance(subjects.load("diabetes").parser, LearnedParser)


def test_a_stopped_run_goes_on_and_ends_the_same(
    folder: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main(arguments(folder, data, tmp_path / "whole"))
    from backend.models.training_bars import Bars

    usual = Bars.epoch

    def stop(self: Bars, number: int, share: float, result: Any) -> None:
        if number == 2:
            raise KeyboardInterrupt
        usual(self, number, share, result)

    monkeypatch.setattr(Bars, "epoch", stop)
    with pytest.raises(KeyboardInterrupt):
        main(arguments(folder, data, tmp_path / "cut"))
    monkeypatch.setattr(Bars, "epoch", usual)
    with pytest.raises(SettingsError, match="give --resume"):
        main(arguments(folder, data, tmp_path / "cut"))
    main([*arguments(folder, data, tmp_path / "cut"), "--resume"])
    weights = [(tmp_path / name / "weights.safetensors").read_bytes() for name in ("whole", "cut")]
    assert weights[0] == weights[1]


def test_a_tenth_is_held_out_and_nothing_is_in_both() -> None:
    pairs = [pair(f"number {number}", "countdata") for number in range(200)]
    split = held_out(pairs, seed=3)
    assert (len(split.learnt), len(split.validation)) == (180, 20)
    assert set(split.learnt) | set(split.validation) == set(pairs)
    assert split == held_out(pairs, seed=3) != held_out(pairs, seed=4)


def test_pairs_of_the_templates_end_as_parses_do(folder: Path) -> None:
    pairs = generated_pairs(load_dataset(folder))
    assert len(pairs.learnt) > 1000
    assert all(each.target.endswith(" [e]") for each in (*pairs.learnt, *pairs.validation))
    assert pair("How  many?", "Countdata [E]", "q: ").source == "q: How many?"
    assert pair("How many?", "Countdata [E]").target == "countdata [e]"


def test_what_generate_wrote_is_read(tmp_path: Path) -> None:
    examples = [TrainingPair(row["utterance"], row["parse"], row["template"]) for row in ROWS]
    write_dataset(Portions(examples[6:], examples[:6]), tmp_path / "made", {})
    pairs = read_pairs(tmp_path / "made", "q: ")
    assert [each.source for each in pairs.validation] == [f"q: {each.utterance}" for each in examples[:6]]
    assert [each.target for each in pairs.learnt] == [each.parse for each in examples[6:]]


def test_a_folder_without_validation_is_split(data: Path) -> None:
    (data / "data" / "validation-00000-of-00001.parquet").unlink()
    assert [len(part) for part in vars(read_pairs(data)).values()] == [49, 5]


def test_a_model_for_other_columns_is_refused(folder: Path, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    main(arguments(folder, data, out))
    other = data_set(tmp_path / "others", "height")
    with pytest.raises(LanguageModelError, match=r"features age, man; this one has height, man"):
        open_parser(str(out), load_dataset(other))


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        (["--epochs", "0"], SettingsError, "--epochs 0 is too small"),
        (["--learning-rate", "3"], SettingsError, "must lie between 0 and 1"),
        (["--patience", "-1"], SettingsError, "0 switches it off"),
        (["--data", "nowhere"], DatasetError, "python -m ttm generate"),
        (["--dataset", "nowhere"], DatasetError, "nowhere"),
        (["--model", "no/such-model"], LanguageModelError, "no/such-model"),
    ],
)
def test_wrong_options_are_told_in_one_sentence(
    changed: list[str], error: type[Exception], words: str, folder: Path, data: Path, tmp_path: Path
) -> None:
    with pytest.raises(error, match=words):
        main([*arguments(folder, data, tmp_path / "o"), *changed])
    assert not (tmp_path / "o").exists()


def test_files_that_hold_no_pairs_are_named(folder: Path, data: Path, tmp_path: Path) -> None:
    pd.DataFrame({"question": ["x"]}).to_parquet(data / "data" / "train-00001-of-00001.parquet")
    with pytest.raises(DatasetError, match=r"train-00001-of-00001\.parquet"):
        main(arguments(folder, data, tmp_path / "o"))
    with pytest.raises(SettingsError, match="is not empty"):
        main(arguments(folder, data, folder))
