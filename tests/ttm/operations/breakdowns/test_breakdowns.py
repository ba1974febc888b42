"""Figures by group are those of the rows of each group alone, and their tests those of scipy on the same rows."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.ttm.conftest import Asker, awkward_engine
from ttm.explain.explainer import Explainer
from ttm.operations.breakdowns.run import CrossTable, MeansByGroup, ScoresByGroup
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.predictions.run import AskedProbability
from ttm.operations.render import render
from ttm.operations.results import Refused
from ttm.tabular.subject import Subject, load_subject


@pytest.fixture(scope="module")
def compas() -> Subject:
    return load_subject("compas")


def asker_of(subject: Subject) -> Asker:
    return Asker(ExecutionEngine(subject, Explainer(subject)))


def column(subject: Subject, token: str) -> pd.Series:
    return subject.dataset.frame[subject.dataset.schema.by_token[token].name]


def test_means_by_group_are_those_of_pandas_and_the_test_that_of_scipy(compas: Subject) -> None:
    result = asker_of(compas)("statistic numberofpriorcrimes by black")
    assert isinstance(result, MeansByGroup)
    by = column(compas, "numberofpriorcrimes").groupby(column(compas, "black"))
    assert [summary.mean for summary in result.summaries] == pytest.approx(by.mean().tolist())
    assert [summary.count for summary in result.summaries] == by.size().tolist()
    assert result.p == pytest.approx(stats.alexandergovern(*[part.to_numpy() for _, part in by]).pvalue)


def test_medians_by_group_are_named_too(compas: Subject) -> None:
    ask = asker_of(compas)
    medians = column(compas, "age").groupby(column(compas, "felony")).median()
    text = render(ask("statistic age by felony"), compas.dataset.schema).text
    low, high = (
        f"{value:g} years for" if compas.dataset.schema.by_token["age"].unit else f"{value:g} for" for value in sorted(medians)
    )
    assert f"The median is highest, {high} " in text
    assert f"and lowest, {low} " in text


def test_a_score_that_is_the_same_everywhere_is_said_to_be(compas: Subject) -> None:
    result = asker_of(compas)("predictionfilter 1 and labelfilter 1 and score accuracy by woman")
    assert "accuracy is the same for all groups where it is known (100.0%)" in render(result, compas.dataset.schema).text


def test_a_score_by_group_is_that_of_the_group_alone(compas: Subject) -> None:
    asker = asker_of(compas)
    for metric in ("accuracy", "fpr", "roc"):
        result = asker(f"score {metric} by woman")
        assert isinstance(result, ScoresByGroup)
        alone = [asker(f"filter woman {value} and score {metric}").value for value in ("false", "true")]
        assert [one.value for one in result.estimates] == pytest.approx(alone)
    assert result.names == ("no", "yes")


def test_the_difference_of_two_scores_has_the_p_value_of_a_chi_squared_test(compas: Subject) -> None:
    result = asker_of(compas)("score accuracy by woman")
    right = compas.predictions == compas.dataset.labels
    table = pd.crosstab(column(compas, "woman").to_numpy(), right)
    assert result.gap.p == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue)


def test_a_cross_table_is_that_of_pandas(compas: Subject) -> None:
    result = asker_of(compas)("countdata by felony black")
    assert isinstance(result, CrossTable)
    table = pd.crosstab(column(compas, "felony"), column(compas, "black"))
    assert result.counts == tuple(map(tuple, table.to_numpy().tolist()))
    test = stats.chi2_contingency(table, correction=False)
    assert result.p == pytest.approx(test.pvalue)
    assert result.cramers_v == pytest.approx(stats.contingency.association(table))


def test_rows_are_counted_by_true_and_by_predicted_class(compas: Subject) -> None:
    asker = asker_of(compas)
    labels, predictions = np.asarray(compas.dataset.labels), compas.predictions
    assert asker("countdata by target").counts == tuple((int((labels == k).sum()),) for k in (0, 1))
    assert asker("countdata by prediction").counts == tuple((int((predictions == k).sum()),) for k in (0, 1))


def test_a_quantity_makes_quarters_that_hold_every_row() -> None:
    result = Asker(awkward_engine("regression"))("score mae by target")
    known = [one for name, one in zip(result.names, result.estimates, strict=True) if name != "no value"]
    assert len(known) == 4
    assert sum(one.rows for one in known) == 77


def test_the_probability_of_the_class_that_was_asked_for(compas: Subject) -> None:
    asker, id = asker_of(compas), compas.dataset.frame.index[3]
    result = asker(f"filter id {id} and likelihood class 0")
    assert isinstance(result, AskedProbability)
    assert result.probability == pytest.approx(compas.probabilities[3, 0])
    assert asker("likelihood class 0").probability == pytest.approx(compas.probabilities[:, 0].mean())
    assert compas.schema.target.classes[0] in render(result, compas.schema).text


def test_of_three_classes_the_rest_is_stated() -> None:
    asker = Asker(awkward_engine("several"))
    result = asker("filter id 105 and likelihood class 2")
    text = render(result, asker.schema).text
    assert f"{1 - result.probability:.1%} that it is another" in text


def test_what_makes_no_groups_is_refused_in_words() -> None:
    result = Asker(awkward_engine("binary"))("filter smoker true and statistic age by smoker")
    assert isinstance(result, Refused)
    assert "smoker is the same" in result.reason


def test_a_score_by_group_without_true_outcomes_is_refused_in_words() -> None:
    result = Asker(awkward_engine("unlabelled"))("score accuracy by smoker")
    assert isinstance(result, Refused)
    assert "true outcomes" in result.reason
