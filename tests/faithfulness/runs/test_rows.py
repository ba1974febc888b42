"""Rows of data sets in every form, and what is said of bad ones."""

import gzip
import json
from pathlib import Path

import pytest

from backend.errors import FaithfulnessError
from faithfulness.runs.rows import BadRow, Row, chosen_rows, read_rows

RECORDS = [
    {"question": "q one", "context": "It is blue.", "answers": ["blue"]},
    {"question": "q two", "ctxs": [{"title": "T", "text": "No."}, {"text": "It is red.", "isgold": True}], "answers": "red"},
    {"id": "mine", "question": "q three", "context": "It is 7, they say.", "answers": [7, "seven"], "other": "kept out"},
]


def sample_parts(row: Row | BadRow) -> tuple[str, str, tuple[str, ...]]:
    assert isinstance(row, Row), row
    return row.sample.question, row.sample.passage, row.sample.answers


EXPECTED = [
    ("q one", "It is blue.", ("blue",)),
    ("q two", "It is red.", ("red",)),
    ("q three", "It is 7, they say.", ("7", "seven")),
]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz", "rows.json", "rows.json.gz"])
def test_every_form_of_json_gives_the_same_rows(tmp_path: Path, name: str) -> None:
    text = json.dumps(RECORDS) if ".jsonl" not in name else "\n".join(map(json.dumps, RECORDS)) + "\n\n"
    content = text.encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    rows = list(read_rows(str(tmp_path / name)))
    assert [sample_parts(row) for row in rows] == EXPECTED
    assert [row.id for row in rows if isinstance(row, Row)] == ["1", "2", "mine"]


def test_a_table_may_hold_one_answer_or_a_list_in_a_cell(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('question,context,answers\n"a, b?",It is blue.,blue\nc,It is red.,"[""red"", ""scarlet""]"\n')
    assert [sample_parts(row)[2] for row in read_rows(str(path))] == [("blue",), ("red", "scarlet")]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # pyarrow and its libraries, while they are imported
def test_a_parquet_file_gives_the_same_rows(tmp_path: Path) -> None:
    import datasets

    path = tmp_path / "rows.parquet"
    records = [{"id": "x", "question": "q one", "context": "It is blue.", "answers": ["blue"]}]
    datasets.Dataset.from_list(records).to_parquet(str(path))
    assert [sample_parts(row) for row in read_rows(str(path))] == EXPECTED[:1]
    path.write_bytes(b"PAR1 broken")
    with pytest.raises(FaithfulnessError, match="cannot be read as Parquet"):
        list(read_rows(str(path)))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{broken", "Row 2: this is not JSON"),
        ('{"question": "q", "answers": ["a"]}', "Row 2: no context is in it; its columns are question, answers. Name what"),
        ('{"context": "c", "answers": ["a"]}', "Row 2: no question is in it; its columns are context, answers. Name what"),
        ('{"question": "q", "context": "c", "answers": []}', "Row 2: its answers are empty"),
        ('{"question": "q", "context": "c", "answers": {"text": []}}', "Row 2: its answers are empty"),
        ('{"question": " ", "context": "c", "answers": ["a"]}', "Row 2: A sample needs a question"),
        ("[1, 2]", "Row 2: "),
        ('{"id": "1", "question": "q", "context": "c", "answers": ["a"]}', "Row 2: its id '1' is that of row 1"),
    ],
)
def test_a_bad_row_is_named_and_left_out_only_on_request(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{json.dumps(RECORDS[0])}\n{line}\n{json.dumps(RECORDS[2])}\n")
    with pytest.raises(FaithfulnessError) as caught:
        chosen_rows(str(path), None, 0, skip_bad=False)
    assert said in caught.value.message
    assert "--skip-bad" in caught.value.message
    good, bad = chosen_rows(str(path), None, 0, skip_bad=True)
    assert good == [1, 3]
    assert [each.number for each in bad] == [2]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("rows.txt", b"", "ends in none of"),
        ("rows.json", b'{"a": 1}', "holds one array of rows"),
        ("rows.json", b"[", "is not JSON"),
        ("rows.jsonl", b"\xff\xfe", "not UTF-8"),
        ("rows.jsonl.gz", b"plain", "Cannot read"),
        ("rows.jsonl", b"", "no row that can be used"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FaithfulnessError, match=said):
        chosen_rows(str(tmp_path / name), None, 0, skip_bad=False)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FaithfulnessError, match=r"Cannot read .*gone\.jsonl"):
        list(read_rows(str(tmp_path / "gone.jsonl")))


def test_a_limit_draws_the_same_rows_for_the_same_seed(rows_file: Path) -> None:
    first, _ = chosen_rows(str(rows_file), 10, 1, skip_bad=False)
    assert first == chosen_rows(str(rows_file), 10, 1, skip_bad=False)[0]
    assert first != chosen_rows(str(rows_file), 10, 2, skip_bad=False)[0]
    assert len(set(first)) == 10
    assert chosen_rows(str(rows_file), 90, 1, skip_bad=False)[0] == list(range(1, 21))
