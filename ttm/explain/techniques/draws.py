"""Random draws that cover their distribution evenly, so that what is estimated from them depends less on the seed.

A scrambled Sobol sequence is random, and each of its points is uniform by itself, but the points keep out of each other's
way: means over them vary far less from seed to seed than means over independent points.

Source: Owen, "Scrambled net variance for integrals of smooth functions".
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Uniform = npt.NDArray[np.float64]
AT_ONCE = 2**10  # points of a Sobol sequence, a power of two


def even_uniforms(seed: Any, samples: int, dimensions: int) -> Uniform:
    """Points (samples, dimensions) within the open unit cube; `samples` is best a power of two. Deterministic for a seed."""
    from scipy.stats import qmc

    source = np.random.default_rng(seed)
    if dimensions > qmc.Sobol.MAXDIM:  # a table wider than any Sobol sequence: each column is even by itself
        places = np.tile(np.arange(samples)[:, None], dimensions)
        points = (source.permuted(places, axis=0) + source.random(places.shape)) / samples
    else:
        sequence = qmc.Sobol(dimensions, rng=source)
        points = np.empty((samples, dimensions))
        for start in range(0, samples, AT_ONCE):
            points[start : start + AT_ONCE] = sequence.random(AT_ONCE)[: samples - start]
    return np.clip(points, 1e-12, 1 - 1e-12, out=points)


class EvenRandomState(np.random.RandomState):
    """Takes the place of a library's random numbers: each column of values it asks for is the next one of a Sobol sequence.

    Meant for columns of at most `samples` values over the same points, of which there are `columns`; then the first come again.
    """

    def __init__(self, seed: int, samples: int, columns: int) -> None:
        super().__init__(seed)
        self._points = even_uniforms([seed, 4], samples, columns)
        self._next = 0

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        """Values of `a` with probabilities `p`; drawing without replacement is not what even draws are for."""
        assert replace
        values = np.asarray(a)
        bounds = np.cumsum(np.full(len(values), 1 / len(values)) if p is None else p)
        return values[np.minimum(np.searchsorted(bounds, self._column(size), side="right"), len(values) - 1)]

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        return low + (high - low) * self._column(size)

    def give_back(self) -> None:
        """Let go of the points, which are large, where nothing more is drawn."""
        self._points = np.empty((0, self._points.shape[1]))

    def _column(self, size: Any) -> Uniform:
        count = int(np.prod(size))
        column = self._points[len(self._points) - count :, self._next % self._points.shape[1]]
        self._next += 1
        return np.asarray(column.reshape(size))
