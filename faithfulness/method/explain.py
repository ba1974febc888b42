"""Taking one answer apart: closed book, full passage, sufficient regions, necessary keywords (section 3.5, algorithms 1, 2).

The method is a table of rounds: `due` says what to ask next from what is known, `with_calls` adds what came back. Every
request of a round may be asked at once. `explain` does it for one sample, yielding after every call, so that a screen can
follow and a person can stop. Necessity is shown inside a region only; it says nothing about the passage as a whole.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass, field, replace
from typing import Protocol as Interface
from typing import runtime_checkable

from backend.models.language_models import LanguageModel
from faithfulness.method.correctness import CorrectnessVerdict, Metric
from faithfulness.method.keywords import touched_words
from faithfulness.method.prompting import Exchange, Protocol
from faithfulness.method.reading import answer_probability
from faithfulness.method.regions import Span, Splitter, candidate_regions, masked, with_words, word_groups, words
from faithfulness.method.sample import Sample
from faithfulness.method.score import FaithfulnessScore, RegionEvidence, faithfulness

CLOSED_BOOK, PASSAGE, REGION, WITHOUT, GROUP = "closed book", "passage", "region", "without", "group"
KEPT, REDACTED, REDACTED_ELSEWHERE = "keywords only", "keywords masked", "as many others masked"
ABOUT_KEYWORDS = (KEPT, REDACTED, REDACTED_ELSEWHERE)
STAGES = (CLOSED_BOOK, PASSAGE, REGION, WITHOUT, *ABOUT_KEYWORDS, GROUP)


@dataclass(frozen=True)
class Plan:
    """The settings of the method: p parts, q groups, how to cut, what masks, and the seed of the chance baseline.

    With `own_answer`, the model's own answer with the whole passage is the reference, as for samples without accepted answers.
    With `redaction`, three calls more of an answered sample ask what its keywords are worth: the passage with nothing else,
    without them, and, as a control, without as many other words (Madsen et al., 2024, "Are self-explanations from large
    language models faithful?").
    """

    parts: int = 3
    groups: int = 5
    splitter: Splitter = Splitter.SENTENCES
    mask: str = "_"
    closed_book: bool = True
    seed: int = 0
    repeats: int = 1
    own_answer: bool = False
    redaction: bool = False
    literal: bool = False

    def most_calls(self) -> int:
        """Calls of one sample at most: closed book, full passage, p regions, p x q masked regions (20 by default).

        With repeats, each as often; a reply that is asked for once more because of its format is not counted.
        """
        about_keywords = len(ABOUT_KEYWORDS) * int(self.redaction)
        return self.repeats * (int(self.closed_book) + 1 + about_keywords + self.parts + self.parts * self.groups)


@dataclass(frozen=True)
class Request:
    """One question to be asked. `stage` is one of STAGES; `region` and `group` locate it in the passage."""

    stage: str
    region: Span | None = None
    group: Span | None = None

    def text(self, report: "SampleReport") -> str | None:
        """The text that is shown with the question; None for the closed book."""
        passage = report.sample.passage
        if self.stage == CLOSED_BOOK:
            return None
        if self.stage in ABOUT_KEYWORDS:
            return with_words(
                passage, kept_words(report.sample, self.stage, report.keywords, report.plan.seed), report.plan.mask
            )
        if self.region is None:
            return passage
        if self.stage == WITHOUT:
            return f"{passage[: self.region.start]}{passage[self.region.end :]}".strip()
        if self.group is None:
            return self.region.of(passage)
        return masked(passage, self.region, self.group, report.plan.mask)


def kept_words(sample: Sample, stage: str, keywords: Sequence[str], seed: int) -> set[int]:
    """The indices of the words that a test of keywords, one of ABOUT_KEYWORDS, leaves in the passage."""
    named, every = touched_words(keywords, sample.passage), set(range(len(words(sample.passage))))
    if stage == KEPT:
        return named
    if stage == REDACTED:
        return every - named
    others = sorted(every - named)
    return every - set(random.Random(f"{seed} {sample.passage}").sample(others, min(len(named), len(others))))


@dataclass(frozen=True)
class ModelCall:
    """A request that was answered: `exchange` is the reply that counts, `verdict` what it is worth.

    `verdicts` are those of all repeats in order. The majority counts, a tie as wrong; `exchange` is the first of it.
    `probability` is that of its answer, None where the server does not report log-probabilities.
    """

    stage: str
    exchange: Exchange
    verdict: CorrectnessVerdict
    region: Span | None = None
    group: Span | None = None
    verdicts: tuple[CorrectnessVerdict, ...] = ()
    probability: float | None = None

    @property
    def right_probability(self) -> float | None:
        """How probable a right answer is at the least: as the answer if that is right, else 0; None where it is not known."""
        return self.probability if self.verdict.correct else 0.0

    @property
    def flipped(self) -> bool:
        """Whether repeats of the same question were judged differently."""
        return len({verdict.correct for verdict in self.verdicts}) > 1


@dataclass(frozen=True)
class SampleReport:
    """What is known of one sample so far. `stage` is the last that it reached; `done` once nothing is left to ask."""

    sample: Sample
    plan: Plan
    model: str
    protocol: str
    candidates: tuple[Span, ...] = ()
    calls: tuple[ModelCall, ...] = field(default=())
    score: FaithfulnessScore | None = None
    done: bool = False

    def of(self, stage: str) -> list[ModelCall]:
        return [call for call in self.calls if call.stage == stage]

    @property
    def full(self) -> ModelCall | None:
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
    def by_own_answer(self) -> bool:
        """Whether answers are judged by the model's own answer with the whole passage."""
        return self.plan.own_answer or not self.sample.answers

    @property
    def reference(self) -> tuple[str, ...]:
        """The answers that count as right."""
        if not self.by_own_answer:
            return self.sample.answers
        answer = self.full.exchange.reading.answer if self.full else ""
        return (answer,) if answer else ()

    def right_at(self, stage: str) -> bool | None:
        """Whether the one answer of a stage is right; None where it was not asked."""
        calls = self.of(stage)
        return calls[0].verdict.correct if calls else None

    @property
    def needed(self) -> list[Span]:
        """Of several passages, those without which the answer is wrong."""
        return [call.region for call in self.of(WITHOUT) if not call.verdict.correct and call.region]

    @property
    def evidence(self) -> tuple[RegionEvidence, ...]:
        """Each sufficient region with the necessary groups in it."""
        wrong = [call for call in self.of(GROUP) if not call.verdict.correct]
        return tuple(
            RegionEvidence(region, tuple(call.group for call in wrong if call.region == region and call.group))
            for region in self.sufficient
        )

    @property
    def graded_evidence(self) -> tuple[RegionEvidence, ...]:
        """The regions of `evidence`, with every group that lowers the probability of a right answer, and by how much; empty
        where probabilities are not known of every call."""
        regions = [call for call in self.of(REGION) if call.verdict.correct and call.region]
        if any(call.right_probability is None for call in (*regions, *self.of(GROUP))):
            return ()
        return tuple(
            _graded(call, [group for group in self.of(GROUP) if group.region == call.region])
            for call, plain in zip(regions, self.evidence, strict=True)
            if plain.necessary
        )

    @property
    def whole_only(self) -> bool:
        """Whether the whole passage is the only region. It is then sufficient by definition, and says nothing."""
        return len(self.candidates) == 1

    @property
    def retrieval_hard(self) -> bool | None:
        """Whether the model needs the passage (section 3.2); None when the closed book was not asked."""
        closed = self.of("closed book")
        return not closed[0].verdict.correct if closed else None

    @property
    def answer_cut(self) -> bool:
        """Whether a cut between regions runs through every occurrence of every accepted answer."""
        text = self.sample.passage.casefold()
        places = [text.find(answer.casefold()) for answer in self.reference]
        spans = [Span(at, at + len(a)) for at, a in zip(places, self.reference, strict=True) if at >= 0]
        return bool(spans) and not any(region.holds(span) for region in self.candidates for span in spans)


@runtime_checkable
class Repeating(Interface):
    """A model that remembers replies, and so must know when the same question is asked again."""

    def repeat(self, number: int) -> LanguageModel: ...


def begin(sample: Sample, plan: Plan, model: str, protocol: str) -> SampleReport:
    """The report of a sample before the first call."""
    candidates = sample.passages or tuple(candidate_regions(sample.passage, plan.parts, plan.splitter))
    return SampleReport(sample, plan, model, protocol, candidates)


def due(report: SampleReport) -> tuple[Request, ...]:
    """The requests of the next round, none of which needs another's reply; empty when nothing is left to ask.

    First the closed book and the whole passage; if that answer is right, every region; then every group of every
    sufficient region. After a wrong answer nothing is asked, since nothing is sufficient for it.
    """
    asked = {(call.stage, call.region, call.group) for call in report.calls}
    rounds = _first_rounds(report)
    if report.full is not None and report.full.verdict.correct:
        rounds.append(_regions(report))
        rounds.append([each for region in report.sufficient for each in _groups(report, region)])
    for each in rounds:
        open_ = tuple(request for request in each if (request.stage, request.region, request.group) not in asked)
        if open_:
            return open_
    return ()


def _first_rounds(report: SampleReport) -> list[list[Request]]:
    """Closed book and whole passage together; one after the other where the answer with the passage is the reference."""
    closed = [Request(CLOSED_BOOK)] if report.plan.closed_book else []
    return [[Request(PASSAGE)], closed] if report.by_own_answer else [[*closed, Request(PASSAGE)]]


def _regions(report: SampleReport) -> list[Request]:
    """Every region by itself; where they are passages of their own, all others without it; and what the keywords are worth."""
    without = [Request(WITHOUT, region) for region in report.sample.passages]
    tested = report.plan.redaction and (report.full is None or touched_words(report.keywords, report.sample.passage))
    about_keywords = [Request(stage) for stage in ABOUT_KEYWORDS] if tested else []
    return [*(Request(REGION, region) for region in report.candidates), *without, *about_keywords]


def at_most(report: SampleReport) -> tuple[Request, ...]:
    """Every request that a sample can lead to, were all its regions sufficient: the rounds of `due` one after another."""
    first = [request for each in _first_rounds(report) for request in each]
    return (*first, *_regions(report), *(each for region in report.candidates for each in _groups(report, region)))


def _groups(report: SampleReport, region: Span) -> Iterator[Request]:
    """The last group first: each text then begins like the one before it for as long as it can, which a server that keeps
    what it computed for a beginning need not compute again."""
    for group in reversed(word_groups(report.sample.passage, region, report.plan.groups)):
        yield Request(GROUP, region, group)


def ask(request: Request, report: SampleReport, model: LanguageModel, protocol: Protocol, metric: Metric) -> ModelCall:
    """Ask one request, as often as the plan says. Raises LanguageModelError when a reply cannot be had."""
    text, question = request.text(report), report.sample.question
    exchanges = []
    for number in range(report.plan.repeats):
        asked = model.repeat(number) if isinstance(model, Repeating) else model
        if request.stage == PASSAGE and text is not None:
            exchanges.append(protocol.explain(asked, question, text))
        else:
            exchanges.append(protocol.answer(asked, question, text))
    # Its own answer with the passage is right by definition, if it can be read.
    own = request.stage == PASSAGE and report.by_own_answer
    answers = [exchange.reading.answer for exchange in exchanges]
    verdicts = [metric.judge((answer,) if own else report.reference, answer) for answer in answers]
    right = 2 * sum(verdict.correct for verdict in verdicts) > len(verdicts)
    first = next(i for i, verdict in enumerate(verdicts) if verdict.correct == right)
    probability = answer_probability(exchanges[first].reply, exchanges[first].reading)
    return ModelCall(
        request.stage, exchanges[first], verdicts[first], request.region, request.group, tuple(verdicts), probability
    )


def with_calls(report: SampleReport, calls: Iterable[ModelCall]) -> SampleReport:
    """`report` with more calls, in the order of the method whatever the order in which they came back; `done` and scored
    when nothing is left to ask."""
    known_calls = {(c.stage, c.region, c.group): c for c in (*report.calls, *calls)}
    ordered = sorted(known_calls.values(), key=lambda c: (STAGES.index(c.stage), c.region or _START, c.group or _START))
    known = replace(report, calls=tuple(ordered))
    return known if due(known) else replace(known, score=_score(known), done=True)


def explain(
    sample: Sample,
    model: LanguageModel,
    protocol: Protocol,
    metric: Metric,
    plan: Plan,
    pool: Executor | None = None,
) -> Iterator[SampleReport]:
    """Carry out the method on one sample, yielding after every call; the last report is `done`.

    With a `pool`, the calls of a round are made at once. Stops after the full passage when that answer is wrong: nothing
    is sufficient then. Raises LanguageModelError when a call fails; what was yielded before stays true.
    """
    report = begin(sample, plan, model.name, protocol.name)
    while requests := due(report):
        for call in _round(requests, report, model, protocol, metric, pool):
            report = with_calls(report, [call])
            yield report


def _round(
    requests: Iterable[Request],
    report: SampleReport,
    model: LanguageModel,
    protocol: Protocol,
    metric: Metric,
    pool: Executor | None,
) -> Iterator[ModelCall]:
    if pool is None:
        for request in requests:
            yield ask(request, report, model, protocol, metric)
        return
    futures = [pool.submit(ask, request, report, model, protocol, metric) for request in requests]
    try:
        for future in as_completed(futures):
            yield future.result()
    finally:
        for future in futures:
            future.cancel()


_START = Span(0, 0)


def _score(report: SampleReport) -> FaithfulnessScore | None:
    plan, passage = report.plan, report.sample.passage
    return faithfulness(passage, report.evidence, report.keywords, plan.seed, plan.literal, report.graded_evidence)


def _graded(region: ModelCall, groups: Sequence[ModelCall]) -> RegionEvidence:
    assert region.region is not None
    whole = region.right_probability or 0.0
    drops = [(call.group, whole - (call.right_probability or 0.0)) for call in groups if call.group]
    lower = [(group, drop) for group, drop in drops if drop > 0]
    return RegionEvidence(region.region, tuple(group for group, _ in lower), tuple(drop for _, drop in lower))
