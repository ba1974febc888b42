"""Examples beside the corpus proper, for what a message asks for only: lines without roles, and filled templates."""

import itertools
import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttm.lab.learning.examples import MessageExample
from ttm.parsers.learned.encoder.encoder_input import encoder_input
from ttm.parsers.learned.encoder.roles import INGREDIENTS
from ttm.parsers.learned.encoder.state_words import ALONE, MOST_LETTERS
from ttm.parsers.linker.words.tokens import tokenise
from ttm.tabular.data.schema import Schema

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from ttm.parsers.templates.generate import TrainingPair

# What an operation of these lines may be in the language; a flag may be any of some sets of ingredients.
OPERATIONS: dict[str, tuple[str, ...]] = {
    "count": ("count",), "show": ("show",), "label": ("label",), "statistic": ("statistic",), "predict": ("predict",),
    "likelihood": ("likelihood",), "mistakes_sample": ("mistake sample",), "mistakes_typical": ("mistake typical",),
    "mistakes_count": ("mistake count",), "cfe": ("counterfactual",), "interact": ("interact",), "effect": ("effect",),
    "distribution": ("distribution",), "correlate": ("correlate",), "compare": ("compare",), "ranking": ("highest", "lowest"),
    "similar": ("similar",), "data": ("data",), "define": ("define",), "model": ("model",), "function": ("function",),
    "self": ("self",), "refuse": ("refuse",), "chat": ("chat",),
    "score": ("score default", "score accuracy", "score f1", "score recall", "score confusion", "score precision", "score roc"),
    "explain": ("explain features", "explain shap", "explain lime"),
    "important": ("important all", "important top", "important bottom", "important one"),
}  # fmt: skip
FLAGS: dict[str, tuple[tuple[str, ...], ...]] = {
    "filter": (("where",), ("label condition",), ("prediction condition",), ("where", "label condition"),
               ("probability condition",), ("missing value",)),
    "change": (("change",),), "case": (("case",),), "versus": (("versus",),), "keepgroup": (("previous rows",), ("keep",)),
    "keepop": ((), ("previous operation",)), "negation": ((),), "id": (("row",),),
}  # fmt: skip
MOST_READINGS = 60
LARGEST = 30  # features of a table whose templates are filled


def operation_lines(folder: Path, tokenizer: "Tokenizer") -> Iterator[MessageExample]:
    """Lines that say which operations a message asks for, and whether it narrows, changes or keeps rows."""
    for path in sorted(folder.glob("*.jsonl")):
        flags: list[str] = []
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            context = _context(record, flags)
            flags = record["flags"]
            tokens = tokenise(record["say"])
            read = encoder_input(tokenizer, record["say"], tokens, [], context)
            yield MessageExample(path.stem, "", read, tuple(_readings(record)), (), False)


def _context(record: Mapping[str, Any], flags: list[str]) -> str:
    if record["prev"] is None:
        return ALONE
    rows = " ".join(FLAGS[flag][0][0] for flag in flags if FLAGS[flag][0]) or "all"
    return f"{' '.join(OPERATIONS[one][0] for one in record['prev'])} ( {rows} ) : {record['prev_say'][:MOST_LETTERS]}"


def _readings(record: Mapping[str, Any]) -> Iterator[frozenset[int]]:
    options: list[tuple[tuple[str, ...], ...]] = [tuple((one,) for one in OPERATIONS[name]) for name in record["ops"]]
    options += [FLAGS[flag] for flag in record["flags"]]
    seen = set()
    for chosen in itertools.islice(itertools.product(*options), MOST_READINGS):
        reading = frozenset(INGREDIENTS.index(name) for part in chosen for name in part)
        if reading not in seen:
            seen.add(reading)
            yield reading


def template_pairs(
    schemas: Mapping[str, Schema], tables: int = 80, per_table: int = 60, seed: int = 5
) -> Iterator[tuple[str, "TrainingPair"]]:
    """Filled templates of some tables, each with the table's name, drawn with a seed."""
    from ttm.parsers.templates.generate import generate

    rng = random.Random(seed)
    names = sorted(name for name, schema in schemas.items() if len(schema.features) <= LARGEST)
    for name in rng.sample(names, min(tables, len(names))):
        pairs = generate(schemas[name], seed=seed, fraction=0.06, most_per_template=1)
        rng.shuffle(pairs)
        yield from ((name, pair) for pair in pairs[:per_table])
