"""Model files are read without running what is in them, unless somebody says that they trust the file."""

import pickle
import zipfile
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io

from backend.errors import ModelError
from ttm.tabular.data.dataset import dataset_from_csv
from ttm.tabular.model.model_file import load_model, read_estimator, save_model
from ttm.tabular.model.train import train_model
from ttm.tabular.subject import load_subject, subject_from_csv

BOOSTER = "xgboost.core.Booster"


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"a": random.normal(size=80), "b": random.normal(size=80), "unused": random.normal(size=80)})
    path = tmp_path / "rows.csv"
    frame.assign(y=(frame["a"] > 0).astype(int)).to_csv(path, index=False)
    return path


def fitted(csv: Path, estimator: Any) -> Any:
    frame = pd.read_csv(csv)
    return estimator.fit(frame[["a", "b"]], frame["y"])


def logistic() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression())


def forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(5, random_state=0)


def test_a_plain_pipeline_loads_and_settles_the_features(csv: Path, tmp_path: Path) -> None:
    skops.io.dump(fitted(csv, logistic()), tmp_path / "model.skops")
    subject = subject_from_csv(csv, "y", tmp_path / "model.skops")
    assert list(subject.dataset.frame.columns) == ["a", "b"]
    assert (subject.predictions == subject.dataset.labels).mean() > 0.9
    assert subject.model.scores is None
    assert "LogisticRegression" in subject.model.description


def test_trees_are_refused_until_allowed_by_name(csv: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.skops"
    skops.io.dump(fitted(csv, forest()), path)
    with pytest.raises(ModelError, match=r"--trusted-types sklearn\.tree\._tree\.Tree"):
        subject_from_csv(csv, "y", path)
    assert subject_from_csv(csv, "y", path, trusted=["sklearn.tree._tree.Tree"]).predictions.shape == (80,)


def test_a_saved_model_keeps_its_words_and_scores(csv: Path, tmp_path: Path) -> None:
    dataset = dataset_from_csv(csv, "y")
    trained = train_model(dataset)
    save_model(trained, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops", dataset.schema, trusted=[BOOSTER])
    assert np.array_equal(loaded.predict_proba(dataset.frame), trained.predict_proba(dataset.frame))
    assert (loaded.description, loaded.scores) == (trained.description, trained.scores)


def test_words_about_another_file_are_not_believed(csv: Path, tmp_path: Path) -> None:
    dataset = dataset_from_csv(csv, "y")
    save_model(train_model(dataset), tmp_path / "model.skops")
    skops.io.dump(fitted(csv, logistic()), tmp_path / "model.skops")
    assert load_model(tmp_path / "model.skops", dataset.schema).scores is None


class Mine:
    """A type that nobody trusts."""


def test_unknown_types_are_refused_by_name(csv: Path, tmp_path: Path) -> None:
    estimator = fitted(csv, logistic())
    estimator.extra = Mine()
    skops.io.dump(estimator, tmp_path / "model.skops")
    with pytest.raises(ModelError, match=r"Mine.*--trusted-types"):
        subject_from_csv(csv, "y", tmp_path / "model.skops")


@pytest.mark.parametrize("ending", [".pkl", ".joblib"])
def test_pickles_need_a_flag(csv: Path, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"model{ending}"
    joblib.dump(fitted(csv, forest()), path)
    with pytest.raises(ModelError, match="--allow-pickle"):
        subject_from_csv(csv, "y", path)
    assert subject_from_csv(csv, "y", path, allow_pickle=True).predictions.shape == (80,)


def test_a_pickle_by_another_name_is_not_run(csv: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.skops"
    path.write_bytes(pickle.dumps(fitted(csv, forest())))
    with pytest.raises(ModelError, match="not a skops model file"):
        subject_from_csv(csv, "y", path, allow_pickle=True)


def test_only_the_shipped_demos_may_hold_a_booster(tmp_path: Path) -> None:
    from ttm.tabular.data.dataset import DEMOS

    for file in DEMOS["diabetes"].iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    with pytest.raises(ModelError, match=BOOSTER):
        load_subject(tmp_path)
    assert load_subject(tmp_path, trusted=[BOOSTER]).model.scores is not None


def test_a_missing_file(csv: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="There is no model file"):
        subject_from_csv(csv, "y", tmp_path / "nowhere.skops")
    with pytest.raises(ModelError, match="is a folder; name the file of the model"):
        subject_from_csv(csv, "y", tmp_path)


@pytest.mark.slow
def test_a_small_file_that_would_fill_the_memory_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "model.skops"
    skops.io.dump({"weights": np.zeros(19_000_000)}, path, compression=zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 200_000
    with pytest.raises(ModelError, match=r"model\.skops is refused: .* more than 100 times"):
        read_estimator(path)
    with pytest.raises(ModelError, match=r"model\.skops has more than 100 MB when it is unpacked"):
        read_estimator(path, megabytes=100)
