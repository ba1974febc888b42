"""Residuals are truth minus prediction, and of classes how far the probability of the true one is from 1."""

import numpy as np
import pytest

from tests.ttm.conftest import Asker, awkward_engine
from ttm.operations.render import render
from ttm.operations.residuals.run import LargestResiduals, ResidualPlot
from ttm.operations.results import Refused


def test_the_largest_are_those_of_a_sort_by_hand() -> None:
    asker = Asker(awkward_engine("regression"))
    subject = asker.subject
    off = np.asarray(subject.dataset.labels, dtype=float) - subject.predictions
    ranked = sorted((i for i in range(len(off)) if not np.isnan(off[i])), key=lambda i: -abs(off[i]))[:4]
    result = asker("residuals 4")
    assert isinstance(result, LargestResiduals)
    assert [row.id for row in result.rows] == [subject.dataset.frame.index[i] for i in ranked]
    assert [row.value for row in result.rows] == pytest.approx([off[i] for i in ranked])
    plot = asker("residuals")
    assert isinstance(plot, ResidualPlot)
    assert plot.summary.mean == pytest.approx(np.nanmean(off))
    assert sorted(plot.residuals) == pytest.approx(sorted(off[~np.isnan(off)]))


@pytest.mark.parametrize(("side", "sign"), [("over", -1), ("under", 1)])
def test_a_side_is_that_of_the_prediction(side: str, sign: int) -> None:
    asker = Asker(awkward_engine("regression"))
    off = sign * (np.asarray(asker.subject.dataset.labels, dtype=float) - asker.subject.predictions)
    ranked = sorted((i for i in range(len(off)) if off[i] > 0), key=lambda i: -off[i])
    result = asker(f"residuals 4 {side}")
    assert isinstance(result, LargestResiduals)
    assert [row.id for row in result.rows] == [asker.subject.dataset.frame.index[i] for i in ranked[:4]]
    assert [row.value for row in result.rows] == pytest.approx([sign * off[i] for i in ranked[:4]])
    everyone = asker(f"residuals 100000 {side}")
    assert isinstance(everyone, LargestResiduals)
    assert len(everyone.rows) == len(ranked)
    nearest = asker.subject.dataset.frame.index[next(i for i in range(len(off)) if off[i] < 0)]
    alone = asker(f"filter id {nearest} and residuals 4 {side}")
    assert isinstance(alone, LargestResiduals)
    assert alone.rows == ()


def test_of_classes_the_true_one_counts() -> None:
    asker = Asker(awkward_engine("several"))
    subject, labels = asker.subject, np.asarray(asker.subject.dataset.labels)
    known = np.flatnonzero(labels >= 0)
    chance = subject.probabilities[known, labels[known]]
    result = asker("residuals 3")
    assert [1 - row.value for row in result.rows] == pytest.approx(sorted(chance)[:3])
    assert asker("residuals").summary.mean == pytest.approx(1 - chance.mean())


@pytest.mark.parametrize(
    ("kind", "words"), [("regression", "truth minus prediction is"), ("several", "the true class a probability of")]
)
def test_one_row_has_no_spread(kind: str, words: str) -> None:
    asker = Asker(awkward_engine(kind))
    row = asker("residuals 1").rows[0].id
    text = render(asker(f"filter id {row} and residuals"), asker.schema).text
    assert words in text
    assert not {"unknown", "average", "deviation", "median"} & {*text.replace(",", " ").split()}
    assert "on average" in render(asker("residuals"), asker.schema).text


def test_the_listed_rows_can_be_pointed_at() -> None:
    from ttm.operations.listed_rows import listed_ids

    asker = Asker(awkward_engine("regression"))
    result = asker("residuals 4")
    assert listed_ids([result]) == tuple(str(row.id) for row in result.rows)


def test_without_true_outcomes_there_are_none() -> None:
    assert isinstance(Asker(awkward_engine("unlabelled"))("residuals"), Refused)
