"""A Llama model in NumPy (Touvron et al. 2023; grouped keys as in Ainslie et al. 2023) that goes on from what it has read.

Texts that begin alike are read once: what is read is a tree of tokens, and each token sees its ancestors.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from threading import Lock, Semaphore, local

import numpy as np
import numpy.typing as npt

from backend.jobs import DaemonPool
from backend.models.small_llama.weights import HEADS, KEY_HEADS, LlamaWeights, Matrix8

Floats = npt.NDArray[np.float32]
Indexes = npt.NDArray[np.int64]

BASE = 100_000.0  # of the rotation of positions
SMALL = 1e-5
UNSEEN = np.float32(-1e9)
MOST_CORES = 8


@dataclass(frozen=True)
class ReadTokens:
    """Keys and values (layers, key heads, t, size) of tokens that were read, and the position of each (t,)."""

    keys: Floats
    values: Floats
    positions: Indexes

    def of(self, indexes: Indexes) -> "ReadTokens":
        return ReadTokens(self.keys[:, :, indexes], self.values[:, :, indexes], self.positions[indexes])

    def with_(self, other: "ReadTokens") -> "ReadTokens":
        keys, values = (np.concatenate(pair, axis=2) for pair in ((self.keys, other.keys), (self.values, other.values)))
        return ReadTokens(keys, values, np.concatenate([self.positions, other.positions]))


class Llama:
    """Safe in threads: each has its own buffer. One text is read by `cores` threads (by default the number of cores, up to
    MOST_CORES); texts that are read at once share them.
    """

    def __init__(self, weights: LlamaWeights, cores: int | None = None) -> None:
        self._weights = weights
        self._cores = cores or min(MOST_CORES, os.cpu_count() or 1)
        self._helpers: DaemonPool[None] = DaemonPool(self._cores - 1, "language model")
        self._free, self._reading, self._lock = Semaphore(self._cores), 0, Lock()
        self._width = weights.embedding.values.shape[1]
        self._size = self._width // HEADS
        self._buffers = local()

    def start(self) -> ReadTokens:
        """Nothing read."""
        empty = np.zeros((len(self._weights.layers), KEY_HEADS, 0, self._size), np.float32)
        return ReadTokens(empty, empty, np.zeros(0, np.int64))

    def read(
        self, before: ReadTokens, tokens: Sequence[int], parents: Sequence[int] | None = None
    ) -> tuple[Floats, ReadTokens]:
        """The states (t, d) of some tokens after all of `before`, and what was read of them.

        `parents`: the index among `tokens` of the one that each follows, -1 for what follows `before`; in a row by default.
        """
        count = len(tokens)
        above = list(range(-1, count - 1)) if parents is None else list(parents)
        sees, depth = np.zeros((count, count), bool), np.zeros(count, np.int64)
        for at, parent in enumerate(above):
            if parent >= 0:
                sees[at], depth[at] = sees[parent], depth[parent] + 1
            sees[at, at] = True
        with self._parts() as parts:
            return self._read(before, tokens, sees, depth, parts)

    def _read(self, before: ReadTokens, tokens: Sequence[int], sees: npt.NDArray[np.bool_], depth: Indexes, parts: int
              ) -> tuple[Floats, ReadTokens]:  # fmt: skip
        count, known = len(tokens), len(before.positions)
        start = int(before.positions[-1]) + 1 if known else 0
        unseen = np.hstack([np.zeros((count, known), np.float32), np.where(sees, np.float32(0), UNSEEN)])
        turned = self._turns(start + depth)
        states = self._weights.embedding.rows(np.array(tokens, np.int64))
        keys, values = list[Floats](), list[Floats]()
        times = partial(self._times, parts)
        for at, (matrices, norms) in enumerate(zip(self._weights.layers, self._weights.norms, strict=True)):
            normed = _normed(states, norms[0])
            query = _turned(self._headed(times(normed, matrices["q"]), HEADS), turned)
            keys.append(_turned(self._headed(times(normed, matrices["k"]), KEY_HEADS), turned))
            values.append(self._headed(times(normed, matrices["v"]), KEY_HEADS))
            key, value = (
                np.concatenate([old[at], new[-1]], axis=1) for old, new in ((before.keys, keys), (before.values, values))
            )
            states = states + times(self._attended(query, key, value, unseen), matrices["o"])
            normed = _normed(states, norms[1])
            gate = times(normed, matrices["gate"])
            states = states + times(gate / (1 + np.exp(-gate)) * times(normed, matrices["up"]), matrices["down"])
        return _normed(states, self._weights.last), ReadTokens(np.stack(keys), np.stack(values), start + depth)

    def rows(self, tokens: Indexes) -> Floats:
        """The vectors (n, d) that the states are compared with for what follows: those of the words themselves."""
        return self._weights.embedding.rows(tokens)

    @contextmanager
    def _parts(self) -> Iterator[int]:
        """In how many parts products are computed while one more text is read."""
        with self._free:
            with self._lock:
                self._reading += 1
                parts = self._cores // self._reading
            try:
                yield parts
            finally:
                with self._lock:
                    self._reading -= 1

    def _times(self, parts: int, states: Floats, matrix: Matrix8) -> Floats:
        """Each part with a range of the rows of the matrix, by a thread of its own, the last by this one."""
        product = np.empty((len(states), len(matrix.values)), np.float32)
        ends = np.linspace(0, len(matrix.values), parts + 1).astype(int)
        calls = [partial(self._multiply, states, matrix, slice(*rows), product) for rows in pairwise(ends)]
        begun = [self._helpers.submit(call) for call in calls[:-1]]
        calls[-1]()
        for one in begun:
            one.result()
        return product

    def _multiply(self, states: Floats, matrix: Matrix8, rows: slice, product: Floats) -> None:
        values = matrix.values[rows]
        if not hasattr(self._buffers, "by_shape"):
            self._buffers.by_shape = {}
        buffer = self._buffers.by_shape.setdefault(values.shape, np.empty(values.shape, np.float32))
        np.copyto(buffer, values)
        np.multiply(states @ buffer.T, matrix.scale[rows], out=product[:, rows])

    def _headed(self, states: Floats, heads: int) -> Floats:
        """States (t, heads * size) as (heads, t, size)."""
        return states.reshape(len(states), heads, self._size).swapaxes(0, 1)

    def _attended(self, query: Floats, key: Floats, value: Floats, unseen: Floats) -> Floats:
        count = query.shape[1]
        grouped = query.reshape(KEY_HEADS, HEADS // KEY_HEADS * count, self._size)
        scores = (grouped @ key.swapaxes(1, 2) / np.float32(np.sqrt(self._size))).reshape(KEY_HEADS, -1, count, key.shape[1])
        scores += unseen
        exponents = np.exp(scores - scores.max(axis=-1, keepdims=True))
        exponents /= exponents.sum(axis=-1, keepdims=True)
        attended = (exponents.reshape(KEY_HEADS, -1, key.shape[1]) @ value).reshape(HEADS, count, self._size)
        return np.asarray(attended.swapaxes(0, 1).reshape(count, self._width))

    def _turns(self, positions: Indexes) -> tuple[Floats, Floats]:
        steps = BASE ** (-np.arange(0, self._size, 2) / self._size)
        angles = np.tile(positions[:, None] * steps, 2)
        return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def _turned(states: Floats, turns: tuple[Floats, Floats]) -> Floats:
    """Rotary positions (Su et al. 2021)."""
    cos, sin = turns
    first, second = np.split(states, 2, axis=-1)
    return np.asarray(states * cos + np.concatenate([-second, first], axis=-1) * sin)


def _normed(states: Floats, weight: Floats) -> Floats:
    return np.asarray(states / np.sqrt(np.square(states).mean(axis=-1, keepdims=True) + np.float32(SMALL)) * weight)
