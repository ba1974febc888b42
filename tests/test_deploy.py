"""What is needed to run Parley elsewhere names things that are there: files, commands, settings, model files."""

import os
import re
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from unittest.mock import create_autospec

import pytest
import yaml
from huggingface_hub import HfApi

from backend.models.embeddings import minilm
from backend.models.language_models.packaged import WEIGHTS
from backend.program.settings import PREFIX, Settings
from deploy import space
from parley.__main__ import PARTS

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
PAGE = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
# Folders that are made on the spot and never belong to the project.
MADE = {".git", ".venv", ".parley", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", "__pycache__"}
FIRST = 8000  # bytes that Git looks at to tell text from what is binary


def _files() -> Iterator[Path]:
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in MADE and not (Path(folder) == ROOT and name in ("build", "dist"))]
        yield from (path for path in map(Path(folder).joinpath, names) if not path.is_symlink())


def _binary_patterns() -> list[str]:
    lines = (ROOT / ".gitattributes").read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines if line.endswith(" binary")]


def _settings_named(text: str) -> set[str]:
    return {name.lower() for name in re.findall(rf"\b{PREFIX}([A-Z_]+)\b", text)}


def test_git_is_told_of_every_binary_file_and_of_no_text() -> None:
    binary = {path for path in _files() if b"\0" in path.read_bytes()[:FIRST]}
    patterns = _binary_patterns()
    marked = {path for path in _files() if any(fnmatch(path.name, pattern) for pattern in patterns)}
    assert binary == marked
    assert binary


def test_what_is_binary_is_a_large_file_on_a_space_and_plain_here() -> None:
    here = (ROOT / ".gitattributes").read_text(encoding="utf-8")
    there = space.large_files(here)
    assert "filter=lfs" not in here
    assert re.findall(r"^(\S+)\s+filter=lfs diff=lfs merge=lfs -text$", there, re.MULTILINE) == _binary_patterns()
    assert "* text=auto eol=lf\n" in there


def test_a_space_gets_the_commit_and_nothing_beside_it(tmp_path: Path) -> None:
    checkout, folder = tmp_path / "checkout", tmp_path / "space"
    checkout.mkdir()
    folder.mkdir()
    (checkout / ".gitattributes").write_text("*.png   binary\n")
    (checkout / "app.py").write_text("first")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(checkout)]
    for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "first"]):
        subprocess.run([*git, *command], check=True)
    (checkout / "app.py").write_text("changed since")
    (checkout / ".env").write_text("PARLEY_DATABASE_URL=secret")
    commit = space.export(checkout, folder)
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        ".gitattributes": "*.png   filter=lfs diff=lfs merge=lfs -text\n",
        "app.py": "first",
    }
    assert re.fullmatch(r"[0-9a-f]{7,}", commit)


def test_a_space_is_made_and_holds_what_the_folder_holds(tmp_path: Path) -> None:
    hub = create_autospec(HfApi, instance=True)  # refuses arguments that the real one does not take
    hub.create_repo.return_value = "https://example.org/spaces/a/b"
    assert space.publish(hub, "a/b", tmp_path, "Parley at 1234567", private=True) == "https://example.org/spaces/a/b"
    assert hub.create_repo.call_args.kwargs == {
        "repo_type": "space", "space_sdk": "gradio", "private": True, "exist_ok": True,
    }  # fmt: skip
    assert hub.upload_folder.call_args.kwargs["folder_path"] == tmp_path
    assert hub.upload_folder.call_args.kwargs["delete_patterns"] == "*"


def test_outside_of_a_checkout_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(space, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert space.main(["a/b"]) == 2
    assert "is no Git checkout" in capsys.readouterr().err


def test_a_space_fetches_the_small_models_when_it_is_built() -> None:
    front = yaml.safe_load((ROOT / "README.md").read_text(encoding="utf-8").split("---")[1])
    assert front["preload_from_hub"] == [
        f"{WEIGHTS.repository} {WEIGHTS.file} {WEIGHTS.revision}",
        f"{minilm.WEIGHTS.repository} {minilm.WEIGHTS.file},{minilm.TOKENIZER.file}",
    ]


def test_the_image_gets_every_package_and_nothing_private() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_in = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    assert "*" in ignored
    assert {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"} <= let_in
    assert {"requirements.txt", "requirements", "pyproject.toml", "README.md", "LICENSE"} <= let_in
    assert [name for name in let_in if not (ROOT / name).exists()] == []
    copied = re.findall(
        r"^COPY (requirements/.+) requirements/$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert copied
    assert [name for name in copied[0].split() if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("file", ["Dockerfile", "deploy/parley.service", "deploy/parley.env", "docs/deploy.md"])
def test_settings_that_are_named_exist(file: str) -> None:
    named = _settings_named((ROOT / file).read_text(encoding="utf-8"))
    assert named <= set(Settings.model_fields)


def test_the_service_and_the_image_start_the_command() -> None:
    unit = (DEPLOY / "parley.service").read_text(encoding="utf-8")
    assert re.search(r"^ExecStart=\S+/parley serve$", unit, re.MULTILINE)
    assert 'CMD ["parley", "serve"]' in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "serve" in PARTS


def test_files_and_commands_that_the_page_names_exist() -> None:
    files = set(re.findall(r"\b(?:deploy|requirements)/[\w.-]+\w", PAGE))
    assert {f"deploy/{path.name}" for path in DEPLOY.iterdir() if path.is_file()} == {
        name for name in files if "deploy/" in name
    }
    assert [name for name in files if not (ROOT / name).is_file()] == []
    assert set(re.findall(r"parley (serve|chat|kb|study|faithfulness)\b", PAGE)) <= set(PARTS)
    extras = re.findall(r"^\| `\[(\w+)\]` \|", PAGE, re.MULTILINE)
    assert {path.stem for path in (ROOT / "requirements").glob("*.txt")} >= set(extras)


def test_both_proxies_hand_on_a_stream_at_once() -> None:
    nginx = (DEPLOY / "nginx-proxy.conf").read_text(encoding="utf-8")
    assert "proxy_buffering off;" in nginx
    assert re.findall(r"^proxy_set_header (X-\S+)", nginx, re.MULTILINE) == [
        "X-Forwarded-Host",
        "X-Forwarded-Proto",
        "X-Forwarded-For",
    ]
    assert "flush_interval -1" in (DEPLOY / "Caddyfile").read_text(encoding="utf-8")


def test_files_that_contributors_are_sent_to_exist() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\b(?:annotation|docs|inspired|tests|ttm)/[\w./]*\w", page)) | {
        "CHANGELOG.md",
        ".git-blame-ignore-revs",
    }
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_changelog_begins_with_what_is_not_released() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[(\S+?)\](?: - \d{4}-\d\d-\d\d)?$", text, re.MULTILINE)
    assert versions[0] == "Unreleased"
    assert set(re.findall(r"^\[(\S+)\]: ", text, re.MULTILINE)) == set(versions)


def test_the_hooks_run_what_make_check_runs() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert [repository["repo"] for repository in hooks] == ["local"]  # nothing is fetched
    assert [hook["entry"].split()[0] for hook in hooks[0]["hooks"]] == [".venv/bin/ruff", ".venv/bin/ruff", ".venv/bin/mypy"]
