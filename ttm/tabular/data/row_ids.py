"""Which column identifies the rows: the stated one, an unnamed index, or one whose name and values say so."""

import re

import pandas as pd
from pandas.api.types import is_float_dtype, is_integer_dtype

from backend.errors import DatasetError
from ttm.tabular.data.dataset_config import DatasetConfig
from ttm.tabular.data.schema import readable

FEWEST_ROWS = 20  # in fewer, whole numbers of any column may all differ
NUMBERED = re.compile(r"(?:.*\s)?(?:no|nr|num|number|code|key|identifier|\S*nummer|\S*#|№)")
POSTAL = re.compile(r".*\b(?:zip|post|postal|postcode)\b.*")
OTHERWISE = "the form or a dataset.toml can name another one or none"


def row_ids(frame: pd.DataFrame, config: DatasetConfig, read: frozenset[str], notes: list[str]) -> tuple[pd.Index, str | None]:
    """Return the index of the rows (n,) one talks about, and the column that it came from, None where they are numbered.

    Columns in `read` are features: a model reads them, or somebody described them. A column that is taken without being
    stated goes into `notes`. Raises DatasetError if the stated column is missing, or not unique.
    """
    if isinstance(config.id, str):
        if config.id not in frame.columns:
            raise no_column(config.id, frame)
        return _checked_ids(frame[config.id]), config.id
    if config.id is False:
        return pd.RangeIndex(len(frame), name="id"), None
    for name in stray_index(frame):
        notes.append("The unnamed first column was taken as the row ids.")
        return _checked_ids(frame[name]).rename("id"), name
    for name in _identifiers(frame, read | {config.target, *config.ignore}):
        notes.append(f"Column {name} was taken as the row ids, since each row has its own; {OTHERWISE}.")
        return _checked_ids(frame[name]), name
    return pd.RangeIndex(len(frame), name="id"), None


def stray_index(frame: pd.DataFrame | None) -> list[str]:
    """An index that was written without a name, as spreadsheets and pandas do."""
    if frame is None:
        return []
    first = str(frame.columns[0])
    return [first] if first.startswith("Unnamed: 0") and frame[first].is_unique and frame[first].notna().all() else []


def no_column(name: str, frame: pd.DataFrame) -> DatasetError:
    """The error for a column that is not there, with those that are."""
    shown = ", ".join(str(column) for column in frame.columns[:40])
    return DatasetError(f"There is no column {name!r}; the columns are {shown}.")


def _identifiers(frame: pd.DataFrame, others: frozenset[str]) -> list[str]:
    """Columns that are called an identifier and hold one, none twice, none missing.

    Called an id: whole numbers or short codes. Called a number or a code: whole numbers of many rows, since a postal code or
    the number of something can be called so too.
    """
    names = {str(name): readable(str(name)).lower() for name in frame.columns if str(name) not in others}
    complete = [name for name in names if frame[name].notna().all() and frame[name].is_unique]
    ids = [name for name in complete if names[name].split()[-1:] == ["id"] and not is_float_dtype(frame[name].dtype)]
    numbers = [name for name in complete if len(frame) >= FEWEST_ROWS and is_integer_dtype(frame[name].dtype)]
    return ids + [name for name in numbers if NUMBERED.fullmatch(names[name]) and not POSTAL.fullmatch(names[name])]


def _checked_ids(column: pd.Series) -> pd.Index:
    if column.isna().any():
        first = int(column.isna().argmax()) + 1
        raise DatasetError(f"The id column {column.name!r} has missing values, the first in row {first}.")
    if not column.is_unique:
        twice = column[column.duplicated()].iloc[0]
        raise DatasetError(f"The id column {column.name!r} is not unique: {twice} occurs more than once.")
    if is_float_dtype(column.dtype):
        whole = bool((column == column.round()).all())
        column = column.astype("int64") if whole else column.astype("str")
    index: pd.Index = pd.Index(column, name=str(column.name))
    return index
