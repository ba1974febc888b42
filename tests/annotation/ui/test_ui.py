"""The handlers of the tab, called as functions: nothing that a person typed or somebody else decided is lost."""

import re
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

import annotation.ui
from annotation.parses.desk import Desk
from annotation.parses.pairs import ReviewItem, ReviewState, find_item, list_items
from annotation.parses.parse_reader import ParseReader
from annotation.parses.review import accept, reject
from annotation.ui import exchange_panel
from annotation.ui.review_panel import (
    Act,
    ReviewForm,
    Screen,
    Tools,
    accept_as_it_is,
    back,
    check,
    choose,
    decide,
    refresh,
    save_edit,
    skip,
    take_back,
    turn_down,
)
from backend.program.settings import Settings
from backend.storage.collected import Correction, Feedback, add_correction, add_feedback
from backend.storage.database import Database

GOOD = "How many are over 40?\nfilter age greater than 40 and countdata [E]\n\n"


@pytest.fixture
def tools(database: Database, reader: ParseReader) -> Tools:
    return Tools(database, reader)


def _form(screen: Screen | None = None, **changed: Any) -> ReviewForm:
    desk, parse, reason = (screen.desk, screen.parse, screen.reason) if screen else (Desk(), "", "")
    return ReviewForm(desk, parse, reason, "Anna", "", "Pending")._replace(**changed)


def _open(tools: Tools) -> Screen:
    return refresh(tools, *_form(desk=None))


def _decide(tools: Tools, act: Act, screen: Screen, **changed: Any) -> Screen:
    return decide(tools, act, *_form(screen, **changed))


def test_an_empty_tab_tells_how_pairs_get_here(tools: Tools) -> None:
    screen = _open(tools)
    assert "first tab" in screen.card
    assert "gold suite" in screen.card
    assert (screen.form["visible"], screen.controls["visible"]) == (False, False)


def test_a_pair_is_shown_with_its_reading_and_its_differences(tools: Tools, corrected: list[ReviewItem]) -> None:
    screen = _open(tools)
    assert "How likely is 5?" in screen.card
    assert "<del>predict</del>" in screen.card
    assert "<ins>likelihood</ins>" in screen.card
    assert "Reads: " in screen.card
    assert screen.parse == corrected[0].proposed
    assert "<b>3</b> pending" in screen.progress


def test_accepting_saves_and_goes_on(tools: Tools, corrected: list[ReviewItem]) -> None:
    screen = _decide(tools, accept_as_it_is, _open(tools))
    assert "Why?" in screen.card
    assert "asked back" in screen.card
    assert "Saved as accepted" in screen.status
    assert [item.state for item in list_items(tools.database)] == [
        ReviewState.ACCEPTED,
        ReviewState.PENDING,
        ReviewState.PENDING,
    ]


def test_an_edit_is_saved_as_one(tools: Tools, corrected: list[ReviewItem]) -> None:
    _decide(tools, save_edit, _open(tools), parse="filter id 5 and show")
    assert list_items(tools.database)[0].gold == "filter id 5 and show [e]"


def test_accept_does_not_lose_an_edit(tools: Tools, corrected: list[ReviewItem]) -> None:
    screen = _decide(tools, accept_as_it_is, _open(tools), parse="filter id 5 and show")
    assert "Save edit" in screen.status
    assert screen.parse == "filter id 5 and show"
    assert list_items(tools.database)[0].state is ReviewState.PENDING


def test_an_invalid_edit_stays_in_its_field_with_what_is_wrong(tools: Tools, corrected: list[ReviewItem]) -> None:
    screen = _decide(tools, save_edit, _open(tools), parse="filter wage greater than 5", reason="a note")
    assert (screen.parse, screen.reason) == ("filter wage greater than 5", "a note")
    assert "wage" in screen.reading
    assert "Here could stand" in screen.status
    assert 'role="alert"' in screen.status


def test_while_typing_it_is_told_how_the_parse_reads_and_the_fitting_button_is_live(
    tools: Tools, corrected: list[ReviewItem]
) -> None:
    desk = _open(tools).desk
    reading, accept_button, save_button = check(tools, desk, "filter age greater than 50 and predict")
    assert "age above 50" in reading
    assert (accept_button["interactive"], save_button["interactive"]) == (False, True)
    _, accept_button, save_button = check(tools, desk, corrected[0].proposed)
    assert (accept_button["interactive"], save_button["interactive"]) == (True, False)
    assert check(tools, None, "show")[0] == ""


