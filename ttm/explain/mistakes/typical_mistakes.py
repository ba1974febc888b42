"""Where a model is typically wrong: short rules that describe rows with many errors.

A small decision tree is grown on "wrong or not" (for quantities: on the absolute residual), and all rules of two conditions are
counted. What has clearly more errors than elsewhere becomes a rule, from which every condition is dropped that it can do
without. Thresholds are values that occur in the data, so a rule selects exactly the rows that it counts.

A search always finds something, so two things are done about it. A rule counts only if there is more evidence for it than for
the best one of nearly all searches on the same errors, dealt out to the rows at random: the permutation of the maximum. And the
error of a rule is that of like rules, each found on a part of the rows, on those that were left out.

Sources: Westfall and Young (1993), "Resampling-based multiple testing"; Stone (1974), "Cross-validatory choice and assessment
of statistical predictions".
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from backend.intervals import Z95, Interval, wilson_interval
from ttm.explain.coding import Coding, Matrix
from ttm.explain.mistakes.error_search import CHANCE, FEWEST_ROWS, ErrorSearch
from ttm.explain.mistakes.rule_conditions import SMALLEST_RULE, Errors, Mask, Path, RuleCondition, evidence, mask_of

__all__ = ["Branch", "Rule", "RuleCondition", "Typical", "mask_of", "typical"]

FEWEST_ERRORS = 5
CLEARLY = 1.25  # times the error rate elsewhere
MOST_RULES = 4
OVERLAP = 0.5  # of the rows of either rule, from which on one of two says too little that is new
BEYOND_CHANCE = "The mistakes show no pattern beyond what chance alone would make."


@dataclass(frozen=True)
class Rule:
    """Rows with many errors: `rows` of them, `errors` of them wrong (None for quantities), with the error `here`.

    `error` (rate 0 to 1, or mean absolute residual) is what to expect of other rows, with a 95 % interval from `low` to
    `high`, and `elsewhere` that of rows that the rule does not select: both from rows that were not used to find it.
    """

    clauses: tuple[RuleCondition, ...]
    rows: int
    here: float
    error: float
    low: float
    high: float
    elsewhere: float
    errors: int | None


@dataclass(frozen=True)
class Branch:
    """A node of the tree: its own clause (None for the root), its place among the branches' parents, rows and error."""

    parent: int | None
    clause: RuleCondition | None
    rows: int
    error: float


@dataclass(frozen=True)
class Typical:
    """Rules from the highest error on; none where nothing sets the errors apart, for the stated `reason`.

    No rule describes mostly rows of another. `branches` is a tree of where the errors lie, parents first.
    """

    rules: tuple[Rule, ...]
    rows: int
    error: float
    errors: int | None
    branches: tuple[Branch, ...] = ()
    reason: str = ""


def typical(coding: Coding, rows: Matrix, errors: Errors, is_rate: bool) -> Typical:
    """Rules over encoded rows (m, d) with their errors (m,): 1 where wrong and 0 where right, or absolute residuals."""
    wrong = int(errors.sum()) if is_rate else None
    overall = float(errors.mean())
    if len(rows) < FEWEST_ROWS:
        return Typical((), len(rows), overall, wrong, (), f"{len(rows)} rows are too few to look for a pattern.")
    if wrong is not None and wrong < FEWEST_ERRORS:
        return Typical((), len(rows), overall, wrong, (), "There are too few mistakes to look for a pattern.")
    if errors.min() == errors.max():
        return Typical((), len(rows), overall, wrong, (), "The model errs alike on all of these rows.")
    search = ErrorSearch.on(coding, rows, errors, is_rate)
    nodes = search.tree()
    strong = search.rules_beyond_chance()
    shortened = [_shortened(coding, rows, errors, node.path, is_rate) for node in strong]
    clear = [rule for rule in shortened if rule is not None and _is_clear(coding, rows, errors, rule, is_rate)]
    chosen = [_checked(rule, search) for rule in _distinct(coding, rows, errors, clear, is_rate)]
    rules = sorted((rule for rule in chosen if rule.error >= CLEARLY * rule.elsewhere), key=lambda rule: -rule.error)
    branches = tuple(_branch(coding, rows, errors, [node.path for node in nodes], node.path) for node in nodes)
    return Typical(tuple(rules), len(rows), overall, wrong, branches if rules else (), "" if rules else BEYOND_CHANCE)


def _branch(coding: Coding, rows: Matrix, errors: Errors, paths: list[Path], path: Path) -> Branch:
    inside = errors[mask_of(coding, rows, path)]
    parent = paths.index(path[:-1]) if path else None
    clause = _without_idle_words(coding, rows, path)[-1] if path else None
    return Branch(parent, clause, len(inside), float(inside.mean()) if len(inside) else 0.0)


