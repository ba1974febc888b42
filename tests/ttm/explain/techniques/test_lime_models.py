"""LIME's weights equal what its own library gives for the same seed and width, and vary less with the seed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lime.lime_tabular import LimeTabularExplainer

from ttm.explain.coding import Coding
from ttm.explain.scoring import Scorer
from ttm.explain.techniques import lime_models as neighbourhood
from ttm.explain.techniques.lime_models import LimeModels
from ttm.tabular.subject import Subject

Make = Callable[[Any], Subject]
SEED = 7


def by_the_library(
    coding: Coding, scorer: Scorer, row: np.ndarray, width: float | None, column: int,
    randomness: np.random.RandomState | None = None,
) -> tuple[np.ndarray, float]:  # fmt: skip
    """What the library says, drawing from our random numbers unless it is given others."""
    mode = "classification" if scorer.is_classifier else "regression"
    explainer = LimeTabularExplainer(
        coding.complete, mode=mode, categorical_features=[int(place) for place in np.flatnonzero(coding.discrete)],
        kernel_width=None if width is None else width * np.sqrt(coding.width),
        random_state=randomness or LimeModels(coding, SEED).randomness,
    )  # fmt: skip
    predict = scorer.outputs if scorer.is_classifier else (lambda rows: scorer.outputs(rows)[:, 0])
    label = column if scorer.is_classifier else 1
    samples = LimeModels(coding, SEED).samples if randomness is None else 5_000
    found = explainer.explain_instance(row, predict, labels=(label,), num_features=coding.width, num_samples=samples)
    weights = np.zeros(coding.width)
    for place, weight in found.local_exp[label]:
        weights[place] = weight
    return weights, float(found.intercept[label])


@pytest.mark.parametrize(("target", "column"), [("ill", 1), ("stage", 2), ("cost", 0)])
@pytest.mark.parametrize("width", [None, 0.25, 1.0])
def test_weights_equal_the_library(mixed_subject: Make, target: str, column: int, width: float | None) -> None:
    subject = mixed_subject(target)
    coding = Coding(subject.schema, subject.dataset.train_frame)
    scorer = Scorer(subject.model, coding)
    rows = coding.encode(subject.dataset.frame)
    row = rows[~np.isnan(rows).any(axis=1)][4]
    expected, intercept = by_the_library(coding, scorer, row, width, column)
    scores = scorer.scores(row[None, :], column)
    weights, intercepts = LimeModels(coding, SEED).weights(row[None, :], scores, column, [width or 0.75], scorer)
    assert weights[0, 0] == pytest.approx(expected, abs=1e-8)
    assert intercepts[0, 0] == pytest.approx(intercept, abs=1e-8)


@pytest.mark.slow
def test_rows_explained_together_get_what_they_get_alone(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    coding = Coding(subject.schema, subject.dataset.train_frame)
    scorer = Scorer(subject.model, coding)
    rows = coding.encode(subject.dataset.frame.iloc[:12])
    scores = scorer.scores(rows, 1)
    together, _ = LimeModels(coding, 0).weights(rows, scores, 1, [0.5, 1.0], scorer)
    for place in reversed(range(len(rows))):
        alone, _ = LimeModels(coding, 0).weights(rows[[place]], scores[[place]], 1, [0.5, 1.0], scorer)
        assert alone[0] == pytest.approx(together[place], abs=1e-12)


def test_a_missing_value_weighs_nothing(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    coding = Coding(subject.schema, subject.dataset.train_frame)
    scorer = Scorer(subject.model, coding)
    rows = coding.encode(subject.dataset.frame)
    row = rows[np.isnan(rows).sum(axis=1) == 1][:1]
    weights, _ = LimeModels(coding, 0).weights(row, scorer.scores(row, 1), 1, [0.75], scorer)
    assert (np.abs(weights[0, 0]) > 0).sum() == coding.width - 1
    assert weights[0, 0, np.isnan(row[0])] == 0


def test_the_model_is_asked_once_for_all_rows_and_widths(logistic_subject: Make) -> None:
    subject = logistic_subject(5)
    coding = Coding(subject.schema, subject.dataset.train_frame)
    scorer = Scorer(subject.model, coding)
    rows = coding.encode(subject.dataset.frame)
    drawn = LimeModels(coding, 0)
    drawn.weights(rows, np.full(len(rows), 0.5), 1, [0.25, 0.5, 0.75, 1.0], scorer)
    assert scorer.effort.rows == drawn.samples - 1  # what it says of the row itself is known


def test_weights_are_what_the_library_comes_to_with_random_numbers_of_its_own(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    coding = Coding(subject.schema, subject.dataset.train_frame)
    scorer = Scorer(subject.model, coding)
    rows = coding.encode(subject.dataset.frame)
    row = rows[~np.isnan(rows).any(axis=1)][4]
    ours, _ = LimeModels(coding, SEED).weights(row[None, :], scorer.scores(row[None, :], 1), 1, [0.75], scorer)
    theirs = np.array([by_the_library(coding, scorer, row, 0.75, 1, np.random.RandomState(seed))[0] for seed in range(6)])
    error = theirs.std(axis=0, ddof=1) / np.sqrt(len(theirs))
    assert (np.abs(ours[0, 0] - theirs.mean(axis=0)) < 4.5 * error).all()


def test_the_seed_decides_but_far_less_than_in_the_library(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    coding = Coding(subject.schema, subject.dataset.train_frame)
    scorer = Scorer(subject.model, coding)
    rows = coding.encode(subject.dataset.frame)
    row = rows[~np.isnan(rows).any(axis=1)][4]
    score = scorer.scores(row[None, :], 1)
    seeds = range(4)
    ours = np.array([LimeModels(coding, seed).weights(row[None, :], score, 1, [0.5], scorer)[0][0, 0] for seed in seeds])
    theirs = np.array([by_the_library(coding, scorer, row, 0.5, 1, np.random.RandomState(seed))[0] for seed in seeds])
    assert (ours.std(axis=0) > 0).all()
    assert ours.std(axis=0).mean() < 0.5 * theirs.std(axis=0).mean()


def test_rough_models_are_those_of_the_first_samples(logistic_subject: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = logistic_subject(5)
    coding = Coding(subject.schema, subject.dataset.train_frame)
    scorer = Scorer(subject.model, coding)
    rows = coding.encode(subject.dataset.frame.iloc[:3])
    scores = scorer.scores(rows, 1)
    monkeypatch.setattr(neighbourhood, "ROUGH_SAMPLES", 2**10)
    rough, _ = LimeModels(coding, SEED).weights(rows, scores, 1, [0.75], scorer, rough=True)
    few = LimeModels(coding, SEED)
    few.samples = 2**10
    assert rough == pytest.approx(few.weights(rows, scores, 1, [0.75], scorer)[0], abs=1e-9)
    assert rough != pytest.approx(LimeModels(coding, SEED).weights(rows, scores, 1, [0.75], scorer)[0], abs=1e-6)
