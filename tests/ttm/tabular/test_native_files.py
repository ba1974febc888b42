"""Model files of other libraries say here what they say there, and numbered classes are not taken the wrong way round."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from backend.errors import DatasetError, ModelError
from ttm.tabular.model.native_files import CATBOOST, LIGHTGBM, ONNX, TYPES, XGBOOST
from ttm.tabular.subject import Subject, subject_from_csv

EVERYTHING = tuple(TYPES.values())


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    random = np.random.default_rng(0)
    return pd.DataFrame({name: random.normal(size=300) for name in "abc"})


def truth(frame: pd.DataFrame, kind: str) -> np.ndarray:
    score = (frame["a"] + frame["b"] / 2).to_numpy()
    if kind == "three":
        return np.digitize(score, [-0.5, 0.5])
    return (score > 0).astype(int) if kind == "two" else score.round(2)


def loaded(frame: pd.DataFrame, target: Any, path: Path, **more: Any) -> Subject:
    csv = path.with_suffix(".csv")
    frame.assign(y=target).to_csv(csv, index=False)
    return subject_from_csv(csv, "y", path, trusted=more.pop("trusted", EVERYTHING), **more)


@pytest.mark.parametrize("kind", ["two", "three", "amount"])
@pytest.mark.parametrize("ending", [".json", ".ubj"])
def test_xgboost(frame: pd.DataFrame, tmp_path: Path, kind: str, ending: str) -> None:
    from xgboost import XGBClassifier, XGBRegressor

    model = (XGBRegressor if kind == "amount" else XGBClassifier)(n_estimators=8, n_jobs=1).fit(frame, truth(frame, kind))
    model.save_model(tmp_path / f"model{ending}")
    subject = loaded(frame, truth(frame, kind), tmp_path / f"model{ending}")
    said = subject.predictions if kind == "amount" else subject.probabilities
    assert said == pytest.approx(model.predict(frame) if kind == "amount" else model.predict_proba(frame), abs=1e-6)


@pytest.mark.parametrize("kind", ["two", "three", "amount"])
def test_lightgbm(frame: pd.DataFrame, tmp_path: Path, kind: str) -> None:
    from lightgbm import LGBMClassifier, LGBMRegressor

    made = LGBMRegressor if kind == "amount" else LGBMClassifier
    model = made(n_estimators=8, n_jobs=1, verbose=-1).fit(frame, truth(frame, kind))
    model.booster_.save_model(tmp_path / "model.txt")
    subject = loaded(frame, truth(frame, kind), tmp_path / "model.txt")
    said = subject.predictions if kind == "amount" else subject.probabilities
    assert said == pytest.approx(model.predict(frame) if kind == "amount" else model.predict_proba(frame))


@pytest.mark.parametrize("kind", ["two", "three", "amount"])
def test_catboost(frame: pd.DataFrame, tmp_path: Path, kind: str) -> None:
    catboost = pytest.importorskip("catboost")
    made = catboost.CatBoostRegressor if kind == "amount" else catboost.CatBoostClassifier
    model = made(iterations=8, thread_count=1, verbose=0, allow_writing_files=False).fit(frame, truth(frame, kind))
    model.save_model(str(tmp_path / "model.cbm"))
    subject = loaded(frame, truth(frame, kind), tmp_path / "model.cbm")
    said = subject.predictions if kind == "amount" else subject.probabilities
    assert said == pytest.approx(model.predict(frame) if kind == "amount" else model.predict_proba(frame))


@pytest.mark.parametrize("kind", ["two", "three", "amount"])
def test_onnx(frame: pd.DataFrame, tmp_path: Path, kind: str) -> None:
    pytest.importorskip("onnxruntime")
    converter = pytest.importorskip("skl2onnx")
    from sklearn.linear_model import LinearRegression, LogisticRegression

    rows = frame.to_numpy(np.float32)
    model = (LinearRegression() if kind == "amount" else LogisticRegression()).fit(rows, truth(frame, kind))
    (tmp_path / "model.onnx").write_bytes(converter.to_onnx(model, rows[:1]).SerializeToString())
    subject = loaded(frame, truth(frame, kind), tmp_path / "model.onnx")
    said = subject.predictions if kind == "amount" else subject.probabilities
    assert said == pytest.approx(model.predict(rows) if kind == "amount" else model.predict_proba(rows), abs=1e-5)


@pytest.mark.parametrize(("ending", "needed"), [(".json", XGBOOST), (".txt", LIGHTGBM), (".cbm", CATBOOST), (".onnx", ONNX)])
def test_each_format_is_allowed_by_name(frame: pd.DataFrame, tmp_path: Path, ending: str, needed: str) -> None:
    (tmp_path / f"model{ending}").write_text("{}")
    with pytest.raises(ModelError, match=rf"--trusted-types {needed}"):
        loaded(frame, truth(frame, "two"), tmp_path / f"model{ending}", trusted=())
    with pytest.raises(ModelError, match=r"does not load|not installed"):
        loaded(frame, truth(frame, "two"), tmp_path / f"model{ending}")


def numbered(frame: pd.DataFrame, tmp_path: Path, first: str) -> Path:
    """A model of 0 and 1, where 0 stands for `first`."""
    from xgboost import XGBClassifier

    names = np.where(truth(frame, "two") == 1, "well", "ill")
    XGBClassifier(n_estimators=8, n_jobs=1).fit(frame, (names != first).astype(int)).save_model(tmp_path / "model.json")
    return tmp_path / "model.json"


def test_numbers_in_the_order_of_sorted_names_are_taken_and_told(frame: pd.DataFrame, tmp_path: Path) -> None:
    names = np.where(truth(frame, "two") == 1, "well", "ill")
    subject = loaded(frame, names, numbered(frame, tmp_path, "ill"))
    assert (subject.predictions == subject.dataset.labels).mean() > 0.9
    assert "0, 1 were taken as ill, well" in subject.model.description


def test_numbers_in_another_order_are_asked_for_with_both_accuracies(frame: pd.DataFrame, tmp_path: Path) -> None:
    names, path = np.where(truth(frame, "two") == 1, "well", "ill"), numbered(frame, tmp_path, "well")
    with pytest.raises(ModelError, match=r"right for \d% .* for 9\d%.* model_classes = \['well', 'ill'\]"):
        loaded(frame, names, path)
    config = tmp_path / "dataset.toml"
    config.write_text('data = "model.csv"\ntarget = "y"\nmodel_classes = ["well", "ill"]\n')
    subject = loaded(frame, names, path, config=config)
    assert (subject.predictions == subject.dataset.labels).mean() > 0.9
    config.write_text('data = "model.csv"\ntarget = "y"\nmodel_classes = ["well", "dead"]\n')
    with pytest.raises(DatasetError, match="model_classes"):
        loaded(frame, names, path, config=config)
