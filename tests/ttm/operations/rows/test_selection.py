"""Filters select what pandas would; changes alter what they say and nothing else; emptiness is explained."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from backend.errors import ExecutionError
from tests.ttm.conftest import Asker
from ttm.language.parse import Change, ChangeKind, Selection
from ttm.operations.rows.changes import apply_change
from ttm.operations.rows.selection import Selector

Ask = Callable[[str], Asker]


def mask(conversation: Asker, text: str, threshold: float | None = None) -> np.ndarray:
    (step,) = conversation.parse(text).steps
    assert isinstance(step, Selection)
    return Selector(conversation.subject, threshold=threshold).select(step.groups[0]).mask


def reason(conversation: Asker, text: str) -> str:
    (step,) = conversation.parse(text).steps
    assert isinstance(step, Selection)
    return Selector(conversation.subject).select(step.groups[0]).reason


def test_conditions_select_what_pandas_selects(ask: Asker) -> None:
    frame = ask.subject.dataset.frame
    mass, since, purpose = frame["body_mass"], frame["since"], frame["loan purpose"]
    expected = {
        "filter age greater than 40": frame["Age"] > 40,
        "filter age less equal than 40.5": frame["Age"] <= 40.5,
        "filter bodymass not equal to 27": (mass != 27) & mass.notna(),
        "filter bodymass missing": mass.isna(),
        "filter since present": since.notna(),
        "filter since greater than 2021-01-01": since > "2021-01-01",
        "filter since equal to 2020-03-07": since == "2020-03-07",
        "filter loanpurpose new car": purpose == "new car",
        "filter loanpurpose not a and b": (purpose != "a and b") & purpose.notna(),
        "filter ismember true": frame["Is_Member"] == 1,
        "filter smoker false": frame["smoker"] == "no",
        "filter id 117": frame.index == 117,
        "filter age greater than 40 and filter smoker true or filter ismember false":
            ((frame["Age"] > 40) & (frame["smoker"] == "yes")) | (frame["Is_Member"] == 0),
    }  # fmt: skip
    for text, rows in expected.items():
        np.testing.assert_array_equal(mask(ask, text), rows, err_msg=text)


def test_conditions_on_the_model_and_the_truth(ask: Asker) -> None:
    probabilities, labels = ask.subject.probabilities[:, 1], ask.subject.dataset.labels
    np.testing.assert_array_equal(mask(ask, "predictionfilter 1"), probabilities >= 0.5)
    np.testing.assert_array_equal(mask(ask, "predictionfilter 1", threshold=0.2), probabilities >= 0.2)
    np.testing.assert_array_equal(mask(ask, "probabilityfilter 0 less than 0.3"), 1 - probabilities < 0.3)
    np.testing.assert_array_equal(mask(ask, "labelfilter 0"), labels == 0)


def test_an_unknown_truth_satisfies_no_condition_on_it(asker: Ask) -> None:
    conversation = asker("regression")
    labels = conversation.subject.dataset.labels
    assert labels is not None
    both = mask(conversation, "labelfilter not equal to 3") | mask(conversation, "labelfilter equal to 3")
    np.testing.assert_array_equal(both, ~np.isnan(labels))


def test_ids_of_text_are_found_whatever_their_case(asker: Ask) -> None:
    conversation = asker("tiny")
    assert conversation.subject.dataset.frame.index.tolist() == ["P 100", "P 101", "P 102", "P 103"]
    assert mask(conversation, 'filter id "p 102"').tolist() == [False, False, True, False]
    assert "P 102" in reason(conversation, "filter id p102")


def test_emptiness_is_explained_by_the_condition_that_caused_it(ask: Asker) -> None:
    age = ask.subject.dataset.frame["Age"]
    text = "filter age greater than 20 and filter age greater than 300 and filter smoker true"
    assert "with age above 300" in reason(ask, text)
    assert str(age.max()) in reason(ask, text)
    assert reason(ask, "filter id 999") == "There is no id 999. Ids go from 100 to 179; the nearest are 177, 178, 179."
    assert "conditions before it" in reason(ask, "filter id 101 and filter id 102")
    both = reason(ask, "filter age greater than 300 or filter age less than 1")
    assert "above 300" in both
    assert "below 1" in both
    assert reason(ask, "filter age greater than 20") == ""


def test_a_very_large_id_is_just_unknown(ask: Asker) -> None:
    assert "There is no id" in reason(ask, f"filter id {10**30}")


def test_a_day_that_does_not_exist_is_refused(ask: Asker) -> None:
    with pytest.raises(ExecutionError, match="2021-02-30"):
        mask(ask, "filter since less than 2021-02-30")


# --- changes -------------------------------------------------------------------------------------------------------------


def changed(conversation: Asker, change: Change, rows: np.ndarray) -> tuple[pd.Series, pd.Series, list[str]]:
    frame = conversation.subject.dataset.frame
    feature = conversation.schema.by_token[change.feature]
    result, notes = apply_change(frame, rows, change, feature)
    others = [name for name in frame.columns if name != feature.name]
    pd.testing.assert_frame_equal(result[others], frame[others])
    before = frame[feature.name]
    pd.testing.assert_series_equal(result[feature.name][~rows].astype(object), before[~rows].astype(object), check_dtype=False)
    return before[rows], result[feature.name][rows], notes


def test_changes_alter_only_the_selected_rows_of_one_column(ask: Asker) -> None:
    rows = np.arange(80) % 3 == 0
    before, after, _ = changed(ask, Change("age", ChangeKind.INCREASE, 5.5), rows)
    np.testing.assert_allclose(after, before + 5.5)
    before, after, _ = changed(ask, Change("bodymass", ChangeKind.DECREASE, 10, percent=True), rows)
    np.testing.assert_allclose(after, before * 0.9)
    assert before.isna().any()
    _, after, _ = changed(ask, Change("bodymass", ChangeKind.SET, 30), rows)
    assert (after == 30).all()
    _, after, _ = changed(ask, Change("loanpurpose", None, "new car"), rows)
    assert (after == "new car").all()
    _, after, _ = changed(ask, Change("ismember", None, "true"), rows)
    assert (after == 1).all()
    before, after, _ = changed(ask, Change("since", ChangeKind.DECREASE, 10), rows)
    assert ((before - after).dropna() == pd.Timedelta(days=10)).all()


def test_the_data_set_itself_never_changes(ask: Asker) -> None:
    frame = ask.subject.dataset.frame
    copy = frame.copy()
    ask.all("change age set 50 and change loanpurpose car and predict and show")
    pd.testing.assert_frame_equal(frame, copy)


def test_values_that_nobody_has_are_flagged(ask: Asker) -> None:
    rows = np.ones(80, dtype=bool)
    _, _, notes = changed(ask, Change("age", ChangeKind.SET, 400), rows)
    assert "18 to 88" in notes[0]
    assert "outside anything in the data" in notes[0]
    _, _, notes = changed(ask, Change("age", ChangeKind.SET, 50), rows)
    assert notes == []
    _, _, notes = changed(ask, Change("age", ChangeKind.INCREASE, 1), rows)
    assert "of 80 rows" in notes[0]


def test_dates_cannot_leave_the_calendar(ask: Asker) -> None:
    for amount in (1e9, 1e20):
        with pytest.raises(ExecutionError, match="dates"):
            changed(ask, Change("since", ChangeKind.INCREASE, amount), np.ones(80, dtype=bool))


def test_a_group_before_that_was_everybody_adds_no_words(ask: Asker) -> None:
    first = ask("previousfilter and filter age greater than 40 and countdata")
    assert first.group.words == "people with age above 40"
    ask("previousfilter and countdata")
    assert ask("previousfilter and filter smoker true and countdata").group.words.startswith("people with ")
    again = Asker(ask.engine)
    again("previousfilter and countdata")
    assert again("previousfilter and filter smoker true and countdata").group.words == "people with smoker = yes"
