"""Two reviewers in a real browser: keys, an edit that is refused, a decision of somebody else, markup that stays text."""

from collections.abc import Iterator
from pathlib import Path

import gradio as gr
import pytest
from playwright.sync_api import Browser, Page, expect

import annotation.ui
from annotation.parses.pairs import ReviewState, list_items
from backend.program.settings import Settings
from backend.storage.collected import Correction, add_correction
from backend.storage.database import Database
from tests.served_app import serving

ODD = "<script>document.title='gone'</script><img src=x onerror=\"document.title='gone'\"> ${1+1} {{2+2}} עברית"


@pytest.fixture
def address(settings: Settings, database: Database) -> Iterator[str]:
    pairs = {"How likely is 5?": "filter id 5 and show [e]", ODD: "filter id 7 and predict [e]"}
    for utterance, corrected in pairs.items():
        add_correction(database, Correction(utterance, "filter id 5 and predict [e]", corrected, "diabetes"))
    with gr.Blocks(analytics_enabled=False) as blocks, gr.Tabs():
        with gr.Tab("Chat"):
            gr.Markdown("Another tab")
        with gr.Tab("Annotate"):
            annotation.ui.build(settings, database)
    with serving(blocks) as address:
        yield address


def _reviewer(browser: Browser, address: str, name: str) -> Page:
    page = browser.new_context(accept_downloads=True).new_page()
    page.goto(address)
    page.get_by_role("tab", name="Annotate").click()
    page.get_by_role("tab", name="Parses from chats").click()
    expect(page.locator(".review-card")).to_contain_text("How likely is 5?")
    page.get_by_label("Your name").fill(name)
    page.locator(".review-card").focus()
    return page


def test_two_reviewers(browser: Browser, address: str, database: Database, tmp_path: Path) -> None:
    anna, ben = _reviewer(browser, address, "Anna"), _reviewer(browser, address, "Ben")

    anna.keyboard.press("e")
    anna.keyboard.press("Control+a")
    anna.keyboard.type("filter agee greater than 5")
    anna.keyboard.press("Enter")
    expect(anna.get_by_role("alert")).to_contain_text('Not saved. "agee" does not fit')
    expect(anna.get_by_label("Parse to accept")).to_have_value("filter agee greater than 5")
    anna.keyboard.press("Control+a")
    anna.keyboard.type("filter age greater than 5")
    anna.keyboard.press("Enter")
    expect(anna.locator(".review-utterance")).to_have_text(ODD)
    expect(anna.locator(".review-card")).to_be_focused()

    ben.keyboard.press("a")
    expect(ben.get_by_role("alert")).to_contain_text("Anna accepted it with an edit")
    expect(ben.locator(".review-state")).to_contain_text("accepted with edit")
    assert [item.state for item in list_items(database)] == [ReviewState.EDITED, ReviewState.PENDING]

    anna.keyboard.press("r")
    anna.keyboard.type("no question")
    anna.keyboard.press("Enter")
    expect(anna.locator("#annotation-item")).to_contain_text("Nothing is left here")
    with anna.expect_download() as saved:
        anna.get_by_role("button", name="Gold suite", exact=True).click()
    saved.value.save_as(tmp_path / "gold.txt")
    assert (tmp_path / "gold.txt").read_text("utf-8") == "How likely is 5?\nfilter age greater than 5 [E]\n\n"
    assert [item.history[-1].reason for item in list_items(database)] == ["", "no question"]
    assert "gone" not in (anna.title(), ben.title())
