"""Weights that stay in their file: the system reads what is looked at, and all processes share it.

Of a table of 30,000 word vectors a conversation looks at a few hundred; the whole takes 47 MB of memory.
"""

import json
import mmap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from backend.errors import LanguageModelError

LENGTH = 8  # bytes before the header of a safetensors file, which hold its length
NUMBERS = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "I64": np.dtype("<i8"), "I8": np.dtype("i1"), "U8": np.dtype("u1")}


class MappedWeights(Mapping[str, npt.NDArray[np.float32]]):
    """The matrices of a safetensors file by their names, not to be written to.

    Raises LanguageModelError if the file is none, and OSError if it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._file = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            length = int.from_bytes(self._file[:LENGTH], "little")
            header = json.loads(self._file[LENGTH : LENGTH + length])
            self._arrays = {
                name: self._array(LENGTH + length, **entry) for name, entry in header.items() if name != "__metadata__"
            }
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LanguageModelError(f"{path.name} is no safetensors file: {error}") from error

    def __getitem__(self, name: str) -> npt.NDArray[np.float32]:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def give_back(self) -> None:
        """Let the system have the memory of what was looked at; it is read again where it is needed again."""
        if hasattr(self._file, "madvise"):  # not on Windows
            self._file.madvise(mmap.MADV_DONTNEED)

    def _array(self, start: int, dtype: str, shape: list[int], data_offsets: tuple[int, int]) -> npt.NDArray[np.float32]:
        kind: Any = NUMBERS[dtype]
        count = int(np.prod(shape, dtype=np.int64))
        array: npt.NDArray[np.float32] = np.frombuffer(self._file, kind, count, start + data_offsets[0])
        return array.reshape(shape)
