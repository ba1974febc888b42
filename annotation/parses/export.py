"""What has been reviewed, as files: gold parses for training and tests, and everything with its history."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.parses.gold_suite import one_line, suite_text
from annotation.parses.pairs import Review, ReviewItem, list_items
from backend.errors import AnnotationError
from backend.storage.collected import Feedback
from backend.storage.database import Database
from backend.text.csv_cells import csv_text

COLUMNS = (
    "dataset", "utterance", "predicted", "proposed", "state", "gold", "reason", "reviewer", "decided", "decisions", "origin",
    "number", "source", "line", "made", "created",
)  # fmt: skip
VERDICT_COLUMNS = ("created", "dataset", "verdict", "utterance", "parse", "answer", "comment")


@dataclass(frozen=True)
class Format:
    """A kind of file: what it is called, how its name ends, its media type, and how it is made of items."""

    title: str
    ending: str
    media_type: str
    write: Callable[[Sequence[ReviewItem]], str]


def gold_pairs(items: Sequence[ReviewItem]) -> dict[str, str]:
    """Accepted utterances, each with the parse that was accepted last.

    Raises AnnotationError if they are of several data sets, since a gold suite names none.
    """
    accepted = [item for item in items if item.gold]
    if len(names := sorted({item.dataset for item in accepted})) > 1:
        raise AnnotationError(f"Accepted pairs are of {', '.join(names)}; a gold suite is of one data set, so choose one.")
    latest: dict[str, ReviewItem] = {}
    for item in accepted:
        utterance = one_line(item.utterance)
        if utterance not in latest or item.history[-1].id > latest[utterance].history[-1].id:
            latest[utterance] = item
    return {utterance: item.gold for utterance, item in latest.items()}


def gold_suite(items: Sequence[ReviewItem]) -> str:
    """The accepted pairs as a gold suite, in the order of the queue. Raises AnnotationError as `gold_pairs` does."""
    return suite_text(gold_pairs(items).items())


def json_lines(items: Sequence[ReviewItem]) -> str:
    """Every item in whatever state, one JSON object a line, with all its fields and its decisions, oldest first."""
    return "".join(json.dumps(_fields(item), ensure_ascii=False) + "\n" for item in items)


def csv_table(items: Sequence[ReviewItem]) -> str:
    """Every item in whatever state, one row each, with the last decision; see `backend.text.csv_cells`."""
    return csv_text([COLUMNS, *(_row(item) for item in items)])


def verdicts_csv(entries: Sequence[Feedback]) -> str:
    """Verdicts on answers, one row each."""
    rows = [vars(entry) | {"created": entry.created.isoformat()} for entry in entries]
    return csv_text([VERDICT_COLUMNS, *([row[name] for name in VERDICT_COLUMNS] for row in rows)])


FORMATS: dict[str, Format] = {
    "gold": Format("Gold suite", "txt", "text/plain", gold_suite),
    "jsonl": Format("JSON Lines", "jsonl", "application/jsonl", json_lines),
    "csv": Format("CSV", "csv", "text/csv", csv_table),
}


def items_to_export(database: Database, dataset: str | None = None, owner: str | None = None) -> list[ReviewItem]:
    """All items, or those of one data set, or that one session made.

    Raises AnnotationError if the data set has none, naming those that have.
    """
    items = list_items(database, dataset, owner)
    if dataset is not None and not items:
        known = sorted({item.dataset for item in list_items(database, owner=owner)})
        there = f"there are pairs of {', '.join(known)}" if known else "no pair has been collected yet"
        raise AnnotationError(f"There are no pairs of the data set {dataset!r}; {there}.")
    return items


def _fields(item: ReviewItem) -> dict[str, Any]:
    return {
        "dataset": item.dataset,
        "utterance": item.utterance,
        "predicted": item.predicted,
        "proposed": item.proposed,
        "state": item.state.value,
        "gold": item.gold or None,
        "origin": item.key.origin.value,
        "number": item.key.number,
        "source": item.source or None,
        "line": item.line or None,
        "made": item.made,
        "created": item.created.isoformat(),
        "history": [_event(review) for review in item.history],
    }


def _event(review: Review) -> dict[str, Any]:
    known = vars(review) | {"state": review.state.value, "created": review.created.isoformat()}
    del known["id"]
    return known


def _row(item: ReviewItem) -> list[Any]:
    last = item.history[-1] if item.history else None
    row = _fields(item) | {
        "reason": last.reason if last else "",
        "reviewer": last.reviewer if last else "",
        "decided": last.created.isoformat() if last else "",
        "decisions": len(item.history),
    }
    return [row[name] for name in COLUMNS]
