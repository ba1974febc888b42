"""What one person does in a chat, and that it stays theirs."""

from pathlib import Path

import pandas as pd
import pytest

from backend.errors import DatasetError, ExecutionError, ModelError, ParseError
from backend.program.settings import Settings
from tests.ttm.conftest import KINDS, awkward_subject
from ttm.chat.catalogue import Loaded, SubjectCatalogue
from ttm.chat.chat_record import read_chat, replay, write_chat
from ttm.chat.model_card import card, how_good, opening
from ttm.chat.row_browser import browse
from ttm.chat.session import LONGEST_QUESTION, ChatSession
from ttm.chat.suggestions import SuggestedQuestion
from ttm.explain.explainer import Explainer
from ttm.language.correction import begin, check, delete_step, insert_step, replace_step, step_words, templates
from ttm.language.grammar import grammar_of
from ttm.language.parse import Joiner
from ttm.operations.execution_engine import ExecutionEngine
from ttm.parsers import default_parser


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> SubjectCatalogue:
    return SubjectCatalogue(Settings(data_dir=tmp_path_factory.mktemp("parley")))


@pytest.fixture
def session(subjects: SubjectCatalogue) -> ChatSession:
    return ChatSession(subjects)


def test_two_sessions_share_what_is_loaded_but_not_what_is_said(subjects: SubjectCatalogue) -> None:
    one, other = ChatSession(subjects), ChatSession(subjects)
    one.ask_parse("filter age greater than 50 and countdata")
    assert one.loaded is other.loaded
    assert len(one.turns) == 1
    assert other.turns == []


def test_a_data_set_that_is_not_offered_cannot_be_loaded(session: ChatSession, tmp_path: Path) -> None:
    for name in ("nonsense", str(tmp_path), "../secrets"):
        with pytest.raises(DatasetError, match="diabetes, german, compas"):
            session.talk_about(name)


@pytest.mark.parametrize("question", ["", "   \n "])
def test_an_empty_question_is_refused_in_words(session: ChatSession, question: str) -> None:
    with pytest.raises(ExecutionError, match="no question yet"):
        session.ask(question)


def test_a_very_long_question_is_refused_in_words(session: ChatSession) -> None:
    with pytest.raises(ExecutionError, match="at most 10,000 characters; this one has 10,001"):
        session.ask("x" * (LONGEST_QUESTION + 1))


def test_undo_takes_the_last_turn_back_and_what_it_remembered(session: ChatSession) -> None:
    session.ask_parse("filter age greater than 50 and countdata")
    session.ask_parse("filter age less than 30 and countdata")
    assert session.undo() is not None
    (result,) = session.ask_parse("previousfilter and countdata").results
    assert "above 50" in result.group.words


def test_editing_a_question_keeps_the_turns_after_it(session: ChatSession) -> None:
    first = session.ask_parse("countdata", "first")
    session.ask_parse("predict", "second")
    session.offer(SuggestedQuestion("how many are old?", "filter age greater than 60 and countdata"))
    edited = session.edit(first.number, "how many are old?")
    assert [turn.utterance for turn in session.turns] == ["how many are old?", "second"]
    assert str(edited.parse) == "filter age greater than 60 and countdata [e]"


def test_a_proposed_question_means_what_it_was_proposed_for(session: ChatSession) -> None:
    session.offer(SuggestedQuestion("Blorp the frobs", "score accuracy"))
    assert str(session.ask("  Blorp the frobs ").parse) == "score accuracy [e]"


def test_correcting_answers_again_and_later_turns_follow(session: ChatSession) -> None:
    first = session.ask_parse("filter age greater than 50 and countdata", "older than forty?")
    session.ask_parse("previousfilter and countdata")
    session.correct(first.number, "filter age greater than 40 and countdata")
    assert [turn.corrected for turn in session.turns] == [True, False]
    assert session.turns[0].results[0].group.rows == session.turns[1].results[0].group.rows


def test_a_correction_outside_the_grammar_changes_nothing(session: ChatSession) -> None:
    turn = session.ask_parse("countdata")
    with pytest.raises(ParseError):
        session.correct(turn.number, "filter shoesize greater than 40")
    assert session.turns == [turn]


def test_pins_outlive_undo_and_a_new_chat(session: ChatSession) -> None:
    turn = session.ask_parse("score accuracy")
    session.toggle_pin(turn.number)
    session.undo()
    session.restart()
    assert [pin.turn for pin in session.pins] == [turn]
    session.unpin(session.pins[0].number)
    assert session.pins == []


