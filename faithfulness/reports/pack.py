"""The results of a run as files to take away: a CSV of its samples, its tables, and all of it in one zip."""

import io
import json
import zipfile
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from backend.program.version import VERSION
from backend.text.csv_cells import csv_text
from faithfulness.reports.browse import Line, results_of
from faithfulness.reports.outcomes import SampleOutcome
from faithfulness.reports.tables import markdown_report
from faithfulness.runs.folder import RunFolder, read_lines

NOTHING_YET = "No sample of this run is finished yet.\n"


def samples_csv(lines: Iterable[Line]) -> str:
    """A line a sample: row, model, question, answer, and everything of `faithfulness.reports.outcomes`."""
    names = [field.name for field in fields(SampleOutcome)]
    rows: list[list[Any]] = [["row", "model", "question", "answer", *names]]
    for line in lines:
        figures = [getattr(line.outcome, name) for name in names]
        rows.append([line.row, line.model, line.question, line.answer, *figures])
    return csv_text(rows)


def report_markdown(folder: RunFolder) -> str:
    result = results_of(folder)
    return f"{markdown_report(result.tables)}\n\nWritten by Parley {VERSION}.\n" if result else NOTHING_YET


def run_zip(folder: RunFolder, file: str) -> bytes:
    """run.json, results, report.md, tables.json and samples.csv; the data are called `file`, wherever they lie here."""
    result = results_of(folder)
    settings = {**folder.settings(), "data": file, "parley": VERSION}
    tables = {**result.tables.as_json(), "settings": settings} if result else {}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("run.json", json.dumps(settings, indent=2, ensure_ascii=False))
        packed.writestr("report.md", report_markdown(folder))
        packed.writestr("tables.json", json.dumps(tables, indent=2, ensure_ascii=False))
        packed.writestr("samples.csv", samples_csv(result.lines if result else ()))
        for path in sorted((folder.path / "results").glob("*.jsonl")):
            records = [{**record, "source": file} if "source" in record else record for record in read_lines(path)]
            packed.writestr(f"results/{path.name}", "".join(f"{json.dumps(r, ensure_ascii=False)}\n" for r in records))
    return out.getvalue()
