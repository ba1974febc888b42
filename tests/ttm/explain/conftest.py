"""Subjects whose right explanations are known, or can be worked out by brute force."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ttm.tabular.data.csv_table import CsvTable
from ttm.tabular.data.dataset import build_dataset
from ttm.tabular.data.dataset_config import DatasetConfig
from ttm.tabular.data.encoding import FrameEncoder
from ttm.tabular.model.model import Model
from ttm.tabular.subject import Subject

ROWS = 240
FEATURES: dict[str, dict[str, Any]] = {
    "age": {"mutable": False},
    "weight": {"range": (40, 120), "precision": 1},
    "tests": {"direction": "increase", "precision": 0},
}


def mixed_table() -> pd.DataFrame:
    """Measures with gaps, a whole number, yes/no, categories and dates; outcomes that follow from them."""
    random = np.random.default_rng(5)
    frame = pd.DataFrame({
        "age": random.integers(20, 80, ROWS), "weight": random.normal(75, 12, ROWS).round(1),
        "tests": random.integers(0, 9, ROWS), "smoker": random.choice([0, 1], ROWS),
        "region": random.choice(["north", "south", "far <east>"], ROWS),
        "since": pd.date_range("2021-01-01", periods=ROWS, freq="3D")[random.permutation(ROWS)],
    })  # fmt: skip
    score = (frame["weight"] - 75) / 12 + 1.5 * frame["smoker"] - 0.3 * (frame["tests"] - 4) + (frame["region"] == "north")
    score += random.normal(0, 0.4, ROWS)
    for column in ("weight", "region", "since"):
        frame.loc[random.random(ROWS) < 0.08, column] = None
    return frame.assign(ill=(score > 1).astype(int), cost=(score * 10 + 50).round(1),
                        stage=pd.cut(score, [-99, 0, 1.5, 99], labels=["a", "b", "c"]).astype(str))  # fmt: skip


def numeric_table(columns: int, rows: int = 150) -> pd.DataFrame:
    """Complete measures on different scales, y 0 or 1 and z a quantity."""
    random = np.random.default_rng(columns)
    frame = pd.DataFrame({f"x{n}": random.normal(n, 1 + n, rows) for n in range(columns)})
    z = frame["x0"] - 2 + (frame["x1"] - 1) * (frame["x2"] - 2) / 3
    return frame.assign(y=(z > -2).astype(int), z=z)


def subject_of(frame: pd.DataFrame, target: str, estimator: Any, outcomes: tuple[str, ...], **features: Any) -> Subject:
    table = frame.drop(columns=[name for name in outcomes if name != target])
    known = {name: settings for name, settings in features.items() if name in table}
    config = DatasetConfig.model_validate({"data": "rows.csv", "target": target, "entity": "people", "features": known})
    dataset = build_dataset("made", config, CsvTable(table, ()), None)
    estimator.fit(dataset.train_frame, dataset.train_labels)
    return Subject(dataset, Model(estimator, dataset.schema, name="m", description="", fingerprint=repr(estimator)))


def boosted(kind: str, **settings: Any) -> Any:
    from sklearn.pipeline import make_pipeline
    from xgboost import XGBClassifier, XGBRegressor

    learner = XGBRegressor if kind == "cost" else XGBClassifier
    return make_pipeline(FrameEncoder(), learner(n_estimators=30, max_depth=3, learning_rate=0.3, n_jobs=1, **settings))


@cache
def mixed(target: str) -> Subject:
    return subject_of(mixed_table(), target, boosted(target), ("ill", "cost", "stage"), **FEATURES)


@cache
def logistic(columns: int) -> Subject:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    estimator = make_pipeline(StandardScaler(), PolynomialFeatures(2), LogisticRegression())
    return subject_of(numeric_table(columns), "y", estimator, ("y", "z"))


@cache
def linear(columns: int) -> Subject:
    from sklearn.linear_model import LinearRegression

    return subject_of(numeric_table(columns), "z", LinearRegression(), ("y", "z"))


@pytest.fixture
def mixed_subject() -> Callable[[str], Subject]:
    """Boosted trees over all kinds of features with gaps; target "ill" (two classes), "stage" (three) or "cost"."""
    return mixed


@pytest.fixture
def logistic_subject() -> Callable[[int], Subject]:
    """A smooth binary model of so many complete measures."""
    return logistic


@pytest.fixture
def linear_subject() -> Callable[[int], Subject]:
    """A linear regression of so many complete measures."""
    return linear


@pytest.fixture
def one_hot_subject() -> Subject:
    """Three columns of which always one is 1, and a measure, in a logistic model."""
    from sklearn.linear_model import LogisticRegression

    random = np.random.default_rng(2)
    colour = random.integers(0, 3, 200)
    frame = pd.DataFrame({name: (colour == n).astype(int) for n, name in enumerate(("red", "green", "blue"))})
    frame["size"] = random.normal(0, 1, 200).round(2)
    frame["y"] = (frame["size"] + 2 * frame["red"] - frame["blue"] + random.normal(0, 0.3, 200) > 0.3).astype(int)
    return subject_of(frame, "y", LogisticRegression(), ("y",))
