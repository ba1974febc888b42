"""Taking one answer apart: closed book, full passage, sufficient regions, necessary keywords (section 3.5, algorithms 1, 2).

`explain` yields the report so far after every call, so that a screen can follow and a person can stop. Necessity is shown
inside a region only; it says nothing about the passage as a whole.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from backend.language_models import LanguageModel
from faithfulness.correctness import Metric, Verdict
from faithfulness.prompting import Exchange, Protocol
from faithfulness.regions import Span, Splitter, candidate_regions, masked, word_groups
from faithfulness.sample import Sample
from faithfulness.score import RegionEvidence, Score, faithfulness


@dataclass(frozen=True)
class Plan:
    """The settings of the method: p parts, q groups, how to cut, what masks, and the seed of the chance baseline."""

    parts: int = 3
    groups: int = 5
    splitter: Splitter = Splitter.SENTENCES
    mask: str = "_"
    closed_book: bool = True
    seed: int = 0

    def most_calls(self) -> int:
        """Calls of one sample at most: closed book, full passage, p regions, p x q masked regions (20 by default)."""
        return int(self.closed_book) + 1 + self.parts + self.parts * self.groups


@dataclass(frozen=True)
class Call:
    """One question to the model. `stage` is closed book, passage, region or group; `region` and `group` locate it."""

    stage: str
    exchange: Exchange
    verdict: Verdict
    region: Span | None = None
    group: Span | None = None


@dataclass(frozen=True)
class Report:
    """What is known of one sample so far. `stage` is the last that it reached; `done` once nothing is left to ask."""

    sample: Sample
    plan: Plan
    model: str
    protocol: str
    candidates: tuple[Span, ...] = ()
    calls: tuple[Call, ...] = field(default=())
    score: Score | None = None
    done: bool = False

    def of(self, stage: str) -> list[Call]:
        return [call for call in self.calls if call.stage == stage]

    @property
    def full(self) -> Call | None:
        """The call with the whole passage, which is also the self-explanation."""
        return next(iter(self.of("passage")), None)

    @property
    def keywords(self) -> tuple[str, ...]:
        return self.full.exchange.reading.keywords if self.full else ()

    @property
    def sufficient(self) -> list[Span]:
        """The regions that alone give a right answer (the set SR of algorithm 1)."""
        return [call.region for call in self.of("region") if call.verdict.correct and call.region]

    @property
    def necessary(self) -> list[Span]:
        """The groups whose masking makes the answer wrong (the sets NK of algorithm 2)."""
        return [call.group for call in self.of("group") if not call.verdict.correct and call.group]

    @property
    def retrieval_hard(self) -> bool | None:
        """Whether the model needs the passage (section 3.2); None when the closed book was not asked."""
        closed = self.of("closed book")
        return not closed[0].verdict.correct if closed else None

    @property
    def answer_cut(self) -> bool:
        """Whether a cut between regions runs through every occurrence of every accepted answer."""
        text = self.sample.passage.casefold()
        places = [text.find(answer.casefold()) for answer in self.sample.answers]
        spans = [Span(at, at + len(a)) for at, a in zip(places, self.sample.answers, strict=True) if at >= 0]
        return bool(spans) and not any(region.holds(span) for region in self.candidates for span in spans)


def explain(sample: Sample, model: LanguageModel, protocol: Protocol, metric: Metric, plan: Plan) -> Iterator[Report]:
    """Carry out the method on one sample, yielding after every call; the last report is `done`.

    Stops after the full passage when that answer is wrong: nothing is sufficient then. Raises LanguageModelError when a call
    fails; what was yielded before stays true.
    """
    passage = sample.passage
    candidates = tuple(candidate_regions(passage, plan.parts, plan.splitter))
    report = Report(sample, plan, model.name, protocol.name, candidates)
    if plan.closed_book:
        exchange = protocol.answer(model, sample.question, None)
        report = _added(report, Call("closed book", exchange, _judged(metric, sample, exchange)))
        yield report
    exchange = protocol.explain(model, sample.question, passage)
    report = _added(report, Call("passage", exchange, _judged(metric, sample, exchange)))
    yield report
    if report.calls[-1].verdict.correct:
        for region in candidates:
            exchange = protocol.answer(model, sample.question, region.of(passage))
            report = _added(report, Call("region", exchange, _judged(metric, sample, exchange), region))
            yield report
        for region in report.sufficient:
            for group in word_groups(passage, region, plan.groups):
                exchange = protocol.answer(model, sample.question, masked(passage, region, group, plan.mask))
                report = _added(report, Call("group", exchange, _judged(metric, sample, exchange), region, group))
                yield report
    yield replace(report, score=_score(report), done=True)


def _judged(metric: Metric, sample: Sample, exchange: Exchange) -> Verdict:
    return metric.judge(sample.answers, exchange.reading.answer)


def _added(report: Report, call: Call) -> Report:
    return replace(report, calls=(*report.calls, call))


def _score(report: Report) -> Score | None:
    evidence = [
        RegionEvidence(region, tuple(c.group for c in report.of("group") if c.region == region and c.group
                                     and not c.verdict.correct))
        for region in report.sufficient
    ]  # fmt: skip
    return faithfulness(report.sample.passage, evidence, report.keywords, report.plan.seed)
