"""What a report says of differences, shares and all rows, against SciPy on planted scores."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp, ttest_rel

from faithfulness.reports.outcomes import SampleOutcome
from faithfulness.reports.summary import paired_differences, summarise
from faithfulness.reports.table_rows import ROWS
from faithfulness.reports.tables import difference_sentence

N = 14
SCORES = {
    name: np.round(np.random.default_rng(seed).beta(a, 2, N), 3)
    for seed, (name, a) in enumerate({"a": 6, "b": 2, "c": 3}.items())
}


def outcome(number: int, f: float | None, stage: str = "necessary") -> SampleOutcome:
    lift = None if f is None else f - 0.25
    return SampleOutcome(str(number), f"passage {number}", True, stage, f=f, lift=lift, f_random=None if f is None else 0.25)


def scored(name: str, count: int = N) -> list[SampleOutcome]:
    return [outcome(number, float(f)) for number, f in enumerate(SCORES[name][:count])]


def test_every_two_models_are_compared_in_pairs_and_adjusted_by_holm() -> None:
    differences = paired_differences({name: scored(name) for name in SCORES})
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    assert [(each.first, each.second) for each in differences] == pairs
    tests = [ttest_rel(SCORES[first], SCORES[second]) for first, second in pairs]
    order, largest, adjusted = np.argsort([each.pvalue for each in tests]), 0.0, {}
    for step, index in enumerate(order):
        largest = adjusted[index] = max(largest, min(1.0, (3 - step) * tests[index].pvalue))
    for index, (each, wanted) in enumerate(zip(differences, tests, strict=True)):
        assert each.p == pytest.approx(adjusted[index])
        bounds = wanted.confidence_interval(0.95)
        assert each.interval == pytest.approx((max(-1, bounds.low), min(1, bounds.high)))
        assert "adjusted by Holm" in difference_sentence(each)


def test_only_what_both_explained_is_compared_and_fewer_than_ten_have_no_test() -> None:
    few = [*scored("b", 9), *(outcome(number, None, "answered") for number in range(9, N))]
    (each,) = paired_differences({"a": scored("a"), "b": few})
    assert (each.n, each.p, each.interval) == (9, None, None)
    assert each.difference == pytest.approx(float(np.mean(SCORES["a"][:9] - SCORES["b"][:9])))
    assert "9 common samples" in difference_sentence(each)
    assert "too few samples for an interval" in difference_sentence(each)
    assert summarise(scored("a", 9)).lift_interval is None
    assert ROWS["Lift of F over matched chance, 95% interval"](summarise(scored("a", 9))).endswith("(n = 9)")


def test_each_stage_and_all_rows_have_intervals_not_only_survivors() -> None:
    stages = ["wrong", "wrong", "answered", "sufficient", "answered", "wrong"]
    rows = [*scored("a", 12), *(outcome(20 + number, None, stage) for number, stage in enumerate(stages))]
    known = SampleOutcome("known", "known", False, "necessary", f=1.0, lift=0.5, f_random=0.5)
    summary = summarise([*rows, known])
    shares = {"answered": 15, "sufficient": 13, "necessary": 12}
    for stage, count in shares.items():
        assert getattr(summary, stage) == count
        wanted = ttest_1samp([1.0] * count + [0.0] * (18 - count), 0).confidence_interval(0.95)
        bounds = (max(0.0, wanted.low), min(1.0, wanted.high))
        assert getattr(summary, f"{stage}_interval") == pytest.approx(bounds)
    wanted = ttest_1samp([*SCORES["a"][:12], *[0.0] * 6], 0).confidence_interval(0.95)
    assert summary.F_all_interval == pytest.approx((wanted.low, wanted.high))
    assert summary.F_all == pytest.approx(float(SCORES["a"][:12].sum()) / 18)
    shown = ROWS["Shares of that subset which reached these stages, 95% intervals"](summary)
    assert shown.split("; ")[0].startswith("83% [")
    assert ROWS["Shares of that subset which reached these stages, 95% intervals"](summarise([known])) == ""
