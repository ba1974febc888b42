"""One label out of those that several workers gave: the majority, and the most likely one after Dawid and Skene (1979).

Source: A. P. Dawid and A. M. Skene, Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm, Applied
Statistics 28 (1979), section 3.
"""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy import ndarray

    Shares = ndarray[Any, Any]

Votes = Mapping[str, Mapping[str, Hashable]]  # item -> worker -> label
MOST_ROUNDS = 1000
NEAR_ENOUGH = 1e-9  # change of a probability in one round
SMALLEST = 1e-10  # in place of a probability of 0, whose logarithm there is not


@dataclass(frozen=True)
class LikelyLabel:
    """`confidence`: the probability of the label under the model, which few answers make too high."""

    label: Hashable
    confidence: float


def majority(labels: Mapping[str, Hashable]) -> Hashable | None:
    """The label that most workers gave; None where two have as many."""
    ranked = Counter(labels.values()).most_common(2)
    return ranked[0][0] if ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1]) else None


def equal_pairs(labels: Mapping[str, Hashable]) -> float | None:
    """The share of pairs of workers who gave the same label; None where there is no pair."""
    pairs = [one == other for one, other in combinations(labels.values(), 2)]
    return sum(pairs) / len(pairs) if pairs else None


def dawid_skene(votes: Votes) -> dict[str, LikelyLabel]:
    """The most likely true label of each item, together with how often each worker takes one label for another.

    Begins with each item's shares of votes, and takes turns (EM) until no probability changes. An item may have any number of
    answers; one without an answer is left out.
    """
    items = [key for key, labels in votes.items() if labels]
    names = list(dict.fromkeys(label for key in items for label in votes[key].values()))
    if not names:
        return {}
    shares = _estimate(votes, items, names)
    best = shares.argmax(axis=1)
    return {key: LikelyLabel(names[n], float(shares[row, n])) for row, (key, n) in enumerate(zip(items, best, strict=True))}


def _estimate(votes: Votes, items: list[str], names: list[Hashable]) -> "Shares":
    """Items x labels: the probability that each label is the true one."""
    import numpy as np

    workers = {name: n for n, name in enumerate(dict.fromkeys(worker for key in items for worker in votes[key]))}
    labels = {label: n for n, label in enumerate(names)}
    rows = [(row, workers[who], labels[label]) for row, key in enumerate(items) for who, label in votes[key].items()]
    item, worker, label = np.array(rows).T
    shares = np.zeros((len(items), len(names)))
    np.add.at(shares, (item, label), 1.0)
    shares /= shares.sum(axis=1, keepdims=True)
    for _ in range(MOST_ROUNDS):
        # Equations 2.3 and 2.4: errors[w, label, true] is how often worker w gives `label` where `true` is right.
        errors = np.zeros((len(workers), len(names), len(names)))
        np.add.at(errors, (worker, label), shares[item])
        errors /= np.maximum(errors.sum(axis=1, keepdims=True), SMALLEST)
        # Equation 2.5, in logarithms.
        likely = np.tile(np.log(np.maximum(shares.mean(axis=0), SMALLEST)), (len(items), 1))
        np.add.at(likely, item, np.log(np.maximum(errors[worker, label], SMALLEST)))
        before, shares = shares, np.exp(likely - likely.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        if float(np.abs(shares - before).max()) < NEAR_ENOUGH:
            break
    return shares
