"""CSV files that a spreadsheet opens without running anything, and the way back.

A text that a spreadsheet would take for a formula gets an apostrophe before it, which says "text" there; one that looks like
such a text already gets one more, so that dropping one is always the way back. Plain numbers stay as they are.
"""

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

_FORMULA = "[=+\\-@\t\r\n＝＋－＠]"
_DANGEROUS = re.compile(rf"'*{_FORMULA}")
_WRITTEN = re.compile(rf"'+{_FORMULA}")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Return rows as CSV in which no cell runs as a formula."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([safe_cell(cell) for cell in row] for row in rows)
    return text.getvalue()


def csv_of(rows: list[dict[str, Any]]) -> str:
    """Return rows as CSV under the names of all their columns; empty without rows."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return csv_text([columns, *([row.get(name, "") for name in columns] for row in rows)]) if rows else ""


def safe_cell(cell: Any) -> Any:
    """Return a cell that no spreadsheet runs; what is no text stays."""
    dangerous = isinstance(cell, str) and _DANGEROUS.match(cell) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if dangerous else cell


def read_cell(cell: str) -> str:
    """Return what `safe_cell` was given."""
    return cell[1:] if _WRITTEN.match(cell) else cell
