"""The tabs of three parts, each twice on a page that somebody else made (`ttm.ui.build` has a test of its own)."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import gradio as gr
import pytest

import annotation
import faithfulness
import inspired
from backend.program.settings import Settings
from tests.browser_pages import until
from tests.served_app import serving

pytestmark = pytest.mark.browser

QUESTION = "What is the capital of Austria?"


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> list[annotation.Study]:
    home = tmp_path_factory.mktemp("studies")
    opened = []
    for name in ("one", "two"):
        file = annotation.example(home / name) / "study.toml"
        file.write_text(re.sub(r'^title = ".*"', f'title = "Study {name}"', file.read_text("utf-8"), flags=re.M), "utf-8")
        opened.append(annotation.Study(file, data_dir=home / "data"))
    return opened


@pytest.fixture(scope="module")
def blocks(studies: list[annotation.Study], tmp_path_factory: pytest.TempPathFactory) -> gr.Blocks:
    settings = Settings(data_dir=tmp_path_factory.mktemp("runs"))
    with gr.Blocks(analytics_enabled=False) as blocks:
        for number, study in enumerate(studies, 1):
            with gr.Column(elem_id=f"page{number}"):
                inspired.ui.build()
                annotation.ui.build(study)
                faithfulness.ui.build(settings)
    return blocks


@pytest.fixture(scope="module")
def page(blocks: gr.Blocks, browser: Any) -> Iterator[Any]:
    with serving(blocks) as url:
        page = browser.new_page(viewport={"width": 1440, "height": 1000})
        page.mistakes = []
        page.on("pageerror", lambda error: page.mistakes.append(str(error)))
        page.goto(url)
        yield page
        page.close()


def test_only_the_documented_endpoints_are_listed(blocks: gr.Blocks) -> None:
    named = {re.sub(r"_1$", "", name) for name in blocks.get_api_info()["named_endpoints"]}
    assert named == {"/inspired_ask", "/inspired_correct", "/inspired_decompose", "/faithfulness_explain"}


def test_no_two_answers_are_drawn_at_the_same_time(blocks: gr.Blocks) -> None:
    """While one adds its components to the page, gradio goes through all of them for the other."""
    drawing = [fn for fn in blocks.fns.values() if fn.renderable is not None]
    assert len(drawing) == 2
    assert {(fn.concurrency_id, fn.concurrency_limit) for fn in drawing} == {("answer", 1)}


def test_a_question_is_answered_kept_and_opened_again_where_it_was_asked(page: Any) -> None:
    from playwright.sync_api import expect

    first, second = page.locator("#page1"), page.locator("#page2")
    second.locator("#kb-question textarea").fill(QUESTION)
    second.locator("#kb-ask").click()
    expect(second.locator(".kb-final")).to_contain_text("Vienna")
    expect(first.locator(".kb-final")).not_to_contain_text("Vienna")  # but the answer of its example
    expect(second.locator("#kb-before")).to_be_visible()
    expect(first.locator("#kb-before")).to_be_hidden()
    page.wait_for_url(re.compile(r"\?kb2=What"))
    page.reload()
    expect(second.locator(".kb-final")).to_contain_text("Vienna")
    expect(first.locator(".kb-final")).not_to_contain_text("Vienna")
    assert page.mistakes == []


def test_a_follow_up_is_kept_with_what_it_goes_on_from_and_can_be_asked_by_itself(page: Any) -> None:
    from playwright.sync_api import expect

    page.goto(f"{page.url.split('?')[0]}?kb2={quote(QUESTION)}")
    part = page.locator("#page2")
    expect(part.locator(".kb-final")).to_contain_text("Vienna")
    part.locator("#kb-question textarea").fill("and its population?")
    part.locator("#kb-question textarea").press("Enter")
    expect(part.locator(".kb-follow-up")).to_contain_text(f"a follow-up to “{QUESTION}”")
    people = part.locator(".kb-final").inner_text()
    page.wait_for_url(re.compile(r"\?kb2=and\+its\+population%3F&kb2-after=What"))
    page.reload()
    expect(part.locator(".kb-follow-up")).to_contain_text(QUESTION)
    expect(part.locator(".kb-final")).to_have_text(people)
    part.locator("#kb-before summary").click()
    expect(part.locator(".kb-before-title").first).to_have_text(f"{QUESTION} → and its population?")
    part.locator(".kb-before-title", has_text=re.compile(f"^{re.escape(QUESTION)}$")).click()
    page.wait_for_url(re.compile(r"\?kb2=What[^&]*$"))
    expect(part.locator(".kb-follow-up")).to_have_count(0)
    part.locator("#kb-question textarea").fill("and of Spain?")
    part.locator("#kb-question textarea").press("Enter")
    expect(part.locator(".kb-final")).to_have_text("Madrid")
    part.locator("#kb-question textarea").fill("Which of them border Poland?")
    part.locator("#kb-question textarea").press("Enter")
    expect(part.locator("#kb-answer .kb-asked")).to_have_text("Which of them border Poland?")
    part.locator("#kb-alone").click()
    expect(part.locator(".kb-final")).to_contain_text("Czechia")
    expect(part.locator(".kb-follow-up")).to_have_count(0)
    assert page.mistakes == []


def test_two_studies_have_their_own_people_and_keys(page: Any, studies: list[annotation.Study]) -> None:
    from playwright.sync_api import expect

    first, second = page.locator("#page1"), page.locator("#page2")
    person = studies[1].enrol("Ada")
    page.goto(f"{page.url.split('?')[0]}?study={studies[1].name}&worker={person.link}")
    expect(second.locator("#study-root")).to_contain_text("Study two")
    expect(second.locator("[data-door]")).to_have_count(0)
    expect(first.locator("[data-door]")).to_be_visible()
    assert page.mistakes == []


def test_runs_belong_to_the_part_in_which_they_were_started(page: Any) -> None:
    visitors = "['', 2].map((each) => localStorage.getItem(`parley-faithfulness-visitor${each}`))"
    until(page, f"{visitors}.every(Boolean)")
    kept = page.evaluate(visitors)
    assert kept[0] != kept[1]
