"""Items, counts and verdicts as HTML and tables. Everything that a person typed is escaped and shown as it is.

What differs between two parses is marked by a sign and a line, so it is seen without colour.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape

from annotation.parses.differences import TextStretch, differences
from annotation.parses.pairs import PairOrigin, Review, ReviewItem, ReviewState
from annotation.parses.parse_reader import ParseReading
from annotation.parses.review import review_words
from backend.storage.collected import Feedback

VERDICT_HEADERS = ("When (UTC)", "Data set", "Verdict", "Question", "Understood as", "Comment")
MOST_VERDICTS = 200
VERDICTS = {"up": "right", "down": "wrong"}
MARKS = {ReviewState.PENDING: "○", ReviewState.ACCEPTED: "✓", ReviewState.EDITED: "✎", ReviewState.REJECTED: "✕"}

EMPTY = (
    '<div class="review-empty"><p><strong>There is nothing to review yet.</strong></p><p>Pairs get here in two ways: somebody '
    "corrects in the first tab how a question was understood (<b>Correct</b> under an answer), or you bring in a gold suite "
    "file, below.</p></div>"
)
NONE_LEFT = (
    '<div class="review-empty"><p><strong>Nothing is left here.</strong></p><p>No pair matches what is chosen above. '
    "Choose <b>All</b> or another data set to see others, or <b>Back</b> to return to the last one.</p></div>"
)


def progress_html(counts: Sequence[Mapping[ReviewState, int]]) -> str:
    """How many pairs are in each state, in words, and the share that is decided as a bar."""
    total = {state: sum(row[state] for row in counts) for state in ReviewState}
    everything = sum(total.values())
    if not everything:
        return ""
    decided = everything - total[ReviewState.PENDING]
    words = "".join(f"<li><b>{count:,}</b> {state}</li>" for state, count in total.items())
    return (
        f'<div class="review-progress"><ul>{words}</ul><progress max="{everything}" value="{decided}" '
        f'aria-label="{decided} of {everything} pairs are decided"></progress></div>'
    )


def card_html(item: ReviewItem, predicted: ParseReading, proposed: ParseReading, note: str = "") -> str:
    """One item: the utterance, what was predicted, what stands in its place, and what has been decided so far.

    `note` says what is not checked.
    """
    parts = [
        f'<p class="review-meta"><span class="review-state">{MARKS[item.state]} {item.state}</span> {escape(_from(item))}</p>',
        f'<blockquote class="review-utterance" dir="auto">{escape(item.utterance)}</blockquote>',
        f'<div class="review-parses">{_parses(item, predicted, proposed)}</div>',
        _legend(item),
        f'<p class="review-note">{escape(note)}</p>' if note else "",
        history_html(item.history),
    ]
    name = f"{item.key.origin.value}-{item.key.number}"
    return f'<article class="review-card" tabindex="0" aria-label="Pair to review" data-key="{name}">{"".join(parts)}</article>'


def _from(item: ReviewItem) -> str:
    if item.key.origin is PairOrigin.IMPORT:
        return f"{item.dataset} · from {item.source}, line {item.line}"
    made = f" · made {item.made} times" if item.made > 1 else ""
    return f"{item.dataset} · corrected in the chat, {_time(item.created)}{made}"


def _parses(item: ReviewItem, predicted: ParseReading, proposed: ParseReading) -> str:
    if item.key.origin is PairOrigin.IMPORT:
        return _parse("Parse in the file", [TextStretch(item.proposed, False)], "", proposed)
    if not item.predicted:
        asked = "<section><h4>Predicted</h4><p>Nothing: Parley asked back.</p></section>"
        return asked + _parse("What the person chose", [TextStretch(item.proposed, False)], "", proposed)
    old, new = differences(item.predicted, item.proposed)
    return _parse("Predicted", old, "del", predicted) + _parse("What the person put in its place", new, "ins", proposed)


def _legend(item: ReviewItem) -> str:
    if not item.predicted:
        return ""
    if item.predicted == item.proposed:
        return '<p class="review-note">Both are the same.</p>'
    return '<p class="review-note"><del>Struck through</del>: taken out. <ins>Underlined</ins>: put in.</p>'


def _parse(title: str, pieces: Sequence[TextStretch], tag: str, reading: ParseReading) -> str:
    text = "".join(_marked(piece.text, tag) if piece.changed else escape(piece.text) for piece in pieces)
    return f'<section><h4>{title}</h4><code class="review-parse" dir="auto">{text}</code>{reading_html(reading)}</section>'


def _marked(text: str, tag: str) -> str:
    """The text in its tag, the blanks at its end behind it, where they would only be a longer line."""
    bare = text.rstrip()
    return f"<{tag}>{escape(bare)}</{tag}>{escape(text[len(bare) :])}" if bare else escape(text)


def reading_html(reading: ParseReading) -> str:
    """How a parse reads in words, or why it is not valid."""
    if reading.problem:
        return f'<p class="review-problem"><b>Not valid:</b> {escape(reading.problem)}</p>'
    return f'<p class="review-words">Reads: {escape(reading.words)}</p>' if reading.words else ""


def history_html(history: Sequence[Review]) -> str:
    """All decisions on an item, the last one first; nothing if there are none."""
    if not history:
        return ""
    lines = "".join(f"<li>{_decision(review)}</li>" for review in reversed(history))
    count = "1 decision" if len(history) == 1 else f"{len(history)} decisions, the last one counts"
    return f'<details class="review-history" open><summary>{count}</summary><ol reversed>{lines}</ol></details>'


def _decision(review: Review) -> str:
    parse = f'<br><code class="review-parse">{escape(review.parse)}</code>' if review.state is ReviewState.EDITED else ""
    reason = f'<br><q dir="auto">{escape(review.reason)}</q>' if review.reason else ""
    return f'<span dir="auto">{escape(review_words(review))}</span>{parse}{reason}'


def status_html(text: str, alert: bool = False) -> str:
    """What has just happened; read out at once by screen readers, with emphasis if it did not work."""
    kind, role = ("review-alert", "alert") if alert else ("review-done", "status")
    return f'<p class="{kind}" role="{role}">{escape(text)}</p>' if text else ""


def verdicts_html(entries: Sequence[Feedback]) -> str:
    """What people thought of answers: counts and a table, newest first; how to judge one if nobody did."""
    if not entries:
        return "<p>Nobody has judged an answer yet. A thumb under an answer in the first tab leaves a verdict here.</p>"
    up = sum(entry.verdict == "up" for entry in entries)
    more = f" The newest {MOST_VERDICTS} are shown; the file holds all." if len(entries) > MOST_VERDICTS else ""
    head = "".join(f'<th scope="col">{name}</th>' for name in VERDICT_HEADERS)
    rows = "".join(_verdict_row(entry) for entry in list(reversed(entries))[:MOST_VERDICTS])
    return (
        f"<p>Found right: {up:,}. Found wrong: {len(entries) - up:,}.{more}</p>"
        f'<table class="review-verdicts"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )


def _verdict_row(entry: Feedback) -> str:
    known = (_time(entry.created), entry.dataset, VERDICTS[entry.verdict], entry.utterance, entry.parse, entry.comment)
    cells = zip(VERDICT_HEADERS, known, strict=True)
    return "<tr>" + "".join(f'<td data-label="{name}" dir="auto">{escape(text)}</td>' for name, text in cells) + "</tr>"


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
