"""A conversation that was saved holds all that was said, and nothing in it is taken for markup."""

import json
import re
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from backend.program.settings import Settings
from backend.program.version import VERSION
from backend.text.markup import escape_markdown
from ttm.chat.catalogue import SubjectCatalogue
from ttm.chat.export import (
    EXPORTS,
    corrections_of,
    gold_suite,
    json_lines,
    to_html,
    to_json,
    to_markdown,
    turn_text,
    without_entities,
)
from ttm.chat.plain_text import plain, table_text, terminal_text
from ttm.chat.session import ChatSession
from ttm.language.grammar import grammar_of
from ttm.operations.render import Answer, AnswerTable

NASTY = "<script>alert(1)</script> *how* | many_are `there`?"


@pytest.fixture
def session(tmp_path: Path) -> ChatSession:
    session = ChatSession(SubjectCatalogue(Settings(data_dir=tmp_path)))
    session.ask_parse("filter age greater than 50 and countdata", NASTY)
    session.ask_parse("distribution age", "ages?")
    session.ask_parse("filter id 3 and show", "row 3")
    session.correct(1, "filter age greater than 60 and countdata")
    return session


def test_json_holds_every_turn_with_unrounded_results(session: ChatSession) -> None:
    content = json.loads(to_json(session))
    assert [turn["utterance"] for turn in content["turns"]] == [NASTY, "ages?", "row 3"]
    first = content["turns"][0]
    frame = session.loaded.subject.dataset.frame
    assert first["parse"] == "filter age greater than 60 and countdata [e]"
    assert first["corrected"] is True
    assert first["result"][0]["group"]["rows"] == (frame["Age"] > 60).sum()


class _Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.text = ""
        self.tables = 0
        self._in_script = False
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: object) -> None:
        self._in_script = tag == "script"
        self.tables += tag == "table"

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts.append(data)
        else:
            self.text += data


def test_html_shows_a_question_with_a_script_as_text(session: ChatSession) -> None:
    page = _Tags(to_html(session))
    assert NASTY in page.text
    assert not any(script.startswith("alert") for script in page.scripts)
    assert page.tables >= 1
    assert any("Plotly.newPlot" in script for script in page.scripts)


def test_html_needs_nothing_from_elsewhere(session: ChatSession) -> None:
    page = to_html(session)
    assert not re.search(r'<(script|link|img)[^>]+(src|href)="?http', page)


def test_a_conversation_without_figures_is_a_small_page(tmp_path: Path) -> None:
    session = ChatSession(SubjectCatalogue(Settings(data_dir=tmp_path)))
    session.ask_parse("countdata")
    assert len(to_html(session)) < 10_000


def test_markdown_keeps_the_question_from_being_markup(session: ChatSession) -> None:
    from ttm.chat.export import text_html

    text = to_markdown(session)
    assert "<script>" not in text
    assert "*how*" not in text
    shown = _Tags(text_html(text)).text
    assert NASTY in shown
    assert "| --- |" in text


def test_every_format_is_offered_under_its_suffix() -> None:
    assert list(EXPORTS) == ["html", "md", "json"]


def test_corrections_come_as_a_gold_suite_and_as_json_lines(session: ChatSession) -> None:
    found = corrections_of(session)
    parse = "filter age greater than 60 and countdata"
    assert gold_suite(found) == f"{NASTY}\n{parse} [E]\n\n"
    assert grammar_of(session.schema).read(gold_suite(found).splitlines()[1]) == session.turns[0].parse
    line = json.loads(json_lines(found))
    assert (line["utterance"], line["corrected"], line["dataset"]) == (NASTY, f"{parse} [e]", "diabetes")


def test_the_last_correction_of_an_utterance_counts(session: ChatSession) -> None:
    first = corrections_of(session)
    session.correct(1, "countdata")
    assert gold_suite([*first, *corrections_of(session)]) == f"{NASTY}\ncountdata [E]\n\n"


def test_text_for_programs_has_no_markup_left(session: ChatSession) -> None:
    assert "\\" not in turn_text(session, session.turns[1])
    assert "**" not in turn_text(session, session.turns[1])


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("**5** people \\(of 10\\)", "5 people (of 10)"),
        ("a &lt;b&gt; \\*c\\*", "a <b> *c*"),
        ("*Note: x*", "Note: x"),
        ("- one\n- two", "• one\n• two"),
        ("a\\_b \\\\ c", "a_b \\ c"),
        ("under_score stays", "under_score stays"),
    ],
)
def test_plain_text_reads_as_the_screen_does(markdown: str, text: str) -> None:
    assert plain(markdown) == text


def test_a_table_in_a_terminal_is_aligned() -> None:
    table = AnswerTable("Ages", ("name", "age"), (("Ann", "5"), ("Bartholomew", "10")))
    lines = table_text(table).splitlines()
    assert lines[0] == "Ages"
    assert lines[3].index("5") == lines[4].index("10")
    assert terminal_text([Answer("**Hi**", (table,))]).startswith("Hi\n\nAges\n")


@pytest.mark.parametrize("write", [to_html, to_json, to_markdown])
def test_an_export_names_the_version_that_wrote_it(session: ChatSession, write: Callable[[ChatSession], str]) -> None:
    assert VERSION in write(session)


@given(st.text("ab 1.5)#*_<>&|[]`~:/$@-+=\\", max_size=30))
def test_a_markdown_file_shows_what_was_escaped_and_holds_no_entity(text: str) -> None:
    line = " ".join(text.split())
    written = without_entities(escape_markdown(line))
    assert not re.search(r"(?<!\\)&#\d", written)
    shown = MarkdownIt("commonmark", {"html": False}).render(written)
    assert unescape(re.sub(r"<[^>]*>", "", shown)).strip() == line
    assert shown == "" or shown.startswith("<p>")


@pytest.mark.parametrize("text", ["45.5", "0.127", "1,000.5 of 3"])
def test_a_number_in_a_markdown_file_is_a_number(text: str) -> None:
    assert without_entities(escape_markdown(text)) == text