def test_a_pin_comes_back_with_its_conversation(session: ChatSession, subjects: SubjectCatalogue) -> None:
    session.toggle_pin(session.ask_parse("score accuracy").number)
    session.ask_parse("countdata")
    chat, later = read_chat(write_chat(session, "ab").model_dump(mode="json")), ChatSession(subjects)
    for _ in range(2):  # opened again in the same tab, it is pinned once
        later.restart()
        branch = later.branch()  # as questions are answered
        replay(chat, branch.conversation, branch.schema, lambda share, text: None)
        branch.pin_again(chat.pinned)
        later.take_over(branch)
        assert [pin.turn for pin in later.pins] == [later.turns[0]]


def test_pinning_twice_takes_the_pin_away(session: ChatSession) -> None:
    turn = session.ask_parse("score accuracy")
    session.toggle_pin(turn.number)
    assert session.is_pinned(turn)
    session.toggle_pin(turn.number)
    assert not session.is_pinned(turn)


def test_a_turn_that_is_gone_is_told_so(session: ChatSession) -> None:
    with pytest.raises(ExecutionError, match="no longer part"):
        session.correct(17, "countdata")


# --- what people bring ---------------------------------------------------------------------------------------------------

ROWS = "\n".join(f"{30 + number % 40},{number % 3},{'yes' if (number * 7) % 5 > 2 else 'no'}" for number in range(60))


def test_a_table_is_brought_for_one_person_only(subjects: SubjectCatalogue, tmp_path: Path) -> None:
    path = tmp_path / "shop.csv"
    path.write_text(f"age,visits,bought\n{ROWS}\n", "utf-8")
    steps: list[str] = []
    loaded = subjects.bring(path, "bought", None, None, lambda share, text: steps.append(text))
    one, other = ChatSession(subjects), ChatSession(subjects)
    name = one.bring(loaded)
    one.talk_about(name)
    assert one.schema.target.name == "bought"
    assert "Shop (yours)" in one.names.values()
    assert name not in other.names
    assert steps
    with pytest.raises(DatasetError):
        other.talk_about(name)


@pytest.mark.slow
def test_an_uploaded_pickle_is_refused_even_if_the_settings_allow_one(tmp_path: Path) -> None:
    data, model = tmp_path / "rows.csv", tmp_path / "model.pkl"
    data.write_text(f"age,visits,bought\n{ROWS}\n", "utf-8")
    model.write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    settings = Settings(data_dir=tmp_path, data=data, target="bought", model=model, allow_pickle=True)
    with pytest.raises(ModelError, match="pickle"):
        SubjectCatalogue(settings).bring(data, "bought", model, None)


def test_the_command_lines_own_table_is_the_default(tmp_path: Path) -> None:
    data = tmp_path / "my_shop.csv"
    data.write_text(f"age,visits,bought\n{ROWS}\n", "utf-8")
    subjects = SubjectCatalogue(Settings(data_dir=tmp_path / "parley", data=data, target="bought"))
    assert next(iter(subjects.names.values())) == "My shop"
    assert ChatSession(subjects).schema.target.name == "bought"


# --- the card and the rows -----------------------------------------------------------------------------------------------


def test_the_opening_is_true_and_has_a_picture(session: ChatSession) -> None:
    subject = session.loaded.subject
    text, answer = opening(session.loaded)
    right = (subject.predictions == subject.dataset.labels).mean()
    assert f"{right:.1%}" in text
    assert answer.figure is not None


def test_the_card_tells_size_scores_and_what_was_inferred(session: ChatSession) -> None:
    text = card(session.loaded.subject)
    assert f"{len(session.loaded.subject.dataset.frame):,} people" in text
    assert "cross-validation" in text
    assert "Inferred from the columns" in text
    assert how_good(session.loaded.subject) in text


def test_rows_are_found_by_comparisons_and_words(session: ChatSession) -> None:
    subject = session.loaded.subject
    frame = subject.dataset.frame
    page = browse(subject, "age > 40, bmi <= 30")
    assert page.matching == ((frame["Age"] > 40) & (frame["BMI"] <= 30)).sum()
    assert page.columns[:3] == ("id", "prediction", "true outcome")
    assert [row[0] for row in browse(subject, "17").rows] == ["17"]
    assert browse(subject).matching == len(frame)


