"""How sure a reading is: the evidence for it, turned into a probability.

The weights follow a logistic regression on utterances of our own over data sets of several domains, as they were understood
when first written, before anything was learned from them.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Evidence:
    """`doubt` of the parts (sum); `weak` or `guessed` operations; `strange`, the share of content words that nothing
    explains; `leftover` features and numbers without a place; `contested`: another operation was named as clearly;
    `unresolved` questions; `rank` of the candidate, 0 for the best; `lost` words that may narrow what was meant."""

    doubt: float
    weak: bool
    guessed: bool
    strange: float
    leftover: int
    contested: bool
    unresolved: int
    rank: int
    lost: int = 0


def confidence_of(evidence: Evidence) -> float:
    """The probability, 0 to 1, that a candidate with this evidence is the reading that was meant."""
    score = 2.2 - 0.8 * evidence.doubt - 1.0 * evidence.weak - 0.7 * evidence.guessed - 1.5 * evidence.strange
    score -= 1.5 * evidence.leftover + 0.2 * evidence.contested + 1.5 * evidence.unresolved
    score -= 0.5 * min(evidence.lost, 6)
    if evidence.rank:
        score = min(score, 0.0) - 2.4 - 0.3 * evidence.rank
    return round(1 / (1 + math.exp(-score)), 3)
