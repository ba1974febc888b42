"""A person in a real browser: a sample in colours, a run over a file that is stopped, found again, gone on with and saved."""

import json
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import gradio as gr
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import faithfulness.ui
from backend.program.settings import Settings
from backend.storage.database import Database
from faithfulness.method.correctness import Metric
from faithfulness.ui import one_sample
from tests.browser_pages import PATIENCE, assert_accessible
from tests.faithfulness.planted import Endpoint, write_rows
from tests.served_app import serving

SAMPLES = 12
KEY = "sk-typed-in-the-browser"
HOSTILE = "<img src=x onerror=\"document.title='gone'\">"
PASSAGE = f"Alpha beta gamma delta epsilon. The item is value 3. Eta theta iota {HOSTILE} kappa."
VISITOR = "parley-faithfulness-visitor"
GREEN, BLUE = "rgb(213, 239, 219)", "rgb(163, 201, 245)"


@pytest.fixture
def serve(settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """Start the tab on the test's data folder, as often as the test likes; each knows nothing but what is in the folder."""
    for module in (one_sample, faithfulness.ui):
        monkeypatch.setattr(module, "hybrid_metric", lambda paper=False: Metric(paper=paper))
    running = ExitStack()

    def start() -> str:
        with gr.Blocks(title="Parley", analytics_enabled=False) as blocks, gr.Tabs(), gr.Tab("LLM faithfulness"):
            faithfulness.ui.build(settings, database)
        blocks.queue(default_concurrency_limit=20)
        return running.enter_context(serving(blocks))

    with running:
        yield start


def opened(browser: Browser, address: str, width: int = 1440, visitor: str | None = None) -> Page:
    """A page of a new visitor, or of one whose browser keeps this."""
    context = browser.new_context(accept_downloads=True, viewport={"width": width, "height": 900})
    if visitor is not None:
        context.add_init_script(f"localStorage.setItem({json.dumps(VISITOR)}, {json.dumps(visitor)})")
    page = context.new_page()
    page.goto(f"{address}?__theme=light")
    expect(page.get_by_role("button", name="Take the answer apart")).to_be_visible()
    return page


def choose_server(part: Locator, endpoint: Endpoint, name: str) -> None:
    part.get_by_label("A server with the OpenAI interface").check()
    part.get_by_label("Address").fill(endpoint.url)
    part.get_by_label(name).fill("planted")
    part.get_by_label(name).press("Enter")
    part.locator("input[type=password]").first.fill(KEY)
    part.get_by_role("button", name="How it is asked and cut").click()
    part.get_by_label("continuation (answer, then keywords)").check()


def fill_sample(page: Page, endpoint: Endpoint) -> Locator:
    part = page.locator("#faithfulness-sample")
    choose_server(part, endpoint, "Name of the model")
    part.get_by_label("Question", exact=True).fill("what is item 3")
    part.get_by_label("Passage", exact=True).fill(PASSAGE)
    part.get_by_label("Accepted answers, one a line").fill("value 3")
    return part


def fill_run(page: Page, endpoint: Endpoint, file: Path) -> Locator:
    page.get_by_role("tab", name="A whole data set").click()
    part = page.locator("#faithfulness-runs")
    choose_server(part, endpoint, "Names of the models")
    part.locator("#run-rows input[type=file]").set_input_files(file)
    expect(part.get_by_text(f"{2 * SAMPLES} to {20 * SAMPLES} calls")).to_be_visible()
    return part


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "items.jsonl"
    write_rows(path, SAMPLES)
    return path


def colour(place: Locator) -> str:
    return str(place.evaluate("e => getComputedStyle(e).backgroundColor"))


def test_a_sample_is_taken_apart_in_colours(browser: Browser, serve: Callable[[], str], endpoint: Endpoint) -> None:
    page = opened(browser, serve())
    part = fill_sample(page, endpoint)
    seen = threading.Event()

    def fourth_waits(number: int) -> str:
        if number == 4:
            seen.wait(PATIENCE)
        return ""

    endpoint.trouble = fourth_waits
    part.get_by_role("button", name="Take the answer apart").click()
    expect(part.get_by_text("3 of at most 20 calls")).to_be_visible()
    part.get_by_role("button", name="Stop").click()
    expect(part.get_by_text("What they showed stays here")).to_be_visible()
    expect(part.get_by_text("Answer:")).to_be_visible()
    expect(part.get_by_role("button", name="Stop")).to_be_hidden()

    seen.set()
    part.get_by_role("button", name="Take the answer apart").click()
    expect(part.locator(".evidence-score dd").first).to_have_text("0.50")
    marked = part.locator(".evidence-passage")
    expect(marked.locator(".necessary", has_text="value")).to_be_visible()
    assert colour(marked.locator(".sufficient:not(.necessary)").first) == GREEN
    assert colour(marked.locator(".necessary").first) == BLUE
    assert int(marked.locator("strong").first.evaluate("e => getComputedStyle(e).fontWeight")) >= 700
    expect(marked).to_contain_text(HOSTILE)
    assert page.title() == "Parley"
    part.get_by_role("button", name="Every call").click()
    part.get_by_role("gridcell", name="With the whole passage").first.click()
    expect(part.locator(".cm-content")).to_contain_text("----- reply -----")

    part.get_by_label("Address").fill("http://127.0.0.1:9/v1")
    part.get_by_role("button", name="Take the answer apart").click()
    expect(part.locator(".evidence-note")).to_contain_text("Nothing answers at http://127.0.0.1:9/v1")
    expect(page.get_by_text("Nothing answers at")).to_have_count(1)
    assert_accessible(page)


def test_a_run_is_stopped_found_after_a_restart_gone_on_with_and_saved(
    browser: Browser, serve: Callable[[], str], endpoint: Endpoint, file: Path, data_dir: Path, tmp_path: Path
) -> None:
    page = opened(browser, serve())
    part = fill_run(page, endpoint, file)
    endpoint.delay = 0.3
    part.get_by_role("button", name="Start the run").click()
    expect(part.locator(".run-state")).to_have_text("running")
    expect(part.get_by_text("left", exact=False).first).to_be_visible()
    part.get_by_role("button", name="Stop", exact=True).click()
    expect(part.locator(".run-state")).to_have_text("stopped")

    endpoint.delay = 0
    address, visitor = serve(), page.evaluate(f"localStorage.getItem({json.dumps(VISITOR)})")
    page = opened(browser, address, visitor=visitor)
    page.get_by_role("tab", name="A whole data set").click()
    part = page.locator("#faithfulness-runs")
    expect(part.locator(".run-state")).to_have_text("stopped")
    part.locator("input[type=password]").last.fill(KEY)
    part.get_by_role("button", name="Go on").click()
    expect(part.locator(".run-state")).to_have_text("complete")
    assert endpoint.requests == 10 * SAMPLES
    expect(part.get_by_role("cell", name="Faithfulness F, 95% interval")).to_be_visible()

    part.get_by_label("Words in question, answer or id").press_sequentially("item 7")
    expect(part.get_by_text(f"1 of {SAMPLES} samples")).to_be_visible()
    part.get_by_role("gridcell", name="what is item 7").first.click()
    expect(part.locator(".evidence-summary")).to_contain_text("value 7")
    assert colour(part.locator(".evidence-passage .necessary").first) == BLUE
    with page.expect_download() as download:
        part.get_by_role("button", name="Save everything (zip)").click()
    download.value.save_as(tmp_path / "run.zip")
    with zipfile.ZipFile(tmp_path / "run.zip") as packed:
        assert json.loads(packed.read("tables.json"))["models"]["planted"]["necessary"] == SAMPLES

    stranger = opened(browser, address)
    stranger.get_by_role("tab", name="A whole data set").click()
    expect(stranger.get_by_text("Runs that you start stand here")).to_be_visible()
    written = [path.read_bytes() for path in data_dir.rglob("*") if path.is_file()]
    assert not any(KEY.encode() in each for each in written)
    part.get_by_role("button", name="Delete", exact=True).click()
    part.get_by_role("button", name="Delete it with all its results").click()
    expect(part.get_by_text("Runs that you start stand here")).to_be_visible()


def test_nothing_widens_a_narrow_page(browser: Browser, serve: Callable[[], str], endpoint: Endpoint, file: Path) -> None:
    page = opened(browser, serve(), 390)
    recorded, question = page.locator(".evidence-passage"), page.get_by_label("Question", exact=True)
    assert recorded.bounding_box()["y"] < question.bounding_box()["y"]  # type: ignore[index]
    expect(page.get_by_role("button", name="Take the answer apart")).to_be_in_viewport()
    assert_accessible(page)
    part = fill_sample(page, endpoint)
    part.get_by_role("button", name="Take the answer apart").click()
    expect(part.locator(".evidence-score").first).to_be_in_viewport()
    part.get_by_role("button", name="Every call").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    part = fill_run(page, endpoint, file)
    part.get_by_role("button", name="Start the run").click()
    expect(part.locator(".run-state")).to_have_text("complete")
    expect(part.get_by_role("button", name="Next sample")).to_be_visible()
    part.get_by_role("button", name="Next sample").click()
    expect(part.locator(".evidence-passage")).to_be_visible()
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
