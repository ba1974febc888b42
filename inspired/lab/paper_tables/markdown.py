"""A table beside the paper's as Markdown, and as values for JSON."""

from dataclasses import asdict
from typing import Any

from inspired.lab.paper_tables.comparison import ComparedRow, ComparedTable
from inspired.lab.paper_tables.scoring_predictions import Figure

_NONE = "–"


def as_markdown(table: ComparedTable) -> str:
    """Figures from 0 to 100 with 95% intervals where there are any; "–" is what was not measured, or not in the paper."""
    head = ["row", "by", *(cell for column in table.columns for cell in (column, f"{column}, paper"))]
    lines = [head, ["---"] * len(head), *map(_cells, table.rows)]
    notes = [*table.remarks, *(f"{row.name}: {remark}." for row in table.rows for remark in row.remarks)]
    return "\n".join(
        [
            f"Table {table.number}. {table.title}; {table.records:,} records.",
            "",
            *(f"| {' | '.join(cells)} |" for cells in lines),
            "",
            *(f"- {note}" for note in notes),
        ]
    ).rstrip()


def as_values(table: ComparedTable) -> dict[str, Any]:
    """The table as plain values; each row has its figures and the paper's by column."""
    rows = [
        {
            "row": row.name,
            "by": row.by,
            "figures": {name: each and asdict(each) for name, each in zip(table.columns, row.figures, strict=True)},
            "paper": dict(zip(table.columns, row.published, strict=True)),
            "remarks": list(row.remarks),
        }
        for row in table.rows
    ]
    return {"table": table.number, "title": table.title, "records": table.records, "rows": rows, "remarks": list(table.remarks)}


def _cells(row: ComparedRow) -> list[str]:
    pairs = zip(row.figures, row.published, strict=True)
    return [row.name, row.by or _NONE, *(cell for ours, theirs in pairs for cell in (_ours(ours), _theirs(theirs)))]


def _ours(figure: Figure | None) -> str:
    if figure is None:
        return _NONE
    interval = "" if figure.low is None else f" ({figure.low:.1f} to {figure.high:.1f})"
    return f"{figure.value:.1f}{interval}"


def _theirs(value: float | None) -> str:
    return _NONE if value is None else f"{value:.1f}"
