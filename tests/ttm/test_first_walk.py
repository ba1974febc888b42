"""The walk of the first page for analysts: its table and model, and each of its questions understood as it shows."""

import re
from pathlib import Path
from typing import Any

import pytest

from ttm.__main__ import main

PAGE = Path(__file__).parents[2] / "docs" / "first" / "analyst.md"
pytestmark = pytest.mark.slow


def fence(language: str, first: str) -> str:
    (text,) = re.findall(rf"```{language}\n({re.escape(first)}.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return str(text)


@pytest.fixture
def biopsies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "biopsies").mkdir()
    exec(compile(fence("python", "import skops.io"), "make.py", "exec"), {})
    (tmp_path / "biopsies" / "dataset.toml").write_text(fence("toml", "title"), encoding="utf-8")
    return tmp_path


def test_the_questions_of_one_conversation_are_understood_as_shown(biopsies: Path, capsys: Any) -> None:
    shown = fence("console", "$ python -m ttm answer --dataset biopsies")
    questions = re.findall(r'^ {4}"(.+?)"', shown, re.MULTILINE)
    understood = re.findall(r"^\(You asked: .*\)$", shown, re.MULTILINE)
    assert len(questions) == len(understood) == 4
    capsys.readouterr()
    command = [
        "answer",
        "--dataset",
        "biopsies",
        "--trusted-types",
        "sklearn.tree._tree.Tree",
        "--data-dir",
        str(biopsies / "kept"),
    ]
    main([*command, *questions])
    assert re.findall(r"^\(You asked: .*\)$", capsys.readouterr().out, re.MULTILINE) == understood
