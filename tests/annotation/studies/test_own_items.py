"""A lab's own data as items: other formats, further columns that travel, our own exports, what a new folder leaves over."""

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from annotation.__main__ import main
from annotation.studies.files.export import write_export
from annotation.studies.study import Study, count_items, load_study, open_study
from annotation.studies.work.answers import submit
from annotation.studies.work.leases import next_item
from annotation.tasks.inspired_dialogue import DialogueItem
from annotation.tasks.predictions import covering
from backend.errors import AnnotationError, InspiredError
from backend.storage.database import Database
from inspired.lab.cleaning.repair import repair
from tests.annotation.studies.small_studies import HandClock, join, json_lines, plausible, write_study

GOLD = "How old is 5?\nfilter id 5 and show [E]\n\nWho is ill?\npredict [E]\n\n"
QUERY = "SELECT DISTINCT ?x WHERE { ?c ns:location.country.capital ns:m.1 . ?c ns:location.country.official_language ?x . }"


def _study(database: Database, folder: Path, clock: HandClock, task: str, items: str) -> Study:
    toml = f'title = "Own"\ntask = "{task}"\nitems = ["{items}"]\n' + ("[settings]\nrewrites = 1\n" if "utt" in task else "")
    return open_study(database, write_study(folder, toml), clock)


def _answer_all(study: Study) -> None:
    worker = join(study, "Ann")
    for number in range(sum(count_items(study).values())):
        task = next_item(study, worker)
        submit(study, worker, task.key, plausible(task, number), f"{number}", insist=True)


def _table(study: Study) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(write_export(study, "table.csv").decode())))


@pytest.mark.parametrize("name", ["items.txt", "items.parquet", "items.jsonl"])
def test_gold_suites_tables_and_lines_are_items_and_further_columns_travel(
    database: Database, tmp_path: Path, clock: HandClock, name: str
) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    rows = [{"utterance": "How old is 5?", "parse": "filter id 5 and show", "source": "forum", "page": 7}]
    if name.endswith("txt"):
        (folder / name).write_text(GOLD, encoding="utf-8")
    elif name.endswith("parquet"):
        pd.DataFrame(rows).to_parquet(folder / name)
    else:
        (folder / name).write_text(json_lines(rows), encoding="utf-8")
    study = _study(database, folder, clock, "utterance_rewriting", name)
    _answer_all(study)
    first = _table(study)[0]
    assert first["item.utterance"] == "How old is 5?"
    assert first["item.parse"].startswith("filter id 5 and show")
    if not name.endswith("txt"):
        assert (first["item.source"], first["item.page"]) == ("forum", "7")
    frame = pd.read_parquet(io.BytesIO(write_export(study, "table.parquet")))
    assert list(frame["answer.rewrite_1"]) == [row["answer.rewrite_1"] for row in _table(study)]


def test_what_one_study_exports_is_what_another_takes(database: Database, tmp_path: Path, clock: HandClock) -> None:
    rows = [
        {"temp_sub_question": "What is the age of 5?", "sub_question": "How old is 5?", "rank": 1}
    ]  # as cleaning writes them
    first = tmp_path / "check"
    first.mkdir()
    (first / "items.jsonl").write_text(json_lines(rows), encoding="utf-8")
    toml = 'title = "C"\ntask = "accuracy_check"\nitems = ["items.jsonl"]\n[settings]\nshare = 1.0\n'
    study = open_study(database, write_study(first, toml), clock)
    _answer_all(study)
    exported = write_export(study, "jsonl")
    again = tmp_path / "again"
    again.mkdir()
    (again / "items.jsonl").write_bytes(exported)
    assert count_items(open_study(database, write_study(again, toml), clock)) == count_items(study)


