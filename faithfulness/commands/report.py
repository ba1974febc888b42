"""`python -m faithfulness report`: the tables of a run."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from backend.text.markup import escape_markdown
from faithfulness.reports.evidence import COLUMNS, EvidenceAgreement, agreement_lines, agreements, read_evidence
from faithfulness.reports.page import report_html, save_html
from faithfulness.reports.tables import markdown_report, tables_of
from faithfulness.runs.folder import RunFolder

HELP = "the tables of a run: stages, faithfulness with its interval, models side by side"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "The tables of a run, as Markdown; also of one that is not finished yet."
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the --out of a run")
    parser.add_argument("--json", action="store_true", help="figures for programs")
    parser.add_argument("--html", type=Path, metavar="FILE", help="also the report as one page with figures")
    parser.add_argument("--evidence", type=Path, metavar="FILE.jsonl",
                        help="what people marked, lines of id and spans [[start, end], ...]: how far it agrees")  # fmt: skip


def run(given: argparse.Namespace) -> int:
    folder = RunFolder(given.folder)
    tables = tables_of(folder)
    marked = read_evidence(given.evidence) if given.evidence else None
    agreed = {name: agreements(folder.reports(name), marked) for name in tables.summaries} if marked else {}
    if given.html:
        save_html(given.html, report_html(tables, agreed))
    if given.json:
        people = {"evidence": {name: [each.as_json() for each in found] for name, found in agreed.items()}} if agreed else {}
        print(json.dumps({**tables.as_json(), **people}, indent=2, ensure_ascii=False))
    else:
        print("\n".join([markdown_report(tables), *(line for name in agreed for line in _evidence(name, agreed[name]))]))
    return 0


def _evidence(name: str, found: list[EvidenceAgreement]) -> list[str]:
    lines = [COLUMNS, ("---", *["---:"] * (len(COLUMNS) - 1)), *agreement_lines(found)]
    return ["", f"{escape_markdown(name)}, beside what people marked:", "", *(f"| {' | '.join(line)} |" for line in lines)]
