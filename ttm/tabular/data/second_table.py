"""A second table with the same columns: newer rows, or rows of another place, beside those that the model was trained on."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from backend.errors import DatasetError
from ttm.tabular.data.column_kinds import Unusable, usable_column
from ttm.tabular.data.csv_table import read_table
from ttm.tabular.data.frame_table import frame_table
from ttm.tabular.data.schema import Feature, FeatureKind, Schema

MOST_NAMED = 5
FEWEST_ROWS = 2


@dataclass(frozen=True)
class SecondTable:
    """Rows (n, d) with the columns and types of a data set, by id.

    `labels` (n,) are class numbers (-1 unknown) or values (NaN unknown), None where no outcome is known. `unseen` counts by
    column the categories that the data set does not have; in `frame` they are missing, as the model cannot read them.
    """

    name: str
    frame: pd.DataFrame
    labels: np.ndarray | None
    unseen: dict[str, dict[str, int]] = field(default_factory=dict)


def second_table(source: str | Path | Any, schema: Schema, like: pd.DataFrame) -> SecondTable:
    """Read a CSV file, or take a data frame, whose columns are those of `schema` and whose types those of `like`.

    Raises DatasetError for columns that are missing, or that hold something else than in the data set.
    """
    is_file = isinstance(source, str | Path)
    kinds = {feature.name: feature.kind for feature in schema.features if feature.kind is FeatureKind.CATEGORICAL}
    table = read_table(Path(source), kinds).frame if is_file else frame_table(source).table.frame
    name = Path(source).name if is_file else "the second table"
    missing = [feature.name for feature in schema.features if feature.name not in table.columns]
    if missing:
        more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
        raise DatasetError(
            f"{name} lacks the columns {', '.join(missing[:MOST_NAMED])}{more}; a second table needs all columns that the "
            "model reads, with the same names."
        )
    if len(table) < FEWEST_ROWS:
        raise DatasetError(f"{name} has {len(table)} row; at least {FEWEST_ROWS} can be compared.")
    table = table.set_axis(_ids(table, schema))
    columns: dict[str, pd.Series] = {}
    unseen: dict[str, dict[str, int]] = {}
    for feature in schema.features:
        columns[feature.name], strange = _column(table[feature.name], feature, like[feature.name].dtype, name)
        if strange:
            unseen[feature.name] = strange
    return SecondTable(name, pd.DataFrame(columns, index=table.index), _labels(table, schema), unseen)


def _ids(table: pd.DataFrame, schema: Schema) -> pd.Index:
    """The ids of the rows where they have their own, else numbers from 0 on."""
    name = schema.id_name
    if name is not None and name in table.columns and table[name].notna().all() and table[name].is_unique:
        index: pd.Index = pd.Index(table[name], name=name)
        return index
    return pd.RangeIndex(len(table), name="id")


def _column(column: pd.Series, feature: Feature, wanted: Any, name: str) -> tuple[pd.Series, dict[str, int]]:
    """A column as the data set has it, and how often it has each category that is not known there."""
    if column.notna().sum() == 0:
        return pd.Series(np.nan, index=column.index).astype(wanted if feature.kind is FeatureKind.DATE else "float64"), {}
    if feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE):
        try:
            usable = usable_column(column, feature.kind, required=True)
        except DatasetError as error:
            raise DatasetError(f"{name}: {error.message}") from error
        assert not isinstance(usable, Unusable), "a required column is never judged"
        return usable.series, {}
    known = {_text(value): value for value in feature.values}
    texts = column.map(_text, na_action="ignore")
    strange = Counter(text for text in texts.dropna() if text not in known)
    values = texts.map(known)
    return values.astype(wanted) if values.notna().all() else values, dict(strange)


def _labels(table: pd.DataFrame, schema: Schema) -> np.ndarray | None:
    target = schema.target
    if target.name not in table.columns or table[target.name].isna().all():
        return None
    if not target.is_classification:
        numbers = pd.to_numeric(table[target.name], errors="coerce").to_numpy(np.float64)
        return None if np.isnan(numbers).all() else numbers
    places = {_text(value): index for index, value in enumerate(target.class_values)}
    labels = table[target.name].map(_text, na_action="ignore").map(places).fillna(-1).to_numpy(np.int64)
    if (labels < 0).all():
        shown = ", ".join(_text(value) for value in target.class_values)
        raise DatasetError(f"None of the outcomes in {target.name!r} of the second table is one of {shown}.")
    return np.asarray(labels)


def _text(value: Any) -> str:
    """A value as a text by which it is known again: 1, 1.0 and "1" are the same."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()
