"""What a person typed and asked stays, whatever happens meanwhile: answers, reloads, another data set, a new server."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

import ttm.ui
from backend.network.guards import guards
from backend.network.page_files.page_files import component_kinds
from backend.program.settings import Settings
from parley import app
from tests.browser_pages import assert_accessible, settle, until
from tests.served_app import serving
from ttm.operations.execution_engine import ExecutionEngine

pytestmark = pytest.mark.browser

LARGEST = 10_000_000  # bytes of a request
SIZES = {"desk": {"viewport": {"width": 1440, "height": 900}},
         "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}}  # fmt: skip
FIRST, SECOND, THIRD = "how many people have age above 50?", "how many people are there?", "what does bmi mean?"
NEXT = "and this I type meanwhile"


@pytest.fixture(scope="module")
def gate() -> Iterator[threading.Event]:
    """While it is cleared, no question of the chat is answered."""
    opened = threading.Event()
    opened.set()
    execute = ExecutionEngine.execute

    def waiting(*args: Any, **options: Any) -> Any:
        assert opened.wait(120)
        return execute(*args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ExecutionEngine, "execute", waiting)
        yield opened
        opened.set()


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, gate: threading.Event) -> Iterator[str]:
    """The chat alone, behind what stands before the app where it is served: what a page asks has to pass there too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "TABS", {label: build for label, build in app.TABS.items() if build is ttm.ui.build})
        built = app.build(Settings(data_dir=tmp_path_factory.mktemp("parley")))
    with serving(built, app_kwargs=guards(LARGEST, LARGEST, components=component_kinds(built))) as url:
        yield url


ON_BOTH_SIZES = pytest.mark.parametrize("size", SIZES)


@pytest.fixture
def size() -> str:
    return "desk"


@pytest.fixture(scope="module")
def contexts(browser: Any) -> Iterator[dict[str, Any]]:
    """One browser for all tests of a size, so that it knows the scripts of the page already."""
    contexts = {size: browser.new_context(**options) for size, options in SIZES.items()}
    yield contexts
    for context in contexts.values():
        context.close()


@pytest.fixture
def page(size: str, contexts: dict[str, Any], url: str, gate: threading.Event) -> Iterator[Any]:
    """A new tab, of a browser that has kept nothing from the tabs before it."""
    page = contexts[size].new_page()
    # Here, and not at the end: a tab that is being closed may keep something once more.
    tools = contexts[size].new_cdp_session(page)
    tools.send("Storage.clearDataForOrigin", {"origin": url.rstrip("/"), "storageTypes": "local_storage"})
    page.mistakes = []
    page.on("pageerror", lambda error: page.mistakes.append(str(error)))
    page.goto(url)
    _begun(page)
    yield page
    gate.set()
    assert page.mistakes == []
    page.close()


def _begun(page: Any) -> None:
    page.wait_for_selector("#ttm-chat .bot-row .js-plotly-plot")


def _send(page: Any, question: str) -> None:
    line = page.locator("#ttm-composer textarea")
    line.fill(question)
    line.press("Enter")
    until(page, "(question) => document.querySelector('#ttm-chat').innerText.includes(question)", arg=question)


def _answered(page: Any, count: int) -> None:
    until(
        page,
        "(count) => document.querySelectorAll('#ttm-chat [data-ttm=pin]').length === count"
        " && !document.querySelector('#ttm-chat .ttm-pending')",
        arg=count,
    )


def _kept(page: Any, count: int) -> None:
    """Wait until the browser keeps a conversation with so many turns."""
    until(
        page,
        "(count) => Object.keys(localStorage).filter((key) => key.startsWith('parley-chat:'))"
        ".some((key) => JSON.parse(localStorage[key]).turns.length === count)",
        arg=count,
    )


def _asked(page: Any) -> list[str]:
    return [text.strip() for text in page.locator("#ttm-chat [data-testid=user]").all_inner_texts()]


def _line(page: Any) -> str:
    return str(page.locator("#ttm-composer textarea").input_value())


def _open_side(page: Any, tab: str) -> None:
    page.locator("#ttm-side [role=tab]", has_text=tab).click()


