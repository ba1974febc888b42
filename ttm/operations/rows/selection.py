"""Which rows a filter selects.

Filters are evaluated on the unchanged data. A condition never holds for a missing value, except `missing` itself.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from backend.errors import ExecutionError
from ttm.language.describe_parse import condition_words
from ttm.language.parse import (
    CategoricalCondition,
    Comparator,
    Condition,
    Expression,
    IdCondition,
    LabelCondition,
    MissingCondition,
    NumericCondition,
    PredictionCondition,
    PreviousFilter,
    ProbabilityCondition,
    number_text,
)
from ttm.tabular.data.schema import Feature, FeatureKind, Schema
from ttm.tabular.model.model import most_probable
from ttm.tabular.subject import Subject

Mask = npt.NDArray[np.bool_]

COMPARE: dict[Comparator, Callable[[Any, Any], Any]] = {
    Comparator.GREATER: np.greater,
    Comparator.LESS: np.less,
    Comparator.GREATER_EQUAL: np.greater_equal,
    Comparator.LESS_EQUAL: np.less_equal,
    Comparator.EQUAL: np.equal,
    Comparator.NOT_EQUAL: np.not_equal,
}


@dataclass(frozen=True)
class Selected:
    """Rows of the data set that satisfy an expression: `mask` (n,), and why it is empty if it is."""

    mask: Mask
    reason: str = ""


class Selector:
    """Evaluates conditions on the unchanged rows of one subject.

    `previous` (n,) is what `previousfilter` stands for; `threshold` is the probability from which the positive class of a
    binary model is predicted, None for the most probable class.
    """

    def __init__(self, subject: Subject, previous: Mask | None = None, threshold: float | None = None) -> None:
        self.subject = subject
        self.frame = subject.dataset.frame
        self.schema = subject.dataset.schema
        self.previous = previous
        self.threshold = threshold

    def select(self, expression: Expression, within: Mask | None = None) -> Selected:
        """Rows of `within` (all rows when None) that satisfy the expression; an unknown id is a reason, not an error."""
        start = np.ones(len(self.frame), dtype=bool) if within is None else within
        mask, reasons = np.zeros(len(self.frame), dtype=bool), []
        for conjunction in expression:
            rows, reason = start, ""
            for condition in conjunction:
                narrowed = rows & self._mask(condition)
                if not reason and not narrowed.any():
                    reason = self._why_empty(condition, rows)
                rows = narrowed
            mask |= rows
            reasons.append(reason)
        return Selected(mask, "" if mask.any() else " ".join(dict.fromkeys(filter(None, reasons))))

    def _mask(self, condition: Condition) -> Mask:
        match condition:
            case NumericCondition(token, comparator, value):
                return self._compare(self.schema.by_token[token], comparator, value)
            case CategoricalCondition(token, value, negated):
                return self._category(self.schema.by_token[token], value, negated)
            case MissingCondition(token, missing):
                empty = self.frame[self.schema.by_token[token].name].isna().to_numpy()
                return np.asarray(empty if missing else ~empty)
            case IdCondition(id):
                return self._id(id.strip('"'))
            case LabelCondition(value, comparator):
                return self._label(value, comparator)
            case PredictionCondition(value, comparator):
                predicted = predictions(self.subject, self.threshold)
                return np.asarray(COMPARE[comparator or Comparator.EQUAL](predicted, value))
            case ProbabilityCondition(class_number, comparator, value):
                return np.asarray(COMPARE[comparator](self.subject.probabilities[:, class_number], value))
            case PreviousFilter():
                return np.ones(len(self.frame), dtype=bool) if self.previous is None else self.previous

    def _compare(self, feature: Feature, comparator: Comparator, value: float | str) -> Mask:
        column = self.frame[feature.name]
        known = column.notna().to_numpy()
        if feature.kind is FeatureKind.DATE:
            days = column.to_numpy().astype("datetime64[D]")  # a day equals every time of that day
            day = as_date(value).to_datetime64().astype("datetime64[D]")
            return np.asarray(known & COMPARE[comparator](days, day))
        return np.asarray(known & COMPARE[comparator](column.to_numpy(dtype=float, na_value=np.nan), float(value)))

    def _category(self, feature: Feature, token: str, negated: bool) -> Mask:
        column = self.frame[feature.name]
        wanted = [value for value in feature.values if feature.value_token(value) == token]
        mask = column.isin(wanted).to_numpy()
        return np.asarray(~mask & column.notna().to_numpy() if negated else mask)

    def _id(self, wanted: str) -> Mask:
        """Ids are compared as text without regard to case, but an exact id wins over one in other letters."""
        index = self.frame.index
        if pd.api.types.is_integer_dtype(index):
            return np.asarray(index == int(wanted)) if wanted.removeprefix("-").isdecimal() else np.zeros(len(index), bool)
        text = index.astype(str)
        exact = np.asarray(text == wanted)
        return exact if exact.any() else np.asarray(text.str.lower() == wanted.lower())

    def _label(self, value: float, comparator: Comparator | None) -> Mask:
        labels = self.subject.dataset.labels
        if labels is None:
            raise ExecutionError("This data set holds no true outcomes, so rows cannot be chosen by them.")
        return np.asarray(known_labels(labels) & COMPARE[comparator or Comparator.EQUAL](labels, value))

    def _why_empty(self, condition: Condition, rows: Mask) -> str:
        if isinstance(condition, IdCondition):
            return self._why_no_id(condition.id.strip('"'))
        words, left = condition_words(condition, self.schema), int(rows.sum())
        if rows.all():
            reason = f"There are no {self.schema.entity} {words}."
        elif left:
            reason = f"Among the {left:,} {self.schema.entity} that were left, there are none {words}."
        else:
            return f"No {self.schema.entity} were left to choose from."
        return reason + (self._observed(condition.feature, rows) if isinstance(condition, NumericCondition) else "")

    def _observed(self, token: str, rows: Mask) -> str:
        feature = self.schema.by_token[token]
        column = self.frame.loc[rows, feature.name].dropna()
        if column.empty:
            return f" No value of {feature.label} is known for them."
        if feature.kind is FeatureKind.DATE:
            return f" Dates go from {column.min():%Y-%m-%d} to {column.max():%Y-%m-%d}."
        low, high = f"{column.min():.{feature.precision}f}", f"{column.max():.{feature.precision}f}"
        whose = f"In the data, {feature.label}" if rows.all() else f"Their {feature.label}"
        return f" {whose} goes from {low} to {high}."

    def _why_no_id(self, wanted: str) -> str:
        index = self.frame.index
        if self._id(wanted).any():
            return f"The instance with id {wanted} does not satisfy the conditions before it."
        if pd.api.types.is_integer_dtype(index):
            valid = f"Ids go from {index.min()} to {index.max()}"
            if not wanted.removeprefix("-").isdecimal():
                return f'There is no id "{wanted}". {valid}.'
            order = np.argsort(np.abs(index.to_numpy().astype(float) - float(wanted)), kind="stable")[:3]
            nearest = ", ".join(str(i) for i in sorted(index[order]))
            return f"There is no id {wanted}. {valid}; the nearest are {nearest}."
        from rapidfuzz import process

        near = process.extract(wanted, [str(i) for i in index[:100_000]], limit=3)
        return f'There is no id "{wanted}". Ids that look like it: {", ".join(name for name, _, _ in near)}.'


def predictions(subject: Subject, threshold: float | None) -> npt.NDArray[Any]:
    """Predictions (n,) of the unchanged rows: class numbers, or values for regression."""
    return subject.predictions if threshold is None else apply_threshold(subject.probabilities, threshold)


def known_labels(labels: npt.NDArray[Any]) -> Mask:
    """Which labels (n,) are known: class numbers from 0, or values that are not NaN."""
    return np.asarray(labels >= 0) if labels.dtype.kind in "iu" else ~np.isnan(labels)


def check_threshold(threshold: float, schema: Schema) -> None:
    """Raises ExecutionError where a decision threshold has no meaning: no classes, more than two, or not within 0 and 1."""
    if not schema.target.is_classification:
        raise ExecutionError("This model predicts a number, not classes, so it has no decision threshold.")
    if len(schema.target.classes) != 2:
        raise ExecutionError("A decision threshold has a meaning for two classes only; this model has more.")
    if not 0 <= threshold <= 1:
        raise ExecutionError(f"A decision threshold is a probability from 0 to 1, such as 0.3; {threshold:g} is not.")


def apply_threshold(probabilities: npt.NDArray[Any], threshold: float | None) -> npt.NDArray[Any]:
    """Class numbers (n,): of a binary model the positive class from `threshold` on, without one the most probable class."""
    return most_probable(probabilities) if threshold is None else (probabilities[:, 1] >= threshold).astype(np.int64)


def as_date(value: float | str) -> pd.Timestamp:
    """A day from ISO text. Raises ExecutionError for a day that does not exist."""
    try:
        return pd.Timestamp(str(value)).as_unit("s")
    except (ValueError, OverflowError):
        raise ExecutionError(f'"{value}" is not a date; write it as YYYY-MM-DD.') from None


def flag_condition(condition: Condition, feature: Feature | None) -> str | None:
    """A note when a condition names a value that the feature never comes near."""
    if not isinstance(condition, NumericCondition) or feature is None or feature.kind is not FeatureKind.NUMERIC:
        return None
    low, high = feature.low, feature.high
    if low is None or high is None or low <= float(condition.value) <= high:
        return None
    value = number_text(condition.value)
    bounds = f"{low:.{feature.precision}f} to {high:.{feature.precision}f}"
    return f"No {feature.label} of {value} occurs in the data, where it goes from {bounds}."
