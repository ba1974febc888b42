"""Models from several libraries answer in class numbers; those made here are trained soundly."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from backend.errors import DatasetError, ModelError
from ttm.tabular.data.dataset import Dataset, dataset_from_csv
from ttm.tabular.model.model import Model
from ttm.tabular.model.train import train_model
from ttm.tabular.subject import Subject, subject_from_csv

pytestmark = pytest.mark.slow


def table(rows: int = 300, seed: int = 0) -> pd.DataFrame:
    """Numbers, texts, yes/no, dates and gaps; `y` follows from them with some noise."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": random.normal(size=rows).round(3),
            "colour": random.choice(["red", "green", "blue"], rows),
            "member": random.choice(["yes", "no"], rows),
            "day": pd.date_range("2024-01-01", periods=rows).strftime("%Y-%m-%d"),
        }
    )
    noise = random.normal(scale=0.3, size=rows)
    score = frame["size"] + (frame["colour"] == "red") + (frame["member"] == "yes") + noise
    frame.loc[random.random(rows) < 0.1, "size"] = np.nan
    return frame.assign(
        score=score,
        y=np.where(score > 1, "good", "bad"),
        level=pd.cut(score, [-9, 0, 1, 9], labels=["low", "mid", "high"]).astype(str),
    )


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    table().drop(columns=["score", "level"]).to_csv(path, index=False)
    return path


def wrapped(estimator: Any, dataset: Dataset) -> Model:
    return Model(estimator, dataset.schema, name="m", description="a model", fingerprint="f")


def test_a_model_is_trained_where_none_is_given(csv: Path) -> None:
    told: list[float] = []
    subject = subject_from_csv(csv, "y", progress=lambda share, words: told.append(share))
    scores = subject.model.scores
    assert scores is not None
    assert scores.means["accuracy"] > 0.8 > scores.baseline
    assert scores.means["calibration_error"] < 0.1
    assert subject.probabilities.shape == (300, 2)
    assert np.allclose(subject.probabilities.sum(axis=1), 1)
    assert told == sorted(told)
    assert "300" in subject.model.description


def test_training_twice_gives_the_same_model(csv: Path) -> None:
    first, second = (subject_from_csv(csv, "y", seed=3) for _ in range(2))
    assert np.array_equal(first.probabilities, second.probabilities)
    assert first.fingerprint == second.fingerprint


