"""`python -m faithfulness diagnosticity`: which measures tell true explanations from false ones."""

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict
from itertools import islice
from pathlib import Path

from backend.models.language_models import LanguageModel
from faithfulness.baselines.compare import confidence
from faithfulness.commands.consent import add_yes, agreed_to_calls
from faithfulness.commands.options import columns, positive
from faithfulness.commands.reopened import reopened_models
from faithfulness.measures.attribution import BUDGETS, attribution_quality, quality_table
from faithfulness.measures.diagnosticity import Diagnosticity, all_planted, diagnosticity, diagnosticity_table, real_pairs
from faithfulness.measures.keyword_measures import MEASURES
from faithfulness.measures.planted import PLANTED
from faithfulness.method.correctness import Metric
from faithfulness.method.sample import Sample, read_examples
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import Profile
from faithfulness.runs.rows import Row, read_rows

CHEAP = [name for name in MEASURES if not name.startswith("attribution by 64")]

CALLS = 64  # for a true and a false explanation of one sample, at most


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "For each measure of faithfulness the AUC with which it tells true explanations from false ones: of planted models, "
        "which are rules and cost no call, and of the models of runs, whose calls are kept in their folders."
    )
    parser.add_argument("--data", metavar="FILE", help="rows for the planted models; without, the examples of the tab")
    parser.add_argument("--columns", type=columns, default={}, metavar="question=NAME,...", help="as for run")
    parser.add_argument("--limit", type=positive, default=100, metavar="N", help="rows at most (100)")
    parser.add_argument("--run", action="append", dest="runs", type=Path, default=[], metavar="FOLDER",
                        help="also the models of this run, on its explained samples; repeat it for several")  # fmt: skip
    parser.add_argument("--samples", type=positive, default=10, metavar="N", help="explained samples of a run (10)")
    add_yes(parser)
    parser.add_argument("--json", action="store_true", help="figures for programs")


def run(args: argparse.Namespace) -> int:
    if not all(agreed_to_calls(RunFolder(path), args.samples, CALLS, args.yes) for path in args.runs):
        print("Nothing was asked.")
        return 1
    models = all_planted(_samples(args))
    results = [each for name, pairs in models.items() for each in diagnosticity(name, pairs)]
    whole = {name: pairs for name, pairs in models.items() if name in PLANTED}
    quality = [attribution_quality(name, pairs, budget) for name, pairs in whole.items() for budget in BUDGETS]
    for path in args.runs:
        results += of_run(RunFolder(path), args.samples)
    if args.json:
        shown = {"measures": [each.as_json() for each in results], "attribution": [asdict(each) for each in quality]}
        print(json.dumps(shown, indent=2))
    else:
        print(f"{diagnosticity_table(results)}\n\n{quality_table(quality)}")
    return 0


def _samples(args: argparse.Namespace) -> list[Sample]:
    if args.data is None:
        return read_examples()[: args.limit]
    rows = (row.sample for row in read_rows(args.data, args.columns) if isinstance(row, Row))
    return list(islice(rows, args.limit))


def of_run(
    folder: RunFolder, samples: int, open_model: Callable[[Profile], LanguageModel] = Profile.open, metric: Metric | None = None
) -> list[Diagnosticity]:
    """Every measure but the dearest on explained samples of each model of a run. Raises LanguageModelError."""
    results = []
    with reopened_models(folder, open_model, metric) as models:
        for each in models:
            explained = islice((report for report in each.answered() if report.score is not None), samples)
            chosen = [(report, confidence(report, each.model, each.protocol, each.metric)) for report in explained]
            name, pairs = f"{each.name} in {folder.path.name}", list(real_pairs(chosen))
            results += diagnosticity(name, pairs, CHEAP, each.profile.in_flight)
    return results
