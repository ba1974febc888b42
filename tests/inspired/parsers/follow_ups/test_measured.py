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


def test_more_there_and_as_many_elsewhere(ask: Ask) -> None:
    peru, more, mexico = ask(
        "How many World Heritage sites are in Peru?", "Are there more in Bolivia?", "And in Mexico, how many?"
    )
    bolivia = ask("How many World Heritage sites are in Bolivia?")[0]
    assert more == ["yes" if int(bolivia[0]) > int(peru[0]) else "no"]
    assert mexico == ask("How many World Heritage sites are in Mexico?")[0]


def test_whether_there_are_any_and_which(ask: Ask) -> None:
    _, any_there, these = ask(
        "How many World Heritage sites are in Peru?", "Does Bolivia have any?", "Name the Bolivian ones for me."
    )
    assert any_there == ["yes"]
    assert these == ask("Which World Heritage sites are in Bolivia?")[0]


def test_who_has_more_by_a_figure(ask: Ask) -> None:
    share = "What is the nuclear share of electricity of France?"
    assert ask(share, "Who gets more, Slovakia or Belgium?")[1] == ["Slovakia"]
    assert ask(share, "Who gets less, Slovakia or Belgium?")[1] == ["Belgium"]


def test_in_which_of_two_it_is_lower(ask: Ask) -> None:
    asked = ("What is the unemployment rate of Belgium?", "And of Luxembourg?", "In which of the two is unemployment lower?")
    belgium, luxembourg, lower = ask(*asked)
    assert lower == ["Belgium" if float(belgium[0]) < float(luxembourg[0]) else "Luxembourg"]


def test_the_larger_of_two_answers(ask: Ask) -> None:
    assert ask("Which countries border Lebanon?", "Which is the larger of the two?")[1] == ["Syria"]


def test_whose_figure_is_higher(ask: Ask) -> None:
    asked = ("What is the unemployment rate of Spain?", "And of Greece?", "And whose unemployment rate is higher?")
    spain, greece, higher = ask(*asked)
    assert higher == ["Spain" if float(spain[0]) > float(greece[0]) else "Greece"]


def test_what_was_listed_further_back_is_counted(ask: Ask) -> None:
    listed, number, more, others = ask(
        "Which World Heritage sites are in Portugal?",
        "How many are there?",
        "Does Greece have more?",
        "Show me the ones in Cyprus instead.",
    )
    assert number == [str(len(listed))]
    assert more == ["yes" if len(ask("Which World Heritage sites are in Greece?")[0]) > len(listed) else "no"]
    assert others == ask("Which World Heritage sites are in Cyprus?")[0]


@pytest.mark.parametrize("again", ["Which countries have a higher one?", "Which countries have a higher rate?"])
def test_higher_ones_are_higher_than_that_of_what_was_asked_about(ask: Ask, again: str) -> None:
    alone = ask("Which countries have a higher unemployment rate than Spain?")[0]
    assert ask("What is the unemployment rate in Spain?", again)[1] == alone != []


def test_a_figure_per_person_stays_one(ask: Ask) -> None:
    alone = ask("Which countries have a higher GDP per person than Poland?")[0]
    assert ask("What is the GDP per person of Poland?", "Which countries have a higher one?")[1] == alone != []
