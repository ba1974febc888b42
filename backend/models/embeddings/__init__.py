"""Sentence embeddings: the packaged all-MiniLM-L6-v2 without torch, or any sentence-transformers model by name or folder."""

import threading
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
from cachetools import LRUCache

from backend.errors import LanguageModelError
from backend.program.extras import require

Vectors = npt.NDArray[np.float32]
Encode = Callable[[list[str]], Vectors]
MOST_TEXTS = 2048  # whose vectors are remembered: 3 MB


class Embedder(Protocol):
    """`embed` gives unit vectors (n, d), so that a dot product is the cosine similarity."""

    def embed(self, texts: Sequence[str]) -> Vectors: ...


class SentenceEmbedder:
    """Loads at the first use; without a name or folder the packaged model, in about 0.3 s and 0.1 GB."""

    def __init__(self, name_or_folder: str | None = None) -> None:
        self.name = name_or_folder or "all-MiniLM-L6-v2"
        self._source = name_or_folder
        self._lock = threading.Lock()
        self._encode: Encode | None = None
        self._known: LRUCache[str, Vectors] = LRUCache(MOST_TEXTS)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors (n, d).

        Raises LanguageModelError when the model is not to be had, SettingsError where its library is not installed.
        """
        with self._lock:
            if self._encode is None:
                self._encode = self._load()
            return self._remembered(texts, self._encode)

    def _remembered(self, texts: Sequence[str], encode: Encode) -> Vectors:
        """Compute what is not remembered: accepted answers and refusals come again and again."""
        if len(texts) > MOST_TEXTS:
            return encode(list(texts))
        vectors = {text: self._known[text] for text in texts if text in self._known}
        new = [text for text in dict.fromkeys(texts) if text not in vectors]
        vectors |= dict(zip(new, encode(new), strict=True)) if new else {}
        self._known.update(vectors)
        return np.stack([vectors[text] for text in texts]) if texts else encode([])

    def _load(self) -> Encode:
        if self._source is None:
            from backend.models.embeddings.minilm import load_minilm

            return load_minilm().encode
        return _sentence_transformers(self._source)


def packaged_embedder() -> SentenceEmbedder:
    """The one packaged model that all parsers of this process share; it loads at the first use."""
    return _PACKAGED


_PACKAGED = SentenceEmbedder()


def _sentence_transformers(source: str) -> Encode:
    require("sentence_transformers")
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    try:
        logging.disable_progress_bar()
        model = SentenceTransformer(source)
    except (OSError, ValueError) as error:
        raise LanguageModelError(f"The sentence embedding model {source} does not load: {error}") from error
    return lambda texts: np.asarray(model.encode(texts, normalize_embeddings=True, show_progress_bar=False))