def test_several_classes(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    table().drop(columns=["score", "y"]).to_csv(path, index=False)
    subject = subject_from_csv(path, "level")
    assert subject.schema.target.classes == ("high", "low", "mid")
    assert np.array_equal(subject.predictions, subject.probabilities.argmax(axis=1))
    assert subject.model.scores is not None
    assert subject.model.scores.means["accuracy"] > subject.model.scores.baseline + 0.1


def test_a_quantity(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    table().drop(columns=["level", "y"]).to_csv(path, index=False)
    subject = subject_from_csv(path, "score")
    assert subject.predictions.dtype == np.float64
    assert subject.model.scores is not None
    assert subject.model.scores.means["mean_absolute_error"] < subject.model.scores.baseline / 1.5
    with pytest.raises(ModelError, match="no class probabilities"):
        _ = subject.probabilities


def test_a_class_of_one_row_does_not_stop_training(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    frame = table(60).drop(columns=["score", "level"])
    frame.loc[5, "y"] = "odd"
    frame.to_csv(path, index=False)
    assert subject_from_csv(path, "y").probabilities.shape == (60, 3)


def test_too_few_rows_to_train(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    table(6).drop(columns=["score", "level"]).assign(y=["good", "bad"] * 3).to_csv(path, index=False)
    with pytest.raises(DatasetError, match="at least 10"):
        subject_from_csv(path, "y")


def test_large_data_is_sampled_and_said_so(csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ttm.tabular.model.train.MAX_CELLS", 1)
    dataset = dataset_from_csv(csv, "y")
    many = pd.concat([dataset.train_frame] * 8, ignore_index=True)
    larger = Dataset(
        dataset.name,
        dataset.schema,
        dataset.frame,
        dataset.labels,
        many,
        np.tile(dataset.train_labels if dataset.train_labels is not None else [], 8),
        "f",
    )
    assert "sample of 1,0" in train_model(larger).description


def linear(dataset: Dataset) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    columns = ColumnTransformer([("number", SimpleImputer(), ["size"]), ("text", OneHotEncoder(), ["colour", "member"])])
    values = np.array(dataset.schema.target.class_values)[dataset.train_labels]
    return make_pipeline(columns, LogisticRegression()).fit(dataset.train_frame, values)


def test_a_scikit_learn_pipeline_trained_on_class_values(csv: Path) -> None:
    dataset = dataset_from_csv(csv, "y")
    model = wrapped(linear(dataset), dataset)
    assert (Subject(dataset, model).predictions == dataset.labels).mean() > 0.8


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_boosting_libraries_that_read_categories(csv: Path, library: str) -> None:
    from lightgbm import LGBMClassifier
    from xgboost import XGBClassifier

    dataset = dataset_from_csv(csv, "y", columns=["size", "colour", "member"])
    assert dataset.train_labels is not None
    estimator = (
        XGBClassifier(n_estimators=30, enable_categorical=True)
        if library == "xgboost"
        else LGBMClassifier(n_estimators=30, verbose=-1)
    )
    frame = dataset.train_frame.astype({"colour": "category", "member": "category"})
    estimator.fit(frame, dataset.train_labels)
    whole = wrapped(estimator, dataset).predict_proba(dataset.frame)
    assert (whole.argmax(axis=1) == dataset.labels).mean() > 0.8
    red = dataset.frame[dataset.frame["colour"] == "red"]
    expected = whole[(dataset.frame["colour"] == "red").to_numpy()]
    assert np.allclose(wrapped(estimator, dataset).predict_proba(red), expected)  # categories do not shift in a subset


class Guesser:
    """An estimator with fixed answers."""

    def __init__(self, classes: list[object], **more: object) -> None:
        self.classes_ = np.array(classes)
        self.__dict__.update(more)

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        return np.tile(np.arange(1.0, 1 + len(self.classes_)), (len(frame), 1))


def test_probabilities_stand_in_the_order_of_the_classes(csv: Path) -> None:
    dataset = dataset_from_csv(csv, "y")
    model = wrapped(Guesser(["good", "bad"]), dataset)
    assert np.allclose(model.predict_proba(dataset.frame.head(2)), [[2 / 3, 1 / 3]] * 2)


@pytest.mark.parametrize(
    ("estimator", "said"),
    [
        (Guesser(["good", "ugly"]), "classes are good, ugly, but the values of 'y' are bad, good"),
        (Guesser(["good", "bad"], feature_names_in_=["size", "weight"]), "the data lacks: weight"),
        (Guesser(["good", "bad"], n_features_in_=9), "reads 9 columns"),
        (object(), "has no predict_proba or predict"),
    ],
)
def test_a_model_that_does_not_fit_its_data(csv: Path, estimator: Any, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        wrapped(estimator, dataset_from_csv(csv, "y"))


def test_a_failing_model_is_one_clear_error(csv: Path) -> None:
    dataset = dataset_from_csv(csv, "y")
    estimator = linear(dataset)
    with pytest.raises(ModelError, match="failed on these rows"):
        wrapped(estimator, dataset).predict_proba(dataset.frame.assign(size="huge"))


def test_the_positive_class_wins_a_tie(csv: Path) -> None:
    dataset = dataset_from_csv(csv, "y")
    estimator = Guesser(["bad", "good"])
    estimator.predict_proba = lambda frame: np.full((len(frame), 2), 0.5)  # type: ignore[method-assign]
    assert wrapped(estimator, dataset).predict(dataset.frame.head(3)).tolist() == [1, 1, 1]


def test_no_rows_no_predictions(csv: Path) -> None:
    dataset = dataset_from_csv(csv, "y")
    model = train_model(dataset)
    assert model.predict_proba(dataset.frame.head(0)).shape == (0, 2)


def test_rows_are_counted_across_threads(csv: Path) -> None:
    dataset = dataset_from_csv(csv, "y")
    model = wrapped(Guesser(["bad", "good"]), dataset)
    threads = [threading.Thread(target=model.predict_proba, args=(dataset.frame,)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert model.rows_evaluated == 20 * len(dataset.frame)


def test_rows_are_taken_by_their_position_whatever_their_index_holds(csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ttm.tabular.model.model.CHUNK_ROWS", 7)
    subject = subject_from_csv(csv, "y")
    rows = subject.dataset.frame.iloc[:20]
    as_they_are = subject.model.predict_proba(rows)
    for index in (np.linspace(500.5, 9.5, 20), pd.date_range("2024-01-01", periods=20), list("abcdefghijklmnopqrst")):
        assert np.array_equal(subject.model.predict_proba(rows.set_axis(index)), as_they_are)
