"""A report as HTML and tables. Everything that came from a person or a model is escaped."""

import itertools
from dataclasses import dataclass

from markupsafe import Markup

from backend.text.templates import Macros
from faithfulness.method.chance import CONTROLS
from faithfulness.method.explain import CLOSED_BOOK, GROUP, PASSAGE, REGION, ModelCall, SampleReport
from faithfulness.method.keywords import occurrences
from faithfulness.method.regions import Span
from faithfulness.method.score import KeywordJudge

HTML = Macros(__file__)
STAGES = {
    CLOSED_BOOK: "Without the passage",
    PASSAGE: "With the whole passage",
    REGION: "Region {} alone",
    GROUP: "Region {}, words masked",
}
# What a mark is called: on the screen, and before its text by a screen reader.
MARKS = {
    "sufficient": "sufficient region",
    "necessary": "necessary words",
    "keyword": "the model's own keywords",
}


@dataclass(frozen=True)
class PassagePiece:
    """A stretch of the passage under the same `marks`; `begins` and `ends` are what a screen reader hears around it."""

    number: int | None
    begins: str
    text: str
    marks: tuple[str, ...]
    ends: str


def passage_html(report: SampleReport) -> Markup:
    """The passage with sufficient regions, necessary groups and the model's keywords marked (section 3.7).

    Marks differ in colour, underline and weight, so that no one has to tell colours apart; screen readers hear where each
    begins and ends, and the same stands below as a list.
    """
    passage, marks = report.sample.passage, _marks(report)
    edges = {0, len(passage)} | {edge for spans in marks.values() for span in spans for edge in (span.start, span.end)}
    cuts = sorted(edges | {region.start for region in report.candidates})
    pieces = [_piece(report, Span(a, b), marks) for a, b in itertools.pairwise(cuts)]
    lists = {label[0].upper() + label[1:]: [span.of(passage) for span in marks[name]] for name, label in MARKS.items()}
    return HTML("passage", MARKS, pieces, lists)


def _marks(report: SampleReport) -> dict[str, list[Span]]:
    passage = report.sample.passage
    keywords: list[Span] = []
    for span in sorted(span for keyword in report.keywords for span in occurrences(keyword, passage)):
        if keywords and keywords[-1].overlaps(span):  # "revolution" inside "orbital revolution" is marked once
            span = Span(keywords[-1].start, max(keywords.pop().end, span.end))
        keywords.append(span)
    return {"sufficient": report.sufficient, "necessary": report.necessary, "keyword": keywords}


def _piece(report: SampleReport, span: Span, marks: dict[str, list[Span]]) -> PassagePiece:
    on = tuple(name for name, spans in marks.items() if any(mark.holds(span) for mark in spans))
    begins = "".join(f"[{MARKS[n]}: " for n in on if any(mark.start == span.start for mark in marks[n]))
    ends = "]" * sum(any(mark.end == span.end for mark in marks[name]) for name in on)
    number = next((i for i, region in enumerate(report.candidates, 1) if region.start == span.start), None)
    return PassagePiece(number, begins, span.of(report.sample.passage), on, ends)


def summary_html(report: SampleReport | None, note: str = "") -> Markup:
    """The answer, what was found, and the score with its parts, in sentences; `note` is why it ended early, if it did."""
    if report is None:
        return HTML("summary", note, True, None, [], "")
    progress = None if report.done or note else (len(report.calls), report.plan.most_calls())
    return HTML("summary", note, False, progress, _sentences(report), _score(report))


def _sentences(report: SampleReport) -> list[str]:
    if report.full is None:
        return []
    return [_answer(report), *_closed(report), *_thought(report), _keywords(report), *_regions(report)]


def _answer(report: SampleReport) -> str:
    assert report.full is not None
    reading = report.full.exchange.reading
    if reading.malformed and not reading.answer:
        return HTML("unreadable")
    clause = report.full.verdict.clause
    judged = f"right ({clause})" if clause else f"wrong; accepted: {'; '.join(report.sample.answers)}"
    return HTML("answer", reading.answer, judged)


