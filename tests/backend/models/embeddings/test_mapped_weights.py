"""Weights that stay in their file hold what the library reads, also after their memory was given back."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from backend.errors import LanguageModelError
from backend.models.embeddings.mapped_weights import MappedWeights


@pytest.fixture
def path(tmp_path: Path) -> Path:
    draw = np.random.default_rng(0)
    file = tmp_path / "weights.safetensors"
    matrices = {"words": draw.normal(size=(1000, 96)).astype(np.float32), "bias": draw.normal(size=7).astype(np.float32),
                "empty": np.zeros((0, 3), np.float32), "places": np.arange(5), "one": np.array(3, np.float32)}  # fmt: skip
    save_file(matrices, file, metadata={"format": "pt"})
    return file


def test_the_weights_are_those_that_the_library_reads(path: Path):
    mapped, read = MappedWeights(path), load_file(path)
    assert set(mapped) == set(read)
    assert len(mapped) == len(read)
    for name, matrix in read.items():
        assert mapped[name].dtype == matrix.dtype
        assert np.array_equal(mapped[name], matrix)
    mapped.give_back()
    assert np.array_equal(mapped["words"][[3, 999]], read["words"][[3, 999]])


def test_weights_are_not_written_to(path: Path):
    with pytest.raises(ValueError, match="read-only"):
        MappedWeights(path)["words"][0] = 1


@pytest.mark.parametrize("content", [b"no weights", b"\2\0\0\0\0\0\0\0[]", b"\xff" * 40])
def test_another_file_is_refused(tmp_path: Path, content: bytes):
    file = tmp_path / "weights.safetensors"
    file.write_bytes(content)
    with pytest.raises(LanguageModelError, match=r"weights\.safetensors is no safetensors file"):
        MappedWeights(file)


def test_a_file_that_was_cut_short_is_refused(path: Path):
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(LanguageModelError, match="no safetensors file"):
        MappedWeights(path)
