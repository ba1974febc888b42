"""`python -m inspired predict` with a model that `train` has saved: whole, stopped and gone on with, and what it refuses."""

import json
from pathlib import Path

import pytest

from backend.errors import InspiredError
from backend.models.sequence_models.own import LstmSizes, new_own_model
from backend.models.sequence_models.torch_model import TorchModel
from inspired.__main__ import main
from inspired.dialogue.session import _writer
from inspired.lab.training.examples import read_examples
from inspired.lab.training.run import _write_about
from inspired.lab.training.trained_folder import first_model
from inspired.parsers.trained_task import load_trained
from tests.inspired.dialogue_files import made_records, write_lines


@pytest.fixture(scope="module")
def data(queries, tmp_path_factory):
    return write_lines(tmp_path_factory.mktemp("data") / "dialogues.jsonl", made_records(queries, 6))


def saved(task, data, folder, context=None):
    """A folder as `train` leaves it, of a model that has learnt nothing yet."""
    examples = list(read_examples(task, data, context=context))
    new_own_model("lstm", [each.pair for each in examples], 0, LstmSizes(width=8)).save(folder)
    usual = {"parser": "", "correction": "h_q+h_lf", "subquestion": "q_c+h_qt"}[task]
    _write_about(task, usual if context is None else context, "lstm", examples, (), None, folder / "task.json")
    return folder


def predict(model, data, out, *more):
    return main(["predict", "--model", str(model), "--data", str(data), "--out", str(out), "--beams", "1", *more])


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize(("task", "field"), [("parser", "sparql"), ("correction", "sub_lfs"), ("subquestion", "sub_questions")])
def test_each_record_gets_a_line_with_what_it_was_made_by(task, field, data, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(TorchModel, "generate", lambda self, sources, *_: [() for _ in sources])
    assert predict(saved(task, data, tmp_path / "m"), data, tmp_path / "p.jsonl") == 0
    assert "predictions for 6 records; " + task in capsys.readouterr().out
    records, lines = lines_of(data), lines_of(tmp_path / "p.jsonl")
    assert [each.get("id") or each["ID"] for each in lines] == [each["id"] for each in records]
    assert {each["model"] for each in lines} == {"lstm"}
    if task != "parser":
        assert [len(each[field]) for each in lines] == [len(each["gold_sub_lfs"]) for each in records]


def test_a_stopped_run_goes_on_and_what_is_written_is_not_done_again(data, tmp_path, capsys, monkeypatch):
    model, asked = saved("subquestion", data, tmp_path / "m", "p"), []
    usual = TorchModel.generate

    def stopping(self, sources, *more):
        asked.append(len(sources))
        if len(asked) == 3:
            raise KeyboardInterrupt
        return [() for _ in sources]

    monkeypatch.setattr(TorchModel, "generate", stopping)
    with pytest.raises(KeyboardInterrupt):
        predict(model, data, tmp_path / "p.jsonl", "--batch-size", "2")
    assert len(lines_of(tmp_path / "p.jsonl")) == 4
    with pytest.raises(InspiredError, match="give --resume"):
        predict(model, data, tmp_path / "p.jsonl")
    assert predict(model, data, tmp_path / "p.jsonl", "--batch-size", "2", "--resume") == 0
    assert "6 records (4 were there already)" in capsys.readouterr().out
    assert len(asked) == 4
    monkeypatch.setattr(TorchModel, "generate", usual)
    with pytest.raises(InspiredError, match="line 1 is of a run with another context"):
        predict(model, data, tmp_path / "p.jsonl", "--resume", "--context", "none")
    assert {each["context"] for each in lines_of(tmp_path / "p.jsonl")} == {"p"}


def test_a_model_of_an_ablation_predicts_but_is_not_used_where_people_ask(data, tmp_path, monkeypatch):
    monkeypatch.setattr(TorchModel, "generate", lambda self, sources, *_: [() for _ in sources])
    model = saved("correction", data, tmp_path / "m", "none")
    films = str(Path(__file__).parents[1] / "parsers" / "films.ttl")
    assert predict(model, data, tmp_path / "p.jsonl", "--entities", "linked", "--kb", films, "--limit", "2") == 0
    assert [(each["context"], each["entities"]) for each in lines_of(tmp_path / "p.jsonl")] == [
        ("none", "linked by films.ttl")
    ] * 2
    with pytest.raises(InspiredError, match="a model for correction with the context none; one for correction is needed"):
        load_trained(model, "correction")


def test_sub_questions_are_not_worded_by_a_model_of_an_ablation(data, tmp_path):
    with pytest.raises(InspiredError, match="a model for subquestion with the context p; one for subquestion is needed"):
        _writer(str(saved("subquestion", data, tmp_path / "p", "p")))
    assert _writer(str(saved("subquestion", data, tmp_path / "whole"))).model.name == "lstm"


def test_a_model_that_is_trained_further_keeps_its_first_name(data, tmp_path):
    assert first_model(str(saved("parser", data, tmp_path / "m"))) == "lstm"
    assert first_model("facebook/bart-large") == "facebook/bart-large"


def test_what_is_wrong_is_told_in_one_sentence(data, tmp_path):
    model = saved("subquestion", data, tmp_path / "m")
    for words, more in {
        "a sub-question is made from a logical form": ["--entities", "linked"],
        "--kb is where names are looked for": ["--kb", "x.ttl"],
        "--beams 0 is too small": ["--beams", "0"],
        "--context h_q is none of subquestion": ["--context", "h_q"],
        "Cannot read": ["--names", "missing.jsonl"],
    }.items():
        with pytest.raises(InspiredError, match=words):
            predict(model, data, tmp_path / "p.jsonl", *more)
    with pytest.raises(InspiredError, match="holds no model that `python -m inspired train` has saved"):
        predict(tmp_path, data, tmp_path / "p.jsonl")
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"id": "a", "question": "?"}\n')
    with pytest.raises(InspiredError, match="leaves no example to predict for"):
        predict(model, bad, tmp_path / "p.jsonl")
    assert not (tmp_path / "p.jsonl").exists()