def test_what_cleaning_lists_is_mended_in_a_study_and_goes_back_into_the_dialogues(
    database: Database, tmp_path: Path, clock: HandClock
) -> None:
    steps = [("1", "What is the age of 5?", "How old is 5?"), ("2", "What is the age of 6?", "How tall is 6?")]
    parts = [{"sub_id": n, "temp_sub_question": template, "sub_question": worded} for n, template, worded in steps]
    dialogues = [
        {"id": name, "gold_parse": "", "gold_sub_qs": parts, "pred_sub_qs": parts[:1], "feedback": ["x"]}
        for name in ("d1", "d2")
    ]
    listed = [{"rank": 1, "id": "d1", "side": "gold", "read_as": "x", "error": None, **part} for part in parts]
    toml = 'title = "C"\ntask = "accuracy_check"\nitems = ["items.jsonl"]\n[settings]\nshare = 1.0\n'
    study = open_study(database, write_study(tmp_path / "check", toml, items__jsonl=json_lines(listed)), clock)
    worker = join(study, "Ann")
    for _ in parts:
        task = next_item(study, worker)
        wrong = task.key == "d1/gold/2"
        answer = {"accurate": "wrong", "edited": "How old is 6?"} if wrong else {"accurate": "accurate"}
        submit(study, worker, task.key, answer, task.key)
    (tmp_path / "checked.jsonl").write_bytes(write_export(study, "jsonl"))
    source = tmp_path / "dialogues.jsonl"
    source.write_text(json_lines(dialogues), encoding="utf-8")
    repaired = repair(source, tmp_path / "checked.jsonl")
    assert (repaired.checked, repaired.corrected, repaired.places) == (2, 1, 2)  # the same words stand in d2 too
    for record, before in zip(repaired.records, dialogues, strict=True):
        worded = [part["sub_question"] for part in record["gold_sub_qs"]]
        assert worded == ["How old is 5?", "How old is 6?"]
        assert (record["pred_sub_qs"], record["feedback"]) == (before["pred_sub_qs"], before["feedback"])
    source.write_text(json_lines([{**dialogues[0], "id": "other"}]), encoding="utf-8")
    with pytest.raises(InspiredError, match="is no wording of the dialogue 'd1'"):
        repair(source, tmp_path / "checked.jsonl")


def test_the_answer_of_a_complex_web_question_is_kept() -> None:
    item = DialogueItem.model_validate({"question": "Which?", "sparql": QUERY, "topic_entity": {}, "answer": "German"})
    assert item.final_answer == ("German",)


def test_a_corrected_folder_names_what_is_left_over_and_replaces_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = Database(f"sqlite:///{tmp_path / 'd.sqlite'}")
    pairs: list[dict[str, Any]] = [{"id": name, "original": name, "rewrite": "b"} for name in ("wrong-1", "wrong-2")]
    toml = 'title = "R"\ntask = "similarity_rating"\nitems = ["items.jsonl"]\n'
    folder = write_study(tmp_path / "ratings", toml, items__jsonl=json_lines(pairs))
    place = ["--study", str(folder), "--database-url", f"sqlite:///{tmp_path / 'd.sqlite'}"]
    main(["init", *place])
    study = load_study(database, "ratings")
    assert next_item(study, join(study, "Ann")).key == "wrong-1"
    (folder / "items.jsonl").write_text(json_lines([{"id": "right", "original": "a", "rewrite": "b"}]), encoding="utf-8")
    capsys.readouterr()
    main(["init", *place])
    assert "in no file: wrong-2. --replace takes them out" in capsys.readouterr().out
    main(["init", *place, "--replace"])
    out = capsys.readouterr().out
    assert "Taken out, since they stand in no file any more: 1 items." in out
    assert "so they stay: wrong-1." in out
    assert sum(count_items(study).values()) == 2


def test_people_are_added_by_a_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_study(tmp_path / "r", 'title = "R"\ntask = "similarity_rating"\n')
    place = ["--study", str(folder), "--data-dir", str(tmp_path)]
    main(["init", *place])
    (tmp_path / "names.csv").write_text("Ann Lee\nBo,bo-at-hub\n\n", encoding="utf-8")
    capsys.readouterr()
    main(["add-worker", *place, "--list", str(tmp_path / "names.csv")])
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines() if "\t" in line]
    assert [line[0] for line in lines] == ["name", "Ann Lee", "Bo"]
    with pytest.raises(AnnotationError, match="somebody called 'Bo'"):
        main(["add-worker", *place, "Cy", "Bo"])
    main(["add-worker", *place, "Cy"])  # nobody of the refused call is there


def test_predictions_of_the_default_parser_become_items_with_corrections(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text(GOLD, encoding="utf-8")
    main(
        [
            "predict",
            str(tmp_path / "q.txt"),
            "--dataset",
            "diabetes",
            "--out",
            str(tmp_path / "items.jsonl"),
            "--uncertain-first",
        ]
    )
    rows = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text().splitlines()]
    assert {row["dataset"] for row in rows} == {"diabetes"}
    assert [row["certainty"] for row in rows] == sorted(row["certainty"] for row in rows)


def test_rows_are_chosen_so_that_each_predicate_stands_often_enough() -> None:
    def row(*predicates: str) -> dict[str, str]:
        triples = " ".join(f"?x ns:a.b.{name} ?y{number} ." for number, name in enumerate(predicates))
        return {"gold": f"SELECT DISTINCT ?x WHERE {{ {triples} }}"}

    rows = [row("p"), row("p", "q"), row("p", "r"), row("q", "r"), row("p"), row("s"), row("p", "q", "r")]
    chosen = covering(rows, 2)
    counts = Counter(name for index in chosen for name in "pqrs" if f".{name} " in rows[index]["gold"])
    assert counts["p"] >= 2
    assert counts["q"] >= 2
    assert counts["r"] >= 2
    assert counts["s"] == 1  # there is no more of it
    assert len(chosen) < len(rows)
