"""Two reviewers in a real browser: keys, an edit that is refused, a decision of somebody else, markup that stays text."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import gradio as gr
import pytest
from playwright.sync_api import Browser, Page, expect

import annotation.ui
from annotation.parses.pairs import ReviewState, list_items
from annotation.studies.people.workers import enrol
from annotation.studies.study import Study
from backend.program.settings import Settings
from backend.storage.collected import Correction, add_correction
from backend.storage.database import Database
from tests.annotation.studies.small_studies import rating_study
from tests.browser_pages import assert_accessible
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


def test_two_reviewers(
    browser: Browser, address: str, database: Database, tmp_path: Path, clock: Callable[[], datetime]
) -> None:  # fmt: skip
    _a_worker_s_link_opens_the_study_and_nothing_around_it(browser, address, rating_study(database, tmp_path / "r", clock))
    anna, ben = _reviewer(browser, address, "Anna"), _reviewer(browser, address, "Ben")

    anna.keyboard.press("e")
    anna.keyboard.press("Control+a")
    anna.keyboard.type("filter agee greater than 5")
    anna.keyboard.press("Enter")
    expect(anna.get_by_role("alert")).to_contain_text('Not saved. "agee" does not fit')
    expect(anna.get_by_label("Parse to accept")).to_have_value("filter agee greater than 5")
    assert_accessible(anna)
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
    assert_accessible(anna)
    with anna.expect_download() as saved:
        anna.get_by_role("button", name="Gold suite", exact=True).click()
    saved.value.save_as(tmp_path / "gold.txt")
    assert (tmp_path / "gold.txt").read_text("utf-8") == "How likely is 5?\nfilter age greater than 5 [E]\n\n"
    assert [item.history[-1].reason for item in list_items(database)] == ["", "no question"]
    assert "gone" not in (anna.title(), ben.title())


def _a_worker_s_link_opens_the_study_and_nothing_around_it(browser: Browser, address: str, study: Study) -> None:
    page = browser.new_context().new_page()
    page.goto(f"{address}?study={study.name}&worker={enrol(study, 'Wim').link}")
    for _ in range(2):  # and again after a reload, when the link has left the address
        expect(page.locator("form[data-task]")).to_be_visible()
        expect(page.get_by_role("tab", name="Chat", exact=True)).to_be_hidden()
        expect(page.get_by_role("tab", name="Parses from chats")).to_be_hidden()
        page.reload()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("tab", name="Chat", exact=True)).to_be_visible()
