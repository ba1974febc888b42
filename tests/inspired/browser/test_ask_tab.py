"""A person in a real browser: a question, its answer, a correction in words, export and import, markup that stays text."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import gradio as gr
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

import inspired.ui
from backend.program.settings import Settings
from backend.storage.database import Database
from inspired.dialogue.records import read_record
from tests.browser_pages import assert_accessible, settle, until
from tests.inspired.scripted import HOSTILE, LANGUAGE, SLOW, small_world
from tests.served_app import serve_again, serving

TOWNS = """
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix geo: <http://www.w3.org/2003/01/geo/wgs84_pos#> .
@prefix e: <http://e.example/> .
e:1 rdfs:label "Zell" ; e:people 20000 ; geo:lat 48.5 ; geo:long 15.5 .
e:2 rdfs:label "Au" ; e:people 1000 ; geo:lat 47.5 ; geo:long 14 .
e:3 rdfs:label "Melk" ; e:people 900 . e:4 rdfs:label "Ort" ; e:people 10 .
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[gr.Blocks, str]]:
    """One app for all tests of this file: what a visitor does is seen in the tab where it is done, and nowhere else."""
    folder = tmp_path_factory.mktemp("ask")
    settings, assistant = Settings(data_dir=folder), small_world(folder)
    database = Database(settings.database_address)
    with pytest.MonkeyPatch.context() as patch, gr.Blocks(title="Parley", analytics_enabled=False) as blocks, gr.Tabs():
        patch.setattr(inspired.ui, "open_assistant", lambda settings: assistant)
        with gr.Tab("Chat"):
            gr.Markdown("Another tab")
        with gr.Tab("Ask a knowledge base"):
            inspired.ui.build(settings, database)
    blocks.queue(default_concurrency_limit=20)  # as in the whole app
    with serving(blocks) as address:
        yield blocks, address
    database.close()
    if assistant._parts is not None:
        assistant._parts.kb.close()


@pytest.fixture(scope="module")
def address(served: tuple[gr.Blocks, str]) -> str:
    return served[1]


