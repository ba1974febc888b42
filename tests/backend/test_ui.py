"""What people see of errors is a sentence, never a stack trace; what they typed is shown, never obeyed."""

import inspect
import logging
from collections.abc import Callable, Iterator
from html.parser import HTMLParser

import gradio as gr
import pytest
from gradio_client import Client
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from backend.errors import DatasetError, ExecutionError
from backend.text.markup import escape_html, escape_markdown
from backend.ui import errors_in_plain_words, errors_in_words, heading, json_endpoint, session_of_call, theme
from tests.served_app import serving


@errors_in_words
def answer(question: str, request: gr.Request) -> str:
    """Answer a question."""
    if not question:
        raise ExecutionError("Ask about <something>.")
    if question == "defect":
        raise ZeroDivisionError("secret detail")
    return question


@errors_in_words
def stream(question: str) -> Iterator[str]:
    yield "thinking"
    if not question:
        raise DatasetError("No data.")
    yield question


def test_a_parley_error_is_shown_as_its_escaped_message_without_a_trace() -> None:
    with pytest.raises(gr.Error) as caught:
        answer("", gr.Request())
    assert caught.value.message == "Ask about &lt;something&gt;."
    assert caught.value.print_exception is False


@pytest.mark.parametrize("wrapped", [errors_in_plain_words, json_endpoint])
def test_programs_read_the_same_message_as_plain_text(wrapped: Callable[..., Callable[..., str]]) -> None:
    def refuse(dataset: str) -> str:
        raise ExecutionError(f"There is no data set {dataset!r} here.")

    with pytest.raises(gr.Error) as caught:
        wrapped(refuse)("<germany>")
    assert caught.value.message == "There is no data set '<germany>' here."
    assert caught.value.print_exception is False


def test_a_defect_is_told_by_reference_and_logged_in_full(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(gr.Error) as caught:
        answer("defect", gr.Request())
    assert "secret detail" not in caught.value.message
    reference = caught.value.message.rstrip(".").split()[-1]
    assert reference in caplog.text
    assert "secret detail" in caplog.text


def test_a_generator_stays_one_and_its_errors_are_told_too() -> None:
    assert list(stream("hello")) == ["thinking", "hello"]
    steps = stream("")
    assert next(steps) == "thinking"
    with pytest.raises(gr.Error, match=r"No data\."):
        next(steps)
    assert inspect.isgeneratorfunction(stream)


def test_the_wrapped_handler_keeps_its_name_and_signature() -> None:
    assert answer.__name__ == "answer"
    assert list(inspect.signature(answer).parameters) == ["question", "request"]


class _Shown(HTMLParser):
    """The tags of a page, and its text as a reader sees it."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        self.text += "\n" if tag == "br" else ""

    def handle_data(self, data: str) -> None:
        self.text += data


def _rendered(text: str) -> _Shown:
    markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return _Shown(markdown.render(escape_markdown(text)))


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1)) ![b](http://c)",
    "# big\n- list\n1. one\n| a | b |\n|---|---|\n> quote",
    "`code` ```fence``` ~~gone~~ **bold** _thin_",
    "a\n===\nb\n---",
    "&lt;b&gt; &amp;amp; \\*",
    "<https://a.b> <a@b.c>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_in_what_people_type_is_shown_as_typed(text: str) -> None:
    shown = _rendered(text)
    assert shown.tags <= {"p", "br"}
    assert shown.text.strip() == text


@given(st.text(alphabet=st.characters(codec="ascii", min_codepoint=32), max_size=30))
def test_any_line_of_plain_characters_is_shown_as_typed(text: str) -> None:
    shown = _rendered(text)
    assert shown.tags <= {"p", "br"}
    assert shown.text.strip() == text.strip()


@pytest.mark.parametrize("text", ["$$x^2$$", "http://a.b", "www.a.b", "someone@a.b"])
def test_formulas_and_bare_addresses_lose_what_makes_them_special(text: str) -> None:
    assert not any(mark in escape_markdown(text) for mark in ("$", "://", "www.", "@"))


def test_html_is_shown_as_typed() -> None:
    for text in HOSTILE:
        shown = _Shown(f"<p>{escape_html(text)}</p>")
        assert (shown.tags, shown.text) == ({"p"}, text)


def test_headings_are_headings_and_escape_their_text() -> None:
    assert heading("A & B", "<why>", level=3).value == "<h3>A &amp; B</h3><p>&lt;why&gt;</p>"


def test_the_theme_needs_nothing_from_the_network() -> None:
    assert theme()._stylesheets == []


@pytest.mark.slow
def test_a_handler_knows_which_session_calls_it_and_no_name_of_a_session_is_kept() -> None:
    def who() -> str:
        return session_of_call()

    def who_in_steps() -> Iterator[str]:
        yield ""
        yield session_of_call()

    with gr.Blocks(analytics_enabled=False) as blocks:
        gr.api(who, api_name="who")
        gr.api(who_in_steps, api_name="who_in_steps")
    with serving(blocks) as address:
        first, second = (Client(address, verbose=False, httpx_kwargs={"timeout": None}) for _ in range(2))
        names = [client.predict(api_name=name) for client in (first, second) for name in ("/who", "/who_in_steps")]
    assert names[0] == names[1] != names[2] == names[3]
    assert all(len(name) == 64 for name in names)
    assert first.session_hash not in names
    assert session_of_call() == ""
