"""Follow-ups that leave out what the question before measured or counted."""

import pytest

from .conftest import Ask

MEDIAN = "How high is the median age in Italy?"
LONGEST = "Which African country has the longest coastline?"


@pytest.mark.parametrize(
    "question", ["Is it higher than Spain's?", "Is it higher than in Spain?", "is that more than in Spain?"]
)
def test_a_figure_is_compared_with_that_of_another_thing(ask: Ask, question: str) -> None:
    """And not Italy with Spain, by how high they lie."""
    assert ask(MEDIAN, question)[1] == ask("Is the median age of Italy higher than the median age of Spain?")[0] == ["yes"]


def test_the_lowest_of_what_was_measured(ask: Ask) -> None:
    assert ask(MEDIAN, "Which EU country has the lowest?")[1] == ask("Which EU country has the lowest median age?")[0]


def test_two_figures_are_compared(ask: Ask) -> None:
    coast = ask("How long is the coastline of Greece?", "And Italy?", "Which is longer?")
    assert coast[2] == ["Greece"]


def test_whose_is_higher(ask: Ask) -> None:
    assert ask("What is the GDP of Taiwan?", "And of South Korea?", "Whose is higher?")[2] == ["South Korea"]


def test_two_answers_are_compared(ask: Ask) -> None:
    assert ask("Which rivers flow through France?", "Which is longer?")[1] == ["Rhine River"]


def test_how_long_it_is(ask: Ask) -> None:
    """As long as it was the longest by: the coastline of Madagascar and not its railways."""
    assert ask(LONGEST, "How long is that?")[1] == ask("How long is the coastline of Madagascar?")[0]


@pytest.mark.parametrize("question", ["How many has Kenya got?", "how many does Kenya have?"])
def test_as_many_of_what_was_listed(ask: Ask, question: str) -> None:
    sites = ask("Which World Heritage sites are in Ethiopia?", question)
    assert sites[1] == ask("How many World Heritage sites are in Kenya?")[0]


def test_more_of_what_was_counted(ask: Ask) -> None:
    greece, turkey, more = ask(
        "How many World Heritage sites are there in Greece?", "And in Turkey?", "So does Greece have more?"
    )
    assert int(greece[0]) < int(turkey[0])
    assert more == ["no"]


def test_which_of_two_has_more_of_what_was_counted(ask: Ask) -> None:
    counts = ask("How many World Heritage sites are there in Greece?", "And in Turkey?", "Which of the two has more?")
    assert counts[2] == ["Turkey"]


def test_words_that_name_a_figure_keep_it(ask: Ask) -> None:
    assert (
        ask(MEDIAN, "Which EU country has the lowest public debt?")[1] == ask("Which EU country has the lowest public debt?")[0]
    )


def test_nothing_was_measured(ask: Ask) -> None:
    assert ask("Who is the president of Peru?", "How long is the Rhine?")[1] == ask("How long is the Rhine?")[0]


def test_where_it_is_lowest_and_what_comes_next(ask: Ask) -> None:
    asked = ask("What is the fertility rate of Nigeria?", "Where in Africa is it lowest?", "Which comes next?")
    assert asked[1] == ask("Which country in Africa has the lowest fertility rate?")[0]
    assert asked[2] == ask("Which country in Africa has the second lowest fertility rate?")[0]


def test_a_number_is_compared_with_that_of_another_thing(ask: Ask) -> None:
    egypt, more = ask("How many World Heritage sites does Egypt have?", "Is that more than Morocco has?")
    assert more == ["yes" if int(egypt[0]) > int(ask("How many World Heritage sites does Morocco have?")[0][0]) else "no"]


def test_a_date_is_compared_with_that_of_another_thing(ask: Ask) -> None:
    dates = ask("When did Kenya become independent?", "And when was it for Namibia?", "Was that later than Zimbabwe?")
    assert dates[1] == ask("When did Namibia become independent?")[0]
    assert dates[2] == ["yes"]
