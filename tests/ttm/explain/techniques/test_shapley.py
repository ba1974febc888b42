"""Shapley values equal those of the definition, worked out over all orders of features."""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from ttm.explain.attribution import Vector
from ttm.explain.coding import Coding, Matrix
from ttm.explain.scoring import Scorer
from ttm.explain.selection.split_points import split_points
from ttm.explain.techniques.shapley import Shapley, _walked
from ttm.tabular.subject import Subject

Make = Callable[[Any], Subject]


def by_definition(subject: Subject, coding: Coding, row: np.ndarray, background: np.ndarray, column: int) -> np.ndarray:
    """Mean marginal contribution over all orders of the features that have a value, straight from the definition."""
    known = [int(place) for place in np.flatnonzero(~np.isnan(row))]
    start = background.copy()
    start[:, np.isnan(row)] = np.nan

    def worth(members: frozenset[int]) -> float:
        rows = start.copy()
        rows[:, list(members)] = row[list(members)]
        frame = coding.decode(rows)
        if subject.schema.target.is_classification:
            return float(subject.model.predict_proba(frame)[:, column].mean())
        return float(subject.model.predict(frame).mean())

    memory: dict[frozenset[int], float] = {}
    values, orders = np.zeros(len(row)), list(permutations(known))
    for order in orders:
        for place, feature in enumerate(order):
            before, after = frozenset(order[:place]), frozenset(order[: place + 1])
            for members in (before, after):
                if members not in memory:
                    memory[members] = worth(members)
            values[feature] += memory[after] - memory[before]
    return values / len(orders)


def prepared(subject: Subject) -> tuple[Coding, Scorer, Shapley]:
    coding = Coding(subject.schema, subject.dataset.train_frame)
    scorer = Scorer(subject.model, coding)
    return coding, scorer, Shapley(scorer, seed=0, cuts_known=split_points(subject.model, coding) is not None)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "column"), [("ill", 1), ("ill", 0), ("cost", 0), ("stage", 2)])
def test_values_of_boosted_trees_equal_the_definition(mixed_subject: Make, target: str, column: int) -> None:
    subject = mixed_subject(target)
    coding, scorer, shapley = prepared(subject)
    assert shapley.is_quick
    rows = coding.encode(subject.dataset.frame)
    gaps = np.isnan(rows).sum(axis=1)
    for place in (int(np.flatnonzero(gaps == 0)[0]), int(np.flatnonzero(gaps == 1)[0])):
        row = rows[place]
        values, base = shapley.values(row[None, :], np.array([column]), scorer)
        assert values[0] == pytest.approx(by_definition(subject, coding, row, shapley.background, column), abs=1e-5)
        assert values.sum() + base[0] == pytest.approx(scorer.scores(row[None, :], column)[0], abs=1e-5)
        assert (values[0, np.isnan(row)] == 0).all()


def test_values_of_any_model_equal_the_definition(logistic_subject: Make) -> None:
    subject = logistic_subject(5)
    coding, scorer, shapley = prepared(subject)
    assert not shapley.is_quick
    row = coding.encode(subject.dataset.frame.iloc[[7]])
    values, _ = shapley.values(row, np.array([1]), scorer)
    assert values[0] == pytest.approx(by_definition(subject, coding, row[0], shapley.background, 1), abs=1e-9)


@pytest.mark.parametrize("learner", ["forest", "several", "histogram", "lightgbm"])
def test_other_tree_libraries_add_up(mixed_subject: Make, learner: str) -> None:
    from lightgbm import LGBMClassifier
    from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
    from sklearn.pipeline import make_pipeline

    from ttm.tabular.data.encoding import FrameEncoder
    from ttm.tabular.model.model import Model

    base = mixed_subject({"forest": "ill", "several": "stage", "histogram": "cost", "lightgbm": "ill"}[learner])
    estimator = make_pipeline(
        FrameEncoder(impute=True),
        {
            "forest": RandomForestClassifier(20, random_state=0),
            "several": RandomForestClassifier(20, random_state=0),
            "histogram": HistGradientBoostingRegressor(max_iter=20, random_state=0),
            "lightgbm": LGBMClassifier(n_estimators=20, verbose=-1, n_jobs=1),
        }[learner],
    ).fit(base.dataset.train_frame, base.dataset.train_labels)
    subject = Subject(base.dataset, Model(estimator, base.schema, name="t", description="", fingerprint=learner))
    coding, scorer, shapley = prepared(subject)
    rows = coding.encode(subject.dataset.frame.iloc[:5])
    columns = np.full(5, max(0, len(base.schema.target.classes) - 1))
    values, bases = shapley.values(rows, columns, scorer)
    assert values.sum(axis=1) + bases == pytest.approx(scorer.outputs(rows)[np.arange(5), columns], abs=1e-4)


def test_random_orders_are_exact_where_effects_add_up(linear_subject: Make) -> None:
    subject = linear_subject(16)
    coding, scorer, shapley = prepared(subject)
    row = coding.encode(subject.dataset.frame.iloc[[3]])
    values, base = shapley.values(row, np.array([0]), scorer)
    slopes = subject.model.estimator.coef_
    assert values[0] == pytest.approx(slopes * (row[0] - shapley.background.mean(axis=0)), abs=1e-8)
    assert values.sum() + base[0] == pytest.approx(subject.predictions[3])


def test_random_orders_come_near_the_exact_values(logistic_subject: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = logistic_subject(6)
    coding, scorer, shapley = prepared(subject)
    row = coding.encode(subject.dataset.frame.iloc[[11]])
    exact, _ = shapley.values(row, np.array([1]), scorer)
    monkeypatch.setattr(Shapley, "_can_enumerate", staticmethod(lambda players: False))
    sampled, _ = shapley.values(row, np.array([1]), scorer)
    assert sampled == pytest.approx(exact, abs=0.01)
    assert sampled.sum() == pytest.approx(exact.sum(), abs=1e-9)


def test_walks_ask_once_about_each_coalition() -> None:
    """Against walking step by step: the same outputs at each step, from fewer rows."""
    random = np.random.default_rng(3)
    row, background, players = random.normal(size=4), random.normal(size=(5, 4)), np.array([0, 1, 3])
    background[:, 2] = row[2]
    walks = np.array([random.permutation(3) for _ in range(20)])
    asked: list[int] = []

    def output(rows: Matrix) -> Vector:
        asked.append(len(rows))
        return np.asarray(rows @ np.array([1.0, 10.0, 100.0, 1000.0]) * rows[:, 0])

    steps = _walked(row, walks, players, background, output)
    for number, walk in enumerate(walks):
        moved = background[number % 5].copy()
        for joined in range(4):
            assert steps[number, joined] == pytest.approx(output(moved[None, :])[0])
            if joined < 3:
                moved[players[walk[joined]]] = row[players[walk[joined]]]
    parts = {(number % 5, frozenset(walk[:size].tolist())) for number, walk in enumerate(walks) for size in range(3)}
    assert asked[0] == len(parts) + 1 < steps.size, "all features together leave nothing of a background row"
