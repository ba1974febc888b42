"""The handlers behind the screen, called as plain functions."""

import json
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from gradio.context import LocalContext
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import ExecutionError
from backend.jobs import Jobs
from backend.program.settings import Settings
from backend.storage.collected import list_corrections, list_feedback
from backend.storage.database import Database
from backend.ui import session_of_call
from ttm.chat.catalogue import SubjectCatalogue
from ttm.chat.conversation import Turn
from ttm.chat.session import ChatSession
from ttm.operations.render import AnswerTable
from ttm.operations.results import as_json
from ttm.parsers import ParseCandidate, Understanding
from ttm.ui import begin, chat_panel, corrections_panel, data_panel, keep_panel, own_data_panel
from ttm.ui.chats import kept_chats
from ttm.ui.exchange.messages import escape_typed, folded_table, messages, turn_at, typed_text, understood
from ttm.ui.instruments import scatter_panel, threshold_panel, what_if_panel
from ttm.ui.visit import ChatVisit


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> SubjectCatalogue:
    return SubjectCatalogue(Settings(data_dir=tmp_path_factory.mktemp("parley")))


@pytest.fixture
def visit(subjects: SubjectCatalogue, database: Database) -> ChatVisit:
    return ChatVisit(subjects, database, Jobs())


def _texts(messages: list[dict[str, Any]]) -> str:
    return str([block.get("text") or block.get("value") for message in messages for block in message["content"]])


def _last(steps: Iterator[Any]) -> Any:
    *_, last = steps
    return last


def test_the_first_screen_tells_something_and_proposes_questions(visit: ChatVisit) -> None:
    chatbot, card, choices = begin(visit)
    (opening,) = chatbot["value"]
    assert "predicts whether a person is likely to have diabetes" in _texts([opening])
    assert any(block.get("component") == "plot" for block in opening["content"])
    assert _texts([opening]).count('data-ttm="offer"') == 3
    assert "### Diabetes" in card
    assert choices["value"] == "diabetes"


def test_asking_shows_the_question_at_once_and_then_the_answer(visit: ChatVisit) -> None:
    steps = list(kept_chats.ask("how many people are there?", "", visit))
    assert "Working on it" in _texts(steps[0]["value"])
    assert "308" in _texts(steps[-1]["value"][-1:])


@pytest.mark.slow
def test_a_question_that_cannot_be_answered_stays_in_sight_with_the_reason(
    visit: ChatVisit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: ChatSession, text: str) -> None:
        raise ExecutionError("It is <too> much.")

    monkeypatch.setattr(ChatSession, "ask", refuse)
    shown = _texts(_last(kept_chats.ask("why?", "", visit))["value"])
    assert "why?" in shown
    assert "It is &lt;too&gt; much." in shown
    monkeypatch.undo()
    _last(chat_panel.ask_again("0", visit))
    assert [turn.utterance for turn in visit.session.turns] == ["why?"]
    assert visit.questions.unanswered == ()


def test_a_defect_while_answering_is_shown_as_a_number_and_the_next_question_is_answered(
    visit: ChatVisit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ChatSession, "ask", lambda self, text: 1 / 0)
    shown = _texts(_last(kept_chats.ask("why?", "", visit))["value"])
    assert "Reference for the log" in shown
    assert "division" not in shown
    monkeypatch.undo()
    _last(kept_chats.ask("how many people are there?", "", visit))
    assert len(visit.session.turns) == 1


def test_a_conversation_comes_back_as_it_was_understood(visit: ChatVisit, subjects: SubjectCatalogue) -> None:
    visit.session.ask_parse("filter age greater than 50 and countdata", "the old ones")
    visit.session.correct(visit.session.turns[0].number, "filter age greater than 60 and countdata")
    visit.session.ask_parse("previousfilter and score accuracy", "and for these?")
    record = kept_chats.record(visit)
    other = ChatVisit(subjects, visit.database, Jobs())
    kept_chats.open_chat(record, other)
    assert kept_chats.record(other) == gr.skip()  # what is not yet brought back would overwrite what the browser keeps
    _last(kept_chats.bring_back(other))
    assert [(turn.utterance, str(turn.parse), turn.corrected) for turn in other.session.turns] == [
        ("the old ones", "filter age greater than 60 and countdata [e]", True),
        ("and for these?", "previousfilter and score accuracy [e]", False),
    ]
    assert [as_json(turn.results[-1]) for turn in other.session.turns] == [
        as_json(turn.results[-1]) for turn in visit.session.turns
    ]
    assert kept_chats.record(other) == record


