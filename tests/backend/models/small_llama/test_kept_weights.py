"""What was merged once is read from its file by later starts, and merged again where the file is no good."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors import SafetensorError
from tokenizers import Tokenizer
from tokenizers.models import BPE

from backend.models.small_llama import kept_weights
from backend.models.small_llama.kept_weights import Merged, kept
from backend.models.small_llama.weights import LlamaWeights
from tests.backend.models.small_llama.test_llama import weights  # noqa: F401


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kept_weights, "_folder", lambda: tmp_path)
    return tmp_path


@pytest.fixture
def merge(weights: LlamaWeights) -> Callable[[], Merged]:  # noqa: F811
    return lambda: (weights, Tokenizer(BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])))


def not_again() -> Merged:
    raise AssertionError("merged again")


def test_a_later_start_reads_the_same(folder: Path, merge: Callable[[], Merged]) -> None:
    first, tokenizer = kept("k1", merge)
    later, same = kept("k1", not_again)
    assert [path.name for path in folder.iterdir()] == ["k1.safetensors"]
    np.testing.assert_array_equal(later.last, first.last)
    np.testing.assert_array_equal(later.norms, first.norms)
    pairs = [(later.embedding, first.embedding)]
    pairs += [(one[name], other[name]) for one, other in zip(later.layers, first.layers, strict=True) for name in other]
    for one, other in pairs:
        np.testing.assert_array_equal(one.values, other.values)
        np.testing.assert_array_equal(one.scale, other.scale)
    assert same.encode("abab").ids == tokenizer.encode("abab").ids == [2, 2]


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff" * 100])
def test_a_damaged_file_is_written_again(folder: Path, merge: Callable[[], Merged], damage: bytes) -> None:
    file = folder / "k1.safetensors"
    file.write_bytes(damage)
    kept("k1", merge)
    kept("k1", not_again)
    assert file.stat().st_size > len(damage)


def test_a_file_without_a_part_is_written_again(folder: Path, merge: Callable[[], Merged]) -> None:
    kept("k1", merge)
    whole = (folder / "k1.safetensors").read_bytes()
    (folder / "k1.safetensors").write_bytes(whole[: len(whole) // 2])
    kept("k1", merge)
    assert (folder / "k1.safetensors").read_bytes() == whole


def test_only_the_last_one_is_kept(folder: Path, merge: Callable[[], Merged]) -> None:
    for key in ("k1", "k2"):
        kept(key, merge)
    assert [path.name for path in folder.iterdir()] == ["k2.safetensors"]


@pytest.mark.parametrize("error", [PermissionError, ValueError])
def test_nothing_is_kept_where_no_folder_can_be_made(
    merge: Callable[[], Merged], monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def no_folder() -> Path:
        raise error

    monkeypatch.setattr(kept_weights, "_folder", no_folder)
    assert kept("k1", merge)[0].last.size


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), SafetensorError("I/O error")])
def test_a_full_disk_ends_nothing(
    folder: Path, merge: Callable[[], Merged], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def full(*args: object) -> None:
        raise error

    monkeypatch.setattr("safetensors.numpy.save_file", full)
    assert kept("k1", merge)[0].last.size
    assert not list(folder.iterdir())
