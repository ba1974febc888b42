"""Data sets as people have them: seven public shapes, tables of every kind, several passages, and no answers."""

import json
from pathlib import Path
from typing import Any

import pytest

from backend.errors import FaithfulnessError
from backend.models.language_models import ScriptedModel
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan, explain
from faithfulness.method.prompting import Continuation
from faithfulness.method.regions import Span
from faithfulness.method.sample import Sample
from faithfulness.runs.rows import BadRow, Row, chosen_rows, read_rows
from faithfulness.runs.shapes import parse_columns

ONE, TWO = "The Vltava flows through Prague.", "Prague lies in Bohemia."
SHAPES: dict[str, tuple[Any, tuple[str, ...], tuple[str, ...]]] = {
    "SQuAD of the hub": (
        {"id": "5", "title": "T", "context": ONE, "question": "q", "answers": {"text": ["Prague", "Prague"],
         "answer_start": [1, 1]}},
        (ONE,), ("Prague",),
    ),
    "HotpotQA of the hub": (
        {"id": "h", "question": "q", "answer": "Bohemia", "type": "bridge",
         "supporting_facts": {"title": ["A"], "sent_id": [0]},
         "context": {"title": ["A", "B"], "sentences": [["The Vltava flows ", "through Prague."], [TWO]]}},
        (ONE, TWO), ("Bohemia",),
    ),
    "HotpotQA as its files are": (
        {"_id": "h", "question": "q", "answer": "Bohemia", "context": [["A", ["The Vltava flows",
         " through Prague."]], ["B", [TWO]]]},
        (ONE, TWO), ("Bohemia",),
    ),
    "TriviaQA": (
        {"question": "q", "question_id": "tc_1", "entity_pages": {"title": [], "wiki_context": []},
         "search_results": {"title": ["x"], "search_context": [ONE]}, "answer": {"value": "Prague",
         "aliases": ["Praha", "Prague"]}},
        (ONE,), ("Prague", "Praha"),
    ),
    "RAGAS": (
        {"question": "q", "answer": "a reply", "contexts": [ONE, TWO], "ground_truth": "Prague"}, (ONE, TWO), ("Prague",),
    ),
    "RAGAS since 0.2": (
        {"user_input": "q", "response": "a reply", "retrieved_contexts": [ONE], "reference": "Prague"}, (ONE,), ("Prague",),
    ),
    "Natural Questions with passages that were retrieved": (
        {"question": "q", "answers": ["Prague"], "ctxs": [{"title": "x", "text": TWO}, {"title": "y",
         "text": ONE, "hasanswer": True}]},
        (ONE,), ("Prague",),
    ),
    "two gold passages": (
        {"question": "q", "answers": ["Prague"], "ctxs": [{"text": ONE,
         "isgold": True}, {"text": "no"}, {"text": TWO, "isgold": True}]},
        (ONE, TWO), ("Prague",),
    ),
    "passages without flags": (
        {"question": "q", "answers": ["Prague"], "ctxs": [{"text": TWO}, {"text": ONE}]}, (TWO, ONE), ("Prague",),
    ),
    "MuSiQue": (
        {"id": "m", "question": "q", "answer": "Bohemia", "answer_aliases": [],
         "paragraphs": [{"idx": 0, "title": "A", "paragraph_text": ONE,
         "is_supporting": True}, {"title": "B", "paragraph_text": "no"}]},
        (ONE,), ("Bohemia",),
    ),
    "MS MARCO": (
        {"query": "q", "answers": ["Prague"], "passages": {"is_selected": [0, 1],
         "passage_text": [TWO, ONE]}}, (ONE,), ("Prague",),
    ),
    "capital letters": ({"Question": "q", "Context": ONE, "Answer": "Prague"}, (ONE,), ("Prague",)),
    "no answers": ({"question": "q", "context": ONE}, (ONE,), ()),
    "an empty cell for the answer": ({"question": "q", "context": ONE, "answers": ""}, (ONE,), ()),
    "lists in cells": (
        {"question": "q", "context": json.dumps([ONE, TWO]),
         "answers": "['Brazil', 'Brasil']"}, (ONE, TWO), ("Brazil", "Brasil"),
    ),
}  # fmt: skip


def write(path: Path, records: list[Any]) -> str:
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return str(path)


@pytest.mark.parametrize("name", SHAPES)
def test_public_shapes_are_recognised(name: str, tmp_path: Path) -> None:
    record, passages, answers = SHAPES[name]
    (row,) = read_rows(write(tmp_path / "rows.jsonl", [record]))
    assert isinstance(row, Row), row
    sample = row.sample
    assert sample.question == "q"
    assert tuple(span.of(sample.passage) for span in sample.passages or (Span(0, len(sample.passage)),)) == passages
    assert sample.answers == answers


def test_the_files_of_squad_are_nested(tmp_path: Path) -> None:
    asked = [{"id": f"i{n}", "question": f"q{n}", "answers": [{"text": "Prague", "answer_start": 1}]} for n in range(3)]
    unanswerable = {"id": "i3", "question": "q3", "answers": [], "is_impossible": True}
    article = {"title": "T", "paragraphs": [{"context": ONE, "qas": asked}, {"context": TWO, "qas": [unanswerable]}]}
    path = tmp_path / "squad.json"
    path.write_text(json.dumps({"version": "2.0", "data": [article, article]}))
    rows = list(read_rows(str(path)))
    assert [row.number for row in rows] == list(range(1, 9))
    assert [type(row) for row in rows[:4]] == [Row, Row, Row, BadRow]
    first = rows[0]
    assert isinstance(first, Row)
    assert (first.id, first.sample.passage, first.sample.title, first.sample.answers) == ("i0", ONE, "T", ("Prague",))