@pytest.mark.parametrize(("query", "told"), [("shoe size > 4", "no feature 'shoe size'"), ("age > old", "is a number")])
def test_a_filter_that_cannot_be_is_told_in_words(session: ChatSession, query: str, told: str) -> None:
    with pytest.raises(ExecutionError, match=told):
        browse(session.loaded.subject, query)


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_screen_copes_with_any_data(kind: str) -> None:
    subject = awkward_subject(kind)
    engine = ExecutionEngine(subject, Explainer(subject))
    loaded = Loaded(subject, engine, default_parser(subject.schema))
    text, _ = opening(loaded)
    assert "<b>" not in text + card(subject)
    assert browse(subject).matching == len(subject.dataset.frame)
    assert "people" in text


def test_rows_are_found_by_dates_names_and_yes_or_no() -> None:
    subject = awkward_subject("binary")
    frame = subject.dataset.frame
    dates = frame["since"] > pd.Timestamp("2020-06-01")
    assert browse(subject, "since > 2020-06-01").matching == dates.sum()
    assert browse(subject, "loan purpose = new car").matching == (frame["loan purpose"] == "new car").sum()
    smokers, members = frame["smoker"] == "yes", frame["Is_Member"] == 1
    assert browse(subject, "smoker = yes, is member = no").matching == (smokers & ~members).sum()
    assert browse(subject, "*really*").matching == frame["loan purpose"].str.contains("really").sum()


def test_a_model_is_not_praised_for_rows_it_was_trained_on(subjects: SubjectCatalogue, tmp_path: Path) -> None:
    path = tmp_path / "shop.csv"
    path.write_text(f"age,visits,bought\n{ROWS}\n", "utf-8")
    subject = subjects.bring(path, "bought", None, None).subject
    assert subject.model.scores is not None
    assert f"{subject.model.scores.means['accuracy']:.1%}" in how_good(subject)
    assert "cross-validation" in how_good(subject)


# --- correcting step by step ---------------------------------------------------------------------------------------------


def test_steps_are_replaced_inserted_and_deleted(session: ChatSession) -> None:
    parse = grammar_of(session.schema).read("filter age greater than 30 and score accuracy")
    draft = begin(1, parse)
    draft = replace_step(draft, Joiner.AND, "filter age greater than 40")
    draft = insert_step(draft, Joiner.OR, "filter bmi less than 25")
    assert draft.text == "filter age greater than 40 or filter bmi less than 25 and score accuracy [e]"
    assert check(draft, session.schema)[1]
    assert delete_step(draft).text == "filter age greater than 40 and score accuracy [e]"


def test_what_is_wrong_with_a_step_is_said(session: ChatSession) -> None:
    draft = replace_step(begin(1, None), Joiner.AND, "filter shoe greater than 40")
    words, valid = check(draft, session.schema)
    assert not valid
    assert "shoe" in words


def test_deleting_every_step_leaves_an_empty_draft(session: ChatSession) -> None:
    draft = delete_step(begin(1, grammar_of(session.schema).read("predict")))
    assert draft.items == ()
    assert draft.selected is None
    assert insert_step(draft, Joiner.AND, "predict").text == "predict [e]"


@pytest.mark.parametrize("name", ["diabetes", "german", "compas"])
@pytest.mark.slow
def test_every_step_to_choose_from_is_valid(subjects: SubjectCatalogue, name: str) -> None:
    schema = subjects.load(name).schema
    for text in templates(schema).values():
        grammar_of(schema).read(text)
        assert step_words(text, schema)


@pytest.mark.slow
def test_the_command_line_states_the_task_and_the_ids(tmp_path: Path) -> None:
    path = tmp_path / "rated.csv"
    path.write_text("batch no,size,stars\n" + "".join(f"{500 + n},{n % 7},{1 + n % 5}\n" for n in range(60)), "utf-8")
    own = {"data_dir": tmp_path, "data": path, "target": "stars"}
    usual = SubjectCatalogue(Settings(**own)).load().schema
    assert (usual.target.is_classification, usual.id_name) == (True, "batch no")
    stated = SubjectCatalogue(Settings(**own, task="regression", id_column="-")).load().schema
    assert (stated.target.is_classification, stated.id_name) == (False, None)
    named = SubjectCatalogue(Settings(**own, id_column="batch no")).load().schema
    assert named.id_name == "batch no"
