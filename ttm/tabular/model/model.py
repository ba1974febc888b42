"""The model that one talks about: probabilities by class number, whatever library it comes from."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from backend.errors import ModelError
from ttm.tabular.data.schema import Schema

CHUNK_ROWS = 200_000
DECISIONS = "It gives decisions and no probabilities, so 0 and 1 stand for them"


@dataclass(frozen=True)
class CrossValidationScores:
    """Scores of a model on rows that it was not trained on: mean and standard deviation over the folds.

    Classification: `accuracy`, `f1` (of the positive class, or macro over several), `roc_auc` (one versus rest),
    `log_loss`, `calibration_error` (mean gap between predicted and observed frequency). Regression: `r2`,
    `mean_absolute_error`. `baseline` is the accuracy of always saying the most frequent class, or the mean absolute
    error of always saying the median.
    """

    folds: int
    rows: int
    means: Mapping[str, float]
    deviations: Mapping[str, float]
    baseline: float


class Model:
    """A fitted estimator, spoken to in frames with the columns of the schema and answered in class numbers.

    `estimator` is the fitted scikit-learn object or pipeline itself. `description` says in words what it is. `scores`
    are cross-validated, known only for models trained here. `decides` says that it gives classes and no probabilities.
    `rows_evaluated` counts the rows predicted so far. Safe to use from several threads.
    """

    def __init__(
        self,
        estimator: Any,
        schema: Schema,
        *,
        name: str,
        description: str,
        fingerprint: str,
        scores: CrossValidationScores | None = None,
    ) -> None:
        self.estimator = estimator
        self.name = name
        self.decides = schema.target.is_classification and not hasattr(estimator, "predict_proba")
        self.description = f"{description}. {DECISIONS}" if self.decides and DECISIONS not in description else description
        self.fingerprint = fingerprint
        self.scores = scores
        self.rows_evaluated = 0
        self._features = model_features(estimator, schema)
        self._is_classifier = schema.target.is_classification
        self._class_count = len(schema.target.classes)
        self._places = class_places(estimator, schema) if self._is_classifier else []
        self._reads_categories = hasattr(estimator, "booster_") or hasattr(estimator, "get_booster")
        self._lock = threading.Lock()

    def predict_proba(self, rows: pd.DataFrame | np.ndarray) -> np.ndarray:
        """Probability of each class, (rows, classes) float64, rows sum to 1; 1 for the class of a model that decides. Raises
        ModelError for a regression.

        A matrix holds what comes out of the first step of a pipeline.
        """
        if not self._is_classifier:
            raise ModelError("This model predicts a quantity, so it has no class probabilities.")
        result = np.zeros((len(rows), self._class_count))
        for start in range(0, len(rows), CHUNK_ROWS):
            chunk = rows[start : start + CHUNK_ROWS]
            part = self._decided(chunk) if not hasattr(self.estimator, "predict_proba") else self._call("predict_proba", chunk)
            result[start : start + len(part), self._places] = part
        total = result.sum(axis=1, keepdims=True)
        return np.asarray(result / np.where(total > 0, total, 1.0))

    def predict(self, rows: pd.DataFrame | np.ndarray) -> np.ndarray:
        """Class numbers (rows,) of the most probable class (0.5 and above is the positive of two), or floats.

        A matrix holds what comes out of the first step of a pipeline.
        """
        if self._is_classifier:
            return most_probable(self.predict_proba(rows))
        result = np.zeros(len(rows))
        for start in range(0, len(rows), CHUNK_ROWS):
            result[start : start + CHUNK_ROWS] = self._call("predict", rows[start : start + CHUNK_ROWS]).reshape(-1)
        return result

    def _decided(self, rows: pd.DataFrame | np.ndarray) -> np.ndarray:
        decided = self._call("predict", rows).reshape(-1, 1)
        return np.asarray(decided == np.asarray(self.estimator.classes_), dtype=float)

    def _call(self, method: str, rows: pd.DataFrame | np.ndarray) -> np.ndarray:
        try:
            if isinstance(rows, pd.DataFrame):
                result = np.asarray(getattr(self.estimator, method)(self._as_trained(rows)))
            else:
                result = np.asarray(getattr(self._behind_first, method)(rows))
        except ModelError:
            raise
        except Exception as error:  # any library, any of its exceptions
            raise ModelError(f"The model {self.name} failed on these rows: {type(error).__name__}: {error}") from error
        with self._lock:
            self.rows_evaluated += len(rows)
        return result

    @cached_property
    def _behind_first(self) -> Any:
        """The steps of a pipeline behind its first."""
        rest = self.estimator[1:]
        return rest if len(rest) > 1 else rest[0]

    def _as_trained(self, frame: pd.DataFrame) -> pd.DataFrame:
        if list(frame.columns) != self._features:
            frame = frame[self._features]
        if not self._reads_categories:
            return frame
        # LightGBM and XGBoost by themselves read text as pandas categories only, and match these with their training.
        texts = frame.columns[(frame.dtypes == "str") | (frame.dtypes == "object")]
        return frame.astype(dict.fromkeys(texts, "category")) if len(texts) else frame


def most_probable(probabilities: np.ndarray) -> np.ndarray:
    """Class numbers (rows,) for probabilities (rows, classes); of two classes the positive one wins a tie."""
    if probabilities.shape[1] == 2:
        return (probabilities[:, 1] >= 0.5).astype(np.int64)
    return np.asarray(probabilities.argmax(axis=1), dtype=np.int64)


def estimator_features(estimator: Any) -> list[str] | None:
    """Names of the columns that a fitted estimator reads, in its order, if it remembers them."""
    for part in _with_first_steps(estimator):
        names = getattr(part, "feature_names_in_", None)
        if names is None and hasattr(part, "booster_"):
            names = getattr(part, "feature_name_", None)
        if names is not None:
            return [str(name) for name in names]
    return None


def _with_first_steps(estimator: Any) -> list[Any]:
    steps = getattr(estimator, "steps", None)
    return [estimator, steps[0][1]] if steps else [estimator]


def model_features(estimator: Any, schema: Schema) -> list[str]:
    """The schema's columns in the order that the estimator wants. Raises ModelError if they do not fit."""
    present = [feature.name for feature in schema.features]
    wanted = estimator_features(estimator)
    if wanted is None:
        count = getattr(estimator, "n_features_in_", len(present))
        if count != len(present):
            raise ModelError(
                f"The model reads {count} columns without remembering their names, but the data has "
                f"{len(present)} features; train it on a DataFrame, or name columns to `ignore`."
            )
        return present
    missing = [name for name in wanted if name not in present]
    if missing:
        raise ModelError(
            f"The model was trained on columns that the data lacks: {', '.join(missing[:20])}; the data "
            f"has {', '.join(present[:40])}."
        )
    return wanted


