"""Where strangers can come, a visitor sees and takes away what they wrote themselves; who types the code reviews everything."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr
import pytest
from gradio.context import LocalContext

import annotation.ui
from annotation.parses.desk import Desk
from annotation.parses.pairs import Key, PairOrigin, ReviewState, find_item, list_items
from annotation.parses.parse_reader import ParseReader
from annotation.ui import exchange_panel, review_panel
from annotation.ui.review_panel import ReviewForm, Screen, Tools
from annotation.ui.review_rights import ReviewRights
from backend.program.settings import Settings
from backend.storage.collected import Correction, Feedback, add_correction, add_feedback
from backend.storage.database import Database
from backend.ui import session_of_call

CODE = "a-code-of-the-operator"
ANN, BEN = "session of ann", "session of ben"


@contextmanager
def calling(session: str) -> Iterator[str]:
    """Call handlers as the page of a session does."""
    token = LocalContext.request.set(gr.Request(session_hash=session))
    try:
        yield session_of_call()
    finally:
        LocalContext.request.reset(token)


@pytest.fixture
def database(database: Database) -> Database:
    """One pair that both made, and one of each; Ben's have been decided on by a reviewer."""
    for session, words in ((ANN, "of ann"), (BEN, "of ben")):
        with calling(session) as owner:
            add_correction(database, Correction("shared", "show [e]", "label [e]", "diabetes"), owner)
            add_correction(database, Correction(f"secret {words}", "show [e]", "label [e]", "diabetes"), owner)
            add_feedback(database, Feedback("q", "p", "a", "up", f"comment {words}", "diabetes"), owner)
    add_correction(database, Correction("from before", "show [e]", "label [e]", "boxes"))
    return database


def _tools(database: Database, **settings: Any) -> Tools:
    chosen = Settings(**settings)
    return Tools(database, ParseReader(chosen), ReviewRights(chosen))


@pytest.fixture
def tools(database: Database) -> Tools:
    return _tools(database, host="0.0.0.0", review_code=CODE)


def _form(screen: Screen | None = None, **changed: Any) -> ReviewForm:
    desk, parse = (screen.desk, screen.parse) if screen else (Desk(), "")
    return ReviewForm(desk, parse, "", "Mallory", "", "All")._replace(**changed)


def _walk(tools: Tools) -> str:
    """Everything that a visitor sees who goes through the whole queue and takes out every file."""
    screen = review_panel.refresh(tools, *_form())
    seen = [json.dumps(screen, default=str)]
    for _ in range(8):
        screen = review_panel.skip(tools, *_form(screen))
        seen.append(json.dumps(screen, default=str))
    seen += [exchange_panel.download(tools, kind, "")["content"] for kind in ("jsonl", "csv")]
    seen.append(exchange_panel.download_verdicts(tools, "")["content"])
    seen.append(json.dumps(exchange_panel.refresh(tools, ""), default=str))
    return "\n".join(seen)


def test_a_visitor_sees_and_takes_out_only_what_their_session_wrote(tools: Tools) -> None:
    for session, own, other in ((ANN, "of ann", "of ben"), (BEN, "of ben", "of ann")):
        with calling(session):
            seen = _walk(tools)
            assert f"secret {own}" in seen
            assert f"comment {own}" in seen
            assert "shared" in seen
            assert other not in seen
            assert "from before" not in seen
            assert "boxes" not in seen


@pytest.mark.parametrize("session", ["session of mallory", ""])
def test_who_wrote_nothing_sees_nothing(tools: Tools, session: str) -> None:
    with calling(session):
        screen = review_panel.refresh(tools, *_form())
        assert screen.desk.key is None
        with pytest.raises(gr.Error, match="No pair is here yet"):
            exchange_panel.download(tools, "jsonl", "")
        with pytest.raises(gr.Error, match="nobody has judged"):
            exchange_panel.download_verdicts(tools, "")
        with pytest.raises(gr.Error, match="no pair has been collected yet"):
            exchange_panel.download(tools, "jsonl", "boxes")


def test_what_was_decided_on_a_pair_of_ones_own_is_not_shown(tools: Tools) -> None:
    with calling(ANN):
        tools.rights.let_in(CODE)
        review_panel.decide(tools, review_panel.turn_down, *_form(review_panel.refresh(tools, *_form()), reason="silly"))
    with calling(BEN):
        assert "silly" not in _walk(tools)
        assert "Mallory" not in _walk(tools)


def test_a_stranger_decides_on_nothing_and_brings_nothing_in(tools: Tools, tmp_path: Any) -> None:
    path = tmp_path / "suite.txt"
    path.write_text("How many?\ncountdata [E]\n\n")
    before = list_items(tools.database)
    with calling(ANN):
        for act in (review_panel.accept_as_it_is, review_panel.save_edit, review_panel.turn_down, review_panel.take_back):
            for key in (item.key for item in before):
                screen = review_panel.refresh(tools, *_form())
                forged = _form(screen, desk=Desk(key=key), parse="label [e]", reason="no")
                refused = review_panel.decide(tools, act, *forged)
                assert "Only reviewers may do this here" in refused.status or refused.desk.key is None
        status, _ = exchange_panel.bring_in(tools, str(path), "diabetes")
        assert "Only reviewers may do this here" in status
    assert list_items(tools.database) == before
    assert review_panel.check(tools, Desk(key=Key(PairOrigin.CORRECTION, 4)), "show [e]")[0] == ""


def test_the_code_opens_the_review_for_that_session_alone(tools: Tools) -> None:
    with calling(ANN):
        for wrong in ("wrong", CODE + "x", CODE.upper(), "\ud800"):
            with pytest.raises(gr.Error, match="not the review code"):
                annotation.ui.enter_code(tools.rights, wrong)
        assert "of ben" not in _walk(tools)
        assert annotation.ui.enter_code(tools.rights, f" {CODE} ") == ""
        assert "of ben" in _walk(tools)
        screen = review_panel.refresh(tools, *_form())
        review_panel.decide(tools, review_panel.accept_as_it_is, *_form(screen))
    assert find_item(tools.database, screen.desk.key).state is ReviewState.ACCEPTED  # type: ignore[union-attr, arg-type]
    with calling(BEN):
        assert "of ann" not in _walk(tools)


@pytest.mark.slow
def test_without_a_code_the_review_of_others_is_off_and_the_tab_tells_how_to_turn_it_on(database: Database) -> None:
    tools = _tools(database, host="0.0.0.0")
    with calling(ANN):
        for guess in ("", "None", CODE):
            with pytest.raises(gr.Error):
                annotation.ui.enter_code(tools.rights, guess)
        assert "of ben" not in _walk(tools)
    assert "--review-code" in _page(database, host="0.0.0.0")
    assert "type the review code" in _page(database, host="0.0.0.0", review_code=CODE)
    assert CODE not in _page(database, host="0.0.0.0", review_code=CODE)


def test_on_ones_own_computer_all_stays_as_it_is(database: Database) -> None:
    tools = _tools(database)
    with calling(ANN):
        assert "of ben" in _walk(tools)
    assert "review code" not in _page(database)


def _page(database: Database, **settings: Any) -> str:
    with gr.Blocks(analytics_enabled=False) as blocks:
        annotation.ui.build(Settings(**settings), database)
    return json.dumps(blocks.get_config_file(), default=str)
