"""Which thing a follow-up speaks of: the one chosen last, the latter, each of them; and doubt where that is not known."""

import pytest

from inspired.dialogue.conversations import Conversations
from inspired.knowledge_base.engine import open_knowledge_base
from inspired.parsers.opening import open_default_parser

from .conftest import Ask

SURE = 0.5


@pytest.fixture(scope="module")
def conversations() -> Conversations:
    kb = open_knowledge_base(None)
    return Conversations(kb, open_default_parser(None, kb))


def test_what_was_chosen_last_is_meant_and_not_what_it_was_chosen_by(ask: Ask) -> None:
    bordering = ("Which countries border Slovakia?", "Which of them are in the EU?", "And which of those use the euro?")
    head = ask(*bordering, "Who is the head of state there?")
    assert head[2:] == [["Austria"], ask("Who is Austria's head of state?")[0]]


def test_that_country_is_the_one_that_was_found(ask: Ask) -> None:
    poorest, since = ask(
        "Which countries border the Democratic Republic of the Congo?",
        "Which is the poorest?",
        "When did that country become independent?",
    )[1:]
    assert since == ask(f"When did {poorest[0]} become independent?")[0] != []


@pytest.mark.parametrize(("which", "country"), [("latter", "Tanzania"), ("former", "Kenya")])
def test_the_latter_is_what_was_named_last(ask: Ask, which: str, country: str) -> None:
    asked = (
        "How many people in Kenya use the internet?",
        "Are there more in Tanzania?",
        f"What is the capital of the {which}?",
    )
    assert ask(*asked)[2] == ask(f"What is the capital of {country}?")[0] != []


def test_the_latter_of_nothing_is_left_out(conversations: Conversations) -> None:
    for question in ("What is the capital of Kenya?", "What is the population of the latter?"):
        result = conversations.answer({"conversation": "latter", "question": question})
    assert result["unused"] == ["latter"]


def test_each_of_them_has_its_own(ask: Ask) -> None:
    older = ("Which countries have a median age of more than 45 years?", "Which of these are in Europe?")
    share = ask(*older, "What share of its GDP does each of them spend on health?")[2]
    assert share == ask(*older, "What is their health expenditure?")[2] != []


def test_the_country_is_the_one_that_was_asked_about(ask: Ask) -> None:
    """Whose life expectancy is the highest was asked as well."""
    asked = (
        "What is the life expectancy in Japan?",
        "Is it the highest in the world?",
        "How much does the country spend on health?",
    )
    assert ask(*asked)[2] == ask("What is the health expenditure of Japan?")[0] != []


def test_with_which_one_it_is_the_longest(ask: Ask) -> None:
    border, longest = ask("Which countries border Kazakhstan?", "With which one is the border longest?")
    assert len(longest) == 1
    assert set(longest) < set(border)


def test_the_members_are_those_that_were_found(ask: Ask) -> None:
    count = ask("Which countries belong to OPEC?", "How many of the members are in Africa?")[1]
    assert count == [str(len(ask("Which countries belong to OPEC?", "Which of them are in Africa?")[1]))] != ["54"]


def test_without_the_landlocked_ones(ask: Ask) -> None:
    border, coast = ask("Which countries border Zambia?", "Without the landlocked ones, please.")
    assert {"Zimbabwe", "Mozambique"} & set(coast) == {"Mozambique"}
    assert set(coast) < set(border)


@pytest.mark.parametrize(
    "shares", ["With what shares?", "And the percentages?", "What share of the people follow each of them?"]
)
def test_shares_are_put_beside_what_was_found(conversations: Conversations, shares: str) -> None:
    conversation = f"shares {shares}"
    first = conversations.answer({"conversation": conversation, "question": "Which religions are practised in Lebanon?"})
    second = conversations.answer({"conversation": conversation, "question": shares})
    assert [each["name"] for each in first["answers"]] == [each["name"] for each in second["answers"]] != []
    assert not second["unused"]
    assert all(each["columns"]["percentage"] for each in second["answers"])


@pytest.mark.parametrize(
    ("questions", "why"),
    [
        (
            (
                "List the landlocked countries of Asia.",
                "Which is the jolliest by far?",
                "What are its natural resources?",
            ),
            "goes back past a question that had no answer",
        ),
        (
            (
                "Which country has the highest fertility rate in the world?",
                "What is the median age there?",
                "And those of the countries that border it?",
            ),
            "is a question of before once more",
        ),
    ],
)
def test_what_is_probably_not_meant_is_doubted(conversations: Conversations, questions: tuple[str, ...], why: str) -> None:
    for question in questions:
        result = conversations.answer({"conversation": why, "question": question})
    assert result["confidence"] < SURE, why


def test_the_same_ones_are_all_of_them(conversations: Conversations) -> None:
    for question in ("Which natural resources does Turkmenistan have?", "Does Uzbekistan have the same ones?"):
        result = conversations.answer({"conversation": "same", "question": question})
    assert "the same ones" in result["unused"]


def test_there_is_the_city_that_was_found(ask: Ask) -> None:
    largest, people = ask("What is the largest city in Brazil?", "How many people live there?")
    assert people == ask(f"What is the population of {largest[0]}?")[0] != []


def test_the_most_populous_is_one_of_those_that_were_found(ask: Ask) -> None:
    assert ask("Which countries does the Brahmaputra pass through?", "Which is the most populous?")[1] == ["India"]


def test_they_are_the_people_of_a_country(ask: Ask) -> None:
    assert ask("How high is inflation in Ghana?", "What currency do they use?")[1] == ["Ghanaian Cedi"]


def test_one_country_is_compared_with_another_by_the_same_figure(ask: Ask) -> None:
    higher = ask("What is the obesity rate in Mexico?", "Is it higher in the United States?")[1]
    assert higher == ask("Does the United States have a higher obesity rate than Mexico?")[0]
    assert higher == ["yes"]


def test_what_is_to_be_compared_takes_the_place_of_what_was_compared(ask: Ask) -> None:
    first = "How many merchant ships does Panama have?"
    assert ask(first, "Is that more than Liberia?", "What about Italy?")[1:] == [["yes"], ["no"]]


def test_import_partners_after_export_partners(ask: Ask) -> None:
    partners = ask("What are the main export partners of Brazil?", "And the import partners?")[1]
    assert partners == ask("From which countries does Brazil import?")[0] != []


def test_how_much_that_is(ask: Ask) -> None:
    asked = ("Which countries are in OPEC?", "Which of these produces the most oil?", "How much exactly?")
    most, amount = ask(*asked)[1:]
    assert amount == ask(f"How much oil does {most[0]} produce?")[0] != []


def test_the_one_that_was_found_exports_and_is_not_exported_to(ask: Ask) -> None:
    asked = ("Which African countries are members of OPEC?", "Which of those produces the most oil?", "To whom does it export?")
    most, partners = ask(*asked)[1:]
    assert set(partners) == set(ask(f"To which countries does {most[0]} export?")[0]) != set()


def test_from_whom_they_became_independent(ask: Ask) -> None:
    countries, powers = ask("Which African countries became independent in 1960?", "From whom?")
    each = {power for country in countries for power in ask(f"From whom did {country} become independent?")[0]}
    assert set(powers) == each != set()
