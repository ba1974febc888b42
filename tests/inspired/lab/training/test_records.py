"""Records of others: what is forgiven, what is left out, and that each of these is named."""

import json

import pytest

from backend.errors import InspiredError
from inspired.lab.training.examples import read_examples
from inspired.lab.training.records import TrainingRecord, read_identified, read_names, read_parse
from tests.inspired.dialogue_files import write_lines

SPARQL = "SELECT DISTINCT ?x { ?c ns:location.country.capital ns:m.1 . ?c ns:location.country.official_language ?x }"
STEPS = ["?c ns:location.country.capital #entity1# .", "?c ns:location.country.official_language ?x ."]


def dialogue(**changes):
    turns = [{"sub_question": "which country has Oslo?", "temp_sub_question": "t1", "worker": 3}, "what do they speak?"]
    return {"ID": 7, "cwq_question": "Tongue of Oslo?", "Gold-Parse": SPARQL, "gold_sub_lfs": STEPS, "GOLD_SUB_QS": turns,
            "topic entity": {"m.1": "Oslo"}, "comment": {"a": 1}, **changes}  # fmt: skip


def test_other_spellings_nulls_numbers_and_more_keys_are_forgiven():
    record = TrainingRecord.model_validate(dialogue(predicted_parse=None, pred_sub_lfs=None, question=None))
    assert (record.id, record.asked, record.sparql) == ("7", "Tongue of Oslo?", SPARQL)
    assert [each.sub_question for each in record.gold_sub_qs] == ["which country has Oslo?", "what do they speak?"]
    assert record.topic_entity == {"m.1": "Oslo"}
    assert TrainingRecord.model_validate({"id": "", "ID": "x", "sparql": "", "gold_parse": "q"}).id == "x"


def test_the_question_that_counts_is_the_one_that_the_record_makes_it():
    both = {"cwq_question": "first?", "rephrased_question": "second?"}
    assert TrainingRecord(**both, rephrased_question_label="Replacement").asked == "second?"
    assert TrainingRecord(**both, rephrased_question_label="Alternative").asked == "first?"
    assert TrainingRecord(**both, question="third?").asked == "third?"


def test_a_file_with_only_the_compact_query_is_read():
    compact = " ".join(STEPS)
    record = TrainingRecord.model_validate({"preprocessed_gold_parse": compact})
    assert record.sparql == compact
    assert read_parse(compact).patterns
    assert TrainingRecord.model_validate({"preprocessed_gold_parse": compact, "gold_parse": ""}).sparql == ""


def test_every_record_that_is_left_out_is_named_with_line_and_reason(tmp_path):
    lines = [
        json.dumps(dialogue()),
        "",
        json.dumps(dialogue(ID="a"))[:-1] + ",}",
        json.dumps(dialogue(ID="b", gold_sub_lfs=STEPS[:1])),
        json.dumps(dialogue(ID="c", GOLD_SUB_QS=3)),
        json.dumps(dialogue(ID="d", GOLD_SUB_QS=[{"sub_question": ""}, {"sub_question": "what?"}])),
        json.dumps(["no", "record"]),
    ]
    path = tmp_path / "d.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    left = []
    examples = list(read_examples("correction", path, skip=left.append))
    assert [each.record for each in examples] == ["7", "7", "d"]
    assert [(each.line, each.record, each.whole) for each in left] == [
        (3, "", True), (4, "b", True), (5, "", True), (6, "d", False), (7, "", True),
    ]  # fmt: skip
    words = ["not JSON", "gold_sub_qs has 2 entries, but gold_sub_lfs has 1", "gold_sub_qs", "step 1 is empty", "record"]
    assert all(word in str(each) for word, each in zip(words, left, strict=True))
    assert str(left[1]).startswith(f"{path}, line 4, record b: ")
    with pytest.raises(InspiredError, match="line 3: this is not JSON"):
        list(read_examples("correction", path))


def test_names_come_from_another_file_where_a_record_has_none(tmp_path):
    names = read_names(write_lines(tmp_path / "cwq.jsonl", [{"ID": "7", "sparql": SPARQL, "topic_entity": {"m.1": "Oslo"}}]))
    bare = write_lines(tmp_path / "bare.jsonl", [{**dialogue(), "topic entity": None}])
    (without,) = read_examples("parser", bare)
    (with_names,) = read_examples("parser", bare, names=names)
    assert (without.pair.source, with_names.pair.source) == ("Tongue of Oslo?", "Tongue of #entity1#?")
    assert "#entity1#" in with_names.pair.target


def test_an_id_is_of_one_record_and_a_record_without_one_has_its_line(tmp_path):
    path = write_lines(tmp_path / "d.jsonl", [dialogue(), dialogue(), dialogue(ID="")])
    left = []
    assert [record.id for _, record in read_identified(path, left.append)] == ["7", "3"]
    assert [str(each) for each in left] == [f"{path}, line 2, record 7: another record has the same id."]
    with pytest.raises(InspiredError, match="another record has the same id"):
        list(read_identified(path))
