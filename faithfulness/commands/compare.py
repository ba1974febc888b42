"""`python -m faithfulness compare`: the packaged model through several engines on the same samples."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tqdm import tqdm

from faithfulness.commands.run import add_data, add_plan, plan_of
from faithfulness.lab.engines import ENGINES, Compared, compared, run_engines
from faithfulness.reports.tables import ROWS
from faithfulness.runs.run import RunSpecification

HELP = "the packaged model through llama.cpp fast and deterministic and through transformers: stages and equal answers"
SHOWN = ("Samples", "Retrieval-hard subset", "Answered with the passage", "A sufficient region found",
         "A necessary keyword found", "Faithfulness F, 95 % interval", "Calls")  # fmt: skip


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run the packaged model in several ways over the same samples (10 unless --limit says otherwise) and say how often "
        "the answers to the same question are equal to those of the first. The same command goes on where it ended."
    )
    add_data(parser)
    add_plan(parser)
    parser.add_argument("--engine", action="append", dest="engines", metavar="NAME",
                        help=f"{', '.join(ENGINES)}; repeat it (the first three)")  # fmt: skip
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="folder of the runs")
    parser.add_argument("--json", action="store_true", help="figures for programs")


def run(given: argparse.Namespace) -> int:
    engines = given.engines or list(ENGINES)[:3]
    study = RunSpecification(given.data, (), plan_of(given), given.limit or 10, given.skip_bad, given.paper)
    bar = tqdm(unit=" samples", disable=None)
    for name, progress in run_engines(study, engines, given.out):
        bar.set_description(f"{name}: {progress.finished} of {progress.samples}")
        bar.update(1)
    bar.close()
    found = compared(engines, given.out)
    print(json.dumps([each.as_json() for each in found], indent=2) if given.json else _table(found))
    return 0


def _table(found: list[Compared]) -> str:
    lines = [["", *(each.engine for each in found)], ["---", *["---:"] * len(found)]]
    lines += [[label, *(ROWS[label](each.summary) for each in found)] for label in SHOWN]
    lines += [
        [f"Calls that {found[0].engine} asked too", *(str(each.same_calls) for each in found)],
        ["of them with the same answer", *(_share(each.equal) for each in found)],
        ["of them with the same verdict", *(_share(each.equal_verdicts) for each in found)],
        ["Samples that came equally far", *(_share(each.equal_stages) for each in found)],
        ["Seconds of all calls, waiting included", *(f"{each.summary.seconds:.0f}" for each in found)],
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"
