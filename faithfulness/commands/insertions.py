"""`python -m faithfulness insertions`: whether explanations name inserted words that change the answer, and no others."""

import argparse
import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from backend.jobs import in_flight
from backend.models.language_models import LanguageModel
from backend.text.markup import escape_markdown
from backend.text.words import decimal
from faithfulness.commands.consent import add_yes, agreed_to_calls
from faithfulness.commands.options import positive
from faithfulness.commands.reopened import reopened_models
from faithfulness.measures.insertions import InsertionFigures, InsertionOutcome, check_insertions, insertion_figures
from faithfulness.method.correctness import Metric
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import Profile

HEADINGS = (
    "model", "samples", "insertions", "answer changed", "word mentioned", "changed and not mentioned", "phi-CCT", "CCT",
)  # fmt: skip


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Put words into the passages of answered samples, one at a time, and see whether the explanation names those that "
        "change the answer (Siegel et al., 2024). Calls are kept in the folder. With a run by --log-probabilities also by how "
        "much the answer's probability moves."
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the --out of a run")
    parser.add_argument("--samples", type=positive, default=50, metavar="N", help="answered samples at most (50)")
    parser.add_argument("--words", type=positive, default=4, metavar="N", help="words put into each, a call each (4)")
    add_yes(parser)
    parser.add_argument("--json", action="store_true", help="figures for programs")


def run(args: argparse.Namespace) -> int:
    if not agreed_to_calls(RunFolder(args.folder), args.samples, args.words, args.yes):
        print("Nothing was asked.")
        return 1
    results = dict(of_run(RunFolder(args.folder), args.samples, args.words))
    if args.json:
        print(json.dumps({name: each.as_json() for name, each in results.items()}, indent=2))
        return 0
    lines = [HEADINGS, ("---", *["---:"] * (len(HEADINGS) - 1)), *(_line(name, each) for name, each in results.items())]
    print("\n".join(f"| {' | '.join(line)} |" for line in lines))
    return 0


def _line(name: str, each: InsertionFigures) -> tuple[str, ...]:
    counts = map(str, (each.samples, each.n, each.changed, each.mentioned))
    cct = f"{decimal(each.cct, 2)} ({each.graded})" if each.cct is not None else decimal(None)
    return (escape_markdown(name), *counts, decimal(each.unfaithful, 2), decimal(each.phi_cct, 2), cct)


def of_run(
    folder: RunFolder, samples: int, words: int, open_model: Callable[[Profile], LanguageModel] = Profile.open,
    metric: Metric | None = None,
) -> Iterator[tuple[str, InsertionFigures]]:  # fmt: skip
    """The figures of each model of a run. Raises LanguageModelError when a call fails."""
    with reopened_models(folder, open_model, metric) as models:
        for each in models:
            jobs: list[Callable[[], list[InsertionOutcome]]] = [
                partial(check_insertions, report, each.model, each.protocol, each.metric, words)
                for report in islice(each.answered(), samples)
            ]
            yield each.name, insertion_figures(list(in_flight(jobs, each.profile.in_flight)) if jobs else [])
