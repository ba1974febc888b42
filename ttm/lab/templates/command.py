"""`python -m ttm templates check`: are the templates good? Exit code 2, and the lines named, where they are not."""

import argparse
import json
import sys

from backend.program.command_line import REFUSED
from ttm.lab.templates.check import check_templates, report_text
from ttm.parsers.templates.template import load_templates


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `python -m ttm templates`."""
    parser.add_argument("action", choices=["check"], help="check: read, carry out, look for duplicates and for what is missing")
    parser.add_argument("--fast", action="store_true", help="carry out each distinct parse on one data set, not on all")
    parser.add_argument("--no-execute", action="store_true", help="carry out nothing: read and compare only")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Check the templates and print what was found. Raises DatasetError for a bad line."""
    report = check_templates(load_templates(), execute=not args.no_execute, fast=args.fast)
    text = json.dumps(report.as_json(), ensure_ascii=False) if args.json else report_text(report)
    sys.stdout.write(text + "\n")
    return 0 if report.good else REFUSED
