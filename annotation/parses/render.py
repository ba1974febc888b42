"""Items, counts and verdicts as HTML, by `render.html.jinja`. Everything that a person typed is escaped and shown as it is.

What differs between two parses is marked by a sign and a line, so it is seen without colour.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from markupsafe import Markup

from annotation.parses.differences import TextStretch, differences
from annotation.parses.pairs import PairOrigin, Review, ReviewItem, ReviewState
from annotation.parses.parse_reader import ParseReading
from annotation.parses.review import review_words
from backend.storage.collected import Feedback
from backend.text.templates import Macros

HTML = Macros(__file__)
VERDICT_HEADERS = ("When (UTC)", "Data set", "Verdict", "Question", "Understood as", "Comment")
MOST_VERDICTS = 200
VERDICTS = {"up": "right", "down": "wrong"}
MARKS = {ReviewState.PENDING: "○", ReviewState.ACCEPTED: "✓", ReviewState.EDITED: "✎", ReviewState.REJECTED: "✕"}


def empty_html(none_left: bool) -> str:
    """What stands in place of a pair: how pairs get here, or that all that match are decided."""
    return HTML("none_left" if none_left else "empty")


def keys_html() -> str:
    """What each key does while a pair is reviewed."""
    return HTML("keys")


def progress_html(counts: Sequence[Mapping[ReviewState, int]]) -> str:
    """How many pairs are in each state, in words, and the share that is decided as a bar."""
    total = {state: sum(row[state] for row in counts) for state in ReviewState}
    everything = sum(total.values())
    return HTML("progress", total, everything - total[ReviewState.PENDING], everything) if everything else ""


def card_html(item: ReviewItem, predicted: ParseReading, proposed: ParseReading, note: str = "") -> str:
    """One item: the utterance, what was predicted, what stands in its place, and what has been decided so far.

    `note` says what is not checked.
    """
    parses = _parses(item, predicted, proposed)
    return HTML("card", item, MARKS[item.state], _from(item), parses, note, history_html(item.history))


def _from(item: ReviewItem) -> str:
    if item.key.origin is PairOrigin.IMPORT:
        return f"{item.dataset} · from {item.source}, line {item.line}"
    made = f" · made {item.made} times" if item.made > 1 else ""
    return f"{item.dataset} · corrected in the chat, {_time(item.created)}{made}"


def _parses(item: ReviewItem, predicted: ParseReading, proposed: ParseReading) -> Iterator[Markup]:
    whole = [TextStretch(item.proposed, False)]
    if item.key.origin is PairOrigin.IMPORT:
        yield HTML("parse", "Parse in the file", whole, "", proposed)
    elif not item.predicted:
        yield HTML("nothing_predicted")
        yield HTML("parse", "What the person chose", whole, "", proposed)
    else:
        old, new = differences(item.predicted, item.proposed)
        yield HTML("parse", "Predicted", old, "del", predicted)
        yield HTML("parse", "What the person put in its place", new, "ins", proposed)


def reading_html(reading: ParseReading) -> str:
    """How a parse reads in words, or why it is not valid."""
    return HTML("read", reading)


def history_html(history: Sequence[Review]) -> Markup:
    """All decisions on an item, the last one first; nothing if there are none."""
    decisions = [(review_words(review), review) for review in reversed(history)]
    return HTML("history", decisions) if decisions else Markup()


def status_html(text: str, alert: bool = False) -> str:
    """What has just happened; read out at once by screen readers, with emphasis if it did not work."""
    return HTML("status", text, alert)


def verdicts_html(entries: Sequence[Feedback]) -> str:
    """What people thought of answers: counts and a table, newest first; how to judge one if nobody did."""
    if not entries:
        return HTML("no_verdicts")
    up = sum(entry.verdict == "up" for entry in entries)
    rows = map(_verdict_row, list(reversed(entries))[:MOST_VERDICTS])
    return HTML("verdicts", up, len(entries) - up, MOST_VERDICTS, VERDICT_HEADERS, rows)


def _verdict_row(entry: Feedback) -> Iterator[tuple[str, str]]:
    known = (_time(entry.created), entry.dataset, VERDICTS[entry.verdict], entry.utterance, entry.parse, entry.comment)
    return zip(VERDICT_HEADERS, known, strict=True)


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
