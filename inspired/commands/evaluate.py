"""`python -m inspired evaluate`: how many questions of a file with known answers are answered rightly, by kind."""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from backend.errors import InspiredError, KnowledgeBaseError
from backend.storage.row_files import json_lines
from inspired.dialogue.conversations import MOST_ANSWERS, Conversations
from inspired.knowledge_base.engine import open_knowledge_base
from inspired.knowledge_base.published import local_name
from inspired.knowledge_base.seam import KnowledgeBase
from inspired.knowledge_base.vocabulary import plain_value
from inspired.lab.questions.public_sets import read_public_questions
from inspired.parsers.linking.words import plain
from inspired.parsers.opening import open_default_parser

if TYPE_CHECKING:
    import argparse

_SURE = 0.9
_IN_A_ROW = "all"
_BINS = (0.0, 0.3, 0.5, 0.7, 0.9)
_NEAR = 1e-6


def arguments(parser: "argparse.ArgumentParser") -> None:
    parser.description = "Ask the questions of a file whose answers are known, and count the right ones by kind."
    parser.add_argument(
        "--questions",
        type=Path,
        required=True,
        metavar="FILE",
        help='a .json file of QALD or LC-QuAD, or lines {"conversation": ID, "question": TEXT, "answers": [names, ids, true, '
        'false or numbers], "kind": TEXT}, perhaps with "or": [further lists of fair answers], or "refuse": true in place of '
        'answers; a correction has "step", "change" and "utterance" in place of "question". Or what `generate` wrote',
    )
    parser.add_argument("--kb", metavar="PATH|URL", help="in place of the graph that ships with Parley")
    parser.add_argument(
        "--in-a-row",
        action="store_true",
        help="ask all of them in one conversation, as they would be asked on a page: each may be taken for a follow-up",
    )
    parser.add_argument("--json", action="store_true", help="write JSON in place of text")


@dataclass(frozen=True)
class Outcome:
    """What became of one question; `warned` says that words were left over or the reading was not sure."""

    kind: str
    right: bool
    refused: bool
    confidence: float
    warned: bool


def run(args: "argparse.Namespace") -> int:
    kb = open_knowledge_base(args.kb)
    try:
        lines = _with_answers(args.questions, kb) if args.questions.suffix == ".json" else list(_lines(args.questions))
        if not any(_is_known(line) for line in lines):
            raise InspiredError(f"--questions {args.questions} holds no question whose answers are known or can be looked up.")
        conversations = Conversations(kb, open_default_parser(args.kb, kb))
        as_one = {"conversation": _IN_A_ROW} if args.in_a_row else {}
        results = [(each, conversations.answer({**each, **as_one})) for each in tqdm(lines, disable=None)]
        outcomes = [_outcome(line, result) for line, result in results if _is_known(line)]
    finally:
        kb.close()
    totals = summary(outcomes)
    print(json.dumps(totals, indent=2) if args.json else _as_text(totals))
    return 0


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for row in json_lines(path, InspiredError):
        if not isinstance(row.value, dict):
            raise InspiredError(f"{path}, line {row.line}: each line is one JSON object.")
        line = _generated(row.value) if "answer" in row.value and "answers" not in row.value else row.value
        if not isinstance(line.get("answers", []), list):
            raise InspiredError(f'{path}, line {row.line}: the answers are a list, as ["Peru"].')
        yield line


def _generated(record: dict[str, Any]) -> dict[str, Any]:
    """A record of `inspired.lab.questions.records` as a line of this command; its answers by their ids, which are unique."""
    answers = record["answer"]
    if isinstance(answers, list):
        answers = [each.get("answer_id") or each.get("answer") if isinstance(each, dict) else each for each in answers]
    kind = record.get("compositionality_type", "")
    return {"conversation": record.get("ID", ""), "kind": kind, **record, "answers": answers}


def _is_known(line: dict[str, Any]) -> bool:
    return "answers" in line or bool(line.get("refuse"))


def _with_answers(path: Path, kb: KnowledgeBase) -> list[dict[str, Any]]:
    """The questions of a public set; what its file has no answers to is answered by its own query, else left out."""
    questions = read_public_questions(path)
    answers = [_answers_of(each.sparql, kb) if each.answers is None else list(each.answers) for each in questions]
    known = [(each, values) for each, values in zip(questions, answers, strict=True) if values]
    if len(known) < len(questions):
        print(f"{len(questions) - len(known)} of {len(questions)} questions are left out: no answers here.", file=sys.stderr)
    return [{"conversation": each.id, "question": each.question, "answers": values} for each, values in known]


