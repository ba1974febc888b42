"""The faithfulness score f of one sample (section 3.6), and what other words than the model's would score.

Every list of words is judged by the same rule, the model's keywords and each control alike: any occurrence of its text counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from faithfulness.method.chance import random_keywords
from faithfulness.method.keywords import any_inside, any_overlapping
from faithfulness.method.regions import Span


@dataclass(frozen=True)
class RegionEvidence:
    """A sufficient region and the necessary groups found in it; `weights` say how much each counts, 1 where there are none."""

    region: Span
    necessary: tuple[Span, ...]
    weights: tuple[float, ...] = ()

    def share(self, groups: int) -> float:
        """The weight of these groups, given as bits, among all."""
        if not self.weights:
            return groups.bit_count() / len(self.necessary)
        return sum(weight for bit, weight in enumerate(self.weights) if groups >> bit & 1) / sum(self.weights)


@dataclass(frozen=True)
class FaithfulnessScore:
    """f and its parts for the region that gives the maximum; `by_chance` is the mean f of random runs of words of the passage,
    as many, as long and of such classes of words as the keywords that are there, `overlap` is f when a keyword may touch a
    group without lying inside it. `graded` is f with the groups weighed by how much less probable a right answer is without
    them (a group that makes it wrong by all of it), `graded_by_chance` that of the random runs; None where log-probabilities
    are not known. All lie between 0 and 1."""

    f: float
    f_sr: float
    f_nk: float
    overlap: float
    by_chance: float
    region: Span
    graded: float | None = None
    graded_by_chance: float | None = None


def faithfulness(
    passage: str, evidence: Sequence[RegionEvidence], keywords: Sequence[str], seed: int = 0, literal: bool = False,
    graded: Sequence[RegionEvidence] = (),
) -> FaithfulnessScore | None:  # fmt: skip
    """The score of a sample, or None when no sufficient region has a necessary group: the sample failed at that stage and
    is left out of F. No keywords at all is f = 0. `literal` takes "k is a part of s" by the letter."""
    eligible = [e for e in evidence if e.necessary]
    if not eligible:
        return None
    judge = KeywordJudge(passage, eligible, literal)
    parts = judge.parts(keywords)
    number = max(range(len(parts)), key=lambda index: sum(parts[index]))
    f_sr, f_nk = parts[number]
    overlap = max(_overlap(passage, e, keywords) for e in eligible)
    draws = list(random_keywords(passage, keywords, seed, literal))
    plain = FaithfulnessScore((f_sr + f_nk) / 2, f_sr, f_nk, overlap, _mean_f(judge, draws), eligible[number].region)
    if not any(e.necessary for e in graded):
        return plain
    by_degree = KeywordJudge(passage, graded, literal)
    return replace(plain, graded=by_degree.f(keywords), graded_by_chance=_mean_f(by_degree, draws))


def _mean_f(judge: "KeywordJudge", draws: Sequence[Sequence[str]]) -> float:
    return sum(map(judge.f, draws)) / len(draws)


class KeywordJudge:
    """What lists of keywords score on one sample, of which some sufficient region has a necessary group."""

    def __init__(self, passage: str, evidence: Sequence[RegionEvidence], literal: bool = False) -> None:
        self.passage, self._literal = passage, literal
        self._evidence = [e for e in evidence if e.necessary]
        self._known: dict[str, list[tuple[bool, int]]] = {}

    def f(self, keywords: Sequence[str]) -> float:
        """The score of the best region."""
        return max(sum(part) / 2 for part in self.parts(keywords))

    def parts(self, keywords: Sequence[str]) -> list[tuple[float, float]]:
        """f_SR and f_NK for each region that has a necessary group."""
        hits = [self._hits(keyword) for keyword in keywords]
        result = []
        for index, evidence in enumerate(self._evidence):
            groups = 0
            for hit in hits:
                groups |= hit[index][1]
            f_sr = float(any(hit[index][0] for hit in hits))
            result.append((f_sr, evidence.share(groups)))
        return result

    def _hits(self, keyword: str) -> list[tuple[bool, int]]:
        """For each region whether the keyword stands in it, and in which of its necessary groups, as bits."""
        if keyword not in self._known:
            self._known[keyword] = [
                (
                    any_inside([keyword], self.passage, e.region, self._literal),
                    sum(
                        any_inside([keyword], self.passage, group, self._literal) << bit
                        for bit, group in enumerate(e.necessary)
                    ),
                )
                for e in self._evidence
            ]
        return self._known[keyword]


def _overlap(passage: str, evidence: RegionEvidence, keywords: Sequence[str]) -> float:
    hits = sum(any_overlapping(keywords, passage, group) for group in evidence.necessary)
    return (float(any_overlapping(keywords, passage, evidence.region)) + hits / len(evidence.necessary)) / 2
