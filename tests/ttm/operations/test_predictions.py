"""Predictions, likelihoods and scores equal what the model, numpy and scikit-learn say."""

from collections.abc import Callable

import numpy as np
import pytest
from sklearn import metrics

from tests.ttm.conftest import Asker
from ttm.operations.predictions.run import (
    ClassProbabilities,
    Flip,
    MeanProbabilities,
    PredictedClass,
    PredictedClasses,
    PredictedValue,
    PredictedValues,
)
from ttm.operations.render import render
from ttm.operations.results import Refused
from ttm.operations.scores.metrics import binary_scores, calibration_bins, confusion_matrix, macro_scores, roc_auc
from ttm.operations.scores.run import ClassScores, ThresholdTable, ValueScores

Ask = Callable[[str], Asker]


def with_age(conversation: Asker, add: float) -> np.ndarray:
    frame = conversation.subject.dataset.frame
    return conversation.subject.model.predict_proba(frame.assign(Age=frame["Age"] + add))


@pytest.mark.parametrize("kind", ["binary", "several"])
def test_predictions_of_a_group(kind: str, asker: Ask) -> None:
    conversation = asker(kind)
    names, subject = conversation.schema.target.classes, conversation.subject
    result = conversation("predict")
    assert isinstance(result, PredictedClasses)
    assert result.counts == {name: int((subject.predictions == number).sum()) for number, name in enumerate(names)}
    assert sum(result.shares.values()) == pytest.approx(1)


@pytest.mark.parametrize("kind", ["binary", "several"])
def test_flips_count_how_predictions_change(kind: str, asker: Ask) -> None:
    conversation = asker(kind)
    names = conversation.schema.target.classes
    result = conversation("change age increase 20 and predict")
    before, after = conversation.subject.predictions, with_age(conversation, 20).argmax(axis=1)
    assert result.flipped == (before != after).sum() > 0
    for flip in result.flips:
        assert isinstance(flip, Flip)
        pairs = (before == names.index(flip.before)) & (after == names.index(flip.after))
        assert flip.count == pairs.sum()
    assert sum(flip.count for flip in result.flips) == result.flipped


def test_one_prediction_before_and_after(ask: Asker) -> None:
    place = ask.subject.dataset.frame.index.get_loc(110)
    result = ask("filter id 110 and change age increase 20 and predict")
    assert isinstance(result, PredictedClass)
    assert result.probabilities["good <risk>"] == pytest.approx(with_age(ask, 20)[place, 1])
    assert result.probabilities_before["good <risk>"] == pytest.approx(ask.subject.probabilities[place, 1])


@pytest.mark.parametrize("kind", ["binary", "several"])
def test_likelihood_of_a_group_is_the_mean_probability_with_its_distribution(kind: str, asker: Ask) -> None:
    conversation = asker(kind)
    probabilities, names = conversation.subject.probabilities, conversation.schema.target.classes
    result = conversation("likelihood")
    assert isinstance(result, MeanProbabilities)
    assert list(result.mean.values()) == pytest.approx(probabilities.mean(axis=0).tolist())
    shown = probabilities[:, names.index(result.shown)]
    assert result.distribution.median == pytest.approx(np.median(shown))
    assert sum(result.histogram) == 80
    assert result.histogram[0] == (shown < 0.05).sum()


def test_likelihood_of_one_row_names_every_class(asker: Ask) -> None:
    result = asker("several")("filter id 110 and likelihood")
    assert isinstance(result, ClassProbabilities)
    assert set(result.probabilities) == {"low", "mid", "high"}
    assert sum(result.probabilities.values()) == pytest.approx(1)


