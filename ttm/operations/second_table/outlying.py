"""How far rows are from all rows of a reference, and which are farther than nearly all of these are from one another.

The distance of two rows is the mean over the columns of their difference: in standard deviations of the reference for measures,
1 for another category. Where one of the two is missing it is 1, or how far the other is from the mean if that is more. A row's
distance is the mean to its NEAREST nearest rows. The p-value of a row is the share of reference rows, itself among them, whose
distance to the others is at least as large.

Source: Knorr and Ng (1998), Ramaswamy et al. (2000), for distance to the nearest; Laxhammar and Falkman (2010), "Conformal
prediction for distribution-independent anomaly detection".
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NEAREST = 5
AT_ONCE_CELLS = 20_000_000
FAR = 0.01  # p-value from which down a row is called an outlier
Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Distances:
    """For each row (n,) its distance and p-value, and how much each column (n, d) adds to the distance."""

    distance: Matrix
    p: Matrix
    parts: Matrix


def distances(rows: Matrix, reference: Matrix, scale: Matrix, discrete: npt.NDArray[np.bool_], own: bool = False) -> Distances:
    """Set encoded rows (n, d) beside a reference (r, d); `own` tells that they are the reference itself, each without itself.

    `scale` (d,) are the standard deviations of measures, `discrete` (d,) marks categories.
    """
    usual, usual_parts = _nearest(reference, reference, scale, discrete, skip=True)
    distance, parts = (usual, usual_parts) if own else _nearest(rows, reference, scale, discrete, skip=False)
    ordered = np.sort(usual)
    farther = len(ordered) - np.searchsorted(ordered, distance, side="left")
    p = farther / len(ordered) if own else (farther + 1) / (len(ordered) + 1)
    return Distances(distance, p, parts)


def _nearest(
    rows: Matrix, reference: Matrix, scale: Matrix, discrete: npt.NDArray[np.bool_], skip: bool
) -> tuple[Matrix, Matrix]:
    """The mean distance (n,) to the nearest rows of the reference, and what each column (n, d) adds to it."""
    count = min(NEAREST, len(reference) - skip)
    step = max(1, AT_ONCE_CELLS // reference.size)
    means, parts = [], []
    for start in range(0, len(rows), step):
        apart = _apart(rows[start : start + step], reference, scale, discrete)  # (s, r, d)
        total = apart.mean(axis=2)
        if skip:
            total[np.arange(len(total)), np.arange(start, start + len(total))] = np.inf
        nearest = np.argpartition(total, count - 1, axis=1)[:, :count]
        means.append(np.take_along_axis(total, nearest, axis=1).mean(axis=1))
        parts.append(np.take_along_axis(apart, nearest[:, :, None], axis=1).mean(axis=1) / apart.shape[2])
    return np.concatenate(means), np.concatenate(parts)


def _apart(rows: Matrix, reference: Matrix, scale: Matrix, discrete: npt.NDArray[np.bool_]) -> Matrix:
    difference = np.abs(rows[:, None, :] - reference[None, :, :])
    apart = np.where(discrete, (difference > 0).astype(float), difference / scale)
    gone = np.isnan(rows)[:, None, :], np.isnan(reference)[None, :, :]
    alone = _beside_nothing(rows, reference, scale, discrete)[:, None, :]
    other = _beside_nothing(reference, reference, scale, discrete)[None, :, :]
    apart = np.where(gone[0], other, np.where(gone[1], alone, apart))
    return np.where(gone[0] & gone[1], 0.0, apart)


def _beside_nothing(rows: Matrix, reference: Matrix, scale: Matrix, discrete: npt.NDArray[np.bool_]) -> Matrix:
    """How far known values (n, d) are from a missing one: 1, or more where they are farther from the mean than that."""
    known = ~np.isnan(reference)
    means = np.where(known, reference, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    far = np.where(discrete, 1.0, np.abs(np.where(np.isnan(rows), means, rows) - means) / scale)
    return np.asarray(np.maximum(far, 1.0))
