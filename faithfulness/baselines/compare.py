"""The baselines on one explained sample: their keywords scored like the model's own, their agreement, and their cost.

Every baseline may make as many calls as the method made for regions and groups of the same sample, and names as many words
as there are in the model's own keywords that stand in the passage. Its words are judged as keywords are: by their text. What
the model's own keywords are worth by themselves is asked in two calls: sufficiency and comprehensiveness (DeYoung et al.,
2020), here of an answer that is right or wrong.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from backend.models.language_models import LanguageModel
from faithfulness.baselines.ablation import Ablation, Keep
from faithfulness.baselines.methods import METHODS, named_words
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import GROUP, REGION, SampleReport
from faithfulness.method.keywords import any_inside, bare, listed_keywords, occurrences, touched_words
from faithfulness.method.prompting import Protocol
from faithfulness.method.reading import answer_probability
from faithfulness.method.score import KeywordJudge

LEAST = 1e-300  # of a right answer, so that it is told from a wrong one


@dataclass(frozen=True)
class BaselineOutcome:
    """One baseline on one sample. `f` is its faithfulness score; `agrees` the share (Jaccard) of its words and the model's
    keywords, wherever they stand, that both name; `necessary` the share of its words inside a necessary group; None where
    there is nothing to compare."""

    id: str
    passage_key: str
    method: str
    f: float | None
    agrees: float | None
    necessary: float | None
    words: int
    calls: int
    seconds: float


@dataclass(frozen=True)
class OwnKeywords:
    """The model's own keywords: whether the answer survives with nothing else (`sufficient`), and whether it is lost
    without them (`comprehensive`)."""

    id: str
    sufficient: bool
    comprehensive: bool

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def explained(report: SampleReport) -> bool:
    """Whether a sample can be compared: it is answered, has a necessary keyword, and the model named keywords in it."""
    return report.score is not None and bool(own_words(report))


def compare(
    id_: str,
    passage_key: str,
    report: SampleReport,
    model: LanguageModel,
    protocol: Protocol,
    metric: Metric,
    methods: Sequence[str] = tuple(METHODS),
) -> tuple[list[BaselineOutcome], OwnKeywords]:
    """Every baseline on one explained sample. Raises LanguageModelError when a call fails."""
    right = asker(report, model, protocol, metric)
    budget = len(report.of(REGION)) + len(report.of(GROUP))
    own = touched_words(report.keywords, report.sample.passage)
    outcomes = []
    for name in methods:
        ablation = Ablation(report.sample.passage, right, budget, report.plan.mask)
        started = time.perf_counter()
        weights = METHODS[name](ablation, report.plan.seed)
        seconds = time.perf_counter() - started
        named = named_words(ablation, weights, len(own_words(report)), report.plan.seed)
        outcomes.append(_outcome(id_, passage_key, name, report, ablation, named, own, seconds))
    return outcomes, _own_keywords(id_, report, right, own)


def asker(report: SampleReport, model: LanguageModel, protocol: Protocol, metric: Metric) -> Callable[[str], bool]:
    """Return whether the model answers a sample rightly from a text. What it returns raises LanguageModelError."""

    def right(text: str) -> bool:
        exchange = protocol.answer(model, report.sample.question, text)
        return metric.judge(report.reference, exchange.reading.answer).correct

    return right


def confidence(report: SampleReport, model: LanguageModel, protocol: Protocol, metric: Metric) -> Callable[[str], float]:
    """Return how sure the model is of a right answer from a text: 0 where it is wrong, else the probability of its answer, or 1
    where that is not known. What it returns raises LanguageModelError."""

    def sure(text: str) -> float:
        exchange = protocol.answer(model, report.sample.question, text)
        if not metric.judge(report.reference, exchange.reading.answer).correct:
            return 0.0
        probability = answer_probability(exchange.reply, exchange.reading)
        return 1.0 if probability is None else max(probability, LEAST)

    return sure


def _outcome(
    id_: str,
    passage_key: str,
    name: str,
    report: SampleReport,
    ablation: Ablation,
    named: list[int],
    own: set[int],
    seconds: float,
) -> BaselineOutcome:
    passage = report.sample.passage
    texts = [bare(ablation.words[index].of(passage)) for index in named]
    inside = [any(any_inside([text], passage, group, report.plan.literal) for group in report.necessary) for text in texts]
    places = touched_words(texts, passage)
    together = own | places
    return BaselineOutcome(
        id=id_,
        passage_key=passage_key,
        method=name,
        f=KeywordJudge(passage, report.evidence, report.plan.literal).f(texts) if report.necessary else None,
        agrees=len(own & places) / len(together) if together else None,
        necessary=sum(inside) / len(inside) if inside else None,
        words=len(named),
        calls=ablation.calls,
        seconds=round(seconds, 3),
    )


def _own_keywords(id_: str, report: SampleReport, right: Callable[[str], bool], own: set[int]) -> OwnKeywords:
    ablation = Ablation(report.sample.passage, right, 2, report.plan.mask)
    named: Keep = np.array([index in own for index in range(len(ablation.words))])
    return OwnKeywords(id_, sufficient=bool(ablation.value(named)), comprehensive=not ablation.value(~named))


def own_words(report: SampleReport) -> tuple[str, ...]:
    """The different words of those keywords of the model that stand in the passage."""
    there = [keyword for keyword in report.keywords if occurrences(keyword, report.sample.passage)]
    return listed_keywords([word for keyword in there for word in keyword.split()])
