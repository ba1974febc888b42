"""Explanations where the truth is known: `python -m benchmarks known-truth --dataset german`.

Mistakes: errors dealt out to the rows at random must give no pattern, and a pattern that was planted must be found, with an
error that is not overstated. Counterfactuals: each is put to the model again, and so are slightly different rows that the
search never saw. Techniques: models that are sums of known terms, of which each feature's part in a prediction follows from
the formula.
"""

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ttm.chat.session_options import add_subject, session_of

if TYPE_CHECKING:
    from ttm.explain.explainer import Explainer

THERE, ELSEWHERE = 0.6, 0.12  # error rates inside and outside the planted pattern
SAME_ROWS = 0.5  # of the rows of either, from which on a rule is the planted one
FEWEST_PLANTED = 40
COPIES, NOISE = 200, 0.05  # slightly different rows, and how different in standard deviations
SURVIVES = 0.8
MADE_ROWS = 600
Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class MistakesKnown:
    """Of `draws` each: in how many errors at random made a rule, a planted pattern made one, one of the rules had at least half
    of its rows in common with the pattern, and by how much the stated error of rules was above the true one on average."""

    draws: int
    false_alarms: float
    noticed: float
    planted: float
    overstated: float


@dataclass(frozen=True)
class CounterfactualsKnown:
    """Of `rows` rows: how many got a counterfactual, and of these how many are predicted otherwise, how many of their slightly
    different copies are on average, and for how many at least 80 % of them."""

    rows: int
    answered: float
    valid: float
    copies: float
    lasting: float


@dataclass(frozen=True)
class TechniqueKnown:
    """Against the true parts, over rows: mean correlation of the weights, and how often the first feature is right."""

    correlation: float
    first: float


def mistakes(explainer: "Explainer", draws: int) -> MistakesKnown:
    """Deal out errors among the rows of a data set, at random and by a pattern of two of its columns."""
    frame = explainer.subject.dataset.frame
    rows = explainer.coding.encode(frame)
    source = np.random.default_rng(explainer.seed)
    alarms, noticed, planted, overstated = 0, 0, 0, list[float]()
    for _ in range(draws):
        alarms += bool(explainer.typical_mistakes(frame, (source.random(len(frame)) < 0.25).astype(float)).rules)
        inside = _pattern(rows, source)
        rates = np.where(inside, THERE, ELSEWHERE)
        rules = explainer.typical_mistakes(frame, (source.random(len(frame)) < rates).astype(float)).rules
        masks = [_rows_of(explainer, rows, rule) for rule in rules]
        noticed += bool(rules)
        planted += any((mask & inside).sum() >= SAME_ROWS * (mask | inside).sum() for mask in masks)
        overstated += [rule.error - float(rates[mask].mean()) for rule, mask in zip(rules, masks, strict=True)]
    mean = float(np.mean(overstated)) if overstated else 0.0
    return MistakesKnown(draws, alarms / draws, noticed / draws, planted / draws, mean)


def _rows_of(explainer: "Explainer", rows: Vector, rule: Any) -> npt.NDArray[np.bool_]:
    from ttm.explain.mistakes.typical_mistakes import mask_of

    return mask_of(explainer.coding, rows, rule.clauses)