@pytest.fixture(scope="module")
def kept_context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that knows the scripts of the page after its first tab."""
    context = browser.new_context(accept_downloads=True)
    yield context
    context.close()


@pytest.fixture
def context(kept_context: BrowserContext) -> Iterator[BrowserContext]:
    """Without tabs at first and at the end: each holds a connection, and a browser opens six to one address."""
    yield kept_context
    for tab in kept_context.pages:
        tab.close()


def opened(context: BrowserContext, address: str, width: int = 1440) -> Page:
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(address)
    page.get_by_role("tab", name="Ask a knowledge base").click()
    expect(page.locator(".kb-empty")).to_be_visible()
    return page


def ask(page: Page, question: str) -> None:
    page.get_by_label("Your question").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()


def button(page: Page, step: int, name: str) -> None:
    page.locator(f"#kb-step-{step}").get_by_role("button", name=name, exact=True).click()


def test_a_question_is_answered_corrected_exported_and_opened_again(
    context: BrowserContext, address: str, tmp_path: Path
) -> None:
    page, other = opened(context, address), opened(context, address)
    ask(page, LANGUAGE)
    final, steps = page.locator(".kb-final"), page.locator(".kb-step")
    expect(final).to_have_text("German <b>")
    expect(steps).to_have_count(2)
    expect(steps.nth(0)).to_contain_text("Which country has the capital Vienna?")
    expect(steps.nth(0).locator(".kb-found")).to_have_text("Austria")
    expect(page.get_by_text("I did not use: “quickly”")).to_be_visible()
    expect(page.locator("#kb-source")).to_contain_text("facts about")

    button(page, 2, "Edit")
    words = page.get_by_label("Step 2 in your words")
    expect(words).to_have_value("What is the official language of that country?")
    words.fill("What do they eat?")
    page.get_by_role("button", name="See how it is understood").click()
    expect(page.get_by_role("alert")).to_contain_text("cannot be read: What do they eat?")
    assert_accessible(page)  # a question with an answer, a step being corrected, and a refusal
    expect(words).to_have_value("What do they eat?")
    words.fill("What is its currency?")
    words.press("Enter")
    expect(page.get_by_label("Which currency is used in that country?")).to_be_checked()
    page.get_by_role("button", name="Use this").click()
    expect(final).to_have_text("Euro")
    expect(page.locator(".kb-change")).to_contain_text("Answer before: German <b>")
    expect(page.locator("#kb-step-2 .kb-mark")).to_have_text("changed")
    expect(page.locator(".kb-history")).to_contain_text("Replaced step 2: What is its currency?")

    with page.expect_download() as download:
        page.get_by_role("button", name="Export as JSON").click()
    download.value.save_as(tmp_path / "dialogue.json")
    record = read_record((tmp_path / "dialogue.json").read_text("utf-8"))
    assert record.feedback == ("Replaced step 2: What is its currency?",)
    assert record.answers is not None
    assert record.answers.final is not None
    assert record.answers.final.answers == ("Euro",)

    expect(other.locator(".kb-empty")).to_be_visible()
    other.get_by_role("button", name="Start from SPARQL, or open a dialogue").click()
    other.locator("input[type=file]").set_input_files(tmp_path / "dialogue.json")
    expect(other.locator(".kb-final")).to_have_text("Euro")
    expect(other.locator(".kb-answer")).to_contain_text("As recorded in the file")
    expect(other.get_by_label("Your question")).to_have_value(LANGUAGE)

    page.get_by_role("button", name="Undo").click()
    expect(final).to_have_text("German <b>")
    page.get_by_role("button", name="Redo").click()
    expect(final).to_have_text("Euro")
    expect(other.locator(".kb-history")).to_contain_text("Replaced step 2")


def test_names_are_offered_while_one_types(context: BrowserContext, address: str) -> None:
    page = opened(context, address)
    ask(page, LANGUAGE)
    expect(page.locator(".kb-final")).to_have_text("German <b>")
    ask(page, SLOW)  # which keeps nobody from typing the next one
    expect(page.locator("#kb-status progress")).to_be_visible()
    line, offers, options = page.get_by_label("Your question"), page.get_by_role("listbox"), page.get_by_role("option")
    line.fill("")
    line.press_sequentially("What borders Aus")
    expect(offers).to_be_visible()
    expect(options).to_have_text(["Austria"])
    expect(line).to_have_attribute("aria-expanded", "true")
    assert_accessible(page)
    line.press("ArrowDown")
    expect(page.get_by_role("option", selected=True)).to_have_id(line.get_attribute("aria-activedescendant") or "")
    line.press("Enter")  # takes the name, and asks nothing
    expect(line).to_have_value("What borders Austria")
    expect(offers).to_be_hidden()
    expect(page.locator(".kb-waiting")).to_have_count(0)
    line.press("Control+z")
    expect(line).to_have_value("What borders Aus")

    line.fill("")
    line.press_sequentially("in Vie")
    expect(options).to_have_text(["Viennacity, US state"])
    line.press("Escape")
    expect(offers).to_be_hidden()
    line.press_sequentially("n")
    options.click()  # or a finger
    expect(line).to_have_value("in Vienna")
    expect(line).to_be_focused()
    line.fill("")
    line.press_sequentially("Ger")
    expect(options).to_have_text(["German <b>"])
    line.press("Enter")  # nothing is chosen, so what was typed is sent
    expect(page.locator(".kb-waiting")).to_have_text("Asked next: Ger")
    expect(offers).to_be_hidden()

    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#kb-status progress")).to_be_hidden()
    button(page, 2, "Edit")
    words = page.get_by_label("Step 2 in your words")
    words.fill("")
    words.press_sequentially("bor Hun")
    expect(options).to_have_count(2)
    words.press("ArrowUp")
    words.press("Tab")
    expect(words).to_have_value("bor Hungarian")
    expect(words).to_be_focused()


def test_other_readings_meanings_and_logical_forms(context: BrowserContext, address: str) -> None:
    page = opened(context, address)
    ask(page, LANGUAGE)
    page.get_by_role("button", name="Vienna: US state").click()
    expect(page.locator(".kb-none")).to_have_text("No answer")
    expect(page.locator(".kb-answer")).to_contain_text("Step 1 is the first that finds nothing")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".kb-final")).to_have_text("German <b>")
    expect(page.get_by_text("I am not sure that this is what you asked (words of it were left out)")).to_be_visible()
    expect(page.get_by_role("button", name="Other readings of your question (1)")).to_be_visible()
    page.get_by_role("button", name="Take this").click()  # beside the answer, without a fold to open first
    expect(page.locator(".kb-final")).to_have_text("Euro")
    button(page, 2, "Alternatives")
    expect(page.get_by_label("What is the official language of that country?")).to_be_checked()
    page.get_by_role("button", name="Use this").click()
    expect(page.locator(".kb-final")).to_have_text("German <b>")

    button(page, 2, "Insert before")
    page.get_by_role("button", name="As logical form").click()
    page.get_by_label("Logical form of a new step").fill("[that planet] ns:a.b.c ?x .")
    page.get_by_role("button", name="Insert", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing called “that planet” is known here")
    assert page.locator(".toast-body:visible").count() == 0
    page.get_by_label("Logical form of a new step").fill("[that country] ns:location.country.currency_used ns:m.eur .")
    page.get_by_role("button", name="Insert", exact=True).click()
    expect(page.locator(".kb-step")).to_have_count(3)
    expect(page.locator("#kb-step-2 .kb-mark")).to_have_text("new")
    button(page, 3, "Delete")
    expect(page.locator(".kb-final")).to_have_text("Austria")


def test_what_takes_long_can_be_stopped_and_keeps_the_words(context: BrowserContext, address: str) -> None:
    page = opened(context, address)
    ask(page, SLOW)
    expect(page.locator("#kb-status progress")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("alert")).to_contain_text("Stopped")
    expect(page.get_by_label("Your question")).to_have_value(SLOW)
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    expect(page.locator(".kb-empty")).to_be_visible()


def test_a_second_question_waits_in_sight_and_the_typed_words_stay(context: BrowserContext, address: str) -> None:
    page = opened(context, address)
    ask(page, SLOW)
    expect(page.locator("#kb-status")).to_contain_text(SLOW)
    ask(page, LANGUAGE)
    expect(page.locator(".kb-waiting")).to_contain_text(LANGUAGE)
    assert_accessible(page)  # nothing answered yet, one question being answered and one that waits
    page.get_by_label("Your question").fill("and this is typed meanwhile")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".kb-final")).to_have_text("German <b>")
    expect(page.get_by_label("Your question")).to_have_value("and this is typed meanwhile")
    expect(page.locator(".kb-refused")).to_contain_text(SLOW)  # stopped, and in sight with the reason
    older = page.get_by_text("Below is still the answer to:")
    expect(older).to_be_hidden()
    ask(page, "What do they eat?")
    expect(page.locator(".kb-refused")).to_contain_text("What do they eat?The question cannot be read")
    expect(older).to_be_visible()
    assert_accessible(page)  # a refused question over the answer of the one before


def test_a_server_that_is_started_again_under_an_open_page(context: BrowserContext, served: tuple[gr.Blocks, str]) -> None:
    page = opened(context, served[1])
    ask(page, LANGUAGE)
    expect(page.locator(".kb-final")).to_have_text("German <b>")
    button(page, 2, "Edit")
    page.get_by_label("Step 2 in your words").fill("What is its currency?")
    page.get_by_label("Your question").fill("and this is typed meanwhile")
    serve_again(*served)
    page.evaluate("window.parleyWatch()")  # as by itself every 20 seconds
    button(page, 2, "Edit")
    page.get_by_label("Step 2 in your words").press("Enter")
    page.get_by_role("button", name="Use this").click()
    expect(page.locator(".kb-final")).to_have_text("Euro")
    expect(page.get_by_label("Your question")).to_have_value("and this is typed meanwhile")


def test_a_corrected_question_survives_a_reload_and_stands_in_the_list(context: BrowserContext, address: str) -> None:
    page = opened(context, address)
    ask(page, LANGUAGE)
    expect(page.locator(".kb-final")).to_have_text("German <b>")
    button(page, 2, "Delete")
    expect(page.locator(".kb-final")).to_have_text("Austria")
    until(page, "(localStorage['parley-kb-questions'] ?? '').includes('Deleted step 2')")
    assert "kb=" in page.url
    page.reload()
    page.get_by_role("tab", name="Ask a knowledge base").click()
    expect(page.locator(".kb-final")).to_have_text("Austria")
    expect(page.locator(".kb-history")).to_contain_text("Deleted step 2")
    page.goto(address)
    page.get_by_role("tab", name="Ask a knowledge base").click()
    page.locator("#kb-before summary").click()
    page.locator(".kb-before-title", has_text=LANGUAGE).click()
    expect(page.locator(".kb-final")).to_have_text("Austria")


def test_an_address_asks_a_question(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(f"{address}?kb={quote(LANGUAGE)}")
    page.evaluate("localStorage.clear()")
    page.reload()
    page.get_by_role("tab", name="Ask a knowledge base").click()
    expect(page.locator(".kb-final")).to_have_text("German <b>")
    expect(page.locator(".kb-asked").first).to_have_text(LANGUAGE)


# As if a page that waits for names had waited long.
IMPATIENT = "const wait = setTimeout; window.setTimeout = (f, ms, ...args) => wait(f, ms === 4000 ? 50 : ms, ...args)"


def test_names_that_come_late_are_offered_and_what_was_typed_meanwhile_is_asked(context: BrowserContext, address: str) -> None:
    held = list[Route]()
    page = context.new_page()
    page.add_init_script(IMPATIENT)
    page.goto(address)
    page.get_by_role("tab", name="Ask a knowledge base").click()
    ask(page, LANGUAGE)  # once something was asked, the names are known
    expect(page.locator(".kb-final")).to_have_text("German <b>")
    line, options = page.get_by_label("Your question"), page.get_by_role("option")
    line.fill("")

    def hold(route: Route) -> None:
        if '"What borders Aus"' in (route.request.post_data or ""):
            held.append(route)
        else:
            route.continue_()

    page.route("**/gradio_api/**", hold)
    with page.expect_request(lambda request: '"What borders Aus"' in (request.post_data or "")):
        line.press_sequentially("What borders Aus")
    until(page, "() => window.kbTyped() === null")  # waited long enough
    expect(options).to_have_count(0)
    for route in held:
        route.continue_()
    expect(options.first).to_have_text("Austria")
    line.press("Escape")

    held.clear()
    line.fill("")
    with page.expect_request(lambda request: '"What borders Aus"' in (request.post_data or "")):
        line.press_sequentially("What borders Aus")
    line.press("t")
    expect(options).to_have_text(["Austria"])  # though the first request is never answered
    assert len(held) == 1
    page.unroute("**/gradio_api/**")


def test_markup_stays_text(context: BrowserContext, address: str) -> None:
    page = opened(context, address)
    ask(page, HOSTILE)
    expect(page.locator(".kb-asked")).to_have_text(HOSTILE)
    ask(page, f"{HOSTILE}?")
    expect(page.get_by_role("alert")).to_contain_text("document.title")
    page.get_by_role("button", name="Start from SPARQL, or open a dialogue").click()
    page.get_by_label("SPARQL query").fill(
        "SELECT ?x { ns:m.1 ns:location.country.capital ?x . ?x ns:a.b.c \"<img src=x onerror=document.title='gone'>\" }"
    )
    page.get_by_label("The question it answers").fill(HOSTILE)
    page.get_by_label("Names of its entities").fill(f"m.1 = {HOSTILE}")
    page.get_by_role("button", name="Show steps and answers").click()
    expect(page.locator(".kb-question").first).to_contain_text("document.title")
    expect(page.locator(".kb-graph desc")).to_contain_text("document.title")
    settle(page)
    assert page.title() == "Parley"


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_widens_the_page(context: BrowserContext, address: str, width: int) -> None:
    page = opened(context, address, width)
    ask(page, LANGUAGE)
    expect(page.locator(".kb-final")).to_be_visible()
    button(page, 1, "Insert before")
    page.get_by_role("button", name="As logical form").click()
    page.get_by_role("button", name="The complete logical form").click()
    page.get_by_role("button", name="Start from SPARQL, or open a dialogue").click()
    page.get_by_text("The drawing in words").click()
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.locator(".kb-graph").bounding_box()["width"] <= width  # type: ignore[index]


def test_answers_are_a_table_that_sorts_and_a_map(context: BrowserContext, address: str, tmp_path: Path) -> None:
    (tmp_path / "towns.ttl").write_text(TOWNS, "utf-8")
    page = opened(context, address)
    page.get_by_role("button", name="Ask a graph of your own").click()
    page.locator("#kb-own input[type=file]").set_input_files(tmp_path / "towns.ttl")
    expect(page.locator("#kb-source")).to_contain_text("towns.ttl")
    page.get_by_role("button", name="Start from SPARQL, or open a dialogue").click()
    page.get_by_label("SPARQL query").fill("SELECT ?x { ?x <http://e.example/people> ?n } ORDER BY DESC(?n) LIMIT 3")
    page.get_by_role("button", name="Show steps and answers").click()
    expect(page.get_by_role("img", name="The answers on a map")).to_be_visible()
    expect(page.locator(".kb-map circle")).to_have_count(2)
    page.get_by_text("The answers as a table").click()
    towns, heading = page.locator(".kb-table td:first-child"), page.get_by_role("columnheader", name="Value")
    expect(towns).to_have_text(["Zell", "Au", "Melk"])
    heading.get_by_role("button").click()
    expect(towns).to_have_text(["Melk", "Au", "Zell"])  # 900 before 1,000, as numbers
    expect(heading).to_have_attribute("aria-sort", "ascending")
    heading.get_by_role("button").press("Enter")
    expect(towns).to_have_text(["Zell", "Au", "Melk"])
    page.get_by_role("columnheader", name="Latitude").get_by_role("button").click()
    expect(towns).to_have_text(["Au", "Zell", "Melk"])  # what has none comes last
    assert_accessible(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Answers as CSV").click()
    download.value.save_as(tmp_path / "answers.csv")
    assert ",Zell,20000,48.5,15.5,yes" in (tmp_path / "answers.csv").read_text("utf-8")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_graph_of_ones_own_is_asked_in_place_of_the_other(context: BrowserContext, address: str, tmp_path: Path) -> None:
    label, sees = "<http://www.w3.org/2000/01/rdf-schema#label>", "<http://e.example/sees>"
    facts = f'<http://e.example/1> {label} "Otto" ; {sees} <http://e.example/2> . <http://e.example/2> {label} "<b>Uta" .'
    (tmp_path / "own.ttl").write_text(f'{facts} {sees} {label} "best friend" .', "utf-8")
    (tmp_path / "bad.ttl").write_text("Otto sees Uta", "utf-8")
    page = opened(context, address)
    page.get_by_role("button", name="Ask a graph of your own").click()
    file = page.locator("#kb-own input[type=file]")
    file.set_input_files(tmp_path / "bad.ttl")
    expect(page.get_by_role("alert")).to_contain_text("bad.ttl cannot be read")
    assert_accessible(page)  # a file that is refused
    page.locator("#kb-own").get_by_role("button", name="Clear").click()
    file.set_input_files(tmp_path / "own.ttl")
    expect(page.locator("#kb-source")).to_contain_text("own.ttl")
    line, options = page.get_by_label("Your question"), page.get_by_role("option")
    line.press_sequentially("Who sees Ott")
    expect(options).to_have_text(["Otto"])
    options.click()
    expect(line).to_have_value("Who sees Otto")
    page.locator(".kb-examples .kb-chip:visible").click()  # made from the file
    expect(page.locator(".kb-final")).to_have_text("<b>Uta")
    expect(page.locator("#kb-copy")).to_be_hidden()
    page.locator("#kb-own").get_by_role("button", name="Clear").click()
    expect(page.locator("#kb-source")).not_to_contain_text("own.ttl")
    expect(page.locator(".kb-final")).to_be_hidden()
    other = opened(context, address)
    ask(other, LANGUAGE)
    expect(other.locator(".kb-final")).to_have_text("German <b>")
    for each in (page, other):  # what was brought is offered to nobody else, and no more
        each.get_by_label("Your question").fill("")
        with each.expect_response(re.compile("/run/predict")):
            each.get_by_label("Your question").press_sequentially("Who sees Ott")
        settle(each)
        expect(each.get_by_role("listbox")).to_be_hidden()


def test_a_question_about_ones_own_graph_is_not_asked_of_another_after_a_reload(
    context: BrowserContext, address: str, tmp_path: Path
) -> None:
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    (tmp_path / "own.ttl").write_text(f'<http://e.example/1> {label} "Otto" ; <http://e.example/sees> 1 .', "utf-8")
    page = opened(context, address)
    page.evaluate("localStorage.clear()")
    ask(page, LANGUAGE)
    until(page, "location.href.includes('kb=')")
    page.get_by_role("button", name="Ask a graph of your own").click()
    page.locator("#kb-own input[type=file]").set_input_files(tmp_path / "own.ttl")
    expect(page.locator("#kb-source")).to_contain_text("own.ttl")
    until(page, "!location.href.includes('kb=')")  # what stood there was asked of the other graph
    page.route("**/queue/join*", lambda route: route.abort())  # the page is loaded again before there is an answer
    ask(page, f"{LANGUAGE} Now?")
    page.unroute("**/queue/join*")
    page.reload()
    page.get_by_role("tab", name="Ask a knowledge base").click()
    expect(page.locator(".kb-refused")).to_contain_text("asked of a graph of your own, which is gone")
    expect(page.locator(".kb-refused")).to_contain_text(f"{LANGUAGE} Now?")
    expect(page.get_by_label("Your question")).to_have_value(f"{LANGUAGE} Now?")
    expect(page.locator(".kb-final")).to_have_count(0)
    assert "Now" not in page.evaluate("localStorage['parley-kb-questions'] ?? ''")
    assert "kb=" not in page.url
    assert_accessible(page)
    ask(page, LANGUAGE)  # another one, and its answer stays
    expect(page.locator(".kb-final")).to_have_text("German <b>")
    page.reload()
    page.get_by_role("tab", name="Ask a knowledge base").click()
    expect(page.locator(".kb-final")).to_have_text("German <b>")
    expect(page.locator(".kb-refused")).to_have_count(0)


def test_an_answered_question_about_ones_own_graph_is_not_answered_from_another_after_a_reload(
    context: BrowserContext, address: str, tmp_path: Path
) -> None:
    label, sees = "<http://www.w3.org/2000/01/rdf-schema#label>", "<http://e.example/sees>"
    facts = f'<http://e.example/1> {label} "Otto" ; {sees} <http://e.example/2> . <http://e.example/2> {label} "Uta" .'
    (tmp_path / "own.ttl").write_text(f'{facts} {sees} {label} "best friend" .', "utf-8")
    page = opened(context, address)
    page.get_by_role("button", name="Ask a graph of your own").click()
    page.locator("#kb-own input[type=file]").set_input_files(tmp_path / "own.ttl")
    page.locator(".kb-examples .kb-chip:visible", has_text="Otto").click()
    expect(page.locator(".kb-final")).to_have_text("Uta")
    until(page, "(sessionStorage['parley-kb-own'] ?? '').includes('Otto')")
    page.reload()
    page.get_by_role("tab", name="Ask a knowledge base").click()
    expect(page.locator(".kb-refused")).to_contain_text("Otto")
    expect(page.locator(".kb-refused")).to_contain_text("asked of a graph of your own, which is gone")
    expect(page.locator(".kb-final")).to_have_count(0)


def test_a_refused_query_is_not_taken_for_the_one_that_was_answered(context: BrowserContext, address: str) -> None:
    page = opened(context, address)
    ask(page, LANGUAGE)
    expect(page.locator(".kb-final")).to_have_text("German <b>")
    page.get_by_role("button", name="Start from SPARQL").click()
    page.get_by_label("SPARQL query").fill("ASK { ?x }")
    page.get_by_role("button", name="Show steps and answers").click()
    expect(page.locator("#kb-status")).to_contain_text("The query that you pasted")
    expect(page.get_by_text("Below is still the answer to:")).to_be_visible()
