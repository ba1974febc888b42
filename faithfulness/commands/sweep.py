"""`python -m faithfulness sweep`: the method over a grid of numbers of parts and groups."""

import argparse
import json
from pathlib import Path

from tqdm import tqdm

from faithfulness.commands.options import add_data, add_models, add_plan, study_of
from faithfulness.commands.run import stop_gently
from faithfulness.lab.sweep import grid, run_sweep, sweep_markdown, sweep_rows
from faithfulness.lab.sweep_page import sweep_html
from faithfulness.reports.page import save_html


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Run the method for each number of parts with each number of groups. The same command goes on."
    add_data(parser)
    add_models(parser)
    add_plan(parser, several=True)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="folder of the runs")
    parser.add_argument("--html", type=Path, metavar="FILE", help="also the table and a plot, as one page")
    parser.add_argument("--json", action="store_true", help="figures for programs")


def run(args: argparse.Namespace) -> int:
    settings = grid(args.parts, args.groups)
    study = study_of(argparse.Namespace(**{**vars(args), "parts": args.parts[0], "groups": args.groups[0]}))
    with stop_gently() as stopped:
        bar = tqdm(total=len(settings) * len(study.profiles), unit=" runs", disable=None)
        for setting, progress in run_sweep(study, settings, args.out, stopped.is_set):
            whole = progress.finished + progress.failed == progress.samples
            bar.set_description(f"{progress.model}, {setting}: {progress.finished} of {progress.samples}")
            bar.update(int(whole))
        bar.close()
    rows = sweep_rows(args.out, settings)
    print(json.dumps([row.as_json() for row in rows], indent=2, ensure_ascii=False) if args.json else sweep_markdown(rows))
    if args.html:
        save_html(args.html, sweep_html(rows))
    return 130 if stopped.is_set() else 0
