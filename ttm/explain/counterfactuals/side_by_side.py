"""Trials that go on side by side: what each of them wants to know next of the model is asked in one call.

A call of a model costs milliseconds before its first row, and each proposal of a search is refined in some ten steps that rest
on the one before. The proposals do not rest on each other.
"""

from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

import numpy as np

from ttm.explain.coding import Matrix

T = TypeVar("T")
Trial = Generator[Matrix, Matrix, T]  # yields encoded rows (n, d), is sent their outputs (n, k), and returns what it came to


def carried_out(trials: Sequence[Trial[T]], outputs: Callable[[Matrix], Matrix]) -> list[T]:
    """What each trial returns, in their order."""
    results: dict[int, T] = {}
    asked = {index: rows for index, trial in enumerate(trials) if (rows := _next(trial, None, index, results)) is not None}
    while asked:
        ends = np.cumsum([len(rows) for rows in asked.values()])
        answers = np.split(outputs(np.concatenate(list(asked.values()))), ends[:-1])
        advanced = {index: _next(trials[index], answer, index, results) for index, answer in zip(asked, answers, strict=True)}
        asked = {index: rows for index, rows in advanced.items() if rows is not None}
    return [results[index] for index in range(len(trials))]


def _next(trial: Trial[T], answer: Matrix | None, index: int, results: dict[int, T]) -> Matrix | None:
    """The rows that a trial asks for next, None once it has ended."""
    try:
        return next(trial) if answer is None else trial.send(answer)
    except StopIteration as ended:
        results[index] = ended.value
        return None
