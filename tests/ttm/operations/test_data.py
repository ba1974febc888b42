"""Counts, values, outcomes and statistics equal what pandas says."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from tests.ttm.conftest import Asker
from ttm.operations.columns.run import CategoryStatistic, DateStatistic, NumericStatistic
from ttm.operations.data.run import TrueClass, TrueClasses, TrueValue, TrueValues
from ttm.operations.results import Refused, as_json

Ask = Callable[[str], Asker]


def test_a_count_and_its_share(ask: Asker) -> None:
    frame = ask.subject.dataset.frame
    result = ask("filter age greater than 40")
    assert result.count == (frame["Age"] > 40).sum()
    assert result.share == pytest.approx((frame["Age"] > 40).mean())
    assert result.group.ids == tuple(frame.index[frame["Age"] > 40][:20])


def test_numeric_statistics_are_those_of_pandas(ask: Asker) -> None:
    told = ask.subject.dataset.frame["body_mass"].describe()
    result = ask("statistic bodymass")
    assert isinstance(result, NumericStatistic)
    assert result.missing == ask.subject.dataset.frame["body_mass"].isna().sum()
    values = (
        result.count,
        result.mean,
        result.std,
        result.min,
        result.lower_quartile,
        result.median,
        result.upper_quartile,
        result.max,
    )
    np.testing.assert_allclose(values, told.to_numpy())


def test_a_deviation_of_one_value_is_unknown_not_zero(ask: Asker) -> None:
    result = ask("filter id 101 and statistic age")
    assert np.isnan(result.std)
    assert as_json(result)["std"] is None


def test_categories_are_counted_as_they_stand_in_the_data(ask: Asker) -> None:
    column = ask.subject.dataset.frame["loan purpose"]
    result = ask("statistic loanpurpose")
    assert isinstance(result, CategoryStatistic)
    assert result.counts == column.value_counts().to_dict()
    assert result.shares == pytest.approx(column.value_counts(normalize=True).to_dict())
    assert result.missing == column.isna().sum()


def test_dates_are_summed_up_as_dates(ask: Asker) -> None:
    column = ask.subject.dataset.frame["since"]
    result = ask("statistic since")
    assert isinstance(result, DateStatistic)
    assert (result.first, result.median, result.last) == (column.min(), column.median(), column.max())
    assert as_json(result)["first"] == f"{column.min():%Y-%m-%d}"


def test_statistics_see_changes(ask: Asker) -> None:
    plain, changed = ask("statistic age"), ask("change age increase 2.5 and statistic age")
    assert changed.mean == pytest.approx(plain.mean + 2.5)
    assert ask("change smoker true and statistic smoker").counts == {"yes": 80}


def test_true_outcomes_leave_unknown_ones_out(asker: Ask) -> None:
    for kind in ("binary", "several"):
        conversation = asker(kind)
        labels, classes = conversation.subject.dataset.labels, conversation.schema.target.classes
        assert labels is not None
        result = conversation("label")
        assert isinstance(result, TrueClasses)
        assert result.unlabelled == 3
        assert result.counts == {name: int((labels == number).sum()) for number, name in enumerate(classes)}
        assert sum(result.shares.values()) == pytest.approx(1)
        one = conversation("filter id 105 and label")
        assert isinstance(one, TrueClass)
        assert one.label == classes[labels[5]]


def test_true_values_of_a_quantity(asker: Ask) -> None:
    conversation = asker("regression")
    labels = pd.Series(conversation.subject.dataset.labels)
    result = conversation("label")
    assert isinstance(result, TrueValues)
    assert result.summary.mean == pytest.approx(labels.mean())
    assert result.summary.missing == 3
    assert isinstance(conversation("filter id 110 and label"), TrueValue)
    assert conversation("statistic target").std == pytest.approx(labels.std())


@pytest.mark.parametrize("operation", ["label", "statistic target", "score default", "threshold", "distribution target"])
def test_what_needs_the_truth_says_that_it_is_unknown(operation: str, ask: Asker, asker: Ask) -> None:
    assert isinstance(asker("unlabelled")(operation), Refused)
    unknown = ask(f"filter id 101 and {operation}")
    assert isinstance(unknown, Refused)
    assert "No true outcome is known" in unknown.reason
    made_up = ask(f"instance age 44 and {operation}")
    assert isinstance(made_up, Refused)
    assert "made-up case" in made_up.reason


def test_shown_rows_hold_values_before_and_after_changes(ask: Asker) -> None:
    frame = ask.subject.dataset.frame
    result = ask("filter age less than 50 and change age increase 7 and show")
    chosen = frame[frame["Age"] < 50].head(20)
    pd.testing.assert_frame_equal(result.original, chosen)
    np.testing.assert_allclose(result.rows["Age"], chosen["Age"] + 7)
    rows = as_json(result)["rows"]
    assert [row["key"] for row in rows] == chosen.index.tolist()
    assert rows[0]["body_mass"] is None or isinstance(rows[0]["body_mass"], float)


def test_the_data_description_counts_what_is_there(ask: Asker) -> None:
    dataset = ask.subject.dataset
    result = ask("data")
    assert (result.rows, result.train_rows, result.trained_on_same) == (80, 80, False)
    assert [facts.column for facts in result.features] == list(dataset.frame.columns)
    assert result.missing == {name: n for name, n in dataset.frame.isna().sum().items() if n}


def test_a_definition_tells_kind_values_and_bounds(ask: Asker) -> None:
    facts = ask("define loanpurpose").facts
    assert facts.kind == "categorical"
    assert "new car" in facts.values
    assert ask("define since").facts.low == "2020-02-27"
    assert ask("define target").facts.values == ("bad risk", "good <risk>")


def test_a_column_named_like_the_id_does_not_hide_it() -> None:
    frame = pd.DataFrame({"id": [5]}, index=pd.Index(["a"], name="id"))
    assert as_json(frame) == [{"row id": "a", "id": 5}]
