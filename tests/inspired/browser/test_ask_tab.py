"""A person in a real browser: an example, a correction, a wrong one, export and import, markup that stays text."""

from collections.abc import Iterator
from pathlib import Path

import gradio as gr
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

import inspired.ui
from backend.database import Database
from backend.settings import Settings
from backend.ui import CSS_FILE, theme
from inspired.records import read_record

MARKUP = "<script>document.title='gone'</script><img src=x onerror=\"document.title='gone'\"> ${1+1} עברית"


@pytest.fixture
def address(settings: Settings, database: Database) -> Iterator[str]:
    with gr.Blocks(title="Parley", analytics_enabled=False) as blocks, gr.Tabs():
        with gr.Tab("Chat"):
            gr.Markdown("Another tab")
        with gr.Tab("Ask a knowledge base"):
            inspired.ui.build(settings, database)
    _, address, _ = blocks.launch(
        prevent_thread_lock=True, quiet=True, ssr_mode=False, theme=theme(), css_paths=CSS_FILE, server_name="127.0.0.1"
    )
    yield address
    blocks.close(verbose=False)


@pytest.fixture
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


def opened(browser: Browser, address: str, width: int = 1440) -> Page:
    page = browser.new_context(accept_downloads=True, viewport={"width": width, "height": 900}).new_page()
    page.goto(address)
    page.get_by_role("tab", name="Ask a knowledge base").click()
    return page


def choose(page: Page, example: str) -> None:
    page.get_by_label("Begin with an example").click()
    page.get_by_role("option", name=example).click()


def test_a_step_is_corrected_exported_and_opened_again(browser: Browser, address: str, tmp_path: Path) -> None:
    page, other = opened(browser, address), opened(browser, address)
    choose(page, "Composition: a capital's country")
    said = page.locator(".kb-question")
    expect(said).to_contain_text(["Which country has the capital Paris?", "What is the official language of that country?"])

    page.get_by_role("button", name="Edit", exact=True).nth(1).click()
    page.get_by_label("Sub-logical form of step 2").fill("[that planet] ns:location.country.currency_used ?x .")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Nothing called “that planet” is known here")).to_be_visible()
    page.get_by_label("Sub-logical form of step 2").fill("[that country] ns:location.country.currency_used ?x .")
    page.get_by_role("button", name="Save").click()
    expect(said.nth(1)).to_contain_text("Which currency is used in that country?")
    expect(page.get_by_text("Replaced step 2")).to_be_visible()

    page.get_by_role("button", name="The complete logical form").click()
    expect(page.locator("#kb-compact textarea")).to_have_value(
        "filter ( ?x != ?c ) ?c ns:location.country.capital #entity1# . ?c ns:location.country.currency_used ?x ."
    )
    with page.expect_download() as download:
        page.get_by_role("button", name="Export as JSON").click()
    download.value.save_as(tmp_path / "dialogue.json")
    assert read_record((tmp_path / "dialogue.json").read_text("utf-8")).feedback == ("Replaced step 2",)

    expect(other.get_by_text("The steps of your query appear here.")).to_be_visible()
    other.locator("input[type=file]").set_input_files(tmp_path / "dialogue.json")
    expect(other.locator(".kb-question").nth(1)).to_contain_text("Which currency is used in that country?")

    page.get_by_role("button", name="Undo").click()
    expect(said.nth(1)).to_contain_text("What is the official language of that country?")
    page.get_by_role("button", name="Delete").nth(1).click()
    expect(page.locator(".kb-problems")).to_contain_text("No step finds ?x")


def test_markup_stays_text(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    page.get_by_label("SPARQL query").fill(
        "SELECT ?x { ns:m.1 ns:location.country.capital ?x . ?x ns:a.b.c \"<img src=x onerror=document.title='gone'>\" }"
    )
    page.get_by_label("The question it answers").fill(MARKUP)
    page.get_by_label("Names of its entities").fill(f"m.1 = {MARKUP}")
    page.get_by_role("button", name="Show the steps").click()
    expect(page.locator(".kb-asked")).to_have_text(MARKUP)
    expect(page.locator(".kb-question").first).to_contain_text("document.title")
    page.wait_for_timeout(300)
    assert page.title() == "Parley"


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_widens_the_page(browser: Browser, address: str, width: int) -> None:
    page = opened(browser, address, width)
    choose(page, "Conjunction at a time")
    expect(page.locator(".kb-question").first).to_contain_text("in 1970")
    page.get_by_role("button", name="Insert before").first.click()
    page.get_by_role("button", name="The complete logical form").click()
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
