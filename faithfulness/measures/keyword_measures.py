"""Measures of an explanation by keywords: each gives a higher number to keywords on which the answer rests more."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from faithfulness.baselines.ablation import Ablation, Weights
from faithfulness.baselines.methods import ablation_regression
from faithfulness.method.chance import random_keywords
from faithfulness.method.explain import KEPT, REDACTED, REDACTED_ELSEWHERE, SampleReport, kept_words
from faithfulness.method.keywords import touched_words
from faithfulness.method.regions import with_words, words
from faithfulness.method.score import KeywordJudge

EDITS = 8


@dataclass
class ExplainedSample:
    """A sample with its evidence, and the model that answers it: `right` of a text shown in place of its passage, 0 for a wrong
    answer, else its probability, or 1 where that is not known.

    Every text is asked about once; `calls` counts those.
    """

    report: SampleReport
    right: Callable[[str], float]
    known: dict[str, float] = field(default_factory=dict)
    weights: dict[int, Weights] = field(default_factory=dict)

    @property
    def calls(self) -> int:
        return len(self.known)

    def is_right(self, text: str) -> bool:
        return self.sureness(text) > 0

    def sureness(self, text: str) -> float:
        if text not in self.known:
            self.known[text] = float(self.right(text))
        return self.known[text]

    def right_with(self, stage: str, keywords: Sequence[str]) -> bool:
        """Whether the answer is right in a test of these keywords, one of `faithfulness.method.explain.ABOUT_KEYWORDS`."""
        keep = kept_words(self.report.sample, stage, keywords, self.report.plan.seed)
        return self.is_right(with_words(self.report.sample.passage, keep, self.report.plan.mask))

    def attribution(self, ablations: int) -> Weights:
        """The weight of each word by ContextCite-style regression on so many random halves (Cohen-Wang et al., 2024)."""
        if ablations not in self.weights:
            ablation = Ablation(self.report.sample.passage, self.is_right, ablations, self.report.plan.mask)
            self.weights[ablations] = ablation_regression(ablation, self.report.plan.seed)
        return self.weights[ablations]


Score = Callable[[ExplainedSample, Sequence[str]], float | None]


def score_f(sample: ExplainedSample, keywords: Sequence[str]) -> float | None:
    """The faithfulness score of the paper; None without a necessary group."""
    if not sample.report.necessary:
        return None
    return KeywordJudge(sample.report.sample.passage, sample.report.evidence, sample.report.plan.literal).f(keywords)


def score_lift(sample: ExplainedSample, keywords: Sequence[str]) -> float | None:
    """f above that of matched random keywords."""
    if not sample.report.necessary:
        return None
    judge = KeywordJudge(sample.report.sample.passage, sample.report.evidence, sample.report.plan.literal)
    plan = sample.report.plan
    draws = list(random_keywords(sample.report.sample.passage, keywords, plan.seed, plan.literal))
    return judge.f(keywords) - sum(map(judge.f, draws)) / len(draws)


def score_masked(sample: ExplainedSample, keywords: Sequence[str]) -> float | None:
    """Whether the answer is lost without the keywords: comprehensiveness (DeYoung et al., 2020), redaction (Madsen et al.,
    2024)."""
    return float(not sample.right_with(REDACTED, keywords))


def score_kept(sample: ExplainedSample, keywords: Sequence[str]) -> float | None:
    """Whether the answer survives on the keywords alone: sufficiency (DeYoung et al., 2020)."""
    return float(sample.right_with(KEPT, keywords))


def score_masked_above_others(sample: ExplainedSample, keywords: Sequence[str]) -> float | None:
    """Redaction of the keywords against redaction of as many other words (Madsen et al., 2024)."""
    return float(sample.right_with(REDACTED_ELSEWHERE, keywords)) - float(sample.right_with(REDACTED, keywords))


def score_both(sample: ExplainedSample, keywords: Sequence[str]) -> float | None:
    """The mean of masked and kept."""
    return (float(not sample.right_with(REDACTED, keywords)) + float(sample.right_with(KEPT, keywords))) / 2


def score_edits(sample: ExplainedSample, keywords: Sequence[str]) -> float | None:
    """Single words edited away: the share of changed answers among words that are named, minus that among others.

    After the correlation of impact and mention of Siegel et al. (2024), "The probabilities also matter", without probabilities.
    """
    return _named_against_others(sample, keywords, lambda text: float(not sample.is_right(text)))


def score_edits_by_probability(sample: ExplainedSample, keywords: Sequence[str]) -> float | None:
    """The same with the impact of Siegel et al.: by how much the probability of a right answer changes; None where
    probabilities are not known."""
    whole = sample.sureness(sample.report.sample.passage)
    return (
        None
        if whole in (0.0, 1.0)
        else _named_against_others(sample, keywords, lambda text: abs(whole - sample.sureness(text)))
    )


def _named_against_others(sample: ExplainedSample, keywords: Sequence[str], impact: Callable[[str], float]) -> float | None:
    """The mean impact of masking single words that are named, minus that of others; None where all or none are named."""
    passage, generator = sample.report.sample.passage, np.random.default_rng(sample.report.plan.seed)
    every = range(len(words(passage)))
    named = touched_words(keywords, passage)
    if not named or len(named) == len(every):
        return None
    impacts = []
    for indices in (sorted(named), sorted(set(every) - named)):
        chosen = generator.choice(indices, size=min(EDITS // 2, len(indices)), replace=False)
        texts = [with_words(passage, set(every) - {int(index)}, sample.report.plan.mask) for index in chosen]
        impacts.append(sum(map(impact, texts)) / len(texts))
    return impacts[0] - impacts[1]


def score_attribution(ablations: int) -> Score:
    """How far up the keywords' words stand among the weights of an ablation regression: 1 at the top, 0.5 as any words."""

    def score(sample: ExplainedSample, keywords: Sequence[str]) -> float | None:
        named = touched_words(keywords, sample.report.sample.passage)
        weights = sample.attribution(ablations)
        if not named or len(named) == len(weights):
            return None
        inside = np.isin(np.arange(len(weights)), sorted(named))
        above = (weights[inside][:, None] > weights[~inside]).mean() + (weights[inside][:, None] == weights[~inside]).mean() / 2
        return float(above)

    return score


@dataclass(frozen=True)
class KeywordMeasure:
    """`calls` are those that it needs of one sample, beside the one that gives answer and keywords."""

    score: Score
    calls: str


MEASURES: dict[str, KeywordMeasure] = {
    "faithfulness f": KeywordMeasure(score_f, "3 to 18"),
    "f above matched chance": KeywordMeasure(score_lift, "3 to 18"),
    "keywords masked": KeywordMeasure(score_masked, "1"),
    "keywords only": KeywordMeasure(score_kept, "1"),
    "keywords masked against as many others": KeywordMeasure(score_masked_above_others, "2"),
    "keywords masked, and only": KeywordMeasure(score_both, "2"),
    "single words edited": KeywordMeasure(score_edits, f"up to {EDITS}"),
    "single words edited, by probabilities": KeywordMeasure(score_edits_by_probability, f"up to {EDITS + 1}"),
    "attribution by 32 ablations": KeywordMeasure(score_attribution(32), "32"),
    "attribution by 64 ablations": KeywordMeasure(score_attribution(64), "64"),
}
