"""What would have to be different for another prediction.

Proposals come from a search of our own and, where asked, from DiCE. Each is rounded to what can be said, brought as near to the
row as the goal allows, checked against what may change, and put to the model once more; only what passes is an answer. A
change that stops at the very line is undone by the next small difference, so it goes as far beyond the line as it takes for
most slightly different rows to be predicted as wanted too. A few that change different features are taken, cheapest first.
"""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from backend.program.extras import is_installed
from backend.text.words import listed
from ttm.explain.attribution import Vector
from ttm.explain.coding import Coding, Matrix
from ttm.explain.counterfactuals import dice_search
from ttm.explain.counterfactuals.common_change import common_change
from ttm.explain.counterfactuals.goal import Goal, Wanted, goal_for
from ttm.explain.counterfactuals.moves import ChangeLimits, Moves
from ttm.explain.counterfactuals.own_search import MOST_CHANGES, StepwiseSearch
from ttm.explain.counterfactuals.results import (
    LASTING,
    Changed,
    CommonChange,
    CounterfactualRow,
    Counterfactuals,
    Flips,
    different,
    steadiest,
)
from ttm.explain.counterfactuals.side_by_side import Trial, carried_out
from ttm.explain.counterfactuals.steady import steady_states
from ttm.explain.scoring import Effort, Scorer
from ttm.tabular.data.dataset import python_value
from ttm.tabular.data.schema import FeatureKind
from ttm.tabular.model.model import Model

PROPOSED = 2  # this many of our own search, and three for each that is wanted, are looked at closely
DICE_EXTRA = 4
NOISE = 0.05  # standard deviations of each measure, in the slightly different rows
COPIES = 100
SURE = 0.87  # of them, so that of other copies LASTING do
# How far beyond the line: in probability, or in standard deviations of the predictions.
MARGINS = (0.0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3)
SEARCHED_BEYOND = 0.1
NO_LIMITS = ChangeLimits()


@dataclass(frozen=True)
class _Holding:
    """A changed row (d,) that reaches the goal, with its outputs (k,) and the share of slightly different rows that do too."""

    state: Vector
    outputs: Vector
    holds: float


