"""`python -m inspired ask`: a question in words, read, answered step by step, and repeated in words."""

import json
from collections import ChainMap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend.errors import InspiredError
from backend.storage.row_files import text_lines
from inspired.decomposition.decompose import decompose, question_type
from inspired.dialogue.conversations import Conversations, columns_of, refusal
from inspired.dialogue.intermediate_answers import IntermediateAnswer, StepAnswer, final_answer, note_words, step_answers
from inspired.knowledge_base.engine import KnowledgeBase, open_knowledge_base
from inspired.knowledge_base.graph import Graph
from inspired.logical_form.forms import Entity
from inspired.logical_form.sparql_writer import write_sparql
from inspired.parsers.in_place import InPlaceParser
from inspired.parsers.opening import DEFAULT, open_default_parser, open_parser
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.reading import QuestionParser, QuestionReading
from inspired.sub_questions.verbalise import verbalise

if TYPE_CHECKING:
    import argparse

_MOST = 50


def arguments(parser: "argparse.ArgumentParser") -> None:
    parser.description = "Read a question over a knowledge base, split it into steps, and answer each one and the whole."
    parser.add_argument("question", metavar="QUESTION", nargs="?", help="in plain English")
    parser.add_argument(
        "--in",
        dest="source",
        type=Path,
        metavar="FILE.jsonl",
        help="questions, follow-ups and corrections in place of one question, a JSON object a line; - for standard input; "
        "writes one a line",
    )
    parser.add_argument(
        "--kb",
        metavar="PATH|URL",
        help="an RDF file, a folder made by load-kb, or a SPARQL endpoint, in place of the graph that ships with Parley",
    )
    parser.add_argument("--n", type=int, default=5, metavar="N", help="readings to give, the best first (default %(default)s)")
    parser.add_argument(
        "--parser",
        default=DEFAULT,
        metavar="default|DIR|MODEL",
        help="the parser that works at once, the folder of one that `train parser` made, or a language model",
    )
    parser.add_argument("--base-url", metavar="URL", help="server of that language model, with the OpenAI interface")
    parser.add_argument("--json", action="store_true", help="write JSON in place of text")


def run(args: "argparse.Namespace") -> int:
    if not 1 <= args.n <= _MOST:
        raise InspiredError(f"--n {args.n} is no number of readings; give one from 1 to {_MOST}.")
    if (args.question is None) == (args.source is None):
        raise InspiredError("Give one QUESTION, or a file of questions with --in FILE.jsonl.")
    kb = open_knowledge_base(args.kb)
    try:
        default = open_default_parser(args.kb, kb)
        parser = default if args.parser == DEFAULT else open_parser(args.parser, _graph_of(default), args.base_url)
        if args.source is not None:
            return _answer_lines(text_lines(args.source, InspiredError), parser, kb)
        focused = default.focused(args.question)
        # Where it is asked in place, the graph holds a sample, in which names can be missing.
        whole = focused.graph.names if focused is default else {}
        fields = _as_fields(args.question, parser.parse(args.question, args.n), focused.graph.names, whole, kb)
    finally:
        kb.close()
    print(json.dumps(fields, ensure_ascii=False, indent=2) if args.json else _as_text(fields))
    return 0


def _graph_of(default: DefaultParser | InPlaceParser) -> Graph:
    if isinstance(default, InPlaceParser):
        raise InspiredError("--parser needs a knowledge base in a file; in place only the default parser works.")
    return default.graph


def _answer_lines(lines: Iterable[str], parser: QuestionParser, kb: KnowledgeBase) -> int:
    """Answer line by line; one that cannot be read is answered by a refusal, and the next goes on."""
    conversations = Conversations(kb, parser)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            result = conversations.answer(json.loads(line))
        except (ValueError, RecursionError) as error:
            result = {**refusal("", f"Line {number} is no JSON object: {error}."), "line": number}
        print(json.dumps(result, ensure_ascii=False), flush=True)
    return 0


def _as_fields(
    question: str,
    readings: tuple[QuestionReading, ...],
    known: Mapping[str, str],
    whole: dict[str, str],
    kb: KnowledgeBase,
) -> dict[str, Any]:
    best = readings[0]
    decomposition = decompose(best.form)
    questions = verbalise(decomposition, best.names).questions
    names = ChainMap(dict(best.names), whole)
    answers = step_answers(decomposition, kb, names)
    final = final_answer(decomposition, kb, names)
    return {
        "question": question,
        "type": question_type(decomposition),
        "sparql": write_sparql(best.form),
        "confidence": round(best.confidence, 4),
        "steps": [
            {"question": words, "sub_lf": step.readable(), **_answers(answer)}
            for words, step, answer in zip(questions, decomposition.steps, answers, strict=True)
        ],
        **_answers(final),
        **({"headings": list(final.headings)} if final.headings else {}),
        **({"note": note} if (note := note_words(final)) else {}),
        "alternatives": [_alternative(each) for each in readings[1:]],
        "unused": list(best.unused),
        "ambiguous": [
            {"text": each.text, "candidates": [{"id": id_, "name": known.get(id_, id_)} for id_ in each.ids]}
            for each in best.ambiguous
        ],
        "names": dict(best.names),
    }


def _alternative(reading: QuestionReading) -> dict[str, Any]:
    return {
        "confidence": round(reading.confidence, 4),
        "questions": list(verbalise(decompose(reading.form), reading.names).questions),
        "sparql": write_sparql(reading.form),
        "unused": list(reading.unused),
    }


def _answers(answer: StepAnswer) -> dict[str, Any]:
    answers = [{**_node(each), **columns_of(each, answer.headings)} for each in answer.answers]
    return {"answers": answers, "truncated": answer.truncated, "problem": answer.problem}


def _node(answer: IntermediateAnswer) -> dict[str, Any]:
    node = answer.node
    fields = {"id": node.id} if isinstance(node, Entity) else {"literal": node.text, "datatype": node.datatype}
    value = {} if answer.value is None else {"value": answer.value.text, "value_name": answer.value_name}
    return {**fields, "name": answer.name, **value}


def _as_text(fields: dict[str, Any]) -> str:
    lines = [f"{fields['type'].capitalize()}, {fields['confidence']:.0%} sure"]
    for number, step in enumerate(fields["steps"], 1):
        lines += [f"{number}  {step['question']}", f"   {_listed(step)}"]
    lines += ["Answer", f"   {_listed(fields)}"]
    if "note" in fields:
        lines.append(fields["note"])
    if fields["unused"]:
        lines.append(f"Not used: {', '.join(fields['unused'])}")
    for each in fields["ambiguous"]:
        lines.append(f"“{each['text']}” could also be {', '.join(name(one) for one in each['candidates'][1:])}")
    if fields["alternatives"]:
        lines.append("Other readings")
    lines += [f"   {each['confidence']:.0%}  {' '.join(each['questions'])}" for each in fields["alternatives"]]
    return "\n".join(lines)


def name(candidate: dict[str, str]) -> str:
    return f"{candidate['name']} ({candidate['id']})"


def _listed(fields: dict[str, Any]) -> str:
    if fields["problem"]:
        return str(fields["problem"])
    answers = [_with_value(each) for each in fields["answers"]]
    return ", ".join([*answers, *(["..."] if fields["truncated"] else [])]) or "no answer"


def _with_value(answer: dict[str, Any]) -> str:
    if "columns" in answer:
        beside = [", ".join(each) or "not on record" for each in answer["columns"].values()]
        return f"{answer['name']} ({'; '.join(beside)})"
    return f"{answer['name']}: {answer['value_name']}" if "value" in answer else str(answer["name"])
