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
        (("Which African countries became independent in 1960?", "From whom?"), "is the question before once more"),
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
