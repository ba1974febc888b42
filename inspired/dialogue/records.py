"""Dialogues as INSPIRED records, the JSON of the paper's data set (section 3), to hand on and to open again.

A record that was written, read and written again is the same.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backend.errors import InspiredError, LogicalFormError
from backend.text.json_text import read_json
from backend.text.words import first_problem
from inspired.decomposition.decompose import decompose, group, read_steps
from inspired.decomposition.modifications import delexicalised_steps, rename_entities
from inspired.decomposition.steps import Decomposition, Step, compose
from inspired.dialogue.dialogue import Answers, Dialogue, QuestionOrigin, ShownAnswer
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.forms import Filter, LogicalForm
from inspired.logical_form.sparql_reader import read_sparql, spellings_of
from inspired.logical_form.sparql_writer import compact_order, compact_patterns, write_compact, write_sparql
from inspired.logical_form.substitution import delexicalise
from inspired.sub_questions.verbalise import verbalise


class SubQuestion(BaseModel):
    """One step as a question."""

    model_config = ConfigDict(extra="forbid")

    sub_id: str | int = Field(description="the number of the step, from 1")
    sub_question: str = Field("", description="the step as a person worded it; empty where nobody did")
    temp_sub_question: str = Field("", description="the step as the templates word it")
    answer: str | list[str] | None = Field(None, description="names; null if it was not asked, or not answered in time")


class InspiredRecord(BaseModel):
    """One dialogue. `topic_entity`, the names of entities by id, is ours: without it the names would be lost."""

    model_config = ConfigDict(extra="forbid")

    id: str = ""
    cwq_question: str = Field("", description="the question as it was asked first")
    rephrased_question: str = Field("", description="the question in other words, if a person rephrased it")
    rephrased_question_label: Literal["Replacement", "Alternative"] = Field(
        "Alternative", description="whether the other words take the place of the first"
    )
    question: str = Field("", description="the question that counts")
    final_answer: str | list[str] | None = Field(None, description="names; null if there was none to be had")
    gold_parse: str = Field(description="the SPARQL query after all corrections")
    preprocessed_gold_parse: str = Field("", description="the same in the compact form of the paper")
    predicted_parse: str = Field(description="the SPARQL query as the question was first understood")
    gold_sub_lfs: list[str] = Field(default_factory=list, description="the sub-logical form of each step after all corrections")
    pred_sub_lfs: list[str] = Field(default_factory=list, description="the same as first understood")
    gold_sub_qs: list[SubQuestion] = Field(default_factory=list, description="each step as a question, with its answer")
    pred_sub_qs: list[SubQuestion] = Field(default_factory=list, description="the same as first understood")
    feedback: list[str] = Field(default_factory=list, description="the corrections, in words, oldest first")
    topic_entity: dict[str, str] = Field(default_factory=dict, description="the names of the entities by their id")


def write_record(dialogue: Dialogue, id_: str = "") -> InspiredRecord:
    """The corrected query is the gold one, the query as it came the predicted one.

    Answers are lists of names; null says that there was none to be had: not asked, or not found in time.
    """
    gold, predicted = dialogue.form, compose(dialogue.predicted)
    origin, answers = dialogue.origin, dialogue.answers
    return InspiredRecord(
        id=id_ or origin.id,
        cwq_question=dialogue.question,
        rephrased_question=origin.rephrased,
        rephrased_question_label="Replacement" if origin.replaces else "Alternative",
        question=dialogue.asked,
        final_answer=_answer(answers.final) if answers else None,
        gold_parse=write_sparql(gold),
        preprocessed_gold_parse=write_compact(gold),
        predicted_parse=write_sparql(predicted),
        gold_sub_lfs=_sub_lfs(dialogue.current),
        pred_sub_lfs=_sub_lfs(dialogue.predicted),
        gold_sub_qs=_sub_questions(dialogue.in_words().questions, _natural(dialogue), answers),
        pred_sub_qs=_sub_questions(verbalise(dialogue.predicted, dialogue.names).questions, (), dialogue.predicted_answers),
        feedback=list(dialogue.feedback),
        topic_entity=dict(dialogue.names),
    )


def read_record(text: str) -> Dialogue:
    """The dialogue that a record, as JSON, tells of; its steps are as they were, wherever the record allows it.

    Raises InspiredError for what is no record, LogicalFormError for a query in it that cannot be read.
    """
    record = _checked(text)
    predicted = _decomposition(read_sparql(record.predicted_parse), record.pred_sub_lfs)
    current = _decomposition(read_sparql(record.gold_parse), record.gold_sub_lfs)
    return Dialogue(
        predicted=predicted,
        current=current,
        names=record.topic_entity,
        question=record.cwq_question or ("" if record.rephrased_question else record.question),
        feedback=tuple(record.feedback),
        own_words=_own_words(record.gold_sub_qs, current),
        answers=_answers(record.final_answer, record.gold_sub_qs, current),
        predicted_answers=_answers(None, record.pred_sub_qs, predicted),
        origin=QuestionOrigin(record.id, record.rephrased_question, record.rephrased_question_label == "Replacement"),
    )


def _checked(text: str) -> InspiredRecord:
    try:
        return InspiredRecord.model_validate(read_json(text))
    except json.JSONDecodeError as error:
        raise InspiredError(f"This is not JSON: {error.msg} at line {error.lineno}.") from error
    except ValidationError as error:
        field, reason = first_problem(error)
        raise InspiredError(f"This is not a record of a dialogue: {field or 'the record'}: {reason}.") from error


def _sub_lfs(decomposition: Decomposition) -> list[str]:
    return [step.compact() for step in delexicalised_steps(decomposition)]


def _sub_questions(questions: Sequence[str], natural: Sequence[str], answers: Answers | None) -> list[SubQuestion]:
    """`temp_sub_question` is the templated wording, `sub_question` a natural one, where there is one."""
    words = [*natural, *[""] * len(questions)]
    answered = [*(answers.steps if answers else ()), *[None] * len(questions)]
    return [
        SubQuestion(
            sub_id=number,
            sub_question=words[number - 1] or question,
            temp_sub_question=question,
            answer=_answer(answered[number - 1]),
        )
        for number, question in enumerate(questions, 1)
    ]


def _natural(dialogue: Dialogue) -> list[str]:
    """Each step in the words of the person, or else of a model."""
    numbers = range(1, len(dialogue.current.steps) + 1)
    return [dialogue.words_of(number) or dialogue.asked_as(number) for number in numbers]


def _answer(answer: ShownAnswer | None) -> list[str] | None:
    return None if answer is None or answer.problem is not None else list(answer.answers)


def _own_words(listed: list[SubQuestion], steps: Decomposition) -> tuple[str, ...]:
    words = tuple(each.sub_question if each.sub_question != each.temp_sub_question else "" for each in listed)
    return words if any(words) and len(words) == len(steps.steps) else ()


def _answers(final: str | list[str] | None, listed: list[SubQuestion], steps: Decomposition) -> Answers | None:
    result = tuple(_shown_answer(each.answer) for each in listed)
    if len(result) != len(steps.steps) or all(each is None for each in [*result, _shown_answer(final)]):
        result = ()
    return Answers(result, _shown_answer(final), recorded=True) if result or final is not None else None


def _shown_answer(answer: str | list[str] | None) -> ShownAnswer | None:
    if answer is None:
        return None
    return ShownAnswer((answer,) if isinstance(answer, str) else tuple(answer))


def _decomposition(form: LogicalForm, sub_lfs: list[str]) -> Decomposition:
    """The steps as the record lists them, if together they are the query; else as we would split it."""
    usual = decompose(form)
    try:
        steps = _cut(form, sub_lfs) or tuple(_read(form, sub_lfs))
    except LogicalFormError:
        return usual
    listed = Decomposition(replace(usual.frame, filters=_left_over(form, steps)), steps)
    return listed if steps and equivalent(compose(listed), form) else usual


def _cut(form: LogicalForm, sub_lfs: list[str]) -> tuple[Step, ...]:
    """The query cut where the listed forms end, as in a record of ours, which has the steps in the order of the query.

    Nothing is lost so, while the compact form has no capitals and no spaces around texts. Empty for other records.
    """
    written = delexicalise(form)[0]
    waiting = [text for text in sub_lfs if not (written.order and text == compact_order(written.order))]
    for start in range(len(form.patterns)):
        steps: list[Step] = []
        for text in waiting:
            ends = range(start + 1, len(form.patterns) + 1)
            end = next((each for each in ends if compact_patterns(written.patterns[start:each]) == text), None)
            made = group(form.patterns[start:end]) if end else ()
            if end is None or len(made) != 1:
                break
            steps.append(made[0])
            start = end
        if len(steps) == len(waiting) and start == len(form.patterns):
            order = [(index, Step(order=form.order)) for index, text in enumerate(sub_lfs) if text not in waiting]
            for index, step in order:
                steps.insert(index, step)
            return tuple(steps)
    return ()


def _read(form: LogicalForm, sub_lfs: list[str]) -> Iterator[Step]:
    """The steps as the texts say them; the query gives the names of entities and the capitals."""
    _, entities = delexicalise(form)
    names = {f"#entity{number}#": id_ for number, id_ in enumerate(entities, 1)}
    for text in sub_lfs:
        yield from (rename_entities(step, names) for step in read_steps(text, spellings_of(form)))


def _left_over(form: LogicalForm, steps: Sequence[Step]) -> tuple[Filter, ...]:
    """The filters that no step has; they are written first, so where one comes twice the later is the step's."""
    rest = list(reversed(form.patterns))
    for pattern in (each for step in steps for each in step.patterns):
        if pattern in rest:
            rest.remove(pattern)
    return tuple(each for each in reversed(rest) if isinstance(each, Filter))
