"""Our measures of explanations beside those of captum and quantus, for the same explanations.

Which features are hidden is a row of zeros and ones here, of which the output is the mean over the drawn rows, so that both
sides judge by the same draws. Captum gets our sets and our neighbours; quantus draws sets of half the features itself, and ours
is computed on those that it drew.
"""

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.explanations.compared import Beside, Vector, missing, of_rows, timed
from benchmarks.explanations.judged_row import NEIGHBOURS, OTHER_DRAWS, RADIUS, SETS, JudgedRow, Order, pearson

if TYPE_CHECKING:
    from ttm.operations.execution_engine import ExecutionEngine

ROWS = 20


def measures(engine: "ExecutionEngine", rows: int = ROWS) -> tuple[Beside, ...]:
    """Infidelity and max-sensitivity by captum, faithfulness correlation by quantus, of the explanations that the app gives."""
    captum, quantus = missing("captum"), missing("quantus")
    judged = [] if captum and quantus else _judged(engine, rows)
    return (
        Beside("infidelity", "captum", left_out=captum) if captum else _infidelity(judged),
        Beside("max-sensitivity", "captum", left_out=captum) if captum else _sensitivity(judged),
        Beside("faithfulness correlation", "quantus", left_out=quantus) if quantus else _correlation(judged, engine.seed),
    )


class _Judged:
    """One row, the number of the technique that the app chose for it, and the weights of all."""

    def __init__(self, row: JudgedRow, chosen: int, weights: Vector) -> None:
        self.row, self.chosen, self.weights = row, chosen, weights

    @property
    def own(self) -> Vector:
        return np.asarray(self.weights[self.chosen])


def _judged(engine: "ExecutionEngine", rows: int) -> list[_Judged]:
    from ttm.explain.importance import evenly
    from ttm.explain.selection.hiding import Hiding

    explainer = engine.explainer
    frame = engine.subject.dataset.frame
    hiding = Hiding(explainer.coding, explainer.seed + OTHER_DRAWS)
    judged = []
    for index in evenly(len(frame), rows):
        row = frame.iloc[[index]]
        result = explainer.explain(row)
        chosen = [one.technique for one in result.candidates].index(result.chosen.technique)
        weights = np.array([one.weights for one in result.candidates])
        judged.append(_Judged(JudgedRow(explainer, hiding, row, result), chosen, weights))
    return judged


def _hidden(matrix: Vector) -> list[Order]:
    """The sets of features that rows of zeros and ones (n, d) hide."""
    return [np.flatnonzero(row == 0) for row in matrix]


def _mask(sets: list[Order], width: int) -> Vector:
    """Rows of zeros and ones (n, d) that hide sets of features."""
    shown = np.ones((len(sets), width))
    for row, hidden in zip(shown, sets, strict=True):
        row[hidden] = 0
    return shown


def _output(row: JudgedRow, shown: Any) -> Any:
    """The output (n,) for rows of zeros and ones (n, d), each asked of the model."""
    import torch

    return torch.tensor(row.score - row.moved_by(_hidden(np.asarray(shown))))


def _infidelity(judged: list[_Judged]) -> Beside:
    import torch

    library = importlib.import_module("captum.metrics")

    def theirs(one: _Judged) -> float:
        shown = torch.tensor(_mask(one.row.sets, one.row.width))
        value = library.infidelity(
            lambda rows: _output(one.row, rows), lambda _: (1 - shown, shown), torch.ones(1, one.row.width).double(),
            torch.tensor(one.own[None, :]), n_perturb_samples=SETS)  # fmt: skip
        return float(value)

    return of_rows("infidelity", "captum", timed(lambda: np.array([one.row.infidelity(one.own) for one in judged])),
                   timed(lambda: np.array([theirs(one) for one in judged])))  # fmt: skip


def _sensitivity(judged: list[_Judged]) -> Beside:
    import torch

    library = importlib.import_module("captum.metrics")

    def theirs(one: _Judged) -> float:
        row = torch.tensor(one.row.encoded[None, :])
        near = torch.tensor(one.row.neighbours)

        def weigh(inputs: Any) -> Any:
            rows = np.asarray(
                inputs[0] if isinstance(inputs, tuple) else inputs
            )  # captum packs rows into tuples and unpacks them again
            return (torch.tensor(one.row.weights_near(rows)[:, one.chosen]),)

        return float(library.sensitivity_max(weigh, row, lambda _: near, RADIUS, NEIGHBOURS))

    ours = timed(lambda: np.array([one.row.sensitivities(one.weights)[one.chosen] for one in judged]))
    return of_rows("max-sensitivity", "captum", ours, timed(lambda: np.array([theirs(one) for one in judged])))


def _correlation(judged: list[_Judged], seed: int) -> Beside:
    import torch

    library = importlib.import_module("quantus")

    class Shown(torch.nn.Module):
        """The model as quantus expects one: rows of zeros and ones in, a column of outputs out."""

        def __init__(self, row: JudgedRow) -> None:
            super().__init__()
            self._row = row

        def forward(self, shown: Any) -> Any:
            return _output(self._row, shown.reshape(len(shown), -1))[:, None]

    drawn: list[list[Order]] = []

    def hide(arr: Any, indices: Any, **_: Any) -> Any:
        drawn[-1].append(np.array(indices[0]))
        return _mask([np.array(own) for own in indices], arr.shape[1])

    def theirs(one: _Judged) -> float:
        drawn.append([])
        measure = library.FaithfulnessCorrelation(
            nr_runs=SETS, subset_size=max(1, one.row.width // 2), perturb_func=hide, normalise=False, return_aggregate=False,
            disable_warnings=True)  # fmt: skip
        shown, weights = np.ones((1, 1, one.row.width)), one.own[None, None, :]
        return float(measure(model=Shown(one.row).eval(), x_batch=shown, y_batch=np.array([0]), a_batch=weights)[0])

    np.random.seed(seed)
    values = timed(lambda: np.array([theirs(one) for one in judged]))

    def ours(one: _Judged, sets: list[Order]) -> float:
        return pearson(np.array([one.own[columns].sum() for columns in sets]), one.row.moved_by(sets))

    again = timed(lambda: np.array([ours(one, sets) for one, sets in zip(judged, drawn, strict=True)]))
    return of_rows("faithfulness correlation", "quantus", again, values)
