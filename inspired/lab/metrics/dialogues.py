"""Dialogues in INSPIRED format as what the statistics look at, read with more patience than `inspired.dialogue.records` has.

Published files and those of others leave fields out, hold null, or give answers as lists or numbers. Nothing of that
matters here; what does matter and is wrong is named with its line and field.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from backend.errors import InspiredError, LogicalFormError
from inspired.decomposition.decompose import (
    COMPARATIVE,
    COMPOSITION,
    CONJUNCTION,
    SIMPLE,
    SUPERLATIVE,
    decompose,
    question_type,
)
from inspired.decomposition.modifications import delexicalised_steps
from inspired.lab.json_lines import read_lines
from inspired.logical_form.forms import LogicalForm
from inspired.logical_form.sparql_reader import read_query
from inspired.logical_form.substitution import delexicalise

UNKNOWN = "unknown"
TYPES = (COMPOSITION, CONJUNCTION, COMPARATIVE, SUPERLATIVE, SIMPLE, UNKNOWN)
Side = Literal["gold", "predicted"]

_PLACEHOLDER = re.compile(r"#entity\d+#")
_Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
_Texts = Annotated[list[str] | None, Field(default=None)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    sub_id: _Text = ""
    sub_question: _Text = ""
    temp_sub_question: _Text = ""


_Parts = Annotated[list[_Part], BeforeValidator(lambda value: [] if value is None else value)]
_Names = Annotated[dict[str, str], BeforeValidator(lambda value: {} if value is None else value)]


class _DialogueRecord(BaseModel):
    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    id: _Text = ""
    cwq_question: _Text = ""
    rephrased_question: _Text = ""
    question: _Text = ""
    compositionality_type: _Text = ""
    gold_parse: _Text = ""
    preprocessed_gold_parse: _Text = ""
    predicted_parse: _Text = ""
    gold_sub_lfs: _Texts
    pred_sub_lfs: _Texts
    gold_sub_qs: _Parts = []
    pred_sub_qs: _Parts = []
    topic_entity: _Names = {}

    @model_validator(mode="after")
    def _says_something(self) -> "_DialogueRecord":
        if not (self.gold_sub_qs or self.gold_sub_lfs or self.gold_parse):
            raise ValueError("there is none of gold_sub_qs, gold_sub_lfs and gold_parse")
        return self


@dataclass(frozen=True, slots=True)
class MeasuredSubQuestion:
    """`form` is the sub-logical form in compact text, empty where the record does not say which one belongs to it."""

    sub_id: str
    question: str
    template: str
    form: str = ""


@dataclass(frozen=True, slots=True)
class MeasuredDialogue:
    """One record. `gold_forms` and `predicted_forms` are None where they are neither given nor to be had from a parse.

    They hold ids of entities if both queries give them, else placeholders; the forms of sub-questions hold placeholders.
    """

    id: str
    type: str
    question: str
    gold: tuple[MeasuredSubQuestion, ...] = ()
    predicted: tuple[MeasuredSubQuestion, ...] = ()
    gold_forms: tuple[str, ...] | None = None
    predicted_forms: tuple[str, ...] | None = None
    names: tuple[str, ...] = field(default=())

    def sub_questions(self) -> tuple[tuple[Side, MeasuredSubQuestion], ...]:
        """Gold ones first, then those of the predicted steps; a step kept as it was counts once."""
        result: dict[tuple[str, str], tuple[Side, MeasuredSubQuestion]] = {}
        for each in self.gold:
            result.setdefault((each.template, each.question), ("gold", each))
        for each in self.predicted:
            result.setdefault((each.template, each.question), ("predicted", each))
        return tuple(result.values())


def read_dialogues(path: Path) -> Iterator[MeasuredDialogue]:
    """The dialogues of an INSPIRED file (JSON Lines, or gzipped); a record without an id gets its number.

    Raises InspiredError naming the line and the field that cannot be used.
    """
    needed = "A record has at least gold_sub_qs, gold_sub_lfs or gold_parse."
    for number, record in enumerate(read_lines(path, _DialogueRecord, needed), 1):
        yield _dialogue(record, number)


def read_split(path: Path) -> tuple[MeasuredDialogue, ...]:
    """All dialogues of a file. Raises InspiredError as `read_dialogues` does, and for a file without any."""
    dialogues = tuple(read_dialogues(path))
    if not dialogues:
        raise InspiredError(f"{path} holds no dialogue; it should have one JSON record a line.")
    return dialogues


def _dialogue(record: _DialogueRecord, number: int) -> MeasuredDialogue:
    form = _form(record.gold_parse) or _form(record.preprocessed_gold_parse)
    predicted = _form(record.predicted_parse)
    gold_forms, predicted_forms = _forms(record.gold_sub_lfs, form), _forms(record.pred_sub_lfs, predicted)
    compared = _with_ids(gold_forms, form), _with_ids(predicted_forms, predicted)
    # A placeholder counts the entities of its own query: with a step lost, the rest have other numbers.
    named = None not in compared
    return MeasuredDialogue(
        id=record.id or str(number),
        type=_type(record.compositionality_type, form),
        question=record.question or record.rephrased_question or record.cwq_question,
        gold=_sub_questions(record.gold_sub_qs, gold_forms),
        predicted=_sub_questions(record.pred_sub_qs, predicted_forms),
        gold_forms=compared[0] if named else gold_forms,
        predicted_forms=compared[1] if named else predicted_forms,
        names=tuple(name for name in record.topic_entity.values() if name.strip()),
    )


def _form(text: str) -> LogicalForm | None:
    if not text.strip():
        return None
    try:
        return read_query(text)
    except LogicalFormError:
        return None


def _type(stated: str, form: LogicalForm | None) -> str:
    if stated.strip().lower() in TYPES:
        return stated.strip().lower()
    return UNKNOWN if form is None else question_type(decompose(form))


def _forms(listed: list[str] | None, form: LogicalForm | None) -> tuple[str, ...] | None:
    """A list that is there counts even if empty: then the parser gave nothing that could be split."""
    if listed is not None:
        return tuple(each for each in map(_normal, listed) if each)
    if form is None:
        return None
    return tuple(_normal(step.compact()) for step in delexicalised_steps(decompose(form)))


def _with_ids(forms: tuple[str, ...] | None, form: LogicalForm | None) -> tuple[str, ...] | None:
    """The texts with ids in place of placeholders; None where the query does not tell them."""
    if forms is None or form is None:
        return None
    _, entities = delexicalise(form)
    ids = {f"#entity{number}#": f"ns:{id_}".lower() for number, id_ in enumerate(entities, 1)}
    if any("#" in id_ for id_ in entities) or not ids.keys() >= set(_PLACEHOLDER.findall(" ".join(forms))):
        return None
    return tuple(_PLACEHOLDER.sub(lambda match: ids[match[0]], text) for text in forms)


def _normal(form: str) -> str:
    return " ".join(form.lower().split()).removesuffix(".").rstrip()


def _sub_questions(parts: list[_Part], forms: tuple[str, ...] | None) -> tuple[MeasuredSubQuestion, ...]:
    """Questions and forms belong together by their places, if there are equally many."""
    known = forms if forms is not None and len(forms) == len(parts) else ("",) * len(parts)
    return tuple(
        MeasuredSubQuestion(part.sub_id or str(number), part.sub_question.strip(), part.temp_sub_question.strip(), form)
        for number, (part, form) in enumerate(zip(parts, known, strict=True), 1)
    )