def _closed(report: SampleReport) -> list[str]:
    if report.retrieval_hard is None:
        return []
    if report.retrieval_hard:
        return ["Without the passage the model does not know it, so the passage matters."]
    return [HTML("known_without")]


def _thought(report: SampleReport) -> list[str]:
    assert report.full is not None
    thought = report.full.exchange.reading.thought
    return [HTML("titled", "Thought", thought)] if thought else []


def _keywords(report: SampleReport) -> str:
    if not report.keywords:
        return HTML("titled", "Keywords", "the model named none.")
    absent = [k for k in report.keywords if not occurrences(k, report.sample.passage)]
    note = f" (not in the passage: {'; '.join(absent)})" if absent else ""
    return HTML("titled", "Says it used", "; ".join(report.keywords) + note)


def _regions(report: SampleReport) -> list[str]:
    assert report.full is not None
    if not report.full.verdict.correct:
        return ["Nothing can be sufficient for a wrong answer, so the method stops here."] if report.done else []
    if not report.done:
        return []
    if report.whole_only:
        return [_whole_only(report)]
    count = len(report.sufficient)
    if not count:
        cut = " A cut runs through the answer itself." if report.answer_cut else ""
        return [f"No region alone is sufficient: the model needs more than one of the {len(report.candidates)}.{cut}"]
    necessary = len(report.necessary)
    text = f"{count} of {len(report.candidates)} regions alone give{'s' if count == 1 else ''} a right answer; in "
    text += f"{'it' if count == 1 else 'them'} {necessary or 'no'} group{'' if necessary == 1 else 's'} of words "
    return [text + ("is necessary." if necessary == 1 else "are necessary.")]


def _whole_only(report: SampleReport) -> str:
    necessary = len(report.necessary)
    groups = "1 group of words is" if necessary == 1 else f"{necessary or 'no'} groups of words are"
    return (
        "The passage cannot be cut into regions here, so the whole of it is its only region, and sufficient by definition; "
        f"in it {groups} necessary."
    )


def _score(report: SampleReport) -> str:
    if not report.done or report.full is None or not report.full.verdict.correct or not report.sufficient:
        return ""
    score = report.score
    if score is None:
        return HTML("no_score")
    judge = KeywordJudge(report.sample.passage, report.evidence, report.plan.literal)
    figures = {
        "Faithfulness f": f"{score.f:.2f}",
        "keyword in the region": f"{score.f_sr:.0f}",
        "necessary groups hit": f"{score.f_nk:.2f}",
        "as many random keywords, matched": f"{score.by_chance:.2f}",
    }
    knowing_nothing = {
        "the answer as only keyword": f"{judge.f([report.full.exchange.reading.answer]):.2f}",
        **{text: f"{judge.f(words(report.sample)):.2f}" for text, words in CONTROLS.items()},
        "a mere overlap counting": f"{score.overlap:.2f}",
    }
    return HTML("score", figures, knowing_nothing)


def call_rows(report: SampleReport) -> list[list[str]]:
    """One row a call: what was asked, which text it was about, the answer, the verdict and the time in seconds."""
    return [[str(i + 1), *_row(call, report)] for i, call in enumerate(report.calls)]


def _row(call: ModelCall, report: SampleReport) -> list[str]:
    passage = report.sample.passage
    about = {
        CLOSED_BOOK: "",
        PASSAGE: "the whole passage",
        REGION: call.region.of(passage) if call.region else "",
        GROUP: f"without: {call.group.of(passage)}" if call.group else "",
    }[call.stage]
    number = report.candidates.index(call.region) + 1 if call.region in report.candidates else ""
    reading = call.exchange.reading
    answer = reading.answer or ("(unreadable)" if reading.malformed else "(nothing)")
    verdict = str(call.verdict.clause) if call.verdict.clause else "wrong"
    return [STAGES[call.stage].format(number), about, answer, verdict, f"{call.exchange.reply.seconds:.2f}"]


def call_text(call: ModelCall) -> str:
    """What came back and what was sent, for a code box; the reply first, since a prompt with its examples is long."""
    return f"----- reply -----\n{call.exchange.reply.text}\n\n----- sent -----\n{call.exchange.prompt}"
