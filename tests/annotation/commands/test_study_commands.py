"""A study from a terminal: begun, worked on, reviewed, exported, backed up."""

import json
import sqlite3
from pathlib import Path

import pytest

from annotation.__main__ import main
from annotation.studies.people.accounts import Account
from annotation.studies.people.joining import sign_in_by_account
from annotation.studies.people.workers import sign_in
from annotation.studies.study import load_study
from annotation.studies.work.answers import submit
from annotation.studies.work.grading import eliminate
from annotation.studies.work.leases import next_item
from backend.program import command_line
from backend.program.settings import Settings
from backend.storage.database import Database
from tests.annotation.studies.small_studies import ratings, write_study


@pytest.fixture
def place(settings: Settings) -> list[str]:
    return ["--data-dir", str(settings.data_dir)]


def _run(*arguments: str) -> int:
    return command_line.run("annotation", main, arguments)


@pytest.mark.slow
def test_a_study_is_run_from_a_terminal(
    place: list[str], tmp_path: Path, database: Database, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    toml = 'title = "R"\ntask = "similarity_rating"\nitems = ["items.jsonl"]\n[trial]\nitems = "trial.jsonl"\ntasks = 1\n'
    toml += "[batches]\nstart = 2\nspot_check = 1\n"
    folder = write_study(tmp_path / "mine", toml, items__jsonl=ratings(3), trial__jsonl=ratings(1, "t"))
    study_option = ["--study", str(folder)]
    assert _run("init", *study_option, *place) == 0
    assert "items: 3 work, 1 trial" in capsys.readouterr().out
    assert _run("add-worker", *study_option, "--lead", "Lena", *place) == 0
    capsys.readouterr()
    assert _run("add-worker", *study_option, "Ann", *place) == 0
    code = capsys.readouterr().out.split("access code: ")[1].split()[0]
    study = load_study(database, "mine")
    worker = sign_in(study, "Ann", code, "here")
    submit(study, worker, next_item(study, worker).key, {"rating": 4}, "t")
    review = ["review", *study_option, "--as", "Lena"]
    assert _run(*review, *place) == 0
    number, name, phase, key, answer = capsys.readouterr().out.split("\t")
    assert (name, phase, key, json.loads(answer)) == ("Ann", "trial", "t0", {"rating": 4})
    edited = ["--verdict", "edited", "--final", '{"rating": 3}', "--feedback", "not quite"]
    assert _run(*review, "--answer", number, *edited, *place) == 0
    assert _run(*review, "--worker", "Ann", "--trial", "pass", "--feedback", "fine", *place) == 0
    for submission in ("1", "2"):
        submit(study, worker, next_item(study, worker).key, {"rating": 4}, submission)
    capsys.readouterr()
    assert _run(*review, "--worker", "Ann", *place) == 0
    for line in capsys.readouterr().out.splitlines():
        assert _run(*review, "--answer", line.split("\t")[0], "--verdict", "accepted", *place) == 0
    assert _run(*review, "--worker", "Ann", "--release", *place) == 0
    assert "batch 2 with 3 tasks, 5 in all" in capsys.readouterr().out
    assert _run("stats", *study_option, *place) == 0
    assert "2 of 3 items complete" in capsys.readouterr().out
    assert _run("stats", *study_option, "--json", *place) == 0
    assert json.loads(capsys.readouterr().out)["verdicts"] == {"accepted": 2, "edited": 1, "rejected": 0}
    (tmp_path / "more.jsonl").write_text(ratings(4))
    assert _run("import", *study_option, str(tmp_path / "more.jsonl"), *place) == 0
    assert "1 new items" in capsys.readouterr().out
    out, archive, copy = tmp_path / "out.csv", tmp_path / "all.jsonl", tmp_path / "copy.sqlite"
    assert _run("export", *study_option, "--format", "csv", "--accepted", "--out", str(out), *place) == 0
    assert out.read_text().count("\n") == 3
    assert _run("export", *study_option, "--format", "archive", "--names", "--out", str(archive), *place) == 0
    assert _run("backup", str(copy), *study_option, *place) == 0
    assert _run("restore", str(copy), "--data-dir", str(tmp_path / "new")) == 0
    assert _run("restore", str(copy), "--overwrite", "--data-dir", str(tmp_path / "new")) == 0
    assert "Studies: mine" in capsys.readouterr().out
    assert [path.name for path in copy.parent.glob(f"{copy.name}*")] == [copy.name]
    assert _run("export", *study_option, "--format", "foo", "--out", str(out), *place) == command_line.REFUSED
    complaint = capsys.readouterr().err
    assert all(
        name in complaint for name in ("labels.csv", "archive", "dataset", "approvals.csv", "approve.txt", "bonuses.csv")
    )
    assert _run("import", "--archive", str(archive), "--data-dir", str(tmp_path / "third")) == 0
    assert "The study mine is here, with 5 items" in capsys.readouterr().out


def test_items_and_people_come_back_from_a_terminal(
    place: list[str], tmp_path: Path, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    toml = 'title = "R"\ntask = "similarity_rating"\nitems = ["items.jsonl"]\n'
    study_option = ["--study", str(write_study(tmp_path / "mine", toml, items__jsonl=ratings(2)))]
    assert _run("init", *study_option, *place) == 0
    assert _run("add-worker", *study_option, "--lead", "Lena", "--hf", "lena-lab", *place) == 0
    assert _run("add-worker", *study_option, "Ann", "--hf", "ann", *place) == 0
    assert _run("add-worker", *study_option, "Bob", "--hf", "ANN", *place) == command_line.REFUSED
    assert "'ann' lets somebody into this study already" in capsys.readouterr().err
    study = load_study(database, "mine")
    ann = sign_in_by_account(study, Account("1", "ann"))
    review = ["review", *study_option, "--as", "Lena"]
    assert _run(*review, "--withdraw", "p0", *place) == command_line.REFUSED
    assert _run(*review, "--withdraw", "p0", "--feedback", "wrong", *place) == 0
    assert next_item(study, ann).key == "p1"
    assert _run(*review, "--put-back", "p0", *place) == 0
    eliminate(study, sign_in_by_account(study, Account("2", "lena-lab")), ann.worker, "gone")
    assert _run(*review, "--readmit", "--feedback", "welcome", *place) == command_line.REFUSED
    assert _run(*review, "--worker", "Ann", "--readmit", "--feedback", "welcome", *place) == 0
    assert "Ann: tasks." in capsys.readouterr().out
    assert next_item(study, ann).key == "p1"


def test_a_new_folder_begins_as_the_example(place: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("init", "--study", str(tmp_path / "new"), *place) == 0
    assert "inspired_dialogue" in capsys.readouterr().out
    assert (tmp_path / "new" / "study.toml").is_file()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["init", "--study", "empty"], "study.toml"),
        (["add-worker", "--study", "nowhere", "Ann"], "no study 'nowhere'"),
        (["review", "--study", "nowhere", "--as", "Lena"], "no study"),
        (["export", "--study", "nowhere", "--format", "csv", "--out", "x"], "no study"),
        (["export", "--format", "log", "--out", "x"], "Parses have no format 'log'"),
        (["import", "absent.txt"], "--dataset NAME for parses, --study FOLDER for items, or --archive"),
        (["import", "--archive", "absent"], "Cannot read absent"),
        (["restore", "absent"], "no file absent"),
        (["backup", "/nowhere/there/x"], "x"),
        (["stats", "--study", "nowhere"], "no study"),
    ],
)
def test_a_mistake_is_one_line(
    place: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    arguments: list[str], says: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    if arguments[0] == "backup":
        monkeypatch.setattr(Path, "mkdir", _no_room)
        (tmp_path / "parley" / "parley.sqlite").touch()
    assert _run(*arguments, *place) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert says in told


def _no_room(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied")


def test_a_backup_is_a_database(place: list[str], tmp_path: Path, database: Database) -> None:
    assert _run("backup", str(tmp_path / "copy.sqlite"), *place) == 0
    connection = sqlite3.connect(tmp_path / "copy.sqlite")
    assert connection.execute("SELECT count(*) FROM schema_version").fetchone()[0] == database.version()
    connection.close()
