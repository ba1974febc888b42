"""A parser of questions by few-shot prompting of a language model behind an OpenAI-compatible endpoint.

The reply is held to a JSON schema in which only the predicates offered and the entities of the question can be named, so
that what comes back reads as a logical form wherever the endpoint keeps to the schema; anything else is dropped.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from backend.errors import InspiredError
from backend.models.language_models import LanguageModel, Message, Way, json_guide
from inspired.knowledge_base.vocabulary import Property
from inspired.logical_form import forms as lf
from inspired.logical_form.sparql_reader import ANSWER
from inspired.parsers.model_inputs import question_source
from inspired.parsers.placeholders import Placeholders
from inspired.parsers.query_graphs.query_graph import framed
from inspired.parsers.reading import QuestionReading
from inspired.parsers.sequence import Entities

# The predicates of the schema that may matter to a question, the likeliest first.
Candidates = Callable[[str], Sequence[Property]]

# An endpoint gives no probability that would mean what the confidence of other parsers means.
CONFIDENCE = 0.5
_VARIABLES = ("?x", "?c", "?k", "?y", "?z", "?num")
_MOST_TOKENS = 400
_DATE = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?(?:T.*)?")


class _Condition(BaseModel):
    model_config = ConfigDict(extra="forbid")

    subject: str
    predicate: str
    object: str


class _Filter(BaseModel):
    model_config = ConfigDict(extra="forbid")

    variable: str
    comparator: Literal["<", "<=", ">", ">=", "=", "!="]
    value: str
    type: Literal["number", "date", "text"]


class _Order(BaseModel):
    model_config = ConfigDict(extra="forbid")

    variable: str
    descending: bool


class _PromptedQuery(BaseModel):
    model_config = ConfigDict(extra="forbid")

    conditions: list[_Condition]
    filters: list[_Filter]
    order: _Order | None


class PromptedParser:
    """A QuestionParser; decoding is greedy, so there is one reading at most.

    `way` is how the server takes the schema; with None the reply is not held to it, only checked.
    """

    def __init__(
        self,
        model: LanguageModel,
        entities: Entities,
        candidates: Candidates,
        most_predicates: int = 40,
        way: Way | None = "json_schema",
    ) -> None:
        self.model, self.entities, self.candidates = model, entities, candidates
        self.most_predicates, self.way = most_predicates, way

    def parse(self, question: str, n: int = 10) -> tuple[QuestionReading, ...]:
        """Raises InspiredError if the reply is no logical form, LanguageModelError if there is none."""
        named = self.entities(question)
        placeholders = Placeholders({each.id: each.text for each in named})
        asked = question_source(question, placeholders)
        offered = tuple(self.candidates(question))[: self.most_predicates]
        if not offered:
            raise InspiredError("No predicate of the knowledge base fits this question, so there is nothing to build it from.")
        terms = (*_VARIABLES, *(placeholders.of(id_) for id_ in tuple(placeholders.ids)))
        schema = reply_schema(terms, [each.id for each in offered])
        guide = json_guide(schema, self.way) if self.way else None
        reply = self.model.chat(messages(asked, offered), max_tokens=_MOST_TOKENS, guide=guide)
        form = read_reply(reply.text, placeholders.ids, {each.id for each in offered})
        if form is None:
            recognised = ", ".join(each.name for each in named) or "no name"
            raise InspiredError(f"{self.model.name} gave no query for this question. Recognised: {recognised}.")
        used = {each.id for each in lf.walk(form) if isinstance(each, lf.Entity)}
        return (QuestionReading(form, {each.id: each.name for each in named if each.id in used}, CONFIDENCE),)


def messages(question: str, offered: Sequence[Property]) -> list[Message]:
    """The instruction, the examples as turns of a dialogue, and the question."""
    instructions = _prompt()
    turns = [Message("system", instructions["instruction"].strip())]
    for each in instructions["example"]:
        turns += [Message("user", _asked(each["question"], each["predicates"])), Message("assistant", each["reply"])]
    lines = [f"{each.id}: {each.name.lower()} ({each.domain} -> {each.range})" for each in offered]
    return [*turns, Message("user", _asked(question, lines))]


def reply_schema(terms: Sequence[str], predicates: Sequence[str], most: int = 5, most_filters: int = 2) -> dict[str, Any]:
    """The JSON schema of a reply that names only `terms` and `predicates`, in at most `most` conditions."""
    term, variable = {"enum": list(terms)}, {"enum": [each for each in terms if each.startswith("?")]}
    condition = _object({"subject": term, "predicate": {"enum": list(predicates)}, "object": term})
    comparison = _object(
        {
            "variable": variable,
            "comparator": {"enum": ["<", "<=", ">", ">=", "=", "!="]},
            "value": {"type": "string"},
            "type": {"enum": ["number", "date", "text"]},
        }
    )
    order = _object({"variable": variable, "descending": {"type": "boolean"}})
    return _object(
        {
            "conditions": {"type": "array", "items": condition, "minItems": 1, "maxItems": most},
            "filters": {"type": "array", "items": comparison, "maxItems": most_filters},
            "order": {"anyOf": [order, {"type": "null"}]},
        }
    )


def read_reply(text: str, ids: Sequence[str], predicates: set[str]) -> lf.LogicalForm | None:
    """The logical form of a reply; None for one that is not of the schema, or whose answer no condition speaks of."""
    try:
        query = _PromptedQuery.model_validate(json.loads(text))
        patterns: list[lf.Pattern] = [_triple(each, ids, predicates) for each in query.conditions]
        patterns += [_filter(each) for each in query.filters]
        order = lf.Order(_variable(query.order.variable), query.order.descending, 1) if query.order else None
    except (ValidationError, ValueError):
        return None
    known = set(lf.variables(lf.triples(patterns)))
    if ANSWER not in known or not set(lf.variables([*patterns, *([order] if order else [])])) <= known:
        return None
    return framed(lf.LogicalForm(ANSWER, tuple(patterns), order))


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": list(properties), "additionalProperties": False}


def _triple(condition: _Condition, ids: Sequence[str], predicates: set[str]) -> lf.Triple:
    if condition.predicate not in predicates:
        raise ValueError(f"{condition.predicate} was not offered")
    return lf.Triple(_term(condition.subject, ids), condition.predicate, _term(condition.object, ids))


def _term(text: str, ids: Sequence[str]) -> lf.Term:
    number = re.fullmatch(r"#entity(\d+)#", text)
    if number is None:
        return _variable(text)
    if not 0 < int(number[1]) <= len(ids):
        raise ValueError(f"{text} stands for nothing")
    return lf.Entity(ids[int(number[1]) - 1])


def _variable(text: str) -> lf.Variable:
    if not re.fullmatch(r"\?[a-z]\w*", text):
        raise ValueError(f"{text!r} is no variable")
    return lf.Variable(text[1:])


def _filter(stated: _Filter) -> lf.Filter:
    return lf.Filter(
        lf.RelationalExpression(_variable(stated.variable), stated.comparator, _literal(stated.value.strip(), stated.type))
    )


def _literal(text: str, kind: str) -> lf.Literal:
    if kind == "text":
        return lf.Literal(text)
    if kind == "date":
        date = _DATE.fullmatch(text)
        if date is None:
            raise ValueError(f"{text!r} is no date")
        return lf.Literal(f"{date[1]}-{date[2] or '01'}-{date[3] or '01'}T00:00:00", "dateTime")
    plain = text.replace(",", "")
    if not re.fullmatch(r"[+-]?\d+(\.\d+)?", plain):
        raise ValueError(f"{text!r} is no number")
    return lf.Literal(plain, "decimal" if "." in plain else "integer")


def _asked(question: str, predicates: Sequence[str]) -> str:
    listed = "\n".join(f"- {each}" for each in predicates)
    return f"Predicates:\n{listed}\nQuestion: {question}"


@cache
def _prompt() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
