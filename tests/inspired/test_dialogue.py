"""A dialogue: names in place of ids, corrections that can be taken back, and records that lose nothing."""

import json
from typing import Any

import pytest
from hypothesis import given, settings

from backend.errors import InspiredError, LogicalFormError
from inspired.dialogue import delete_step, insert_step, read_names, replace_step, start, undo, write_names
from inspired.equivalence import equivalent
from inspired.examples import examples
from inspired.logical_form import Entity, LogicalForm, Variable
from inspired.records import read_record, write_record
from inspired.references import resolve, resolve_all, with_names
from inspired.sparql import read_sparql
from inspired.sparql_text import write_compact, write_sparql
from tests.inspired.conftest import Query
from tests.inspired.logical_forms import logical_forms

NAMES = {"m.1": "Lou Seal", "m.2": "Paris", "m.3": "Paris", "m.4": "São Tomé"}
NOUNS = {Variable("c"): "country", Variable("x"): "capital"}
CAPITAL = """SELECT DISTINCT ?x {
  FILTER(?x != ?c) ?c ns:location.country.capital ns:m.1 . ?c ns:location.country.official_language ?x }"""


@pytest.mark.parametrize(
    ("phrase", "meant"),
    [
        ("Lou Seal", Entity("m.1")),
        ("  lou   SEAL ", Entity("m.1")),
        ("Lou Seel", Entity("m.1")),
        ("Seal", Entity("m.1")),
        ("Sao Tome", Entity("m.4")),
        ("that country", Variable("c")),
        ("the country", Variable("c")),
        ("country", Variable("c")),
        ("these", Variable("x")),
    ],
)
def test_names_and_phrases_are_understood(phrase: str, meant: object) -> None:
    assert resolve(phrase, NAMES, NOUNS) == meant


@pytest.mark.parametrize(("phrase", "told"), [("Paris", "ns:m.2.*ns:m.3"), ("that ship", "Nothing called.*that country")])
def test_doubtful_names_are_asked_back(phrase: str, told: str) -> None:
    with pytest.raises(LogicalFormError, match=told):
        resolve(phrase, NAMES, NOUNS)


def test_names_in_a_text() -> None:
    text = '[that country] ns:a.b.c [Lou Seal] ; ns:a.b.d "[no name]" , [] .'
    assert resolve_all(text, NAMES, NOUNS) == '?c ns:a.b.c ns:m.1 ; ns:a.b.d "[no name]" , [] .'


def test_a_step_shown_with_names_is_read_back(query: Query) -> None:
    dialogue = start(query.sparql, query.names)
    for number in range(1, query.steps + 1):
        assert replace_step(dialogue, number, dialogue.step_text(number)).current == dialogue.current


def test_two_things_of_one_name_keep_their_ids() -> None:
    assert with_names("ns:m.1 ns:a.b.c ns:m.2, ns:m.3", NAMES) == "[Lou Seal] ns:a.b.c ns:m.2, ns:m.3"


def test_corrections_and_undo() -> None:
    dialogue = start(CAPITAL, {"m.1": "Paris", "m.2": "Lima"}, "Which language?")
    changed = replace_step(dialogue, 1, "?c ns:location.country.capital [Lima] .")
    assert changed.in_words().questions[0] == "Which country has the capital Lima?"
    longer = insert_step(changed, 2, "[that official language] ns:language.human_language.region ns:m.5 .")
    assert len(longer.current.steps) == 3
    assert "?x" in write_sparql(longer.form)
    shorter = delete_step(longer, 3)
    assert shorter.current == changed.current
    assert shorter.feedback == ("Replaced step 1", "Inserted step 3", "Deleted step 3")
    assert undo(undo(undo(shorter))) == dialogue
    assert undo(dialogue) == dialogue


def test_a_correction_that_changes_nothing_is_none() -> None:
    dialogue = start(CAPITAL, {})
    assert replace_step(dialogue, 1, dialogue.step_text(1)) is dialogue


