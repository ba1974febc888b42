"""A name for a piece of content: equal content gets the equal key, in any process and on any day."""

import dataclasses
import hashlib
import struct
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time, timedelta
from enum import Enum
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from backend.errors import CacheError


def content_key(*parts: object) -> str:
    """SHA-256, in 64 hexadecimal digits, over the types and contents of `parts`.

    Understands None, numbers, text, bytes, dates, paths, enums, numpy arrays, pandas frames, series and indexes, and
    lists, tuples, dicts, sets and dataclasses of these, nested as deep as they come. A list equals a tuple of the same
    content; the order of a dict or set does not count. Raises CacheError on any other type: its content is unknown.
    """
    return _digest(parts).hex()


def _digest(value: object) -> bytes:
    sha = hashlib.sha256()
    for piece in _pieces(value):
        sha.update(len(piece).to_bytes(8, "little"))
        sha.update(piece)
    return sha.digest()


def _pieces(value: object) -> Iterable[bytes | memoryview]:
    """The content of `value` as byte strings, of which the first says its type."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Enum):
        return (b"enum", _name(value), value.name.encode())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        return (b"dataclass", _name(value), *(_digest(field) for field in fields))
    for kind, pieces in _KINDS.items():
        if isinstance(value, kind):
            return pieces(value)
    raise CacheError(f"A {type(value).__module__}.{type(value).__qualname__} has no content key.")


def _name(value: object) -> bytes:
    return f"{type(value).__module__}.{type(value).__qualname__}".encode()


def _text(tag: bytes) -> Callable[[Any], Iterable[bytes]]:
    return lambda value: (tag, str(value).encode("utf-8", "surrogatepass"))


def _sequence(value: Iterable[object]) -> Iterable[bytes]:
    return (b"sequence", *map(_digest, value))


def _set(value: Iterable[object]) -> Iterable[bytes]:
    return (b"set", *sorted(map(_digest, value)))


def _mapping(value: Mapping[object, object]) -> Iterable[bytes]:
    return (b"mapping", *sorted(_digest(item) for item in value.items()))


def _array(value: np.ndarray[Any, Any]) -> Iterable[bytes | memoryview]:
    shape = repr((value.dtype.str, value.shape)).encode()
    if value.dtype.hasobject:
        return (b"objects", shape, *map(_digest, value.ravel()))
    flat = np.ascontiguousarray(value).reshape(-1)
    return (b"array", shape, flat.view(np.uint8).data if flat.nbytes else b"")


def _frame(value: pd.DataFrame) -> Iterable[bytes]:
    columns = (_digest(value.iloc[:, index].array) for index in range(value.shape[1]))
    return (b"frame", _digest(value.columns), _digest(value.index), *columns)


def _series(value: pd.Series) -> Iterable[bytes]:
    return (b"series", _digest(value.name), _digest(value.index), _digest(value.array))


def _index(value: pd.Index) -> Iterable[bytes]:
    if isinstance(value, pd.RangeIndex):
        return (b"range", repr((value.start, value.stop, value.step)).encode(), _digest(list(value.names)))
    if isinstance(value, pd.MultiIndex):
        return (b"levels", _digest(value.to_frame(index=False, allow_duplicates=True)))
    return (b"index", _digest(list(value.names)), _digest(value.array))


def _column(value: pd.api.extensions.ExtensionArray) -> Iterable[bytes]:
    dtype = str(value.dtype).encode()
    if isinstance(value, pd.arrays.NumpyExtensionArray):
        return (b"column", dtype, _digest(value.to_numpy()))
    # Text, categories, dates, nullable numbers: hashing each different value once makes a million rows quick.
    codes, different = pd.factorize(value)  # type: ignore[call-overload]  # the stubs lack the general array
    if isinstance(value.dtype, pd.CategoricalDtype):
        dtype += _digest((value.dtype.ordered, [(type(one).__name__, str(one)) for one in value.dtype.categories]))
    return (b"column", dtype, _digest(codes), *(str(one).encode("utf-8", "surrogatepass") for one in different))


_KINDS: dict[type | tuple[type, ...], Callable[[Any], Iterable[bytes | memoryview]]] = {
    type(None): lambda _: (b"none",),
    type(pd.NA): lambda _: (b"missing",),
    bool: _text(b"bool"),
    int: _text(b"int"),
    float: lambda value: (b"float", struct.pack("<d", value)),
    complex: lambda value: (b"complex", struct.pack("<dd", value.real, value.imag)),
    str: _text(b"text"),
    (bytes, bytearray): lambda value: (b"bytes", bytes(value)),
    PurePath: _text(b"path"),
    (datetime, date, time, timedelta): lambda value: (_name(value), repr(value).encode()),
    np.ndarray: _array,
    pd.DataFrame: _frame,
    pd.Series: _series,
    pd.Index: _index,
    pd.api.extensions.ExtensionArray: _column,
    (list, tuple): _sequence,
    (set, frozenset): _set,
    Mapping: _mapping,
}
