"""`python -m faithfulness compare`: the packaged model through several engines on the same samples."""

import argparse
import json
from pathlib import Path

from tqdm import tqdm

from backend.text.words import percent
from faithfulness.commands.options import add_data, add_plan, plan_of
from faithfulness.lab.engines import ENGINES, Compared, compared, run_engines
from faithfulness.reports.table_rows import ROWS
from faithfulness.runs.run import RunSpecification

SHOWN = ("Samples", "Retrieval-hard subset", "Answered with the passage", "A sufficient region found",
         "A necessary keyword found", "Faithfulness F, 95% interval",
         "Only the whole passage as region: rows, with a score", "Calls")  # fmt: skip


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run the packaged model in several ways over the same samples (10 unless --limit says otherwise) and say how often "
        "the answers to the same question are equal to those of the first. The same command goes on where it ended."
    )
    add_data(parser)
    add_plan(parser)
    parser.add_argument(
        "--engine", action="append", dest="engines", metavar="NAME", help=f"{', '.join(ENGINES)}; repeat it (the first three)"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="folder of the runs")
    parser.add_argument("--json", action="store_true", help="figures for programs")


def run(args: argparse.Namespace) -> int:
    engines = args.engines or list(ENGINES)[:3]
    study = RunSpecification(args.data, (), plan_of(args), args.limit or 10, args.skip_bad, args.paper, args.columns)
    bar = tqdm(unit=" samples", disable=None)
    for name, progress in run_engines(study, engines, args.out):
        bar.set_description(f"{name}: {progress.finished} of {progress.samples}")
        bar.update(1)
    bar.close()
    rows = compared(engines, args.out)
    print(json.dumps([each.as_json() for each in rows], indent=2) if args.json else _table(rows))
    return 0


def _table(rows: list[Compared]) -> str:
    lines = [["", *(each.engine for each in rows)], ["---", *["---:"] * len(rows)]]
    lines += [[label, *(ROWS[label](each.summary) for each in rows)] for label in SHOWN]
    lines += [
        [f"Calls that {rows[0].engine} asked too", *(str(each.same_calls) for each in rows)],
        ["of them with the same answer", *(percent(each.equal, 1) for each in rows)],
        ["of them with the same verdict", *(percent(each.equal_verdicts, 1) for each in rows)],
        ["Samples that came equally far", *(percent(each.equal_stages, 1) for each in rows)],
        ["Seconds of all calls, waiting included", *(f"{each.summary.seconds:.0f}" for each in rows)],
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
