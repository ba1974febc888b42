"""A feature that does nothing costs nothing; a model that rests on one feature alone is lost without it."""

import numpy as np
import pandas as pd
import pytest

from tests.ttm.conftest import Asker, awkward_engine
from ttm.explain.explainer import Explainer
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.left_out.run import WithoutFeature
from ttm.operations.render import render
from ttm.operations.results import Refused
from ttm.tabular.data.csv_table import CsvTable
from ttm.tabular.data.dataset import build_dataset
from ttm.tabular.data.dataset_config import DatasetConfig
from ttm.tabular.model.train import train_model
from ttm.tabular.subject import Subject


@pytest.fixture(scope="module")
def planted() -> Asker:
    """The outcome is whether `cause` is above 50; `copy` says the same, `noise` nothing."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"cause": random.uniform(0, 100, 300).round(), "noise": random.uniform(0, 100, 300).round()})
    frame["sick"] = np.where(frame["cause"] > 50, "yes", "no")
    config = DatasetConfig(data="rows.csv", target="sick", title="Planted", entity="people", objective="being sick")
    dataset = build_dataset("planted", config, CsvTable(frame, ()), None)
    subject = Subject(dataset, train_model(dataset))
    return Asker(ExecutionEngine(subject, Explainer(subject)))


def test_a_refitted_model_loses_what_the_feature_brought(planted: Asker) -> None:
    result = planted("without cause")
    assert isinstance(result, WithoutFeature)
    assert result.refitted
    assert result.folds == 5
    assert (result.before["accuracy"].value or 0) > 0.95
    assert 0.3 < (result.after["accuracy"].value or 0) < 0.7
    assert result.p < 0.001
    assert "trained again" in render(result, planted.schema).text


@pytest.mark.slow
def test_noise_is_not_missed(planted: Asker) -> None:
    result = planted("without noise")
    assert (result.after["accuracy"].value or 0) > 0.95
    assert result.p > 0.05
    assert result.low <= 0 <= result.high


def test_a_model_from_elsewhere_has_the_feature_hidden() -> None:
    asker = Asker(awkward_engine("regression"))
    result = asker("without age")
    assert not result.refitted
    assert result.loss > 0
    assert result.loss == pytest.approx((result.after["mae"].value or 0) - (result.before["mae"].value or 0))
    assert "hidden" in render(result, asker.schema).text


def test_without_true_outcomes_there_is_no_score() -> None:
    assert isinstance(Asker(awkward_engine("unlabelled"))("without age"), Refused)
