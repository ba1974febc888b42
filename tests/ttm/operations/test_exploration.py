"""Distributions, comparisons, correlations, neighbours and effects against direct computations."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from backend.errors import ParseError
from tests.ttm.conftest import Asker
from tests.ttm.explain.conftest import numeric_table, subject_of
from ttm.explain.explainer import Explainer
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.exploration.run import CategoryDistribution, NumberDistribution
from ttm.operations.neighbours.run import MAX_ROWS
from ttm.operations.render import render
from ttm.operations.results import Refused

Ask = Callable[[str], Asker]


@pytest.mark.parametrize("column", ["age", "bodymass", "since", "constantish"])
def test_a_histogram_counts_every_known_value_once(column: str, ask: Asker) -> None:
    result = ask(f"distribution {column}")
    assert isinstance(result, NumberDistribution)
    known = ask.subject.dataset.frame[result.column].notna()
    assert sum(result.counts) == result.summary.count == known.sum()
    labels = ask.subject.dataset.labels
    assert labels is not None
    by_class = {name: sum(counts) for name, counts in result.by_class.items()}
    assert by_class == {"bad risk": (known & (labels == 0)).sum(), "good <risk>": (known & (labels == 1)).sum()}
    assert all(low < high for low, high in zip(result.edges[:-1], result.edges[1:], strict=True))


def test_the_distribution_of_probabilities(ask: Asker, asker: Ask) -> None:
    result = ask("distribution probability")
    assert result.of_class == "good <risk>"
    np.testing.assert_array_equal(result.counts, np.histogram(ask.subject.probabilities[:, 1], 20, (0, 1))[0])
    several = asker("several")
    assert several("distribution probability").summary.mean == pytest.approx(several.subject.probabilities.max(axis=1).mean())
    assert not asker("regression")("distribution probability").is_probability


def test_the_distribution_of_categories(ask: Asker) -> None:
    result = ask("distribution loanpurpose")
    assert isinstance(result, CategoryDistribution)
    for value, count in result.counts.items():
        unknown = (ask.subject.dataset.frame["loan purpose"].iloc[:3] == value).sum()
        assert count == sum(part[value] for part in result.by_class.values()) + unknown


def test_groups_by_quartiles_cover_every_row_once(ask: Asker) -> None:
    frame, subject = ask.subject.dataset.frame, ask.subject
    result = ask("compare bodymass")
    assert sum(group.rows for group in result.groups) == 80
    assert result.groups[-1].low is None, "rows without a value are a group of their own"
    labels = subject.dataset.labels
    assert labels is not None
    for group in result.groups[:-1]:
        inside = frame["body_mass"].between(group.low, group.high).to_numpy()
        known = inside & (labels >= 0)
        assert group.rows == inside.sum()
        assert group.mean_probability["good <risk>"] == pytest.approx(subject.probabilities[inside, 1].mean())
        assert group.accuracy == pytest.approx((subject.predictions[known] == labels[known]).mean())
        assert group.label_shares["good <risk>"] == pytest.approx((labels[known] == 1).mean())


def test_groups_of_a_quantity(asker: Ask) -> None:
    conversation = asker("regression")
    for group in conversation("compare smoker").groups[:2]:
        inside = (conversation.subject.dataset.frame["smoker"] == group.value).to_numpy()
        assert group.mean_prediction == pytest.approx(conversation.subject.predictions[inside].mean())


def test_one_value_leaves_nothing_to_compare(ask: Asker) -> None:
    assert isinstance(ask("filter smoker true and compare smoker"), Refused)


def test_the_rows_at_either_end(ask: Asker) -> None:
    frame = ask.subject.dataset.frame
    top = ask("highest 4 age")
    expected = frame["Age"].sort_values(ascending=False, kind="stable").head(4)
    assert [row.value for row in top.rows] == expected.tolist()
    assert [row.id for row in top.rows] == expected.index.tolist()
    low = ask("lowest 3 probability")
    assert [row.id for row in low.rows] == frame.index[np.argsort(ask.subject.probabilities[:, 1])[:3]].tolist()
    assert [row.value for row in ask("highest 2 since").rows] == frame["since"].nlargest(2).tolist()
    assert isinstance(ask("highest 2 loanpurpose"), Refused)
    assert len(ask("lowest 500 bodymass").rows) == frame["body_mass"].notna().sum()


# --- correlations --------------------------------------------------------------------------------------------------------


def test_numbers_correlate_as_pandas_says(ask: Asker) -> None:
    pair = ask.subject.dataset.frame[["Age", "body_mass"]].dropna()
    (found,) = ask("correlate age bodymass").associations
    assert found.pearson == pytest.approx(pair.corr().iloc[0, 1])
    assert found.spearman == pytest.approx(pair.corr("spearman").iloc[0, 1])
    assert found.rows == len(pair)


def test_a_number_beside_categories(ask: Asker) -> None:
    """The square of the correlation ratio is the share of variance that group means explain."""
    pair = ask.subject.dataset.frame[["Age", "loan purpose"]].dropna()
    means = pair.groupby("loan purpose")["Age"].transform("mean")
    (found,) = ask("correlate loanpurpose age").associations
    assert found.measure == "correlation_ratio"
    assert found.correlation_ratio**2 == pytest.approx(means.var(ddof=0) / pair["Age"].var(ddof=0))
    assert found.means == pytest.approx(pair.groupby("loan purpose")["Age"].mean().to_dict())


def test_categories_beside_categories(ask: Asker) -> None:
    from scipy.stats.contingency import association, crosstab

    pair = ask.subject.dataset.frame[["smoker", "loan purpose"]].dropna()
    table = crosstab(pair["smoker"], pair["loan purpose"]).count
    (found,) = ask("correlate smoker loanpurpose").associations
    assert found.measure == "cramers_v"
    assert found.cramers_v == pytest.approx(association(table, method="cramer"))


def test_the_target_counts_as_a_column(ask: Asker, asker: Ask) -> None:
    labels = pd.Series(ask.subject.dataset.labels, index=ask.subject.dataset.frame.index)[3:]
    (found,) = ask("correlate age target").associations
    assert found.pearson == pytest.approx(ask.subject.dataset.frame["Age"][3:].corr(labels))
    assert asker("several")("correlate age target").associations[0].measure == "correlation_ratio"


def test_one_column_against_all_is_sorted_by_strength(ask: Asker) -> None:
    result = ask("correlate age")
    assert {found.other for found in result.associations} == set(ask.subject.dataset.frame.columns) - {"Age"} | {"good"}
    strengths = [found.strength for found in result.associations]
    assert strengths == sorted(strengths, reverse=True)


def test_what_does_not_vary_has_no_correlation(ask: Asker) -> None:
    (found,) = ask("filter smoker true and correlate age smoker").associations
    assert found.strength is None


# --- neighbours and effects ----------------------------------------------------------------------------------------------


def test_similar_rows_are_near_and_never_the_row_itself(ask: Asker) -> None:
    result = ask("filter id 110 and similar 5")
    distances = [row.distance for row in result.rows]
    assert distances == sorted(distances)
    assert 110 not in [row.id for row in result.rows]
    assert len(ask("filter id 110 and similar 500").rows) == 79


def test_distances_are_gowers(ask: Asker) -> None:
    frame, features = ask.subject.dataset.frame, ask.schema.features
    result = ask("filter id 110 and similar 79")
    own = frame.loc[110]
    for row in result.rows[::7]:
        other, parts = frame.loc[row.id], []
        for feature in features:
            one, two = own[feature.name], other[feature.name]
            if pd.isna(one) or pd.isna(two):
                parts.append(0.0 if pd.isna(one) and pd.isna(two) else 1.0)
            elif feature.kind == "numeric":
                parts.append(abs(one - two) / (feature.high - feature.low))
            elif feature.kind == "date":
                parts.append(abs((one - two).days) / (feature.high - feature.low))
            else:
                parts.append(float(one != two))
        assert row.distance == pytest.approx(np.mean(parts))


def test_a_copy_of_a_row_made_up_is_nearest_to_it(ask: Asker) -> None:
    nearest = ask("filter id 110 and change age set 88 and similar 1").rows[0]
    assert nearest.id != 110
    assert isinstance(ask("similar 3"), Refused)
    values = ask.subject.dataset.frame.dropna().iloc[5]
    text = f"instance age {values['Age']} bodymass {values['body_mass']} loanpurpose {values['loan purpose']} ismember "
    text += f"{'true' if values['Is_Member'] else 'false'} smoker {'true' if values['smoker'] == 'yes' else 'false'} "
    text += f"since {values['since']:%Y-%m-%d} constantish 1.5 and similar 1"
    row = ask(text).rows[0]
    assert (row.id, row.distance) == (values.name, 0)


def test_an_effect_is_partial_dependence(ask: Asker) -> None:
    result = ask("filter smoker true and effect age")
    frame = ask.subject.dataset.frame
    rows = frame[frame["smoker"] == "yes"]
    for value, mean in zip(result.grid, result.mean["good <risk>"], strict=True):
        expected = ask.subject.model.predict_proba(rows.assign(Age=float(value)))[:, 1].mean()
        assert mean == pytest.approx(expected)
    assert (result.grid[0], result.grid[-1]) == (rows["Age"].min(), rows["Age"].max())
    assert result.rows == len(rows) <= MAX_ROWS
    assert not result.sampled


def test_an_effect_of_categories_takes_every_value(asker: Ask) -> None:
    conversation = asker("several")
    result = conversation("effect loanpurpose")
    assert result.grid == conversation.schema.by_token["loanpurpose"].values
    assert set(result.mean) == {"low", "mid", "high"}
    sums = np.sum(list(result.mean.values()), axis=0)
    np.testing.assert_allclose(sums, 1)


@pytest.mark.parametrize("kind", ["binary", "several"])
@pytest.mark.parametrize("end", ["lowest", "highest"])
def test_the_rows_of_which_the_model_is_least_and_most_sure(asker: Ask, kind: str, end: str) -> None:
    """By the probability of the class that is predicted, worked out with pandas; of equal ones those first in the data."""
    ask = asker(kind)
    table = pd.DataFrame(ask.subject.probabilities, index=ask.subject.dataset.frame.index)
    certainty = table.max(axis=1).sort_values(ascending=end == "lowest", kind="stable").head(4)
    result = ask(f"{end} 4 certainty")
    assert [row.id for row in result.rows] == certainty.index.tolist()
    assert [row.value for row in result.rows] == pytest.approx(certainty.tolist())
    assert [row.prediction for row in result.rows] == [
        ask.schema.target.classes[k] for k in table.loc[certainty.index].idxmax(1)
    ]
    answer = render(result, ask.schema)
    assert "probability of the predicted class" in answer.text
    alike = "50.0%" if kind == "binary" else "33.3%"
    assert (f"With all classes alike it would be {alike}" in answer.text) == (end == "lowest")
    assert answer.tables[0].columns[1] == "certainty"


def test_rows_near_a_tie_come_before_those_with_a_low_probability(ask: Asker) -> None:
    """Of two classes the lowest probability of the one is a sure case of the other."""
    chance = ask.subject.probabilities[:, 1]
    unsure = [row.output for row in ask("lowest 5 certainty").rows]
    assert np.abs(np.array(unsure) - 0.5) == pytest.approx(np.sort(np.abs(chance - 0.5))[:5])
    assert [row.output for row in ask("lowest 5 probability").rows] != unsure


def test_certainty_needs_classes_and_no_threshold(asker: Ask) -> None:
    assert isinstance(asker("binary").all("threshold 0.3 and lowest 2 certainty")[-1], Refused)
    with pytest.raises(ParseError):
        asker("regression")("lowest 2 certainty")


def test_a_column_called_certainty_is_that_column() -> None:
    frame = numeric_table(3).rename(columns={"x0": "certainty"})
    subject = subject_of(frame, "y", LogisticRegression(), ("y", "z"))
    result = Asker(ExecutionEngine(subject, Explainer(subject)))("lowest 2 certainty")
    assert [row.value for row in result.rows] == pytest.approx(frame["certainty"].nsmallest(2).tolist())
    assert "predicted class" not in render(result, subject.schema).text