def test_a_quantity_is_predicted_with_its_distribution(asker: Ask) -> None:
    conversation = asker("regression")
    values = conversation.subject.predictions
    result = conversation("predict")
    assert isinstance(result, PredictedValues)
    assert result.summary.mean == pytest.approx(values.mean())
    assert sum(result.histogram) == 80
    changed = conversation("change age increase 10 and predict")
    assert (changed.increased, changed.decreased) == (80, 0), "the linear model rises with age"
    one = conversation("filter id 110 and likelihood")
    assert isinstance(one, PredictedValue)
    assert one.asked_likelihood
    scores, labels = conversation.subject.model.scores, conversation.subject.dataset.labels
    off = np.nanmean(np.abs(values - labels)) if scores is None else scores.means["mean_absolute_error"]
    assert one.usual_error == pytest.approx(off)
    assert "it is off by" in render(one, conversation.subject.schema).text


# --- scores --------------------------------------------------------------------------------------------------------------


def test_scores_of_two_classes_are_those_of_scikit_learn(ask: Asker) -> None:
    labels = ask.subject.dataset.labels
    assert labels is not None
    known = labels >= 0
    truth, predicted = labels[known], ask.subject.predictions[known]
    result = ask("score default")
    assert isinstance(result, ClassScores)
    assert (result.rows, result.unlabelled, result.averaging) == (77, 3, "binary")
    expected = {
        "accuracy": metrics.accuracy_score(truth, predicted), "balanced": metrics.balanced_accuracy_score(truth, predicted),
        "precision": metrics.precision_score(truth, predicted),
        "recall": metrics.recall_score(truth, predicted), "sensitivity": metrics.recall_score(truth, predicted),
        "specificity": metrics.recall_score(truth, predicted, pos_label=0),
        "ppv": metrics.precision_score(truth, predicted), "npv": metrics.precision_score(truth, predicted, pos_label=0),
        "f1": metrics.f1_score(truth, predicted),
        "roc_auc": metrics.roc_auc_score(truth, ask.subject.probabilities[known, 1]),
        "fpr": 1 - metrics.recall_score(truth, predicted, pos_label=0), "fnr": 1 - metrics.recall_score(truth, predicted),
        "selection": predicted.mean(), "baserate": truth.mean(),
    }  # fmt: skip
    assert result.scores == pytest.approx(expected)


def test_scores_of_several_classes_are_macro_means(asker: Ask) -> None:
    conversation = asker("several")
    labels = conversation.subject.dataset.labels
    assert labels is not None
    known = labels >= 0
    truth, predicted = labels[known], conversation.subject.predictions[known]
    result = conversation("score f1")
    assert result.averaging == "macro"
    assert result.value == pytest.approx(metrics.f1_score(truth, predicted, average="macro"))
    assert result.scores["precision"] == pytest.approx(metrics.precision_score(truth, predicted, average="macro"))
    assert result.scores["recall"] == pytest.approx(metrics.recall_score(truth, predicted, average="macro"))
    assert conversation("score balanced").value == pytest.approx(metrics.balanced_accuracy_score(truth, predicted))
    probabilities = conversation.subject.probabilities[known]
    area = metrics.roc_auc_score(truth, probabilities, multi_class="ovr", average="macro")
    assert result.scores["roc_auc"] == pytest.approx(area)


def test_the_balanced_accuracy_is_asked_for_of_groups_too(asker: Ask) -> None:
    for kind in ("binary", "several"):
        ask = asker(kind)
        by = ask("score balanced by ismember")
        assert [one.value for one in by.estimates][:2] == pytest.approx(
            [ask(f"filter ismember {value} and score balanced").value for value in ("false", "true")]
        )
        assert all(one.low <= one.value <= one.high for one in by.estimates if one.value is not None)
        text = render(ask("score balanced"), ask.schema).text
        assert "balanced accuracy is **" in text
        assert f"Always saying the same class would have {'50.0%' if kind == 'binary' else '33.3%'}" in text


