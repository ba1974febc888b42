"""Rows that are in memory: lists of mappings, data frames and `datasets.Dataset`, in and out."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from backend.errors import ParleyError
from backend.program.extras import require


def rows_of(data: Any, error: type[ParleyError]) -> list[dict[str, Any]]:
    """The rows of a DataFrame, of what has `to_list()` (`datasets.Dataset`), or of any iterable of mappings.

    Missing cells of a DataFrame are left out. Raises `error` naming the first row that is no mapping.
    """
    if hasattr(data, "to_dict") and hasattr(data, "columns"):
        return [{str(name): value for name, value in row.items() if not _missing(value)} for row in data.to_dict("records")]
    if hasattr(data, "to_list") and hasattr(data, "column_names"):
        data = data.to_list()
    if isinstance(data, str | bytes | Mapping) or not isinstance(data, Iterable):
        raise error(f"Rows are a list of mappings, a DataFrame or a datasets.Dataset, not {type(data).__name__}.")
    rows = list(data)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise error(f"Row {number} is no mapping of names to values but {type(row).__name__}.")
    return [{str(name): value for name, value in row.items()} for row in rows]


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)


def as_dataset(rows: Iterable[Mapping[str, Any]]) -> Any:
    """A `datasets.Dataset` of rows whose values are JSON. Raises SettingsError if the library is not installed."""
    require("datasets")
    import datasets

    return datasets.Dataset.from_list([json.loads(json.dumps(dict(row), default=str)) for row in rows])
