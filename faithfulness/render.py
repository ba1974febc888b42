"""A report as HTML and tables. Everything that came from a person or a model is escaped."""

import itertools
from html import escape

from faithfulness.explain import Call, Report
from faithfulness.keywords import occurrences
from faithfulness.regions import Span

STAGES = {
    "closed book": "Without the passage",
    "passage": "With the whole passage",
    "region": "One region alone",
    "group": "Words masked",
}
LEGEND = (
    '<p class="evidence-legend"><span class="sufficient">sufficient region</span> '
    '<span class="sufficient necessary">necessary words</span> <strong>the model\'s own keywords</strong></p>'
)


def passage_html(report: Report) -> str:
    """The passage with sufficient regions, necessary groups and the model's keywords marked (section 3.7).

    Marks differ in colour, underline and weight, and are said in words to screen readers.
    """
    passage = report.sample.passage
    keywords = [span for keyword in report.keywords for span in occurrences(keyword, passage)]
    marks = {"sufficient": report.sufficient, "necessary": report.necessary, "keyword": keywords}
    edges = {0, len(passage)} | {edge for spans in marks.values() for span in spans for edge in (span.start, span.end)}
    cuts = sorted(edges)
    pieces = [_piece(passage, Span(a, b), marks) for a, b in itertools.pairwise(cuts)]
    return f'<div class="evidence">{LEGEND}<p class="evidence-passage" dir="auto">{"".join(pieces)}</p></div>'


def _piece(passage: str, span: Span, marks: dict[str, list[Span]]) -> str:
    on = [name for name, spans in marks.items() if any(mark.holds(span) for mark in spans)]
    text = escape(span.of(passage))
    classes = " ".join(name for name in on if name != "keyword")
    if "keyword" in on:
        text = f"<strong>{text}</strong>"
    return f'<span class="{classes}" title="{escape(_title(on))}">{text}</span>' if classes else text


def _title(on: list[str]) -> str:
    words = {"sufficient": "in a sufficient region", "necessary": "necessary", "keyword": "named by the model"}
    return ", ".join(words[name] for name in on)


def summary_html(report: Report) -> str:
    """The answer, what was found, and the score with its parts, in sentences."""
    lines = [f"<p>{sentence}</p>" for sentence in _sentences(report)]
    return f'<div class="evidence-summary">{"".join(lines)}</div>'


def _sentences(report: Report) -> list[str]:
    if report.full is None:
        return ["Asking …"]
    return [_answer(report), *_thought(report), _keywords(report), *_regions(report), *_score(report)]


def _answer(report: Report) -> str:
    assert report.full is not None
    if report.full.exchange.reading.malformed and not report.full.exchange.reading.answer:
        return "<strong>The reply could not be read</strong>, so it counts as wrong and is counted apart."
    answer = escape(report.full.exchange.reading.answer)
    clause = report.full.verdict.clause
    judged = f"right ({clause})" if clause else f"wrong; accepted: {escape('; '.join(report.sample.answers))}"
    return f"<strong>Answer:</strong> {answer} &middot; {judged}{_closed(report)}"


def _closed(report: Report) -> str:
    if report.retrieval_hard is None:
        return ""
    if report.retrieval_hard:
        return ". Without the passage the model does not know it, so the passage matters."
    return ". The model also knows it <em>without</em> the passage, so what follows says less."


def _thought(report: Report) -> list[str]:
    assert report.full is not None
    thought = report.full.exchange.reading.thought
    return [f"<strong>Thought:</strong> {escape(thought)}"] if thought else []


def _keywords(report: Report) -> str:
    if not report.keywords:
        return "<strong>Keywords:</strong> the model named none."
    absent = [k for k in report.keywords if not occurrences(k, report.sample.passage)]
    note = f" (not in the passage: {escape('; '.join(absent))})" if absent else ""
    return f"<strong>Says it used:</strong> {escape('; '.join(report.keywords))}{note}"


def _regions(report: Report) -> list[str]:
    assert report.full is not None
    if not report.full.verdict.correct:
        return ["Nothing can be sufficient for a wrong answer, so the method stops here."] if report.done else []
    if not report.done:
        return [f"Calls so far: {len(report.calls)} of at most {report.plan.most_calls()}."]
    found = len(report.sufficient)
    if not found:
        cut = " A cut runs through the answer itself." if report.answer_cut else ""
        return [f"No region alone is sufficient: the model needs more than one of the {len(report.candidates)}.{cut}"]
    necessary = len(report.necessary)
    text = f"{found} of {len(report.candidates)} regions alone give a right answer; in "
    text += f"{'it' if found == 1 else 'them'} {necessary or 'no'} group{'' if necessary == 1 else 's'} of words "
    return [text + ("is necessary." if necessary == 1 else "are necessary.")]


def _score(report: Report) -> list[str]:
    if not report.done or report.full is None or not report.full.verdict.correct:
        return []
    score = report.score
    if score is None:
        return ["<strong>No faithfulness score:</strong> no word was necessary in any sufficient region."]
    return [
        f"<strong>Faithfulness f = {score.f:.2f}</strong> (sufficient region {score.f_sr:.0f}, necessary words "
        f"{score.f_nk:.2f}). As many random keywords would give {score.by_chance:.2f}; counting a mere overlap gives "
        f"{score.overlap:.2f}. Necessity is shown inside a region only."
    ]


def call_rows(report: Report) -> list[list[str]]:
    """One row a call: what was asked, which text it was about, the answer, the verdict and the time in seconds."""
    return [[str(i + 1), *_row(call, report)] for i, call in enumerate(report.calls)]


def _row(call: Call, report: Report) -> list[str]:
    passage = report.sample.passage
    about = {
        "closed book": "",
        "passage": "the whole passage",
        "region": call.region.of(passage) if call.region else "",
        "group": f"without: {call.group.of(passage)}" if call.group else "",
    }[call.stage]
    reading = call.exchange.reading
    answer = reading.answer or ("(unreadable)" if reading.malformed else "(nothing)")
    verdict = str(call.verdict.clause) if call.verdict.clause else "wrong"
    return [STAGES[call.stage], about, answer, verdict, f"{call.exchange.reply.seconds:.2f}"]


def call_text(call: Call) -> str:
    """What was sent and what came back, for a code box."""
    return f"{call.exchange.prompt}\n\n----- reply -----\n{call.exchange.reply.text}"
