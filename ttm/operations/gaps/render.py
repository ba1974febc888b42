"""Words, a table and a figure for missing values."""

from collections.abc import Callable
from typing import Any

from backend.text.words import listed
from ttm.operations.gaps.run import MissingValues
from ttm.operations.rendering.answer import Answer, AnswerTable, label_of, onward, opening, percent, title_of
from ttm.operations.rendering.figures import bars
from ttm.tabular.data.schema import Schema

IN_TEXT = 4
IN_FIGURE = 15


def missing_values(result: MissingValues, schema: Schema) -> Answer:
    """Columns that lack values, most first; a figure where there are several to compare."""
    rows, gapped = result.group.rows, {name: count for name, count in result.missing.items() if count}
    outcome = f" The true outcome is unknown for {result.unlabelled:,} ({percent(result.unlabelled / rows)})."
    end = outcome if result.unlabelled else ""
    if not gapped:
        return Answer(f"{opening(result.group)}, **no value is missing** in the {len(result.missing)} features.{end}")
    parts = [f"{label_of(name, schema)}{_size(count, rows)}" for name, count in gapped.items()]
    text = f"{opening(result.group)}, values are missing in **{len(gapped)} of {len(result.missing)}** features: "
    text += f"{listed(parts, most=IN_TEXT)}.{_complete(result)}{end}"
    names = [title_of(name, schema) for name in gapped]
    cells = tuple((name, f"{count:,}", percent(count / rows)) for name, count in zip(names, gapped.values(), strict=True))
    figure = None
    if len(gapped) > 1 < rows:
        shares = [count / rows for count in gapped.values()][:IN_FIGURE]
        figure = bars(names[:IN_FIGURE], {"missing": shares}, "Share of rows without a value", "", percent=True)
    return Answer(
        text, (AnswerTable("", ("feature", "missing", "share of rows"), cells),), figure, onward(result.group, "show")
    )


def _size(count: int, rows: int) -> str:
    return f" (**{count:,}**, {percent(count / rows)})" if rows > 1 else ""


def _complete(result: MissingValues) -> str:
    if result.group.rows == 1:
        return ""
    if not result.complete:
        return " No row has a value in every feature."
    return f" **{result.complete:,}** rows ({percent(result.complete / result.group.rows)}) have a value in every feature."


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {MissingValues: missing_values}