@pytest.mark.parametrize(("name", "separator"), [("rows.csv", ","), ("rows.csv", ";"), ("rows.tsv", "\t"), ("rows.csv", "\t")])
def test_tables_of_text(name: str, separator: str, tmp_path: Path) -> None:
    path = tmp_path / name
    lines = [["question", "context", "answers"], ["q", f'"{ONE}"', "Prague"], ["r", f'"{TWO}"', ""]]
    path.write_text("".join(separator.join(line) + "\n" for line in lines), encoding="utf-8-sig")
    rows = [row for row in read_rows(str(path)) if isinstance(row, Row)]
    assert [(row.sample.question, row.sample.passage, row.sample.answers) for row in rows] == [
        ("q", ONE, ("Prague",)),
        ("r", TWO, ()),
    ]


def test_an_excel_file(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    assert book.active is not None
    for line in (["Id", "Question", "Context", "Answer"], [7, "q", ONE, "Prague"], [None] * 4, [8, "when", "In 1912.", 1912]):
        book.active.append(line)
    book.save(tmp_path / "rows.xlsx")
    rows = [row for row in read_rows(str(tmp_path / "rows.xlsx")) if isinstance(row, Row)]
    assert [(row.id, row.sample.question, row.sample.answers) for row in rows] == [
        ("7", "q", ("Prague",)),
        ("8", "when", ("1912",)),
    ]
    (tmp_path / "broken.xlsx").write_bytes(b"PK nothing")
    with pytest.raises(FaithfulnessError, match=r"broken\.xlsx cannot be read as an Excel file"):
        list(read_rows(str(tmp_path / "broken.xlsx")))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # pyarrow and its libraries, while they are imported
def test_a_folder_of_save_to_disk(tmp_path: Path) -> None:
    import datasets

    record = SHAPES["SQuAD of the hub"][0]
    datasets.DatasetDict({"validation": datasets.Dataset.from_list([record])}).save_to_disk(str(tmp_path / "saved"))
    (row,) = read_rows(str(tmp_path / "saved"))
    assert isinstance(row, Row)
    assert row.sample.answers == ("Prague",)


def test_columns_may_be_called_anything(tmp_path: Path) -> None:
    source = write(tmp_path / "rows.jsonl", [{"frage": "q", "text_de": ONE, "antwort": "Prague", "answers": "not this"}])
    (row,) = read_rows(source, parse_columns("question=frage,context=text_de, answers=antwort"))
    assert isinstance(row, Row)
    assert (row.sample.question, row.sample.passage, row.sample.answers) == ("q", ONE, ("Prague",))
    with pytest.raises(FaithfulnessError, match=r"its columns are frage, text_de, antwort, answers\. Name what it is called"):
        chosen_rows(source, None, 0, skip_bad=False)
    with pytest.raises(FaithfulnessError, match=r"holds no row that can be used\. Row 1: no question"):
        chosen_rows(source, None, 0, skip_bad=True)
    (row,) = read_rows(source, {"question": "query"})
    assert isinstance(row, BadRow)
    assert "there is no column 'query'; its columns are frage" in row.reason
    with pytest.raises(FaithfulnessError, match=r"takes question=NAME, .*; not 'frage=question'"):
        parse_columns("frage=question")


SEVERAL = Sample(
    "where does the vltava end",
    f"{TWO}\n\nThe Vltava ends in the Elbe.\n\nShips use it.",
    ("the Elbe",),
    passages=(Span(0, len(TWO)), Span(len(TWO) + 2, len(TWO) + 30), Span(len(TWO) + 32, len(TWO) + 45)),
)


def knowing(prompt: str) -> str:
    """Names the Elbe where its prompt's passage does."""
    shown = prompt.rsplit("\n\n", 1)[1]
    return " the Elbe\nKeywords: Elbe" if "Elbe" in shown else " the sea\nKeywords: sea"


def test_of_several_passages_the_one_that_is_needed_is_known() -> None:
    report = list(explain(SEVERAL, ScriptedModel(knowing), Continuation(), Metric(), Plan()))[-1]
    assert report.candidates == SEVERAL.passages
    assert [span.of(SEVERAL.passage) for span in report.sufficient] == ["The Vltava ends in the Elbe."]
    assert report.needed == report.sufficient
    assert [call.stage for call in report.calls].count("without") == 3


@pytest.mark.parametrize("plan", [Plan(), Plan(own_answer=True)])
def test_without_gold_the_own_answer_is_the_reference(plan: Plan) -> None:
    """With a gold answer that the model never gives, only its own counts, and only if that is asked for."""
    answers = ("Hamburg",) if plan.own_answer else ()
    sample = Sample(SEVERAL.question, "The Vltava ends in the Elbe. Ships use it. Many do.", answers)
    report = list(explain(sample, ScriptedModel(knowing), Continuation(), Metric(), plan))[-1]
    assert report.by_own_answer
    assert report.reference == ("the Elbe",)
    assert report.retrieval_hard
    assert [span.of(sample.passage) for span in report.sufficient] == ["The Vltava ends in the Elbe."]
    assert [group.of(sample.passage) for group in report.necessary] == ["Elbe."]
    wrong = list(explain(Sample("q", sample.passage, ("Hamburg",)), ScriptedModel(knowing), Continuation(), Metric(), Plan()))[
        -1
    ]
    assert len(wrong.calls) == 2
