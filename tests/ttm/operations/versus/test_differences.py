"""Differences between groups are called clear when they are, and hardly ever when chance made them."""

import re

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from tests.ttm.conftest import Asker
from ttm.operations.render import render
from ttm.operations.results import Versus
from ttm.operations.scores.estimates import ScoreEstimate, share
from ttm.operations.versus.differences import all_differences, difference_of


def test_a_difference_of_two_shares_has_its_interval_and_test() -> None:
    found = difference_of([share(701, 1017), share(162, 218)], 0, 1)
    assert found.value == pytest.approx(701 / 1017 - 162 / 218)
    assert found.p == pytest.approx(chi2_contingency([[701, 316], [162, 56]], correction=False).pvalue)
    assert found.low < found.value < found.high
    assert not found.is_clear
    assert difference_of([share(300, 400), share(200, 400)], 0, 1).is_clear


def test_seen_from_the_other_group_it_is_turned() -> None:
    estimates = [share(30, 90), share(60, 80), share(10, 44)]
    one, other = difference_of(estimates, 0, 2), difference_of(estimates, 2, 0)
    assert (one.value, one.low, one.high, one.p) == (-other.value, -other.high, -other.low, other.p)
    assert one.tests == 3


@pytest.mark.parametrize("groups", [2, 5])
def test_groups_that_do_not_differ_are_rarely_told_apart(groups: int) -> None:
    """Of draws in which all groups have the same true share, at most one in twenty has any clear difference."""
    source = np.random.default_rng(3)
    alarms = 0
    for _ in range(300):
        estimates = [share(int(source.binomial(rows, 0.3)), rows) for rows in source.integers(40, 300, groups).tolist()]
        alarms += any(one.is_clear for one in all_differences([estimates])[0])
    assert alarms / 300 <= 0.07


def test_real_differences_are_mostly_noticed() -> None:
    source = np.random.default_rng(4)
    noticed = [
        difference_of([share(int(source.binomial(300, p)), 300) for p in (0.25, 0.40)], 0, 1).is_clear for _ in range(200)
    ]
    assert np.mean(noticed) > 0.9


def test_what_is_undefined_or_unknown_is_not_called_a_difference() -> None:
    assert difference_of([share(0, 0), share(5, 9)], 0, 1).value is None
    unknown = difference_of([ScoreEstimate(0.2, None, None, 1), ScoreEstimate(0.9, None, None, 1)], 0, 1)
    assert (unknown.value, unknown.low, unknown.is_clear) == (pytest.approx(-0.7), None, False)


def test_the_answer_gives_the_interval_and_whether_it_is_beyond_chance(ask: Asker) -> None:
    text = render(ask("filter smoker true versus filter smoker false and score accuracy"), ask.schema).text
    assert re.search(r"95% interval [+-][\d.]+ to [+-][\d.]+ points, p = [\d.]+\): (no clear|a) difference", text)
    three = " versus ".join(f"filter loanpurpose {value}" for value in ("car", "new car", "a and b"))
    assert "corrected for 3 pairs" in render(ask(f"{three} and score accuracy"), ask.schema).text


def test_groups_with_rows_in_common_are_not_tested(ask: Asker) -> None:
    found = ask("filter age greater than 30 versus filter age greater than 50 and score accuracy")
    assert isinstance(found, Versus)
    assert found.shared == int((ask.subject.dataset.frame["Age"] > 50).sum())
    text = render(found, ask.schema).text
    assert "in more than one of these groups" in text
    assert "p = " not in text
