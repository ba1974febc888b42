"""Results that took long to compute, kept in memory and in a folder under the key of what they were computed from.

A value is JSON with numpy arrays anywhere in it. It lies in a `.npz` file that is read with `allow_pickle=False`: a
file that somebody else put into the folder can be wrong, but it cannot run code.
"""

import json
import logging
import os
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cachetools import LRUCache

from backend.errors import CacheError

MEGABYTE = 1_000_000
ARRAY = "__array__"  # stands in the JSON for an array, with its number; a dict that has this key itself is refused
JSON = "json"
# What numpy, zipfile and json raise between them on files that are cut, altered or of another kind.
UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Packed:
    """A value taken apart. The arrays are read-only, so that every reader may have the same ones."""

    text: str
    arrays: tuple[np.ndarray[Any, Any], ...]

    @property
    def size(self) -> int:
        return len(self.text) + sum(array.nbytes for array in self.arrays)


class Cache:
    """A folder of results of at most `max_bytes`, the longest unused of which are deleted first.

    Keys come from `backend.storage.content_key`. Values may be None, booleans, numbers, text, lists, tuples (which come back as
    lists), dicts with text keys and numpy arrays that hold no objects (which come back read-only). Threads, and several
    processes, may share one folder. Raises CacheError if the folder cannot be made.
    """

    def __init__(self, folder: Path, max_bytes: int = 1000 * MEGABYTE, memory_bytes: int = 100 * MEGABYTE) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._memory: LRUCache[str, _Packed] = LRUCache(memory_bytes, getsizeof=lambda packed: packed.size)
        self._lock = threading.Lock()
        self._computing: dict[str, _Turn] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CacheError(f"The cache folder {folder} cannot be made: {error.strerror or error}.") from error
        self._disk_used = sum(size for _, size, _ in self._files())

    def get(self, key: str) -> Any:
        """The value under `key`. Raises KeyError if there is none, or its file is damaged (which is then deleted)."""
        with self._lock:
            packed = self._memory.get(key)
        if packed is None:
            packed = self._read(key)
            self._remember(key, packed)
        return _unpack(packed)

    def put(self, key: str, value: object) -> None:
        """Keep `value` under `key`. Raises CacheError if it holds what cannot be kept; a full disk is only logged."""
        packed = _pack(value)
        self._remember(key, packed)
        try:
            self._write(key, packed)
        except OSError as error:
            log.warning("A result could not be kept in %s: %s", self._folder, error)

    def get_or_compute(self, key: str, compute: Callable[[], object]) -> Any:
        """The value under `key`, computed and kept if it is not there; who asks meanwhile waits for that computation.

        The value returned went through the cache also the first time, so that nobody sees tuples that later are lists.
        """
        with suppress(KeyError):
            return self.get(key)
        with self._lock:
            turn = self._computing.setdefault(key, _Turn())
            turn.waiting += 1
        try:
            with turn.lock:
                with suppress(KeyError):
                    return self.get(key)
                value = compute()
                self.put(key, value)
                return _unpack(_pack(value))
        finally:
            with self._lock:
                turn.waiting -= 1
                if not turn.waiting:
                    self._computing.pop(key, None)

    def _remember(self, key: str, packed: _Packed) -> None:
        with self._lock, suppress(ValueError):  # larger than all that is kept in memory
            self._memory[key] = packed

    def _path(self, key: str) -> Path:
        if not key.isalnum():
            raise CacheError(f"{key!r} is no cache key; use content_key.")
        return self._folder / key[:2] / f"{key}.npz"

    def _read(self, key: str) -> _Packed:
        path = self._path(key)
        try:
            with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                packed = _Packed(
                    file[JSON].tobytes().decode(), tuple(_frozen(file[str(n)]) for n in range(len(file.files) - 1))
                )
            _unpack(packed)
            os.utime(path)
        except FileNotFoundError:
            raise KeyError(key) from None
        except UNREADABLE as error:
            log.warning("The damaged cache file %s is deleted: %s", path, error)
            with suppress(OSError):
                path.unlink()
            raise KeyError(key) from error
        return packed

    def _write(self, key: str, packed: _Packed) -> None:
        path = self._path(key)
        path.parent.mkdir(exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                arrays: dict[str, Any] = {str(number): array for number, array in enumerate(packed.arrays)}
                arrays[JSON] = np.frombuffer(packed.text.encode(), np.uint8)
                np.savez(file, allow_pickle=False, **arrays)
            os.replace(name, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise
        with self._lock:
            self._disk_used += path.stat().st_size
            if self._disk_used > self._max_bytes:
                self._evict()

    def _evict(self) -> None:
        """Delete the longest unused files until a tenth is free again; also counts again what lies in the folder."""
        files = sorted(self._files())
        self._disk_used = sum(size for _, size, _ in files)
        for _, size, path in files:
            if self._disk_used <= 0.9 * self._max_bytes:
                return
            with suppress(OSError):
                path.unlink()
            self._disk_used -= size

    def _files(self) -> list[tuple[float, int, Path]]:
        rows = []
        for path in self._folder.glob("??/*"):
            with suppress(OSError):
                about = path.stat()
                rows.append((about.st_mtime, about.st_size, path))
        return rows


class _Turn:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waiting = 0


def _pack(value: object) -> _Packed:
    arrays: list[np.ndarray[Any, Any]] = []
    try:
        return _Packed(json.dumps(_plain(value, arrays)), tuple(arrays))
    except (TypeError, ValueError, RecursionError) as error:
        raise CacheError(f"This value cannot be kept in the cache: {error}.") from error


def _plain(value: object, arrays: list[np.ndarray[Any, Any]]) -> object:
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            raise TypeError("an array of objects")
        arrays.append(_frozen(value.copy()))
        return {ARRAY: len(arrays) - 1}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        if ARRAY in value or not all(isinstance(key, str) for key in value):
            raise TypeError(f"a dict with a key that is no text, or is {ARRAY}")
        return {key: _plain(one, arrays) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one, arrays) for one in value]
    return value


def _unpack(packed: _Packed) -> Any:
    return json.loads(packed.text, object_hook=lambda value: packed.arrays[value[ARRAY]] if value.keys() == {ARRAY} else value)


def _frozen(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array.flags.writeable = False
    return array
