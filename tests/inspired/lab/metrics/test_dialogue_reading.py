"""Records as they are found: with answers of any kind, fields left out, null or unknown."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from backend.errors import InspiredError
from inspired.lab.metrics.dialogues import read_dialogues, read_split
from tests.inspired.lab.metrics.conftest import ANTHEM, CAPITAL, LANGUAGE


def read(path: Path, *records: object) -> Any:
    path.write_text("\n".join(map(json.dumps, records)), "utf-8")
    return list(read_dialogues(path))


def test_our_own_records(made: list[dict[str, Any]], made_file: Path) -> None:
    dialogues = read_split(made_file)
    assert [each.id for each in dialogues] == [each["id"] for each in made]
    assert "unknown" not in {each.type for each in dialogues}
    for dialogue, record in zip(dialogues, made, strict=True):
        assert len(dialogue.gold) == len(record["gold_sub_lfs"])
        assert all(each.form for each in (*dialogue.gold, *dialogue.predicted))
        assert set(dialogue.names) == set(record["topic_entity"].values())


def test_records_of_others(file_of_three: Path, tmp_path: Path) -> None:
    one, *_ = read_split(file_of_three)
    assert (one.id, one.type) == ("a", "composition")
    assert one.gold_forms == (CAPITAL, LANGUAGE)
    assert [each.sub_id for each in one.gold] == ["1", "2"]
    packed = tmp_path / "three.jsonl.gz"
    packed.write_bytes(gzip.compress(file_of_three.read_bytes()))
    assert read_split(packed)[0] == one


def test_little_is_enough(tmp_path: Path) -> None:
    parse = f"<sparql-header-1> {CAPITAL} . {LANGUAGE} ."
    alone, listed, spoken, odd = read(
        tmp_path / "few.jsonl",
        {"gold_parse": parse, "predicted_parse": f"<sparql-header-1> {CAPITAL} . {ANTHEM} ."},
        {"id": 7, "gold_sub_lfs": [CAPITAL], "pred_sub_lfs": [], "cwq_question": "Which?"},
        {"gold_sub_qs": [{"sub_id": 1, "sub_question": "Which?"}], "question": None, "compositionality_type": "Superlative"},
        {"gold_parse": "nothing like a query", "predicted_parse": "nor this"},
    )
    assert (alone.id, alone.type, alone.gold_forms) == ("1", "composition", (CAPITAL, LANGUAGE))
    assert alone.predicted_forms == (CAPITAL, ANTHEM)
    assert (listed.id, listed.type, listed.predicted_forms, listed.question) == ("7", "unknown", (), "Which?")
    assert (spoken.type, spoken.gold[0].form, spoken.gold_forms) == ("superlative", "", None)
    assert (odd.type, odd.gold_forms, odd.predicted_forms) == ("unknown", None, None)


@pytest.mark.slow
def test_a_step_kept_as_it_was_counts_once(made_file: Path) -> None:
    for dialogue in read_dialogues(made_file):
        found = [each for _, each in dialogue.sub_questions()]
        texts = [(each.template, each.question) for each in found]
        assert len(set(texts)) == len(texts)
        assert set(texts) == {(each.template, each.question) for each in (*dialogue.gold, *dialogue.predicted)}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"gold_parse": "x"}\n{"gold_sub_qs": 3}', "line 2: gold_sub_qs"),
        ('{"gold_sub_qs": [{"sub_question": {}}]}', r"line 1: gold_sub_qs\.0\.sub_question"),
        ('{"gold_sub_lfs": ["a", null]}', r"line 1: gold_sub_lfs\.1"),
        ('{"id": "a"}', "line 1: .*none of gold_sub_qs"),
        ("[{}]", "line 1: the record"),
        ("{", "line 1: this is not JSON"),
        ("\n\n", "holds no dialogue"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(InspiredError, match=told):
        read_split(path)
