"""Conversations of programs: questions, follow-ups and corrections come in as records, and what was understood goes out."""

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from backend.errors import InspiredError, ParleyError
from backend.text.words import first_problem
from inspired.dialogue import step_choices
from inspired.dialogue.dialogue import Dialogue, begin, delete_step
from inspired.dialogue.intermediate_answers import (
    IntermediateAnswer,
    Limits,
    StepAnswer,
    final_answer,
    note_words,
    step_answers,
)
from inspired.knowledge_base.seam import KnowledgeBase
from inspired.logical_form.forms import Asking, Counting, Entity
from inspired.logical_form.sparql_writer import write_sparql
from inspired.parsers.correction.parse_correction import DefaultParseCorrector
from inspired.parsers.follow_ups.before import Before
from inspired.parsers.follow_ups.new_subject import read_after
from inspired.parsers.in_place import parser_about
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.reading import QuestionParser, QuestionReading
from inspired.sub_questions.verbalise import verbalise

MOST_ANSWERS = 5000
READINGS = 5
_WHAT = (
    'a line is {"conversation": ID, "question": TEXT} or '
    '{"conversation": ID, "step": N, "change": "replace|insert|delete", "utterance": TEXT}'
)


class ConversationLine(BaseModel):
    """One line: a question, or a correction of step `step` (from 1) of what the conversation is at."""

    model_config = ConfigDict(extra="ignore")

    conversation: str | int = ""
    question: str | None = None
    step: int | None = Field(default=None, ge=0)
    change: Literal["replace", "insert", "delete"] | None = None
    utterance: str = ""

    @model_validator(mode="after")
    def _one_of_two(self) -> "ConversationLine":
        if (self.question is None) == (self.step is None or self.change is None):
            raise ValueError(_WHAT)
        return self


@dataclass
class _ConversationState:
    """Where one conversation is; `unused` are the words of its last turn that explain nothing."""

    dialogue: Dialogue
    readings: tuple[QuestionReading, ...]
    before: Before | None
    unused: tuple[str, ...] = ()


