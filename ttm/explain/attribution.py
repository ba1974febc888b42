"""What an explanation by feature weights is, and what several of them say of a group."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ttm.language.parse import Method

Vector = npt.NDArray[np.float64]

SHAP = "shap"
EQUATION_1 = "equation 1"  # each row by the technique that equation 1 of the paper chooses
LIME = "lime-0.75"  # the library's default kernel width


@dataclass(frozen=True)
class Technique:
    """One way of weighing features. `width` is LIME's kernel width in units of the square root of the feature count.

    `weigh` is there for one that was added: weights and base of an encoded row, given the model's output for encoded rows.
    """

    key: str
    label: str
    width: float | None = None
    weigh: Callable[[Vector, Callable[[Any], Vector]], tuple[Vector, float]] | None = None


# In the order of preference where neither fidelity nor stability decides: SHAP first, since its values depend on no
# neighbourhood drawn at random, then LIME as its library sets it.
TECHNIQUES: dict[str, Technique] = {
    SHAP: Technique(SHAP, "SHAP"),
    LIME: Technique(LIME, "LIME (default width 0.75)", 0.75),
    "lime-0.5": Technique("lime-0.5", "LIME (width 0.5)", 0.5),
    "lime-1": Technique("lime-1", "LIME (width 1)", 1.0),
    "lime-0.25": Technique("lime-0.25", "LIME (width 0.25)", 0.25),
}


@dataclass(frozen=True)
class ExplanationCandidate:
    """What one technique says of one row.

    `weights` (d,) are signed towards the explained class, or towards a higher value for regression. `base` is what is left
    when all weights are taken away. `fidelity` is how far the output moves, on average over k, when the k highest features are
    hidden (`selection/hiding.py`) or, for `paper`, perturbed (equation 1): in probability or, for regression, in standard
    deviations of the predictions. `stability`, 0 to 1, is None where it was not needed.
    """

    technique: str
    weights: Vector
    base: float
    fidelity: float
    stability: float | None = None

    @property
    def label(self) -> str:
        return TECHNIQUES[self.technique].label


@dataclass(frozen=True)
class HiddenFeatures:
    """How far the prediction moves on average when the `count` highest features take values of random training rows.

    `moved` is for the chosen technique, `at_random` for as many features drawn at random: in probability, or in the unit of the
    target. `better_than_shap` says that the chosen technique is not SHAP and does better by a paired 95 % interval.
    """

    count: int
    moved: float
    at_random: float
    better_than_shap: bool


@dataclass(frozen=True)
class Explanation:
    """Why the model predicts what it does for one row.

    `class_number` is the class that weights point towards: the positive one of two classes whatever was predicted, the
    predicted one of more, None for regression. `score` is its predicted probability or the predicted value. `chosen` is
    one of `candidates`; `reason` says how it came to be: "fidelity", "tie" (nothing did clearly better than SHAP), for `paper`
    "fidelity" or "stability" (it won a tie), or "asked". `hidden` is None for `paper`.
    `unknown` names features without a value in this row, which no method moved; their weight is 0. `samples` is the
    number of perturbations per measurement of fidelity, `rows_evaluated` what it all cost in rows given to the model.

    Where no technique has any fidelity, `moving` names the features of which a perturbation alone would move the output,
    often none for trees, which are flat between their cuts; it is None elsewhere.
    """

    method: Method
    chosen: ExplanationCandidate
    candidates: tuple[ExplanationCandidate, ...]
    reason: str
    class_number: int | None
    score: float
    unknown: tuple[str, ...]
    samples: int
    rows_evaluated: int
    model_seconds: float
    moving: tuple[str, ...] | None = None
    hidden: HiddenFeatures | None = None

    @property
    def weights(self) -> Vector:
        return self.chosen.weights

    @property
    def ranking(self) -> npt.NDArray[np.int_]:
        return ranking(self.chosen.weights)


@dataclass(frozen=True)
class Importance:
    """How much each feature matters over a group.

    All arrays are (d,). Features are ordered by `mean_absolute`, the mean absolute weight, with its 95 % interval from
    `absolute_low` to `absolute_high`. `mean_rank` is the mean over rows of a feature's rank by absolute weight (1 is the most
    important, equal weights share the mean of their ranks), `low` and `high` its 95 % interval (mean plus or minus 1.96
    standard errors), and `mean_weight` the mean signed weight (towards the positive class, the higher value, or with more than
    two classes each row's own predicted class). `first` to `last` is the 95 % interval of a feature's position among all
    `total` rows, the position itself where all were explained. `rows` of `total` rows were explained, spread evenly, by the
    technique `by`; `is_scaled` where exact Shapley values of the log odds were scaled to the probability. `fidelity` is the
    mean, None where it was not measured.
    """

    features: tuple[str, ...]
    mean_rank: Vector
    low: Vector
    high: Vector
    mean_absolute: Vector
    absolute_low: Vector
    absolute_high: Vector
    mean_weight: Vector
    first: npt.NDArray[np.int_]
    last: npt.NDArray[np.int_]
    rows: int
    total: int
    method: Method
    by: str
    is_scaled: bool = False
    fidelity: float | None = None

    @property
    def order(self) -> npt.NDArray[np.int_]:
        """Places of the features from most to least important; equal weights go by mean rank, and for `paper` the reverse."""
        if self.method is Method.PAPER:
            return np.lexsort((-self.mean_absolute, self.mean_rank))
        return np.lexsort((self.mean_rank, -self.mean_absolute))


def technique_name(key: str) -> str:
    """What a technique is called, or the choice among them by equation 1."""
    return "the method that equation 1 chooses for each row" if key == EQUATION_1 else TECHNIQUES[key].label


def ranking(weights: Vector) -> npt.NDArray[np.int_]:
    """Places of the features by absolute weight, largest first; equal ones in schema order."""
    return np.argsort(-np.abs(weights), kind="stable")
