"""Two models side by side: their scores as scikit-learn gives them, their differences counted, and models planted to differ."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, mean_absolute_error, roc_auc_score

from backend.errors import ModelError
from backend.program.settings import Settings
from tests.ttm.conftest import Asker, awkward_engine, awkward_subject
from ttm.chat.catalogue import SubjectCatalogue
from ttm.chat.session import ChatSession
from ttm.explain.explainer import Explainer
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.models.run import ModelsSideBySide, RowUnderModels
from ttm.operations.render import render
from ttm.operations.results import Refused
from ttm.tabular.data.csv_table import CsvTable
from ttm.tabular.data.dataset import build_dataset
from ttm.tabular.data.dataset_config import DatasetConfig
from ttm.tabular.model.model import Model
from ttm.tabular.model.train import train_model
from ttm.tabular.subject import Subject


class _OnlyCause:
    """A model brought from elsewhere that reads one column alone, and draws its line at `line`."""

    classes_ = ("no", "yes")

    def __init__(self, line: float) -> None:
        self.line = line

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        positive = np.where(frame["cause"] > self.line, 0.9, 0.1)
        return np.column_stack([1 - positive, positive])


@pytest.fixture(scope="module")
def planted() -> Subject:
    """The outcome is whether `cause` is above 50, which the trained model finds; the other draws the line at 70."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"cause": random.uniform(0, 100, 300).round(), "noise": random.uniform(0, 100, 300).round()})
    frame["sick"] = np.where(frame["cause"] > 50, "yes", "no")
    config = DatasetConfig(data="rows.csv", target="sick", title="Planted", entity="people", objective="being sick")
    dataset = build_dataset("planted", config, CsvTable(frame, ()), None)
    other = Model(_OnlyCause(70), dataset.schema, name="line at 70", description="", fingerprint="70")
    return Subject(dataset, train_model(dataset), other)


def _asker(subject: Subject) -> Asker:
    return Asker(ExecutionEngine(subject, Explainer(subject)))


@pytest.mark.parametrize(("kind", "other"), [("binary", "forest"), ("several", "tree"), ("regression", "linear")])
@pytest.mark.slow
def test_scores_and_differences_are_those_of_scikit_learn(kind: str, other: str) -> None:
    subject, ask = awkward_subject(kind), Asker(awkward_engine(kind))
    result = ask(f"models {other}")
    assert isinstance(result, ModelsSideBySide)
    assert result.scores is not None
    frame, labels = subject.dataset.frame, np.asarray(subject.dataset.labels)
    models = subject.model, subject.other_model(other)
    own, others = (model.predict(frame) for model in models)
    known = ~np.isnan(labels) if kind == "regression" else labels >= 0
    metric, score = ("mae", mean_absolute_error) if kind == "regression" else ("accuracy", accuracy_score)
    for predicted, estimates in ((own, result.scores.own), (others, result.scores.other)):
        assert estimates[metric].value == pytest.approx(score(labels[known], predicted[known]))
        assert estimates[metric].low < estimates[metric].value < estimates[metric].high
    if kind == "regression":
        assert result.gap == pytest.approx(np.abs(own - others).mean())
        return
    assert result.differing == (own != others).sum()
    assert sum(sum(row.values()) for row in result.predicted.values()) == len(frame)
    right = own[known] == labels[known], others[known] == labels[known]
    assert result.scores.own_better == (right[0] & ~right[1]).sum()
    assert result.scores.gain == pytest.approx(right[0].mean() - right[1].mean())
    if kind == "binary":
        auc = roc_auc_score(labels[known], models[1].predict_proba(frame)[known, 1])
        assert result.scores.other["roc_auc"].value == pytest.approx(auc)