def test_scores_of_a_quantity_are_those_of_scikit_learn(asker: Ask) -> None:
    conversation = asker("regression")
    labels = conversation.subject.dataset.labels
    assert labels is not None
    truth, predicted = labels[3:], conversation.subject.predictions[3:]
    result = conversation("score default")
    assert isinstance(result, ValueScores)
    assert result.scores == pytest.approx({
        "mae": metrics.mean_absolute_error(truth, predicted), "rmse": metrics.root_mean_squared_error(truth, predicted),
        "r2": metrics.r2_score(truth, predicted),
    })  # fmt: skip
    assert conversation("score r2").value == result.scores["r2"]


def test_a_zero_denominator_is_undefined_not_zero() -> None:
    never = binary_scores(confusion_matrix(np.array([0, 1]), np.array([0, 0]), 2))
    assert never["precision"] is None
    assert never["recall"] == 0
    assert never["f1"] == 0
    alone = binary_scores(confusion_matrix(np.array([0, 0]), np.array([0, 0]), 2))
    assert (alone["recall"], alone["f1"], alone["specificity"], alone["balanced"]) == (None, None, 1, None)
    several = macro_scores(confusion_matrix(np.array([0, 1, 2]), np.array([0, 1, 1]), 3))
    assert several["precision"] == pytest.approx(0.75), "class 2 is never predicted and left out"
    assert several["recall"] == pytest.approx(2 / 3)


def test_a_roc_curve_needs_two_classes(ask: Asker) -> None:
    refused = ask("labelfilter 1 and score roc")
    assert isinstance(refused, Refused)
    assert "good <risk>" in refused.reason
    assert ask("labelfilter 1 and score default").scores["roc_auc"] is None
    assert roc_auc(np.array([0, 0]), np.array([[0.5, 0.5], [0.1, 0.9]])) is None


def test_ties_count_half_in_the_area_under_the_curve() -> None:
    random = np.random.default_rng(1)
    truth, scores = random.integers(0, 2, 200), random.integers(0, 6, 200) / 6
    assert roc_auc(truth, np.column_stack([1 - scores, scores])) == pytest.approx(metrics.roc_auc_score(truth, scores))


def test_calibration_compares_predictions_with_what_came_true() -> None:
    probability = np.array([0.05, 0.05, 0.95, 0.95, 1.0])
    rows, gap = calibration_bins(np.array([0, 1, 1, 1, 1]), np.column_stack([1 - probability, probability]))
    assert [(low, count, observed) for low, _, count, _, observed in rows] == [(0.0, 2, 0.5), (0.9, 3, 1.0)]
    assert gap == pytest.approx(2 / 5 * 0.45 + 3 / 5 * (1 - 2.9 / 3))


def test_confusion_counts_by_name(ask: Asker) -> None:
    result = ask("score confusion")
    labels = ask.subject.dataset.labels
    assert labels is not None
    wrong = (labels == 0) & (ask.subject.predictions == 1)
    assert result.confusion["bad risk"]["good <risk>"] == wrong.sum()


def test_thresholds_trade_recall_against_precision(ask: Asker) -> None:
    table = ask("threshold")
    assert isinstance(table, ThresholdTable)
    recalls = [at.recall for at in table.table]
    assert recalls == sorted(recalls, reverse=True)
    probability = ask.subject.probabilities[3:, 1]
    labels = ask.subject.dataset.labels
    assert labels is not None
    false, true, cuts = metrics.roc_curve(labels[3:], probability, drop_intermediate=False)
    assert table.best_youden is not None
    assert table.best_youden.recall + table.best_youden.specificity - 1 == pytest.approx((true - false).max())
    assert table.best_youden.threshold in cuts
    at = ask("threshold 0.3").chosen
    assert at.predicted == (probability >= 0.3).sum()


def test_a_threshold_needs_two_classes(asker: Ask) -> None:
    for kind in ("several", "regression"):
        assert isinstance(asker(kind)("threshold 0.3"), Refused)
        assert isinstance(asker(kind)("threshold"), Refused)
