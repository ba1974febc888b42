"""Writing readings symbol by symbol, in NumPy: the same computation as `ttm.lab.learning.decoding.network`, without torch.

A Transformer decoder (Vaswani et al. 2017, pre-norm) attends to the encoded message, to the turn before and to what that
left to copy. Each step chooses a word of the language, an item of the data set, a number of the message, or a copy. An item is
scored by its vector, and by how the words that the step looks at fit its name. Beam search keeps the likeliest beginnings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ttm.parsers.learned.decoder.symbols import SymbolTable, item_kind

Floats = npt.NDArray[np.float32]

DECODER = "decoder."
WIDTH, HEADS, LAYERS = 256, 4, 3
BEAM = 6
LONGEST = 40  # symbols of a reading
FAR = 5.0  # log-probability below the best reading from which others are given up
SHARPEST = 3.0  # how much the fit of words to a name counts beside the vectors, in log-odds
SMALL = 1e-5  # added to variances
POINTERS = ("to_word", "to_item", "look_query", "to_kind", "to_number", "to_copy")
# Layers that read the same states are computed as one.
JOINED: dict[str, Sequence[str]] = {
    f"layers.{at}.own": [f"layers.{at}.own_{part}" for part in ("query", "key", "value")] for at in range(LAYERS)
} | {
    "memory": [f"layers.{at}.message_{part}" for at in range(LAYERS) for part in ("key", "value")],
    "pointers": POINTERS,
}
MESSAGE, CONTEXT, COPY = 1, 0, 2  # segments of what is attended to
END = 0


@dataclass(frozen=True)
class DecodedReading:
    """A text of the parse language, or a verdict, with its log-probability."""

    text: str
    log_probability: float


@dataclass(frozen=True)
class DecoderInput:
    """What one message gives to write from: the states of its pieces (t, d) with their segments, those of its tokens (w, d),
    the unit vectors of the items (m, d), and `relations` (w, m, r) of tokens and items."""

    pieces: Floats
    segments: npt.NDArray[np.int64]
    tokens: Floats
    vectors: Floats
    relations: Floats


class ParseDecoder:
    """The learned weights, whose names begin with DECODER. Safe in threads."""

    def __init__(self, weights: Mapping[str, Floats], words: tuple[str, ...]) -> None:
        self.words = words
        own = {name.removeprefix(DECODER): value for name, value in weights.items() if name.startswith(DECODER)}
        self._weights = own | {
            f"{name}.{part}": np.concatenate([own[f"{each}.{part}"] for each in parts])
            for name, parts in JOINED.items()
            for part in ("weight", "bias")
        }

    def readings(self, read: DecoderInput, table: SymbolTable, most: int = BEAM) -> list[DecodedReading]:
        """The likeliest sequences of symbols, best first."""
        step = _WrittenSymbols(self._weights, read, table)
        alive, scores = [list[int]()], np.zeros(1, np.float64)
        done: list[DecodedReading] = []
        last = np.zeros(1, np.int64)
        for _ in range(LONGEST):
            log_probabilities = scores[:, None] + step.next(last)
            best = np.argsort(-log_probabilities, axis=None)[: 2 * most]
            rows, symbols = np.unravel_index(best, log_probabilities.shape)
            kept, following = list[int](), list[int]()
            for row, symbol in zip(rows.tolist(), symbols.tolist(), strict=True):
                score = float(log_probabilities[row, symbol])
                if done and score < done[0].log_probability - FAR:
                    break
                if symbol == END:
                    done.append(DecodedReading(table.surface(alive[row]), score))
                elif len(kept) < most:
                    kept.append(row)
                    following.append(symbol)
            done.sort(key=lambda one: -one.log_probability)
            if not kept or (len(done) >= most and done[most - 1].log_probability > log_probabilities[kept[0], following[0]]):
                break
            scores = log_probabilities[kept, following]
            alive = [[*alive[row], symbol] for row, symbol in zip(kept, following, strict=True)]
            step.keep(kept)
            last = np.array(following, np.int64)
        return done[:most]


class _WrittenSymbols:
    """One message that is being written about: what does not change, and what was attended to so far."""

    def __init__(self, weights: Mapping[str, Floats], read: DecoderInput, table: SymbolTable) -> None:
        self._weights = weights
        self._vectors = read.vectors
        kinds = np.array([item_kind(item) for item in table.items], np.int64)
        self._kinds = kinds
        tokens = self._dense(read.tokens, "state")
        items = self._dense(read.vectors, "item") + weights["kind.weight"][kinds]
        numbers = np.stack([tokens[one.token] + weights["form.weight"][one.form] for one in table.numbers]) \
            if table.numbers else np.zeros((0, WIDTH), np.float32)  # fmt: skip
        copies = self._copies(table, items)
        segments = weights["segment.weight"][read.segments]
        memory = np.concatenate([self._dense(read.pieces, "state") + segments, copies])
        self._symbols = np.concatenate([weights["word.weight"], items, numbers, copies])
        attended = np.split(self._dense(memory, "memory"), 2 * LAYERS, axis=1)
        self._memory = [(_heads(key), _heads(value)) for key, value in zip(attended[::2], attended[1::2], strict=True)]
        self._own: list[tuple[Floats, Floats]] = []
        self._looked = self._dense(tokens, "look_key") / np.float32(16)
        # What fits the words of a name is linear but for one tanh, so that its inner layer is computed once for each word.
        fits, best = np.split(weights["fit_hidden.weight"], 2, axis=1)
        self._fits = (read.relations @ fits.T).reshape(len(read.relations), len(read.vectors) * len(fits))
        highest = read.relations.max(axis=0) if len(read.relations) else np.zeros(read.relations.shape[1:], np.float32)
        self._best_fit = highest @ best.T + weights["fit_hidden.bias"]
        self._number_keys = self._dense(numbers, "number_key") / np.float32(16)
        self._copy_keys = copies / np.float32(16)
        self._position = 0

    def next(self, last: npt.NDArray[np.int64]) -> Floats:
        """Log-probabilities (beam, symbols) of what follows the `last` symbols."""
        states = self._symbols[last] + self._weights["position.weight"][self._position]
        for at in range(LAYERS):
            states = self._layer(states, at)
        self._position += 1
        states = self._normalised(states, "last")
        widths = [len(self._weights[f"{part}.bias"]) for part in POINTERS]
        words, item, look, kind, number, copy = np.split(self._dense(states, "pointers"), np.cumsum(widths)[:-1], axis=1)
        of_items = self._of_items(item, look, kind)
        scores = np.concatenate([words, of_items, number @ self._number_keys.T, copy @ self._copy_keys.T], axis=1)
        shifted = scores - scores.max(axis=1, keepdims=True)
        return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))

    def keep(self, rows: Sequence[int]) -> None:
        """Go on with some of the beginnings."""
        self._own = [(key[rows], value[rows]) for key, value in self._own]

    def _copies(self, table: SymbolTable, items: Floats) -> Floats:
        means = np.zeros((len(table.copies), WIDTH), np.float32)
        for row, (words, own) in enumerate(table.copied):
            for part, indexes in ((self._weights["word.weight"], words), (items, own)):
                if indexes:
                    means[row] += part[list(indexes)].mean(axis=0)
        return np.asarray(self._dense(np.tanh(means), "copy") + self._weights["segment.weight"][COPY])

    def _of_items(self, query: Floats, look: Floats, kind: Floats) -> Floats:
        unit = query / (np.linalg.norm(query, axis=1, keepdims=True) + 1e-12)
        near = unit @ self._vectors.T * np.exp(self._weights["sharpness"])
        fits = (_softmax(look @ self._looked.T) @ self._fits).reshape(len(query), *self._best_fit.shape)
        fit = self._dense(np.tanh(fits + self._best_fit), "fit")[:, :, 0]
        return np.asarray(near + kind[:, self._kinds] + fit * SHARPEST)

    def _layer(self, states: Floats, at: int) -> Floats:
        name = f"layers.{at}"
        normed = self._normalised(states, f"{name}.own_norm")
        query, key, value = (_heads(part[:, None]) for part in np.split(self._dense(normed, f"{name}.own"), 3, axis=1))
        if at < len(self._own):
            key, value = (np.concatenate(pair, axis=2) for pair in zip(self._own[at], (key, value), strict=True))
            self._own[at] = key, value
        else:
            self._own.append((key, value))
        attended = _attend(query, key, value)
        states = states + self._dense(attended, f"{name}.own_out")
        normed = self._normalised(states, f"{name}.message_norm")
        query = _heads(self._dense(normed, f"{name}.message_query")[:, None])
        attended = _attend(query, *(part[None] for part in self._memory[at]))
        states = states + self._dense(attended, f"{name}.message_out")
        normed = self._normalised(states, f"{name}.inner_norm")
        return states + self._dense(_gelu(self._dense(normed, f"{name}.inner")), f"{name}.outer")

    def _dense(self, values: Floats, name: str) -> Floats:
        return np.asarray(values @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"], np.float32)

    def _normalised(self, states: Floats, name: str) -> Floats:
        centred = states - states.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + SMALL)
        return np.asarray(scaled * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"])


def _heads(states: Floats) -> Floats:
    """States (..., t, d) as (..., heads, t, d / heads)."""
    return np.ascontiguousarray(states.reshape(*states.shape[:-1], HEADS, -1).swapaxes(-2, -3))


def _attend(query: Floats, key: Floats, value: Floats) -> Floats:
    """One query (beam, heads, 1, d) at keys and values (beam or 1, heads, t, d); (beam, width)."""
    weights = _softmax(query @ key.swapaxes(-1, -2) / np.float32(np.sqrt(WIDTH // HEADS)))
    return np.asarray((weights @ value).reshape(len(query), WIDTH))


def _softmax(scores: Floats) -> Floats:
    if not scores.shape[-1]:
        return scores
    exponents = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(exponents / exponents.sum(axis=-1, keepdims=True))


def _gelu(states: Floats) -> Floats:
    from scipy.special import erf

    return np.asarray(states * 0.5 * (1 + erf(states / np.float32(np.sqrt(2)))), np.float32)
