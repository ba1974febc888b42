"""How faithful explanations are by measures that did not choose them.

Features are hidden by values of training rows other than those that the choice saw. Beside the chosen technique stand the best
of all on each row, each technique by itself, random orders of features and the order that a greedy search finds.

Source: Samek et al. (2017), hiding the highest features; Bhatt et al. (2020), "Evaluating and aggregating feature-based model
explanations" (faithfulness correlation); Yeh et al. (2019), "On the (in)fidelity and sensitivity of explanations".
"""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ttm.explain.explainer import Explainer
    from ttm.explain.selection.hiding import Hiding

SETS = 60  # random sets of features for correlation and infidelity
RANDOM_ORDERS = 5
OTHER_DRAWS = 1_009  # added to the seed: rows to hide by that no choice has seen
Vector = npt.NDArray[np.float64]
Order = npt.NDArray[np.int_]


@dataclass(frozen=True)
class TechniqueJudged:
    """One technique, mean over rows. `hiding` is how far hiding the features that it ranks highest moves the model's output;
    `correlation` (1 is best) and `infidelity` (0 is best) compare the sum of its weights over random sets of features with the
    change of the output when these are hidden."""

    hiding: float
    correlation: float
    infidelity: float


@dataclass(frozen=True)
class JudgedByHiding:
    """`rows` explanations as the app chooses them, `seconds` (median, 95 % within, slowest) of processor time for each;
    `importance_seconds` is that of the importance of all features over all rows, after the first explanation.

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
            row = _JudgedRow(explainer, hiding, frame.iloc[[index]], result)
            measured.append(row.techniques(np.array([one.weights for one in result.candidates])))
            others.append((row.greedy(), row.random(np.random.default_rng([explainer.seed, index]))))
    table, keys = np.array(measured), list(TECHNIQUES)  # (rows, techniques, 3)
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


def _mean(figures: Vector) -> TechniqueJudged:
    return TechniqueJudged(*(float(value) for value in np.nanmean(figures, axis=0)))


class _JudgedRow:
    """One row with what hiding its features by the drawn rows does."""

    def __init__(self, explainer: "Explainer", hiding: "Hiding", row: Any, result: Any) -> None:
        from ttm.explain.scoring import Scorer

        self._row: Vector = explainer.coding.encode(row)[0]
        self._scorer = Scorer(explainer.subject.model, explainer.coding)
        self._hiding = hiding
        self._score, self._column = result.score, result.class_number or 0
        source = np.random.default_rng([explainer.seed, OTHER_DRAWS])
        sizes = source.integers(1, len(self._row), size=SETS) if len(self._row) > 1 else np.ones(SETS, dtype=int)
        self._sets = [source.permutation(len(self._row))[:size] for size in sizes]

    def techniques(self, weights: Vector) -> list[list[float]]:
        """Hiding, correlation and infidelity of each technique's weights (t, d)."""
        from ttm.explain.selection.fidelity import rankings

        curves = self._curves(list(rankings(weights)))
        moved = self._score - self._hidden(self._sets).mean(axis=1)
        sums = np.array([[own[columns].sum() for columns in self._sets] for own in weights])
        return [[curve, _correlation(total, moved), float(((total - moved) ** 2).mean())]
                for curve, total in zip(curves, sums, strict=True)]  # fmt: skip

    def greedy(self) -> float:
        """The order that adds, one after the other, the feature that moves the output most."""
        order: list[int] = []
        for _ in range(self._hiding.depth):
            left = [column for column in range(len(self._row)) if column not in order]
            moved = np.abs(self._hidden([np.array([*order, column]) for column in left]) - self._score).mean(axis=1)
            order.append(left[int(moved.argmax())])
        return self._curves([np.array(order)])[0]

    def random(self, source: np.random.Generator) -> float:
        return float(np.mean(self._curves([source.permutation(len(self._row)) for _ in range(RANDOM_ORDERS)])))

    def _curves(self, orders: list[Order]) -> list[float]:
        result = self._hiding.measure(self._row, self._score, self._column, orders, self._scorer)
        return [float(value) for value in result.fidelity]

    def _hidden(self, sets: list[Order]) -> Vector:
        """The output (s, b) for each set of hidden features and drawn row."""
        drawn = self._hiding.drawn
        rows = np.tile(self._row, (len(sets), len(drawn), 1))
        for number, columns in enumerate(sets):
            rows[number][:, columns] = drawn[:, columns]
        return self._scorer.scores(rows.reshape(-1, rows.shape[2]), self._column).reshape(len(sets), len(drawn))


def _correlation(sums: Vector, moved: Vector) -> float:
    """Pearson's r, nan where one of the two is the same for all sets."""
    return float(np.corrcoef(sums, moved)[0, 1]) if sums.std() > 0 and moved.std() > 0 else float("nan")


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
        ("selected: correlation, infidelity", f"{selected.correlation:.3f}, {selected.infidelity:.4f}"),
    ]  # fmt: skip
    return lines + [
        (f"{label}: hiding, correlation, infidelity", f"{one.hiding:.3f}, {one.correlation:.3f}, {one.infidelity:.4f}")
        for label, one in judged.techniques.items()
    ]
