"""One label out of those that several workers gave: the majority, and the most likely one after Dawid and Skene (1979).

Sources: A. P. Dawid and A. M. Skene, Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm, Applied
Statistics 28 (1979), section 3; with priors, as R. J. Passonneau and B. Carpenter, The Benefits of a Model of Annotation,
TACL 2 (2014). That two observers do not determine the model: S. L. Hui and S. D. Walter, Estimating the Error Rates of
Diagnostic Tests, Biometrics 36 (1980).
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
EQUAL = 1e-6  # two labels whose probabilities differ by less are equally likely
FEWEST_ANSWERS = 3  # to an item, of as many independent workers: two leave the model undetermined
# Answers that count beforehand, of each worker for each pair of labels, and items of each label. Without them a worker with few
# answers is estimated never to be wrong, which makes nearly certain what that worker answered.
ANSWERS_BEFORE, RIGHT_BEFORE, ITEMS_BEFORE = 1.0, 2.0, 1.0


@dataclass(frozen=True)
class LikelyLabel:
    """`confidence`: the probability of the label under the model, from 0 to 1."""

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
    answers. Left out are items without an answer, and those of which two labels are equally likely. Empty where the votes
    are too few for the model (`determines_model`).
    """
    items = [key for key, labels in votes.items() if labels]
    names = list(dict.fromkeys(label for key in items for label in votes[key].values()))
    if not determines_model(votes):
        return {}
    result = {}
    for key, shares in zip(items, _estimate(votes, items, names), strict=True):
        best = int(shares.argmax())
        if sum(shares > shares[best] - EQUAL) == 1:
            result[key] = LikelyLabel(names[best], float(shares[best]))
    return result


def determines_model(votes: Votes) -> bool:
    """Whether items with three answers and more have at least as many answers together as the model has free parameters.

    With K labels these are K - 1 shares of labels, and K (K - 1) error rates for each worker.
    """
    workers = {name for labels in votes.values() for name in labels}
    count = len({label for labels in votes.values() for label in labels.values()})
    answers = sum(len(labels) for labels in votes.values() if len(labels) >= FEWEST_ANSWERS)
    return answers > 0 and answers >= (count - 1) * (1 + len(workers) * count)


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
    before_all = np.full((len(names), len(names)), ANSWERS_BEFORE)
    np.fill_diagonal(before_all, RIGHT_BEFORE)
    for _ in range(MOST_ROUNDS):
        # Equations 2.3 and 2.4: errors[w, label, true] is how often worker w gives `label` where `true` is right.
        errors = np.tile(before_all, (len(workers), 1, 1))
        np.add.at(errors, (worker, label), shares[item])
        errors /= errors.sum(axis=1, keepdims=True)
        # Equation 2.5, in logarithms.
        totals = shares.sum(axis=0) + ITEMS_BEFORE
        likely = np.tile(np.log(totals / totals.sum()), (len(items), 1))
        np.add.at(likely, item, np.log(errors[worker, label]))
        before, shares = shares, np.exp(likely - likely.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        if float(np.abs(shares - before).max()) < NEAR_ENOUGH:
            break
    return shares
