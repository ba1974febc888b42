"""An answer about many rows becomes exact while a person looks at it, and the work can be stopped, in a real browser."""

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.chat.talks import serving
from tests.browser_pages import ask_chat, until

pytestmark = pytest.mark.browser

QUESTION = "how important are the features when loan duration is increased by 6 months?"


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of a server that nobody has asked anything: it begins to explain all rows."""
    with serving("--dataset", "german") as url:
        page = browser.new_context(viewport={"width": 1440, "height": 1000}).new_page()
        page.mistakes = []
        page.on("pageerror", lambda error: page.mistakes.append(str(error)))
        page.goto(url)
        page.wait_for_selector("#ttm-chat .bot-row .js-plotly-plot")
        yield page
        page.context.close()


def _line(page: Any, words: str) -> None:
    until(page, "(words) => (document.querySelector('#ttm-exact')?.innerText || '').includes(words)", arg=words)


def test_all_rows_are_explained_ahead_but_told_only_once_something_was_asked_and_can_be_cancelled(page: Any) -> None:
    assert page.locator("#ttm-exact").is_hidden()
    answer = ask_chat(page, QUESTION)
    _line(page, "Explaining all 400 rows")
    assert "for all 400 applicants" in answer.inner_text(), "trees are explained exactly at once"
    assert "spread evenly" not in answer.inner_text()
    page.locator("#ttm-exact-stop").click()
    page.wait_for_selector("#ttm-exact", state="hidden")
    answer = ask_chat(page, "what are the most important features for applicants with age above 55?")
    assert "features matter in this order" in answer.inner_text()
    assert page.mistakes == []
