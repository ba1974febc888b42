"""A lead in a real browser: half-typed feedback stays, items go and come back, people are let in again; the account door."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import gradio as gr
import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from annotation.studies.callers import Caller, Role
from annotation.studies.files.archive import read_archive
from annotation.studies.people.sessions import begin_session
from annotation.studies.people.workers import enrol, sign_in_by_link
from annotation.studies.study import Study, open_study
from annotation.studies.work.answers import submit
from annotation.studies.work.leases import next_item
from annotation.studies.work.withdrawal import list_items
from annotation.ui import hugging_face, served
from backend.storage.database import Database
from tests.annotation.studies.small_studies import json_lines, write_study
from tests.browser_pages import assert_accessible, settle
from tests.served_app import serving

HEAD = 'title = "Anew"\ntask = "utterance_rewriting"\nitems = ["items.jsonl"]\noverlap = 2\n'
REST = "[batches]\nspot_check = 1.0\n[settings]\nrewrites = 1"
HALF = 'Half a <b>sentence</b> "and'


@pytest.fixture
def study(database: Database, tmp_path: Path) -> Study:
    items = json_lines([{"id": f"u{n}", "utterance": f"How old is {n}?"} for n in range(3)])
    return open_study(database, write_study(tmp_path / "anew", HEAD + REST, items__jsonl=items))


@pytest.fixture
def address(study: Study) -> Iterator[str]:
    with serving(served.build(study)) as address:
        yield address


def _page(browser: Browser) -> Page:
    return browser.new_context(accept_downloads=True).new_page()


def _by_link(browser: Browser, address: str, study: Study, name: str, role: Role) -> tuple[Page, Caller]:
    made, page = enrol(study, name, role), _page(browser)
    page.goto(f"{address}?study={study.name}&worker={made.link}")
    return page, sign_in_by_link(study, made.link, "here")


def _button(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def test_what_a_lead_has_half_typed_stays_over_a_reload(browser: Browser, address: str, study: Study) -> None:
    worker = sign_in_by_link(study, enrol(study, "Wim").link, "here")
    for _ in range(2):
        key = next_item(study, worker).key
        submit(study, worker, key, {"rewrite_1": f"Tell me the age of {key}"}, key, insist=True)
    page, _ = _by_link(browser, address, study, "Lea", Role.LEAD)
    _button(page, "Review").click()
    first, second = (page.locator(".study-work").nth(n) for n in range(2))
    first.get_by_label("Feedback to the worker").fill(HALF)
    second.get_by_text("Edit the answer").click()
    second.locator("[data-field=rewrite_1]").fill("What age has it?")
    page.reload()
    expect(first.get_by_label("Feedback to the worker")).to_have_value(HALF)
    expect(first.locator(".study-said").first).to_contain_text("What you had typed here is back")
    expect(second.locator("[data-field=rewrite_1]")).to_be_visible()
    expect(second.locator("[data-field=rewrite_1]")).to_have_value("What age has it?")
    assert_accessible(page)
    _button(page, "Progress").click()
    _button(page, "Review").click()
    expect(first.get_by_label("Feedback to the worker")).to_have_value(HALF)
    _button(second, "Accept with this edit").click()
    page.locator(".study-news:has-text('Saved: edited.')").wait_for()
    _button(first, "Reject").click()
    page.locator(".study-news:has-text('Saved: rejected.')").wait_for()
    left = page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('parley-typed'))")
    assert left == []
    _decides_together_and_undoes_it(page)


def test_the_page_asked_for_last_is_shown_whichever_reply_comes_last(browser: Browser, address: str, study: Study) -> None:
    page, _ = _by_link(browser, address, study, "Lea", Role.LEAD)
    _button(page, "Review").wait_for()
    held: list[Route] = []
    slow = lambda route: held.append(route) if '"progress"' in str(route.request.post_data) else route.continue_()  # noqa: E731
    page.route("**/run/study_page", slow)
    with page.expect_request("**/run/study_page"):
        _button(page, "Progress").click()
    _button(page, "Review").click()
    expect(page.locator(".study-tab.on")).to_have_text("Review")
    with page.expect_response("**/run/study_page"):
        held[0].continue_()
    settle(page)
    expect(page.locator(".study-tab.on")).to_have_text("Review")


def _decides_together_and_undoes_it(page: Page) -> None:
    """On the page of all answers, of which one is edited and one rejected."""
    _button(page, "Answers").click()
    expect(page.locator("tbody tr")).to_have_count(2)
    page.locator("select[name=state]").select_option("rejected")
    page.get_by_text("Columns").click()
    page.locator("[name=column-feedback]").check()
    _button(page, "Show").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody tr")).to_contain_text(HALF)
    assert_accessible(page)
    page.reload()
    expect(page.locator("tbody tr")).to_contain_text(HALF)
    page.get_by_label("Tick all on this page").check()
    _button(page, "Accept them").click()
    page.locator(".study-news:has-text('1 answer is accepted.')").wait_for()
    _button(page, "Undo").click()
    page.locator(".study-news:has-text('1 answer is as it was before.')").wait_for()
    expect(page.locator("tbody tr").first).to_contain_text(HALF)


def test_an_item_is_withdrawn_and_a_worker_let_in_again(browser: Browser, address: str, study: Study, tmp_path: Path) -> None:
    page, lead = _by_link(browser, address, study, "Lea", Role.LEAD)
    _button(page, "Items").click()
    row = page.locator("tr:has-text('u1')")
    row.get_by_text("Withdraw this item").click()
    row.get_by_label("Why, for the history").fill("unclear <i>")
    _button(row, "Withdraw it").click()
    page.locator(".study-news:has-text('Withdrawn')").wait_for()
    expect(row).to_contain_text("withdrawn")
    assert [each.key for each in list_items(study, lead, withdrawn=True)] == ["u1"]
    page.get_by_label("Part of an id").fill("u2")
    _button(page, "Find").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    assert_accessible(page)
    _button(page, "Withdrawn ones").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    _button(page, "Put it back").click()
    page.locator(".study-news:has-text('given out again')").wait_for()
    assert list_items(study, lead, withdrawn=True) == ()

    worker, _ = _by_link(browser, address, study, "Wim", Role.WORKER)
    expect(worker.locator("form[data-task]")).to_be_visible()
    _button(page, "People").click()
    _button(page, "Wim").click()
    page.get_by_text("End their part in the study").click()
    page.get_by_label("Why, for the worker").fill("Too fast")
    _button(page, "End their part").click()
    page.locator(".study-news:has-text('has ended')").wait_for()
    worker.reload()
    expect(worker.get_by_text("Your part in this study has ended")).to_be_visible()
    assert_accessible(page)  # somebody's page, opened by the lead
    page.locator("summary:has-text('Let them in again')").click()
    page.get_by_label("What you want to tell them").fill("Sorry & welcome <b>")
    _button(page, "Let them in again").click()
    page.locator(".study-news:has-text('They are in again')").wait_for()
    worker.reload()
    expect(worker.locator(".study-messages")).to_contain_text("Sorry & welcome <b>")
    expect(worker.locator("form[data-task]")).to_be_visible()

    _button(page, "Export").click()
    page.get_by_text("The whole study, to be read back").click()
    with page.expect_download() as saved:
        _button(page, "Save the file").click()
    saved.value.save_as(tmp_path / "whole.jsonl")
    other = Database(f"sqlite:///{tmp_path / 'other.sqlite'}")
    assert read_archive(other, (tmp_path / "whole.jsonl").read_bytes()).name == "anew"
    other.close()


def test_the_interface_under_test_is_inside_the_page(browser: Browser, database: Database, tmp_path: Path) -> None:
    items = [{"id": f"q{n}", "block": f"b{n}", "question": "How many?", "options": ["1"], "correct": "1"} for n in range(2)]
    toml = '[[settings.interfaces]]\nname = "<b>Chat</b>"\naddress = "/config"\nembedded = true\n'
    toml += '[[settings.interfaces]]\nname = "Dashboard"\naddress = "https://lab.example/board"\n'
    head = 'title = "U"\ntask = "user_study"\nitems = ["items.jsonl"]\n[settings]\ncomparisons = []\n'
    study = open_study(database, write_study(tmp_path / "anew", head + toml, items__jsonl=json_lines(items)))
    with serving(served.build(study)) as address:
        page, _ = _by_link(browser, address, study, "Wim", Role.WORKER)
        seen = set()
        for _ in range(2):
            page.locator("form[data-task]").wait_for()
            if page.locator("iframe.study-frame").count():
                seen.add("frame")
                expect(page.frame_locator("iframe.study-frame").locator("body")).to_contain_text("version")
            else:
                seen.add("link")
                opened = page.get_by_text("Open Dashboard in a new tab")
                expect(opened).to_have_attribute("href", "https://lab.example/board")
                expect(opened).to_have_attribute("rel", "noopener noreferrer")
            page.locator("input[value='1']").check()
            expect(page.locator(".study-state")).to_have_text("All changes are saved.")
            _button(page, "Hand in").click()
            page.locator(".study-news:has-text('Handed in')").wait_for()
        assert seen == {"frame", "link"}


def test_the_account_button_leads_to_hugging_face_and_back_into_the_study(
    browser: Browser, study: Study, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser's part; what the server makes of it stands in tests/annotation/ui/test_hugging_face.py."""
    monkeypatch.setattr(hugging_face, "offered", lambda: True)
    worker = sign_in_by_link(study, enrol(study, "Wim").link, "here")
    page, went, asked = _page(browser), [], []

    def provider(route: Route) -> None:
        went.append(route.request.url)
        back = parse_qs(urlsplit(route.request.url).query)["_target_url"][0]
        route.fulfill(status=200, content_type="text/html", body=f"<script>location.replace({json.dumps(back)})</script>")

    def signed_in(route: Route) -> None:
        asked.append(route.request.post_data_json)
        reply = {"ok": True, "token": begin_session(study, worker), "role": "worker", "study": study.name}
        route.fulfill(json={"data": [reply]})

    page.route("**/login/huggingface**", provider)
    page.route("**/run/study_sign_in_hugging_face", signed_in)
    page.goto(address)
    _button(page, "Sign in with Hugging Face").click()
    expect(page.locator("form[data-task]")).to_be_visible()
    assert went == [f"{address}login/huggingface?{httpx.QueryParams({'_target_url': '/?study=anew&hugging_face=yes'})}"]
    assert asked == [{"data": [{"study": "anew"}]}]
    assert page.url == address
    assert gr.LoginButton.__name__ not in page.content()
