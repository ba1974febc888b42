"""How good attributions by ablation regression are by themselves (Cohen-Wang et al., 2024, "ContextCite", section 4).

LDS, the linear datamodeling score, is the rank correlation of what the weights predict for new random halves of the words with
what the model answers there; top-k drop is how often the answer is lost without the k words of the highest weights.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backend.intervals import mean_of
from faithfulness.measures.diagnosticity import ExplanationPair
from faithfulness.measures.keyword_measures import ExplainedSample
from faithfulness.method.regions import with_words, words

BUDGETS = (32, 64)
NEW_HALVES = 32
TOP = 5


@dataclass(frozen=True)
class AttributionQuality:
    """Means over `n` samples; `lds` is over those (`lds_n`) whose answers to new halves differ, since else there is no rank."""

    model: str
    ablations: int
    n: int
    lds: float | None
    lds_n: int
    top_drop: float | None
    random_drop: float | None


def attribution_quality(model: str, pairs: Sequence[ExplanationPair], budget: int) -> AttributionQuality:
    """Explain each sample by so many ablations, and test that on NEW_HALVES others. Raises LanguageModelError."""
    correlations, drops, by_chance = [], [], []
    for pair in pairs:
        sample = ExplainedSample(pair.report, pair.right)
        weights = sample.attribution(budget)
        generator = np.random.default_rng(pair.report.plan.seed + 1)
        correlation = _lds(sample, weights, generator)
        if correlation is not None:
            correlations.append(correlation)
        top = np.argsort(-weights, kind="stable")[:TOP]
        others = generator.choice(len(weights), size=min(TOP, len(weights)), replace=False)
        drops.append(_lost(sample, top))
        by_chance.append(_lost(sample, others))
    return AttributionQuality(
        model, budget, len(pairs), mean_of(correlations), len(correlations), mean_of(drops), mean_of(by_chance)
    )


def quality_table(results: Sequence[AttributionQuality]) -> str:
    """As Markdown, a model and budget a row."""
    lines = [["attribution of", "ablations", "samples", "LDS", f"lost without the top {TOP}", f"without {TOP} at random"]]
    lines.append(["---", *["---:"] * 5])
    for each in results:
        lds = "–" if each.lds is None else f"{each.lds:.2f} ({each.lds_n})"
        drops = ("–" if value is None else f"{value:.2f}" for value in (each.top_drop, each.random_drop))
        lines.append([each.model, str(each.ablations), str(each.n), lds, *drops])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _lds(sample: ExplainedSample, weights: "np.ndarray", generator: np.random.Generator) -> float | None:
    from scipy.stats import spearmanr

    keeps = generator.random((NEW_HALVES, len(weights))) < 0.5
    passage, mask = sample.report.sample.passage, sample.report.plan.mask
    actual = [sample.is_right(with_words(passage, set(np.flatnonzero(keep).tolist()), mask)) for keep in keeps]
    predicted = keeps @ weights
    if len(set(actual)) < 2:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of weights that are all the same, which predict nothing
        correlation = float(spearmanr(predicted, actual).statistic)
    return 0.0 if math.isnan(correlation) else correlation


def _lost(sample: ExplainedSample, indices: "np.ndarray") -> float:
    passage = sample.report.sample.passage
    keep = set(range(len(words(passage)))) - set(indices.tolist())
    return float(not sample.is_right(with_words(passage, keep, sample.report.plan.mask)))