def test_a_server_started_anew_brings_the_conversation_back_before_it_answers(
    visit: ChatVisit, subjects: SubjectCatalogue
) -> None:
    visit.session.ask_parse("filter age greater than 50 and countdata", "the old ones")
    fresh = ChatVisit(subjects, visit.database, Jobs())
    _last(kept_chats.ask("how many people are there?", kept_chats.record(visit), fresh))
    assert [turn.utterance for turn in fresh.session.turns] == ["the old ones", "how many people are there?"]
    left = kept_chats.record(fresh)
    chat_panel.restart(fresh)
    _last(kept_chats.ask("how many people are there?", left, fresh))
    assert len(fresh.session.turns) == 1


@pytest.mark.parametrize("record", ["", "x", "[]", '{"id": "../x", "dataset": "diabetes"}', '{"id": "1", "dataset": "none"}'])
def test_what_no_browser_of_ours_kept_is_refused_in_words(visit: ChatVisit, record: str) -> None:
    with pytest.raises(gr.Error, match=r"cannot be (opened|read)|not loaded here"):
        kept_chats.open_chat(record, visit)


@pytest.mark.slow
def test_a_parse_that_is_no_longer_valid_is_asked_again_in_words(visit: ChatVisit) -> None:
    turn = {"utterance": "how many people are there?", "parse": "filter shoe size 3 and countdata [e]"}
    kept_chats.open_chat(json.dumps({"id": "a1", "dataset": "diabetes", "turns": [turn]}), visit)
    _last(kept_chats.bring_back(visit))
    assert str(visit.session.turns[0].parse) == "countdata [e]"


def test_a_refused_question_leaves_the_screen_as_it_was(visit: ChatVisit) -> None:
    with pytest.raises(gr.Error, match="no question yet"):
        list(kept_chats.ask("   ", "", visit))
    assert len(messages(visit.session, visit.view)) == 1


def test_an_answer_ends_with_how_it_was_understood(visit: ChatVisit) -> None:
    turn = visit.session.ask_parse("filter age greater than 50 and score accuracy", "x")
    footer = understood(visit.session, turn, pinned=False)
    assert "people with age above 50" in footer
    assert "<code>filter age greater than 50 and score accuracy [e]</code>" in footer
    assert 'data-ttm="pin"' in footer
    assert 'data-ttm="correct"' in footer


def test_words_that_were_not_used_are_named_and_escaped(visit: ChatVisit) -> None:
    turn = visit.session.ask_parse("filter age greater than 50 and score accuracy", "x")
    turn = replace(turn, understanding=replace(turn.understanding, unused=("women", "<b>men")))
    footer = understood(visit.session, turn, pinned=False)
    assert "I did not use: women, &lt;b&gt;men." in footer
    assert "I did not use" not in understood(visit.session, replace(turn, corrected=True), pinned=False)


@pytest.mark.parametrize(("confidence", "before", "after"), [(0.35, True, False), (0.7, False, True), (0.95, False, False)])
def test_doubt_stands_before_an_answer_and_other_readings_only_where_there_is_some(
    visit: ChatVisit, confidence: float, before: bool, after: bool
) -> None:
    session = visit.session
    parses = [session.ask_parse(text).parse for text in ("score accuracy", "mistake count")]
    session.restart()
    turn = session.ask_parse("score accuracy", "is it any good?")
    candidates = tuple(ParseCandidate(parse, sure) for parse, sure in zip(parses, (confidence, 0.2), strict=True) if parse)
    session.turns[0] = replace(turn, understanding=Understanding(turn.utterance, candidates, True))
    blocks = [str(block.get("value") or block.get("text")) for block in messages(session, visit.view)[-1]["content"]]
    assert ("I am not sure" in blocks[0]) is before
    assert ('data-ttm="choose"' in blocks[0]) is before
    assert ('data-ttm="choose"' in blocks[-1]) is after


