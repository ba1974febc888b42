"""What an operation found: typed results, without words or pictures.

Each family defines its results in `run.py` as frozen dataclasses on `Result`; its `render.py` turns them into text, tables and
figures; `as_json` into plain JSON with unrounded numbers.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from enum import Enum
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Group:
    """The rows that an answer speaks of.

    `words` completes "For ..." ("people with age greater than 30"); `changes` completes "if ..." ("age were increased by 5"),
    empty when nothing was changed. `rows` of `total` rows were selected. `ids` holds at most the first 20 identifiers.
    `notes` are caveats in whole sentences; `empty` tells why no row is left, if so.
    """

    words: str
    rows: int
    total: int
    ids: tuple[Any, ...] = ()
    changes: str = ""
    notes: tuple[str, ...] = ()
    empty: str = ""


@dataclass(frozen=True)
class Result:
    """Base of all results: the operation's surface and the group it was carried out on."""

    operation: str
    group: Group


@dataclass(frozen=True)
class Empty(Result):
    """No row is left to answer for; `reason` names the condition that emptied the group."""

    reason: str


@dataclass(frozen=True)
class Refused(Result):
    """The operation cannot be carried out here (a score without labels, an unknown id); `reason` says why in words."""

    reason: str


@dataclass(frozen=True)
class Versus(Result):
    """The same operation on several groups, in the order in which they were named; `shared` rows are in several of them."""

    results: tuple[Result, ...]
    shared: int = 0


def as_json(value: Any) -> Any:
    """Plain JSON for any result: dataclasses become objects, arrays lists, NaN and infinities null, dates ISO text."""
    if isinstance(value, Result):
        return {"type": type(value).__name__} | {f.name: as_json(getattr(value, f.name)) for f in fields(value)}
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: as_json(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, pd.DataFrame):
        return _records(value)
    if isinstance(value, pd.Series):
        return as_json(value.to_dict())
    if isinstance(value, Mapping):
        return {str(as_json(key)): as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | np.ndarray | pd.Index):
        return [as_json(item) for item in value]
    return _scalar(value)


def _records(frame: pd.DataFrame) -> list[Any]:
    """One object a row: its id under the name of the index ("row id" where a column has that name), then the values."""
    name = str(frame.index.name or "id")
    name = "row id" if name in frame.columns else name
    rows = frame.to_dict(orient="records")
    return [{name: as_json(id)} | as_json(row) for id, row in zip(frame.index, rows, strict=True)]


def _scalar(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NaT or value is pd.NA:
        return None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, date):
        return value.isoformat().removesuffix("T00:00:00")
    return value if isinstance(value, bool | int | str) else str(value)
