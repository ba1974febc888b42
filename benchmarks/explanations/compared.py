"""What a comparison with another library is made of: one figure by both sides, with the seconds of each."""

import importlib
import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
TOP = 3


@dataclass(frozen=True)
class Beside:
    """One figure by ours and by a library: seconds of each, and the largest difference of the values. `means` are the means of
    both where the values are of many rows. `left_out` says why nothing was measured."""

    what: str
    library: str
    ours: float = 0.0
    theirs: float = 0.0
    difference: float = 0.0
    same_first: bool | None = None
    means: tuple[float, float] | None = None
    left_out: str = ""

    @property
    def ratio(self) -> float | None:
        """Our seconds divided by theirs."""
        return self.ours / self.theirs if self.theirs else None


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call returns, and its processor seconds."""
    start = time.process_time()
    return call(), time.process_time() - start


def missing(module: str) -> str:
    """Why a library cannot be compared with, or nothing where it can."""
    if not importlib.util.find_spec(module):
        return f"{module} is not installed"
    try:
        importlib.import_module(module)
    except ImportError as error:
        return f"{module} cannot be imported: {error}"
    return ""


def of_features(what: str, library: str, ours: tuple[Vector, float], theirs: tuple[Vector, float]) -> Beside:
    """Values of features (d,) and seconds of both sides; whether the highest of them are the same."""
    first = [np.argsort(-values, kind="stable")[:TOP].tolist() for values in (ours[0], theirs[0])]
    return Beside(what, library, ours[1], theirs[1], float(np.abs(ours[0] - theirs[0]).max()), first[0] == first[1])


def of_rows(what: str, library: str, ours: tuple[Vector, float], theirs: tuple[Vector, float]) -> Beside:
    """Values of rows (n,) and seconds of both sides, with their means; rows without a value on either side do not count."""
    known = np.isfinite(ours[0]) & np.isfinite(theirs[0])
    if not known.any():
        return Beside(what, library, left_out="no row has a value")
    means = float(ours[0][known].mean()), float(theirs[0][known].mean())
    return Beside(what, library, ours[1], theirs[1], float(np.abs(ours[0] - theirs[0])[known].max()), None, means)


def line_of(figure: Beside) -> str:
    """One figure for a terminal."""
    start = f"{figure.what}, beside {figure.library}:"
    if figure.left_out:
        return f"{start} left out, {figure.left_out}"
    first = "" if figure.same_first is None else f", first {TOP} {'the same' if figure.same_first else 'differ'}"
    means = "" if figure.means is None else f", means {figure.means[0]:.4f} and {figure.means[1]:.4f}"
    ratio = "" if figure.ratio is None else f" (ratio {figure.ratio:.2f})"
    seconds = f"{figure.ours:.3f} and {figure.theirs:.3f} s{ratio}, " if figure.theirs else ""
    return f"{start} {seconds}largest difference {figure.difference:.2g}{means}{first}"