@pytest.mark.parametrize("left", ["5", "Ann"])
def test_a_number_or_name_that_was_not_used_is_said_before_the_answer(visit: ChatVisit, left: str) -> None:
    session = visit.session
    other = session.ask_parse("filter id 5 and change bmi set 25 and predict").parse
    turn = session.ask_parse("change bmi set 25 and predict", f"what if the bmi of {left} was 25?")
    assert other is not None
    assert turn.parse is not None
    candidates = (ParseCandidate(turn.parse, 0.95), ParseCandidate(other, 0.2))
    session.turns[-1] = replace(turn, understanding=Understanding(turn.utterance, candidates, True, unused=(left,)))
    blocks = [str(block.get("value") or block.get("text")) for block in messages(session, visit.view)[-1]["content"]]
    assert f"I did not use: {left}, so this may not be what you asked." in blocks[0]
    assert "for the instance with id 5" in blocks[0]
    assert sum("did not use" in block for block in blocks) == sum('data-ttm="choose' in block for block in blocks) == 1


def test_other_readings_are_one_click_away_and_kept_only_when_they_are_meant(visit: ChatVisit) -> None:
    session = visit.session
    first, second = (session.ask_parse(text).parse for text in ("score accuracy", "mistake count"))
    assert first is not None
    assert second is not None
    session.restart()
    turn = session.ask_parse("score accuracy", "is it any good?")
    readings = Understanding(turn.utterance, (ParseCandidate(first, 0.6), ParseCandidate(second, 0.3)), True)
    session.turns[0] = Turn(turn.number, turn.utterance, readings, turn.parse, turn.results, turn.memory)
    footer = understood(session, session.turns[0], pinned=False)
    assert f'data-ttm="choose" data-value="{turn.number} 1"' in footer
    _last(chat_panel.choose(f"{turn.number} 1", visit))
    assert str(session.turns[0].parse) == "mistake count [e]"
    assert list_corrections(visit.database) == []
    assert "This is what I meant" in understood(session, session.turns[0], pinned=False)
    chat_panel.confirm(str(turn.number), visit)
    assert "This is what I meant" not in understood(session, session.turns[0], pinned=False)
    (kept,) = list_corrections(visit.database)
    assert (kept.utterance, kept.predicted, kept.corrected) == (
        "is it any good?",
        "score accuracy [e]",
        "mistake count [e]",
    )


def test_what_a_person_writes_is_kept_as_that_of_their_session(visit: ChatVisit) -> None:
    visit.session.ask_parse("score accuracy", "how good is it?")
    token = LocalContext.request.set(gr.Request(session_hash="mine"))
    try:
        chat_panel.judge(visit, SimpleNamespace(index=2, liked=True))  # type: ignore[arg-type]
        chat_panel.comment("well done", visit)
        mine = session_of_call()
    finally:
        LocalContext.request.reset(token)
    assert [one.comment for one in list_feedback(visit.database, owner=mine)] == ["", "well done"]
    assert list_feedback(visit.database, owner="another") == []


def test_undo_gives_the_words_back(visit: ChatVisit) -> None:
    visit.session.ask_parse("countdata", "how many are there?")
    chatbot, composer = chat_panel.undo("", visit)
    assert composer["value"] == "how many are there?"
    assert len(chatbot["value"]) == 1


def test_undo_leaves_what_is_typed(visit: ChatVisit) -> None:
    visit.session.ask_parse("countdata", "how many are there?")
    chatbot, composer = chat_panel.undo("what is", visit)
    assert composer == gr.skip()
    assert "how many are there?" in _texts(chatbot["value"])


def test_editing_a_message_asks_it_in_other_words(visit: ChatVisit) -> None:
    visit.session.ask_parse("countdata", "one")
    visit.session.ask_parse("predict", "two")
    edited: Any = SimpleNamespace(index=1, value="how many people are there?")
    _last(chat_panel.edit(visit, edited))
    assert [turn.utterance for turn in visit.session.turns] == ["how many people are there?", "two"]