def is_numbered(estimator: Any, schema: Schema) -> bool:
    """Whether an estimator numbers its classes, and nobody stated which of the table's texts each number stands for."""
    target = schema.target
    own = [item.item() if hasattr(item, "item") else item for item in getattr(estimator, "classes_", [])]
    texts = all(isinstance(value, str) for value in target.class_values)
    return bool(own) and texts and not target.model_values and own == list(range(len(target.classes)))


def class_places(estimator: Any, schema: Schema) -> list[int]:
    """Class number of each column of the estimator's probabilities, or of each class that it decides for.

    Its `classes_` may be the target's values, their class numbers (as XGBoost wants) or the class names.
    Raises ModelError if it is no classifier, or has classes that the target does not have.
    """
    if not hasattr(estimator, "predict_proba") and not hasattr(estimator, "predict"):
        raise ModelError(f"This is of the type {type(estimator).__name__} and no model: it has no predict_proba or predict.")
    target, own_values = schema.target, list(schema.target.class_values)
    own = [item.item() if hasattr(item, "item") else item for item in getattr(estimator, "classes_", [])]
    numbers, texts = list(range(len(target.classes))), [str(value) for value in own_values]
    stated = [texts.index(value) for value in target.model_values]
    if stated and own and all(value in numbers for value in own):
        return [stated[value] for value in own]
    for known in (own_values, texts, numbers, list(target.classes)):
        if own and all(value in known for value in own):
            return [known.index(value) for value in own]
    raise ModelError(
        f"The model's classes are {', '.join(map(str, own)) or 'unknown'}, but the values of "
        f"{target.name!r} are {', '.join(map(str, target.class_values))}."
    )
