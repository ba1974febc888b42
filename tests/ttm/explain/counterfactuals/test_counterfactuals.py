"""Counterfactuals reach what was wanted, keep to what can be changed, and are the same each time."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ttm.explain.coding import Coding
from ttm.explain.counterfactuals.common_change import STEPS
from ttm.explain.counterfactuals.goal import Goal, Wanted
from ttm.explain.counterfactuals.moves import ChangeLimits, Moves
from ttm.explain.counterfactuals.results import CounterfactualRow, Counterfactuals
from ttm.explain.explainer import Explainer
from ttm.explain.importance import evenly
from ttm.tabular.subject import Subject

Make = Callable[[Any], Subject]
METHODS = [None, "random", "genetic", "kdtree"]


def as_frame(subject: Subject, found: CounterfactualRow) -> pd.DataFrame:
    frame = pd.DataFrame([found.values])[list(subject.dataset.frame.columns)]
    return frame.astype({name: subject.dataset.frame[name].dtype for name in ("region", "since")})


def check(subject: Subject, row: pd.DataFrame, answer: Counterfactuals, wanted: Callable[[Any], bool]) -> None:
    """Everything that a counterfactual promises, looked up in the data and the model themselves."""
    for found in answer.rows:
        frame = as_frame(subject, found)
        assert wanted(subject.model.predict(frame)[0])
        changed = {change.feature for change in found.changes}
        assert changed
        for name in row.columns:
            before, after = row[name].iloc[0], frame[name].iloc[0]
            same = (pd.isna(before) and pd.isna(after)) or before == after
            assert same == (name not in changed), name
        assert "age" not in changed
        assert frame["tests"].iloc[0] >= row["tests"].iloc[0]
        assert frame["tests"].iloc[0] == round(frame["tests"].iloc[0])
        if "weight" in changed:
            assert 40 <= frame["weight"].iloc[0] <= 120
            assert round(frame["weight"].iloc[0], 1) == frame["weight"].iloc[0]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_two_classes_are_flipped(mixed_subject: Make, method: str | None) -> None:
    subject = mixed_subject("ill")
    explainer, reached, rows = Explainer(subject), 0, 3 if method in ("genetic", "kdtree") else 8
    for place in range(rows):
        row = subject.dataset.frame.iloc[[place]]
        other = 1 - subject.predictions[place]
        answer = explainer.counterfactuals(row, 3, method=method)
        check(subject, row, answer, lambda predicted, other=other: predicted == other)
        reached += len(answer.rows)
        sets = [frozenset(change.feature for change in found.changes) for found in answer.rows]
        assert len(sets) == len(set(sets))
        assert bool(answer.reason) == (len(answer.rows) < 3)
        assert [found.cost for found in answer.rows] == sorted(found.cost for found in answer.rows)
    assert reached >= 1.5 * rows


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [0, 1, 2, None])
def test_one_of_several_classes_is_reached(mixed_subject: Make, wanted: int | None) -> None:
    subject = mixed_subject("stage")
    explainer = Explainer(subject)
    for place in range(3):
        row, now = subject.dataset.frame.iloc[[place]], subject.predictions[place]
        answer = explainer.counterfactuals(row, 2, Wanted(wanted))
        assert answer.already == (wanted is not None and now == wanted)
        check(subject, row, answer, lambda p, now=now: p != now if wanted is None else p == wanted)


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [Wanted(low=60), Wanted(high=45), Wanted(low=50, high=52), Wanted()])
def test_a_range_of_values_is_reached(mixed_subject: Make, wanted: Wanted) -> None:
    subject = mixed_subject("cost")
    explainer, spread = Explainer(subject), 3.0
    low, high = wanted.low or -np.inf, wanted.high or np.inf
    for place in range(3):
        row, now = subject.dataset.frame.iloc[[place]], subject.predictions[place]
        answer = explainer.counterfactuals(row, 2, wanted)
        if wanted == Wanted():
            check(subject, row, answer, lambda p, now=now: abs(p - now) > spread)
        else:
            check(subject, row, answer, lambda p: low <= p <= high)


def test_no_change_is_larger_than_it_must_be(linear_subject: Make) -> None:
    """In one dimension the nearest value is known: the boundary, rounded to what can be said."""
    subject = linear_subject(3)
    row = subject.dataset.frame.iloc[[0]]
    now, slope = subject.predictions[0], subject.model.estimator.coef_[0]
    answer = Explainer(subject).counterfactuals(row, 5, Wanted(low=now + abs(slope) * 0.8), lasting=False)
    alone = next(found for found in answer.rows if [c.feature for c in found.changes] == ["x0"])
    precision = subject.schema.by_name["x0"].precision
    assert abs(alone.changes[0].after - row["x0"].iloc[0]) == pytest.approx(0.8, abs=2 * 10.0**-precision)


@pytest.mark.slow
def test_the_same_question_gets_the_same_answer(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    row = subject.dataset.frame.iloc[[3]]
    for method in METHODS:
        np.random.seed(1)
        first = Explainer(subject).counterfactuals(row, 3, method=method)
        np.random.seed(2)
        drawn = np.random.get_state()[1][0]
        second = Explainer(subject).counterfactuals(row, 3, method=method)
        assert np.random.get_state()[1][0] == drawn, "numpy's own generator was disturbed"
        assert [found.values for found in first.rows] == [found.values for found in second.rows]


def test_nothing_found_is_an_answer(mixed_subject: Make) -> None:
    subject = mixed_subject("cost")
    answer = Explainer(subject).counterfactuals(subject.dataset.frame.iloc[[0]], 2, Wanted(low=1e6))
    assert answer.rows == ()
    assert "ranges" in answer.reason
    assert "age" in answer.reason


def test_a_threshold_moves_what_must_be_reached(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    place = int(np.argmax(subject.probabilities[:, 1]))
    answer = Explainer(subject).counterfactuals(subject.dataset.frame.iloc[[place]], 2, threshold=0.05)
    assert answer.rows
    assert all(found.outputs[1] < 0.05 for found in answer.rows)


def test_goals_draw_the_line_where_predictions_do() -> None:
    outputs = np.array([[0.5, 0.5], [0.5001, 0.4999]])
    assert Goal(1).reached(outputs).tolist() == [True, False]
    assert Goal(0).reached(outputs).tolist() == [False, True]
    assert Goal(1, leave=True).reached(outputs).tolist() == [False, True]
    several = np.array([[0.4, 0.4, 0.2], [0.2, 0.4, 0.4]])
    assert Goal(1).reached(several).tolist() == [False, True]
    assert Goal(0, leave=True).reached(several).tolist() == [False, True]


@pytest.mark.slow
def test_switches_that_exclude_each_other_change_together(one_hot_subject: Subject) -> None:
    subject = one_hot_subject
    coding = Coding(subject.schema, subject.dataset.train_frame)
    moves = Moves(coding)
    names = [tuple(sorted(coding.names[place] for place in members)) for members, _ in moves.alternatives]
    assert ("blue", "green", "red") in names
    for place in range(8):
        row = subject.dataset.frame.iloc[[place]]
        for found in Explainer(subject).counterfactuals(row, 4).rows:
            assert sum(found.values[name] for name in ("red", "green", "blue")) == 1


@pytest.mark.slow
def test_flips_count_the_cheapest_change_of_each_row(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    explainer, frame = Explainer(subject), subject.dataset.frame.iloc[:12]
    flips = explainer.flips(frame)
    cheapest = [explainer.counterfactuals(frame.iloc[[place]], 1, method=None).rows[:1] for place in range(12)]
    expected: dict[str, int] = {}
    for (found,) in (one for one in cheapest if one):
        for change in found.changes:
            expected[change.feature] = expected.get(change.feature, 0) + 1
    assert dict(zip(flips.features, flips.counts, strict=True)) == expected
    assert flips.flipped == sum(bool(one) for one in cheapest)


# --- that last -----------------------------------------------------------------------------------------------------------


def survives(subject: Subject, coding: Coding, found: CounterfactualRow, wanted: int, source: np.random.Generator) -> float:
    """The share of noisy copies that are predicted as wanted, with noise of our own."""
    row = coding.encode(as_frame(subject, found) if "region" in found.values else pd.DataFrame([found.values]))[0]
    noise = 0.05 * coding.scale * ~coding.discrete * source.normal(size=(400, coding.width))
    return float((subject.model.predict(coding.decode(row + noise)) == wanted).mean())


@pytest.mark.slow
def test_what_is_found_holds_for_slightly_different_rows(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    explainer, source = Explainer(subject), np.random.default_rng(3)
    shares, stopped_short = [], []
    for place in range(12):
        row, wanted = subject.dataset.frame.iloc[[place]], 1 - subject.predictions[place]
        for found in explainer.counterfactuals(row, 3).rows:
            share = survives(subject, explainer.coding, found, wanted, source)
            assert share == pytest.approx(found.holds, abs=0.15)
            shares.append(share)
        stopped_short += [survives(subject, explainer.coding, found, wanted, source)
                          for found in explainer.counterfactuals(row, 3, lasting=False).rows]  # fmt: skip
    assert np.mean([share >= 0.72 for share in shares]) >= 0.95
    assert np.mean(shares) > np.mean(stopped_short)


def test_a_narrow_range_is_reached_and_held_where_it_can_be(mixed_subject: Make) -> None:
    subject = mixed_subject("cost")
    explainer, source = Explainer(subject), np.random.default_rng(4)
    found = explainer.counterfactuals(subject.dataset.frame.iloc[[0]], 1, Wanted(low=50.0, high=50.4)).rows
    assert found
    for one in found:
        assert 50.0 <= one.outputs[0] <= 50.4
        row = explainer.coding.encode(as_frame(subject, one))[0]
        noise = 0.05 * explainer.coding.scale * ~explainer.coding.discrete * source.normal(size=(400, explainer.coding.width))
        values = subject.model.predict(explainer.coding.decode(row + noise))
        assert float(((values >= 50.0) & (values <= 50.4)).mean()) == pytest.approx(one.holds, abs=0.15)


@pytest.mark.slow
def test_limits_are_kept(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    explainer, found_by_weight = Explainer(subject), 0
    for place in range(10):
        row = subject.dataset.frame.iloc[[place]]
        for limits in (ChangeLimits(keep=("smoker",)), ChangeLimits(keep=("smoker", "tests")), ChangeLimits(only=("weight",)),
                       ChangeLimits(only=("weight", "smoker"), most=1), ChangeLimits(most=1),
                       ChangeLimits(bounds=(("weight", 60.0, 80.0),))):  # fmt: skip
            for found in explainer.counterfactuals(row, 3, limits=limits).rows:
                changed = {change.feature for change in found.changes}
                assert not changed & set(limits.keep)
                assert not limits.only or changed <= set(limits.only)
                assert limits.most is None or len(changed) <= limits.most
                assert not limits.bounds or pd.isna(found.values["weight"]) or 60 <= found.values["weight"] <= 80
                found_by_weight += changed == {"weight"} and limits.only == ("weight",)
    assert found_by_weight >= 3


def test_switches_that_change_together_count_as_one_change(one_hot_subject: Subject) -> None:
    explainer = Explainer(one_hot_subject)
    found = [one for place in range(12) for one in explainer.counterfactuals(
        one_hot_subject.dataset.frame.iloc[[place]], 3, limits=ChangeLimits(most=1)).rows]  # fmt: skip
    colours = [{change.feature for change in one.changes} for one in found]
    assert any(len(changed) == 2 and "size" not in changed for changed in colours)
    assert all("size" not in changed or len(changed) == 1 for changed in colours)


def test_beside_a_step_a_state_is_judged_by_its_copies() -> None:
    """A model that says yes only between two steps: a value just inside is undone by noise, the middle is not."""
    from ttm.explain.counterfactuals.steady import SteadyScorer

    class Between:
        coding = None

        def outputs(self, rows: np.ndarray) -> np.ndarray:
            inside = ((rows[:, 0] > 1) & (rows[:, 0] < 2)).astype(float) * 0.9
            return np.column_stack([1 - inside, inside])

    noise = np.linspace(-0.3, 0.3, 101)[:, None]
    goal = Goal(1)
    outputs = SteadyScorer(Between(), goal, noise, 0.84).outputs(np.array([[1.01], [1.5], [3.0]]))  # type: ignore[arg-type]
    assert goal.reached(outputs).tolist() == [False, True, False]
    half = SteadyScorer(Between(), goal, noise, 0.5).outputs(np.array([[1.01]]))  # type: ignore[arg-type]
    assert goal.reached(half).tolist() == [True]


@pytest.mark.slow
def test_the_common_change_is_the_smallest_step_that_turns_most_rows(linear_subject: Make) -> None:
    """Every step of one feature is tried again by hand, with the model itself."""
    subject = linear_subject(3)
    explainer, frame = Explainer(subject), subject.dataset.frame
    predicted = subject.model.predict(frame)
    low = frame[predicted < np.quantile(predicted, 0.5)]
    wanted = Wanted(low=float(np.quantile(predicted, 0.6)))
    common = explainer.flips(low, wanted).common
    assert common is not None
    rows = low.iloc[evenly(len(low), common.rows)]
    scale = dict(zip(explainer.coding.names, explainer.coding.scale, strict=True))

    def turned(name: str, shift: float) -> float:
        low_end, high_end = frame[name].min(), frame[name].max()
        return float(
            (subject.model.predict(rows.assign(**{name: (rows[name] + shift).clip(low_end, high_end)})) >= wanted.low).mean()
        )

    enough = [(size, name) for name in ("x0", "x1", "x2") for size in STEPS for sign in (1, -1)
              if turned(name, sign * size * scale[name]) >= 0.8]  # fmt: skip
    assert enough, "the case is of use only where one step suffices"
    size, _ = min(enough)
    assert len(common.steps) == 1
    assert abs(common.steps[0].shift) / scale[common.steps[0].feature] == pytest.approx(size, abs=0.02)
    assert common.turned >= 0.8 * common.rows
