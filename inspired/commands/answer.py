"""`python -m inspired answer`: the answers of a knowledge base to each step of a query, and to the whole."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend.errors import InspiredError, LogicalFormError
from inspired.decomposition.decompose import decompose, question_type
from inspired.dialogue.intermediate_answers import (
    LIMIT,
    SECONDS,
    IntermediateAnswer,
    Limits,
    StepAnswer,
    final_answer,
    step_answers,
)
from inspired.knowledge_base.engine import KnowledgeBase, open_knowledge_base
from inspired.knowledge_base.names import names_of
from inspired.logical_form.forms import Entity
from inspired.logical_form.sparql_reader import read_sparql
from inspired.sub_questions.labels import to_look_up
from inspired.sub_questions.verbalise import verbalise

if TYPE_CHECKING:
    import argparse

    from inspired.decomposition.steps import Decomposition


def arguments(parser: "argparse.ArgumentParser") -> None:
    parser.description = "Split a SPARQL query into steps, and answer each one and the whole from a knowledge base."
    parser.add_argument("--sparql", required=True, metavar="FILE", help="the query; - reads it from the standard input")
    parser.add_argument(
        "--kb",
        metavar="PATH|URL",
        help="an RDF file, a folder made by load-kb, or a SPARQL endpoint, in place of the graph that ships with Parley",
    )
    parser.add_argument("--limit", type=int, default=LIMIT, metavar="N", help=f"answers a step (default {LIMIT})")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, metavar="S", help=f"time that one step may take (default {SECONDS:g})"
    )
    parser.add_argument("--json", action="store_true", help="write JSON in place of text")


def run(args: "argparse.Namespace") -> int:
    if args.limit < 1 or not 0 < args.seconds < float("inf"):
        raise InspiredError("--limit is a whole number from 1 on, and --seconds a number above 0.")
    decomposition = decompose(read_sparql(_text(args.sparql)))
    kb = open_knowledge_base(args.kb)
    try:
        fields = _answered(decomposition, kb, Limits(args.limit, args.seconds, args.seconds * (len(decomposition.steps) + 1)))
    finally:
        kb.close()
    print(json.dumps(fields, ensure_ascii=False, indent=2) if args.json else _as_text(fields))
    return 0


def _text(source: str) -> str:
    try:
        return sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise LogicalFormError(f"Cannot read {source}: {reason}.") from error


def _answered(decomposition: "Decomposition", kb: KnowledgeBase, limits: Limits) -> dict[str, Any]:
    names = names_of(kb, to_look_up(decomposition), limits.step)
    questions = verbalise(decomposition, names).questions
    answers = step_answers(decomposition, kb, names, limits)
    return {
        "question_type": question_type(decomposition),
        "steps": [
            {"question": question, "sub_lf": step.readable(), **_as_fields(answer)}
            for question, step, answer in zip(questions, decomposition.steps, answers, strict=True)
        ],
        **_as_fields(final_answer(decomposition, kb, names, limits)),
        "names": names,
    }


def _as_fields(answer: StepAnswer) -> dict[str, Any]:
    return {
        "answers": [_as_json(each) for each in answer.answers],
        "truncated": answer.truncated,
        "problem": answer.problem,
        "seconds": round(answer.seconds, 4),
    }


def _as_json(answer: IntermediateAnswer) -> dict[str, Any]:
    node = answer.node
    fields: dict[str, Any] = {"id": node.id} if isinstance(node, Entity) else {"literal": node.text, "datatype": node.datatype}
    fields["name"] = answer.name
    if answer.value is not None:
        fields |= {"value": answer.value.text, "value_name": answer.value_name}
    return fields


def _as_text(answer: dict[str, Any]) -> str:
    lines = [answer["question_type"].capitalize()]
    for number, step in enumerate(answer["steps"], 1):
        lines += [f"{number}  {step['question']}", *(f"   {line}" for line in _lines(step))]
    return "\n".join([*lines, "Answer", *(f"   {line}" for line in _lines(answer))])


def _lines(fields: dict[str, Any]) -> list[str]:
    lines = [f"{each['name']}: {each['value_name']}" if "value" in each else each["name"] for each in fields["answers"]]
    lines += ["... and more"] if fields["truncated"] else []
    lines += [fields["problem"]] if fields["problem"] else []
    return lines or ["no answer"]
