"""`python -m faithfulness thoughts`: whether answers rest on the thoughts that are written before them."""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from itertools import islice
from pathlib import Path

from backend.errors import FaithfulnessError
from backend.jobs import in_flight
from backend.models.language_models import LanguageModel
from backend.text.markup import escape_markdown
from faithfulness.commands.consent import add_yes, agreed_to_calls
from faithfulness.commands.options import positive
from faithfulness.commands.reopened import reopened_models
from faithfulness.measures.thoughts import ThoughtOutcome, ThoughtShare, check_thought, shares, shares_table
from faithfulness.method.correctness import Metric
from faithfulness.method.prompting import Chat
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import Profile

CALLS = 7  # of one sample, at most


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Cut the thought of answered samples, put a mistake into it, give a wrong hint, insert a word that says nothing: at "
        "most seven calls a sample. Calls are kept in the folder; the same command asks none twice."
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the --out of a run by the chat protocol")
    parser.add_argument("--samples", type=positive, default=50, metavar="N", help="answered samples at most (50)")
    add_yes(parser)
    parser.add_argument("--json", action="store_true", help="figures for programs")


def run(args: argparse.Namespace) -> int:
    if not agreed_to_calls(RunFolder(args.folder), args.samples, CALLS, args.yes):
        print("Nothing was asked.")
        return 1
    results = dict(of_run(RunFolder(args.folder), args.samples))
    if args.json:
        print(json.dumps({name: [asdict(each) for each in rows] for name, rows in results.items()}, indent=2))
        return 0
    for name, rows in results.items():
        print(f"{escape_markdown(name)}:\n\n{shares_table(rows)}\n")
    return 0


def of_run(
    folder: RunFolder,
    samples: int,
    open_model: Callable[[Profile], LanguageModel] = Profile.open,
    metric: Metric | None = None,
) -> Iterator[tuple[str, list[ThoughtShare]]]:
    """The shares of each model. Raises FaithfulnessError for one that writes no thought, LanguageModelError when a call
    fails."""
    with reopened_models(folder, open_model, metric) as models:
        for each in models:
            protocol = each.protocol
            if not isinstance(protocol, Chat) or protocol.guide:
                raise FaithfulnessError(
                    f"{each.name} was asked by {protocol.name}; thoughts are written by the protocols chat and paper, without "
                    "a guide."
                )
            jobs: list[Callable[[], ThoughtOutcome]] = [
                partial(check_thought, report, each.model, protocol, each.metric) for report in islice(each.answered(), samples)
            ]
            yield each.name, shares(in_flight(jobs, each.profile.in_flight) if jobs else ())
