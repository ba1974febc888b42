"""All rules of two conditions are counted, and the evidence for one is that of textbooks."""

from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from ttm.explain.coding import Coding
from ttm.explain.mistakes.error_boxes import MOST_PRODUCTS, ErrorBoxes
from ttm.explain.mistakes.rule_conditions import evidence, mask_of, rule_questions, smallest_rule
from ttm.tabular.subject import Subject

Make = Callable[[Any], Subject]


def searched(subject: Subject) -> tuple[Coding, np.ndarray, ErrorBoxes]:
    coding = Coding(subject.schema, subject.dataset.train_frame)
    rows = coding.encode(subject.dataset.frame)
    return coding, rows, ErrorBoxes.on(coding, rows, rule_questions(coding, rows))


@pytest.mark.parametrize(("wrong", "rows"), [(9, 20), (1, 30), (20, 20)])
def test_evidence_for_a_rate_is_the_g_statistic_of_its_table(wrong: int, rows: int) -> None:
    errors = np.repeat([1.0, 0.0], [25, 75])
    table = [[wrong, rows - wrong], [25 - wrong, 75 - rows + wrong]]
    g = chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
    measured = float(evidence(np.array([float(wrong)]), np.array([float(rows)]), errors, True)[0])
    assert measured == pytest.approx(g if wrong / rows > (25 - wrong) / (100 - rows) else 0.0)


def test_evidence_for_a_quantity_is_that_of_two_means_instead_of_one() -> None:
    errors = np.random.default_rng(0).exponential(size=80)
    inside = np.argsort(errors) > 50
    spread = [((part - part.mean()) ** 2).sum() for part in (errors, errors[inside], errors[~inside])]
    expected = len(errors) * np.log(spread[0] / (spread[1] + spread[2]))
    measured = evidence(np.array([errors[inside].sum()]), np.array([float(inside.sum())]), errors, False)
    assert measured[0] == pytest.approx(expected if errors[inside].mean() > errors[~inside].mean() else 0.0)


@pytest.mark.parametrize("is_rate", [True, False])
@pytest.mark.slow
def test_the_best_pair_is_that_of_trying_all(mixed_subject: Make, is_rate: bool) -> None:
    coding, rows, boxes = searched(mixed_subject("ill"))
    source = np.random.default_rng(1)
    errors = (source.random(len(rows)) < 0.3).astype(float) if is_rate else source.exponential(size=len(rows))
    reached = []
    for path in combinations_with_replacement(boxes.conditions, 2):
        mask = mask_of(coding, rows, path)
        if smallest_rule(len(rows)) <= mask.sum() < len(rows):
            sums, counts = np.array([errors[mask].sum()]), np.array([float(mask.sum())])
            reached.append(float(evidence(sums, counts, errors, is_rate)[0]))
    best = boxes.nodes(errors, is_rate, 5)
    assert best[0].evidence == pytest.approx(max(reached), rel=1e-4)
    assert boxes.most_evidence(errors, is_rate) == pytest.approx(max(reached), rel=1e-4)
    assert len({frozenset(clause.feature for clause in node.path) for node in best}) == len(best)


def test_what_cannot_be_counted_quickly_is_not(mixed_subject: Make) -> None:
    coding, rows, boxes = searched(mixed_subject("ill"))
    assert boxes.holds.size * len(boxes.conditions) <= MOST_PRODUCTS
    many = np.repeat(rows, 1 + 2 * MOST_PRODUCTS // len(rows) // 100, axis=0)
    assert not ErrorBoxes.on(coding, many, rule_questions(coding, rows)).conditions
