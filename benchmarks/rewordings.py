"""`python -m benchmarks rewordings`: how often people who word a question again are warned, and how often careless ones are.

FILE holds questions as people worded them beside the machine's (`question`, `machine_question`, `topic_entity`), as
ComplexWebQuestions has them. Twelve kinds of bad rewordings are made from the machine's questions.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from annotation.studies.plan import Warnings
from annotation.studies.work.answer_warnings import warnings_for
from annotation.tasks.task_type import ItemPart
from backend.errors import AnnotationError
from backend.storage.row_files import file_rows
from backend.text.tokens import words

FORMATS = (".jsonl", ".json")
LARGEST = 500_000_000  # bytes
GERMAN = ("Welches Land hat eine Grenze mit dem Ort, wo {} lebt?", "In welcher Stadt wurde die Person geboren, die {} heißt?")
Spoiled = Callable[[random.Random, str, list[str]], str]


def _swapped(draw: random.Random, source: str, names: list[str]) -> str:
    first, second, *rest = [*source.split(), "", ""]
    return " ".join(filter(None, (second, first, *rest)))


def _exchanged(draw: random.Random, source: str, names: list[str]) -> str:
    one, other = ("which", "what") if "which" in source.lower() else ("what", "which")
    return " ".join(other if word.lower() == one else word for word in source.split())


def _negated(draw: random.Random, source: str, names: list[str]) -> str:
    return source.replace(" is ", " is not ", 1) if " is " in source else f"{source} not"


def _gibberish(draw: random.Random, source: str, names: list[str]) -> str:
    return " ".join(["".join(draw.choices("abcdefghijklmnop", k=draw.randint(3, 8))) for _ in range(5)] + names)


def _assistant(draw: random.Random, source: str, names: list[str]) -> str:
    mixed = source.split()
    draw.shuffle(mixed)
    return f"Certainly! Here is the question in other words: {' '.join(mixed)}?"


KINDS: Mapping[str, Spoiled] = {
    "copy": lambda draw, source, names: source,
    "lower case": lambda draw, source, names: source.lower() + "?",
    "which for what": _exchanged,
    "negated": _negated,
    "please and a copy": lambda draw, source, names: f"Please, {source}",
    "two words swapped": _swapped,
    "what is it?": lambda draw, source, names: "what is it?",
    "can you tell me and a copy": lambda draw, source, names: f"Can you tell me {source}?",
    "an assistant": _assistant,
    "gibberish and names": _gibberish,
    "only names": lambda draw, source, names: " ".join(names) or "it",
    "German": lambda draw, source, names: draw.choice(GERMAN).format(" ".join(names)),
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="questions of people beside those of a machine (CWQ)")
    parser.add_argument("--seed", type=int, default=0, help="start of the random draws (0)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(args: argparse.Namespace) -> None:
    figures = measure(args.file, args.seed)
    if args.json:
        print(json.dumps(figures))
        return
    print(f"{figures['texts']} human rewordings, of which {figures['false_alarms']:.1%} are warned of:")
    for rule, share in figures["by_rule"].items():
        print(f"  {rule}: {share:.1%}")
    for kind, share in figures["kinds"].items():
        print(f"{kind}: {share:.1%} caught")


def measure(path: Path, seed: int = 0) -> dict[str, Any]:
    """Raises AnnotationError if the file holds nothing of the kind."""
    draw, rules, false, caught, texts = random.Random(seed), Counter[str](), 0, Counter[str](), 0
    for source, text, names in _questions(path):
        texts += 1
        raised = {each.rule for each in _warnings(text, source, names)}
        rules.update(raised)
        false += bool(raised)
        for kind, spoil in KINDS.items():
            caught[kind] += bool(_warnings(spoil(draw, source, names), source, names))
    if not texts:
        raise AnnotationError(f"{path} holds no row with question and machine_question.")
    return {
        "texts": texts,
        "false_alarms": false / texts,
        "by_rule": {rule: count / texts for rule, count in rules.most_common()},
        "kinds": {kind: caught[kind] / texts for kind in KINDS},
    }


def _warnings(text: str, source: str, names: list[str]) -> tuple[Any, ...]:
    part = ItemPart("write", "", "text", source=source, entities=tuple(names))
    return warnings_for([part], {"text": text}, Warnings())


def _questions(path: Path) -> list[tuple[str, str, list[str]]]:
    rows = [row.value for row in file_rows(path, AnnotationError, FORMATS, LARGEST) if isinstance(row.value, dict)]
    return [
        (row["machine_question"], row["question"], _names(row))
        for row in rows
        if row.get("question") and row.get("machine_question")
    ]


def _names(row: Mapping[str, Any]) -> list[str]:
    """Those that the machine's question holds: only they can be missed."""
    source = " ".join(words(row["machine_question"]))
    return [name for name in (row.get("topic_entity") or {}).values() if " ".join(words(name)) in source]
