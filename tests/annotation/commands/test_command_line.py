"""`python -m annotation`: files go out and come in, and a mistake is one line and exit code 2."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from annotation.__main__ import COMMANDS, main
from annotation.commands.export import FORMAT_NAMES
from annotation.parses.export import FORMATS
from annotation.parses.pairs import ReviewItem, list_items
from annotation.parses.parse_reader import ParseReader
from annotation.parses.review import accept
from backend.program import command_line
from backend.program.settings import Settings
from backend.storage.collected import Feedback, add_feedback
from backend.storage.database import Database

GOOD = "How many are over 40?\nfilter age greater than 40 and countdata [E]\n\n"


@pytest.fixture
def place(settings: Settings) -> list[str]:
    return ["--data-dir", str(settings.data_dir)]


def _run(*arguments: str) -> int:
    return command_line.run("annotation", main, arguments)


def test_the_formats_named_in_help_are_those_there_are() -> None:
    assert tuple(FORMATS) == FORMAT_NAMES


@pytest.mark.slow
def test_gold_is_written_and_can_be_brought_in(
    place: list[str], tmp_path: Path, database: Database, reader: ParseReader, corrected: list[ReviewItem],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    accept(database, reader, corrected[0].key, 0, "Anna", corrected[0].proposed)
    out = tmp_path / "gold.txt"
    assert _run("export", "--format", "gold", "--out", str(out), "--dataset", "diabetes", *place) == 0
    assert out.read_text("utf-8") == "How likely is 5?\nfilter id 5 and likelihood [E]\n\n"
    assert _run("import", "--dataset", "german", str(out), *place) == 0
    assert "1 new pair waits for review under german" in capsys.readouterr().out
    assert [item.source for item in list_items(database, "german")] == ["gold.txt"]


@pytest.mark.parametrize(("kind", "lines"), [("jsonl", 3), ("csv", 4)])
def test_everything_is_written_line_by_line(
    place: list[str], tmp_path: Path, corrected: list[ReviewItem], kind: str, lines: int
) -> None:
    out = tmp_path / "all"
    out.write_text("an older file")
    assert _run("export", "--format", kind, "--out", str(out), *place) == 0
    assert out.read_bytes().count(b"\n") == lines
    assert list(tmp_path.glob(".all*")) == []


def test_counts_are_printed_for_people_and_programs(
    place: list[str], database: Database, reader: ParseReader, corrected: list[ReviewItem], capsys: pytest.CaptureFixture[str]
) -> None:
    accept(database, reader, corrected[0].key, 0, "Anna", corrected[0].proposed)
    add_feedback(database, Feedback("q", "p", "a", "up", "", "german"))
    assert _run("stats", "--json", *place) == 0
    counts = json.loads(capsys.readouterr().out)
    assert counts["reviewers"] == {"Anna": 1}
    assert list(counts["datasets"]) == ["boxes", "diabetes", "german"]
    assert counts["datasets"]["diabetes"] == {
        "pending": 1, "accepted": 1, "accepted_with_edit": 0, "rejected": 0, "verdicts_up": 0, "verdicts_down": 0,
    }  # fmt: skip
    assert counts["datasets"]["german"]["verdicts_up"] == 1
    assert _run("stats", *place) == 0
    assert "diabetes: pairs: 1 pending, 1 accepted" in capsys.readouterr().out


def test_nothing_collected_is_said(place: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("stats", *place) == 0
    assert capsys.readouterr().out == "Nothing has been collected yet.\n"


def test_a_folder_names_its_data_set(place: list[str], tmp_path: Path, database: Database) -> None:
    folder = tmp_path / "boxes"
    folder.mkdir()
    (folder / "boxes.csv").write_text("size,big\n" + "".join(f"{n / 7:.2f},{n % 2}\n" for n in range(40)))
    (folder / "dataset.toml").write_text('data = "boxes.csv"\ntarget = "big"\n')
    suite = tmp_path / "suite.txt"
    suite.write_text("Large?\nfilter size greater than 3 [E]\n\n")
    assert _run("import", "--dataset", str(folder), str(suite), *place) == 0
    assert [item.dataset for item in list_items(database)] == ["boxes"]
    suite.write_text("Heavy?\nfilter weight greater than 3 [E]\n\n")
    assert _run("import", "--dataset", str(folder), str(suite), *place) == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "COMMAND"),
        (["revise"], "invalid choice: 'revise'"),
        (["export", "--format", "gold", "--out", "/nowhere/x.txt"], "Cannot write /nowhere/x.txt"),
        (["export", "--format", "gold", "--out", "x.txt", "--dataset", "cars"], "'cars'"),
        (["export", "--format", "gold"], "--out"),
        (["export", "--format", "parquet", "--out", "x"], "gold"),
        (["import", "--dataset", "diabetes", "absent.txt"], "Cannot read absent.txt"),
        (["import", "--dataset", "diabetes", "bad.txt"], "Line 1 stands alone"),
        (["import", "absent.txt"], "--dataset"),
        (["stats", "--jso"], "--jso"),
    ],
)
def test_a_mistake_is_one_line(
    place: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    arguments: list[str], says: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.txt").write_text("alone\n")
    assert _run(*arguments, *(place if arguments else [])) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert says in told


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert end.value.code == 0
    assert f"usage: python -m annotation {name}" in capsys.readouterr().out


def test_as_a_program() -> None:
    root = Path(__file__).parents[3]
    told = subprocess.run([sys.executable, "-m", "annotation", "--help"], capture_output=True, text=True, cwd=root)
    assert told.returncode == 0
    assert "usage: python -m annotation" in told.stdout
    assert all(name in told.stdout for name in COMMANDS)
