"""Permutation importance: how much worse a model does when the values of one feature are shuffled among the rows.

Source: Breiman (2001), "Random forests", section 10; Fisher, Rudin and Dominici (2019), "All models are wrong, but many are
useful", for models of any kind.
"""

import numpy as np
import numpy.typing as npt

from ttm.explain.attribution import Vector
from ttm.explain.coding import Matrix
from ttm.explain.importance import evenly
from ttm.explain.scoring import Scorer

REPEATS = 5
FEWEST_ROWS = 10
MOST_CELLS = 150_000  # rows asked times repeats and features, where the model answers quickly
MOST_SLOW_CELLS = 15_000


def permutation_importance(
    rows: Matrix, truth: npt.NDArray[np.float64], scorer: Scorer, quick: bool, seed: int
) -> Vector | None:
    """The mean loss (d,) over repeats: of accuracy, or for quantities the mean absolute error that is added.

    `rows` (m, d) have known class numbers or values `truth` (m,); None for fewer than FEWEST_ROWS. Of many rows some are taken,
    spread evenly.
    """
    width = rows.shape[1]
    most = (MOST_CELLS if quick else MOST_SLOW_CELLS) // (REPEATS * width)
    places = evenly(len(rows), max(FEWEST_ROWS, most))
    rows, truth = rows[places], truth[places]
    if len(rows) < FEWEST_ROWS:
        return None
    source, before = np.random.default_rng([seed, 6]), _loss(scorer.outputs(rows), truth, scorer)
    losses = [_shuffled_losses(rows, truth, scorer, source) for _ in range(REPEATS)]
    return np.asarray((np.array(losses) - before).mean(axis=0))


def _shuffled_losses(rows: Matrix, truth: Vector, scorer: Scorer, source: np.random.Generator) -> Vector:
    """The loss (d,) with each feature of rows (m, d) shuffled by itself."""
    width = rows.shape[1]
    shuffled = np.tile(rows, (width, 1, 1))
    for column in range(width):
        shuffled[column, :, column] = source.permutation(rows[:, column])
    return _loss(scorer.outputs(shuffled.reshape(-1, width)), np.tile(truth, width), scorer, len(rows))


def _loss(outputs: Matrix, truth: Vector, scorer: Scorer, rows: int | None = None) -> Vector:
    """The share of wrong predictions, or the mean absolute error, of each run of `rows` rows."""
    losses: Vector = outputs.argmax(axis=1) != truth if scorer.is_classifier else np.abs(outputs[:, 0] - truth)
    return np.asarray(losses.reshape(-1, rows or len(truth)).mean(axis=1))
