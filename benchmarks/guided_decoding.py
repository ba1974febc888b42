"""What holding a model to the grammar costs, as a share of the time that it generates: `python -m ttm guide-bench`.

Measured on questions generated for a data set, each with the grammar of its own numbers, with a small causal language model
through transformers and with our small Transformer by beam search. The weights of the latter are random: what it writes is
of no use, but as long and as slow as ever.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from backend.models.language_models import PACKAGED_MODEL, packaged_through_transformers
from backend.models.sequence_models.seam import BeamSearch, TextPair
from benchmarks.guiding_overhead import Overhead, measure_language_model, measure_sequence_model
from ttm.parsers.few_shot import continuation, one_line
from ttm.parsers.utterance_grammar import spoken_grammar
from ttm.tabular.data.dataset import load_dataset

if TYPE_CHECKING:
    from ttm.parsers.templates.generate import TrainingPair
    from ttm.tabular.data.schema import Schema

SEARCH = BeamSearch(beams=5, max_tokens=64)


def questions(schema: "Schema", count: int, seed: int = 0) -> "list[TrainingPair]":
    """So many generated examples, from templates that lie far apart in the list of all."""
    from ttm.parsers.templates.generate import generate

    every = generate(schema, seed, most_per_template=1)
    return every[:: max(1, len(every) // count)][:count]


def measure(schema: "Schema", asked: "Sequence[TrainingPair]") -> dict[str, Overhead]:
    """By the name of the model. Raises LanguageModelError where the packaged model cannot run through transformers."""
    from backend.models.language_models.hugging_face import TransformersModel
    from backend.models.sequence_models.own import new_own_model
    from ttm.parsers.templates.generate import generate

    grammars = [spoken_grammar(schema, each.utterance) for each in asked]
    causal = packaged_through_transformers()
    assert isinstance(causal, TransformersModel)
    prompts = [continuation(each.utterance, ()) for each in asked]
    own = new_own_model("transformer", [TextPair(each.utterance, each.parse) for each in generate(schema, most_per_template=3)])
    return {
        f"{PACKAGED_MODEL}, transformers": measure_language_model(causal, [one_line(each) for each in grammars], prompts),
        "our Transformer, 5 beams": measure_sequence_model(own, grammars, [each.utterance for each in asked], SEARCH),
    }


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", default="diabetes", metavar="NAME_OR_FOLDER", help="a demo, or a folder (diabetes)")
    parser.add_argument("--questions", type=int, default=8, metavar="N", help="how many questions are answered (8)")
    parser.add_argument("--json", action="store_true", help="print the measurement as JSON")


def run(args: argparse.Namespace) -> None:
    schema = load_dataset(args.dataset).schema
    measured = measure(schema, questions(schema, max(1, args.questions)))
    if args.json:
        sys.stdout.write(json.dumps({name: asdict(one) | {"share": one.share} for name, one in measured.items()}) + "\n")
    else:
        sys.stdout.write(table(measured) + "\n")


def table(measured: dict[str, Overhead]) -> str:
    rows = [("model", "overhead", "of seconds", "grammar, ms", "mask, ms", "vocabulary, s (once)")]
    for name, one in measured.items():
        per_mask = 1000 * one.masking / max(1, one.masks)
        rows.append((name, f"{one.share:.2%}", f"{one.generating:.2f}", f"{1000 * one.compiling / one.grammars:.1f}",
                     f"{per_mask:.3f}", f"{one.wrapping:.2f}"))  # fmt: skip
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
