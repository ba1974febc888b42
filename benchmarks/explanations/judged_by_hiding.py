"""How faithful explanations are by measures that did not choose them.

Features are hidden by values of training rows other than those that the choice saw. Beside the chosen technique stand the best
of all on each row, each technique by itself, random orders of features and the order that a greedy search finds.
"""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from benchmarks.explanations.judged_row import OTHER_DRAWS, JudgedRow

if TYPE_CHECKING:
    from ttm.explain.explainer import Explainer

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TechniqueJudged:
    """One technique, mean over rows. `hiding` is how far hiding the features that it ranks highest moves the model's output;
    `correlation` (1 is best) and `infidelity` (0 is best) compare the sum of its weights over random sets of features with the
    change of the output when these are hidden; `sensitivity` (max-sensitivity, 0 is best) is how far the weights move at most
    for rows close by, by their length."""

    hiding: float
    correlation: float
    infidelity: float
    sensitivity: float


@dataclass(frozen=True)
class JudgedByHiding:
    """`rows` explanations as the app chooses them, `seconds` (median, 95 % within, slowest) of processor time for each;
    `importance_seconds` is that of the importance of all features over all rows, after the import of the libraries.

    `best` is the mean over rows of the best technique's `hiding` on each, `of_best` what `selected` has of it, `greedy` and
    `random` are of those orders; `not_shap` is the share of rows where
    another technique than SHAP was chosen.
    """

    rows: int
    seconds: tuple[float, float, float]
    importance_seconds: float
    selected: TechniqueJudged
    best: float
    of_best: float
    greedy: float
    random: float
    not_shap: float
    techniques: dict[str, TechniqueJudged]


def judge(explainer: "Explainer", frame: Any) -> JudgedByHiding:
    """Explain each row of `frame` as the app does, then judge all techniques."""
    from ttm.explain.attribution import SHAP, TECHNIQUES
    from ttm.explain.selection.hiding import Hiding
    from ttm.explain.threads import one_thread

    explainer.explain(frame.iloc[:1], class_number=0)  # what is spent once for a data set
    explainer.importance(frame.iloc[:1])  # and in a process: only this imports shap where leaves are read
    start = time.process_time()
    explainer.importance(explainer.subject.dataset.frame)
    importance = time.process_time() - start
    hiding = Hiding(explainer.coding, explainer.seed + OTHER_DRAWS)
    seconds, chosen, measured, others = [], [], [], []
    for index in range(len(frame)):
        start = time.process_time()
        result = explainer.explain(frame.iloc[[index]])
        seconds.append(time.process_time() - start)
        chosen.append([one.technique for one in result.candidates].index(result.chosen.technique))
        with one_thread():
            row = JudgedRow(explainer, hiding, frame.iloc[[index]], result)
            measured.append(_measured(row, np.array([one.weights for one in result.candidates])))
            others.append((row.greedy(), row.random(np.random.default_rng([explainer.seed, index]))))
    table, keys = np.array(measured), list(TECHNIQUES)  # (rows, techniques, 4)
    selected, best = table[np.arange(len(table)), chosen], table[:, :, 0].max(axis=1).mean()
    greedy, at_random = np.mean(others, axis=0)
    return JudgedByHiding(
        len(frame),
        (float(np.median(seconds)), float(np.quantile(seconds, 0.95)), float(max(seconds))),
        importance,
        _mean(selected), float(best), float(selected[:, 0].mean() / best) if best else 1.0, float(greedy), float(at_random),
        float(np.mean([keys[number] != SHAP for number in chosen])),
        {TECHNIQUES[key].label: _mean(table[:, number]) for number, key in enumerate(keys)},
    )  # fmt: skip


def _measured(row: JudgedRow, weights: Vector) -> list[tuple[float, ...]]:
    """The four figures of each technique from its weights (t, d) of one row."""
    curves, steady = row.hiding(weights), row.sensitivities(weights)
    return [(curve, row.correlation(own), row.infidelity(own), float(most))
            for own, curve, most in zip(weights, curves, steady, strict=True)]  # fmt: skip


def _mean(figures: Vector) -> TechniqueJudged:
    return TechniqueJudged(*(float(value) for value in np.nanmean(figures, axis=0)))


def report_of(judged: JudgedByHiding) -> list[tuple[str, str]]:
    """The figures as lines of a table for a terminal."""
    median, most, slowest = judged.seconds
    selected = judged.selected
    lines = [
        (f"as the app chooses, {judged.rows} rows: processor seconds", f"{median:.3f}, {most:.3f}, {slowest:.3f}"),
        ("importance over all rows, processor seconds", f"{judged.importance_seconds:.2f}"),
        ("another technique than SHAP chosen", f"{judged.not_shap:.0%}"),
        ("hiding moves: selected, best, greedy, random",
         f"{selected.hiding:.3f}, {judged.best:.3f}, {judged.greedy:.3f}, {judged.random:.3f}"),
        ("selected / best technique of each row", f"{judged.of_best:.3f}"),
        ("selected: correlation, infidelity, max-sensitivity", _figures(selected)),
    ]  # fmt: skip
    return lines + [
        (f"{label}: hiding, correlation, infidelity, max-sensitivity", f"{one.hiding:.3f}, {_figures(one)}")
        for label, one in judged.techniques.items()
    ]


def _figures(judged: TechniqueJudged) -> str:
    return f"{judged.correlation:.3f}, {judged.infidelity:.4f}, {judged.sensitivity:.2f}"
