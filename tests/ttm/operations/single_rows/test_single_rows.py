"""Curves and other values are what the model says of rows that are changed by hand; dependence has the SHAP values."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from tests.ttm.conftest import Asker, awkward_engine
from ttm.explain.attribution import SHAP
from ttm.explain.explainer import Explainer
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.render import render
from ttm.operations.single_rows.run import OtherValues, ShapDependence, SingleCurves
from ttm.tabular.subject import load_subject


def test_each_curve_is_the_model_asked_again() -> None:
    asker = Asker(awkward_engine("binary"))
    result = asker("ice age")
    assert isinstance(result, SingleCurves)
    frame, model = asker.subject.dataset.frame, asker.subject.model
    for index in (0, 7, 31):
        for point in (0, len(result.grid) // 2, -1):
            row = frame.iloc[[index]].assign(Age=float(result.grid[point]))
            assert result.curves[index][point] == pytest.approx(model.predict_proba(row)[0, 1])
    ends = [curve[-1] - curve[0] for curve in result.curves]
    assert (result.rising, result.falling) == (sum(end > 1e-9 for end in ends), sum(end < -1e-9 for end in ends))
    mean = asker("effect age").mean[asker.schema.target.classes[1]]
    assert np.mean(result.curves, axis=0) == pytest.approx(mean)


def test_dependence_has_the_shap_values_of_the_rows() -> None:
    subject = load_subject("diabetes")
    explainer = Explainer(subject)
    result = Asker(ExecutionEngine(subject, explainer))("filter age greater than 50 and dependence glucose")
    assert isinstance(result, ShapDependence)
    rows = subject.dataset.frame[subject.dataset.frame["Age"] > 50]
    rows = rows[rows["Glucose"].notna()]
    for index in (0, 3, len(rows) - 1):
        explanation = explainer.explain(rows.iloc[[index]], class_number=1)
        shap = next(one for one in explanation.candidates if one.technique == SHAP)
        assert result.weights[index] == pytest.approx(shap.weights[explainer.coding.names.index("Glucose")], abs=1e-6)
    assert result.trend == pytest.approx(spearmanr(result.values, result.weights).statistic)


def test_every_other_value_is_tried() -> None:
    asker = Asker(awkward_engine("several"))
    result = asker("filter id 105 and otherwise loanpurpose")
    assert isinstance(result, OtherValues)
    feature, frame = asker.schema.by_token["loanpurpose"], asker.subject.dataset.frame
    number = asker.schema.target.classes.index(str(result.of_class))
    assert {one.value for one in result.others} == set(feature.values) - {frame.loc[105, feature.name]}
    for one in result.others:
        row = frame.loc[[105]].assign(**{feature.name: one.value})
        assert one.output == pytest.approx(asker.subject.model.predict_proba(row)[0, number])
    counts = frame[feature.name].value_counts()
    weights = [counts[one.value] for one in result.others]
    assert result.weighted == pytest.approx(np.average([one.output for one in result.others], weights=weights))
    assert str(result.prediction) in render(result, asker.schema).text
