"""Dialogues as INSPIRED records, the JSON of the paper's data set (section 3), to hand on and to open again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backend.errors import InspiredError, LogicalFormError
from inspired.decompose import decompose, read_steps
from inspired.dialogue import Dialogue
from inspired.equivalence import equivalent
from inspired.logical_form import LogicalForm, delexicalise
from inspired.modifications import rename_entities
from inspired.sparql import read_sparql, spellings_of
from inspired.sparql_text import write_compact, write_sparql
from inspired.steps import Decomposition, Step, compose
from inspired.verbalise import verbalise


class SubQuestion(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sub_id: str | int
    sub_question: str = ""
    temp_sub_question: str = ""
    answer: str | list[str] | None = None


class InspiredRecord(BaseModel):
    """One dialogue. `topic_entity`, the names of entities by id, is ours: without it the names would be lost."""

    model_config = ConfigDict(extra="forbid")

    id: str = ""
    cwq_question: str = ""
    rephrased_question: str = ""
    rephrased_question_label: Literal["Replacement", "Alternative"] = "Alternative"
    question: str = ""
    final_answer: str | list[str] | None = None
    gold_parse: str
    preprocessed_gold_parse: str = ""
    predicted_parse: str
    gold_sub_lfs: list[str] = Field(default_factory=list)
    pred_sub_lfs: list[str] = Field(default_factory=list)
    gold_sub_qs: list[SubQuestion] = Field(default_factory=list)
    pred_sub_qs: list[SubQuestion] = Field(default_factory=list)
    feedback: list[str] = Field(default_factory=list)
    topic_entity: dict[str, str] = Field(default_factory=dict)


def write_record(dialogue: Dialogue, id_: str = "") -> InspiredRecord:
    """The corrected query is the gold one, the query as it came the predicted one. Answers stay empty."""
    gold, predicted = dialogue.form, compose(dialogue.predicted)
    return InspiredRecord(
        id=id_,
        cwq_question=dialogue.question,
        question=dialogue.question,
        gold_parse=write_sparql(gold),
        preprocessed_gold_parse=write_compact(gold),
        predicted_parse=write_sparql(predicted),
        gold_sub_lfs=_sub_lfs(dialogue.current),
        pred_sub_lfs=_sub_lfs(dialogue.predicted),
        gold_sub_qs=_sub_questions(dialogue.current, dialogue.names),
        pred_sub_qs=_sub_questions(dialogue.predicted, dialogue.names),
        feedback=list(dialogue.feedback),
        topic_entity=dict(dialogue.names),
    )


def read_record(text: str) -> Dialogue:
    """The dialogue that a record, as JSON, tells of; its steps are as they were, wherever the record allows it.

    Raises InspiredError for what is no record, LogicalFormError for a query in it that cannot be read.
    """
    try:
        record = InspiredRecord.model_validate(json.loads(text))
    except json.JSONDecodeError as error:
        raise InspiredError(f"This is not JSON: {error.msg} at line {error.lineno}.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "the record"
        raise InspiredError(f"This is not a record of a dialogue: {field}: {first['msg']}.") from error
    return Dialogue(
        predicted=_decomposition(read_sparql(record.predicted_parse), record.pred_sub_lfs),
        current=_decomposition(read_sparql(record.gold_parse), record.gold_sub_lfs),
        names=record.topic_entity,
        question=record.question,
        feedback=tuple(record.feedback),
    )


def _sub_lfs(decomposition: Decomposition) -> list[str]:
    return [step.compact() for step in delexicalised_steps(decomposition)]


def delexicalised_steps(decomposition: Decomposition) -> tuple[Step, ...]:
    """The steps with the placeholders that their entities have in the whole query."""
    form = compose(decomposition)
    _, entities = delexicalise(form)
    numbers = {id_: f"#entity{number}#" for number, id_ in enumerate(entities, 1)}
    return tuple(rename_entities(step, numbers) for step in decomposition.steps)


def _sub_questions(decomposition: Decomposition, names: Mapping[str, str]) -> list[SubQuestion]:
    questions = verbalise(decomposition, names).questions
    return [
        SubQuestion(sub_id=number, sub_question=question, temp_sub_question=question)
        for number, question in enumerate(questions, 1)
    ]


def _decomposition(form: LogicalForm, sub_lfs: list[str]) -> Decomposition:
    """The steps as the record lists them, if together they are the query; else as we would split it."""
    usual = decompose(form)
    _, entities = delexicalise(form)
    try:
        steps = [step for text in sub_lfs for step in _read_sub_lf(text, entities, form)]
    except LogicalFormError:
        return usual
    listed = Decomposition(usual.frame, tuple(steps))
    return listed if steps and equivalent(compose(listed), form) else usual


def _read_sub_lf(text: str, entities: tuple[str, ...], form: LogicalForm) -> tuple[Step, ...]:
    names = {f"#entity{number}#": id_ for number, id_ in enumerate(entities, 1)}
    return tuple(rename_entities(step, names) for step in read_steps(text, spellings_of(form)))
