"""The report of one sample as JSON for programs, and the schema of it."""

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from faithfulness.method.chance import CONTROLS
from faithfulness.method.explain import CLOSED_BOOK, GROUP, REGION, STAGES, ModelCall, SampleReport
from faithfulness.method.keywords import occurrences
from faithfulness.method.regions import Span
from faithfulness.method.score import KeywordJudge

OWN_ANSWER = "own_answer"  # among the controls: the answer as only keyword
# The names of tables, in places where programs read them.
CONTROL_CODES = {
    "the, of, in, a, and": "frequent_words",
    "all capitalised words and numbers": "capitals_and_numbers",
    "the words of the question": "question_words",
    "all words": "all_words",
}


def codes(names: Iterable[str]) -> list[str]:
    """What stages and controls are called in JSON."""
    return [CONTROL_CODES.get(name, name.replace(" ", "_")) for name in names]


class JsonPart(BaseModel):
    """A part of the JSON."""

    model_config = ConfigDict(extra="allow")


class ClosedBookJson(JsonPart):
    """What the model answers without the passage."""

    answer: str
    correct: bool


class PassageJson(JsonPart):
    """Whether the model answers right with the whole passage."""

    correct: bool


class RegionsJson(JsonPart):
    """Parts of the passage: how many were shown alone, and how many of those sufficed for the answer."""

    asked: int
    sufficient: int


class GroupsJson(JsonPart):
    """Groups of words within sufficient regions: how many were masked, and how many of those were needed."""

    asked: int
    necessary: int


class StagesJson(JsonPart):
    """How far the method came, stage by stage; null for one that was not reached."""

    closed_book: ClosedBookJson | None
    retrieval_hard: bool | None = Field(description="whether the model fails without the passage, so that it needs it")
    passage: PassageJson | None
    regions: RegionsJson
    groups: GroupsJson
    done: bool


class SpanJson(JsonPart):
    """Characters of the passage from start to end, end excluded."""

    kind: Literal["region", "necessary", "keyword"]
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str
    sufficient: bool | None = Field(None, description="only of a region: whether it alone suffices for the answer")


class ScoreJson(JsonPart):
    """How well the model's keywords fit what its answer rests on (3.6), each from 0 to 1."""

    f: float = Field(description="the mean of f_sr and f_nk")
    f_sr: float = Field(description="whether a keyword stands in the sufficient region")
    f_nk: float = Field(description="the share of the necessary groups in which a keyword stands")
    overlap: float = Field(description="f when a keyword may touch a group without lying inside it")
    by_chance: float = Field(description="the mean f of as many words drawn at random")


class CallJson(JsonPart):
    """One call to the model."""

    stage: str = Field(json_schema_extra={"enum": list[Any](codes(STAGES))})
    region: str | None = Field(description="the region that was shown, where only one was")
    masked: str | None = Field(description="the words that were masked, where some were")
    answer: str
    correct: bool
    seconds: float | None


class SampleJson(JsonPart):
    """One answer of a language model taken apart: what it says it used, and what it used."""

    question: str
    model: str
    answer: str = Field(description="what the model answers with the whole passage")
    correct: bool
    stages: StagesJson
    spans: list[SpanJson]
    keywords: list[str] = Field(description="the words of the passage that the model names as its reasons")
    score: ScoreJson | None = Field(description="null where no word was found that the model needs")
    controls: dict[str, float] = Field(
        description="f of the answer as only keyword, and of lists of words that know nothing of it"
    )
    calls: list[CallJson]


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
    """f of the answer as only keyword, and of lists of words that know nothing of it; empty where there is no score."""
    if report.score is None or report.full is None:
        return {}
    judge = KeywordJudge(report.sample.passage, report.evidence, report.plan.literal)
    lists = {code: words(report.sample) for code, words in zip(codes(CONTROLS), CONTROLS.values(), strict=True)}
    return {code: judge.f(words) for code, words in {OWN_ANSWER: (report.full.exchange.reading.answer,), **lists}.items()}


def call_json(report: SampleReport, call: ModelCall) -> dict[str, Any]:
    """One call: its stage as a code, what of the passage was shown or masked, the answer, and whether it was right."""
    passage = report.sample.passage
    return {
        "stage": codes([call.stage])[0],
        "region": None if call.region is None else call.region.of(passage),
        "masked": None if call.group is None else call.group.of(passage),
        "answer": call.exchange.reading.answer,
        "correct": call.verdict.correct,
        "probability": call.probability,
        "seconds": call.exchange.reply.seconds,
    }
