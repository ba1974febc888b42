"""What a parse means: which rows, which changes, in which order, and what the next turn inherits."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.ttm.conftest import Asker
from ttm.operations.columns.run import Definition, NumericStatistic
from ttm.operations.data.run import RowCount, ShownRows
from ttm.operations.dialogue.run import NothingMore
from ttm.operations.predictions.run import MeanProbabilities, PredictedClass, PredictedClasses
from ttm.operations.results import Empty, Refused, Versus
from ttm.operations.rows.context import Memory, Rows
from ttm.operations.scores.run import ThresholdScores

Ask = Callable[[str], Asker]


def ages(conversation: Asker) -> np.ndarray:
    return conversation.subject.dataset.frame["Age"].to_numpy()


def smokers(conversation: Asker) -> np.ndarray:
    return (conversation.subject.dataset.frame["smoker"] == "yes").to_numpy()


def test_operations_are_answered_in_order_on_the_same_rows(ask: Asker) -> None:
    count, predicted, likely = ask.all("filter age greater than 40 and countdata and predict and likelihood")
    assert isinstance(count, RowCount)
    assert isinstance(predicted, PredictedClasses)
    assert isinstance(likely, MeanProbabilities)
    assert count.group.rows == predicted.group.rows == likely.group.rows == (ages(ask) > 40).sum()


def test_a_later_run_narrows_or_adds(ask: Asker) -> None:
    older, smoking = ages(ask) > 40, smokers(ask)
    counts = ask.all("filter age greater than 40 and countdata and filter smoker true and countdata")
    assert [c.count for c in counts] == [older.sum(), (older & smoking).sum()]
    counts = ask.all("filter age greater than 40 and countdata or filter smoker true and countdata")
    assert [c.count for c in counts] == [older.sum(), (older | smoking).sum()]


def test_changes_apply_to_the_rows_selected_before_them_and_filters_see_unchanged_data(ask: Asker) -> None:
    result = ask("change age set 20 and filter age greater than 40 and statistic age")
    assert isinstance(result, NumericStatistic)
    assert result.count == (ages(ask) > 40).sum()
    assert result.mean == 20
    result = ask("filter age greater than 40 and change age increase 10 and filter age less than 50 and statistic age")
    chosen = (ages(ask) > 40) & (ages(ask) < 50)
    assert result.mean == pytest.approx(ages(ask)[chosen].mean() + 10)


def test_rows_added_after_a_change_are_not_changed(ask: Asker) -> None:
    text = "filter age greater than 60 and change age set 100 and predict or filter age less than 30 and statistic age"
    _, result = ask.all(text)
    old, young = ages(ask) > 60, ages(ask) < 30
    assert result.mean == pytest.approx((old.sum() * 100 + ages(ask)[young].sum()) / (old | young).sum())
    assert any(f"{old.sum()} of these {(old | young).sum()} rows" in note for note in result.group.notes)


def test_without_a_question_rows_are_counted_and_changes_predicted(ask: Asker) -> None:
    assert isinstance(ask("filter age greater than 40"), RowCount)
    assert isinstance(ask("change age increase 4"), PredictedClasses)
    assert isinstance(ask("instance age 44"), PredictedClass)
    assert ask("").count == 80


# --- what the next turn inherits -----------------------------------------------------------------------------------------


def test_previous_filter_keeps_rows_and_changes_over_turns(ask: Asker) -> None:
    ask.all("filter age greater than 40 and change age set 90 and predict")
    ask.all("statistic bodymass")
    result = ask("previousfilter and filter smoker true and statistic age")
    assert result.count == ((ages(ask) > 40) & smokers(ask)).sum()
    assert result.min == result.max == 90
    again = ask("previousfilter and countdata")
    assert again.count == result.count
    assert again.group.words == "people with age above 40 and with smoker = yes"
    assert again.group.changes == "age were 90"


def test_rows_that_join_the_previous_ones_are_not_changed(ask: Asker) -> None:
    ask.all("filter age greater than 60 and change age set 100 and predict")
    result = ask("previousfilter or filter age less than 30 and statistic age")
    assert result.min == ages(ask).min()
    assert result.max == 100


def test_previous_filter_repeats_an_empty_group_with_its_reason(ask: Asker) -> None:
    ask.all("filter age greater than 500 and predict")
    result = ask("previousfilter and predict")
    assert isinstance(result, Empty)
    assert "above 500" in result.reason


def test_previous_filter_recalls_groups_side_by_side(ask: Asker) -> None:
    ask.all("filter smoker true versus filter smoker false and predict")
    result = ask("previousfilter and filter age greater than 40 and countdata")
    assert isinstance(result, Versus)
    assert [r.group.rows for r in result.results] == [
        (smokers(ask) & (ages(ask) > 40)).sum(),
        ((ask.subject.dataset.frame["smoker"] == "no") & (ages(ask) > 40)).sum(),
    ]


def test_previous_filter_recalls_a_made_up_case(ask: Asker) -> None:
    first = ask("instance age 44 and predict")
    second = ask("previousfilter and predict")
    assert first.probabilities == second.probabilities
    third = ask("previousfilter and change age set 80 and predict")
    assert third.probabilities_before == first.probabilities
    assert isinstance(ask("previousfilter and filter age greater than 3 and predict"), Refused)


def test_previous_filter_without_one_takes_all_rows_and_says_so(ask: Asker) -> None:
    result = ask("previousfilter and countdata")
    assert result.count == 80
    assert "no earlier group" in result.group.notes[0]


def test_previous_operation_repeats_all_questions_of_the_last_turn(ask: Asker) -> None:
    ask.all("filter age greater than 40 and countdata and statistic bodymass")
    count, statistic = ask.all("filter smoker true and previousoperation")
    assert count.count == smokers(ask).sum()
    assert isinstance(statistic, NumericStatistic)
    assert isinstance(Asker(ask.engine)("previousoperation"), Refused)


def test_a_filter_of_two_turns_ago_is_still_remembered(ask: Asker) -> None:
    ask.all("filter age greater than 40 and predict")
    ask.all("predict")
    assert ask("previousfilter and countdata").count == (ages(ask) > 40).sum()


def test_memory_is_all_that_connects_turns(ask: Asker) -> None:
    parse = ask.parse("previousfilter and countdata")
    memory = ask.engine.execute(ask.parse("filter age greater than 40"), Memory()).memory
    ask.engine.execute(ask.parse("filter smoker true"), memory)
    (result,) = ask.engine.execute(parse, memory).results
    assert isinstance(result, RowCount)
    assert result.count == (ages(ask) > 40).sum()


# --- following up --------------------------------------------------------------------------------------------------------


def test_show_goes_on_page_by_page_until_all_rows_were_seen(ask: Asker) -> None:
    expected = ask.subject.dataset.frame.index[ages(ask) > 30].tolist()
    page = ask("filter age greater than 30 and show")
    seen = page.rows.index.tolist()
    while page.left:
        page = ask("followup")
        assert isinstance(page, ShownRows)
        seen += page.rows.index.tolist()
    assert seen == expected
    assert isinstance(ask("followup"), PredictedClasses), "after the last page comes something new"


def test_a_followup_is_about_the_rows_of_the_last_answer(ask: Asker) -> None:
    ask.all("filter age greater than 40 and change age increase 3 and countdata")
    shown = ask("followup")
    assert isinstance(shown, ShownRows)
    assert shown.count == (ages(ask) > 40).sum()
    assert shown.group.changes == "age were increased by 3"
    ask.all("countdata")
    assert ask("followup").count == 80, "the last answer was about all rows, whatever was filtered before"


def test_a_followup_to_nothing_says_so(ask: Asker) -> None:
    result = ask("followup")
    assert isinstance(result, NothingMore)
    assert result.first


# --- groups side by side -------------------------------------------------------------------------------------------------


def test_versus_answers_every_later_operation_for_each_group(ask: Asker) -> None:
    counted, likely = ask.all("filter smoker true versus filter smoker false and countdata and likelihood")
    assert isinstance(counted, Versus)
    assert isinstance(likely, Versus)
    assert [type(r) for r in likely.results] == [MeanProbabilities, MeanProbabilities]


def test_one_empty_side_does_not_silence_the_other(ask: Asker) -> None:
    result = ask("filter smoker true versus filter age greater than 300 and predict")
    assert [type(r) for r in result.results] == [PredictedClasses, Empty]


def test_two_made_up_cases_are_compared(ask: Asker) -> None:
    result = ask("instance age 20 ismember true and instance age 80 ismember true and predict")
    assert isinstance(result, Versus)
    assert [r.group.words for r in result.results] == [
        "a made-up case with age 20 and is member = yes",
        "a made-up case with age 80 and is member = yes",
    ]


# --- what cannot be done -------------------------------------------------------------------------------------------------


def test_emptiness_is_answered_for_every_operation_but_those_about_no_rows(ask: Asker) -> None:
    results = ask.all("filter age greater than 300 and define age and countdata and predict")
    assert [type(r) for r in results] == [Definition, RowCount, Empty]
    assert results[1].count == 0
    assert "above 300" in results[1].group.empty


def test_nothing_is_answered_about_other_rows_after_a_failed_step(ask: Asker) -> None:
    (result,) = ask.all("filter since greater than 2021-02-31 and predict and countdata")
    assert isinstance(result, Refused)
    (result,) = ask.all("threshold 30 and predict")
    assert isinstance(result, Refused)
    assert "0 to 1" in result.reason


def test_a_refused_operation_leaves_the_others_answered(asker: Ask) -> None:
    refused, count = asker("unlabelled").all("score accuracy and countdata")
    assert isinstance(refused, Refused)
    assert count.count == 80


# --- cost ----------------------------------------------------------------------------------------------------------------


def test_rows_are_cut_out_only_where_they_are_looked_at(ask: Asker) -> None:
    """A million rows of 500 columns are not copied to count them or to sum up one column."""
    dataset = ask.subject.dataset
    rows = Rows(dataset.frame, dataset.frame, dataset.labels, np.arange(40))
    assert rows.column("Age").tolist() == dataset.frame["Age"].tolist()[:40]
    assert rows.labelled.sum() == 37
    assert "frame" not in vars(rows)
    whole = Rows(dataset.frame, dataset.frame, dataset.labels, np.arange(80))
    assert whole.frame is whole.original is dataset.frame


# --- threshold and model -------------------------------------------------------------------------------------------------


def test_a_threshold_holds_for_the_rest_of_the_turn(ask: Asker) -> None:
    probabilities = ask.subject.probabilities[:, 1]
    result = ask("threshold 0.2 and predict")
    assert result.counts["good <risk>"] == (probabilities >= 0.2).sum()
    assert "0.2" in result.group.notes[0]
    assert ask("threshold 0.2 and predictionfilter 1 and countdata").count == (probabilities >= 0.2).sum()
    assert isinstance(ask("threshold 0.2"), ThresholdScores)
    assert ask("predict").counts["good <risk>"] == (probabilities >= 0.5).sum()


def test_the_model_is_asked_once_for_changed_rows_and_never_again_for_unchanged_ones(ask: Asker) -> None:
    ask.all("predict")
    model = ask.subject.model
    before = model.rows_evaluated
    ask.all("filter age greater than 40 and predict and likelihood and score default")
    assert model.rows_evaluated == before
    ask.all("filter age greater than 40 and change age increase 1 and predict and likelihood and score default")
    assert model.rows_evaluated == before + (ages(ask) > 40).sum()


def test_a_made_up_case_takes_typical_values_and_names_them(ask: Asker) -> None:
    result = ask("instance age 200 loanpurpose new car and show")
    row, frame = result.rows.iloc[0], ask.subject.dataset.train_frame
    assert row["Age"] == 200
    assert row["loan purpose"] == "new car"
    assert row["body_mass"] == pytest.approx(frame["body_mass"].median())
    assert row["smoker"] == frame["smoker"].mode()[0]
    notes = " ".join(result.group.notes)
    assert "body mass" in notes
    assert "outside anything in the data" in notes


def test_a_change_to_what_is_there_is_said_to_be_none(ask: Asker) -> None:
    row = ask.subject.dataset.frame.loc[110]
    for name, value, other in (("loanpurpose", row["loan purpose"], "car"), ("age set", f"{row['Age']:g}", "77")):
        (note,) = ask(f"filter id 110 and change {name} {value} and predict").group.notes
        assert "is so already" in note
        assert str(value) in note
        assert not any("already" in one for one in ask(f"filter id 110 and change {name} {other} and predict").group.notes)
    assert not any("already" in one for one in ask("change age set 50 and predict").group.notes)


def test_impossible_values_are_answered_and_flagged(ask: Asker) -> None:
    result = ask("filter age less than 400 and countdata")
    assert result.count == 80
    assert "No age of 400" in result.group.notes[0]
