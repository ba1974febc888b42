"""Rates by group are those of counting, gaps are called clear when planted and hardly ever when not."""

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from tests.ttm.conftest import Asker
from ttm.explain.explainer import Explainer
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.fairness.run import MOST_GROUPS, FairnessByGroup, RateGap, TreatedGroup, rate_gaps
from ttm.operations.render import render
from ttm.operations.results import Refused
from ttm.operations.scores.estimates import binary_estimates
from ttm.tabular.subject import load_subject

Draw = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]


def treated(draw: Draw, source: np.random.Generator, sizes: tuple[int, ...]) -> tuple[RateGap, ...]:
    """The gaps between groups of these sizes, with true and predicted classes by `draw` from a group's place and size."""
    groups = []
    for rows in sizes:
        truth, predicted = draw(source, rows)
        rates = binary_estimates(confusion_matrix(truth, predicted, labels=[0, 1]))
        groups.append(TreatedGroup(len(groups), None, None, rows, rates))
    return rate_gaps(tuple(groups))


def alike(source: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    truth = source.random(rows) < 0.4
    return truth.astype(int), (source.random(rows) < np.where(truth, 0.7, 0.2)).astype(int)


@pytest.mark.parametrize("sizes", [(300, 120), (200, 150, 100, 60, 40)])
@pytest.mark.slow
def test_groups_that_are_treated_alike_are_rarely_told_apart(sizes: tuple[int, ...]) -> None:
    source = np.random.default_rng(0)
    alarms = [any(gap.difference.is_clear for gap in treated(alike, source, sizes)) for _ in range(200)]
    assert np.mean(alarms) <= 0.06


def test_a_planted_false_positive_rate_is_found_and_nothing_else_is_blamed() -> None:
    source, clear = np.random.default_rng(1), []

    def planted(source: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
        truth = source.random(rows) < 0.4
        alarm = 0.40 if rows == 400 else 0.15
        return truth.astype(int), (source.random(rows) < np.where(truth, 0.7, alarm)).astype(int)

    for _ in range(100):
        clear.append({gap.rate for gap in treated(planted, source, (400, 401)) if gap.difference.is_clear})
    assert np.mean(["fpr" in found for found in clear]) >= 0.9
    assert np.mean(["baserate" in found or "recall" in found for found in clear]) <= 0.05


@pytest.fixture(scope="module")
def compas() -> Asker:
    subject = load_subject("compas")
    return Asker(ExecutionEngine(subject, Explainer(subject)))


def test_what_compas_is_known_for_is_in_the_answer(compas: Asker) -> None:
    result = compas("fairness black")
    assert isinstance(result, FairnessByGroup)
    frame, truth, predicted = compas.subject.dataset.frame, compas.subject.dataset.labels, compas.subject.predictions
    black = (frame["black"] == 1).to_numpy()
    alarms = [predicted[group & (truth == 0)].mean() for group in (black, ~black)]
    finds = [predicted[group & (truth == 1)].mean() for group in (black, ~black)]
    selected = [predicted[group].mean() for group in (black, ~black)]
    gaps = {gap.rate: gap for gap in result.gaps}
    assert gaps["fpr"].difference.value == pytest.approx(alarms[0] - alarms[1])
    assert gaps["selection"].ratio == pytest.approx(min(selected) / max(selected))
    assert result.equalized_odds == pytest.approx(max(abs(np.diff(alarms)[0]), abs(np.diff(finds)[0])))
    assert result.four_fifths is False
    text = render(result, compas.schema).text
    for words in (
        "demographic parity",
        "equal opportunity",
        "Equalized odds",
        "four-fifths",
        "corrected (Holm)",
        "No such measure",
    ):
        assert words in text


def test_the_other_class_mirrors_the_rates(compas: Asker) -> None:
    one, other = compas("fairness woman"), compas("fairness woman class 0")
    for mine, theirs in zip(one.groups, other.groups, strict=True):
        assert theirs.rates["fpr"].value == pytest.approx(1 - mine.rates["recall"].value)
        assert theirs.rates["selection"].value == pytest.approx(1 - mine.rates["selection"].value)
        assert theirs.rates["accuracy"] == mine.rates["accuracy"]


def test_a_threshold_holds_for_the_groups(compas: Asker) -> None:
    (result,) = compas.all("threshold 0.3 and fairness woman")
    selected = compas.subject.probabilities[:, 1] >= 0.3
    women = (compas.subject.dataset.frame["woman"] == 1).to_numpy()
    rates = {group.value: group.rates["selection"].value for group in result.groups}
    assert rates == pytest.approx({1: selected[women].mean(), 0: selected[~women].mean()})


def test_without_true_outcomes_only_the_selection_rate_is_known(asker: Callable[[str], Asker]) -> None:
    result = asker("unlabelled")("fairness smoker")
    assert [gap.rate for gap in result.gaps] == ["selection"]
    assert result.equalized_odds is None
    assert "Not known for two groups" in render(result, asker("unlabelled").schema).text


@pytest.mark.parametrize(("kind", "text", "reason"), [
    ("regression", "fairness smoker", "predicts a number"), ("several", "fairness smoker", "Name it"),
    ("binary", "filter smoker true and fairness smoker", "no groups to compare"),
])  # fmt: skip
def test_what_cannot_be_compared_is_refused(kind: str, text: str, reason: str, asker: Callable[[str], Asker]) -> None:
    refused = asker(kind)(text)
    assert isinstance(refused, Refused)
    assert reason in refused.reason


def test_a_column_makes_at_most_ten_groups(compas: Asker) -> None:
    assert len(compas("fairness age").groups) == 4
    assert MOST_GROUPS == 10


def test_thresholds_by_group_are_the_nearest_ones_to_the_same_rate(compas: Asker) -> None:
    subject = load_subject("compas")
    result = compas("fairness black")
    assert isinstance(result, FairnessByGroup)
    scores, truth = subject.probabilities[:, 1], subject.dataset.labels
    assert truth is not None
    counted = {"selection": np.ones(len(scores), dtype=bool), "recall": truth == 1}
    for own in result.own_thresholds:
        counts, predicted = counted[own.criterion], (scores >= 0.5).astype(int)
        assert own.wanted == pytest.approx(predicted[counts].mean())
        for group, threshold, rate in zip(result.groups, own.thresholds, own.rates, strict=True):
            mask = (subject.dataset.frame["black"] == group.value).to_numpy()
            shares = [(scores[mask & counts] >= step / 100).mean() for step in range(1, 100)]
            assert rate == pytest.approx(shares[round(threshold * 100) - 1])
            assert abs(rate - own.wanted) == pytest.approx(min(abs(share - own.wanted) for share in shares))
            predicted[mask] = scores[mask] >= threshold
        assert own.accuracy == pytest.approx((predicted == truth).mean())
        assert max(own.rates) - min(own.rates) < 0.03
