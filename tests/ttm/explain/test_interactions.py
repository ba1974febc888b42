"""Interactions are found where there are some, and are nothing where effects add up."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from backend.errors import ExecutionError
from ttm.explain.explainer import Explainer
from ttm.explain.interactions import friedman_h
from ttm.tabular.subject import Subject

Make = Callable[[Any], Subject]


def test_effects_that_add_up_do_not_interact(linear_subject: Make) -> None:
    subject = linear_subject(4)
    found = Explainer(subject).interactions(subject.dataset.frame)
    assert len(found.pairs) == 6
    assert all(pair.strength == pytest.approx(0, abs=1e-9) and pair.h == pytest.approx(0, abs=1e-6) for pair in found.pairs)


def test_the_pair_that_interacts_comes_first(linear_subject: Make) -> None:
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures

    from ttm.tabular.model.model import Model

    base = linear_subject(4)
    estimator = make_pipeline(PolynomialFeatures(2), LinearRegression())
    estimator.fit(base.dataset.train_frame, base.dataset.train_labels)
    subject = Subject(base.dataset, Model(estimator, base.schema, name="m", description="", fingerprint="product"))
    found = Explainer(subject).interactions(base.dataset.frame)
    assert {found.pairs[0].first, found.pairs[0].second} == {"x1", "x2"}
    assert found.pairs[0].strength > 10 * found.pairs[1].strength
    assert found.pairs[0].h > 0.3
    assert found.pairs == tuple(sorted(found.pairs, key=lambda pair: -pair.strength))


@pytest.mark.parametrize("target", ["ill", "stage", "cost"])
def test_the_surface_is_the_partial_dependence(mixed_subject: Make, target: str) -> None:
    subject = mixed_subject(target)
    frame = subject.dataset.frame.iloc[:40]
    explainer = Explainer(subject)
    found = explainer.interactions(frame, ("weight", "smoker"))
    surface, coding = found.surface, explainer.coding
    assert {surface.first, surface.second} == {"weight", "smoker"}
    for i, weight in enumerate(surface.first_values):
        for j, smoker in enumerate(surface.second_values):
            rows = frame.assign(weight=weight, smoker=int(smoker))
            outputs = subject.model.predict(rows) if target == "cost" else subject.model.predict_proba(rows)[:, found.column]
            assert surface.outputs[i, j] == pytest.approx(outputs.mean())
    assert coding.names.index("weight") < coding.names.index("smoker")


def test_h_of_a_pure_product_is_one() -> None:
    values = np.linspace(-1, 1, 5)
    assert friedman_h(np.outer(values, values)) == pytest.approx(1)
    assert friedman_h(values[:, None] + values[None, :]) == pytest.approx(0, abs=1e-9)
    assert friedman_h(np.zeros((3, 3))) == 0


def test_one_feature_has_nothing_to_work_with(linear_subject: Make) -> None:
    subject = linear_subject(3)
    explainer = Explainer(subject)
    explainer.coding.train[:, 1] = 4.0
    with pytest.raises(ExecutionError, match="two"):
        explainer.interactions(subject.dataset.frame, ("x0", "x1"))
