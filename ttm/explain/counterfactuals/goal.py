"""What a counterfactual is to reach, and how far a prediction is from it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ttm.explain.coding import Matrix


@dataclass(frozen=True)
class Wanted:
    """The prediction that somebody wants.

    For a classifier `class_number`, or any class but the present one where it is None. For regression the closed range from
    `low` to `high`; an open end is None, and where both are None it is any value that is at least one standard deviation of
    the predictions away.
    """

    class_number: int | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Goal:
    """`Wanted` made definite for one row.

    `class_number` is the class to reach, or the one to leave if `leave`; None for regression, whose `ranges` are closed and
    any of which will do. `threshold` is the probability from which the positive one of two classes is predicted. `beyond` is
    how far past the line a prediction has to be.
    """

    class_number: int | None
    leave: bool = False
    threshold: float = 0.5
    ranges: tuple[tuple[float, float], ...] = ()
    beyond: float = 0.0

    def margin(self, outputs: Matrix) -> npt.NDArray[np.float64]:
        """How far beyond the goal (0 or more) or short of it (negative) each row of model outputs (n, k) is, (n,)."""
        return self._margin(outputs) - self.beyond if self.beyond and self.class_number is not None else self._margin(outputs)

    def _margin(self, outputs: Matrix) -> npt.NDArray[np.float64]:
        if self.class_number is None:
            values, by = outputs[:, 0], self.beyond
            short = [np.maximum(low + by - values, 0) + np.maximum(values - high + by, 0) for low, high in self.ranges]
            return np.asarray(-np.minimum.reduce(short))
        if outputs.shape[1] == 2:
            wanted = 1 - self.class_number if self.leave else self.class_number
            over = outputs[:, 1] - self.threshold
            return np.asarray(over if wanted == 1 else np.where(over < 0, -over, np.minimum(-over, -1e-12)))
        own = outputs[:, self.class_number]
        lead = own - np.delete(outputs, self.class_number, axis=1).max(axis=1)
        beaten = outputs.argmax(axis=1) == self.class_number
        reached = ~beaten if self.leave else beaten
        return np.asarray(np.where(reached, np.abs(lead), -np.maximum(np.abs(lead), 1e-12)))

    def reached(self, outputs: Matrix) -> npt.NDArray[np.bool_]:
        return np.asarray(self.margin(outputs) >= 0)


def goal_for(wanted: Wanted, predicted: float, classes: int, threshold: float | None, spread: float) -> Goal:
    """The goal for a row that the model now predicts as `predicted` (a class number or a value).

    `classes` is 0 for regression, where `spread` is the standard deviation of the predictions.
    """
    if classes:
        leave = wanted.class_number is None
        number = int(predicted) if wanted.class_number is None else wanted.class_number
        return Goal(number, leave, 0.5 if threshold is None else threshold)
    if wanted.low is None and wanted.high is None:
        return Goal(None, ranges=((-np.inf, predicted - spread), (predicted + spread, np.inf)))
    low = -np.inf if wanted.low is None else wanted.low
    return Goal(None, ranges=((low, np.inf if wanted.high is None else wanted.high),))
