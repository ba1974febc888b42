"""Rules for mistakes select the rows that they count, and find the place where mistakes were planted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ttm.explain.coding import Coding
from ttm.explain.explainer import Explainer
from ttm.explain.mistakes.typical_mistakes import Rule, Typical, mask_of, typical
from ttm.tabular.data.schema import Feature, FeatureKind, Schema, Target
from ttm.tabular.subject import Subject

Make = Callable[[Any], Subject]


def selected(explainer: Explainer, frame: pd.DataFrame, rule: Rule) -> np.ndarray:
    """The rows of a rule by pandas alone."""
    mask = np.ones(len(frame), dtype=bool)
    for clause in rule.clauses:
        place = explainer.coding.names.index(clause.feature)
        column = frame[clause.feature]
        holds = column.notna()
        if clause.value is not None:
            holds &= (column == explainer.coding.value(place, clause.value)) != clause.negated
        if clause.low is not None:
            holds &= column > explainer.coding.value(place, clause.low)
        if clause.high is not None:
            holds &= column <= explainer.coding.value(place, clause.high)
        mask &= (holds | (column.isna() & clause.or_unknown)).to_numpy()
    return mask


def planted(subject: Subject, is_rate: bool) -> tuple[Explainer, pd.DataFrame, np.ndarray, Typical]:
    frame = subject.dataset.frame
    random = np.random.default_rng(0)
    there = ((frame["weight"] > 80) & (frame["region"] == "north")).to_numpy()
    errors = np.where(there, random.random(len(frame)) < 0.8, random.random(len(frame)) < 0.08).astype(float)
    if not is_rate:
        errors = np.where(there, 10.0, 1.0) + random.random(len(frame))
    explainer = Explainer(subject)
    return explainer, frame, errors, explainer.typical_mistakes(frame, errors)


@pytest.mark.parametrize("target", ["ill", "cost"])
def test_planted_mistakes_are_found_and_counted(mixed_subject: Make, target: str) -> None:
    explainer, frame, errors, found = planted(mixed_subject(target), target == "ill")
    assert found.rules
    assert {clause.feature for clause in found.rules[0].clauses} >= {"weight", "region"}
    assert found.error == pytest.approx(errors.mean())
    for rule in found.rules:
        mask = selected(explainer, frame, rule)
        assert rule.rows == mask.sum()
        assert rule.here == pytest.approx(errors[mask].mean())
        assert rule.low <= rule.error <= rule.high
        assert rule.errors == (int(errors[mask].sum()) if target == "ill" else None)
        assert rule.error > found.error
    assert [rule.error for rule in found.rules] == sorted((rule.error for rule in found.rules), reverse=True)


def test_no_condition_could_be_left_out(mixed_subject: Make) -> None:
    explainer, frame, errors, found = planted(mixed_subject("ill"), True)
    rows = explainer.coding.encode(frame)
    for rule in found.rules:
        for clause in rule.clauses:
            rest = tuple(other for other in rule.clauses if other != clause)
            if rest:
                assert errors[mask_of(explainer.coding, rows, rest)].mean() < rule.here


def test_the_tree_splits_all_rows(mixed_subject: Make) -> None:
    _, frame, errors, found = planted(mixed_subject("ill"), True)
    root = found.branches[0]
    assert (root.parent, root.clause, root.rows) == (None, None, len(frame))
    for number, branch in enumerate(found.branches):
        children = [child for child in found.branches if child.parent == number]
        if children:
            assert sum(child.rows for child in children) == branch.rows
            assert sum(child.rows * child.error for child in children) == pytest.approx(branch.rows * branch.error)
    assert root.error == pytest.approx(errors.mean())


def test_mistakes_without_a_pattern_make_no_rule(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    errors = (np.arange(len(subject.dataset.frame)) % 4 == 0).astype(float)
    explainer = Explainer(subject)
    few = explainer.typical_mistakes(subject.dataset.frame.iloc[:20], errors[:20])
    assert (few.rules, "few" in few.reason) == ((), True)
    none = explainer.typical_mistakes(subject.dataset.frame, np.zeros(len(errors)))
    assert (none.rules, "few mistakes" in none.reason) == ((), True)
    constant = explainer.typical_mistakes(subject.dataset.frame, np.ones(len(errors)))
    assert (constant.rules, "alike" in constant.reason) == ((), True)


@dataclass(frozen=True)
class Draws:
    """Of draws of 400 rows: in how many rules were found, the planted one was among them, and by how much it was overstated."""

    found: float
    planted: float
    overstated: float


def draws(there: float, elsewhere: float, count: int, is_rate: bool = True) -> Draws:
    """Rows of four measures and a category, with these error rates where `x0` is high and the category is 1, and elsewhere."""
    source = np.random.default_rng(7)
    found, planted, overstated = 0, 0, []
    for _ in range(count):
        frame = pd.DataFrame({f"x{number}": source.normal(size=400) for number in range(4)})
        frame["kind"] = source.choice(["a", "b", "c"], 400)
        coding = Coding(SCHEMA, frame)
        rows, place = coding.encode(frame), ((frame["x0"] > 0.2) & (frame["kind"] == "b")).to_numpy()
        rates = np.where(place, there, elsewhere)
        errors = (source.random(400) < rates).astype(float) if is_rate else source.exponential(rates)
        rules = typical(coding, rows, errors, is_rate).rules
        masks = [mask_of(coding, rows, rule.clauses) for rule in rules]
        found += bool(rules)
        planted += any((mask & place).sum() > 0.5 * (mask | place).sum() for mask in masks)
        overstated += [rule.error - rates[mask].mean() for rule, mask in zip(rules, masks, strict=True)]
    return Draws(found / count, planted / count, float(np.mean(overstated)) if overstated else 0.0)


SCHEMA = Schema("made", "the outcome", (*(Feature(f"x{n}", f"x{n}", FeatureKind.NUMERIC) for n in range(4)),
                                        Feature("kind", "kind", FeatureKind.CATEGORICAL, ("a", "b", "c"))),
                Target("y", ("no", "yes"), (0, 1)))  # fmt: skip


@pytest.mark.parametrize("is_rate", [True, False])
@pytest.mark.slow
def test_random_mistakes_rarely_make_a_rule(is_rate: bool) -> None:
    assert draws(0.25, 0.25, 40, is_rate).found <= 0.1


@pytest.mark.slow
def test_planted_mistakes_are_found_and_their_error_is_not_overstated() -> None:
    found = draws(0.6, 0.12, 30)
    assert found.planted >= 0.9
    assert abs(found.overstated) <= 0.05


def test_no_pattern_is_an_answer(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    source = np.random.default_rng(11)
    errors = (source.random(len(subject.dataset.frame)) < 0.3).astype(float)
    found = Explainer(subject).typical_mistakes(subject.dataset.frame, errors)
    assert found.rules == ()
    assert "no pattern beyond" in found.reason
