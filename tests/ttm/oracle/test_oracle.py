"""The numbers in the answers are those that pandas and scikit-learn give, worked out by a second interpreter."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, f1_score

from ttm.operations.render import render_turn
from ttm.operations.results import as_json

from .agreement import differences
from .conftest import Demo
from .expected import expected
from .generate import SEED, Case, cheap_cases
from .oracle import Conversation
from .words import check_words

# Each is asked at least this often, by itself or side by side, on each demo.
OFTEN = {
    "predict": 30, "likelihood": 30, "score": 60, "countdata": 30, "show": 10, "label": 10, "statistic": 30,
    "distribution": 40, "mistake": 25, "compare": 20, "correlate": 50, "highest": 10, "lowest": 10, "threshold": 10,
    "fairness": 20,
}  # fmt: skip


def _compare(demo: Demo, case: Case, compared: Counter[str]) -> list[str]:
    """Carry out one conversation, check the words of its answers and return where their numbers disagree.

    From a `followup` on, which numbers are to be given is a matter of taste.
    """
    conversation, wrong, open_to_taste = Conversation(demo.world), [], False
    for text, results in demo.turns(*case):
        got = check_words(text, results, render_turn(results, demo.subject.schema), demo.grammar)
        open_to_taste = open_to_taste or "followup" in text
        if open_to_taste:
            continue
        asked, impossible = conversation.ask(text)
        wanted = [expected(one, demo.world) for one in asked] + [{"type": "Refused"}] * impossible
        found = list(differences(wanted, got))
        compared.update(one.words.split()[0] for one in asked)
        if found:
            wrong.append("\n".join([" | ".join(case), f"at: {text}", *found[:5]]))
    return wrong


@pytest.mark.slow
def test_every_number_is_the_one_that_pandas_and_scikit_learn_give(demo: Demo) -> None:
    compared: Counter[str] = Counter()
    cases = cheap_cases(demo.subject.schema, demo.subject.dataset.frame, SEED)
    wrong = [line for case in cases for line in _compare(demo, case, compared)]
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n\n".join(wrong[:10])
    assert {name: compared[name] for name, often in OFTEN.items() if compared[name] < often} == {}
    assert compared.total() >= 500


@pytest.mark.slow
def test_so_it_is_with_texts_dates_gaps_several_classes_and_quantities(odd: Demo) -> None:
    """The rows are those that the data set was made from; only the demos are read from their files."""
    compared: Counter[str] = Counter()
    cases = cheap_cases(odd.subject.schema, odd.subject.dataset.frame, SEED)
    wrong = [line for case in cases for line in _compare(odd, case, compared)]
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n\n".join(wrong[:10])
    assert compared.total() >= 500


@pytest.mark.slow
def test_effects_and_similar_rows_of_odd_data(odd: Demo) -> None:
    for feature in odd.subject.schema.features:
        assert _compare(odd, (f"filter id 110 or filter age greater than 40 and effect {feature.token} [e]",), Counter()) == []
    for run in ("filter id 105", "filter id 120 and change age increase 60", "filter id 130 and change since decrease 400",
                "instance age 33 loanpurpose car", "filter id 141 and change loanpurpose a and b"):  # fmt: skip
        assert _compare(odd, (f"{run} and similar 4 [e]",), Counter()) == []


@pytest.mark.slow
def test_effects_are_mean_predictions_of_altered_rows(demo: Demo) -> None:
    tokens = [feature.token for feature in demo.subject.schema.features]
    for number, token in enumerate(tokens[:3] + tokens[-3:]):
        change = f"change {tokens[1]} increase 5 and " if number % 2 else ""
        assert _compare(demo, (f"labelfilter 1 and {change}effect {token} [e]",), Counter()) == []


# --- by hand -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def people(diabetes: Demo) -> pd.DataFrame:
    """The rows of the diabetes demo, with the true class and the probability and prediction of the model."""
    world = diabetes.world
    probability = world.estimator.predict_proba(world.frame)[:, 1].astype(float)
    return world.frame.assign(y=world.truth, p=probability, predicted=probability >= 0.5)


def _first(demo: Demo, *texts: str) -> dict[str, Any]:
    return demo.answers(*texts)[0]


def test_and_binds_tighter_than_or(diabetes: Demo, people: pd.DataFrame) -> None:
    chosen = people.query("Age > 50 or Glucose > 150 and BMI < 30")
    text = "filter age greater than 50 or filter glucose greater than 150 and filter bmi less than 30"
    assert _first(diabetes, f"{text} and countdata [e]")["count"] == len(chosen)
    assert _first(diabetes, f"{text} and score accuracy [e]")["value"] == pytest.approx(
        accuracy_score(chosen["y"], chosen["predicted"]), abs=1e-12
    )


def test_an_operation_closes_the_run_and_what_comes_later_narrows_it(diabetes: Demo, people: pd.DataFrame) -> None:
    text = "filter age greater than 30 and countdata and filter bmi less than 25 or filter bmi greater than 40 and countdata"
    first, second = diabetes.answers(f"{text} [e]")
    assert first["count"] == len(people.query("Age > 30"))
    assert second["count"] == len(people.query("Age > 30 and (BMI < 25 or BMI > 40)"))


def test_a_later_or_adds_rows_which_an_earlier_change_does_not_reach(diabetes: Demo, people: pd.DataFrame) -> None:
    world = diabetes.world
    older, heavy = people["Age"] > 50, people["BMI"] > 45
    altered = world.frame.assign(Glucose=world.frame["Glucose"].astype(float).mask(older, 190))
    wanted = world.estimator.predict_proba(altered[older | heavy])[:, 1].astype(float).mean()
    text = "filter age greater than 50 and change glucose set 190 or filter bmi greater than 45 and likelihood [e]"
    assert _first(diabetes, text)["mean"]["likely to have diabetes"] == pytest.approx(wanted, abs=1e-9)


def test_filters_see_the_unchanged_data(diabetes: Demo, people: pd.DataFrame) -> None:
    text = "change age set 20 and filter age greater than 40 and countdata [e]"
    assert _first(diabetes, text)["count"] == len(people.query("Age > 40"))
    raised = "change glucose set 300 and predictionfilter 1 and countdata [e]"
    assert _first(diabetes, raised)["count"] == int(people["predicted"].sum())


def test_what_if_is_told_before_and_after(diabetes: Demo, people: pd.DataFrame) -> None:
    world, number = diabetes.world, people.index[people["p"].sub(0.5).abs().argmin()]
    row = world.frame.loc[[number]]
    after = float(world.estimator.predict_proba(row.assign(Glucose=row["Glucose"] * 1.2))[0, 1])
    answer = _first(diabetes, f"filter id {number} and change glucose increase 20 percent and likelihood [e]")
    assert answer["before"]["likely to have diabetes"] == pytest.approx(people.loc[number, "p"], abs=1e-7)
    assert answer["probabilities"]["likely to have diabetes"] == pytest.approx(after, abs=1e-7)


def test_previous_filter_brings_the_changes_along(diabetes: Demo) -> None:
    first = "filter age greater than 30 and change bmi increase 5 and likelihood [e]"
    again = _first(diabetes, first, "previousfilter and previousoperation [e]")
    assert again == _first(diabetes, first)
    narrowed = _first(diabetes, first, "countdata [e]", "previousfilter and filter age less than 40 and likelihood [e]")
    at_once = "filter age greater than 30 and filter age less than 40 and change bmi increase 5 and likelihood [e]"
    assert narrowed["mean"] == pytest.approx(_first(diabetes, at_once)["mean"], abs=1e-12)


def test_a_threshold_holds_for_what_comes_after_it_in_the_turn(diabetes: Demo, people: pd.DataFrame) -> None:
    before, after = diabetes.answers("score f1 and threshold 0.3 and score f1 [e]")
    assert before["value"] == pytest.approx(f1_score(people["y"], people["predicted"]), abs=1e-12)
    assert after["value"] == pytest.approx(f1_score(people["y"], people["p"] >= 0.3), abs=1e-12)
    forgotten = _first(diabetes, "threshold 0.3 and predict [e]", "predict [e]")
    assert forgotten["counts"]["likely to have diabetes"] == int(people["predicted"].sum())


@pytest.mark.slow
def test_similar_rows_are_nearest_by_gower(demo: Demo) -> None:
    token = demo.subject.schema.features[1].token
    for id_ in demo.world.frame.index[::60]:
        for change in ("", f"change {token} increase 50 percent and ", f"change {token} set 100000 and "):
            assert _compare(demo, (f"filter id {id_} and {change}similar 6 [e]",), Counter()) == []


def test_show_me_the_rest_goes_through_all_rows_once(demo: Demo) -> None:
    number = f"filter {demo.subject.schema.features[0].token} greater than 40"
    turns = [f"{number} and show [e]", *["followup [e]"] * 40]
    seen: list[Any] = []
    for _, results in demo.turns(*turns):
        answer = as_json(results[0])
        if answer["type"] != "ShownRows" or len(seen) == answer["count"]:
            break
        seen += [row["id"] for row in answer["rows"]]
    world = demo.world
    wanted = world.frame.index[world.frame.iloc[:, 0] > 40].tolist()
    assert seen == wanted[: len(seen)]
    assert len(seen) == min(len(wanted), 20 * len(turns))


def test_a_wrong_number_would_be_noticed(demo: Demo) -> None:
    rng = np.random.default_rng(SEED)
    texts = ("predict [e]", "likelihood [e]", "score f1 [e]", "compare {0} [e]", "correlate {0} {1} [e]", "label [e]",
             "highest 3 {0} [e]", "distribution {0} [e]", "statistic {1} [e]", "threshold 0.4 [e]",
             "countdata [e]")  # fmt: skip
    tokens = [feature.token for feature in demo.subject.schema.features]
    for text in texts:
        text = text.format(*tokens)
        [asked], _ = Conversation(demo.world).ask(text)
        [got] = demo.answers(text)
        assert list(differences(expected(asked, demo.world), got)) == []
        places = [place for place in _numbers(got) if place[0] not in ("edges", "group")]
        place = places[int(rng.integers(len(places)))]
        _alter(got, place)
        assert list(differences(expected(asked, demo.world), got)), (text, place)


def _numbers(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all numbers in some JSON."""
    if isinstance(value, dict):
        return [found for name, item in value.items() for found in _numbers(item, (*place, name))]
    if isinstance(value, list):
        return [found for number, item in enumerate(value) for found in _numbers(item, (*place, number))]
    return [place] if isinstance(value, int | float) and not isinstance(value, bool) else []


def _alter(value: Any, place: tuple[Any, ...]) -> None:
    for step in place[:-1]:
        value = value[step]
    value[place[-1]] += 1e-6 if isinstance(value[place[-1]], float) else 1