def _pattern(rows: Vector, source: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Rows above a value in each of two columns, at least FEWEST_PLANTED and a tenth of them, at most half."""
    while True:
        columns = source.choice(rows.shape[1], 2, replace=False)
        known = [rows[~np.isnan(rows[:, column]), column] for column in columns]
        cuts = [source.choice(values) if len(values) else np.nan for values in known]
        inside = (rows[:, columns[0]] >= cuts[0]) & (rows[:, columns[1]] >= cuts[1])
        if max(FEWEST_PLANTED, len(rows) / 10) <= inside.sum() <= len(rows) / 2:
            return np.asarray(inside)


def counterfactuals(explainer: "Explainer", rows: int) -> CounterfactualsKnown:
    """Ask for one counterfactual of each row and put it, and slightly different rows, to the model."""
    from ttm.explain.importance import evenly

    frame, model, coding = explainer.subject.dataset.frame, explainer.subject.model, explainer.coding
    before = explainer.subject.predictions
    source = np.random.default_rng([explainer.seed, 1_013])
    valid, copies = list[bool](), list[float]()
    for index in evenly(len(frame), rows):
        result = explainer.counterfactuals(frame.iloc[[index]], 1).rows
        if not result:
            continue
        changed = coding.encode(pd.DataFrame([result[0].values]))
        steps = NOISE * source.standard_normal((COPIES, coding.width)) * coding.scale
        near = changed + np.where(coding.discrete, 0.0, steps)
        valid.append(bool(model.predict(coding.decode(changed))[0] != before[index]))
        copies.append(float((model.predict(coding.decode(near)) != before[index]).mean()))
    total = min(rows, len(frame))
    if not valid:
        return CounterfactualsKnown(total, 0.0, 0.0, 0.0, 0.0)
    lasting = float(np.mean([share >= SURVIVES for share in copies]))
    return CounterfactualsKnown(total, len(valid) / total, float(np.mean(valid)), float(np.mean(copies)), lasting)


# --- models with known parts ---------------------------------------------------------------------------------------------


def _terms(frame: pd.DataFrame, pair: bool) -> Vector:
    """The parts (n, d) of each feature in the output, from the formula; `x5` and `x6` have none.

    Features are independent with mean 0, so the Shapley values of a product of two of them are half of it for each.
    """
    values = frame.to_numpy()
    parts = np.zeros(values.shape)
    parts[:, 0] = 2.0 * values[:, 0]
    parts[:, 1] = 1.5 * np.sign(values[:, 1])
    parts[:, 2] = values[:, 2] ** 2 - 1.0
    parts[:, 3], parts[:, 4] = (values[:, 3] * values[:, 4],) * 2 if pair else (np.sin(values[:, 3]), -values[:, 4])
    parts[:, 3:5] *= 0.5 if pair else 1.0
    return parts


def techniques(pair: bool, rows: int, seed: int = 0) -> dict[str, TechniqueKnown]:
    """Explain rows of a model of seven independent measures whose parts are known; of a `pair` two work together."""
    from ttm.chat.interface.talk import talk
    from ttm.explain.attribution import TECHNIQUES
    from ttm.explain.importance import evenly

    frame = pd.DataFrame(np.random.default_rng(seed).standard_normal((MADE_ROWS, 7)), columns=[f"x{n}" for n in range(7)])
    output = _terms(frame, pair).sum(axis=1)
    chat = talk(lambda table: _terms(table[frame.columns], pair).sum(axis=1), frame.assign(y=output), target="y")
    explainer = chat.session.loaded.engine.explainer
    weights: dict[str, list[Vector]] = {name: [] for name in ("selected", *(one.label for one in TECHNIQUES.values()))}
    places = evenly(MADE_ROWS, rows)
    for index in places:
        result = explainer.explain(frame.iloc[[index]])
        weights["selected"].append(result.weights)
        for candidate in result.candidates:
            weights[TECHNIQUES[candidate.technique].label].append(candidate.weights)
    return {name: _against(np.array(own), _terms(frame, pair)[places]) for name, own in weights.items()}


def _against(weights: Vector, truth: Vector) -> TechniqueKnown:
    related = [np.corrcoef(own, parts)[0, 1] for own, parts in zip(weights, truth, strict=True)]
    first = np.abs(weights).argmax(axis=1) == np.abs(truth).argmax(axis=1)
    return TechniqueKnown(float(np.nanmean(related)), float(first.mean()))


# --- the command ---------------------------------------------------------------------------------------------------------


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `python -m benchmarks known-truth`."""
    add_subject(parser)
    parser.add_argument("--draws", type=int, default=20, metavar="N", help="draws of errors, at random and planted (20)")
    parser.add_argument("--rows", type=int, default=20, metavar="N", help="rows that are explained and changed (20)")
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")


def run(args: argparse.Namespace) -> None:
    """Measure and print all three."""
    explainer, draws, rows = session_of(args).loaded.engine.explainer, max(1, args.draws), max(1, args.rows)
    wrong, changes = mistakes(explainer, draws), counterfactuals(explainer, rows)
    made = {name: techniques(pair, rows, explainer.seed) for name, pair in (("a sum", False), ("a sum and a pair", True))}
    if args.json:
        known = {name: {label: asdict(one) for label, one in own.items()} for name, own in made.items()}
        sys.stdout.write(
            json.dumps({"mistakes": asdict(wrong), "counterfactuals": asdict(changes), "techniques": known}) + "\n"
        )
        return
    sys.stdout.write("\n".join(report(wrong, changes, made)) + "\n")


def report(wrong: MistakesKnown, changes: CounterfactualsKnown, made: dict[str, dict[str, TechniqueKnown]]) -> list[str]:
    """The figures as lines for a terminal."""
    lines = [
        f"mistakes, {wrong.draws} draws: false alarms {wrong.false_alarms:.0%}, planted patterns noticed "
        f"{wrong.noticed:.0%}, with the same rows {wrong.planted:.0%}, error overstated by {wrong.overstated:+.3f}",
        f"counterfactuals, {changes.rows} rows: answered {changes.answered:.0%}, valid {changes.valid:.0%}, noisy copies that "
        f"keep the class {changes.copies:.0%}, at least 80% of them for {changes.lasting:.0%}",
    ]
    return lines + [
        f"{name}, {label}: correlation with the truth {one.correlation:.3f}, first feature right {one.first:.0%}"
        for name, own in made.items()
        for label, one in own.items()
    ]
