"""A dialogue leads from the predicted to the gold query, and comes out as an INSPIRED record."""

import json
from functools import cache
from typing import Any

import pytest

from annotation.studies.plan import Warnings
from annotation.studies.study import EXAMPLE
from annotation.studies.work.answer_warnings import warnings_for
from annotation.tasks.inspired_dialogue import DialogueItem, DialogueSettings, InspiredDialogue, gold_wordings, script
from backend.errors import AnnotationError
from inspired.decomposition.correction_operations import apply
from inspired.dialogue.records import read_record
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.sparql_reader import read_sparql
from tests.annotation.tasks.task_results import result

TASK, SETTINGS = InspiredDialogue(), DialogueSettings()
ROWS = [
    json.loads(line)
    for name in ("items", "trial", "attention")
    for line in (EXAMPLE / f"{name}.jsonl").read_text("utf-8").splitlines()
]


def _item(row: dict[str, Any]) -> DialogueItem:
    return DialogueItem.model_validate({name: value for name, value in row.items() if name not in ("id", "known")})


ROW_OF = {row["id"]: row for row in ROWS}


@cache
def _example(key: str) -> DialogueItem:
    return _item(ROW_OF[key])


def _answer(item: DialogueItem, sensible: str = "yes") -> dict[str, Any]:
    answer: dict[str, Any] = {"sensible": sensible}
    for part in TASK.parts(item, SETTINGS, {}):
        if part.kind == "write" and (part.when is None or part.when[1] == sensible):
            answer[part.name] = f"my words for {part.name}"
    return answer


@pytest.mark.parametrize("key", ROW_OF)
def test_the_corrections_of_the_dialogue_lead_to_the_gold_query(key: str) -> None:
    item, told = _example(key), script(_example(key))
    assert apply(told.corrections, told.predicted.steps) == told.gold.steps
    record = TASK.rows([result(TASK, SETTINGS, item, _answer(item), key=key)], SETTINGS)[0]
    assert equivalent(read_sparql(record["gold_parse"]), read_sparql(item.gold))
    assert equivalent(read_sparql(record["predicted_parse"]), read_sparql(item.predicted))
    dialogue = read_record(json.dumps(record))
    assert len(record["gold_sub_qs"]) == len(dialogue.current.steps)
    assert record["topic_entity"] == item.names
    assert [each["temp_sub_question"] for each in record["gold_sub_qs"]] == list(told.gold_questions)


@pytest.mark.parametrize(("sensible", "label"), [("yes", "Alternative"), ("no", "Replacement")])
def test_a_question_that_made_no_sense_is_rephrased_at_the_end_and_replaced(sensible: str, label: str) -> None:
    item = _example("currency-of-lisbon")
    names = [part.name for part in TASK.parts(item, SETTINGS, {}) if part.name]
    assert names.index("rephrased_question") < names.index("predicted_1") < names.index("rephrased_at_the_end")
    record = TASK.rows([result(TASK, SETTINGS, item, _answer(item, sensible))], SETTINGS)[0]
    assert record["rephrased_question_label"] == label
    words = "my words for rephrased_question" if sensible == "yes" else "my words for rephrased_at_the_end"
    assert record["rephrased_question"] == words
    assert record["question"] == (item.question if sensible == "yes" else words)
    assert record["cwq_question"] == item.question


def test_only_what_is_new_is_worded_again() -> None:
    replaced, inserted, deleted = (_example(key) for key in ("currency-of-lisbon", "trial-euro-neighbours",
                                                          "trial-capital-of-neighbour"))  # fmt: skip
    asked = [[part.name for part in TASK.parts(item, SETTINGS, {}) if part.name[:4] in ("pred", "gold")]
             for item in (replaced, inserted, deleted)]  # fmt: skip
    assert asked == [
        ["predicted_1", "predicted_2", "gold_2"], ["predicted_1", "gold_2"], ["predicted_1", "predicted_2", "predicted_3"],
    ]  # fmt: skip
    words = gold_wordings(script(deleted), _answer(deleted))
    assert words == ["my words for predicted_1", "my words for predicted_3"]
    feedback = TASK.rows([result(TASK, SETTINGS, replaced, _answer(replaced))], SETTINGS)[0]["feedback"]
    assert feedback == ["Replace step 2: my words for gold_2", "my words for feedback"]


def test_answers_of_the_knowledge_base_are_shown_and_exported() -> None:
    item = _example("capital-paris-language")
    texts = [part.text for part in TASK.parts(item, SETTINGS, {})]
    assert "France" in texts
    assert "Final answer: French" in texts
    record = TASK.rows([result(TASK, SETTINGS, item, _answer(item))], SETTINGS)[0]
    assert [each["answer"] for each in record["gold_sub_qs"]] == [["France"], ["French"]]
    assert record["final_answer"] == ["French"]


def test_names_that_a_wording_drops_are_noticed() -> None:
    item = _example("between-france-and-austria")
    answer = _answer(item)
    found = warnings_for(TASK.parts(item, SETTINGS, {}), answer, Warnings())
    missing = {(each.name, each.message.split()[-1]) for each in found if each.rule == "missing_entity"}
    assert {("predicted_1", "France."), ("gold_2", "Austria."), ("rephrased_question", "France.")} <= missing


def test_a_record_of_the_data_set_is_an_item() -> None:
    item = _example("currency-of-lisbon")
    record = TASK.rows([result(TASK, SETTINGS, item, _answer(item))], SETTINGS)[0]
    again = DialogueItem.model_validate({name: value for name, value in record.items() if name != "id"})
    assert (again.question, again.names, again.gold_answers) == (item.question, item.names, item.gold_answers)
    assert script(again).gold_questions == script(item).gold_questions


def test_two_workers_on_one_dialogue_make_two_records() -> None:
    item = _example("currency-of-lisbon")
    found = [result(TASK, SETTINGS, item, _answer(item), worker, "x") for worker in ("w-1", "w-2")]
    assert [row["id"] for row in TASK.rows(found, SETTINGS)] == ["x-w-1", "x-w-2"]


@pytest.mark.slow
def test_answers_come_from_a_knowledge_base_if_items_bring_none() -> None:
    bare = _example("capital-paris-language").model_copy(
        update={"gold_answers": (), "predicted_answers": (), "final_answer": ()}
    )
    kept = TASK.prepare([("x", bare)], DialogueSettings(knowledge_base="embedded"), 0)
    assert kept[0][1].gold_answers == (("France",), ("French",))
    assert TASK.prepare([("x", bare)], SETTINGS, 0) == [("x", bare)]


@pytest.mark.parametrize("query", ["", "SELECT", "SELECT DISTINCT ?x WHERE { }", "DROP ALL"])
def test_a_query_that_cannot_be_split_is_no_item(query: str) -> None:
    with pytest.raises(ValueError, match=r"gold|predicted"):
        DialogueItem(question="Who?", gold=query, predicted=ROWS[0]["predicted"])


def test_every_step_must_be_worded() -> None:
    item = _example("currency-of-lisbon")
    answer = _answer(item)
    del answer["gold_2"]
    with pytest.raises(AnnotationError, match="“gold_2” is empty"):
        result(TASK, SETTINGS, item, answer)
