"""What a follow-up points to beyond one list: what it is compared with, two or three things together, and the nth answer."""

import pytest

from inspired.parsers.follow_ups.before import without_interjections

from .conftest import Ask


@pytest.mark.parametrize(
    ("before", "question", "answer"),
    [
        ("which countries does the Danube flow through?", "is the Rhine longer?", "no"),
        ("how long is the Danube?", "is the Rhine shorter?", "yes"),
        ("What is the biggest city of Nigeria?", "São Paulo is bigger, no?", "no"),
        ("how many people live in Peru?", "does Brazil have more people?", "yes"),
    ],
)
def test_it_is_compared_with_what_was_asked_about(ask: Ask, before: str, question: str, answer: str) -> None:
    assert ask(before, question)[1] == [answer]


@pytest.mark.parametrize(
    ("before", "question", "answer"),
    [
        ("What is the capital of Paraguay?", "Is it larger than Montevideo?", "yes"),
        ("Which is the largest lake in Sweden?", "Is it bigger than Lake Constance?", "yes"),
        ("What is the population of Peru?", "Is it bigger than Chile?", "yes"),
    ],
)
def test_it_is_compared_with_what_is_of_its_kind(ask: Ask, before: str, question: str, answer: str) -> None:
    """And not asked whether Montevideo is a city, as without the word that compares."""
    assert ask(before, question)[1] == [answer]


def test_what_is_of_another_kind_is_not_compared(ask: Ask) -> None:
    compared, alone = ask("who is the president of Peru?", "is the Rhine longer?"), ask("is the Rhine longer?")
    assert compared[1] == alone[0]


def test_it_has_what_was_named_before_a_thing_that_only_shares_a_fact(ask: Ask) -> None:
    """Croatia became independent once; the countries that have the euro did so at eleven dates."""
    assert ask("What is the currency of Croatia?", "when did it become independent?") == [["Euro"], ["25 June 1991"]]


def test_the_other_end_of_the_row(ask: Ask) -> None:
    highest, lowest = ask("which country has the highest life expectancy?", "lowest in the world?")
    assert lowest == ask("which country has the lowest life expectancy?")[0] != highest


def test_a_name_takes_the_place_of_the_one_behind_the_same_preposition(ask: Ask) -> None:
    """Armenia borders Georgia and not Russia, which borders Azerbaijan."""
    claim = "does Armenia have a border with Azerbaijan?"
    assert ask(claim, "And with Russia?", "and Georgia?") == [["yes"], ["no"], ["yes"]]


def test_several_names_take_the_place_of_one(ask: Ask) -> None:
    _, several = ask("When is the national holiday of Egypt?", "Also for Morocco and Tunisia please")
    assert several == ["Morocco", "Tunisia"]
    assert ask("capital of Peru?", "and of Chile and South Africa?")[1] == ["Chile", "South Africa"]


def test_of_three(ask: Ask) -> None:
    currencies, smallest = ask(
        "What are the currencies of Oman, Bahrain and the United Arab Emirates?",
        "Which of the three has the smallest population?",
    )
    assert currencies == ["Bahrain", "Oman", "United Arab Emirates"]
    assert smallest == ["Bahrain"]


@pytest.mark.parametrize(
    "question", ["What are the three highest mountains of the world?", "capitals of the two largest countries"]
)
def test_a_row_is_no_three_that_were_named(ask: Ask, question: str) -> None:
    currencies = "What are the currencies of Oman, Bahrain and the United Arab Emirates?"
    assert ask(currencies, question)[1] == ask(question)[0]


def test_both_that_were_compared(ask: Ask) -> None:
    larger, both, more, one = ask(
        "which is bigger, Mozambique or Tanzania?",
        "Do they both have a border with Kenya?",
        "which of the two has more people?",
        "which one has the longer coastline?",
    )
    assert (larger, both, more) == (["Tanzania"], ["no"], ["Tanzania"])
    assert one == ["Mozambique"]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("what is the capital of the second one?", ["La Paz", "Sucre"]),
        ("The last one, when did it become independent?", ["28 July 1821"]),
        ("the third of them, when did it become independent?", ["28 July 1821"]),
    ],
)
def test_the_nth_of_the_answers_as_they_are_shown(ask: Ask, question: str, answers: list[str]) -> None:
    first, second = ask("which countries border Chile?", question)
    assert first == ["Argentina", "Bolivia", "Peru"]
    assert second
    assert set(second) <= set(answers)


def test_the_last_may_be_the_latest(ask: Ask) -> None:
    """Where it is itself what is asked for, "the last of them" is no place in a list."""
    assert ask("which countries border Chile?", "which was the last of them to become independent?")[1] == ["Bolivia"]


def test_the_same_question(ask: Ask) -> None:
    again = ask("which countries does the Danube flow through?", "And the Rhine, same question")[1]
    assert again == ask("which countries does the Rhine flow through?")[0]
    assert without_interjections("do they speak the same thing?") == "do they speak the same thing?"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("which country has the longer coastline, Nigeria, Ghana or Togo?", "Nigeria"),
        ("Which country has the shortest coastline, Nigeria, Ghana, the Ivory Coast or Togo?", "Togo"),
        ("which of Peru, Chile and Bolivia has the most people?", "Peru"),
    ],
)
def test_all_that_are_listed_are_compared(ask: Ask, question: str, answer: str) -> None:
    assert ask(question) == [[answer]]
