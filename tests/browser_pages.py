"""Pages of a real browser: how long they wait for a state, when nothing more comes, and who can use them."""

from typing import Any

# Milliseconds. Only a state that never comes takes so long, however busy the computer is.
PATIENCE = 120_000

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


def assert_accessible(page: Any) -> None:
    """Nothing that axe-core calls critical or serious, in the state that the page is in."""
    from axe_playwright_python.sync_playwright import Axe

    settle(page)
    page.evaluate(STILL)
    violations = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    grave = [one for one in violations if one["impact"] in ("critical", "serious")]
    assert not grave, [(one["id"], one["help"], [node["html"][:200] for node in one["nodes"]]) for one in grave]
