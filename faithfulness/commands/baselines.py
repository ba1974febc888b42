"""`python -m faithfulness baselines`: other ways to find the words, on the explained samples of a run."""

import argparse
from pathlib import Path

from tqdm import tqdm

from backend.errors import FaithfulnessError
from faithfulness.baselines.baseline_run import run_baselines
from faithfulness.baselines.methods import METHODS
from faithfulness.commands.consent import add_yes, agreed_to_calls
from faithfulness.method.explain import KEPT, REDACTED
from faithfulness.runs.folder import RunFolder

OWN = (KEPT, REDACTED)  # what is asked of the model's own keywords, whichever baselines are run


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Give each baseline as many calls as the method had on the same sample. The figures then stand in the report. The same "
        "command goes on where it ended."
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the --out of a run")
    parser.add_argument("--method", action="append", dest="methods", metavar="NAME", help=f"one of: {', '.join(METHODS)}")
    add_yes(parser)


def run(args: argparse.Namespace) -> int:
    methods = args.methods or list(METHODS)
    unknown = [name for name in methods if name not in METHODS]
    if unknown:
        raise FaithfulnessError(f"There is no baseline {unknown[0]!r}; known are {', '.join(METHODS)}.")
    folder = RunFolder(args.folder)
    if not agreed_to_calls(folder, None, len(methods) * folder.plan().most_calls() + len(OWN), args.yes):
        print("Nothing was asked.")
        return 1
    bars: dict[str, tqdm[None]] = {}
    for model, done, count in run_baselines(folder, methods):
        if model not in bars:
            bars[model] = tqdm(total=count, initial=done, unit=" samples", desc=model, disable=None)
        bars[model].update(done - bars[model].n)
    for model, bar in bars.items():
        bar.close()
        if not bar.total:
            print(f"{model}: no sample was explained, so that there is nothing to compare.")
    print(f"Next: python -m faithfulness report {args.folder}")
    return 0
