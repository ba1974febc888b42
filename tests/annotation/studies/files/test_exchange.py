"""Items come in and results go out in several formats; a whole study goes out and comes back the same."""

import csv
import gzip
import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.studies.callers import Role
from annotation.studies.figures.results import AnswerFilter
from annotation.studies.files.archive import archive_lines, read_archive, write_archive
from annotation.studies.files.backup import backup, restore
from annotation.studies.files.dataset_folder import push, write_dataset_folder
from annotation.studies.files.export import export, write_export
from annotation.studies.people.workers import enrol, sign_in, sign_in_by_link
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import EXAMPLE, Study, import_dataset, import_items, load_study, open_study
from annotation.studies.work.answers import comment, flag, save_draft, submit
from annotation.studies.work.grading import LeadVerdict, release_batch, review, work_of
from annotation.studies.work.leases import next_item, skip
from annotation.studies.work.qualification import agree
from annotation.ui.endpoints import CALLS
from backend.errors import AnnotationError, DatabaseError
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, json_lines, rating_study, write_study

HEAD = 'title = "R"\ntask = "similarity_rating"\noverlap = 2\n'
ROWS = [
    {"id": "a", "original": 'He said "5", twice', "rewrite": "=SUM(1;2)\nand a line", "parse": "show [e]"},
    {"id": "b", "original": "größer, als 40?", "rewrite": "über 40?", "dataset": "diabetes"},
]


def _as_csv(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, ["id", "original", "rewrite", "parse", "dataset"])
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def test_the_page_of_exports_says_what_csv_files_do_to_texts_that_look_like_formulas(
    database: Database, tmp_path: Path, clock: HandClock
) -> None:
    study = open_study(database, write_study(tmp_path / "study", HEAD, items__jsonl=json_lines(ROWS)), clock)
    lead = join(study, "Lea", Role.LEAD)
    html = CALLS["study_page"](study, lead, {"page": "export"})["html"]
    assert "In CSV files a text that begins with =, +, - or @ has an apostrophe in front" in html


