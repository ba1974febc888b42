"""The baselines: each gives every word of a passage a weight, the higher the more the answer rests on it.

The value that they explain is 0 or 1, since a black box tells its answer and no probabilities.
"""

from collections.abc import Callable
from contextlib import suppress

import numpy as np

from faithfulness.baselines.ablation import Ablation, BudgetSpent, Keep, Weights
from faithfulness.method.keywords import bare
from faithfulness.method.regions import equal_parts, sentence_ends

Method = Callable[[Ablation, int], Weights]
PENALTY = 0.01


def leave_one_word_out(ablation: Ablation, seed: int) -> Weights:
    """The loss when one word is masked. Where the budget is smaller than the passage, runs of equal numbers of words."""
    sizes = equal_parts(len(ablation.words), min(ablation.left, len(ablation.words)))
    return _leave_out(ablation, sizes)


def leave_one_sentence_out(ablation: Ablation, seed: int) -> Weights:
    """The loss when one sentence is masked; the last sentences are left unweighed if the budget ends before them."""
    ends = sentence_ends(ablation.passage)
    return _leave_out(ablation, [end - start for start, end in zip([0, *ends[:-1]], ends, strict=True)])


def lime(ablation: Ablation, seed: int) -> Weights:
    """LIME over words through its library (Ribeiro et al., 2016), with as many samples as the budget allows."""
    from lime.lime_base import LimeBase

    drawn = _lime_keeps(ablation, seed)
    values = _values(ablation, drawn)
    drawn = np.vstack([np.ones(len(ablation.words), dtype=bool), drawn[: len(values)]])
    labels = np.concatenate([[1.0], values])
    # As the library does for text: cosine distance to the whole times 100, exponential kernel of width 25.
    kept = drawn.mean(axis=1)
    distances = (1 - np.sqrt(kept)) * 100
    base = LimeBase(lambda d: np.sqrt(np.exp(-(d**2) / 25**2)), random_state=np.random.RandomState(seed))
    _, weights, _, _ = base.explain_instance_with_data(
        drawn.astype(float), np.column_stack([1 - labels, labels]), distances, 1, len(ablation.words), "none"
    )
    return _placed(dict(weights), len(ablation.words))


def shap(ablation: Ablation, seed: int) -> Weights:
    """Partition SHAP over words through the `shap` library: neighbouring words form the hierarchy (Owen values).

    Its own budget is set so that it stays within ours; a text that would exceed it counts as wrong.
    """
    import shap as library
    from scipy.cluster.hierarchy import linkage

    count = len(ablation.words)
    if count < 2:
        return np.ones(count)
    places = np.arange(count, dtype=float)[:, None]
    masker = library.maskers.Partition(np.zeros((1, count)), clustering=linkage(places, "average"))

    def value(keeps: object) -> Weights:
        result = []
        for keep in np.asarray(keeps) > 0:
            try:
                result.append(ablation.value(keep))
            except BudgetSpent:
                result.append(0.0)
        return np.asarray(result)

    explainer = library.explainers.Partition(value, masker)
    explained = explainer(np.ones((1, count)), max_evals=max(4, ablation.left), silent=True)
    return np.asarray(explained.values[0], dtype=float)


def ablation_regression(ablation: Ablation, seed: int) -> Weights:
    """A sparse linear model of what masking words does, from random halves (Cohen-Wang et al., 2024, ContextCite)."""
    from sklearn.linear_model import Lasso

    drawn = _random_keeps(ablation, seed)
    values = _values(ablation, drawn)
    if not len(values):
        return np.zeros(len(ablation.words))
    fitted = Lasso(alpha=PENALTY).fit(drawn[: len(values)].astype(float), values)
    return np.asarray(fitted.coef_, dtype=float)


METHODS: dict[str, Method] = {
    "leave one word out": leave_one_word_out,
    "leave one sentence out": leave_one_sentence_out,
    "LIME": lime,
    "SHAP": shap,
    "ablation regression": ablation_regression,
}


def named_words(ablation: Ablation, weights: Weights, count: int, seed: int) -> list[int]:
    """The indices of the words that a baseline names: `count` different ones of the highest weight, or all there are.

    It names as many as the model does even where it has found nothing: equal weights are decided by a draw, so that a
    baseline that knows nothing comes to what chance comes to.
    """
    draw = np.random.default_rng(seed).random(len(weights))
    named: dict[str, int] = {}
    for index in sorted(range(len(weights)), key=lambda index: (-weights[index], draw[index])):
        text = bare(ablation.words[index].of(ablation.passage)).casefold()
        if text and len(named) < count:
            named.setdefault(text, index)
    return sorted(named.values())


def _leave_out(ablation: Ablation, sizes: list[int]) -> Weights:
    weights, at = np.zeros(len(ablation.words)), 0
    with suppress(BudgetSpent):
        for size in sizes:
            keep = np.ones(len(ablation.words), dtype=bool)
            keep[at : at + size] = False
            weights[at : at + size] = 1.0 - ablation.value(keep)
            at += size
    return weights


def _random_keeps(ablation: Ablation, seed: int) -> Keep:
    """As many random halves of the words as calls are left, (calls, words)."""
    generator = np.random.default_rng(seed)
    return generator.random((max(0, ablation.left), len(ablation.words))) < 0.5


def _lime_keeps(ablation: Ablation, seed: int) -> Keep:
    """Samples as the library draws them for text: first how many words go, evenly from 1 to all, then which."""
    generator, count = np.random.default_rng(seed), len(ablation.words)
    keeps = np.ones((max(0, ablation.left), count), dtype=bool)
    for keep in keeps:
        keep[generator.choice(count, size=generator.integers(1, count + 1), replace=False)] = False
    return keeps


def _values(ablation: Ablation, keeps: Keep) -> Weights:
    result: list[float] = []
    with suppress(BudgetSpent):
        result.extend(ablation.value(keep) for keep in keeps)
    return np.asarray(result)


def _placed(weights: dict[int, float], count: int) -> Weights:
    return np.array([weights.get(index, 0.0) for index in range(count)])
