"""Pages of a real browser: how long they wait for a state, when nothing more comes, and who can use them."""

from typing import Any

# Milliseconds. Only a state that never comes takes so long, however busy the computer is.
PATIENCE = 300_000

# Milliseconds between two looks at a page. By itself, playwright looks whenever a frame is drawn, and what asks for the text of
# an element has the page laid out each time: a page that waits would keep a core busy, and so delay what it waits for.
LOOK_EVERY = 100

# Animations end, then a picture that cannot be loaded fails as those before it did, then two frames are drawn.
SETTLED = """async () => {
  const moving = document.getAnimations().filter((each) => each.playState === "running");
  const ending = moving.filter((each) => Number.isFinite(each.effect?.getComputedTiming().endTime));
  await Promise.allSettled([document.fonts.ready, ...ending.map((each) => each.finished)]);
  await new Promise((done) => {
    const missing = new Image();
    missing.onerror = () => requestAnimationFrame(() => requestAnimationFrame(done));
    missing.src = "/no-such-picture.png";
  });
}"""


# Colours that are on their way to others have any contrast.
STILL = """() => Promise.allSettled(document.getAnimations()
  .filter(each => each.effect && each.effect.getComputedTiming().endTime !== Infinity).map(each => each.finished))"""


def settle(page: Any) -> None:
    """Wait until what the page was about to load, run or lay out has come, to see what has not happened by then."""
    page.evaluate(SETTLED)


def until(page: Any, script: str, arg: Any = None) -> None:
    """Wait until a script, which may be a function of `arg`, says so of the page."""
    page.wait_for_function(script, arg=arg, polling=LOOK_EVERY)


def state_of(page: Any) -> str:
    """What a page shows, for the report of a test that failed."""
    try:
        text = page.locator("body").inner_text(timeout=10_000)
        return f"{page.url}\nmistakes: {getattr(page, 'mistakes', None)}\n{text[:4000]}"
    except Exception as error:
        return f"The page does not answer: {error!r}"


def assert_accessible(page: Any) -> None:
    """Nothing that axe-core calls critical or serious, in the state that the page is in."""
    from axe_playwright_python.sync_playwright import Axe

    settle(page)
    page.evaluate(STILL)
    violations = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    grave = [one for one in violations if one["impact"] in ("critical", "serious")]
    assert not grave, [(one["id"], one["help"], [node["html"][:200] for node in one["nodes"]]) for one in grave]


# What a person asked can be drawn some time before what answers it, and that may say first that it is being worked on. The
# rows above can be those of a conversation that only now comes back.
ANSWERED = """([before, question]) => {
  const rows = [...document.querySelectorAll("#ttm-chat .user-row, #ttm-chat .bot-row")];
  const asked = rows.filter((row) => row.matches(".user-row"));
  return asked.length > before && asked.at(-1).textContent.includes(question) && rows.at(-1).matches(".bot-row")
    && rows.at(-1).innerText.trim() && !document.querySelector("#ttm-chat .ttm-pending");
}"""


def ask_chat(page: Any, question: str) -> Any:
    """Type a question into the chat about a model, press Enter and wait for the answer, which comes back."""
    before = page.locator("#ttm-chat .user-row").count()
    composer = page.locator("#ttm-composer textarea")
    composer.fill(question)
    composer.press("Enter")
    until(page, ANSWERED, arg=[before, question])
    return last_answer(page)


def last_answer(page: Any) -> Any:
    return page.locator("#ttm-chat .bot-row").last
