"""Trials side by side come to what they come to alone, with one call of the model a round."""

from collections.abc import Generator

import numpy as np
import numpy.typing as npt

from ttm.explain.counterfactuals.side_by_side import carried_out

Rows = npt.NDArray[np.float64]


def adding(start: float, rounds: int) -> Generator[Rows, Rows, float]:
    """Ask about two rows a round, and go on with the sum of what was answered."""
    total = start
    for _ in range(rounds):
        answer = yield np.array([[total], [1.0]])
        assert answer.shape == (2, 1)
        total = float(answer.sum())
    return total


def test_trials_of_different_length_get_their_own_answers() -> None:
    calls: list[int] = []

    def outputs(rows: Rows) -> Rows:
        calls.append(len(rows))
        return rows * 2

    assert carried_out([adding(1, 2), adding(5, 0), adding(0, 3)], outputs) == [10.0, 5, 14.0]
    assert calls == [4, 4, 2]


def test_no_trials_ask_nothing() -> None:
    assert carried_out([], lambda rows: rows) == []
