"""The prediction changes where a crossing point is told, and nowhere else, as asking the model about every value shows."""

import numpy as np
import pandas as pd
import pytest

from tests.ttm.conftest import Asker, awkward_engine
from ttm.explain.explainer import Explainer
from ttm.operations.crossing.run import CrossingPoints
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.render import render
from ttm.operations.results import Refused
from ttm.tabular.subject import Subject, load_subject


def asked(subject: Subject, text: str) -> CrossingPoints:
    result = Asker(ExecutionEngine(subject, Explainer(subject)))(text)
    assert isinstance(result, CrossingPoints)
    return result


def classes_at(subject: Subject, row: pd.DataFrame, name: str, values: np.ndarray) -> list[str]:
    rows = pd.concat([row] * len(values)).assign(**{name: values})
    return [subject.dataset.schema.target.classes[number] for number in subject.model.predict_proba(rows).argmax(axis=1)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "column", "step"), [("diabetes", "glucose", 1.0), ("diabetes", "bmi", 0.1), ("german", "age", 1.0)]
)
def test_each_value_of_one_row_has_the_class_that_is_stated(name: str, column: str, step: float) -> None:
    subject = load_subject(name)
    feature = subject.dataset.schema.by_token[column]
    changed = 0
    for id in subject.dataset.frame.index[:12]:
        result = asked(subject, f"filter id {id} and crossing {column}")
        row = subject.dataset.frame.loc[[id]]
        for change in result.changes:
            before, after = classes_at(subject, row, feature.name, np.array([change.median - step, change.median]))
            assert (before, after) == (change.lower, change.higher)
        ends = classes_at(subject, row, feature.name, np.array([result.low, result.high]))
        path = [result.changes[0].lower, *(change.higher for change in result.changes)] if result.changes else ends[:1]
        assert [path[0], path[-1]] == ends
        changed += bool(result.changes)
    assert changed > 0


@pytest.mark.slow
def test_no_change_is_missed_where_every_value_is_tried() -> None:
    subject = load_subject("german")
    name = subject.dataset.schema.by_token["age"].name
    values = np.arange(subject.dataset.frame[name].min(), subject.dataset.frame[name].max() + 1)
    for id in subject.dataset.frame.index[:12]:
        at = classes_at(subject, subject.dataset.frame.loc[[id]], name, values)
        expected = [values[place + 1] for place in range(len(at) - 1) if at[place] != at[place + 1]]
        assert [change.median for change in asked(subject, f"filter id {id} and crossing age").changes] == expected


@pytest.mark.slow
def test_a_group_is_the_sum_of_its_rows() -> None:
    subject = load_subject("diabetes")
    ids = [str(id) for id in subject.dataset.frame.index[:20]]
    single = [asked(subject, f"filter id {id} and crossing glucose") for id in ids]
    group = asked(subject, " or ".join(f"filter id {id}" for id in ids) + " and crossing glucose")
    points = [(change.lower, change.higher, change.median) for one in single for change in one.changes]
    for change in group.changes:
        values = [at for lower, higher, at in points if (lower, higher) == (change.lower, change.higher)]
        assert change.count == len(values)
        assert [change.lower_quartile, change.median, change.upper_quartile] == pytest.approx(
            np.quantile(values, [0.25, 0.5, 0.75])
        )
    assert sum(change.count for change in group.changes) == len(points)
    assert sum(group.steady.values()) == sum(not one.changes for one in single)


def test_another_threshold_moves_the_point() -> None:
    subject = load_subject("diabetes")
    low, high = (asked(subject, f"threshold {at} and crossing glucose").changes[0].median for at in (0.2, 0.8))
    assert low < high


def test_what_has_no_point_is_refused_in_words() -> None:
    asker = Asker(ExecutionEngine(load_subject("german"), Explainer(load_subject("german"))))
    categorical = next(f for f in asker.schema.features if f.values)
    assert isinstance(asker(f"crossing {categorical.token}"), Refused)
    numbers = Asker(awkward_engine("regression"))
    numeric = next(f for f in numbers.schema.features if not f.values)
    refused = numbers(f"crossing {numeric.token}")
    assert isinstance(refused, Refused)
    assert "effect" in refused.reason


def test_words_name_class_and_value() -> None:
    subject = load_subject("diabetes")
    result = next(
        r
        for r in (asked(subject, f"filter id {id} and crossing glucose") for id in subject.dataset.frame.index[:30])
        if r.changes
    )
    text = render(result, subject.dataset.schema).text
    assert f"**{result.changes[0].median:g}** on" in text
    assert result.changes[0].higher in text
