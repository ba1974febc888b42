"""A threshold for each group: rates counted by hand under it, what follows in the turn, and what cannot be asked."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from tests.ttm.conftest import Asker
from ttm.explain.explainer import Explainer
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.fairness.run import TreatedGroup
from ttm.operations.mistakes.run import MistakeCount
from ttm.operations.render import render
from ttm.operations.results import Empty, Refused, Versus
from ttm.operations.scores.estimates import ScoreEstimate
from ttm.operations.scores.run import ClassScores
from ttm.operations.thresholds_by_group.run import ThresholdsByGroup
from ttm.tabular.subject import load_subject

GROUPS = "filter man true versus filter woman true"
THRESHOLDS = (0.3, 0.6)


@pytest.fixture(scope="module")
def compas() -> Asker:
    subject = load_subject("compas")
    return Asker(ExecutionEngine(subject, Explainer(subject)))


@pytest.fixture(scope="module")
def people(compas: Asker) -> pd.DataFrame:
    """One row a person: in which group, the true class, and the predicted one then and now."""
    subject = compas.subject
    table = subject.dataset.frame[["man", "woman"]].assign(truth=subject.dataset.labels)
    positive = subject.probabilities[:, 1]
    own = np.where(table["man"] == 1, *THRESHOLDS)
    return table.assign(then=(positive >= own).astype(int), now=(positive >= 0.5).astype(int))


def counted(rows: pd.DataFrame, predicted: str) -> dict[str, float]:
    hits = rows[predicted] == 1
    return {
        "baserate": rows["truth"].mean(),
        "selection": hits.mean(),
        "recall": hits[rows["truth"] == 1].mean(),
        "fpr": hits[rows["truth"] == 0].mean(),
        "ppv": rows["truth"][hits].mean(),
        "accuracy": (rows[predicted] == rows["truth"]).mean(),
    }


def values(rates: TreatedGroup | dict[str, ScoreEstimate]) -> dict[str, float | None]:
    measured = rates.rates if isinstance(rates, TreatedGroup) else rates
    return {name: measured[name].value for name in ("baserate", "selection", "recall", "fpr", "ppv", "accuracy")}


def test_each_group_is_counted_under_its_threshold(compas: Asker, people: pd.DataFrame) -> None:
    result = compas(f"{GROUPS} and threshold 0.3 0.6")
    assert isinstance(result, ThresholdsByGroup)
    for one, column in zip(result.groups, ("man", "woman"), strict=True):
        rows = people[people[column] == 1]
        assert values(one.then) == pytest.approx(counted(rows, "then"))
        assert values(one.now) == pytest.approx(counted(rows, "now"))
    assert values(result.together) == pytest.approx(counted(people, "then"))
    assert values(result.together_now) == pytest.approx(counted(people, "now"))
    assert result.turned == int((people["then"] != people["now"]).sum())
    rates = [counted(people[people[column] == 1], "then")["fpr"] for column in ("man", "woman")]
    gap = next(gap for gap in result.gaps if gap.rate == "fpr")
    assert gap.difference.value == pytest.approx(abs(rates[0] - rates[1]))


def test_the_answer_tells_both_thresholds_and_what_becomes_of_the_gaps(compas: Asker) -> None:
    answer = render(compas(f"{GROUPS} and threshold 0.3 0.6"), compas.schema)
    for words in ("**0.30** on for people with man", "**0.60** on for people with woman", "would turn", "Now the gap is",
                  "False positive rate", "Thresholds by group treat people by their group"):  # fmt: skip
        assert words in answer.text
    assert answer.figure is not None
    assert len(answer.tables[0].rows) == 6


def test_what_comes_after_is_about_each_group_under_its_threshold(compas: Asker, people: pd.DataFrame) -> None:
    wrong, score = compas.all(f"{GROUPS} and threshold 0.3 0.6 and mistake count and filter age less than 30 and score fpr")
    assert isinstance(wrong, Versus)
    assert isinstance(score, Versus)
    young = compas.subject.dataset.frame["age"] < 30
    for one, both, column in zip(wrong.results, score.results, ("man", "woman"), strict=True):
        rows = people[people[column] == 1]
        assert isinstance(one, MistakeCount)
        assert isinstance(both, ClassScores)
        assert one.wrong == int((rows["then"] != rows["truth"]).sum())
        fpr = counted(people[(people[column] == 1) & young], "then")["fpr"]
        assert both.value == pytest.approx(fpr)


@pytest.mark.parametrize(("text", "reason"), [
    (f"{GROUPS} and threshold 0.3 0.6 0.7", "3 thresholds need as many groups side by side, but there are 2 groups"),
    ("filter man true and threshold 0.3 0.6", "but there is one group"),
    (f"{GROUPS} and threshold 0.3 7", "7 is not"),
    ("filter man true versus filter age less than 30 and threshold 0.3 0.6", "in several of the groups"),
    (f"{GROUPS} and threshold 0.3 0.6 and filter age less than 30 versus filter age greater than 40 and predict", "no others"),
])  # fmt: skip
def test_what_cannot_be_is_refused_in_words(compas: Asker, text: str, reason: str) -> None:
    result = compas.all(text)[-1]
    assert isinstance(result, Refused)
    assert reason in result.reason


def test_an_empty_group_names_its_condition(compas: Asker) -> None:
    result = compas("filter man true versus filter age less than 3 and threshold 0.3 0.6")
    assert isinstance(result, Empty)
    assert "age below 3" in result.reason


@pytest.mark.parametrize(("kind", "reason"), [("regression", "predicts a number"), ("several", "two classes only")])
def test_only_two_classes_have_thresholds(kind: str, reason: str, asker: Callable[[str], Asker]) -> None:
    result = asker(kind)("filter smoker true versus filter smoker false and threshold 0.3 0.6")
    assert isinstance(result, Refused)
    assert reason in result.reason


def test_without_true_outcomes_only_the_selection_rate_is_known(asker: Callable[[str], Asker]) -> None:
    result = asker("unlabelled")("filter smoker true versus filter smoker false and threshold 0.3 0.6")
    assert isinstance(result, ThresholdsByGroup)
    assert [gap.rate for gap in result.gaps] == ["selection"]
    assert "Accuracy over all" not in render(result, asker("unlabelled").schema).text
