"""Permutation importance is that of scikit-learn, and nothing where a feature is not used."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.inspection import permutation_importance as library

from ttm.explain.explainer import Explainer
from ttm.tabular.subject import Subject

Make = Callable[[Any], Subject]


@pytest.mark.parametrize(("columns", "linear", "scoring"), [(4, False, "accuracy"), (4, True, "neg_mean_absolute_error")])
@pytest.mark.slow
def test_it_is_what_scikit_learn_finds(
    columns: int, linear: bool, scoring: str, logistic_subject: Make, linear_subject: Make
) -> None:
    subject = (linear_subject if linear else logistic_subject)(columns)
    frame, truth = subject.dataset.frame, subject.dataset.labels
    assert truth is not None
    found = Explainer(subject).permutation_importance(frame, truth)
    wanted = library(subject.model.estimator, frame, truth, scoring=scoring, n_repeats=40, random_state=0)
    assert found is not None
    assert (np.abs(found - wanted.importances_mean) <= 4 * wanted.importances_std / np.sqrt(5) + 1e-9).all()


def test_a_feature_that_is_not_used_costs_nothing_and_few_rows_say_nothing(linear_subject: Make) -> None:
    """The fourth and fifth of the measures have no part in the outcome, so a linear model hardly uses them."""
    subject = linear_subject(5)
    frame, truth = subject.dataset.frame, subject.model.predict(subject.dataset.frame)
    found = Explainer(subject).permutation_importance(frame, truth)
    assert found is not None
    assert found[3:].max() < 0.2 * found[0]
    unused = frame.assign(x3=0.0)
    none = Explainer(subject).permutation_importance(unused, subject.model.predict(unused))
    assert none is not None
    assert none[3] == pytest.approx(0)
    assert Explainer(subject).permutation_importance(frame.iloc[:9], truth[:9]) is None