def _keep_two_chats(page: Any) -> None:
    """Ask FIRST in one conversation and SECOND in a new one, and open the list of both."""
    _send(page, FIRST)
    _answered(page, 1)
    _kept(page, 1)
    page.locator("#ttm-restart").click()
    _answered(page, 0)
    _send(page, SECOND)
    _answered(page, 1)
    _open_side(page, "Chats")
    until(page, "document.querySelectorAll('.ttm-chat-list li').length === 2")


@ON_BOTH_SIZES
def test_what_is_typed_and_asked_during_an_answer_stays_and_is_answered(page: Any, gate: threading.Event) -> None:
    gate.clear()
    for question in (FIRST, SECOND, THIRD):
        _send(page, question)
    page.locator("#ttm-composer textarea").press_sequentially(NEXT)
    assert _asked(page) == [FIRST, SECOND, THIRD]
    assert page.locator("#ttm-chat .ttm-waiting").count() == 2
    gate.set()
    _answered(page, 3)
    assert _asked(page) == [FIRST, SECOND, THIRD]
    assert _line(page) == NEXT


def test_stop_keeps_the_question_in_sight_and_goes_on_with_the_next(page: Any, gate: threading.Event) -> None:
    gate.clear()
    _send(page, FIRST)
    _send(page, SECOND)
    page.locator("#ttm-stop").click()
    page.wait_for_selector("#ttm-chat .ttm-unanswered")
    assert_accessible(page)  # one question stopped, one being answered
    gate.set()
    _answered(page, 1)
    assert _asked(page) == [SECOND, FIRST]
    page.locator("#ttm-composer textarea").fill(NEXT)
    page.locator("#ttm-chat [data-ttm=change]").click()
    until(page, "document.querySelector('#ttm-composer textarea').value.includes('\\n')")
    assert _line(page) == f"{FIRST}\n{NEXT}"
    assert page.locator("#ttm-stop").is_hidden()


def test_a_question_that_waits_can_be_taken_back(page: Any, gate: threading.Event) -> None:
    gate.clear()
    _send(page, FIRST)
    _send(page, SECOND)
    page.locator("#ttm-chat [data-ttm=takeback]").click()
    page.wait_for_selector("#ttm-chat .ttm-unanswered")
    gate.set()
    _answered(page, 1)
    page.locator("#ttm-chat [data-ttm=again]").click()
    _answered(page, 2)
    assert _asked(page) == [FIRST, SECOND]


@ON_BOTH_SIZES
def test_an_answer_begins_at_the_top_of_the_window_and_whoever_scrolls_is_left_alone(page: Any, gate: threading.Event) -> None:
    for count, question in enumerate((FIRST, "distribution of age"), 1):
        _send(page, question)
        _answered(page, count)
    until(page, "() => [...document.querySelectorAll('#ttm-chat .bot-row')].at(-1).querySelector('.js-plotly-plot .main-svg')")
    # At the top, or as far up as the page goes: then everything that follows is in sight.
    until(
        page,
        "() => { const top = [...document.querySelectorAll('#ttm-chat .user-row')].at(-1).getBoundingClientRect().top;"
        " const end = document.documentElement.scrollHeight - innerHeight - scrollY;"
        " return top >= 0 && (top < 16 || end < 2); }",
    )
    assert page.locator("#ttm-composer").bounding_box()["y"] < page.viewport_size["height"]
    gate.clear()
    _send(page, THIRD)
    page.mouse.wheel(0, -600)
    until(page, "() => [...document.querySelectorAll('#ttm-chat .user-row')].at(-1).getBoundingClientRect().top > 16")
    settle(page)
    before = page.evaluate("scrollY")
    gate.set()
    _answered(page, 3)
    settle(page)
    assert page.evaluate("scrollY") == before


@ON_BOTH_SIZES
def test_a_conversation_survives_a_reload_with_a_question_that_was_pending(page: Any, gate: threading.Event) -> None:
    _send(page, FIRST)
    _answered(page, 1)
    page.locator("#ttm-chat [data-ttm=pin]").click()
    until(page, "JSON.stringify(localStorage).includes('pinned\\\\\":[0]')")
    gate.clear()
    _send(page, "what does the model predict for these people?")
    until(page, "JSON.stringify(localStorage).includes('these people')")
    page.locator("#ttm-composer textarea").fill(NEXT)
    until(page, "(draft) => sessionStorage.getItem('parley-chat-draft') === draft", arg=NEXT)
    page.reload()
    gate.set()
    _answered(page, 2)
    assert "above 50" in page.locator("#ttm-chat .bot-row").last.inner_text()
    _open_side(page, "Pinned")
    page.locator("#ttm-pins", has_text=FIRST).wait_for()
    until(page, "(draft) => document.querySelector('#ttm-composer textarea')?.value === draft", arg=NEXT)


