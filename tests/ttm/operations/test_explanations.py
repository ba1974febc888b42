"""Reasons, importance, counterfactuals, interactions and mistakes, asked in the parse language and told in words."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ttm.language.grammar import grammar_of
from ttm.operations.counterfactuals.run import Alternatives, FlipSummary
from ttm.operations.explanations.run import ComparedRankings, RankedFeatures, Reasons, WorkingTogether
from ttm.operations.mistakes.run import Judged, MistakeCount, MistakeSample, ResidualSummary, TypicalMistakes
from ttm.operations.render import render
from ttm.operations.rendering.answer import label_of
from ttm.operations.results import Refused, Result, as_json

Asker = Any
Make = Callable[[str], Asker]

EVERYTHING = (
    "filter id 110 and explain features", "filter id 110 and explain lime", "filter id 110 and explain shap",
    "filter id 110 and explain compare", "filter id 110 and important all", "filter age greater than 60 and explain compare",
    "filter age greater than 60 and important topk 2", "important bottomk 2", "important topk 1000", "important age",
    "filter id 112 and explain cfe", "filter id 113 and explain cfe 2", "filter age greater than 75 and explain cfe",
    "interact", "interact age bodymass", "interact loanpurpose since", "mistake sample", "mistake typical", "mistake count",
    "filter id 110 and mistake sample", "filter id 110 and mistake count", "filter id 110 and mistake typical",
    "filter id 110 and change age increase 10 and explain features", "change age increase 10 and mistake count",
    "instance age 45 and explain features", "instance age 45 and explain cfe", "instance age 45 and important all",
    "filter age greater than 60 versus filter age less than 30 and important topk 2",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["binary", "several", "regression"])
def test_everything_has_an_answer_in_words_and_in_json(asker: Make, kind: str) -> None:
    ask = asker(kind)
    for text in EVERYTHING:
        for result in ask.all(text):
            answer = render(result, ask.schema)
            assert answer.text, text
            assert "nan" not in answer.text, text
            assert "<b>" not in answer.text, text
            json.dumps(as_json(result), allow_nan=False)
            for follow in answer.next_parses:
                grammar_of(ask.schema).read(follow)
            if answer.figure is not None:
                assert "<b>" not in answer.figure.to_json().replace("\\u003c", "<"), text
            for table in answer.tables:
                assert {len(row) for row in table.rows} <= {len(table.columns)}


def test_unlabelled_and_made_up_rows_have_no_mistakes(asker: Make) -> None:
    for text in ("mistake sample", "mistake typical", "mistake count"):
        assert isinstance(asker("unlabelled")(text), Refused)
        assert isinstance(asker("binary")(f"instance age 45 and {text}"), Refused)
    assert isinstance(asker("unlabelled")("important all"), RankedFeatures)


@pytest.mark.slow
def test_a_few_rows_are_enough(asker: Make) -> None:
    ask = asker("tiny")
    for text in ("important all", "interact", "explain cfe", 'filter id "P 101" and explain features', "mistake typical"):
        assert not isinstance(ask(text), Refused)


# --- reasons -------------------------------------------------------------------------------------------------------------


def test_reasons_add_up_to_the_prediction(asker: Make) -> None:
    ask = asker("binary")
    found = ask("filter id 110 and explain shap")
    assert isinstance(found, Reasons)
    place = list(ask.subject.dataset.frame.index).index(110)
    probability = ask.subject.probabilities[place, 1]
    assert found.output == pytest.approx(probability)
    assert sum(found.chosen.weights.values()) + found.chosen.base == pytest.approx(probability)
    sizes = np.abs(list(found.chosen.weights.values()))
    assert (np.diff(sizes) <= 0).all()
    assert found.values["Age"] == ask.subject.dataset.frame.loc[110, "Age"]


def test_a_change_is_explained_as_changed(asker: Make) -> None:
    ask = asker("binary")
    before, after = ask("filter id 110 and explain shap"), ask("filter id 110 and change age increase 20 and explain shap")
    assert after.values["Age"] == before.values["Age"] + 20
    assert after.chosen.weights["Age"] > before.chosen.weights["Age"]
    assert "would predict" in render(after, ask.schema).text


def test_the_text_names_value_class_method_and_fidelity(asker: Make) -> None:
    ask = asker("binary")
    found = ask("filter id 110 and explain features")
    text = render(found, ask.schema).text
    strongest = next(iter(found.chosen.weights))
    assert ask.schema.by_name[strongest].label.lower() in text.lower()
    assert re.search(r"Hiding the first three features moves the prediction by \*\*[\d.]+ points\*\* on average", text)
    assert '"bad risk"' in text
    assert "by equation 1 (fidelity" in render(ask("filter id 110 and explain paper"), ask.schema).text
    other = render(ask("filter id 110 and change age increase 60 and explain features"), ask.schema).text
    assert '**"good &#60;risk&#62;"**' in other
    assert found.chosen.technique.split(" ")[0] in text


def test_fidelity_of_nothing_is_explained(asker: Make) -> None:
    ask = asker("binary")
    found = ask("filter id 110 and explain features")
    assert isinstance(found, Reasons)
    flat = render(replace(found, moving=()), ask.schema).text
    assert "A small change of any one feature does not move the prediction" in flat
    named = render(replace(found, moving=("age",)), ask.schema).text
    assert f"rank lower ({label_of('age', ask.schema)}) would" in named
    assert "does not move" not in render(replace(found, moving=None), ask.schema).text


@pytest.mark.slow
def test_every_method_is_shown_when_compared(asker: Make) -> None:
    found = asker("several")("filter id 110 and explain compare")
    assert found.candidates[0].technique == "SHAP"
    assert len(found.candidates) == 5
    assert all(candidate.stability is not None for candidate in found.candidates)
    group = asker("several")("filter age greater than 60 and explain compare")
    assert isinstance(group, ComparedRankings)
    assert [ranking.asked for ranking in group.rankings] == ["shap", "lime"]


# --- importance ----------------------------------------------------------------------------------------------------------


def test_ranks_of_a_group_are_complete_and_ordered(asker: Make) -> None:
    found = asker("binary")("filter age greater than 60 and important all")
    assert isinstance(found, RankedFeatures)
    count = len(found.features)
    assert [feature.rank for feature in found.features] == list(range(1, count + 1))
    assert sum(feature.mean_rank for feature in found.features) == pytest.approx(count * (count + 1) / 2)
    assert all(feature.low <= feature.mean_rank <= feature.high for feature in found.features)
    assert found.features[0].level == "highly"
    assert found.features[-1].level == "slightly"
    assert found.features[0].feature in ("Age", "loan purpose", "Is_Member")


def test_one_feature_is_placed_among_all(ask: Asker) -> None:
    found = ask("important age")
    text = render(found, ask.schema).text
    size = next(feature.mean_absolute for feature in found.features if feature.feature == "Age")
    assert f"{100 * size:.1f} points" in text
    assert "95% interval" in text
    assert "highly important" in text


def test_an_order_from_some_of_the_rows_is_stated_as_an_estimate(ask: Asker) -> None:
    for parse in ("important age", "important topk 2", "important all"):
        found = ask(parse)
        features = tuple(replace(feature, rank_low=1, rank_high=5) for feature in found.features)
        answer = render(replace(found, explained=12, features=features), ask.schema)
        assert f"estimated from **12 of these {found.group.rows:,} rows**" in answer.text, parse
        assert "1 to 5" in answer.text, parse
        assert answer.tables[0].columns[1] == "95% interval of its number", parse
        known = render(replace(found, explained=found.group.rows), ask.schema)
        assert "estimated" not in known.text, parse
        assert "number" not in str(known.tables[0].columns), parse
    compared = ask("explain compare")
    assert "estimated from **12 of these" in render(compared, ask.schema).text


def test_ranks_side_by_side_have_intervals_where_they_are_estimated(ask: Asker) -> None:
    found = ask("filter age greater than 60 versus filter age less than 30 and important age")
    features = tuple(replace(feature, rank_low=1, rank_high=5) for feature in found.results[0].features)
    sampled = tuple(replace(one, explained=2, features=features) for one in found.results)
    answer = render(replace(found, results=sampled), ask.schema)
    assert f"2 of the {found.results[1].group.rows} rows" in answer.text
    assert all(cell.endswith(" (1 to 5)") for cell in answer.tables[0].rows[0][1:])
    known = tuple(replace(one, explained=one.group.rows) for one in found.results)
    assert "estimated" not in render(replace(found, results=known), ask.schema).text


# --- counterfactuals -----------------------------------------------------------------------------------------------------


def test_counterfactuals_are_told_with_the_values_that_reach_them(ask: Asker) -> None:
    found = ask("filter id 112 and explain cfe 2")
    assert isinstance(found, Alternatives)
    assert not found.already
    answer = render(found, ask.schema)
    assert answer.tables[0].columns[:2] == ("", "now")
    assert len(answer.tables[0].rows) == len({c.feature for one in found.found for c in one.changes}) + 2
    for one in found.found:
        flipped = one.outputs[1] >= 0.5
        assert flipped != (found.outputs["good <risk>"] >= 0.5)


def test_a_wanted_class_that_is_predicted_already_needs_no_change(ask: Asker) -> None:
    place = int(np.argmax(ask.subject.probabilities[:, 1]))
    found = ask(f"filter id {ask.subject.dataset.frame.index[place]} and explain cfe class 1")
    assert found.already
    assert "already" in render(found, ask.schema).text


def test_a_threshold_counts_for_counterfactuals(ask: Asker) -> None:
    place = int(np.argmin(np.abs(ask.subject.probabilities[:, 1] - 0.4)))
    row = ask.subject.dataset.frame.index[place]
    found = ask.all(f"threshold 0.2 and filter id {row} and explain cfe 1")[-1]
    assert found.prediction == "good <risk>"
    assert all(one.outputs[1] < 0.2 for one in found.found)


@pytest.mark.slow
def test_a_wanted_range_is_reached(asker: Make) -> None:
    ask = asker("regression")
    now = ask.subject.predictions[10]
    found = ask(f"filter id 110 and explain cfe 2 less than {now - 2:.2f}")
    assert found.found
    assert all(one.outputs[0] < now - 1.99 for one in found.found)
    assert isinstance(asker("regression")("filter id 110 and explain cfe greater than 100000"), Alternatives)


def test_what_does_not_fit_the_model_is_refused(asker: Make) -> None:
    assert isinstance(asker("regression")("filter id 110 and explain cfe not equal to 5"), Refused)


@pytest.mark.slow
def test_a_group_is_told_what_flips_it(ask: Asker) -> None:
    found = ask("filter age greater than 70 and explain cfe")
    assert isinstance(found, FlipSummary)
    predicted = ask.subject.predictions[(ask.subject.dataset.frame["Age"] > 70).to_numpy()]
    assert {part.prediction: part.flips.total for part in found.parts} == {
        name: int((predicted == number).sum())
        for number, name in enumerate(ask.schema.target.classes)
        if (predicted == number).any()
    }


# --- interactions --------------------------------------------------------------------------------------------------------


def test_two_named_features_give_their_surface(ask: Asker) -> None:
    found = ask("interact age ismember")
    assert isinstance(found, WorkingTogether)
    assert len(found.pairs) == 1
    assert (len(found.surface.first_values), len(found.surface.second_values)) == np.shape(found.surface.outputs)
    assert isinstance(ask("interact age age"), Refused)


# --- mistakes ------------------------------------------------------------------------------------------------------------


def known(ask: Asker) -> tuple[np.ndarray, np.ndarray]:
    labels = ask.subject.dataset.labels
    return labels, labels >= 0


@pytest.mark.parametrize("kind", ["binary", "several"])
def test_mistakes_are_counted_as_numpy_counts_them(asker: Make, kind: str) -> None:
    ask = asker(kind)
    labels, there = known(ask)
    wrong = (ask.subject.predictions != labels) & there
    found = ask("mistake count")
    assert isinstance(found, MistakeCount)
    assert (found.wrong, found.rows) == (wrong.sum(), there.sum())
    assert found.share == pytest.approx(wrong.sum() / there.sum())
    assert sum(rows for _, rows in found.by_truth.values()) == there.sum()
    old = (ask.subject.dataset.frame["Age"] > 60).to_numpy()
    group = ask("filter age greater than 60 and mistake count")
    assert (group.wrong, group.rows) == ((wrong & old).sum(), (there & old).sum())
    assert group.elsewhere == pytest.approx((wrong & ~old).sum() / (there & ~old).sum())


def test_examples_are_wrong_and_the_surest_come_first(ask: Asker) -> None:
    labels, there = known(ask)
    found = ask("mistake sample")
    assert isinstance(found, MistakeSample)
    index = list(ask.subject.dataset.frame.index)
    for row in found.examples:
        place = index.index(row.id)
        assert ask.schema.target.classes[labels[place]] == row.label != row.prediction
        assert row.probability == pytest.approx(ask.subject.probabilities[place].max())
    surety = [row.probability for row in found.examples]
    assert surety == sorted(surety, reverse=True)
    assert found.wrong == ((ask.subject.predictions != labels) & there).sum()


def test_one_row_is_judged(ask: Asker) -> None:
    labels, there = known(ask)
    for place in np.flatnonzero(there)[:5]:
        found = ask(f"filter id {ask.subject.dataset.frame.index[place]} and mistake sample")
        assert isinstance(found, Judged)
        assert found.correct == (ask.subject.predictions[place] == labels[place])


def test_a_threshold_counts_for_mistakes(ask: Asker) -> None:
    labels, there = known(ask)
    found = ask.all("threshold 0.9 and mistake count")[-1]
    assert found.wrong == (((ask.subject.probabilities[:, 1] >= 0.9) != (labels == 1)) & there).sum()


def test_quantities_are_judged_by_their_residuals(asker: Make) -> None:
    ask = asker("regression")
    labels = ask.subject.dataset.labels
    there = ~np.isnan(labels)
    residuals = (ask.subject.predictions - labels)[there]
    found = ask("mistake count")
    assert isinstance(found, ResidualSummary)
    assert found.mean_absolute == pytest.approx(np.abs(residuals).mean())
    assert found.root_mean_square == pytest.approx(np.sqrt((residuals**2).mean()))
    assert found.bias == pytest.approx(residuals.mean())
    worst = ask("mistake sample").examples[0]
    assert abs(worst.prediction - worst.label) == pytest.approx(np.abs(residuals).max())


@pytest.mark.slow
def test_rules_can_be_asked_for_as_filters(asker: Make) -> None:
    """Following a rule's filter leads to exactly the rows that the rule counts."""
    followed = 0
    for kind in ("binary", "several", "regression"):
        ask = asker(kind)
        found = ask("mistake typical")
        assert isinstance(found, TypicalMistakes)
        for follow in render(found, ask.schema).next_parses:
            if follow.startswith("filter "):
                group: Result = ask(follow)
                assert isinstance(group, MistakeSample)
                assert group.rows in [rule.rows for rule in found.rules]
                followed += 1
    assert followed >= 1