class CounterfactualSearch:
    """Finds counterfactuals for rows of one data set and model. Deterministic for a seed; safe to share between threads."""

    def __init__(self, model: Model, coding: Coding, seed: int) -> None:
        self._model = model
        self._coding = coding
        self._seed = seed
        self.moves = Moves(coding)
        self._spread = self._prediction_spread()
        self._noise = NOISE * np.random.default_rng([seed, 8]).standard_normal((COPIES, coding.width)) * coding.scale
        self._noise[:, coding.discrete] = 0.0

    def _prediction_spread(self) -> float:
        if self._coding.schema.target.is_classification:
            return 1.0
        rows = self._coding.train[:: max(1, len(self._coding.train) // 1_000)]
        return float(Scorer(self._model, self._coding).scores(rows, 0).std()) or 1.0

    def goal(self, outputs: Vector, wanted: Wanted, threshold: float | None) -> Goal:
        """The goal for a row with these outputs (k,)."""
        classes = len(self._coding.schema.target.classes)
        if not classes:
            predicted = float(outputs[0])
        elif classes == 2:
            predicted = float(outputs[1] >= (0.5 if threshold is None else threshold))
        else:
            predicted = float(outputs.argmax())
        return goal_for(wanted, predicted, classes, threshold, self._spread)

    def of(
        self,
        row: Vector,
        count: int,
        wanted: Wanted,
        threshold: float | None = None,
        method: str | None = None,
        limits: ChangeLimits = NO_LIMITS,
        lasting: bool = True,
    ) -> Counterfactuals:
        """At most `count` counterfactuals of one encoded row (d,); `method` is DiCE's, which is asked where it is installed,
        None for our search alone. If `lasting`, they hold for slightly different rows too, where there are such."""
        scorer = Scorer(self._model, self._coding, Effort())
        outputs = scorer.outputs(row[None, :])[0]
        goal = self.goal(outputs, wanted, threshold)
        if goal.reached(outputs[None, :])[0]:
            return Counterfactuals((), goal, outputs, True, "", scorer.effort.rows)
        moves = self.moves.limited(limits) if limits != NO_LIMITS else self.moves
        search = StepwiseSearch(scorer, moves, limits.most or MOST_CHANGES)
        goals = [replace(goal, beyond=margin * self._spread) for margin in (MARGINS if lasting else MARGINS[:1])]
        proposed = self._proposed(row, goal, count, search, method, lasting)
        trials = [self._lasting(row, self._rounded(row, state), goals, search) for state, _ in proposed]
        checked = self._checked(row, trials, [source for _, source in proposed], search, limits)
        if lasting and not any(one.holds >= LASTING for one in checked):
            states = steady_states(row, goal, scorer, moves, self._noise, search.most, PROPOSED + 3 * count)
            trials = [self._as_it_is(row, state, goal, search) for state in states]
            checked += self._checked(row, trials, ["search"] * len(states), search, limits)
        checked = steadiest(checked)
        chosen = different(checked, count)
        reason = self._reason(row, len(chosen), count, search)
        return Counterfactuals(tuple(chosen), goal, outputs, False, reason, scorer.effort.rows)

    def _proposed(
        self, row: Vector, goal: Goal, count: int, search: StepwiseSearch, method: str | None, lasting: bool
    ) -> list[tuple[Vector, str]]:
        """Changed rows with where they come from: those that go beyond the line first."""
        most = PROPOSED + 3 * count
        states: list[Vector] = []
        if lasting:
            states += list(search.proposals(row, replace(goal, beyond=SEARCHED_BEYOND * self._spread), 3 * count)[:most])
        if len(states) < most:
            states += list(search.proposals(row, goal, 3 * count)[:most])
        proposed = [(state, "search") for state in states]
        if method is not None and is_installed("dice_ml"):
            extra = dice_search.proposals(row, goal, count + DICE_EXTRA, method, search.scorer, search.moves, self._seed)
            proposed += [(state, "DiCE") for state in extra]
        return proposed

    def flips(
        self, rows: Matrix, wanted: Wanted, total: int, threshold: float | None = None, limits: ChangeLimits = NO_LIMITS
    ) -> Flips:
        """What the cheapest counterfactual of each encoded row (m, d) changes."""
        cheapest, already = [], 0
        for row in rows:
            answer = self.of(row, 1, wanted, threshold, limits=limits)
            already += answer.already
            cheapest += list(answer.rows[:1])
        counts = Counter(change.feature for row in cheapest for change in row.changes)
        alone = Counter(row.changes[0].feature for row in cheapest if len(row.changes) == 1)
        features = [name for name, _ in counts.most_common()]
        return Flips(
            tuple(features), tuple(counts[n] for n in features), tuple(self._median(n, cheapest) for n in features),
            tuple(alone[n] for n in features), len(rows), total, len(cheapest), already,
        )  # fmt: skip

    def common(
        self, rows: Matrix, wanted: Wanted, threshold: float | None = None, limits: ChangeLimits = NO_LIMITS
    ) -> CommonChange | None:
        """The smallest change that turns most of the encoded rows (m, d) alike, which are predicted as one class."""
        scorer = Scorer(self._model, self._coding)
        outputs = scorer.outputs(rows)
        goals = {self.goal(own, wanted, threshold) for own in outputs}
        if len(goals) != 1:
            return None
        goal = goals.pop()
        left = rows[~goal.reached(outputs)]
        moves = self.moves.limited(limits) if limits != NO_LIMITS else self.moves
        return common_change(left, goal, scorer, moves) if len(left) else None

    def _median(self, name: str, rows: list[CounterfactualRow]) -> float:
        index = self._coding.names.index(name)
        if self._coding.discrete[index]:
            return float("nan")
        changes = [change for one in rows for change in one.changes if change.feature == name]
        if self._coding.features[index].kind is FeatureKind.DATE:
            return float(np.median([(change.after - change.before).days for change in changes]))
        return float(np.median([change.after - change.before for change in changes]))

    def _checked(
        self,
        row: Vector,
        trials: list[Trial[_Holding | None]],
        sources: list[str],
        search: StepwiseSearch,
        limits: ChangeLimits,
    ) -> list[CounterfactualRow]:
        """What of the trials holds, each with where it comes from."""
        checked: dict[bytes, CounterfactualRow] = {}
        for source, holding in zip(sources, carried_out(trials, search.scorer.outputs), strict=True):
            if holding and (limits.most is None or search.moves.count(row, holding.state) <= limits.most):
                cost = float(search.costs(row, holding.state[None, :])[0])
                checked.setdefault(holding.state.tobytes(), self._described(row, holding, cost, source))
        return list(checked.values())

    def _as_it_is(self, row: Vector, state: Vector, goal: Goal, search: StepwiseSearch) -> Trial[_Holding | None]:
        """A trial that returns the state with how well it lasts; None where it is not allowed or does not reach the goal."""
        if not search.moves.allows(row, state):
            return None
        outputs = yield state[None, :]
        holds = float(goal.reached((yield state + self._noise)).mean())
        return _Holding(state, outputs[0], holds) if goal.reached(outputs)[0] else None

    def _lasting(self, row: Vector, state: Vector, goals: list[Goal], search: StepwiseSearch) -> Trial[_Holding | None]:
        """A trial that returns the state brought as near to the row as it lasts, or else where it lasts best; None where it
        is not allowed or does not reach the goal."""
        if not search.moves.allows(row, state):
            return None
        outputs = yield state[None, :]
        best, most = state, -1.0
        for goal in goals:
            if not goal.reached(outputs)[0]:
                break
            near = yield from search.tightened(row, state, goal)
            holds = float(goals[0].reached((yield near + self._noise)).mean())
            if holds > most:
                best, most = near, holds
            if most >= SURE:
                break
        return (yield from self._as_it_is(row, best, goals[0], search)) if most >= 0 else None

    def _rounded(self, row: Vector, state: Vector) -> Vector:
        rounded = state.copy()
        for index, feature in enumerate(self._coding.features):
            if feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE) and state[index] != row[index]:
                rounded[index] = np.round(state[index], feature.precision if feature.kind is FeatureKind.NUMERIC else 0)
        return rounded

    def _described(self, row: Vector, holding: _Holding, cost: float, source: str) -> CounterfactualRow:
        frame = self._coding.decode(np.array([row, holding.state]))
        before, after = ({str(n): python_value(v) for n, v in one.items()} for one in frame.to_dict(orient="records"))
        names = [self._coding.names[index] for index in np.flatnonzero((row != holding.state) & ~np.isnan(row))]
        changes = tuple(Changed(name, before[name], after[name]) for name in names)
        return CounterfactualRow(changes, after, holding.outputs, cost, source, holding.holds)

    def _reason(self, row: Vector, count_found: int, count: int, search: StepwiseSearch) -> str:
        if count_found >= count:
            return ""
        mutable = search.moves.mutable
        if not (mutable & ~np.isnan(row)).any():
            return "Every feature with a known value is marked as one that a person cannot change, or is to be kept."
        fixed = [feature.label for feature, free in zip(self._coding.features, mutable, strict=True) if not free]
        held = f" without changing {listed(fixed, 5, others='other feature')}" if fixed else ""
        if count_found:
            return f"No other set of features was found that would do{held}."
        many = "one feature within its range" if search.most == 1 else f"up to {search.most} features within their ranges"
        return f"No change of {many} leads there{held}."