def test_what_a_page_is_sent_late_does_not_hide_an_answer(page: Any, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first event of a page looks at the conversation before a question and ends after its answer."""
    late, card = threading.Event(), ttm.ui.card

    def card_at_last(subject: Any) -> str:
        assert late.wait(120)
        return card(subject)

    monkeypatch.setattr(ttm.ui, "card", card_at_last)
    page.goto(url)
    page.locator("#ttm-composer textarea").fill(SECOND)
    page.locator("#ttm-send").click()
    _answered(page, 1)
    late.set()
    page.locator("#ttm-about", has_text="Diabetes").wait_for()
    _answered(page, 1)


def test_new_chat_and_another_data_set_can_be_undone(page: Any) -> None:
    _send(page, FIRST)
    _answered(page, 1)
    _kept(page, 1)
    page.locator("#ttm-restart").click()
    page.locator("#parley-note button", has_text="Undo").click()
    _answered(page, 1)
    page.locator("#ttm-dataset input").click()
    page.get_by_role("option", name="German credit").click()
    page.locator("#parley-note button", has_text="Undo").click()
    until(page, "document.querySelector('#ttm-dataset input').value.includes('Diabetes')")
    _answered(page, 1)
    assert _asked(page) == [FIRST]


@ON_BOTH_SIZES
def test_the_list_opens_renames_and_deletes(page: Any) -> None:
    _keep_two_chats(page)
    assert_accessible(page)  # the list of conversations
    items = page.locator(".ttm-chat-list li")
    items.last.locator("button", has_text="Rename").click()
    page.locator(".ttm-chat-list input").fill("The old ones")
    page.keyboard.press("Enter")
    page.locator(".ttm-chat-title", has_text="The old ones").click()
    until(page, "(text) => document.querySelector('#ttm-chat').innerText.includes(text)", arg=FIRST)
    _answered(page, 1)
    items.filter(has_text=SECOND).locator("button", has_text="Delete").click()
    until(page, "document.querySelectorAll('.ttm-chat-list li').length === 1")
    page.locator("#parley-note button", has_text="Undo").click()
    until(page, "document.querySelectorAll('.ttm-chat-list li').length === 2")


def test_a_deletion_can_be_undone_while_another_conversation_is_opened(page: Any) -> None:
    """The page is told last of the conversation that it shows, and a deletion may come before."""
    _keep_two_chats(page)
    page.evaluate("""() => {
        const keep = window.ttmKeep, late = [];
        window.ttmKeep = (text) => late.push(text);
        window.releaseLate = () => { window.ttmKeep = keep; late.forEach(keep); };
        window.newChats = 0;
        document.getElementById("ttm-restart").addEventListener("click", () => window.newChats++);
    }""")
    page.locator(".ttm-chat-title", has_text=FIRST).click()
    until(page, "(text) => document.querySelector('#ttm-chat').innerText.includes(text)", arg=FIRST)
    page.locator(".ttm-chat-list li").filter(has_text=SECOND).locator("button", has_text="Delete").click()
    assert page.evaluate("window.newChats") == 0
    page.evaluate("window.releaseLate()")
    page.locator("#parley-note button", has_text="Undo").click()
    until(page, "document.querySelectorAll('.ttm-chat-list li').length === 2")
    _answered(page, 1)
    assert _asked(page) == [FIRST]


def test_an_address_opens_a_data_set_and_asks_questions(page: Any, url: str) -> None:
    page.goto(f"{url}?dataset=german&q=how+many+people+are+there%3F&q=how+many+people+have+age+above+50%3F")
    _answered(page, 2)
    assert "German" in page.locator("#ttm-dataset input").input_value()
    assert _asked(page) == [SECOND, "how many people have age above 50?"]
    assert "dataset=german" in page.url
    assert "q=" not in page.url