def test_rows_that_are_all_wrong_are_set_beside_all_of_their_class(ask: Asker) -> None:
    missed, positive = ask("predictionfilter 0 and labelfilter 1 and mistake typical"), ask("labelfilter 1 and mistake typical")
    assert 0 < missed.group.rows == positive.errors < positive.rows
    assert replace(missed, group=positive.group, truths=()) == positive
    assert missed.truths == (ask.schema.target.classes[1],)
    assert "wrong about all, so these were set beside all that are truly" in render(missed, ask.schema).text


@pytest.mark.parametrize(("text", "reason"), [
    ("explain cfe only bodymass keep bodymass", "cannot both stay"), ("explain cfe only age", "Nothing could change"),
])  # fmt: skip
def test_limits_that_contradict_each_other_are_refused(text: str, reason: str, ask: Asker) -> None:
    assert reason in ask(f"filter id 112 and {text}").reason


def test_the_answer_says_how_well_a_change_lasts_and_keeps_to_its_limits(ask: Asker) -> None:
    found = ask("filter id 112 and explain cfe 2 keep age most 2")
    assert isinstance(found, Alternatives)
    assert all(change.feature != "Age" for one in found.found for change in one.changes)
    open_ = ask("filter id 112 and explain cfe")
    assert "slightly different rows" in render(open_, ask.schema).text
    assert all(0 <= one.holds <= 1 for one in open_.found)
