"""A dialogue: names in place of ids, corrections that can be taken back, and records that lose nothing."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.errors import InspiredError, LogicalFormError
from inspired.decomposition.decompose import read_steps
from inspired.dialogue.dialogue import (
    Answers,
    Dialogue,
    QuestionOrigin,
    ShownAnswer,
    add_step,
    ask_otherwise,
    begin,
    delete_step,
    insert_step,
    put_step,
    read_names,
    redo,
    replace_step,
    start,
    undo,
    with_answers,
    write_names,
)
from inspired.dialogue.last_change import last_change
from inspired.dialogue.records import read_record, write_record
from inspired.dialogue.references import resolve, resolve_all, with_names
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.forms import Entity, LogicalForm, Variable
from inspired.logical_form.sparql_reader import read_sparql
from inspired.logical_form.sparql_writer import write_compact, write_sparql
from inspired.ui.examples import examples
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
    for text in ("", "?c", "?c ns:a.b.c [Atlantis] .", "GRAPH ?g { ?x ns:a.b.c ?y }"):
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


@pytest.mark.slow
@given(logical_forms())
@settings(max_examples=200)
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
    from inspired.decomposition.decompose import question_type

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


# --- answers, own words and what corrections change -------------------------------------------------------------------------

FORMS = [
    "[that country] ns:location.country.currency_used ?x .",
    "?x ns:location.location.contains ns:m.2 .",
    "?x ns:topic_server.population_number ?num . FILTER (?num > 5)",
    "ORDER BY DESC(?x) LIMIT 1",
    "ns:m.3 ns:location.location.adjoin_s ?y . ?y ns:location.adjoining_relationship.adjoins ?x .",
]
found = st.none() | st.builds(
    ShownAnswer, st.lists(st.text(max_size=6), max_size=3).map(tuple), st.booleans(), st.none() | st.just("Too late.")
)


@st.composite
def dialogues(draw: st.DrawFn) -> Dialogue:
    """A dialogue after some corrections, in words or by logical forms, with answers to some of its steps."""
    words = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=8)
    dialogue = begin(draw(logical_forms()), {"m.0a": "Alpha", "m.2": draw(words)}, draw(words))
    origin = st.builds(QuestionOrigin, words, words, st.booleans())
    dialogue = replace(_answered(dialogue, draw), origin=draw(origin))
    for _ in range(draw(st.integers(0, 3))):
        number = draw(st.integers(1, len(dialogue.current.steps)))
        text, said = draw(st.sampled_from(FORMS)).replace("[that country]", "?c"), draw(words)
        try:
            act = draw(st.sampled_from(("put", "add", "delete")))
            if act == "delete":
                dialogue = delete_step(dialogue, number)
            else:
                dialogue = (put_step if act == "put" else add_step)(dialogue, number, read_steps(text), said)
        except LogicalFormError:
            continue
    return _answered(dialogue, draw)


def _answered(dialogue: Dialogue, draw: st.DrawFn) -> Dialogue:
    steps = tuple(draw(found) for _ in dialogue.current.steps)
    return with_answers(dialogue, Answers(steps, draw(found))) if draw(st.booleans()) else dialogue


@pytest.mark.slow
@given(dialogues())
@settings(max_examples=120)
def test_export_import_export_is_the_same(dialogue: Dialogue) -> None:
    first = write_record(dialogue)
    again = read_record(first.model_dump_json())
    assert write_record(again) == first
    assert (again.current.steps, again.form) == (dialogue.current.steps, dialogue.form)


@given(dialogues())
@settings(max_examples=60)
@pytest.mark.slow
def test_every_correction_can_be_taken_back_and_made_again(dialogue: Dialogue) -> None:
    back = dialogue
    for _ in dialogue.feedback:
        back = undo(back)
    assert back.feedback == ()
    assert back.current == back.predicted
    for _ in dialogue.feedback:
        back = redo(back)
    assert back == dialogue


@given(dialogues())
@settings(max_examples=60)
@pytest.mark.slow
def test_what_changed_accounts_for_every_step(dialogue: Dialogue) -> None:
    change = last_change(dialogue)
    if dialogue.before is None:
        assert change is None
        return
    assert change is not None
    kinds = [each.kind for each in change.steps]
    assert len(dialogue.current.steps) == len(kinds) - kinds.count("delete")
    assert len(dialogue.before.current.steps) == len(kinds) - kinds.count("insert")
    assert [each.number for each in change.steps if each.number] == list(range(1, len(dialogue.current.steps) + 1))
    if dialogue.current.frame.answer == dialogue.before.current.frame.answer:
        kept = [dialogue.current.steps[each.number - 1] for each in change.steps if each.kind == "keep" and each.number]
        assert all(step in dialogue.before.current.steps for step in kept) or kinds.count("keep") == len(kinds) - 1


def test_a_step_in_own_words_stays_with_its_words() -> None:
    dialogue = start(CAPITAL, {"m.1": "Paris"}, "Which language?")
    steps = read_steps("?c ns:location.country.currency_used ?x .")
    said = put_step(dialogue, 2, steps, "What money do they use there?", {"m.9": "Euro"})
    assert said.feedback == ("Replaced step 2: What money do they use there?",)
    assert (said.words_of(1), said.words_of(2)) == ("", "What money do they use there?")
    assert said.names["m.9"] == "Euro"
    record = write_record(said)
    assert [each.sub_question for each in record.gold_sub_qs] == [
        "Which country has the capital Paris?",
        "What money do they use there?",
    ]
    assert record.gold_sub_qs[1].temp_sub_question == "Which currency is used in that country?"
    assert read_record(record.model_dump_json()).own_words == said.own_words
    assert delete_step(said, 1).words_of(1) == "What money do they use there?"


def test_answers_go_with_the_steps_that_they_are_for() -> None:
    first = Answers((ShownAnswer(("France",)), ShownAnswer(("French",))), ShownAnswer(("French",)))
    dialogue = with_answers(start(CAPITAL, {"m.1": "Paris"}), first)
    corrected = replace_step(dialogue, 2, "[that country] ns:location.country.currency_used ?x .")
    assert corrected.answers is None
    late = with_answers(
        corrected, Answers((ShownAnswer(("France",)), ShownAnswer(problem="Too late.")), ShownAnswer(problem="Too late."))
    )
    record = write_record(late)
    assert [each.answer for each in record.pred_sub_qs] == [["France"], ["French"]]
    assert [each.answer for each in record.gold_sub_qs] == [["France"], None]
    assert record.final_answer is None
    change = last_change(late)
    assert change is not None
    assert (change.kind_of(1), change.kind_of(2)) == ("keep", "replace")
    assert change.before == ShownAnswer(("French",))
    assert undo(late).answers == first


def test_a_rephrased_question_counts_if_it_replaces_the_first() -> None:
    record = {"gold_parse": CAPITAL, "predicted_parse": CAPITAL, "id": "7"}
    record |= {"cwq_question": "Wich?", "rephrased_question": "Which?"}
    assert read_record(json.dumps(record)).asked == "Wich?"
    dialogue = read_record(json.dumps({**record, "rephrased_question_label": "Replacement"}))
    assert (dialogue.asked, write_record(dialogue).question, write_record(dialogue).id) == ("Which?", "Which?", "7")


def test_the_answer_is_what_the_last_step_finds() -> None:
    dialogue = start(CAPITAL, {"m.1": "Paris"})
    shorter = delete_step(dialogue, 2)
    assert write_sparql(shorter.form).count("?c") == 0
    assert shorter.in_words().questions == ("Which country has the capital Paris?",)
    longer = insert_step(dialogue, 2, "?x ns:language.human_language.region ?r .")
    assert longer.current.frame.answer == Variable("x")
    assert longer.current.steps[-1].main[0].object == Variable("x")
    assert undo(longer).current == dialogue.current
    change = last_change(longer)
    assert change is not None
    assert [each.kind for each in change.steps] == ["keep", "keep", "insert"]


def test_what_is_sorted_is_asked_for_and_not_the_value() -> None:
    dialogue = start("SELECT ?x { ns:m.1 ns:language.human_language.countries_spoken_in ?x }", {"m.1": "Portuguese"})
    counted = insert_step(dialogue, 1, "?x ns:topic_server.population_number ?n .")
    ranked = insert_step(counted, 2, "ORDER BY DESC(?x) LIMIT 1")
    assert ranked.in_words().questions == (
        "Which country has speakers of Portuguese?",
        "What is the population of each of these?",
        "Which of these has the largest population?",
    )
    assert equivalent(
        ranked.form,
        read_sparql(
            """SELECT ?x { ns:m.1 ns:language.human_language.countries_spoken_in ?x .
            ?x ns:topic_server.population_number ?n } ORDER BY DESC(?n) LIMIT 1"""
        ),
    )


def test_a_condition_at_the_end_asks_for_the_same_answer() -> None:
    dialogue = start("SELECT ?x { ns:m.1 ns:language.human_language.countries_spoken_in ?x }", {"m.1": "Portuguese"})
    for text in ("?x ns:topic_server.population_number ?n . FILTER (?n > 5)", "?x ns:location.country.currency_used ns:m.2 ."):
        assert insert_step(dialogue, 1, text).current.frame.answer == Variable("x")
        assert insert_step(dialogue, 1, text).current.steps[0] == dialogue.current.steps[0]


def test_another_reading_begins_with_its_own_steps() -> None:
    dialogue = put_step(start(CAPITAL, {}), 2, read_steps("?c ns:location.country.currency_used ?x ."), "Its money?")
    form = read_sparql("SELECT ?x { ?x ns:location.country.capital ns:m.7 }")
    other = ask_otherwise(dialogue, form, {"m.7": "Rome"}, "Chose")
    assert (len(other.current.steps), other.own_words, other.names["m.7"]) == (1, (), "Rome")
    assert other.feedback[-1] == "Chose"
    assert undo(other).current == dialogue.current
    assert ask_otherwise(other, other.form, other.names, "Chose") is other