@pytest.mark.parametrize(("changed", "says"), [({"reason": " "}, "reason"), ({"reason": "no", "reviewer": ""}, "name")])
def test_a_refused_decision_says_why_and_stays(
    tools: Tools, corrected: list[ReviewItem], changed: dict[str, str], says: str
) -> None:
    screen = _decide(tools, turn_down, _open(tools), **changed)
    assert says in screen.status
    assert screen.reason == changed["reason"]
    assert screen.desk.key == corrected[0].key
    assert list_items(tools.database)[0].history == ()


def test_what_somebody_else_decided_meanwhile_is_shown_and_not_overwritten(
    tools: Tools, reader: ParseReader, corrected: list[ReviewItem]
) -> None:
    screen = _open(tools)
    accept(tools.database, reader, corrected[0].key, 0, "Ben <i>", corrected[0].proposed)
    screen = _decide(tools, turn_down, screen, reason="my own reason")
    assert "Ben &lt;i&gt; accepted it" in screen.status
    assert "Ben &lt;i&gt; accepted it" in screen.card
    assert (screen.reason, screen.desk.key) == ("my own reason", corrected[0].key)
    assert list_items(tools.database)[0].state is ReviewState.ACCEPTED
    _decide(tools, turn_down, screen)
    assert [review.reviewer for review in list_items(tools.database)[0].history] == ["Ben <i>", "Anna"]


def test_news_is_told_also_when_ones_own_decision_is_refused(tools: Tools, corrected: list[ReviewItem]) -> None:
    screen = _open(tools)
    reject(tools.database, corrected[0].key, 0, "Ben", "unclear")
    screen = _decide(tools, turn_down, screen, reason="")
    assert "reason" in screen.status
    assert "Ben rejected it" in screen.status


def test_coming_back_to_the_tab_shows_news_and_keeps_what_was_typed(tools: Tools, corrected: list[ReviewItem]) -> None:
    screen = _open(tools)
    reject(tools.database, corrected[0].key, 0, "Ben", "unclear")
    add_correction(tools.database, Correction("new", "show [e]", "label [e]", "boxes"))
    screen = refresh(tools, *_form(screen, parse="half an edi"))
    assert "Meanwhile Ben rejected it" in screen.status
    assert screen.parse == "half an edi"
    assert "<b>3</b> pending" in screen.progress


def test_skipping_and_going_back_keeps_what_was_typed(tools: Tools, corrected: list[ReviewItem]) -> None:
    screen = skip(tools, *_form(_open(tools), parse="half an edi", reason="half a reas"))
    assert screen.desk.key == corrected[1].key
    assert (screen.parse, screen.reason) == (corrected[1].proposed, "")
    screen = back(tools, *_form(screen))
    assert (screen.desk.key, screen.parse, screen.reason) == (corrected[0].key, "half an edi", "half a reas")
    assert screen.back["interactive"] is False


def test_back_after_a_decision_shows_it_and_lets_it_be_taken_back(tools: Tools, corrected: list[ReviewItem]) -> None:
    screen = _decide(tools, turn_down, _open(tools), reason="unclear")
    screen = back(tools, *_form(screen))
    assert screen.desk.key == corrected[0].key
    assert "unclear" in screen.card
    assert screen.put_back["visible"] is True
    screen = _decide(tools, take_back, screen)
    assert screen.put_back["visible"] is False
    item = find_item(tools.database, corrected[0].key)
    assert item is not None
    assert [review.state for review in item.history] == [ReviewState.REJECTED, ReviewState.PENDING]


def test_after_the_last_pair_that_is_said(tools: Tools, corrected: list[ReviewItem]) -> None:
    screen = _open(tools)
    for _ in corrected:
        screen = _decide(tools, turn_down, screen, reason="no")
    assert "Nothing is left" in screen.card
    assert screen.form["visible"] is False
    assert screen.back["interactive"] is True
    assert skip(tools, *_form(screen)).desk.key is None
    assert _decide(tools, accept_as_it_is, screen).desk.key is None


