"""Small data sets with everything that real ones have: gaps, dates, odd names, several classes, quantities, no labels."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ttm.explain.explainer import Explainer
from ttm.language.grammar import grammar_of
from ttm.language.parse import Parse
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.results import Result
from ttm.operations.rows.context import Memory
from ttm.tabular.data.csv_table import CsvTable
from ttm.tabular.data.dataset import Dataset, build_dataset
from ttm.tabular.data.dataset_config import DatasetConfig
from ttm.tabular.data.encoding import FrameEncoder
from ttm.tabular.model.model import Model
from ttm.tabular.subject import Subject

ROWS = 80
KINDS = ("binary", "several", "regression", "unlabelled", "tiny")


def awkward_table(rows: int = ROWS, seed: int = 3) -> pd.DataFrame:
    """Numbers, whole numbers, texts with spaces and markup, yes and no, 0 and 1, dates, and gaps in all of them."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "Age": random.integers(18, 90, rows), "body_mass": random.normal(27, 4, rows).round(2),
        "loan purpose": random.choice(["new car", "car", "<b>not *really*</b>", "a and b", "missing"], rows),
        "Is_Member": random.choice([0, 1], rows), "smoker": random.choice(["yes", "no"], rows),
        "since": pd.date_range("2020-02-27", periods=rows, freq="9D"), "constant-ish": [1.5] * (rows - 1) + [2.5],
    })  # fmt: skip
    score = (frame["Age"] - 50) / 20 + (frame["loan purpose"] == "car") + frame["Is_Member"] + random.normal(0, 0.7, rows)
    for column in ("body_mass", "loan purpose", "smoker", "since"):
        frame.loc[random.random(rows) < 0.1, column] = None
    return frame.assign(price=(score * 10 + 40).round(1), good=np.where(score > 0.8, "good <risk>", "bad risk"),
                        level=pd.cut(score, [-99, 0, 1.2, 99], labels=["low", "mid", "high"]).astype(str))  # fmt: skip


TARGETS = {"binary": "good", "several": "level", "regression": "price", "unlabelled": "good", "tiny": "good"}


def awkward_dataset(kind: str) -> Dataset:
    target = TARGETS[kind]
    frame = awkward_table()
    frame = frame.drop(columns=[name for name in ("price", "good", "level") if name != target])
    frame.index = pd.Index(range(100, 100 + len(frame)))
    config = DatasetConfig(data="rows.csv", target=target, title="Awkward & odd", entity="people", objective="the outcome",
                           id="key", train="train.csv")  # fmt: skip
    data = frame.assign(key=[f"P {number}" if kind == "tiny" else number for number in frame.index])
    train = CsvTable(frame.reset_index(drop=True), ())
    if kind == "unlabelled":
        data = data.drop(columns=target).assign(**{target: None})
    elif kind == "tiny":
        data = data.iloc[:4]
    else:
        data.loc[data.index[:3], target] = None
    return build_dataset("awkward", config, CsvTable(data, ()), train)


def fitted(dataset: Dataset) -> Model:
    """A linear model, so that what changes do to predictions is known beforehand."""
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    linear = LogisticRegression() if dataset.schema.target.is_classification else LinearRegression()
    pipeline = make_pipeline(FrameEncoder(impute=True), StandardScaler(), linear)
    pipeline.fit(dataset.train_frame, dataset.train_labels)
    return Model(pipeline, dataset.schema, name="line", description="a linear model", fingerprint="line")


@cache
def awkward_subject(kind: str) -> Subject:
    dataset = awkward_dataset(kind)
    return Subject(dataset, fitted(dataset))


@cache
def awkward_engine(kind: str) -> ExecutionEngine:
    return ExecutionEngine(awkward_subject(kind), Explainer(awkward_subject(kind)))


class Asker:
    """Carries out parses given as text, in a conversation that remembers."""

    def __init__(self, engine: ExecutionEngine) -> None:
        self.subject = engine.subject
        self.schema = engine.schema
        self.engine = engine
        self.memory = Memory()

    def parse(self, text: str) -> Parse:
        return grammar_of(self.schema).read(text)

    def all(self, text: str) -> tuple[Result, ...]:
        execution = self.engine.execute(self.parse(text), self.memory)
        self.memory = execution.memory
        return execution.results

    def __call__(self, text: str) -> Any:
        """The only result of a parse."""
        (result,) = self.all(text)
        return result


@pytest.fixture
def asker() -> Callable[[str], Asker]:
    """Makes a conversation about one of the awkward data sets: see KINDS."""
    return lambda kind: Asker(awkward_engine(kind))


@pytest.fixture
def ask() -> Asker:
    """A conversation about the binary awkward data set."""
    return Asker(awkward_engine("binary"))
