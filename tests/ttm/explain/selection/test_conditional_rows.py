"""Hidden features take values of rows that are like the row in what they go together with, and of any rows otherwise."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ttm.explain.coding import Coding
from ttm.explain.selection.conditional_rows import ConditionalRows
from ttm.tabular.data.schema import Feature, FeatureKind, Schema, Target
from ttm.tabular.subject import Subject

Make = Callable[[Any], Subject]
ROWS = 400


@pytest.fixture(scope="module")
def coding() -> Coding:
    """`b` follows `a`, `kind` tells whether `a` is high; `c` goes together with nothing."""
    source = np.random.default_rng(0)
    a = source.normal(size=ROWS)
    table = pd.DataFrame({"a": a, "b": a + 0.1 * source.normal(size=ROWS), "c": source.normal(size=ROWS)})
    table["kind"] = np.where(a > 0, "high", "low")
    measures = (Feature(name, name, FeatureKind.NUMERIC) for name in "abc")
    kind = Feature("kind", "kind", FeatureKind.CATEGORICAL, ("high", "low"))
    return Coding(Schema("made", "the outcome", (*measures, kind), Target("y", ("no", "yes"), (0, 1))), table)


def rows_for(coding: Coding, row: np.ndarray, *hidden: str) -> tuple[np.ndarray, np.ndarray]:
    drawn = coding.train[np.random.default_rng(1).choice(ROWS, 100)]
    sets = np.array([[name in hidden for name in coding.names]])
    return next(ConditionalRows(coding, drawn, np.random.default_rng(2)).for_sets(row, sets)), drawn


def test_a_feature_takes_values_that_suit_what_it_goes_together_with(coding: Coding) -> None:
    row = coding.train[int(np.argsort(coding.train[:, 0])[-30])]  # a high `a`
    near, drawn = rows_for(coding, row, "b")
    place = coding.names.index("b")
    assert len(near) == len(drawn)
    assert np.abs(near[:, place] - row[place]).max() < 1.0 < np.abs(drawn[:, place] - row[place]).mean()
    known = {tuple(one) for one in coding.train}
    assert all(tuple(one) in known for one in near)


def test_a_value_of_a_category_counts_as_what_goes_together(coding: Coding) -> None:
    row = coding.train[int(np.argmax(coding.train[:, 0]))]
    near, _ = rows_for(coding, row, "a", "b")  # of what stays, only `kind` tells something of them
    assert set(near[:, coding.names.index("kind")]) == {row[coding.names.index("kind")]}
    assert near[:, 0].min() > 0


@pytest.mark.parametrize("hidden", [("c",), ("a", "b", "kind"), ()])
def test_what_goes_together_with_nothing_that_stays_takes_any_values(coding: Coding, hidden: tuple[str, ...]) -> None:
    near, drawn = rows_for(coding, coding.train[0], *hidden)
    assert np.array_equal(near, drawn)


def test_gaps_are_neither_near_nor_far(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    coding = Coding(subject.schema, subject.dataset.train_frame)
    row = np.full(coding.width, np.nan)
    rows = ConditionalRows(coding, coding.train[:50], np.random.default_rng(0))
    sets = np.eye(coding.width, dtype=bool)
    assert [one.shape for one in rows.for_sets(row, sets)] == [(50, coding.width)] * coding.width