def test_skipping_the_only_pair_says_that_there_is_no_other(tools: Tools) -> None:
    add_correction(tools.database, Correction("q", "show [e]", "label [e]", "boxes"))
    assert "no other" in skip(tools, *_form(_open(tools))).status


def test_another_data_set_or_state_shows_its_first_pair(tools: Tools, corrected: list[ReviewItem]) -> None:
    screen = choose(tools, *_form(_open(tools), dataset="boxes"))
    assert screen.desk.key == corrected[2].key
    assert "only the form of a parse is checked" in screen.card
    assert "Nothing is left" in choose(tools, *_form(screen, which="Rejected", dataset="boxes")).card


def test_markup_is_shown_and_never_part_of_the_page(tools: Tools) -> None:
    odd = '<script>alert(1)</script><img src=x onerror="alert(2)">'
    add_correction(tools.database, Correction(odd, odd, odd + " x", odd))
    screen = _open(tools)
    reject(tools.database, list_items(tools.database)[0].key, 0, odd, odd)
    screen = refresh(tools, *_form(screen))
    add_feedback(tools.database, Feedback(odd, odd, odd, "up", odd, odd))
    verdicts = exchange_panel.refresh(tools, "")[-2]
    for page in (screen.card, screen.status, screen.reading, verdicts):
        assert re.search(r"<(script|img)", page) is None
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&quot;alert(2)&quot;&gt;" in screen.card


def test_files_to_save_follow_the_chosen_data_set(tools: Tools, reader: ParseReader, corrected: list[ReviewItem]) -> None:
    with pytest.raises(gr.Error, match="no pair has been accepted"):
        exchange_panel.download(tools, "gold", "")
    accept(tools.database, reader, corrected[0].key, 0, "Anna", corrected[0].proposed)
    file = exchange_panel.download(tools, "gold", "")
    assert file["name"] == "parley-reviewed-diabetes.txt"
    assert file["content"] == "How likely is 5?\nfilter id 5 and likelihood [E]\n\n"
    assert exchange_panel.download(tools, "jsonl", "boxes")["content"].count("\n") == 1
    with pytest.raises(gr.Error, match="nobody has judged"):
        exchange_panel.download_verdicts(tools, "")
    add_feedback(tools.database, Feedback("q", "p", "a", "down", "", "boxes"))
    assert exchange_panel.download_verdicts(tools, "")["name"] == "parley-verdicts-all.csv"


def test_only_buttons_that_can_do_something_are_shown(tools: Tools) -> None:
    assert [update["visible"] for update in exchange_panel.refresh(tools, "")[:2]] == [False, False]
    add_correction(tools.database, Correction("q", "show [e]", "label [e]", "boxes"))
    assert [update["visible"] for update in exchange_panel.refresh(tools, "")[:2]] == [True, False]


def test_a_file_is_brought_in_or_refused_in_place(tools: Tools, tmp_path: Path) -> None:
    path = tmp_path / "suite.txt"
    path.write_text(GOOD + "alone\n")
    told, _ = exchange_panel.bring_in(tools, str(path), "diabetes")
    assert "Line 4 stands alone" in told
    path.write_text(GOOD)
    told, file = exchange_panel.bring_in(tools, str(path), "diabetes")
    assert "1 new pair waits" in told
    assert file["value"] is None
    assert "Choose a file" in exchange_panel.bring_in(tools, None, "diabetes")[0]
    assert "name the data set" in exchange_panel.bring_in(tools, str(path), None)[0]
    screen = _open(tools)
    assert "suite.txt, line 1" in screen.card


def test_verdicts_are_shown_with_their_comments(tools: Tools) -> None:
    assert "Nobody has judged" in exchange_panel.refresh(tools, "")[-2]
    add_feedback(tools.database, Feedback("Why?", "explain features [e]", "So.", "down", "too short", "boxes"))
    shown = exchange_panel.refresh(tools, "")[-2]
    assert "Found wrong: 1" in shown
    assert "too short" in shown


def test_nothing_of_the_review_is_open_to_programs(settings: Settings, database: Database) -> None:
    with gr.Blocks() as blocks, gr.Tabs(), gr.Tab("Annotate"):
        annotation.ui.build(settings, database)
    info = blocks.get_api_info()
    open_to_programs = {name for name in info["named_endpoints"] if not name.startswith("/study_")}  # those need a token
    assert (open_to_programs, info["unnamed_endpoints"]) == (set(), {})
