"""Model files are used only when their content is the recorded one."""

import hashlib
import sys
from pathlib import Path

import pytest

from backend.errors import LanguageModelError
from backend.models.model_files import ModelFile


def model_file(content: bytes, revision: str | None = None) -> ModelFile:
    return ModelFile("Tiny", "tiny_weights", "*.bin", "lab/tiny", "tiny.bin", revision, hashlib.sha256(content).hexdigest())


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tiny_weights"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise RuntimeError('looking for a file imports nothing')")
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder


def test_the_file_of_a_package_is_found_without_importing_it(package: Path) -> None:
    (package / "tiny.bin").write_bytes(b"weights")
    wanted = model_file(b"weights")
    assert wanted.is_installed
    assert wanted.path() == package / "tiny.bin"
    assert "tiny_weights" not in sys.modules


def test_a_changed_file_is_refused_also_when_it_changes_after_the_first_load(package: Path) -> None:
    (package / "tiny.bin").write_bytes(b"weights")
    wanted = model_file(b"weights")
    wanted.path()
    (package / "tiny.bin").write_bytes(b"weight5")
    with pytest.raises(LanguageModelError, match=r"tiny\.bin of Tiny is damaged or was exchanged"):
        wanted.path()


@pytest.mark.parametrize(("revision", "is_refused"), [(None, True), ("0123abc", False)], ids=["newest", "named commit"])
def test_a_file_of_the_hub_is_checked_unless_its_commit_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, revision: str | None, is_refused: bool
) -> None:
    other = tmp_path / "tiny.bin"
    other.write_bytes(b"other weights")
    monkeypatch.setattr("huggingface_hub.hf_hub_download", lambda repository, file, revision: str(other))
    wanted = model_file(b"weights", revision)
    assert not wanted.is_installed
    if is_refused:
        with pytest.raises(LanguageModelError, match="damaged or was exchanged"):
            wanted.path()
    else:
        assert wanted.path() == other


def test_what_is_nowhere_says_what_to_do() -> None:
    with pytest.raises(LanguageModelError, match="make install"):  # tests are offline
        model_file(b"weights").path()
