"""Shapley values by the tree algorithm of the `shap` library, where the model is an ensemble of trees over single features.

The library is asked for the interventional values of the model's own output (probability or quantity) against a background,
and believed only if its values add up to what the model says. For boosted classifiers it scales values of the log odds, which
comes near those of the probability but is not exact. Everything in which its versions and model types differ is
here.

Source: Lundberg et al., "From Local Explanations to Global Understanding with Explainable AI for Trees".
"""

import threading
import warnings
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt
from cachetools import LRUCache, cachedmethod

from ttm.explain.attribution import Vector
from ttm.explain.coding import Matrix
from ttm.explain.scoring import Scorer
from ttm.explain.techniques.tree_inputs import tree_inputs, tree_learner
from ttm.tabular.model.model import class_places, model_features

COLUMNWISE = ("FrameEncoder", "SimpleImputer", "StandardScaler", "MinMaxScaler", "RobustScaler")
TREES = (
    "XGBClassifier", "XGBRegressor", "LGBMClassifier", "LGBMRegressor", "RandomForestClassifier",
    "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor", "DecisionTreeClassifier",
    "DecisionTreeRegressor", "GradientBoostingClassifier", "GradientBoostingRegressor",
    "HistGradientBoostingClassifier", "HistGradientBoostingRegressor",
)  # fmt: skip
BOOSTED = ("XGBClassifier", "LGBMClassifier", "GradientBoostingClassifier", "HistGradientBoostingClassifier")
# The library turns log odds into the probability of one class, not of several (softmax).
SOFTMAX = ("XGBClassifier", "GradientBoostingClassifier", "HistGradientBoostingClassifier")
TOLERANCE = 1e-4
PATTERNS_KEPT = 32


class TreeShapley:
    """The tree algorithm for one model and background (b, d); `is_usable` says whether the model lets it."""

    def __init__(self, scorer: Scorer, background: Matrix) -> None:
        self._scorer = scorer
        self._background = background
        self._explainers: LRUCache[bytes, Any] = LRUCache(PATTERNS_KEPT)
        self._lock = threading.RLock()
        self._output = ""
        self._checked = False

    @property
    def is_usable(self) -> bool:
        """Found out at the first call, by comparing with the model on some background rows."""
        with self._lock:
            if not self._checked:
                self._output = self._working_output()
                self._checked = True
        return bool(self._output)

    @property
    def is_exact(self) -> bool:
        """Whether values are those of the output itself, not of log odds scaled to probabilities."""
        return self.is_usable and (self._output == "raw" or type(tree_learner(self._scorer)).__name__ not in BOOSTED)

    @property
    def leaves(self) -> int:
        """How many leaves the trees have, which each row is set beside each background row in."""
        explainer = self._explainer(np.zeros(self._background.shape[1], dtype=bool), self._output)
        return int(sum((np.asarray(tree.children_left) < 0).sum() for tree in explainer.model.trees))

    def values(self, rows: Matrix, columns: npt.NDArray[np.int_]) -> tuple[Matrix, Vector]:
        """Values (n, d) of the model's output `columns` (n,), and the background's mean output (n,)."""
        weights, bases = np.zeros(rows.shape), np.zeros(len(rows))
        patterns = np.isnan(rows)
        for pattern in np.unique(patterns, axis=0):
            chosen = np.flatnonzero((patterns == pattern).all(axis=1))
            values, base = self._evaluated(rows[chosen], pattern, self._output)
            weights[chosen] = values[np.arange(len(chosen)), :, columns[chosen]]
            bases[chosen] = base[columns[chosen]]
        return weights, bases

    def values_of_group(self, rows: Matrix, columns: npt.NDArray[np.int_]) -> Matrix:
        """Values (n, d) of many rows at once, in which a missing value counts as a value like any other."""
        values, _ = self._evaluated(rows, np.zeros(rows.shape[1], dtype=bool), self._output)
        return np.asarray(values[np.arange(len(rows)), :, columns])

    def _working_output(self) -> str:
        if not _is_tree_pipeline(self._scorer.model.estimator) or _is_softmax(tree_learner(self._scorer)):
            return ""
        shap_library()  # that it cannot be imported must not pass for a model that it cannot take
        rows = self._background[:: max(1, len(self._background) // 10)]
        expected = self._scorer.outputs(rows)
        nothing = np.zeros(rows.shape[1], dtype=bool)
        for output in ("probability", "raw") if self._scorer.is_classifier else ("raw",):
            try:
                values, base = self._evaluated(rows, nothing, output)
            except Exception:
                continue
            if values.shape[2] == expected.shape[1] and np.allclose(values.sum(axis=1) + base, expected, atol=TOLERANCE):
                return output
        return ""

    def _evaluated(self, rows: Matrix, pattern: npt.NDArray[np.bool_], output: str) -> tuple[Matrix, Vector]:
        """Values (n, d, k) for all k outputs of the model, and the base of each (k,)."""
        explainer = self._explainer(pattern, output)
        raw = np.asarray(explainer.shap_values(tree_inputs(self._scorer, rows), check_additivity=False), dtype=np.float64)
        base = np.atleast_1d(np.asarray(explainer.expected_value, dtype=np.float64))
        values = raw[:, :, None] if raw.ndim == 2 else raw
        values, base = self._by_class(values, base)
        places = [self._scorer.coding.names.index(name) for name in self._columns]
        ordered = np.zeros((len(rows), len(self._scorer.coding.names), values.shape[2]))
        ordered[:, places] = values
        ordered[:, pattern] = 0.0
        return ordered, base

    def _by_class(self, values: Matrix, base: Vector) -> tuple[Matrix, Vector]:
        """One output for each class of the target, in its order; the library gives binary boosters one for the positive."""
        if not self._scorer.is_classifier:
            return values, base
        schema = self._scorer.coding.schema
        if values.shape[2] == 1:
            values, base = np.concatenate([-values, values], axis=2), np.concatenate([1 - base, base])
        places = class_places(self._scorer.model.estimator, schema)
        placed = np.zeros((*values.shape[:2], len(schema.target.classes)))
        placed[:, :, places] = values
        bases = np.zeros(len(schema.target.classes))
        bases[places] = base
        return placed, bases

    @property
    def _columns(self) -> list[str]:
        return model_features(self._scorer.model.estimator, self._scorer.coding.schema)

    @cachedmethod(attrgetter("_explainers"), key=lambda self, pattern, output: (pattern.tobytes(), output))
    def _explainer(self, pattern: npt.NDArray[np.bool_], output: str) -> Any:
        background = self._background.copy()
        background[:, pattern] = np.nan
        return shap_library().TreeExplainer(
            tree_learner(self._scorer),
            data=tree_inputs(self._scorer, background),
            feature_perturbation="interventional",
            model_output=output,
        )


def shap_library() -> Any:
    """`shap`, whose plots are set up with what matplotlib is about to drop."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        import shap

    return shap


def _is_tree_pipeline(estimator: Any) -> bool:
    """Whether it is trees, behind nothing but steps that turn each feature into one column of its own."""
    steps = [step for _, step in getattr(estimator, "steps", [("", estimator)])]
    return type(steps[-1]).__name__ in TREES and all(type(step).__name__ in COLUMNWISE for step in steps[:-1])


def _is_softmax(learner: Any) -> bool:
    """Whether boosted trees give the probabilities of more than two classes."""
    return type(learner).__name__ in SOFTMAX and len(learner.classes_) > 2
