"""A study from Python: items of any kind go in, and what was collected comes out, as the commands have it."""

import json
import pickle
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import annotation
from annotation.studies.files.export import write_export
from annotation.studies.work.answers import submit
from annotation.studies.work.leases import next_item
from backend.errors import AnnotationError
from tests.annotation.studies.small_studies import join, plausible, ratings, write_study
from tests.served_app import close


@pytest.fixture
def study(tmp_path: Path) -> annotation.Study:
    folder = annotation.example(tmp_path / "example")
    return annotation.Study(folder / "study.toml", data_dir=tmp_path / "data")


def rows_of(study: annotation.Study, count: int) -> list[dict[str, Any]]:
    """New items like those of the example."""
    first = json.loads((Path(study_folder(study)) / "items.jsonl").read_text("utf-8").splitlines()[0])
    return [first | {"id": f"new-{number}"} for number in range(count)]


def study_folder(study: annotation.Study) -> Path:
    return Path(study.settings.data_dir).parent / "example"


@pytest.mark.parametrize("form", ["list", "frame", "dataset", "file"])
def test_items_of_any_kind_are_added_once(form: str, study: annotation.Study, tmp_path: Path) -> None:
    rows = rows_of(study, 3)
    items: Any = rows
    if form == "frame":
        items = pd.DataFrame(rows)
    elif form == "dataset":
        items = pytest.importorskip("datasets").Dataset.from_list(rows)
    elif form == "file":
        items = tmp_path / "more.jsonl"
        items.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    before = study.items["work"]
    assert study.add(items) == 3
    assert study.add(items) == 0
    assert study.items["work"] == before + 3


def test_the_study_is_that_of_the_commands(study: annotation.Study) -> None:
    study.add(rows_of(study, 1))
    other = annotation.Study(study_folder(study), data_dir=study.settings.data_dir)
    assert other.items == study.items
    assert other.export("jsonl") == write_export(study.study, "jsonl").decode("utf-8")
    assert len(study) == 0
    assert study.results().empty
    assert study.enrol("Ada").name == "Ada"


def test_what_people_answered_comes_out_as_a_table_and_a_data_set(tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    rating = 'title = "Ratings"\ntask = "similarity_rating"\nitems = ["items.jsonl"]\n'
    study = annotation.Study(write_study(tmp_path / "ratings", rating, items__jsonl=ratings(3)), data_dir=tmp_path / "data")
    worker = join(study.study, "Ann")
    for number in range(3):
        task = next_item(study.study, worker)
        submit(study.study, worker, task.key, plausible(task, number), str(number), insist=True)
    table, rows = study.results(), study.to_dataset()
    assert len(study) == len(table) == len(rows) == 3
    assert rows.column_names == list(table.columns)
    assert sorted(rows["original"][:]) == [f"How old is {number}?" for number in range(3)]


def test_an_archive_and_a_file_are_written(study: annotation.Study, tmp_path: Path) -> None:
    assert isinstance(study.export("archive"), bytes)
    assert study.export("inspired") == study.export("inspired.jsonl")
    path = study.export("csv", tmp_path / "out.csv")
    assert path == tmp_path / "out.csv"
    assert path.exists()


def test_a_study_serves_its_pages(study: annotation.Study) -> None:
    app = study.app()
    assert "study_page" in str(app.config)
    close(app)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda study: study.add([{"nothing": 1}]), "line 1"),
        (lambda study: study.add([3]), "Row 1 is no mapping"),
        (lambda study: study.add("nowhere.jsonl"), "nowhere"),
        (lambda study: study.add([], kind="play"), "choose work, trial, attention"),
        (lambda study: study.export("pdf"), "choose jsonl"),
        (lambda study: study.export("dataset"), "FOLDER"),
        (lambda study: annotation.Study("nowhere"), r"annotation\.example"),
        (lambda study: annotation.example(study_folder(study)), "there already"),
    ],
)
def test_a_mistake_is_said_in_a_sentence(call: Any, words: str, study: annotation.Study) -> None:
    with pytest.raises(AnnotationError, match=words):
        call(study)


def test_a_study_is_not_pickled(study: annotation.Study) -> None:
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(study)