@dataclass
class Conversations:
    """Any number of conversations over one knowledge base, by their ids."""

    kb: KnowledgeBase
    questions: QuestionParser
    limits: Limits = field(default_factory=lambda: Limits(MOST_ANSWERS))
    _states: dict[str, _ConversationState] = field(default_factory=dict)

    def answer(self, record: object) -> dict[str, Any]:
        """What a record was understood as, with answers; `refused` says why it was not. Nothing is raised for a record."""
        try:
            turn = ConversationLine.model_validate(record)
        except ValidationError as error:
            where, reason = first_problem(error, " / ")
            known = record.get("conversation", "") if isinstance(record, Mapping) else ""
            return refusal(known, f"Wrong at {where}: {reason}; {_WHAT}." if where else f"{_WHAT[0].upper()}{_WHAT[1:]}.")
        try:
            return self._answer(turn)
        except ParleyError as error:
            return refusal(turn.conversation, error.message)

    def _answer(self, turn: ConversationLine) -> dict[str, Any]:
        key = str(turn.conversation)
        if turn.question is not None:
            state = self._asked(turn.question, self._states.get(key) if key else None)
        else:
            state = self._corrected(turn, key)
        fields, answers = self._as_fields(turn, state)
        earlier = state.before.earlier if state.before else None
        question = state.before.question if state.before else ""
        nodes = tuple(each.node for each in answers.answers)
        sure = state.before.confidence if state.before and turn.question is not None else 1.0
        state.before = Before(question, state.dialogue.form, nodes, earlier, sure).recent()
        self._states[key] = state
        return fields

    def _default(self, text: str, before: Before | None) -> DefaultParser | None:
        return parser_about(self.questions, text, [each.question for each in before.chain()] if before else [])

    def _asked(self, question: str, known: _ConversationState | None) -> _ConversationState:
        before = known.before if known else None
        default = self._default(question, before) if before else None
        if before is not None and default is not None:
            understood = read_after(default, question, before, READINGS)
            readings, whole = understood.readings, understood.whole
        else:
            readings, whole = self.questions.parse(question, READINGS), question
        best = readings[0]
        dialogue = begin(best.form, best.names, question)
        return _ConversationState(dialogue, readings, Before(whole, best.form, (), before, best.confidence), best.unused)

    def _corrected(self, turn: ConversationLine, key: str) -> _ConversationState:
        state = self._states.get(key)
        if state is None:
            raise InspiredError(f"The conversation {key!r} has no question yet, so there is no step to correct.")
        dialogue, unused = self._changed(turn, state)
        return _ConversationState(dialogue, state.readings, state.before, unused)

    def _changed(self, turn: ConversationLine, state: _ConversationState) -> tuple[Dialogue, tuple[str, ...]]:
        """The corrected dialogue, and the words of the correction that its step does not explain."""
        assert turn.step is not None
        dialogue = state.dialogue
        steps, number = len(dialogue.current.steps), max(turn.step, 1)
        last = steps + (turn.change == "insert")
        if number > last:
            raise InspiredError(f"There is no step {turn.step} to {turn.change}; the steps are 1 to {last}.")
        if turn.change == "delete":
            return delete_step(dialogue, number), ()
        default = self._default(turn.utterance, state.before)
        if default is None:
            raise InspiredError("This parser reads whole questions; steps cannot be corrected with it.")
        choices = step_choices.understood(
            DefaultParseCorrector(default), dialogue, number, turn.change == "insert", turn.utterance
        )
        return choices[0].dialogue, choices[0].unused

    def _as_fields(self, turn: ConversationLine, state: _ConversationState) -> tuple[dict[str, Any], StepAnswer]:
        dialogue, best = state.dialogue, state.readings[0]
        decomposition = dialogue.current
        words = dialogue.in_words().questions
        # What a graph in memory calls its things spares asking, and knows names in vocabularies of its own.
        known = self.questions.graph.names if isinstance(self.questions, DefaultParser) else {}
        names = ChainMap(dict(dialogue.names), known)
        step_results = step_answers(decomposition, self.kb, names, self.limits)
        final = final_answer(decomposition, self.kb, names, self.limits)
        refused = improbable_words(best) if turn.question is not None else None
        answers = () if refused else final.answers
        fields = {
            "conversation": turn.conversation,
            **({"question": turn.question} if turn.question is not None else {}),
            "steps": [
                {"words": each, "query": step.readable(), "answers": [_node(one) for one in answer.answers]}
                for each, step, answer in zip(words, decomposition.steps, step_results, strict=True)
            ],
            "answers": [{**_node(each), **columns_of(each, final.headings)} for each in answers],
            **({"note": note} if (note := note_words(final)) else {}),
            "kind": kind_of(dialogue, final) if not refused else "none",
            "confidence": round(best.confidence, 4),
            "query": write_sparql(dialogue.form),
            "readings": [_reading(each) for each in state.readings[1:]],
            "unused": list(state.unused),
            "refused": refused or final.problem,
        }
        return fields, final


def improbable_words(reading: QuestionReading) -> str | None:
    """Why a question is not answered whose likeliest reading is most probably not what was asked; None for all others."""
    if not reading.improbable:
        return None
    unused = f" Not used: {', '.join(reading.unused)}." if reading.unused else ""
    return f"Nothing here is likely to answer this. The steps are of the likeliest reading, which is improbable.{unused}"


def kind_of(dialogue: Dialogue, final: StepAnswer) -> str:
    """Which kind of answer it is: list, count, yes/no, or none where there is no answer."""
    match dialogue.form.returns:
        case Asking():
            return "yes/no"
        case Counting():
            return "count"
        case _:
            return "list" if final.answers else "none"


def refusal(conversation: object, message: str) -> dict[str, Any]:
    """The fields of a line that was not understood."""
    empty: dict[str, Any] = {"steps": [], "answers": [], "kind": "none", "confidence": 0.0, "readings": [], "unused": []}
    return {"conversation": conversation, **empty, "refused": message}


def _reading(reading: QuestionReading) -> dict[str, Any]:
    steps = begin(reading.form, reading.names)
    return {
        "confidence": round(reading.confidence, 4),
        "words": list(verbalise(steps.current, reading.names).questions),
        "query": write_sparql(reading.form),
    }


def columns_of(answer: IntermediateAnswer, headings: Sequence[str]) -> dict[str, Any]:
    """What stands beside an answer, by the headings of the columns; nothing where the question asks for one column."""
    cells = zip(headings, answer.columns, strict=False)
    return {"columns": {heading: list(each.names) for heading, each in cells}} if answer.columns else {}


def _node(answer: IntermediateAnswer) -> dict[str, Any]:
    node = answer.node
    fields: dict[str, Any]
    if isinstance(node, Entity):
        fields = {"id": node.id, "name": answer.name}
    else:
        fields = {"id": node.text, "name": answer.name, "datatype": node.datatype}
    return fields if answer.value is None else {**fields, "value": answer.value.text, "value_name": answer.value_name}
