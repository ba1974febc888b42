"""What is called beyond chance is so by the same test of another library on the same rows."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.ttm.conftest import Asker, awkward_engine, awkward_subject
from ttm.explain.explainer import Explainer
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.render import render
from ttm.operations.results import Refused
from ttm.operations.significance.run import Significance
from ttm.tabular.subject import Subject, load_subject

WOMEN_AND_MEN = "filter woman true versus filter woman false"


@pytest.fixture(scope="module")
def compas() -> Subject:
    return load_subject("compas")


def answer_of(subject: Subject, *turns: str) -> Significance:
    asker = Asker(ExecutionEngine(subject, Explainer(subject)))
    *_, last = [asker.all(turn)[-1] for turn in turns]
    assert isinstance(last, Significance)
    return last


def women(subject: Subject) -> np.ndarray:
    return (subject.dataset.frame[subject.schema.by_token["woman"].name] == 1).to_numpy()


def test_means_of_two_groups_by_welchs_test(compas: Subject) -> None:
    priors = compas.dataset.frame[compas.schema.by_token["numberofpriorcrimes"].name].to_numpy()
    (test,) = answer_of(compas, f"{WOMEN_AND_MEN} and statistic numberofpriorcrimes", "significant").tests
    expected = stats.ttest_ind(priors[women(compas)], priors[~women(compas)], equal_var=False)
    assert test.p == pytest.approx(expected.pvalue)


def test_shares_of_two_groups_by_the_chi_squared_test(compas: Subject) -> None:
    (test,) = answer_of(compas, f"{WOMEN_AND_MEN} and score accuracy", "significant").tests
    table = pd.crosstab(women(compas), compas.predictions == compas.dataset.labels)
    assert test.p == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue)
    assert test.is_clear is False


def test_two_groups_in_one_breath_are_compared_by_their_outcomes(compas: Subject) -> None:
    result = answer_of(compas, f"{WOMEN_AND_MEN} and significant")
    table = pd.crosstab(women(compas), np.asarray(compas.dataset.labels))
    assert result.tests[0].p == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue)
    assert render(result, compas.schema).text.startswith("**Yes.**")


def test_correlations_by_pearsons_test_adjusted_for_being_many() -> None:
    diabetes = load_subject("diabetes")
    result = answer_of(diabetes, "correlate age bmi", "significant")
    frame = diabetes.dataset.frame[["Age", "BMI"]].dropna()
    assert result.tests[0].p == pytest.approx(stats.pearsonr(frame["Age"], frame["BMI"]).pvalue)
    many = answer_of(diabetes, "correlate age", "significant").tests
    alone = next(one for one in many if "BMI" in one.what)
    assert alone.p is not None
    assert result.tests[0].p is not None
    assert alone.p >= result.tests[0].p


def test_a_line_by_the_t_test_of_its_slope() -> None:
    diabetes = load_subject("diabetes")
    frame = diabetes.dataset.frame[["Age", "BMI"]].dropna()
    asker = Asker(ExecutionEngine(diabetes, Explainer(diabetes)))
    asker.all("regress bmi age")
    result = asker("significant")
    assert result.tests[0].p == pytest.approx(stats.linregress(frame["Age"], frame["BMI"]).pvalue)
    assert "age and" in render(result, diabetes.schema).text.lower()


def test_two_models_and_a_column_left_out_by_mcnemars_test() -> None:
    subject = awkward_subject("binary")
    for asked in ("without age", "models linear"):
        asker = Asker(ExecutionEngine(subject, Explainer(subject)))
        before = asker(asked)
        (test,) = asker("significant").tests
        scores = before if asked == "without age" else before.scores
        apart = (scores.broken, scores.mended) if asked == "without age" else (scores.own_better, scores.other_better)
        expected = stats.binomtest(min(apart), sum(apart)).pvalue if sum(apart) else 1.0
        assert test.p == pytest.approx(expected)
        assert test.method == "McNemar's exact test"


def test_an_accuracy_is_tested_against_the_most_frequent_class(compas: Subject) -> None:
    (test,) = answer_of(compas, "score accuracy", "significant").tests
    labels = np.asarray(compas.dataset.labels)
    right, share = int((compas.predictions == labels).sum()), max(labels.mean(), 1 - labels.mean())
    assert test.p == pytest.approx(stats.binomtest(right, len(labels), share, alternative="greater").pvalue)


@pytest.mark.parametrize("before", ["", "show", "filter smoker true versus filter age greater than 20 and statistic age"])
def test_what_cannot_be_tested_is_refused_in_words(before: str) -> None:
    asker = Asker(awkward_engine("binary"))
    if before:
        asker.all(before)
    result = asker("significant")
    assert isinstance(result, Refused)
    assert len(result.reason) > 30


@pytest.mark.parametrize("question", ["significant", "label and significant", "distribution target and significant"])
def test_means_of_a_quantity_are_tested_as_welch_does(question: str) -> None:
    subject = awkward_subject("regression")
    frame, truth = subject.dataset.frame, subject.dataset.labels
    assert truth is not None
    groups = [truth[(frame["Is_Member"] == value).to_numpy()] for value in (1, 0)]
    expected = stats.ttest_ind(*(group[~np.isnan(group)] for group in groups), equal_var=False).pvalue
    (test,) = answer_of(subject, f"filter ismember true versus filter ismember false and {question}").tests
    assert test.p == pytest.approx(expected)