def test_where_planted_models_differ_is_found_and_shown(planted: Subject) -> None:
    ask = _asker(planted)
    result = ask("models brought")
    cause = planted.dataset.frame["cause"]
    between = (cause > 50) & (cause <= 70)
    assert abs(result.differing - between.sum()) <= 3
    assert set(cause[[row.id for row in result.examples]]) <= set(range(48, 73))
    (rule,) = result.rules
    assert [criterion.feature for criterion in rule.criteria] == ["cause"]
    assert rule.error > 0.9
    answer = render(result, planted.schema)
    assert "They differ most often" in answer.text
    assert "was trained on these very rows" in answer.text
    closer = next(parse for parse in answer.next_parses if "filter cause" in parse)
    assert ask(closer).differing == pytest.approx(rule.rows, abs=3)


def test_both_rest_on_the_cause_and_not_on_noise(planted: Subject) -> None:
    importance = {one.feature: one for one in _asker(planted)("models brought").importance}
    assert list(importance) == ["cause", "noise"]
    assert min(importance["cause"].own, importance["cause"].other) > 0.3
    assert importance["noise"].other == 0


@pytest.mark.slow
def test_models_trained_here_are_judged_on_rows_new_to_them(planted: Subject) -> None:
    """A forest knows its own rows by heart: on noise alone it would look right for nearly all of them."""
    noise = planted.dataset.frame.assign(sick=np.random.default_rng(1).choice(["no", "yes"], 300))
    config = DatasetConfig(data="rows.csv", target="sick", title="Noise", entity="people", objective="being sick")
    subject = (dataset := build_dataset("noise", config, CsvTable(noise, ()), None)) and Subject(dataset, train_model(dataset))
    result = _asker(subject)("models forest")
    assert result.scores.folds == 5
    assert result.scores.other["accuracy"].value < 0.65
    seen = (subject.other_model("forest").predict(subject.dataset.frame) == subject.dataset.labels).mean()
    assert seen > 0.8


@pytest.mark.slow
def test_one_row_has_both_predictions(planted: Subject) -> None:
    row = planted.dataset.frame.index[((planted.dataset.frame["cause"] > 55) & (planted.dataset.frame["cause"] < 65)).argmax()]
    result = _asker(planted)(f"filter id {row} and models brought")
    assert isinstance(result, RowUnderModels)
    assert (result.row.own, result.row.other, result.row.truth) == ("yes", "no", "yes")
    assert result.classes["yes"][1] == pytest.approx(0.1)
    text = render(result, planted.schema).text
    assert "this model predicts" in text
    assert "true outcome" in text


def test_both_models_are_those_of_the_last_comparison() -> None:
    conversation = Asker(awkward_engine("binary"))
    assert isinstance(conversation("models brought"), Refused)
    first = conversation("models tree")
    conversation("statistic age")
    again = conversation("models brought")
    assert isinstance(again, ModelsSideBySide)
    assert (again.other, again.scores) == ("tree", first.scores)


def test_rows_without_an_outcome_have_differences_and_no_scores() -> None:
    result = Asker(awkward_engine("unlabelled"))("models tree")
    assert result.scores is None
    assert result.importance == ()
    assert "cannot be said" in render(result, awkward_subject("unlabelled").schema).text


@pytest.mark.slow
def test_a_file_of_ones_own_is_beside_the_model_for_one_person_alone(tmp_path: Path) -> None:
    import skops.io
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    subjects = SubjectCatalogue(Settings(data_dir=tmp_path))
    session, stranger = ChatSession(subjects), ChatSession(subjects)
    assert isinstance(session.ask_parse("models brought").results[0], Refused)
    dataset = session.loaded.subject.dataset
    file = tmp_path / "mine.skops"
    mine = make_pipeline(SimpleImputer(), LogisticRegression(max_iter=5000)).fit(dataset.train_frame, dataset.train_labels)
    skops.io.dump(mine, file)
    session.compare_with(file)
    result = session.ask_parse("models brought").results[0]
    assert isinstance(result, ModelsSideBySide)
    assert len(session.turns) == 2
    assert isinstance(stranger.ask_parse("models brought").results[0], Refused)
    (tmp_path / "none.skops").write_bytes(b"no model")
    with pytest.raises(ModelError):
        session.compare_with(tmp_path / "none.skops")
