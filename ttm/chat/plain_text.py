"""An answer as plain text, for terminals and programs: Markdown and its escapes taken away, tables aligned in columns."""

import html
import re
from collections.abc import Iterable

from ttm.operations.render import Answer, AnswerTable

WIDEST_CELL = 60
# An escaped character, an entity, or a mark of emphasis or code; the first two stand for a character, the third for none.
_MARKUP = re.compile(r"\\([^\w\s]|_)|(&[#\w]+;)|(\*\*|[*`])")
_ITEM = re.compile(r"^(\s*)[*-] ", re.MULTILINE)


def plain(markdown: str) -> str:
    """The text that a person reads when `markdown` (of an `Answer`) is shown."""
    bulleted = _ITEM.sub(r"\1• ", markdown)
    return _MARKUP.sub(_character, bulleted).strip()


def _character(match: re.Match[str]) -> str:
    escaped, entity, _ = match.groups()
    return escaped or (html.unescape(entity) if entity else "")


def answers_text(answers: Iterable[Answer]) -> str:
    """The texts of a turn's answers, without their tables and figures."""
    return "\n\n".join(plain(answer.text) for answer in answers)


def table_text(table: AnswerTable) -> str:
    """A table with its title, in columns of equal width."""
    rows = [table.columns, *table.rows]
    cut = [[_cut(cell) for cell in row] for row in rows]
    widths = [max(len(row[index]) for row in cut) for index in range(len(table.columns))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cut]
    ruled = [lines[0], "  ".join("─" * width for width in widths), *lines[1:]]
    return "\n".join([table.title, *ruled] if table.title else ruled)


def _cut(cell: str) -> str:
    line = " ".join(cell.split())
    return line if len(line) <= WIDEST_CELL else f"{line[: WIDEST_CELL - 1]}…"


def terminal_text(answers: Iterable[Answer]) -> str:
    """All that a terminal can show of a turn's answers."""
    parts = [part for answer in answers for part in (plain(answer.text), *map(table_text, answer.tables))]
    return "\n\n".join(part for part in parts if part)