def _answers_of(sparql: str, kb: KnowledgeBase) -> list[object]:
    """Each answer once; none where the query cannot be answered here, or has more answers than are compared."""
    try:
        result = kb.select(sparql, MOST_ANSWERS) if sparql else None
    except KnowledgeBaseError:
        return []
    if result is None or result.truncated:
        return []
    return list(dict.fromkeys(plain_value(row[0]) for row in result.rows if row[0] is not None))


def _outcome(line: dict[str, Any], result: dict[str, Any]) -> Outcome:
    fair = [line["answers"], *line.get("or", ())] if "answers" in line else []
    right = any(agrees(each, result) for each in fair) if not result["refused"] else not fair
    warned = bool(result["unused"]) or result["confidence"] < _SURE
    return Outcome(str(line.get("kind", "")), right, bool(result["refused"]), float(result["confidence"]), warned)


def agrees(gold: Iterable[object], result: dict[str, Any]) -> bool:
    """Whether the answers are those of `gold`, each by its name, its id or its value, in any order."""
    wanted, answers = list(gold), list(result["answers"])
    if len(wanted) != len(answers):
        return False
    for each in wanted:
        fitting = next((one for one in answers if _same(each, one)), None)
        if fitting is None:
            return False
        answers.remove(fitting)
    return True


def _same(gold: object, answer: dict[str, Any]) -> bool:
    if isinstance(gold, bool):
        return plain(str(answer["name"])) == ("yes" if gold else "no")
    if isinstance(gold, int | float):
        return _number(answer["id"]) is not None and abs(float(_number(answer["id"]) or 0) - gold) <= _NEAR * max(
            1.0, abs(gold)
        )
    moment = str(answer["id"]).removesuffix("Z").removesuffix("T00:00:00")
    names = {plain(str(answer["name"])), plain(str(answer["id"])), moment}
    number = _number(str(gold).replace(",", ""))
    if "://" in str(answer["id"]):
        names |= {_squashed(each) for each in (str(answer["name"]), local_name(str(answer["id"])))}
        return plain(str(gold)) in names or _squashed(str(gold)) in names
    return plain(str(gold)) in names or (number is not None and number == _number(answer["id"]))


def _squashed(text: str) -> str:
    """A name without spaces, as the end of an address has it."""
    return "".join(each for each in plain(text) if each.isalnum())


def _number(text: object) -> float | None:
    try:
        return float(str(text))
    except ValueError:
        return None


def summary(outcomes: Iterable[Outcome]) -> dict[str, Any]:
    """Totals of all questions and by kind, and how well confidence tells right from wrong."""
    listed = list(outcomes)
    kinds: dict[str, list[Outcome]] = defaultdict(list)
    for each in listed:
        kinds[each.kind].append(each)
    bins = [
        [each for each in listed if low <= each.confidence < high] for low, high in zip(_BINS, (*_BINS[1:], 2.0), strict=True)
    ]
    return {
        "all": _totals(listed),
        "kinds": {kind: _totals(each) for kind, each in sorted(kinds.items())},
        "confidence": {
            f"from {low:g}": {"questions": len(each), "right": sum(one.right for one in each)}
            for low, each in zip(_BINS, bins, strict=True)
        },
    }


def _totals(outcomes: list[Outcome]) -> dict[str, int]:
    wrong = [each for each in outcomes if not each.right and not each.refused]
    return {
        "questions": len(outcomes),
        "right": sum(each.right for each in outcomes),
        "refused": sum(each.refused for each in outcomes),
        "wrong": len(wrong),
        "wrong_without_a_sign": sum(not each.warned for each in wrong),
    }


def _as_text(totals: dict[str, Any]) -> str:
    rows = [("all", totals["all"]), *totals["kinds"].items()]
    lines = [
        f"{name or 'no kind'}: {each['right']} of {each['questions']} right, {each['refused']} refused, {each['wrong']} wrong "
        f"({each['wrong_without_a_sign']} without a sign)"
        for name, each in rows
    ]
    lines += [f"confidence {name}: {each['right']} of {each['questions']} right" for name, each in totals["confidence"].items()]
    return "\n".join(lines)