def test_a_verdict_and_its_comment_are_kept_and_stay_on_the_screen(visit: ChatVisit) -> None:
    turn = visit.session.ask_parse("score accuracy", "how good is it?")
    liked: Any = SimpleNamespace(index=2, liked=False)
    assert chat_panel.judge(visit, liked)["visible"] is True
    chat_panel.comment("too short", visit)
    assert [(one.verdict, one.comment, one.utterance) for one in list_feedback(visit.database)] == [
        ("down", "", "how good is it?"),
        ("down", "too short", "how good is it?"),
    ]
    assert visit.view.verdicts == {turn.number: "Dislike"}


def test_the_opening_cannot_be_judged(visit: ChatVisit) -> None:
    begin(visit)
    liked: Any = SimpleNamespace(index=0, liked=True)
    assert chat_panel.judge(visit, liked)["visible"] is False
    assert turn_at(visit.session, 0) is None


def test_help_fills_in_a_question_that_then_is_understood(visit: ChatVisit) -> None:
    question = chat_panel.help_ask("groups", visit)["value"]
    _last(kept_chats.ask(question, "", visit))
    assert visit.session.turns[-1].parse is not None


def test_pins_are_shown_beside_the_chat(visit: ChatVisit) -> None:
    turn = visit.session.ask_parse("score accuracy", "how <good>?")
    _, pins = keep_panel.pin(str(turn.number), visit)
    assert "how &lt;good&gt;?" in _texts(pins["value"])
    _, pins = keep_panel.unpin("1", visit)
    assert pins["value"] == []


def test_nothing_to_pin_or_save_is_said(visit: ChatVisit) -> None:
    for act in (lambda: keep_panel.pin("last", visit), lambda: keep_panel.save("html", visit)):
        with pytest.raises(gr.Error):
            act()
    with pytest.raises(gr.Error, match="corrected nothing"):
        keep_panel.save_corrections("txt", visit)


def test_saving_hands_the_browser_a_file(visit: ChatVisit) -> None:
    visit.session.ask_parse("countdata")
    for kind in keep_panel.FORMATS:
        file = keep_panel.save(kind, visit)
        assert file["name"] == f"parley-diabetes.{kind}"
        assert file["content"]


def test_correcting_step_by_step(visit: ChatVisit) -> None:
    turn = visit.session.ask_parse("filter age greater than 30 and countdata", "older than forty")
    corrections_panel.correct("last", visit)
    *_, answer = corrections_panel.replace("and", "filter age greater than", visit)
    assert answer["interactive"] is False
    steps, *_, answer = corrections_panel.replace("and", "filter age greater than 40", visit)
    assert answer["interactive"] is True
    assert len(steps["choices"]) == 2
    _last(corrections_panel.answer_again(visit))
    assert str(visit.session.turn(turn.number).parse) == "filter age greater than 40 and countdata [e]"
    assert visit.draft is None
    assert len(list_corrections(visit.database)) == 1


@pytest.mark.parametrize(
    ("asked", "words", "corrected"),
    [
        ("filter age greater than 50 and statistic glucose", "only those with bmi above 30",
         "filter age greater than 50 and filter bmi greater than 30 and statistic glucose [e]"),
        ("filter age greater than 50 and countdata", "only those with bmi above 30",
         "filter age greater than 50 and filter bmi greater than 30 and countdata [e]"),
        ("statistic age", "only those with bmi above 30", "filter bmi greater than 30 and statistic age [e]"),
    ],
)  # fmt: skip
def test_a_parse_is_corrected_in_words(visit: ChatVisit, asked: str, words: str, corrected: str) -> None:
    turn = visit.session.ask_parse(asked, "something else")
    corrections_panel.correct("last", visit)
    corrections_panel.understand(words, visit)
    _last(corrections_panel.answer_again(visit))
    assert str(visit.session.turn(turn.number).parse) == corrected


def test_words_that_mean_no_step_are_answered_beside_them(visit: ChatVisit) -> None:
    visit.session.ask_parse("statistic age", "x")
    corrections_panel.correct("last", visit)
    *_, meaning, answer = corrections_panel.understand("<b>blorp</b> the frobs", visit)
    assert "ttm-invalid" in meaning
    assert "<b>" not in meaning
    assert answer == gr.skip()
    *_, meaning, _ = corrections_panel.understand(" ", visit)
    assert "Type first what you meant" in meaning


