"""`python -m faithfulness report`: the tables of a run."""

import argparse
import json
from pathlib import Path
from typing import Any

from backend.text.markup import escape_markdown
from faithfulness.reports.evidence import COLUMNS, EvidenceAgreement, agreement_lines, agreements, marked_score, read_evidence
from faithfulness.reports.page import report_html, save_html
from faithfulness.reports.spread import spread_between, spread_markdown
from faithfulness.reports.tables import markdown_report, tables_of
from faithfulness.runs.folder import RunFolder


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "The tables of a run, as Markdown; also of one that is not finished yet."
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the --out of a run")
    parser.add_argument(
        "--retrieval-hard-of", metavar="MODEL", help="count the rows that MODEL needs the passage for, as the paper's Table 1"
    )
    parser.add_argument("--with", dest="others", action="append", type=Path, default=[], metavar="FOLDER",
                        help="another run over the same data with another seed: the spread between runs")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="figures for programs")
    parser.add_argument("--html", type=Path, metavar="FILE", help="also the report as one page with figures")
    parser.add_argument("--evidence", type=Path, metavar="FILE.jsonl",
                        help="what people or another tool marked, lines of id and spans [[start, end], ...]")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    folder = RunFolder(args.folder)
    tables = tables_of(folder, args.retrieval_hard_of)
    marked = read_evidence(args.evidence) if args.evidence else None
    agreed = {name: agreements(folder.reports(name), marked) for name in tables.summaries} if marked else {}
    scored = {name: marked_score(folder.reports(name), marked) for name in agreed} if marked else {}
    runs = [tables, *(tables_of(RunFolder(path), args.retrieval_hard_of) for path in args.others)]
    spread = spread_between(runs) if args.others else []
    if args.html:
        save_html(args.html, report_html(tables, agreed))
    if args.json:
        people: dict[str, Any] = {}
        if agreed:
            people["evidence"] = {name: [each.as_json() for each in agreement] for name, agreement in agreed.items()}
            people["evidence_scores"] = {name: each.as_json() for name, each in scored.items()}
        people |= {"spread": [each.as_json() for each in spread]} if spread else {}
        print(json.dumps({**tables.as_json(), **people}, indent=2, ensure_ascii=False))
    else:
        beside = [line for name in agreed for line in (*_evidence(name, agreed[name]), "", scored[name].sentence())]
        print("\n".join([markdown_report(tables), *beside, *(spread_markdown(spread) if spread else [])]))
    return 0


def _evidence(name: str, agreement: list[EvidenceAgreement]) -> list[str]:
    lines = [COLUMNS, ("---", *["---:"] * (len(COLUMNS) - 1)), *agreement_lines(agreement)]
    return ["", f"{escape_markdown(name)}, beside what people marked:", "", *(f"| {' | '.join(line)} |" for line in lines)]