@pytest.mark.parametrize("name", ["items.csv", "items.json", "items.jsonl", "items.jsonl.gz"])
def test_items_of_each_format_are_the_same(database: Database, tmp_path: Path, clock: HandClock, name: str) -> None:
    folder = write_study(tmp_path / "study", HEAD)
    content = {"csv": _as_csv(ROWS), "json": json.dumps(ROWS), "jsonl": "\n".join(map(json.dumps, ROWS))}
    data = content[name.removesuffix(".gz").split(".")[1]].encode()
    (folder / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    study = open_study(database, folder, clock)
    assert import_items(study, folder / name) == 2
    assert import_items(study, folder / name) == 0
    worker = join(study, "Ann")
    for row in ROWS:
        shown = next_item(study, worker)
        assert [part.text for part in shown.parts[:2]] == [row["original"], row["rewrite"]]
        submit(study, worker, shown.key, {"rating": 4}, shown.key)


def test_items_of_a_data_set_folder(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("datasets")
    folder = tmp_path / "hub"
    folder.mkdir()
    (folder / "train.jsonl").write_text(json_lines([row | {"parse": "", "dataset": ""} for row in ROWS]))
    study = open_study(database, write_study(tmp_path / "study", HEAD))
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    assert import_dataset(study, str(folder), "train") == 2
    for name, split in ((str(folder), "test"), (str(tmp_path / "absent"), "train")):
        with pytest.raises(AnnotationError, match="cannot be loaded"):
            import_dataset(study, name, split)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # pyarrow and its libraries, while they are imported
@pytest.mark.parametrize("form", ["parquet", "on disk", "on disk, in splits"])
def test_a_local_data_set_of_each_form_gives_the_same_items(
    form: str, database: Database, tmp_path: Path, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Columns that a row lacks are there as None, as the library has it."""
    import datasets

    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    names = sorted({name for row in ROWS for name in row})
    data, folder = datasets.Dataset.from_list([{name: row.get(name) for name in names} for row in ROWS]), tmp_path / "hub"
    if form == "parquet":
        (folder / "data").mkdir(parents=True)
        data.to_parquet(folder / "data" / "train-00000-of-00001.parquet")
    else:
        (datasets.DatasetDict({"train": data, "test": data}) if "splits" in form else data).save_to_disk(folder)
    study = open_study(database, write_study(tmp_path / "study", HEAD), clock)
    assert import_dataset(study, str(folder), "train") == 2
    worker = join(study, "Ann")
    for row in ROWS:
        shown = next_item(study, worker)
        assert shown.key == row["id"]
        assert [part.text for part in shown.parts[:2]] == [row["original"], row["rewrite"]]
        submit(study, worker, shown.key, {"rating": 4}, shown.key)
    if form != "on disk":
        with pytest.raises(AnnotationError, match="cannot be loaded"):
            import_dataset(study, str(folder), "validation")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_one_study_wrote_as_a_data_set_is_work_for_the_next(
    database: Database, tmp_path: Path, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    head = 'title = "W"\ntask = "utterance_rewriting"\nitems = ["items.jsonl"]\n[settings]\nrewrites = 2'
    item = {"id": "u", "utterance": "[how] old?", "parse": "filter age [e]", "dataset": "diabetes"}
    first = open_study(database, write_study(tmp_path / "first", head, items__jsonl=json_lines([item])), clock)
    worker = join(first, "Ann")
    next_item(first, worker)
    submit(first, worker, "u", {"rewrite_1": "[what] age?", "rewrite_2": '{"which"} one'}, "1", insist=True)
    write_dataset_folder(first, tmp_path / "between")
    second = open_study(database, write_study(tmp_path / "second", HEAD), clock)
    assert import_dataset(second, str(tmp_path / "between"), "train") == 2
    assert [part.text for part in next_item(second, join(second, "Bob")).parts[:2]] == ["[how] old?", "[what] age?"]


@pytest.mark.parametrize(
    ("text", "says"), [("a,b\n1\n", "line 2: the row has not as many"), ('original,rewrite\n"a,b\n', "this is not CSV")]
)
def test_a_bad_table_is_named(database: Database, tmp_path: Path, text: str, says: str) -> None:
    folder = write_study(tmp_path / "study", HEAD, items__csv=text)
    with pytest.raises(AnnotationError, match=says):
        import_items(open_study(database, folder), folder / "items.csv")


def test_complex_web_questions_are_read_as_they_are(database: Database, tmp_path: Path) -> None:
    record = {
        "ID": "WebQTest-1_x", "compositionality_type": "composition", "machine_question": "m", "webqsp_ID": "w",
        "webqsp_question": "q", "question": "What is spoken where Paris is the capital?", "answer": [],
        "topic_entity": {"m.05qtj": "Paris"},
        "sparql": "PREFIX ns: <http://rdf.freebase.com/ns/>\nSELECT DISTINCT ?x\nWHERE {\n?c ns:location.country.capital "
        "ns:m.05qtj .\n?c ns:location.country.official_language ?x .\n}",
    }  # fmt: skip
    folder = write_study(tmp_path / "study", 'title = "D"\ntask = "inspired_dialogue"\nitems = ["cwq.json"]\n'
                         "[settings]\nturn_by_turn = false\n", cwq__json=json.dumps([record]))  # fmt: skip
    study = open_study(database, folder)
    shown = next_item(study, join(study, "Ann"))
    assert shown.key == "WebQTest-1_x"
    assert [part.name for part in shown.parts if part.name.startswith("predicted")] == ["predicted_1", "predicted_2"]
    record["sparql"] = "SELECT nothing"
    (folder / "cwq.json").write_text(json.dumps([record]))
    with pytest.raises(AnnotationError, match=r"line 1: .*gold is no query"):
        open_study(database, folder)


@pytest.fixture
def used(database: Database, tmp_path: Path, clock: HandClock) -> Study:
    """A study in which a bit of everything has happened."""
    study = rating_study(database, tmp_path / "used", clock, 4, "overlap = 2\n[batches]\nstart = 2\n[payment]\nbatch = 1")
    lead = join(study, "Lena", Role.LEAD)
    for number, name in enumerate(("Ann Lee", "Bo")):
        worker = join(study, name)
        for rating in (4, 2 - number):
            clock.turn(1)
            submit(study, worker, next_item(study, worker).key, {"rating": rating}, f"{rating}")
        for work in work_of(study, lead, worker.worker):
            verdict = LeadVerdict.REJECTED if work.answer["rating"] == 1 else LeadVerdict.ACCEPTED
            review(study, lead, work.assignment, work.number, verdict, "said")
        release_batch(study, lead, worker.worker)
        save_draft(study, worker, next_item(study, worker).key, "rating", "typed ✓", 3)
    flag(study, worker, "p0", "odd")
    comment(study, lead, "p0", "no, fine")
    return study


@pytest.mark.every_database
def test_workers_are_pseudonyms_unless_names_are_asked_for(used: Study) -> None:
    lead = join(used, "Max", Role.LEAD)
    for kind in ("jsonl", "csv", "answers", "log"):
        assert b"Ann" not in export(used, lead, kind)
    assert b"Ann" not in write_archive(used)
    assert b"Ann Lee" in export(used, lead, "log", AnswerFilter(names=True))
    with pytest.raises(CallRefusedError) as refused:
        export(used, join(used, "Cy"), "log")
    assert refused.value.reason is Reason.ROLE
    with pytest.raises(AnnotationError, match=r"choose jsonl, csv, parquet, answers, log, payment, gold_suite\.txt"):
        write_export(used, "xml")


@pytest.mark.every_database
def test_each_format_holds_the_same_rows(used: Study) -> None:
    rows = [json.loads(line) for line in write_export(used, "jsonl").splitlines()]
    assert [(row["id"], row["ratings"]) for row in rows] == [("p0", [4, 4]), ("p1", [2])]  # the 1 was rejected
    table = list(csv.DictReader(io.StringIO(write_export(used, "csv").decode())))
    assert [json.loads(row["ratings"]) for row in table] == [[4, 4], [2]]
    pytest.importorskip("pyarrow")
    frame = pd.read_parquet(io.BytesIO(write_export(used, "parquet")))
    assert list(frame["id"]) == ["p0", "p1"]
    log = [json.loads(line) for line in write_export(used, "log").splitlines()]
    assert [row["number"] for row in log] == sorted(row["number"] for row in log)
    assert {"enrolled", "given", "submitted", "reviewed", "released", "flagged", "commented"} <= {row["kind"] for row in log}


@pytest.mark.every_database
def test_a_study_comes_back_the_same(used: Study, tmp_path: Path, clock: HandClock) -> None:
    made = enrol(used, "Dan")
    whole = write_archive(used, names=True)
    other = Database(f"sqlite:///{tmp_path / 'other.sqlite'}")
    rating_study(other, tmp_path / "first", clock)  # so that numbers differ
    again = read_archive(other, whole, clock=clock)
    assert write_archive(again, names=True) == whole
    assert write_export(again, "csv") == write_export(used, "csv")
    worker = sign_in(again, "Dan", made.code, "a")
    assert next_item(again, worker).key == next_item(used, sign_in_by_link(used, made.link, "a")).key
    with pytest.raises(AnnotationError, match="already"):
        read_archive(other, whole)
    with pytest.raises(AnnotationError, match="in the database already"):
        read_archive(other, whole, "twin")
    nameless = read_archive(other, write_archive(used), "nameless", clock)
    assert write_archive(nameless).split(b"\n")[1:] == write_archive(used).split(b"\n")[1:]
    with pytest.raises(CallRefusedError):
        sign_in(nameless, "Dan", made.code, "b")
    other.close()


@pytest.mark.every_database
def test_an_archive_is_of_one_moment_also_while_people_work(used: Study) -> None:
    before = write_archive(used, names=True)
    lines = archive_lines(used, names=True)
    written = [next(lines)]
    worker = sign_in_by_link(used, enrol(used, "Late").link, "a")
    save_draft(used, worker, next_item(used, worker).key, "rating", "3", 1)
    written += lines
    assert b"".join(written) == before
    assert write_archive(used, names=True) != before


@pytest.mark.every_database
def test_no_cell_of_a_csv_runs_as_a_formula(used: Study) -> None:
    enrol(used, "=HYPERLINK(1)")
    payment = write_export(used, "payment", AnswerFilter(names=True)).decode()
    cells = [cell for row in csv.reader(io.StringIO(payment, newline="")) for cell in row]
    assert not any(cell[:1] in "=@\t\r" and cell for cell in cells)
    assert all(float(cell) for cell in cells if cell[:1] in ("+", "-"))


ACTS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["submit", "skip", "draft", "flag", "wait"]),
                          st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)),
                max_size=15)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=6)
@given(acts=ACTS)
def test_whatever_happened_comes_back(tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[int, str, str]]) -> None:
    folder, clock = tmp_path_factory.mktemp("whole"), HandClock()
    database, copy = Database(f"sqlite:///{folder / 'one.sqlite'}"), Database(f"sqlite:///{folder / 'two.sqlite'}")
    study = rating_study(database, folder / "study", clock, 5, "overlap = 2\nlease_minutes = 5")
    people = [join(study, f"w{n}") for n in range(3)]
    for number, (who, act, text) in enumerate(acts):
        try:
            key = next_item(study, people[who]).key
            if act == "submit":
                submit(study, people[who], key, {"rating": len(text) % 4 + 1}, f"{number}")
            elif act == "skip":
                skip(study, people[who], key, text)
            elif act == "draft":
                save_draft(study, people[who], key, "rating", text, number)
            elif act == "flag":
                flag(study, people[who], key, text)
            else:
                clock.turn(3)
        except CallRefusedError:
            continue
    whole = write_archive(study, names=True)
    assert write_archive(read_archive(copy, whole), names=True) == whole
    database.close()
    copy.close()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: "no json", "line 1: this is not JSON"),
        (lambda text: "{}", "line 1: parley_study is missing"),
        (lambda text: text.replace('"parley_study": 1', '"parley_study": 9'), "version 9"),
        (lambda text: text.replace('"table": "items"', '"table": "things"', 1), "a table is one of workers, accounts, items"),
        (lambda text: text.replace('"batch": 2', '"batch": "two"', 1), "batch cannot be 'two'; it is a whole number"),
        (lambda text: text.replace('"created": "2026', '"created": "soon 2026'), "cannot be 'soon"),
        (lambda text: text.replace('"pseudonym"', '"alias"', 1), "a row of study_workers has"),
        (lambda text: text.replace('"actor": 1', '"actor": 77', 1), "actor is 77, but there are"),
    ],
)
@pytest.mark.slow
def test_a_damaged_archive_is_refused_whole(used: Study, tmp_path: Path, change: Any, says: str) -> None:
    other = Database(f"sqlite:///{tmp_path / 'other.sqlite'}")
    with pytest.raises(AnnotationError, match=says):
        read_archive(other, change(write_archive(used, names=True).decode()).encode(), "copy")
    with pytest.raises(AnnotationError, match="there is none yet"):
        load_study(other, "copy")
    other.close()


def test_a_backup_of_a_database_in_use_can_be_restored(database: Database, settings: Any, tmp_path: Path) -> None:
    study = open_study(database, EXAMPLE)
    agree(study, join(study, "Ann"))
    whole = write_archive(study, names=True)
    copy = tmp_path / "deep" / "backup.sqlite"
    backup(settings.database_address, copy)
    assert copy.stat().st_mode & 0o777 == 0o600
    agree(study, join(study, "Bo"))
    backup(settings.database_address, tmp_path / "later.sqlite")
    url = f"sqlite:///{tmp_path / 'new' / 'parley.sqlite'}"
    restore(url, copy)
    restored = Database(url)
    assert write_archive(load_study(restored, "example"), names=True) == whole
    restored.close()
    with pytest.raises(DatabaseError, match="already"):
        restore(url, tmp_path / "later.sqlite")
    restore(url, tmp_path / "later.sqlite", overwrite=True)
    restored = Database(url)
    assert write_archive(load_study(restored, "example"), names=True) == write_archive(study, names=True)
    restored.close()


def test_what_is_no_backup_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("just a text\n" * 100)
    target = tmp_path / "new.sqlite"
    for source, says in ((tmp_path / "absent", "no file"), (tmp_path / "notes.txt", "no database of Parley")):
        with pytest.raises(DatabaseError, match=says):
            restore(f"sqlite:///{target}", source)
    with pytest.raises(DatabaseError, match="Cannot copy"):
        backup(f"sqlite:///{tmp_path / 'absent.sqlite'}", target)
    with pytest.raises(DatabaseError, match="Only SQLite and PostgreSQL"):
        backup("mysql://host/name", target)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.txt"]


def _check_croissant(folder: Path, columns: list[str]) -> None:
    """It names each file with its sum, and each column with its type; `mlcroissant validate` accepted such a file."""
    described = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    assert described["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    for file in described["distribution"]:
        content = (folder / file["contentUrl"]).read_bytes()
        assert (file["sha256"], file["contentSize"]) == (hashlib.sha256(content).hexdigest(), f"{len(content)} B")
    data, answers, labels = described["recordSet"]
    assert [field["name"] for field in data["field"]] == columns
    kinds = {field["name"]: (field["dataType"], field.get("repeated", False)) for field in data["field"]}
    assert kinds["original"] == ("sc:Text", False)
    assert kinds["ratings"] == ("sc:Integer", True)
    assert {field["source"]["fileObject"]["@id"] for field in answers["field"]} == {"answers/train.parquet"}
    assert {field["source"]["fileObject"]["@id"] for field in labels["field"]} == {"labels/train.parquet"}
    assert "Ann" not in json.dumps(described).replace("Annotation", "")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # pyarrow and its libraries, while they are imported
def test_a_data_set_folder_is_read_by_the_library_it_is_for(
    database: Database, tmp_path: Path, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets

    study = open_study(database, write_study(tmp_path / "study", HEAD), clock)
    with pytest.raises(AnnotationError, match="Nothing was collected yet"):
        write_dataset_folder(study, tmp_path / "empty")
    (tmp_path / "items.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    import_items(study, tmp_path / "items.jsonl")
    worker = join(study, "Ann")
    for _ in ROWS:
        shown = next_item(study, worker)
        submit(study, worker, shown.key, {"rating": 4}, shown.key)
    assert write_dataset_folder(study, tmp_path / "data set") == 2
    loaded = datasets.load_dataset(str(tmp_path / "data set"), split="train", cache_dir=str(tmp_path / "cache"))
    expected = [json.loads(line) for line in write_export(study, "jsonl").decode().splitlines()]
    assert [row["original"] for row in loaded] == [row["original"] for row in expected]
    assert set(loaded.column_names) == {name for row in expected for name in row}
    assert "Ann" not in (tmp_path / "data set" / "README.md").read_text(encoding="utf-8")
    _check_croissant(tmp_path / "data set", loaded.column_names)
    with pytest.raises(AnnotationError, match="could not be put on the hub"):
        push(tmp_path / "data set", "somebody/something")
    with pytest.raises(AnnotationError, match="write OWNER/NAME"):
        push(tmp_path / "data set", "no such name!")
