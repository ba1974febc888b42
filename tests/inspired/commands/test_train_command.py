"""`python -m inspired train` from file to folder, stopped and gone on with, and what it refuses."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from backend.errors import InspiredError
from backend.models.sequence_models import own
from backend.models.sequence_models.own import LstmSizes, TransformerSizes
from inspired.__main__ import main
from inspired.lab.training.examples import read_examples
from inspired.parsers.trained_task import load_trained
from tests.inspired.dialogue_files import made_records, write_lines

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
QUICK = ["--epochs", "2", "--batch-size", "16", "--beams", "2"]


# The command as it is, but that it begins the third epoch and never goes on.
UP_TO_THE_THIRD_EPOCH = """
import sys, threading
from backend.models.training_bars import Bars
from inspired.__main__ import main
usual = Bars.epoch
def epoch(self, number, share, result):
    if number == 3:
        print("third", end="", flush=True)
        threading.Event().wait()
    usual(self, number, share, result)
Bars.epoch = epoch
main(sys.argv[1:])
"""


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(LstmSizes, "__init__", _sized(LstmSizes.__init__, width=16))
    monkeypatch.setattr(TransformerSizes, "__init__", _sized(TransformerSizes.__init__, width=16, heads=2, layers=1, inner=16))
    assert own.SIZES["lstm"]().width == 16


def _sized(usual, **sizes):
    return lambda self, **given: usual(self, **{**sizes, **given})


@pytest.fixture(scope="module")
def data(queries, tmp_path_factory):
    return write_lines(tmp_path_factory.mktemp("data") / "dialogues.jsonl", made_records(queries, 60))


@pytest.mark.parametrize(
    ("task", "model", "told"),
    [("parser", "transformer", "exact match"), ("correction", "lstm", "exact match"), ("subquestion", "lstm", "BLEU-2")],
)
def test_a_task_is_learnt_measured_and_loaded_again(task, model, told, data, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["train", task, "--data", str(data), "--model", model, "--out", str(out), *QUICK]) == 0
    said = capsys.readouterr().out
    assert "learnt from" in said.splitlines()[0]
    assert told in said.splitlines()[-1]
    about = json.loads((out / "task.json").read_text())
    assert (about["task"], about["model"], len(about["epochs"])) == (task, model, 2)
    assert not (out / "checkpoint").exists()
    trained, known = load_trained(out, task)
    assert trained.name == model
    assert bool(known.predicates) == (task != "subquestion")
    with pytest.raises(InspiredError, match=f"holds a model for {task}; one for"):
        load_trained(out, "parser" if task != "parser" else "correction")
    with pytest.raises(InspiredError, match="holds a trained model already"):
        main(["train", task, "--data", str(data), "--model", model, "--out", str(out), *QUICK])


def test_a_killed_run_goes_on_from_its_last_epoch(data, tmp_path, capsys):
    out, start = tmp_path / "out", tmp_path / "start"
    pairs = [example.pair for example in read_examples("correction", data)]
    own.new_own_model("lstm", pairs).save(start)
    arguments = ["train", "correction", "--data", str(data), "--model", str(start), "--out", str(out), "--patience", "0"]
    arguments += ["--epochs", "12", "--beams", "1"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", UP_TO_THE_THIRD_EPOCH, *arguments]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as killed:
        assert killed.stdout is not None
        assert killed.stdout.read(5) == b"third"
        killed.send_signal(signal.SIGKILL)
    state = max(out.glob("checkpoint/epoch-????/state.json"))
    before = json.loads(state.read_text())["epochs"]
    assert len(before) == 2
    with pytest.raises(InspiredError, match="give --resume"):
        main(arguments)
    assert main([*arguments, "--resume"]) == 0
    epochs = json.loads((out / "task.json").read_text())["epochs"]
    assert len(epochs) == 12
    assert epochs[: len(before)] == before


def test_resume_ends_as_the_whole_run_would_have(data, tmp_path, monkeypatch, capsys):
    def arguments(out):
        return ["train", "correction", "--data", str(data), "--model", "lstm", "--out", str(out), *QUICK]

    main(arguments(tmp_path / "whole"))
    from backend.models.training_bars import Bars

    usual = Bars.epoch

    def stop(self, number, share, result):
        if number == 2:
            raise KeyboardInterrupt
        usual(self, number, share, result)

    monkeypatch.setattr(Bars, "epoch", stop)
    with pytest.raises(KeyboardInterrupt):
        main(arguments(tmp_path / "cut"))
    monkeypatch.setattr(Bars, "epoch", usual)
    assert main([*arguments(tmp_path / "cut"), "--resume"]) == 0
    weights = [(tmp_path / name / "weights.safetensors").read_bytes() for name in ("whole", "cut")]
    assert weights[0] == weights[1]
    with pytest.raises(InspiredError, match="holds a trained model"):
        main([*arguments(tmp_path / "cut"), "--resume"])


def test_validation_may_be_a_file_or_nothing(data, tmp_path, capsys):
    arguments = ["train", "correction", "--data", str(data), "--model", "lstm", *QUICK, "--limit", "10", "--epochs", "1"]
    few = tmp_path / "few.jsonl"
    few.write_text("".join(data.read_text().splitlines(keepends=True)[-4:]))
    main([*arguments, "--out", str(tmp_path / "a"), "--validation", str(few)])
    assert "over" in capsys.readouterr().out.splitlines()[-1]
    main([*arguments, "--out", str(tmp_path / "b"), "--validation", "0"])
    assert "nothing was measured" in capsys.readouterr().out.splitlines()[-1]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (["--epochs", "0"], "--epochs 0 is too small"),
        (["--learning-rate", "3"], "must lie between 0 and 1"),
        (["--patience", "-1"], "0 switches it off"),
        (["--accumulate", "0"], "--accumulate 0 is too small"),
        (["--processes", "0"], "--processes 0 is too small"),
        (["--context", "h_q"], "a parser is given the question alone"),
        (["--validation", "1.5"], "no share"),
        (["--validation", "missing.jsonl"], "Cannot read missing.jsonl"),
        (["--data", "missing.jsonl"], "Cannot read missing.jsonl"),
        (["--limit", "1", "--validation", "0.9"], "leaves no example"),
    ],
)
def test_wrong_options_are_told_in_one_sentence(changed, words, data, tmp_path):
    with pytest.raises(InspiredError, match=words):
        main(["train", "parser", "--data", str(data), "--model", "lstm", "--out", str(tmp_path / "o"), *QUICK, *changed])
    assert not (tmp_path / "o").exists()


def test_less_context_and_records_that_cannot_be_used(data, tmp_path, capsys):
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"id": "x"}\n' + data.read_text())
    arguments = ["train", "correction", "--data", str(broken), "--model", "lstm", "--out", str(tmp_path / "o"), *QUICK]
    with pytest.raises(InspiredError, match="record x: sparql"):
        main([*arguments, "--strict"])
    assert main([*arguments, "--context", "h_q", "--epochs", "1", "--accumulate", "2", "--limit", "20"]) == 0
    assert f"{broken}, line 1, record x: sparql (or gold_parse) is empty. Left out." in capsys.readouterr().err
    about = json.loads((tmp_path / "o" / "task.json").read_text())
    assert (about["task"], about["context"]) == ("correction with the context h_q", "h_q")


def test_a_folder_with_other_things_is_left_alone(data, tmp_path):
    (tmp_path / "notes.txt").write_text("Other things.", "utf-8")
    with pytest.raises(InspiredError, match="is not empty"):
        main(["train", "parser", "--data", str(data), "--model", "lstm", "--out", str(tmp_path), *QUICK])
    with pytest.raises(InspiredError, match="is a file"):
        main(["train", "parser", "--data", str(data), "--model", "lstm", "--out", str(data), *QUICK])
    with pytest.raises(InspiredError, match="no model that"):
        load_trained(tmp_path, "parser")
