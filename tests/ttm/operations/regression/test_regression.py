"""A line is that of numpy's least squares and statsmodels' formulas by hand; the matrix has every pair once."""

from itertools import combinations

import numpy as np
import pytest

from tests.ttm.conftest import Asker, awkward_engine
from ttm.explain.explainer import Explainer
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.regression.run import AssociationMatrix, RegressionLine
from ttm.operations.render import render
from ttm.operations.results import Refused
from ttm.tabular.subject import load_subject


def test_a_line_is_the_least_squares_one() -> None:
    subject = load_subject("diabetes")
    result = Asker(ExecutionEngine(subject, Explainer(subject)))("regress glucose bmi")
    assert isinstance(result, RegressionLine)
    known = subject.dataset.frame[["Glucose", "BMI"]].dropna().to_numpy()
    matrix = np.column_stack([np.ones(len(known)), known[:, 1]])
    (intercept, slope), (squares,), *_ = np.linalg.lstsq(matrix, known[:, 0], rcond=None)
    assert (result.slope, result.intercept, result.rows) == (pytest.approx(slope), pytest.approx(intercept), len(known))
    error = np.sqrt(squares / (len(known) - 2) / ((known[:, 1] - known[:, 1].mean()) ** 2).sum())
    assert result.high - result.slope == pytest.approx(1.97 * error, rel=0.01)
    assert result.r2 == pytest.approx(1 - squares / ((known[:, 0] - known[:, 0].mean()) ** 2).sum())


def test_all_pairs_are_there_once_and_as_alone() -> None:
    asker = Asker(awkward_engine("binary"))
    result = asker("correlate all")
    assert isinstance(result, AssociationMatrix)
    pairs = {frozenset((pair.column, pair.other)) for pair in result.pairs}
    assert pairs == {frozenset(pair) for pair in combinations(result.columns, 2)}
    assert len(pairs) == len(result.pairs)
    alone = asker("correlate age bodymass").associations[0]
    both = next(p for p in result.pairs if {p.column, p.other} == {"Age", "body_mass"})
    assert both.pearson == pytest.approx(alone.pearson)
    assert render(result, asker.schema).figure is not None


@pytest.mark.parametrize(("kind", "text"), [("binary", "regress target age"), ("binary", "regress age smoker"),
                                            ("regression", "filter id 101 and regress age bodymass")])  # fmt: skip
def test_what_has_no_line_is_refused_in_words(kind: str, text: str) -> None:
    result = Asker(awkward_engine(kind))(text)
    assert isinstance(result, Refused)
    assert len(result.reason) > 30
