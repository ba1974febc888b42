"""The packaged sentence encoder equals what sentence-transformers computes from the same weights."""

import numpy as np
import pytest

from backend.errors import LanguageModelError
from backend.models.embeddings import SentenceEmbedder, Vectors
from backend.models.embeddings.minilm import WEIGHTS

TEXTS = [
    "How likely is it that patient 12 has diabetes?",
    "",
    "ça coûte cher, naïve Zoë?",
    "中文 and 😀 beside unaffable-looking CamelCaseWords_42",
    "word " * 400,
    "a",
]


@pytest.fixture(scope="module")
def embedder() -> SentenceEmbedder:
    return SentenceEmbedder()


@pytest.mark.slow
def test_it_equals_sentence_transformers(embedder: SentenceEmbedder) -> None:
    reference = SentenceEmbedder(str(WEIGHTS.path().parent))
    np.testing.assert_allclose(embedder.embed(TEXTS), reference.embed(TEXTS), atol=2e-6)


@pytest.mark.slow
def test_a_text_has_the_same_vector_in_any_company(embedder: SentenceEmbedder) -> None:
    together = embedder.embed(TEXTS * 6)
    fresh = SentenceEmbedder()  # the other remembers what it has computed
    alone = np.concatenate([fresh.embed([text]) for text in TEXTS])
    np.testing.assert_allclose(together, np.tile(alone, (6, 1)), atol=2e-6)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


def test_a_text_is_computed_once_while_it_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[str] = []

    def encode(texts: list[str]) -> Vectors:
        computed.extend(texts)
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)

    monkeypatch.setattr("backend.models.embeddings.MOST_TEXTS", 3)
    counted = SentenceEmbedder()
    monkeypatch.setattr(counted, "_load", lambda: encode)
    for texts in (["a", "bb"], ["bb", "a"], ["ccc"], ["dddd"], ["a"], ["bb"]):
        assert counted.embed(texts).tolist() == [[len(text), 1.0] for text in texts]
    assert computed == ["a", "bb", "ccc", "dddd", "bb"]  # the one that was asked for longest ago was forgotten


def test_no_texts_have_no_vectors(embedder: SentenceEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


@pytest.mark.slow
def test_a_folder_without_a_model_is_refused(tmp_path) -> None:
    with pytest.raises(LanguageModelError, match="does not load"):
        SentenceEmbedder(str(tmp_path)).embed(["a"])