def test_wrong_corrections_leave_the_dialogue_alone() -> None:
    dialogue = start(CAPITAL, {})
    for text in ("", "?c", "?c ns:a.b.c [Atlantis] .", "OPTIONAL { ?x ns:a.b.c ?y }"):
        with pytest.raises(LogicalFormError):
            replace_step(dialogue, 1, text)
    with pytest.raises(LogicalFormError, match="only step"):
        delete_step(delete_step(dialogue, 1), 1)
    with pytest.raises(LogicalFormError, match="Two steps sort"):
        insert_step(insert_step(dialogue, 2, "ORDER BY ?x LIMIT 1"), 3, "ORDER BY ?c LIMIT 1")


@pytest.mark.parametrize(
    ("text", "told"), [("", "no query yet"), ("SELECT ?x WHERE { }", "no triples"), ("m.1 = Paris", "Cannot read|missing")]
)
def test_what_is_no_query_is_said(text: str, told: str) -> None:
    with pytest.raises(LogicalFormError, match=told):
        start(text, {})


def test_a_compact_query_begins_a_dialogue_too(query: Query) -> None:
    form = read_sparql(query.sparql)
    if not form.distinct or form.limit is not None:
        return
    dialogue = start(write_compact(form), {"#entity1#": "Alpha"})
    assert len(dialogue.current.steps) == query.steps
    assert "Alpha" in " ".join(dialogue.in_words().questions)


def test_names_as_lines() -> None:
    names = read_names("m.1 = Lou Seal\n\n ns:m.2=A = B\n")
    assert names == {"m.1": "Lou Seal", "m.2": "A = B"}
    assert read_names(write_names(names)) == names
    with pytest.raises(LogicalFormError, match="Line 2"):
        read_names("m.1 = x\nm.2")


@given(logical_forms())
@settings(max_examples=200, deadline=None)
def test_a_record_loses_nothing(form: LogicalForm) -> None:
    dialogue = start(write_sparql(form), {"m.0a": "Alpha"}, "Which one?")
    record = json.dumps(write_record(dialogue, "7").model_dump())
    again = read_record(record)
    assert again.current == dialogue.current
    assert again.predicted == dialogue.predicted
    assert (again.names, again.question) == (dialogue.names, dialogue.question)


def test_a_corrected_dialogue_as_a_record() -> None:
    dialogue = delete_step(start(CAPITAL, {"m.1": "Paris"}, "Which language?"), 1)
    record = write_record(dialogue)
    assert len(record.pred_sub_qs) == 2
    assert len(record.gold_sub_qs) == 1
    assert record.preprocessed_gold_parse == "filter ( ?x != ?c ) ?c ns:location.country.official_language ?x ."
    again = read_record(record.model_dump_json())
    assert again.current == dialogue.current
    assert again.feedback == dialogue.feedback


def test_steps_put_in_another_order_stay_in_it() -> None:
    dialogue = start(CAPITAL, {})
    moved = insert_step(delete_step(dialogue, 1), 1, "?c ns:location.country.capital ns:m.1 .")
    assert read_record(write_record(moved).model_dump_json()).current.steps == moved.current.steps


def test_a_record_without_steps_is_split_anew() -> None:
    record = {"gold_parse": CAPITAL, "predicted_parse": CAPITAL}
    assert len(read_record(json.dumps(record)).current.steps) == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "not JSON"),
        ("[]", "not a record"),
        ('{"gold_parse": 3}', "gold_parse"),
        ('{"gold_parse": "a", "predicted_parse": "b", "x": 1}', "x"),
    ],
)
def test_what_is_no_record_is_said(text: str, told: str) -> None:
    with pytest.raises(InspiredError, match=told):
        read_record(text)


def test_the_examples_cover_the_four_types() -> None:
    from inspired.decompose import question_type

    kinds = set()
    for example in examples().values():
        dialogue = start(example.sparql, example.names, example.question)
        kinds.add(question_type(dialogue.current))
        assert all(name in " ".join(dialogue.in_words().questions) for name in example.names.values())
    assert kinds == {"composition", "conjunction", "comparative", "superlative"}


def test_records_of_others(cwq: list[dict[str, Any]]) -> None:
    for record in cwq[::20]:
        dialogue = start(record["sparql"], record["topic_entity"], record["question"])
        again = read_record(write_record(dialogue).model_dump_json())
        assert again.current == dialogue.current
        assert equivalent(again.form, read_sparql(record["sparql"]))
