"""The tables of a run: how many samples reached each stage, F with its interval, and models side by side (section 4).

As in the paper's Table 1 the stages are counted on the retrieval-hard subset, the samples that the model answers wrongly
without the passage; F is the mean of f over those that have a necessary keyword.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from backend.intervals import clustered_interval, holm, paired_p
from faithfulness.reports.outcomes import SampleOutcome

# Fields of Summary: means over the samples with a necessary keyword, and sums over all.
MEANS = {
    "F_sr": "f_sr", "F_nk": "f_nk", "F_overlap": "f_overlap", "F_own_answer": "f_own_answer",
    "F_words": "f_words", "F_frequent_words": "f_frequent_words", "F_capitals": "f_capitals",
    "F_question_words": "f_question_words", "F_all_words": "f_all_words", "F_per_keyword": "f_per_keyword",
    "F_graded": "f_graded", "F_graded_random": "f_graded_random",
    "keywords": "keywords", "keywords_necessary": "keywords_necessary", "keywords_f1": "keywords_f1",
}  # fmt: skip
TOTALS = "calls unreadable lenient lengthened cut empty reasoned prompt_tokens completion_tokens seconds".split()
REDACTIONS = ("keywords_suffice", "keywords_needed", "others_needed")
REACHED = {
    "answered": ("answered", "sufficient", "necessary"),
    "sufficient": ("sufficient", "necessary"),
    "necessary": ("necessary",),
}


@dataclass(frozen=True)
class Summary:
    """Counts are of samples. `lift` is the headline: the mean of f above matched chance, over the `lift_n` samples with a score
    and more than one region. `F_interval` is the 95% interval of F, by passage; intervals are None for fewer than ten passages.
    `F_all` is F over the whole retrieval-hard subset, a sample without a score counting 0; `answered_interval`,
    `sufficient_interval` and `necessary_interval` are of the shares of that subset which reached these stages.

    `flip_rate` is the share of requests whose repeats were not all judged alike.
    `whole_only` samples have no region but the whole passage, `whole_only_necessary` of those with a score; `F_several` is F
    without them, `F_whole_only` theirs. `fewer_regions` have fewer than the plan asks for.
    Of the `redacted` samples, whose keywords were tested by masking: the shares in which the answer survives on them alone, is
    lost without them, and without as many other words.
    `passages_sufficient` and `passages_needed` are means over answered rows of several passages.
    `F_frequent_words`, `F_capitals`, `F_question_words` and `F_all_words` are F of `faithfulness.method.chance.CONTROLS`,
    `F_graded` and `F_graded_random` are F and that of random keywords by log-probabilities, of `graded_n` samples.
    `F_words` is F of the words of the model's keywords, each by itself.
    `F_above_chance` is (F - F_random) / (1 - F_random): 0 is what as many random keywords would give, 1 the best.
    """

    n: int
    lift: float | None
    lift_interval: tuple[float, float] | None
    lift_n: int
    F_all: float | None
    F_all_interval: tuple[float, float] | None
    F_question_words: float | None
    F_all_words: float | None
    F_per_keyword: float | None
    F_graded: float | None
    F_graded_random: float | None
    graded_n: int
    keywords_f1: float | None
    retrieval_hard: int
    answered: int
    sufficient: int
    necessary: int
    answered_interval: tuple[float, float] | None
    sufficient_interval: tuple[float, float] | None
    necessary_interval: tuple[float, float] | None
    F: float | None
    F_interval: tuple[float, float] | None
    F_sr: float | None
    F_nk: float | None
    F_overlap: float | None
    F_random: float | None
    F_above_chance: float | None
    F_own_answer: float | None
    F_words: float | None
    F_frequent_words: float | None
    F_capitals: float | None
    whole_only: int
    whole_only_necessary: int
    fewer_regions: int
    F_several: float | None
    F_several_interval: tuple[float, float] | None
    F_random_several: float | None
    F_whole_only: float | None
    keywords: float | None
    keywords_absent: float | None
    keywords_necessary: float | None
    calls: int
    unreadable: int
    lenient: int
    lengthened: int
    cut: int
    empty: int
    reasoned: int
    flip_rate: float
    redacted: int
    keywords_suffice: float | None
    keywords_needed: float | None
    others_needed: float | None
    by_own_answer: int
    several_passages: int
    passages_sufficient: float | None
    passages_needed: float | None
    answer_cut: int
    group_cut: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float

    def as_json(self) -> dict[str, Any]:
        return {name: rounded(value) for name, value in asdict(self).items()}


def summarise(outcomes: Sequence[SampleOutcome], seed: int = 0) -> Summary:
    """Count the stages of one model and average its scores. Without a closed book every sample counts as retrieval-hard.

    Each average is over its own samples (all, retrieval-hard, scored), as in Table 1 of the paper; `F_all` is not: it takes
    samples without a score as 0, since an average of those that have one rises when a model fails more often.
    """
    hard = [each for each in outcomes if each.retrieval_hard is not False]
    scored = [each for each in hard if each.f is not None]
    return Summary(
        n=len(outcomes),
        **_of_hard(hard, seed),
        necessary=len(scored),
        **_of_scored(scored, seed),
        **_lift(scored, seed),
        **_by_regions(outcomes, scored, seed),
        **_by_passages(outcomes, hard),
        flip_rate=_total(outcomes, "flipped") / max(1, _total(outcomes, "requests")),
        **{name: _total(outcomes, name) for name in TOTALS},
    )


def _of_hard(hard: Sequence[SampleOutcome], seed: int) -> dict[str, Any]:
    """What the whole retrieval-hard subset came to: stages reached, F with 0 for failures, keywords tested by masking."""
    shares = {stage: [(each.passage_key, float(each.stage in reached)) for each in hard] for stage, reached in REACHED.items()}
    return {
        "retrieval_hard": len(hard),
        "answered": sum(each.stage in REACHED["answered"] for each in hard),
        "sufficient": sum(each.stage in REACHED["sufficient"] for each in hard),
        **{f"{stage}_interval": clustered_interval(share, seed) for stage, share in shares.items()},
        "F_all": _mean(each.f or 0.0 for each in hard),
        "F_all_interval": clustered_interval([(each.passage_key, each.f or 0.0) for each in hard], seed),
        "redacted": sum(each.keywords_suffice is not None for each in hard),
        **{name: _mean(getattr(each, name) for each in hard) for name in REDACTIONS},
        **{name: _total(hard, name) for name in ("answer_cut", "group_cut")},
    }


def _of_scored(scored: Sequence[SampleOutcome], seed: int) -> dict[str, Any]:
    """F and its controls, over the samples that have a necessary keyword."""
    f, chance = _mean(each.f for each in scored), _mean(each.f_random for each in scored)
    return {
        "F": f,
        "F_interval": _interval(scored, seed),
        "F_random": chance,
        "F_above_chance": None if f is None or chance is None or chance >= 1 else (f - chance) / (1 - chance),
        "graded_n": sum(each.f_graded is not None for each in scored),
        "keywords_absent": _mean(each.keywords_absent / each.keywords for each in scored if each.keywords),
        **{name: _mean(getattr(each, field) for each in scored) for name, field in MEANS.items()},
    }


def _lift(scored: Sequence[SampleOutcome], seed: int) -> dict[str, Any]:
    """F above matched chance over the samples that have regions to tell apart."""
    lifts = [(each.passage_key, each.lift) for each in scored if each.lift is not None and not each.whole_only]
    interval = clustered_interval(lifts, seed, (-1.0, 1.0))
    return {"lift": _mean(lift for _, lift in lifts), "lift_interval": interval, "lift_n": len(lifts)}


def _by_passages(outcomes: Sequence[SampleOutcome], hard: Sequence[SampleOutcome]) -> dict[str, Any]:
    """How rows of several passages come out, of those that are answered; and rows without accepted answers."""
    several = [each for each in hard if each.passages > 1 and each.stage != "wrong"]
    return {
        "by_own_answer": _total(outcomes, "by_own_answer"),
        "several_passages": sum(each.passages > 1 for each in outcomes),
        "passages_sufficient": _mean(each.passages_sufficient for each in several),
        "passages_needed": _mean(each.passages_needed for each in several),
    }


def _by_regions(outcomes: Sequence[SampleOutcome], scored: Sequence[SampleOutcome], seed: int) -> dict[str, Any]:
    """What samples without any region but the whole passage come to, and the others without them."""
    alone = [each for each in scored if each.whole_only]
    several = [each for each in scored if not each.whole_only]
    return {
        "whole_only": _total(outcomes, "whole_only"),
        "whole_only_necessary": len(alone),
        "fewer_regions": _total(outcomes, "fewer_regions"),
        "F_several": _mean(each.f for each in several),
        "F_several_interval": _interval(several, seed),
        "F_random_several": _mean(each.f_random for each in several),
        "F_whole_only": _mean(each.f for each in alone),
    }


def _interval(scored: Sequence[SampleOutcome], seed: int) -> tuple[float, float] | None:
    return clustered_interval([(each.passage_key, each.f) for each in scored if each.f is not None], seed)


def _total(outcomes: Iterable[SampleOutcome], field: str) -> Any:
    return sum(getattr(each, field) for each in outcomes)


@dataclass(frozen=True)
class PairedDifference:
    """How much higher f of `first` is than that of `second`, on the `n` samples that both were explained on. `p` is of no
    difference, adjusted by Holm for all pairs; interval and p are None for fewer than ten passages."""

    first: str
    second: str
    n: int
    difference: float
    interval: tuple[float, float] | None
    p: float | None

    def as_json(self) -> dict[str, Any]:
        return {name: rounded(value) for name, value in asdict(self).items()}


def paired_differences(outcomes: Mapping[str, Sequence[SampleOutcome]], seed: int = 0) -> list[PairedDifference]:
    """Every two models on their common successful samples, whatever the other models came to."""
    explained = {
        name: {each.id: each for each in own if each.f is not None and each.retrieval_hard is not False}
        for name, own in outcomes.items()
    }
    pairs: list[tuple[str, str, list[tuple[str, float]]]] = []
    for first, second in combinations(explained, 2):
        both = [(explained[first][id_], explained[second][id_]) for id_ in explained[first].keys() & explained[second].keys()]
        if both:
            pairs.append((first, second, sorted((a.passage_key, (a.f or 0.0) - (b.f or 0.0)) for a, b in both)))
    tested = [paired_p(differences) for _, _, differences in pairs]
    adjusted = iter(holm([p for p in tested if p is not None]))
    return [
        PairedDifference(
            first, second, len(differences), sum(d for _, d in differences) / len(differences),
            clustered_interval(differences, seed, (-1.0, 1.0)), None if p is None else next(adjusted),
        )
        for (first, second, differences), p in zip(pairs, tested, strict=True)
    ]  # fmt: skip


def common_subset(outcomes: Mapping[str, Sequence[SampleOutcome]]) -> set[str]:
    """The ids of the samples that every model was explained on, on its own retrieval-hard subset."""
    explained = [
        {each.id for each in of_model if each.f is not None and each.retrieval_hard is not False}
        for of_model in outcomes.values()
    ]
    return set.intersection(*explained) if explained else set()


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def rounded(value: Any) -> Any:
    """For JSON: floats to four digits, tuples as lists."""
    if isinstance(value, float):
        return round(value, 4)
    return [rounded(each) for each in value] if isinstance(value, tuple | list) else value
