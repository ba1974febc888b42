"""Drift and outliers of a second table, computed again from their definitions with scipy and pandas."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, ks_2samp

from backend.errors import DatasetError
from tests.ttm.explain.conftest import mixed, mixed_table
from ttm.explain.explainer import Explainer
from ttm.language.grammar import grammar_of
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.render import render
from ttm.operations.results import Refused
from ttm.operations.second_table.outlying import distances
from ttm.operations.second_table.run import ColumnDrift, OutlyingRows, TableDrift
from ttm.tabular.data.second_table import second_table

# Of both tables together, without the region that is not known.
RAREST = pd.concat([mixed_table(), mixed_table().iloc[2:100]])["region"].value_counts().idxmin()


@cache
def _engine(target: str) -> ExecutionEngine:
    subject = mixed(target)
    return ExecutionEngine(subject, Explainer(subject))


def newer() -> pd.DataFrame:
    """A hundred of the rows: heavier, two of an unknown region, one far away, most without a date."""
    frame = mixed_table().iloc[:100].copy()
    frame["weight"] += 20
    frame.loc[frame.index[:2], "region"] = "south pole"
    frame.loc[frame.index[3], "tests"] = 900
    frame.loc[frame.index[:60], "since"] = None
    return frame


def asked(parse: str, table: Any, target: str = "ill") -> Any:
    engine = _engine(target)
    if table is not None:
        second = second_table(table, engine.schema, engine.subject.dataset.train_frame)
        engine = ExecutionEngine(engine.subject.with_second(second), engine.explainer)
    (result,) = engine.execute(grammar_of(engine.schema).read(parse)).results
    return result


def _holm(p_values: list[float]) -> list[float]:
    """Each p-value times the number of those that are not smaller, never below an earlier one."""
    order, adjusted, largest = np.argsort(p_values), [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, p_values[index] * (len(p_values) - rank)))
        adjusted[index] = largest
    return adjusted


def by_column(result: TableDrift) -> dict[str, ColumnDrift]:
    return {column.column: column for column in result.columns}


def test_each_column_has_the_test_of_its_kind() -> None:
    result, before, after = asked("drift", newer()), mixed_table(), newer()
    columns = by_column(result)
    for name in ("age", "weight", "tests"):
        expected = ks_2samp(before[name].dropna(), after[name].dropna())
        assert columns[name].size == pytest.approx(expected.statistic)
        assert columns[name].after == pytest.approx(after[name].mean())
    shares = [frame["region"].value_counts(normalize=True) for frame in (before, after)]
    assert columns["region"].size == pytest.approx(shares[0].sub(shares[1], fill_value=0).abs().sum() / 2)
    assert columns["region"].unseen == {"south pole": 2}
    assert columns["tests"].outside == 1
    assert columns["since"].missing_after == pytest.approx(after["since"].isna().mean())
    assert (result.rows, result.reference) == (100, 240)


def test_all_tests_are_adjusted_together() -> None:
    result, before, after = asked("drift", newer()), mixed_table(), newer()
    raw = {name: ks_2samp(before[name].dropna(), after[name].dropna()).pvalue for name in ("age", "weight", "tests")}
    days = [pd.to_datetime(frame["since"]).dropna() for frame in (before, after)]
    raw["since"] = ks_2samp(*(column.map(pd.Timestamp.toordinal) for column in days)).pvalue
    counts = [[(frame["smoker"] == value).sum() for value in (0, 1)] for frame in (before, after)]
    raw["smoker"] = chi2_contingency(counts, correction=False).pvalue
    joined = [frame["region"].replace("south pole", RAREST) for frame in (before, after)]  # two rows are too few for a test
    region = [[(column == value).sum() for value in ("north", "south", "far <east>")] for column in joined]
    raw["region"] = chi2_contingency(region, correction=False).pvalue
    gone = {name: [[frame[name].isna().sum(), frame[name].notna().sum()] for frame in (before, after)]
            for name in ("weight", "region", "since")}  # fmt: skip
    missing = {name: chi2_contingency(counts, correction=False).pvalue for name, counts in gone.items()}
    order = list(raw)
    adjusted = dict(zip([*order, *(f"no {name}" for name in missing)], _holm([*raw.values(), *missing.values()]), strict=True))
    assert result.tests == len(adjusted)
    for name, column in by_column(result).items():
        assert column.p == pytest.approx(adjusted[name], abs=1e-9), name
        if name in missing:
            assert column.missing_p == pytest.approx(adjusted[f"no {name}"], abs=1e-9), name
    assert [name for name, column in by_column(result).items() if column.is_clear][:2] == ["weight", "since"]


def test_what_drift_does_to_the_model_is_measured_on_both_tables() -> None:
    subject, result = mixed("ill"), asked("drift", newer())
    second = second_table(newer(), subject.schema, subject.dataset.train_frame)
    probabilities = subject.model.predict_proba(second.frame)[:, 1]
    assert result.output.after == pytest.approx(probabilities.mean())
    assert result.output.p == pytest.approx(ks_2samp(subject.probabilities[:, 1], probabilities).pvalue)
    scores = {score.metric: score for score in result.scores}
    right = (probabilities >= 0.5) == newer()["ill"].to_numpy().astype(bool)
    assert scores["accuracy"].after.value == pytest.approx(right.mean())
    assert scores["accuracy"].before.value == pytest.approx((subject.predictions == subject.dataset.labels).mean())
    assert result.flatters, "the model was trained on the rows that the second table is compared with"
    errors = {score.metric: score.after.value for score in asked("drift", newer(), "cost").scores}
    cost = mixed("cost")
    predicted = cost.model.predict(second_table(newer(), cost.schema, cost.dataset.train_frame).frame)
    assert errors["mae"] == pytest.approx(np.abs(predicted - newer()["cost"]).mean())


def test_the_same_rows_have_not_drifted() -> None:
    result = asked("drift", mixed_table())
    assert all(column.size == 0 and not column.is_clear for column in result.columns)
    assert "no column" in render(result, mixed("ill").schema).text


def test_without_a_second_table_the_training_rows_are_not_compared_with_themselves() -> None:
    result = asked("drift", None)
    assert isinstance(result, Refused)
    assert "second table" in result.reason
    assert isinstance(asked("filter age greater than 50 and drift", newer()), Refused)


def test_distances_are_those_of_the_definition() -> None:
    random = np.random.default_rng(3)
    reference, rows = random.normal(size=(40, 3)), random.normal(size=(6, 3))
    reference[:, 2], rows[:, 2] = random.integers(0, 3, 40), random.integers(0, 3, 6)
    reference[0, 0] = rows[1, 1] = np.nan
    scale, discrete = np.array([0.5, 2.0, 1.0]), np.array([False, False, True])
    mean = np.nanmean(reference, axis=0)

    def apart(one: np.ndarray, other: np.ndarray) -> float:
        total = 0.0
        for column in range(3):
            a, b = one[column], other[column]
            if np.isnan(a) or np.isnan(b):
                known = b if np.isnan(a) else a
                total += max(1.0, abs(known - mean[column]) / scale[column])
            else:
                total += float(a != b) if discrete[column] else abs(a - b) / scale[column]
        return total / 3

    usual = [np.mean(sorted(apart(one, other) for other in np.delete(reference, index, axis=0))[:5])
             for index, one in enumerate(reference)]  # fmt: skip
    result = distances(rows, reference, scale, discrete)
    for index, row in enumerate(rows):
        far = np.mean(sorted(apart(row, other) for other in reference)[:5])
        assert result.distance[index] == pytest.approx(far)
        assert result.p[index] == pytest.approx((1 + sum(one >= far for one in usual)) / 41)
        assert result.parts[index].sum() == pytest.approx(far)


def test_the_row_that_was_moved_is_the_farthest_one() -> None:
    result = asked("outliers 3", newer())
    assert isinstance(result, OutlyingRows)
    assert (result.listed[0].id, result.listed[0].values[0].column, result.listed[0].values[0].value) == (3, "tests", 900)
    assert result.far >= 1
    assert len(result.listed) == 3
    text = render(result, mixed("ill").schema).text
    assert "id 3" in text
    assert "tests 900" in text


def test_the_training_rows_themselves_are_each_set_beside_the_others() -> None:
    result = asked("outliers", None)
    assert len(result.listed) == 10
    assert result.far == pytest.approx(0.01 * 240, abs=1), "one in a hundred, by definition"
    some = asked("filter age greater than 60 and outliers 2", None)
    assert some.rows == int((mixed_table()["age"] > 60).sum())


def test_values_are_read_as_the_data_set_has_them(tmp_path: Path) -> None:
    schema, like = mixed("ill").schema, mixed("ill").dataset.train_frame
    path = tmp_path / "more.csv"
    newer().assign(extra=1, ill=newer()["ill"].map({0: "0", 1: "1"})).to_csv(path, index=False)
    second = second_table(path, schema, like)
    assert list(second.frame.columns) == [feature.name for feature in schema.features]
    assert second.labels is not None
    assert second.labels.tolist() == newer()["ill"].tolist()
    assert second.frame["smoker"].tolist() == newer()["smoker"].tolist()
    assert second.name == "more.csv"


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda frame: frame.drop(columns=["age", "since"]), "lacks the columns age, since"),
        (lambda frame: frame.assign(weight="heavy"), "weight"),
        (lambda frame: frame.assign(ill="perhaps"), "one of 0, 1"),
        (lambda frame: frame.iloc[:1], "at least 2"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(change: Any, part: str) -> None:
    with pytest.raises(DatasetError, match=part):
        second_table(change(newer()), mixed("ill").schema, mixed("ill").dataset.train_frame)
