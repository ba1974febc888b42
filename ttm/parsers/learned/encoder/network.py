"""The encoder and what is decided on top of it, in NumPy: the same computation as `ttm.lab.learning.training`, without torch.

The word embeddings are those of the packaged MiniLM; all other weights were learned and lie in `weights.safetensors`, matrices
as 8-bit integers with one scale a row.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from backend.models.embeddings.mapped_weights import MappedWeights
from backend.models.embeddings.minilm import TOKENIZER, WEIGHTS, MiniLM
from ttm.parsers.learned.encoder.encoder_input import EncoderInput
from ttm.parsers.learned.encoder.roles import ROLES
from ttm.parsers.learned.encoder.schema_items import SchemaItem, SchemaItemKind, mean_vector

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Floats = npt.NDArray[np.float32]

LEARNED = Path(__file__).parents[1] / "weights.safetensors"
WIDTH = 384
SCALE = ".scale"  # of an 8-bit matrix, beside it


@dataclass(frozen=True)
class MessageStates:
    """What the encoder made of a message: a vector for each piece (t, d) with its segment, for each token (words, d) and for
    the whole (2d,), the log-odds of the ingredients and the log-probabilities of the tags (words, tags)."""

    pieces: Floats
    segments: npt.NDArray[np.int64]
    words: Floats
    pooled: Floats
    ingredients: Floats
    tags: Floats


class Network:
    """The learned weights. Safe in threads."""

    def __init__(self, weights: Mapping[str, Floats], tokenizer: "Tokenizer") -> None:
        self.tokenizer = tokenizer
        self.weights = weights
        self._encoder = MiniLM({name.removeprefix("encoder."): value for name, value in weights.items()}, tokenizer)
        tokenizer.no_truncation()

    def read(self, message: EncoderInput) -> MessageStates:
        """Encode one message after the turn before."""
        embedded = self.weights["encoder.embeddings.word_embeddings.weight"][message.pieces]
        embedded = embedded + self.weights["kind.weight"][message.kinds]
        embedded = embedded + self.weights["encoder.embeddings.position_embeddings.weight"][: len(message.pieces)]
        embedded = embedded + self.weights["encoder.embeddings.token_type_embeddings.weight"][message.segments]
        states = self._encoder.layers(embedded[None], np.ones((1, len(message.pieces)), np.float32))[0]
        own = message.segments == 1
        pooled = np.concatenate([states[0], states[own].mean(axis=0)])
        words = np.stack([states[first:last].mean(axis=0) if last > first else np.zeros(WIDTH, np.float32)
                          for first, last in message.words]) if message.words else np.zeros((0, WIDTH), np.float32)  # fmt: skip
        hidden = np.tanh(self._dense(pooled, "ingredient_hidden"))
        tags = _log_softmax(self._dense(words, "tag"))
        return MessageStates(states, message.segments, words, pooled, self._dense(hidden, "ingredient"), tags)

    def relations_and_outcomes(self, message: MessageStates, span: Floats, role: str) -> tuple[Floats, Floats]:
        """Log-probabilities of how a span (d,) with a role is used, and of what a class in it is compared with."""
        hidden = np.tanh(self._dense(np.concatenate([span, message.pooled[WIDTH:]]), "span_hidden"))
        one_hot = np.eye(len(ROLES), dtype=np.float32)[ROLES.index(role)]
        features = np.concatenate([hidden, one_hot])
        return _log_softmax(self._dense(features, "relation")), _log_softmax(self._dense(features, "outcome"))

    def links(self, span: Floats, role: str, table: "TableVectors", lexical: Floats) -> Floats:
        """Log-probabilities (items + 1,) of what a span (d,) means; the last: nothing of the schema."""
        query = self._dense(span, "link")
        query /= np.linalg.norm(query) + 1e-12
        prior = self.weights["prior"][ROLES.index(role)]
        scores = table.vectors @ query * np.exp(self.weights["sharpness"]) + self._dense(lexical, "lexical")[:, 0]
        return _log_softmax(np.append(scores + prior[table.kinds], prior[-1]))

    def _dense(self, values: Floats, name: str) -> Floats:
        return np.asarray(values @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"])


@dataclass(frozen=True)
class TableVectors:
    """The items of one data set: unit vectors (items, d) and the number of each one's kind."""

    vectors: Floats
    kinds: npt.NDArray[np.int64]


def table_vectors(items: Sequence[SchemaItem]) -> TableVectors:
    known = _phrase_vectors(tuple(sorted({phrase for item in items for phrase in item.phrases})))
    vectors = np.stack([mean_vector([known[phrase] for phrase in item.phrases]) for item in items])
    return TableVectors(vectors, np.array([list(SchemaItemKind).index(item.kind) for item in items]))


@lru_cache(maxsize=4)
def _phrase_vectors(phrases: tuple[str, ...]) -> dict[str, Floats]:
    """The vector (d,) of each phrase of a table, kept as it may be opened again: 1.5 KB a phrase, of the last tables alone."""
    vectors = dict(zip(phrases, _packaged().encode(list(phrases)), strict=True))
    _packaged_weights().give_back()  # of all but the word embeddings nothing is needed until the next table
    return vectors


def _log_softmax(scores: Floats) -> Floats:
    shifted = scores - scores.max(axis=-1, keepdims=True) if scores.size else scores
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)), np.float32)


@lru_cache(maxsize=1)
def _packaged_weights() -> MappedWeights:
    return MappedWeights(WEIGHTS.path())


def open_tokenizer() -> "Tokenizer":
    """The packaged tokenizer, which neither pads nor truncates."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(TOKENIZER.path()))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


@lru_cache(maxsize=1)
def _packaged() -> MiniLM:
    return MiniLM(_packaged_weights(), open_tokenizer())


_LOCK = threading.Lock()
_NETWORKS: dict[tuple[Path, int], Network] = {}


def network(path: Path = LEARNED) -> Network:
    """The network of a file of weights, read again when the file has changed. Raises LanguageModelError."""
    key = (path, path.stat().st_mtime_ns)
    with _LOCK:
        if key not in _NETWORKS:
            _NETWORKS.clear()
            _NETWORKS[key] = Network(read_weights(path) | _word_embeddings(), open_tokenizer())
        return _NETWORKS[key]


def read_weights(path: Path) -> dict[str, Floats]:
    """The weights of a file by name, 8-bit matrices as numbers again."""
    from safetensors.numpy import load_file

    stored = load_file(path)
    return {name: _restored(name, stored) for name in stored if not name.endswith(SCALE)}


def _word_embeddings() -> dict[str, Floats]:
    words = "embeddings.word_embeddings.weight"
    return {f"encoder.{words}": _packaged_weights()[words]}


def _restored(name: str, stored: Mapping[str, npt.NDArray[np.generic]]) -> Floats:
    scale = stored.get(f"{name}{SCALE}")
    value = stored[name].astype(np.float32)
    return np.asarray(value if scale is None else value * scale.astype(np.float32)[:, None], np.float32)


def quantised(weights: Mapping[str, Floats]) -> dict[str, npt.NDArray[np.generic]]:
    """Large matrices as 8-bit integers, one scale a row; what is small stays as it is."""
    stored: dict[str, npt.NDArray[np.generic]] = {}
    for name, value in weights.items():
        if value.ndim == 2 and value.size > 50_000:
            scale = np.abs(value).max(axis=1) / 127
            scale[scale == 0] = 1
            stored[name] = np.round(value / scale[:, None]).astype(np.int8)
            stored[f"{name}{SCALE}"] = scale.astype(np.float32)
        else:
            stored[name] = np.asarray(value, np.float32)
    return stored
