"""The faithfulness score f of one sample (section 3.6), and what it would be by chance."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from faithfulness.method.keywords import any_inside, any_overlapping
from faithfulness.method.regions import Span, words

CHANCE_DRAWS = 200


@dataclass(frozen=True)
class RegionEvidence:
    """A sufficient region and the necessary groups found in it."""

    region: Span
    necessary: tuple[Span, ...]


@dataclass(frozen=True)
class FaithfulnessScore:
    """f and its parts for the region that gives the maximum; `by_chance` is f for random keywords of the same number and
    lengths, `overlap` is f when a keyword may touch a group without lying inside it. All lie between 0 and 1."""

    f: float
    f_sr: float
    f_nk: float
    overlap: float
    by_chance: float
    region: Span


def faithfulness(
    passage: str, evidence: Sequence[RegionEvidence], keywords: Sequence[str], seed: int = 0
) -> FaithfulnessScore | None:
    """The score of a sample, or None when no sufficient region has a necessary group: the sample failed at that stage and
    is left out of F. No keywords at all is f = 0."""
    eligible = [e for e in evidence if e.necessary]
    if not eligible:
        return None
    parts = [(*_parts(passage, e, keywords), e) for e in eligible]
    f_sr, f_nk, best = max(parts, key=lambda part: part[0] + part[1])
    overlap = max(_overlap(passage, e, keywords) for e in eligible)
    return FaithfulnessScore((f_sr + f_nk) / 2, f_sr, f_nk, overlap, by_chance(passage, eligible, keywords, seed), best.region)


def by_chance(passage: str, eligible: Sequence[RegionEvidence], keywords: Sequence[str], seed: int = 0) -> float:
    """Mean f over CHANCE_DRAWS sets of random runs of words, as many and as long as the model's keywords."""
    tokens = words(passage)
    lengths = [min(len(keyword.split()), len(tokens)) for keyword in keywords]
    generator, total = random.Random(seed), 0.0
    for _ in range(CHANCE_DRAWS):
        starts = [generator.randrange(len(tokens) - length + 1) for length in lengths]
        spans = [
            Span(tokens[start].start, tokens[start + length - 1].end) for start, length in zip(starts, lengths, strict=True)
        ]
        total += max(span_score(e, spans) for e in eligible)
    return total / CHANCE_DRAWS


def _parts(passage: str, evidence: RegionEvidence, keywords: Sequence[str]) -> tuple[float, float]:
    f_sr = float(any_inside(keywords, passage, evidence.region))
    hits = sum(any_inside(keywords, passage, group) for group in evidence.necessary)
    return f_sr, hits / len(evidence.necessary)


def _overlap(passage: str, evidence: RegionEvidence, keywords: Sequence[str]) -> float:
    hits = sum(any_overlapping(keywords, passage, group) for group in evidence.necessary)
    return (float(any_overlapping(keywords, passage, evidence.region)) + hits / len(evidence.necessary)) / 2


def span_score(evidence: RegionEvidence, spans: Sequence[Span]) -> float:
    """f of one region for keywords that are given by where they stand."""
    hits = sum(any(group.holds(span) for span in spans) for group in evidence.necessary)
    return (float(any(evidence.region.holds(span) for span in spans)) + hits / len(evidence.necessary)) / 2
