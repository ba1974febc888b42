"""A data frame that is in memory, as the table that a CSV file would be read into, with the way back to how it was."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_integer_dtype, is_numeric_dtype, is_object_dtype, is_string_dtype

from backend.errors import DatasetError
from ttm.tabular.data.csv_table import CsvTable, without_infinity

ROW = "row"  # the name of the ids of a frame whose index has none


@dataclass(frozen=True)
class FrameTable:
    """`table` has text names and plain types; `labels` and `types` are the columns as they were, by their text names.

    `id` names the column that the index became; None where the rows are only numbered.
    """

    table: CsvTable
    labels: Mapping[str, Hashable]
    types: Mapping[str, Any]
    id: str | None

    def is_as_before(self, columns: list[str]) -> bool:
        """Whether these columns have in `table` the names and types that they had."""
        frame = self.table.frame
        return all(self.labels[name] == name and frame[name].dtype == self.types[name] for name in columns)

    def restored(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rows of `table`, perhaps changed, with the names and types that the columns had."""
        columns = {}
        for name in map(str, frame.columns):
            wanted = self.types[name]
            columns[self.labels[name]] = frame[name] if frame[name].dtype == wanted else _cast(frame[name], wanted)
        return pd.DataFrame(columns, index=frame.index, copy=False)


def frame_table(frame: Any) -> FrameTable:
    """Take a pandas DataFrame, or what has `to_pandas()` (`datasets.Dataset`, polars, pyarrow), as a table.

    An index that is more than the numbers from 0 on becomes the ids of the rows. The frame itself stays as it is.
    Raises DatasetError for anything else, for no rows, and for two columns of one name.
    """
    frame = _as_pandas(frame)
    if frame.empty:
        raise DatasetError("The frame has no rows; at least two with different outcomes are needed.")
    names = [str(name) for name in frame.columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DatasetError(f"The frame has several columns with the name {twice[0]!r}; give each a name of its own.")
    labels = dict(zip(names, frame.columns, strict=True))
    types = {name: frame[label].dtype for name, label in labels.items()}
    table = pd.DataFrame({name: _plain(frame[label], name) for name, label in labels.items()})
    id = _id_name(frame.index, names)
    if id is not None:
        table.insert(0, id, list(frame.index))
    notes: list[str] = []
    table = without_infinity(table.reset_index(drop=True), notes)
    return FrameTable(CsvTable(table, tuple(notes)), labels, types, id)


def _as_pandas(frame: Any) -> pd.DataFrame:
    if isinstance(frame, pd.DataFrame):
        return frame
    if hasattr(frame, "to_pandas"):
        converted = frame.to_pandas()
        if isinstance(converted, pd.DataFrame):
            return converted
    raise DatasetError(
        f"The rows must be a pandas DataFrame, or have to_pandas() (datasets.Dataset, polars), not {type(frame).__name__}."
    )


def _id_name(index: pd.Index, names: list[str]) -> str | None:
    if isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1:
        return None
    if not index.is_unique:
        raise DatasetError(f"The index of the frame is not unique: {index[index.duplicated()][0]!r} occurs more than once.")
    name = str(index.name) if index.name is not None else ROW
    while name in names:
        name += "_id"
    return name


def _plain(column: pd.Series, name: str) -> pd.Series:
    """A column with one of the types that a CSV file is read into: numbers, booleans, dates, text."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object).infer_objects()
    if pd.api.types.is_extension_array_dtype(column.dtype) and not is_string_dtype(column.dtype):
        column = _without_masks(column)
    if is_object_dtype(column.dtype):
        column = column.infer_objects()
    if is_object_dtype(column.dtype) or is_string_dtype(column.dtype):
        strange = next(
            (value for value in column.dropna().head(1000) if isinstance(value, list | dict | set | np.ndarray)), None
        )
        if strange is not None:
            raise DatasetError(f"Column {name!r} holds {type(strange).__name__} values; a cell is a number, a text or a date.")
        booleans = column.dropna().map(lambda value: isinstance(value, bool | np.bool_))
        return column if len(booleans) and booleans.all() else column.astype("str")
    return column.astype("float64") if is_numeric_dtype(column.dtype) and column.dtype in ("float32", "float16") else column


def _without_masks(column: pd.Series) -> pd.Series:
    """Nullable numbers and booleans as numpy has them."""
    if is_bool_dtype(column.dtype):
        return column.astype(object).where(column.notna(), None) if column.isna().any() else column.astype(bool)
    if is_integer_dtype(column.dtype) and not column.isna().any():
        return column.astype("int64")
    return column.astype("float64") if is_numeric_dtype(column.dtype) else column


def _cast(column: pd.Series, wanted: Any) -> pd.Series:
    """A column with the type that it had; where a changed value does not fit that type, as it is."""
    try:
        if isinstance(wanted, pd.CategoricalDtype):
            return pd.Series(pd.Categorical(column.astype(wanted.categories.dtype), dtype=wanted), index=column.index)
        return column.astype(wanted)
    except (ValueError, TypeError):
        return column
