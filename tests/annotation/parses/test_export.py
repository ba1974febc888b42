"""Files: gold holds exactly what counts, the others lose nothing, and odd text survives."""

import csv
import io
import json

import pytest

from annotation.parses.export import COLUMNS, csv_table, gold_pairs, gold_suite, items_to_export, json_lines, verdicts_csv
from annotation.parses.intake import import_suite
from annotation.parses.pairs import ReviewItem, list_items
from annotation.parses.parse_reader import ParseReader
from annotation.parses.review import accept, put_back, reject
from backend.errors import AnnotationError
from backend.storage.collected import Correction, Feedback, add_correction
from backend.storage.database import Database

ODD = 'مرحبا, "quoted"; <script>alert(1)</script>\nsecond line \U0001f600 =1+1'


def test_only_what_is_accepted_now_is_gold(database: Database, reader: ParseReader, corrected: list[ReviewItem]) -> None:
    first, second, _ = corrected
    accept(database, reader, first.key, 0, "Anna", first.proposed)
    accept(database, reader, second.key, 0, "Anna", second.proposed)
    put_back(database, second.key, 1, "Anna")
    assert gold_suite(list_items(database)) == "How likely is 5?\nfilter id 5 and likelihood [E]\n\n"
    reject(database, first.key, 1, "Ben", "no")
    assert gold_suite(list_items(database)) == ""


def test_of_one_utterance_the_parse_accepted_last_is_gold(database: Database, reader: ParseReader) -> None:
    for parse in ("likelihood [e]", "predict [e]", "show [e]"):
        add_correction(database, Correction("How likely?", "label [e]", parse, "diabetes"))
    for number in (2, 0, 1):
        item = list_items(database)[number]
        accept(database, reader, item.key, 0, "Anna", item.proposed)
    assert gold_pairs(list_items(database)) == {"How likely?": "predict [e]"}


def test_a_gold_suite_is_of_one_data_set(database: Database, reader: ParseReader, corrected: list[ReviewItem]) -> None:
    for item in (corrected[0], corrected[2]):
        accept(database, reader, item.key, 0, "Anna", item.proposed)
    with pytest.raises(AnnotationError, match="boxes, diabetes"):
        gold_suite(list_items(database))
    assert gold_suite(items_to_export(database, "boxes")) == "Show the big ones\nfilter size greater than 3 and show [E]\n\n"


def test_an_unknown_data_set_names_those_there_are(database: Database, corrected: list[ReviewItem]) -> None:
    with pytest.raises(AnnotationError, match="boxes, diabetes"):
        items_to_export(database, "cars")


def test_json_lines_hold_everything_with_history(database: Database, reader: ParseReader, corrected: list[ReviewItem]) -> None:
    key = corrected[0].key
    reject(database, key, 0, "Ben", ODD)
    accept(database, reader, key, 1, "Anna", "filter id 5 and likelihood and show")
    lines = [json.loads(line) for line in json_lines(list_items(database)).split("\n")[:-1]]
    assert [line["state"] for line in lines] == ["accepted with edit", "pending", "pending"]
    assert lines[0]["gold"] == "filter id 5 and likelihood and show [e]"
    assert lines[1]["gold"] is None
    assert [(event["state"], event["reviewer"], event["reason"]) for event in lines[0]["history"]] == [
        ("rejected", "Ben", ODD),
        ("accepted with edit", "Anna", ""),
    ]
    assert all(event["created"].endswith("+00:00") for event in lines[0]["history"])


def test_a_table_gives_odd_text_back_character_for_character(database: Database, corrected: list[ReviewItem]) -> None:
    add_correction(database, Correction(ODD, "show [e]", "label [e]", "boxes"))
    reject(database, list_items(database)[-1].key, 0, "Ben", ODD)
    rows = list(csv.DictReader(io.StringIO(csv_table(list_items(database)), newline="")))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == 4
    assert (rows[-1]["utterance"], rows[-1]["reason"], rows[-1]["state"], rows[-1]["decisions"]) == (ODD, ODD, "rejected", "1")


def test_verdicts_are_written_as_they_were_given() -> None:
    rows = list(csv.DictReader(io.StringIO(verdicts_csv([Feedback(ODD, "p", "a", "down", ODD, "d")]), newline="")))
    assert (rows[0]["utterance"], rows[0]["comment"], rows[0]["verdict"]) == (ODD, ODD, "down")


def test_an_exported_suite_can_be_reviewed_anew_and_comes_out_the_same(
    database: Database, reader: ParseReader, corrected: list[ReviewItem]
) -> None:
    for item in corrected[:2]:
        accept(database, reader, item.key, 0, "Anna", item.proposed)
    suite = gold_suite(items_to_export(database, "diabetes"))
    intake = import_suite(database, reader, "german", "suite.txt", suite.encode())
    assert (intake.count, intake.new) == (2, 2)
    for item in items_to_export(database, "german"):
        accept(database, reader, item.key, 0, "Ben", item.proposed)
    assert gold_suite(items_to_export(database, "german")) == suite
