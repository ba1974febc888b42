"""`python -m faithfulness report`: the tables of a run."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from faithfulness.run.folder import RunFolder
from faithfulness.run.tables import markdown_report, tables_of

HELP = "the tables of a run: stages, faithfulness with its interval, models side by side"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "The tables of a run, as Markdown; also of one that is not finished yet."
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the --out of a run")
    parser.add_argument("--json", action="store_true", help="figures for programs")


def run(given: argparse.Namespace) -> int:
    tables = tables_of(RunFolder(given.folder))
    print(json.dumps(tables.as_json(), indent=2, ensure_ascii=False) if given.json else markdown_report(tables))
    return 0
