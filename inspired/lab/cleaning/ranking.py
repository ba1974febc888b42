"""Which pairs a person should look at first (appendix A.5, equations 1 to 3, and precision at K)."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from math import inf, isfinite

from rapidfuzz.distance import Levenshtein

from inspired.lab.cleaning.cycle import CycleReading
from inspired.lab.cleaning.pairs import QuestionPair

LIKELIHOOD, EDITS, BLEND = "likelihood", "edit distance", "blend"


@dataclass(frozen=True)
class Scored:
    """`difference` is D of equation 3, in nats; `edits` counts characters between the template and the one read."""

    pair: QuestionPair
    reading: CycleReading
    difference: float
    edits: int


@dataclass(frozen=True)
class Drawn:
    """A pair in the order of review; `by` says which of the two rankings it was drawn from, ranks count from 1."""

    scored: Scored
    by: str
    likelihood_rank: int
    edits_rank: int


@dataclass(frozen=True)
class Recovery:
    """How many of the `errors` in `labelled` pairs are among the first `errors` of each ranking.

    A random order has `errors / labelled` of them there.
    """

    labelled: int
    errors: int
    hits: dict[str, int]

    @property
    def chance(self) -> float:
        return self.errors / self.labelled


def score(pairs: Sequence[QuestionPair], readings: Sequence[CycleReading]) -> tuple[Scored, ...]:
    """Each pair with D and the edit distance. A template that the model takes for impossible has D infinite."""
    return tuple(
        Scored(pair, reading, _difference(reading), Levenshtein.distance(reading.template.lower(), pair.target.lower()))
        for pair, reading in zip(pairs, readings, strict=True)
    )


def _difference(reading: CycleReading) -> float:
    difference = abs(reading.score - reading.stated_score)
    return difference if isfinite(difference) else inf


def rankings(scored: Sequence[Scored]) -> dict[str, tuple[Scored, ...]]:
    """Highest first by each of the two scores (the other one decides between equals), and both in turn."""
    by_likelihood = tuple(sorted(scored, key=lambda each: (-each.difference, -each.edits)))
    by_edits = tuple(sorted(scored, key=lambda each: (-each.edits, -each.difference)))
    blend = tuple(each for each, _ in _in_turn(by_likelihood, by_edits))
    return {LIKELIHOOD: by_likelihood, EDITS: by_edits, BLEND: blend}


def draw(scored: Sequence[Scored], top: int) -> tuple[Drawn, ...]:
    """The first `top` pairs for review, drawn from both rankings equally."""
    ranked = rankings(scored)
    places = {name: {id(each): rank for rank, each in enumerate(listed, 1)} for name, listed in ranked.items()}
    return tuple(
        Drawn(each, by, places[LIKELIHOOD][id(each)], places[EDITS][id(each)])
        for each, by in _in_turn(ranked[LIKELIHOOD], ranked[EDITS])[:top]
    )


def recovery(scored: Sequence[Scored], is_error: Callable[[QuestionPair], bool | None]) -> Recovery:
    """Precision at K with K the number of errors; pairs for which `is_error` says None do not count."""
    labelled = [each for each in scored if is_error(each.pair) is not None]
    errors: Collection[int] = {id(each) for each in labelled if is_error(each.pair)}
    ranked = rankings(labelled)
    hits = {name: sum(id(each) in errors for each in listed[: len(errors)]) for name, listed in ranked.items()}
    return Recovery(len(labelled), len(errors), hits)


def _in_turn(by_likelihood: Sequence[Scored], by_edits: Sequence[Scored]) -> list[tuple[Scored, str]]:
    """One from each ranking in turn, the first in it that was not yet drawn."""
    lists = {LIKELIHOOD: iter(by_likelihood), EDITS: iter(by_edits)}
    drawn: set[int] = set()
    result: list[tuple[Scored, str]] = []
    while len(result) < len(by_likelihood):
        by = EDITS if len(result) % 2 else LIKELIHOOD
        each = next(each for each in lists[by] if id(each) not in drawn)
        drawn.add(id(each))
        result.append((each, by))
    return result
