"""What is learnt from: the parts of each source, and the record and field of what cannot be used."""

import json

import pytest

from backend.errors import InspiredError
from inspired.dialogue.dialogue import start
from inspired.dialogue.records import write_record
from inspired.lab.training.evaluation import read_sub_form
from inspired.lab.training.examples import TASKS, TrainingRecord, read_examples
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.sparql_reader import read_sparql, spellings_of
from inspired.parsers.placeholders import PLACEHOLDER, asking_for_x, read_form
from tests.inspired.dialogue_files import made_records, write_lines

SPARQL = """SELECT DISTINCT ?x { FILTER (?x != ?c)
  FILTER (!isLiteral(?x) OR lang(?x) = '' OR langMatches(lang(?x), 'en'))
  ?c ns:location.country.capital ns:m.paris . ?c ns:location.country.official_language ?x }"""


@pytest.fixture
def dialogue():
    started = start(SPARQL, {"m.paris": "Paris"}, "What do they speak where Paris is the capital?")
    record = write_record(started, "one").model_dump()
    for number, said in enumerate(("which country has paris as its capital?", "what is spoken there?")):
        record["gold_sub_qs"][number]["sub_question"] = said
    return record


def test_the_parser_reads_the_question_and_writes_the_whole_form(dialogue, tmp_path):
    (example,) = read_examples("parser", write_lines(tmp_path / "d.jsonl", [dialogue]))
    assert example.pair.source == "What do they speak where #entity1# is the capital?"
    assert example.pair.target == (
        "<sparql-header-1> ?c ns:location.country.capital #entity1# . ?c ns:location.country.official_language ?x ."
    )
    assert (example.record, example.ids) == ("one", ("m.paris",))


def test_the_correction_reads_feedback_and_history_and_writes_one_step(dialogue, tmp_path):
    first, second = read_examples("correction", write_lines(tmp_path / "d.jsonl", [dialogue]))
    assert first.pair.source == "which country has #entity1# as its capital?"
    assert first.pair.target == "?c ns:location.country.capital #entity1# ."
    assert second.pair.source == f"what is spoken there? | {first.pair.source} = {first.pair.target}"
    assert second.pair.target == "?c ns:location.country.official_language ?x ."


def test_the_writer_reads_form_template_question_and_earlier_templates(dialogue, tmp_path):
    _, second = read_examples("subquestion", write_lines(tmp_path / "d.jsonl", [dialogue]))
    templates = [each["temp_sub_question"].replace("Paris", "#entity1#") for each in dialogue["gold_sub_qs"]]
    question = "What do they speak where #entity1# is the capital?"
    parts = ["?c ns:location.country.official_language ?x .", templates[1], question, templates[0]]
    assert second.pair.source == " | ".join(parts)
    assert second.pair.target == "what is spoken there?"


def test_records_of_three_kinds_are_read(tmp_path):
    asked = {"question": "What is spoken in Paris?", "sparql": SPARQL, "topic_entity": {"m.paris": "Paris"}}
    cwq, generated = {"ID": "a", **asked, "answer": 3}, {"id": "b", **asked}
    published = {"id": 7, "cwq_question": "What is spoken there?", "gold_parse": SPARQL, "comment": "more than we know"}
    examples = list(read_examples("parser", write_lines(tmp_path / "d.jsonl", [cwq, generated, published])))
    assert [each.record for each in examples] == ["a", "b", "7"]
    assert examples[0].pair == examples[1].pair
    assert "ns:m.paris" in examples[2].pair.target
    assert len(list(read_examples("parser", tmp_path / "d.jsonl", limit=2))) == 2


def test_a_kind_stays_a_word_even_if_it_has_a_name():
    capital = "?c ns:location.country.capital"
    sparql = SPARQL.replace(capital, f"?c ns:common.topic.notable_types ns:m.country . {capital}")
    record = TrainingRecord(id="a", question="Paris is the capital of which country?", sparql=sparql,
                    topic_entity={"m.paris": "Paris", "m.country": "Country", "m.other": "which"})  # fmt: skip
    (example,) = TASKS["parser"](record)
    assert example.pair.source == "#entity1# is the capital of which country?"
    assert "ns:common.topic.notable_types ns:m.country" in example.pair.target
    assert example.kinds == {"m.country"}


def test_entities_in_other_words_are_told_after_the_question():
    question = "Which tongue is official in the City of Light?"
    record = TrainingRecord(id="a", question=question, sparql=SPARQL, topic_entity={"m.paris": "Paris"})
    (example,) = TASKS["parser"](record)
    assert example.pair.source == "Which tongue is official in the City of Light? | #entity1# Paris"


@pytest.mark.slow
def test_all_examples_of_many_dialogues_can_be_read_back(queries, tmp_path):
    records = made_records(queries, 60)
    path = write_lines(tmp_path / "d.jsonl", records)
    by_id = {each["id"]: each for each in records}
    for example in read_examples("parser", path):
        gold = asking_for_x(read_sparql(by_id[example.record]["gold_parse"]))
        assert equivalent(read_form(example.pair.target, example.ids, spellings_of(gold)), gold)
    corrections = list(read_examples("correction", path))
    assert len(corrections) == sum(len(each["gold_sub_qs"]) for each in records)
    for example in corrections:
        read_sub_form(example.pair.target)
        assert {int(number) for number in PLACEHOLDER.findall(example.pair.target)} <= set(range(1, len(example.ids) + 1))


@pytest.mark.parametrize(
    ("task", "change", "words"),
    [
        ("parser", {"gold_parse": ""}, "record one: sparql .or gold_parse. is empty"),
        ("parser", {"gold_parse": "SELECT ?x WHERE { GRAPH ?g {} }"}, "record one: GRAPH is not covered"),
        ("parser", {"question": "", "cwq_question": ""}, "record one: question is empty"),
        ("correction", {"gold_sub_lfs": []}, "record one: gold_sub_qs has 2 entries, but gold_sub_lfs has 0"),
        ("subquestion", {"gold_sub_lfs": [], "gold_sub_qs": []}, "record one: gold_sub_lfs is empty"),
        ("subquestion", {"gold_sub_qs": "none"}, "line 1: gold_sub_qs"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_record_and_field(dialogue, tmp_path, task, change, words):
    with pytest.raises(InspiredError, match=words):
        list(read_examples(task, write_lines(tmp_path / "d.jsonl", [{**dialogue, **change}])))


def test_a_file_that_is_none_is_named(tmp_path):
    with pytest.raises(InspiredError, match=r"Cannot read .*missing\.jsonl"):
        list(read_examples("parser", tmp_path / "missing.jsonl"))
    (tmp_path / "text.jsonl").write_text(json.dumps({"id": "a"}) + "\nhello\n")
    with pytest.raises(InspiredError, match="record a: question is empty"):
        list(read_examples("parser", tmp_path / "text.jsonl"))