def _distinct(coding: Coding, rows: Matrix, errors: Errors, rules: list[Rule], is_rate: bool) -> list[Rule]:
    """The rules with most evidence, of which each condition has to be worth its words, without what mostly repeats them.

    Its price is that of a parameter by Schwarz (1978), "Estimating the dimension of a model".
    """
    chosen: list[Rule] = []
    masks: list[Mask] = []
    counts = np.array([rule.rows for rule in rules], dtype=float)
    reached = evidence(np.array([rule.here for rule in rules]) * counts, counts, errors, is_rate)
    worth = reached - np.log(len(rows)) * np.array([len(rule.clauses) for rule in rules])
    for rule in (rules[index] for index in np.argsort(-worth, kind="stable")):
        mask = mask_of(coding, rows, rule.clauses)
        covered = np.logical_or.reduce([*masks, np.zeros(len(rows), dtype=bool)])
        repeats = (mask & covered).sum() > OVERLAP * mask.sum() or any((mask & m).sum() > OVERLAP * m.sum() for m in masks)
        if len(chosen) < MOST_RULES and not repeats:
            chosen.append(rule)
            masks.append(mask)
    return chosen


def _checked(rule: Rule, search: ErrorSearch) -> Rule:
    """The rule with the error of like rules on rows that these were not found on."""
    here, there = search.of_like_rules(rule.clauses)
    if not len(here) or not len(there):
        return replace(rule, error=rule.elsewhere, low=0.0, high=rule.here)
    low, high = _bounds(here, search.is_rate)
    return replace(rule, error=float(here.mean()), low=low, high=high, elsewhere=float(there.mean()))


def _bounds(errors: Errors, is_rate: bool) -> Interval:
    if is_rate:
        return wilson_interval(int(errors.sum()), len(errors))
    half = Z95 * float(errors.std(ddof=1)) / len(errors) ** 0.5 if len(errors) > 1 else float(errors.mean())
    return max(0.0, float(errors.mean()) - half), float(errors.mean()) + half


def _shortened(coding: Coding, rows: Matrix, errors: Errors, path: Path, is_rate: bool) -> Rule | None:
    """The rule without the conditions that do not raise its error; None if it selects no rows, or all."""
    rule = _measured(coding, rows, errors, _merged(path), is_rate)
    for clause in rule.clauses:
        rest = tuple(c for c in rule.clauses if c != clause)
        shorter = _measured(coding, rows, errors, rest, is_rate) if rest else rule
        if rest and shorter.here >= rule.here:
            rule = shorter
    rule = replace(rule, clauses=_without_idle_words(coding, rows, rule.clauses))
    return rule if SMALLEST_RULE <= rule.rows < len(rows) else None


def _without_idle_words(coding: Coding, rows: Matrix, clauses: Path) -> Path:
    """The clauses without "or unknown" where no row is selected by it."""
    mask = mask_of(coding, rows, clauses)
    for index, clause in enumerate(clauses):
        plain = (*clauses[:index], replace(clause, or_unknown=False), *clauses[index + 1 :])
        if np.array_equal(mask_of(coding, rows, plain), mask):
            clauses = plain
    return clauses


def _merged(clauses: Path) -> Path:
    """Bounds on the same measure as one clause."""
    merged: dict[Any, RuleCondition] = {}
    for clause in clauses:
        key = (clause.feature, clause.value, clause.negated)
        old = merged.get(key)
        if old is None:
            merged[key] = clause
            continue
        low = max((b for b in (old.low, clause.low) if b is not None), default=None)
        high = min((b for b in (old.high, clause.high) if b is not None), default=None)
        merged[key] = replace(old, low=low, high=high, or_unknown=old.or_unknown and clause.or_unknown)
    return tuple(merged.values())


def _measured(coding: Coding, rows: Matrix, errors: Errors, clauses: Path, is_rate: bool) -> Rule:
    mask = mask_of(coding, rows, clauses)
    inside, outside = errors[mask], errors[~mask]
    here = float(inside.mean()) if len(inside) else 0.0
    elsewhere = float(outside.mean()) if len(outside) else float("nan")
    wrong = int(inside.sum()) if is_rate else None
    return Rule(clauses, int(mask.sum()), here, here, here, here, elsewhere, wrong)


def _is_clear(coding: Coding, rows: Matrix, errors: Errors, rule: Rule, is_rate: bool) -> bool:
    if rule.here < CLEARLY * rule.elsewhere:
        return False
    mask = mask_of(coding, rows, rule.clauses)
    return _chance(errors[mask], errors[~mask], is_rate) < CHANCE


def _chance(inside: Errors, outside: Errors, is_rate: bool) -> float:
    """How easily chance alone makes such a difference: Fisher's exact test, or Mann and Whitney's for residuals."""
    from scipy.stats import fisher_exact, mannwhitneyu

    if is_rate:
        table = [[int(part.sum()), len(part) - int(part.sum())] for part in (inside, outside)]
        return float(fisher_exact(table, alternative="greater").pvalue)
    return float(mannwhitneyu(inside, outside, alternative="greater").pvalue)