def test_a_step_goes_before_the_first_and_one_that_would_do_nothing_is_refused(visit: ChatVisit) -> None:
    visit.session.ask_parse("statistic age", "how old are those who are ill?")
    corrections_panel.correct("last", visit)
    *_, meaning, answer = corrections_panel.insert("and", "predictionfilter 1", visit)
    assert answer["interactive"] is False
    assert "Nothing would be done with" in meaning
    corrections_panel.delete(visit)
    *_, answer = corrections_panel.insert_before("and", "predictionfilter 1", visit)
    assert answer["interactive"] is True
    _last(corrections_panel.answer_again(visit))
    assert str(visit.session.turns[0].parse) == "predictionfilter 1 and statistic age [e]"


def test_a_wrong_step_is_explained_and_escaped(visit: ChatVisit) -> None:
    visit.session.ask_parse("countdata")
    corrections_panel.correct("last", visit)
    _, _, _, meaning, _ = corrections_panel.insert("and", "filter <b>x</b>", visit)
    assert "&lt;b&gt;" in meaning
    assert "<b>x" not in meaning


def test_rows_are_filtered_and_asked_about(visit: ChatVisit) -> None:
    found, table = data_panel.show("age > 60", visit)
    assert "of 308 rows" in found
    row = table["value"].iloc[0].tolist()
    selected: Any = SimpleNamespace(row_value=row)
    data_panel.choose_row(visit, selected)
    _last(data_panel.ask_about_row("predict", visit))
    assert visit.session.turns[-1].utterance == f"What does the model predict for id {row[0]}?"
    assert str(visit.session.turns[-1].parse) == f"filter id {row[0]} and predict [e]"


def test_a_filter_that_cannot_be_read_leaves_the_rows_and_is_answered_under_it(visit: ChatVisit) -> None:
    reason, table = data_panel.show("age > <b>old</b>", visit)
    assert "age is a number" in reason
    assert "<b>" not in reason
    assert table == gr.skip()


def test_a_case_is_opened_moved_and_asked_about(visit: ChatVisit) -> None:
    row_id, form, outcome = what_if_panel.open_row("5", visit)
    assert row_id["value"] == "5"
    assert form.count("<input name=") == len(visit.session.schema.features)
    assert "Nothing is changed yet" in outcome
    assert "both together" in what_if_panel.renew("", '{"glucose": "150", "bmi": "40"}', visit)
    assert "is a number" in what_if_panel.renew("", '{"glucose": "much"}', visit)
    _last(what_if_panel.ask("why", '{"glucose": "150"}', visit))
    assert str(visit.session.turns[-1].parse) == "filter id 5 and change glucose set 150 and explain features [e]"


@pytest.mark.parametrize("row_id", ["9999", "", '"', "<b>"])
def test_a_row_that_is_not_there_is_answered_beside_the_field(visit: ChatVisit, row_id: str) -> None:
    *_, outcome = what_if_panel.open_row(row_id, visit)
    assert "There is no row with the id" in outcome
    assert "<b>" not in outcome


@pytest.mark.slow
def test_another_data_set_renews_what_was_looked_at(visit: ChatVisit) -> None:
    what_if_panel.open_first(visit)
    threshold_panel.show(visit)
    scatter_panel.open_points(visit)
    visit.talk_about("german")
    *_, outcome = what_if_panel.open_again(visit)
    slider = threshold_panel.open_again(visit)
    across, *_ = scatter_panel.open_again(visit)
    assert "good credit risk" in outcome
    assert "400 rows" in slider
    assert across["value"] in visit.session.schema.by_token


def test_points_that_no_figure_handed_on_are_refused(visit: ChatVisit) -> None:
    with pytest.raises(gr.Error, match="cannot be read"):
        _last(scatter_panel.ask_chosen('{"ids": []}', visit))


