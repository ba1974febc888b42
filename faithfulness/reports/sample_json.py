"""The report of one sample as JSON for programs: the schema is in docs/reference/programs.md."""

from typing import Any

from faithfulness.method.chance import CONTROLS
from faithfulness.method.explain import CLOSED_BOOK, GROUP, REGION, ModelCall, SampleReport
from faithfulness.method.keywords import occurrences
from faithfulness.method.regions import Span
from faithfulness.method.score import KeywordJudge


def sample_json(report: SampleReport) -> dict[str, Any]:
    """Its answer, stages, spans, keywords, score (None where there is none), controls and calls."""
    full, score = report.full, report.score
    return {
        "question": report.sample.question,
        "model": report.model,
        "answer": full.exchange.reading.answer if full else "",
        "correct": bool(full and full.verdict.correct),
        "stages": _stages(report),
        "spans": _spans(report),
        "keywords": list(report.keywords),
        "score": None if score is None else {
            "f": score.f, "f_sr": score.f_sr, "f_nk": score.f_nk, "overlap": score.overlap, "by_chance": score.by_chance,
            "graded": score.graded, "graded_by_chance": score.graded_by_chance,
        },
        "controls": control_scores(report),
        "calls": [call_json(report, call) for call in report.calls],
    }  # fmt: skip


def _stages(report: SampleReport) -> dict[str, Any]:
    """What each stage came to: null for one that was not reached."""
    closed = next(iter(report.of(CLOSED_BOOK)), None)
    return {
        "closed_book": None
        if closed is None
        else {"answer": closed.exchange.reading.answer, "correct": closed.verdict.correct},
        "retrieval_hard": report.retrieval_hard,
        "passage": None if report.full is None else {"correct": report.full.verdict.correct},
        "regions": {"asked": len(report.of(REGION)), "sufficient": len(report.sufficient)},
        "groups": {"asked": len(report.of(GROUP)), "necessary": len(report.necessary)},
        "done": report.done,
    }


def _spans(report: SampleReport) -> list[dict[str, Any]]:
    """Characters of the passage, end excluded: regions, necessary groups, and where the model's keywords stand."""
    passage = report.sample.passage
    kinds = [("region", span, span in report.sufficient) for span in report.candidates]
    kinds += [("necessary", span, True) for span in report.necessary]
    kinds += [("keyword", span, True) for keyword in report.keywords for span in occurrences(keyword, passage)]
    return [_span(kind, span, passage) | ({"sufficient": held} if kind == "region" else {}) for kind, span, held in kinds]


def _span(kind: str, span: Span, passage: str) -> dict[str, Any]:
    return {"kind": kind, "start": span.start, "end": span.end, "text": span.of(passage)}


def control_scores(report: SampleReport) -> dict[str, float]:
    """f of lists of words that know nothing of the answer, by what they hold; empty where there is no score."""
    if report.score is None:
        return {}
    judge = KeywordJudge(report.sample.passage, report.evidence)
    return {name: judge.f(words(report.sample)) for name, words in CONTROLS.items()}


def call_json(report: SampleReport, call: ModelCall) -> dict[str, Any]:
    """One call: its stage as a code, what of the passage was shown or masked, the answer, and whether it was right."""
    passage = report.sample.passage
    return {
        "stage": call.stage.replace(" ", "_"),
        "region": None if call.region is None else call.region.of(passage),
        "masked": None if call.group is None else call.group.of(passage),
        "answer": call.exchange.reading.answer,
        "correct": call.verdict.correct,
        "probability": call.probability,
        "seconds": call.exchange.reply.seconds,
    }
