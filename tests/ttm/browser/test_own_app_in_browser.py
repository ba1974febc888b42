"""Chats made in Python, placed into pages of others: alone, and twice on one page."""

from collections.abc import Iterator
from typing import Any

import gradio as gr
import numpy as np
import pandas as pd
import pytest

import ttm
from benchmarks.ports import free_port
from tests.served_app import close, serving

pytestmark = pytest.mark.browser

QUESTION = "how many instances have age above 30?"


def made(title: str) -> ttm.ModelChat:
    draws = np.random.default_rng(0)
    frame = pd.DataFrame({"age": draws.integers(18, 80, 60), "income": draws.normal(3000, 500, 60).round()})
    frame["left"] = np.where(frame["age"] < 40, "yes", "no")
    return ttm.talk(lambda rows: np.where(rows["age"] < 40, 0.9, 0.1), frame, target="left", title=title, parser="linker")


@pytest.fixture(scope="module")
def two_chats() -> Iterator[str]:
    with gr.Blocks(analytics_enabled=False) as blocks, gr.Row():
        for title in ("First", "Second"):
            with gr.Column(elem_id=title):
                ttm.ui.build(made(title))
    blocks.queue(default_concurrency_limit=20)
    with serving(blocks) as url:
        yield url


@pytest.mark.filterwarnings("ignore:This MCP server includes")
def test_two_chats_on_one_page_do_not_touch_each_other(browser: Any, two_chats: str) -> None:
    from playwright.sync_api import expect

    page = browser.new_page(viewport={"width": 1440, "height": 1000})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(two_chats)
    second, first = page.locator("#Second"), page.locator("#First")
    second.locator("#ttm-composer textarea").fill(QUESTION)
    second.locator("#ttm-send").click()
    expect(second.locator(".bot-row").last).to_contain_text("Understood as")
    expect(first.locator(".user-row")).to_have_count(0)
    second.locator("[data-ttm=pin]").last.click()
    expect(second.locator("[data-ttm=pin]").last).to_have_attribute("aria-pressed", "true")
    first.locator("#ttm-composer textarea").fill("how accurate is the model?")
    first.locator("#ttm-send").click()
    expect(first.locator(".bot-row").last).to_contain_text("Understood as")
    expect(second.locator(".user-row")).to_have_count(1)
    first.locator("[data-ttm=correct]").last.click()
    expect(first.locator("#ttm-correct-words")).to_be_visible()
    expect(second.locator("#ttm-correct-words")).to_be_hidden()
    assert errors == []
    page.close()


def test_a_chat_is_an_app_that_asks_nothing_of_the_person(browser: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """And it starts where gradio's own check of its page gives up, as on a machine that is too busy to answer it in 3 s."""
    from playwright.sync_api import expect

    monkeypatch.setattr("gradio.networking.url_ok", lambda url: False)
    chat = made("Who leaves")
    app = chat.app(bare=True)
    _, address, _ = app.launch(server_name="127.0.0.1", server_port=free_port(), prevent_thread_lock=True, quiet=True)
    try:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto(address)
        page.locator("#ttm-composer textarea").fill(QUESTION)
        page.locator("#ttm-send").click()
        expect(page.locator(".bot-row").last).to_contain_text("Understood as")
        expect(page.locator("footer a, footer button")).to_have_count(0)
        expect(page.locator("#ttm-own")).to_be_hidden()
        assert chat.answers == ()
        page.close()
    finally:
        close(app)