@pytest.mark.slow
def test_own_data_is_loaded_with_progress_and_talked_about(visit: ChatVisit, tmp_path: Any) -> None:
    path = tmp_path / "shop.csv"
    rows = "\n".join(f"{30 + number % 40},{number % 3},{'yes' if number % 5 > 2 else 'no'}" for number in range(60))
    path.write_text(f"age,visits,bought\n{rows}\n", "utf-8")
    target, ids, _ = own_data_panel.read_columns(str(path), None)
    assert target["choices"] == ["age", "visits", "bought"]
    assert [name for name, _ in ids["choices"]][2:] == ["age", "visits", "bought"]
    steps = list(own_data_panel.load(str(path), "bought", "", "", None, None, visit))
    assert any("<progress" in status for status, _ in steps)
    assert "Loaded: Shop, 60 rows." in steps[-1][0]
    assert visit.session.schema.target.name == "bought"


def test_the_form_chooses_classes_or_a_quantity_and_the_ids(visit: ChatVisit, tmp_path: Any) -> None:
    path = tmp_path / "rated.csv"
    path.write_text("batch,size,stars\n" + "".join(f"{500 + n},{n % 7},{1 + n % 5}\n" for n in range(60)), "utf-8")
    _, ids, _ = own_data_panel.read_columns(str(path), None)
    chosen = dict(ids["choices"])
    list(own_data_panel.load(str(path), "stars", "regression", chosen["batch"], None, None, visit))
    assert not visit.session.schema.target.is_classification
    assert visit.session.schema.id_name == "batch"
    assert "predicts a number" in threshold_panel.show(visit)
    list(own_data_panel.load(str(path), "stars", "", chosen["None: number the rows"], None, None, visit))
    assert visit.session.schema.target.is_classification
    assert visit.session.schema.id_name is None


def test_own_data_that_cannot_be_used_is_told_without_the_folder(visit: ChatVisit, tmp_path: Any) -> None:
    path = tmp_path / "one.csv"
    path.write_text("a,b\n1,2\n", "utf-8")
    with pytest.raises(gr.Error) as told:
        list(own_data_panel.load(str(path), "c", "", "", None, None, visit))
    assert "c" in str(told.value)
    assert not told.value.visible
    assert str(tmp_path) not in str(told.value)
    assert visit.session.name == "diabetes"


def test_what_is_wrong_with_an_uploaded_table_stands_under_it(visit: ChatVisit, tmp_path: Any) -> None:
    path = tmp_path / "junk.csv"
    path.write_bytes(b"\x00\x01 junk \xff\xfe")
    target, _, status = own_data_panel.read_columns(str(path), None)
    assert target["choices"] == []
    assert 'role="alert">junk.csv is not a text file' in status
    steps = own_data_panel.load(None, None, "", "", None, None, visit)
    assert 'role="alert">Choose a CSV file' in next(steps)[0]


@given(st.text(max_size=60))
def test_what_was_typed_comes_back_unchanged_when_it_is_edited(text: str) -> None:
    assert typed_text(escape_typed(text)) == text


@pytest.mark.parametrize("text", ["what's bmi < 30 & age > 5?", "number_of_prior_crimes", "5 + 3 - 1 = 7", "50% (half)"])
def test_plain_questions_are_shown_as_they_are(text: str) -> None:
    assert escape_typed(text) == text


@pytest.mark.parametrize(
    "text", ["<script>x</script>", "*a*", "_a_", "# a", "1. a", "- a", "> a", "[a](b)", "`a`", "&lt;", "~~a~~", "a | b"]
)
def test_formatting_is_shown_and_not_done(text: str) -> None:
    from markdown_it import MarkdownIt

    html = MarkdownIt("gfm-like", {"linkify": False}).render(escape_typed(text))
    import html as escapes

    assert html.startswith("<p>")
    assert html.count("<") == 2
    assert escapes.unescape(html.removeprefix("<p>").removesuffix("</p>\n")) == text


def test_a_long_table_is_folded() -> None:
    table = AnswerTable("t", ("a",), tuple((str(number),) for number in range(30)))
    shown = folded_table(table)
    assert "22 more rows" in shown
    assert shown.index("<td>7</td>") < shown.index("<details") < shown.index("<td>8</td>")
