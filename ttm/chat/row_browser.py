"""The rows of a data set as a person looks through them: filtered by words and comparisons, with the model's predictions."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from backend.errors import ExecutionError
from ttm.operations.rendering.answer import value_text
from ttm.tabular.data.schema import Feature, FeatureKind, Schema
from ttm.tabular.subject import Subject

ROWS_SHOWN = 200
COMPARISON = re.compile(r"^(?P<name>.+?)\s*(?P<sign>>=|<=|!=|=|>|<)\s*(?P<value>.+)$")
SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


@dataclass(frozen=True)
class Page:
    """The rows to show as texts, the first column being the id; `matching` of `total` rows fit the filter."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    matching: int
    total: int


def browse(subject: Subject, query: str = "") -> Page:
    """The first rows that fit a filter such as `age > 40, purpose = car, married`.

    Parts between commas must all hold: a comparison with a feature, or words that stand somewhere in the row. Raises
    ExecutionError for a comparison that cannot be made.
    """
    parts = [part.strip() for part in query.split(",") if part.strip()]
    frame = subject.dataset.frame
    mask = np.ones(len(frame), dtype=bool)
    for part in parts:
        mask &= _fits(subject, part)
    positions = np.flatnonzero(mask)
    shown = positions[:ROWS_SHOWN]
    return Page(_columns(subject), tuple(_rows(subject, shown)), len(positions), len(frame))


def _fits(subject: Subject, part: str) -> npt.NDArray[np.bool_]:
    comparison = COMPARISON.match(part)
    frame = subject.dataset.frame
    if comparison is None:
        return _contains(frame, part, subject.schema)
    feature = _feature(comparison["name"], subject.schema)
    value, sign = comparison["value"].strip(), SIGNS[comparison["sign"]]
    column = frame[feature.name]
    if feature.kind is FeatureKind.NUMERIC:
        return np.asarray(sign(column, _number(value, feature)) & column.notna())
    if feature.kind is FeatureKind.DATE:
        return np.asarray(sign(column, _date(value, feature)) & column.notna())
    texts = column.map(lambda one: value_text(one, feature).lower())
    return np.asarray(sign(texts, value.lower()))


def _contains(frame: pd.DataFrame, words: str, schema: Schema) -> npt.NDArray[np.bool_]:
    """Rows whose id is `words`, or that hold them in a feature with named values."""
    wanted = words.lower()
    matching = np.asarray(frame.index.astype(str).str.lower() == wanted)
    for feature in schema.features:
        if feature.kind is FeatureKind.CATEGORICAL:
            matching |= frame[feature.name].astype(str).str.lower().str.contains(wanted, regex=False).to_numpy(dtype=bool)
    return matching


def _feature(name: str, schema: Schema) -> Feature:
    wanted = "".join(character for character in name.lower() if character.isalnum())
    for feature in schema.features:
        names = (feature.token, feature.label, *feature.synonyms)
        if wanted in ("".join(c for c in one.lower() if c.isalnum()) for one in names):
            return feature
    known = ", ".join(feature.label for feature in schema.features[:12])
    raise ExecutionError(f"There is no feature {name.strip()!r} to filter by. Features are: {known}.")


def _number(value: str, feature: Feature) -> float:
    try:
        return float(value)
    except ValueError:
        raise ExecutionError(f"{feature.label} is a number, so it cannot be compared with {value!r}.") from None


def _date(value: str, feature: Feature) -> pd.Timestamp:
    try:
        return pd.Timestamp(value)
    except ValueError:
        raise ExecutionError(f"{feature.label} is a date; write it like 2024-12-31, not {value!r}.") from None


def _columns(subject: Subject) -> tuple[str, ...]:
    outcome = ("true outcome",) if subject.dataset.labels is not None else ()
    return ("id", "prediction", *outcome, *(feature.label for feature in subject.schema.features))


def _rows(subject: Subject, positions: npt.NDArray[np.int_]) -> list[tuple[str, ...]]:
    schema, dataset = subject.schema, subject.dataset
    frame = dataset.frame.iloc[positions]
    predicted = [_outcome(value, schema) for value in subject.predictions[positions]]
    sides = [predicted]
    if dataset.labels is not None:
        sides.append([_outcome(value, schema) for value in dataset.labels[positions]])
    columns = [[value_text(value, feature) for value in frame[feature.name]] for feature in schema.features]
    ids = [str(one) for one in frame.index]
    return list(zip(ids, *sides, *columns, strict=True))


def _outcome(value: Any, schema: Schema) -> str:
    if not schema.target.is_classification:
        return "unknown" if np.isnan(value) else f"{value:,.{schema.target.precision}f}"
    return "unknown" if value < 0 else schema.target.classes[int(value)]


def row_question(row_id: str, parse: str) -> str:
    """The parse of a question about one row: `parse` after a filter for its id."""
    quoted = f'"{row_id}"' if " " in row_id else row_id
    return f"filter id {quoted} and {parse}"
