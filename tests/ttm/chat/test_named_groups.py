"""A name stands for just the rows that it was given to: in questions, side by side, after a reload, until it is forgotten."""

from pathlib import Path

import pytest

from backend.errors import ExecutionError
from backend.program.settings import Settings
from ttm.chat.catalogue import SubjectCatalogue
from ttm.chat.chat_record import read_chat, replay, write_chat
from ttm.chat.remembered.named_groups import MOST, UNANSWERED, NamedGroups, checked_name
from ttm.chat.session import ChatSession


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> SubjectCatalogue:
    return SubjectCatalogue(Settings(data_dir=tmp_path_factory.mktemp("parley")))


@pytest.fixture
def session(subjects: SubjectCatalogue) -> ChatSession:
    """Two named groups: older people, and those with much glucose or none known."""
    session = ChatSession(subjects)
    session.ask_parse("filter age greater than 50 and countdata")
    session.ask("call these older people")
    session.ask_parse("filter glucose greater than 150 or filter glucose missing and countdata")
    session.ask('Please save them as "Sweet ones".')
    return session


def _sizes(session: ChatSession, question: str) -> list[int]:
    result = session.ask(question).results[-1]
    return [part.group.rows for part in getattr(result, "results", (result,))]


def test_rows_of_the_last_answer_get_a_name_in_words(session: ChatSession) -> None:
    assert list(session.named_groups.groups) == ["older people", "sweet ones"]
    assert [str(turn.parse).split(" and ")[-1] for turn in session.turns[1::2]] == [
        'name "older people" [e]',
        'name "sweet ones" [e]',
    ]
    assert 'as **"older people"**' in session.answers(session.turns[1])[0].text


QUESTIONS = (
    "how accurate is the model for older people?",
    "What does the model predict for Older  People?",
    "how many older people are there?",
    "show the older people",
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_name_is_understood_wherever_the_conversation_was(session: ChatSession, question: str) -> None:
    frame = session.loaded.subject.dataset.frame
    assert _sizes(session, question) == [(frame["Age"] > 50).sum()]


def test_a_name_can_be_narrowed_and_stands_for_alternatives(session: ChatSession) -> None:
    frame = session.loaded.subject.dataset.frame
    sweet = (frame["Glucose"] > 150) | frame["Glucose"].isna()
    assert _sizes(session, "how many sweet ones have bmi above 30?") == [(sweet & (frame["BMI"] > 30)).sum()]


@pytest.mark.parametrize("question", ["compare the accuracy of older people and sweet ones",
                                      "how accurate is the model for older people versus the sweet ones?"])  # fmt: skip
def test_two_names_stand_side_by_side_in_their_order(session: ChatSession, question: str) -> None:
    frame = session.loaded.subject.dataset.frame
    assert _sizes(session, question) == [(frame["Age"] > 50).sum(), ((frame["Glucose"] > 150) | frame["Glucose"].isna()).sum()]


def test_a_name_is_no_question_from_which_the_next_goes_on(session: ChatSession, subjects: SubjectCatalogue) -> None:
    plain = ChatSession(subjects)
    for parse in (
        "filter age greater than 50 and countdata",
        "filter glucose greater than 150 or filter glucose missing and countdata",
    ):
        plain.ask_parse(parse)
    for question in ("and with bmi above 30?", "how accurate is the model for people with bmi above 35?", "the same for id 5"):
        assert session.understand(question).candidates == plain.understand(question).candidates
    turn = session.ask("zzz qqq?")
    assert turn.parse is None
    assert session.ask("call these lost ones").understanding.question == UNANSWERED


def test_a_question_without_a_name_is_understood_as_without_any(session: ChatSession, subjects: SubjectCatalogue) -> None:
    plain = ChatSession(subjects)
    for parse in ("filter age greater than 50 and countdata", "filter glucose greater than 150 and countdata"):
        session.ask_parse(parse)
        plain.ask_parse(parse)
    question = "what are the 3 most important features of all people?"
    assert session.understand(question).candidates == plain.understand(question).candidates


NO_GROUPS = (
    "countdata",
    "filter id 5 and change age increase 5 and predict",
    "instance age 50 and predict",
    "filter age greater than 50 versus filter age less than 30 and countdata",
)


@pytest.mark.parametrize("before", NO_GROUPS)
def test_what_is_not_one_group_of_rows_gets_no_name(subjects: SubjectCatalogue, before: str) -> None:
    session = ChatSession(subjects)
    session.ask_parse(before)
    turn = session.ask("call these odd ones")
    assert turn.parse is None
    assert turn.understanding.question
    assert session.named_groups.groups == {}


def test_names_outlive_a_new_chat_and_a_reload_until_they_are_forgotten(
    session: ChatSession, subjects: SubjectCatalogue
) -> None:
    session.restart()
    assert len(_sizes(session, "predict older people")) == 1
    session.named_groups.forget("sweet ones")
    kept = read_chat(write_chat(session, "ab").model_dump(mode="json"))
    assert (list(kept.groups), kept.forgotten) == (["older people"], ("sweet ones",))
    later = ChatSession(subjects)
    later.bring_names(session.name, kept.groups)
    assert _sizes(later, "how many older people are there?") == _sizes(session, "how many older people are there?")
    assert "sweet ones" not in later.named_groups.groups


def test_a_conversation_that_is_carried_out_again_names_its_rows_again(
    session: ChatSession, subjects: SubjectCatalogue
) -> None:
    chat, later = write_chat(session, "ab"), ChatSession(subjects)
    replay(chat, later.conversation, later.schema, lambda share, text: None)
    assert later.named_groups.groups == session.named_groups.groups


def test_what_a_browser_kept_is_read_with_care(subjects: SubjectCatalogue) -> None:
    groups = NamedGroups(ChatSession(subjects).schema)
    wrong = {"gone": "filter nocolumn true", "no rows": "countdata", "": "filter age greater than 3",
             "before": "previousfilter", "more": "filter age greater than 50 and show"}  # fmt: skip
    groups.read({"good": "filter age greater than 50", **wrong})
    assert list(groups.groups) == ["good"]
    groups.read({f"group {number}": "filter age greater than 50" for number in range(2 * MOST)})
    assert len(groups.groups) <= MOST + 1


@pytest.mark.parametrize("name", ["", "  ", "123", "x" * 61, "?!"])
def test_a_name_is_a_word(name: str) -> None:
    with pytest.raises(ExecutionError, match="letters"):
        checked_name(name)


def test_a_name_in_markup_is_shown_as_text(subjects: SubjectCatalogue, tmp_path: Path) -> None:
    session = ChatSession(subjects)
    session.ask_parse("filter age greater than 50 and countdata")
    turn = session.ask("call these <img src=x>")
    assert "<img" not in session.answers(turn)[0].text
