"""The chat as a person meets it: a real browser, the whole app, real clicks and keys."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.program.settings import Settings
from parley import app
from tests.browser_pages import ask_chat, assert_accessible, last_answer, settle, until
from tests.served_app import serving

pytestmark = pytest.mark.browser

TEN_QUESTIONS = (
    "how many people have age above 50?",
    "what does the model predict for these people?",
    "how accurate is the model?",
    "why does the model predict this for id 5?",
    "what if glucose were increased by 20 for id 5?",
    "what are the 3 most important features?",
    "how is age distributed?",
    "show me the data for id 7",
    "what does bmi mean?",
    "how many people are there?",
)
NASTY = """<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> *how* many ${window.hacked=1}?"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("parley"))
    blocks = app.build(settings)
    with serving(blocks, app_kwargs=app.guarded(blocks, settings)) as url:
        yield url


@pytest.fixture(scope="module")
def context(browser: Any) -> Iterator[Any]:
    """One browser for all tests of this file, so that it knows the scripts of the page already."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, accept_downloads=True)
    yield context
    context.close()


@pytest.fixture
def page(context: Any, url: str) -> Iterator[Any]:
    """A new tab, of a browser that has kept nothing from the tabs before it."""
    page = _opened(context, url)
    yield page
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    for tab in context.pages:
        tab.close()


def _opened(context: Any, url: str) -> Any:
    """A tab in which the opening message is shown; a mistake in a script of ours fails the test."""
    page = context.new_page()
    page.mistakes = []
    page.on("pageerror", lambda error: page.mistakes.append(str(error)))
    page.goto(url)
    page.wait_for_selector("#ttm-chat .bot-row .js-plotly-plot")
    return page


def test_the_first_page_with_a_figure_takes_few_requests_and_little(browser: Any, url: str) -> None:
    """In a browser that knows nothing yet. Modules made of the file in which they came are no requests."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page, sizes, asked = context.new_page(), list[float](), list[str]()
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    network.on("Network.requestWillBeSent", lambda event: asked.append(event["request"]["url"]))
    network.on("Network.dataReceived", lambda event: sizes.append(event["encodedDataLength"]))
    page.goto(url)
    page.wait_for_selector("#ttm-chat .js-plotly-plot .main-svg")
    settle(page)
    over_network = [one for one in asked if one.startswith(url)]
    assert 10 < len(over_network) <= 60
    assert 500_000 < sum(sizes) <= 1_600_000
    assert not [one for one in over_network if "/core-" in one], "the modules came together"
    padding = page.locator("#parts [role=tab]").first.evaluate("(tab) => parseFloat(getComputedStyle(tab).paddingLeft)")
    assert padding > 8, "styles of components come after the sheet of the page, which sets them back"
    context.close()


def test_ten_turns_with_a_figure_a_pin_a_correction_and_an_export(page: Any) -> None:
    for question in TEN_QUESTIONS:
        ask_chat(page, question)
    assert page.locator("#ttm-chat .user-row").count() == 10
    answers = page.locator("#ttm-chat .bot-row").all_inner_texts()[1:]
    assert all("Understood as" in answer or "Did you mean" in answer for answer in answers)
    assert page.locator("#ttm-chat .js-plotly-plot").count() >= 3
    assert page.locator("#ttm-chat table").count() >= 1
    _correct_the_first_answer(page)
    _pin_the_last_answer(page)
    _save_everything(page)
    assert page.mistakes == []


def _correct_the_first_answer(page: Any) -> None:
    page.locator("#ttm-chat [data-ttm=correct]").first.click()
    assert "without your name" in page.locator("#ttm-correction-kept").inner_text()
    page.locator("#ttm-correct-words textarea").fill("only those with bmi above 30")
    page.locator("#ttm-understand").click()
    until(page, "document.querySelector('#ttm-meaning')?.innerText.includes('BMI above 30')")
    page.locator("#ttm-advanced button").first.click()
    page.locator("#ttm-steps label", has_text="above 50").click()
    step = page.locator("#ttm-step textarea")
    until(page, "document.querySelector('#ttm-step textarea')?.value.includes('age greater than 50')")
    step.fill("filter age greater than nonsense")
    page.locator("#ttm-replace").click()
    page.wait_for_selector("#ttm-meaning .ttm-invalid")
    assert "a number" in page.locator("#ttm-meaning").inner_text()
    step.fill("filter age greater than 60")
    page.locator("#ttm-replace").click()
    page.wait_for_selector("#ttm-meaning .ttm-valid")
    page.locator("#ttm-answer-again").click()
    until(page, "document.querySelector('#ttm-chat').innerText.includes('You chose')")
    assert "above 60" in page.locator("#ttm-chat .bot-row").nth(1).inner_text()


def _pin_the_last_answer(page: Any) -> None:
    page.locator("#ttm-chat [data-ttm=pin]").last.click()
    page.locator("#ttm-side [role=tab]", has_text="Pinned").click()
    page.wait_for_selector("#ttm-pins .ttm-pin")
    assert TEN_QUESTIONS[-1] in page.locator("#ttm-pins").inner_text()


def _save_everything(page: Any) -> None:
    for kind in ("html", "md", "json"):
        with page.expect_download() as waiting:
            page.locator(f"#ttm-save-{kind}").click()
        download = waiting.value
        assert download.suggested_filename == f"parley-diabetes.{kind}"
        text = Path(download.path()).read_text("utf-8")
        assert TEN_QUESTIONS[0] in text
        if kind == "json":
            assert len(json.loads(text)["turns"]) == 10


def test_a_second_tab_has_a_conversation_of_its_own(page: Any, url: str) -> None:
    ask_chat(page, "how many people have age above 50?")
    other = _opened(page.context, url)
    assert other.locator("#ttm-chat .user-row").count() == 0
    ask_chat(other, "how many people have age above 30?")
    ask_chat(page, "what does the model predict for these people?")
    assert "above 50" in last_answer(page).inner_text()
    assert page.locator("#ttm-chat .user-row").count() == 2
    assert other.locator("#ttm-chat .user-row").count() == 1


def test_a_message_with_a_script_in_it_is_shown_and_not_run(page: Any) -> None:
    ask_chat(page, NASTY)
    assert page.locator("#ttm-chat .user-row").last.locator("[data-testid=user]").inner_text().strip() == NASTY
    assert_accessible(page)  # in doubt, with readings to choose from
    page.locator("#ttm-chat [data-ttm=correct], #ttm-chat [data-ttm=choose]").last.click()
    settle(page)
    assert page.evaluate("window.hacked") is None
    assert page.locator("#ttm-chat img[src=x]").count() == 0


def test_editing_a_question_continues_from_there(page: Any) -> None:
    ask_chat(page, "how many people have age above 50?")
    ask_chat(page, "how many people are there?")
    page.locator("#ttm-chat .user-row").first.hover()
    page.locator("#ttm-chat button[aria-label=Edit]").first.click()
    page.locator("#ttm-chat .user-row textarea").fill("how many people have age above 40?")
    page.locator("#ttm-chat button[aria-label=Submit]").click()
    until(page, "document.querySelector('#ttm-chat').innerText.includes('above 40 years')")
    assert page.locator("#ttm-chat .user-row").count() == 2


def test_everything_goes_by_keyboard(page: Any) -> None:
    ask_chat(page, "how many people have age above 50?")
    page.locator("#ttm-chat").click(position={"x": 5, "y": 5})
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.closest('#ttm-composer') !== null")
    page.keyboard.press("ArrowUp")
    assert page.locator("#ttm-composer textarea").input_value() == "how many people have age above 50?"
    page.locator("#ttm-composer textarea").fill("")
    page.keyboard.press("Alt+p")
    page.wait_for_selector("#ttm-chat [data-ttm=pin][aria-pressed=true]")
    page.keyboard.press("Alt+z")
    until(page, "document.querySelectorAll('#ttm-chat .user-row').length === 0")
    assert page.locator("#ttm-composer textarea").input_value() == "how many people have age above 50?"
    page.locator("#ttm-composer textarea").press("Shift+Enter")
    assert page.locator("#ttm-composer textarea").input_value().endswith("\n")


def test_proposals_and_help_lead_to_answers(page: Any) -> None:
    page.locator("#ttm-chat .ttm-starters button").last.click()
    page.wait_for_selector("#ttm-chat [data-ttm=pin]")
    page.locator(".ttm-chip", has_text="The data").click()
    until(page, "document.querySelector('#ttm-composer textarea').value.length > 5")
    page.locator("#ttm-send").click()
    until(page, "document.querySelectorAll('#ttm-chat [data-ttm=pin]').length === 2")


def test_a_row_is_found_and_asked_about(page: Any) -> None:
    page.locator("#ttm-browse button").first.click()
    page.locator("#ttm-filter").locator("input, textarea").fill("age > 60")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#ttm-browse').innerText.match(/\\d of 308 rows/)")
    page.locator("#ttm-rows [role=gridcell][tabindex='0']:visible").press("Enter")
    page.locator(".ttm-row-questions button:enabled", has_text="Prediction").wait_for()
    assert_accessible(page)
    page.locator(".ttm-row-questions button", has_text="Prediction").click()
    page.wait_for_selector("#ttm-chat [data-ttm=pin]")
    assert "What does the model predict for id" in page.locator("#ttm-chat .user-row").inner_text()


def test_a_refusal_stands_beside_what_was_pressed_until_something_else_is_done(page: Any) -> None:
    page.locator("#ttm-browse button").first.click()
    page.locator("#ttm-filter").locator("input, textarea").fill("age > old")
    page.keyboard.press("Enter")
    page.locator("#ttm-browse [role=alert]", has_text="age is a number").wait_for()
    page.locator("#ttm-browse [role=tab]", has_text="Beside a second table").click()
    page.locator("#ttm-second-drift").click()
    refusal = page.locator(".row:has(#ttm-second-drift) + #parley-message[role=alert]")
    refusal.wait_for()
    assert refusal.inner_text() == "Choose a CSV file with the same columns first."
    assert page.locator(".toast-body:visible").count() == 0
    assert_accessible(page)
    page.locator("#ttm-browse [role=tab]", has_text="As a table").click()
    assert page.locator("#parley-message").count() == 0
    assert page.locator("#ttm-rows [data-testid^=cell-]:visible").count() > 0, "the rows from before stay"


def test_values_of_a_row_are_moved_beside_the_chat_and_then_asked_about(page: Any) -> None:
    ask_chat(page, "what if glucose were 150 for id 5?")
    page.locator("[data-ttm=whatif]").last.click()
    glucose = page.locator(".ttm-field input[name=glucose]")
    glucose.wait_for()
    assert glucose.input_value() == "150", "the panel opens with the change of the question"
    page.locator(".ttm-field input[name=bmi]").fill("45.5")
    until(page, "document.querySelector('#ttm-case-outcome')?.innerText.includes('both together')")
    shown = page.locator(".ttm-bar-value strong").inner_text()
    page.locator("[data-ttm=askcase]").first.click()
    until(page, "document.querySelectorAll('#ttm-chat [data-ttm=pin]').length === 2")
    assert "if glucose were set to 150" in page.locator("#ttm-chat .user-row").last.inner_text()
    ask_chat(page, "how likely is it that they have diabetes?")
    assert shown in last_answer(page).inner_text(), "words and mouse give the same figure"
    page.locator("[data-case-reset]").click()
    until(page, "document.querySelector('#ttm-case-outcome').innerText.includes('Nothing is changed yet')")
    assert_accessible(page)
    assert page.mistakes == []


def test_a_threshold_slides_beside_the_chat_and_in_its_answer(page: Any) -> None:
    page.locator("#ttm-side [role=tab]", has_text="Threshold").click()
    page.locator("#ttm-threshold input[type=range]").fill("31")
    shown = page.locator("#ttm-threshold [data-cell]").all_inner_texts()
    page.locator("#ttm-threshold [data-ttm=askthreshold]").click()
    page.wait_for_selector("#ttm-chat [data-ttm=pin]")
    assert "threshold of 0.31" in page.locator("#ttm-chat .user-row").inner_text()
    slider = page.locator("#ttm-chat .ttm-threshold")
    assert slider.locator("[data-cell]").all_inner_texts() == shown
    assert f"Accuracy would be {shown[4]}" in last_answer(page).inner_text()
    slider.locator("input[type=range]").press("ArrowRight")
    assert slider.locator("output").first.inner_text() == "0.32"
    assert slider.locator("[data-cell]").all_inner_texts() != shown
    assert_accessible(page)
    assert page.mistakes == []


def test_points_are_clicked_and_framed_and_then_asked_about(page: Any) -> None:
    page.locator("#ttm-browse button").first.click()
    page.locator("#ttm-browse [role=tab]", has_text="As points").click()
    page.wait_for_selector("#ttm-points .js-plotly-plot[data-choosable] .points path")
    settle(page)
    area = page.locator("#ttm-points .nsewdrag")
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] * 0.3, steps=3)
    page.mouse.up()
    count = int(page.locator("#ttm-chosen span").inner_text().split()[0])
    assert_accessible(page)
    page.locator("#ttm-chosen button", has_text="Predictions").click()
    page.wait_for_selector("#ttm-chat [data-ttm=pin]")
    assert "does the model predict for the instances with ids" in page.locator("#ttm-chat .user-row").inner_text()
    assert f"({count} of 308)" in last_answer(page).inner_text()
    assert page.locator("#ttm-chosen").count() == 0
    ask_chat(page, "what are the 3 most important features for these people?")
    assert f"({count} of 308)" in last_answer(page).inner_text(), "what was chosen by mouse is spoken of in words"
    assert page.mistakes == []


def _middle_of(page: Any, figure: Any, part: str, index: int = 0) -> tuple[float, float]:
    """Where on the page the middle of a bar of a figure is, once it is in sight."""
    figure.scroll_into_view_if_needed()
    settle(page)
    box = figure.locator(part).nth(index).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_bars_are_clicked_and_their_rows_get_a_name_that_outlives_a_reload(page: Any) -> None:
    ask_chat(page, "how is age distributed?")
    figure = last_answer(page).locator(".js-plotly-plot[data-askable]")
    figure.wait_for()
    while not page.locator("#ttm-chosen").count():  # the answer may still be scrolling to its question
        page.mouse.click(*_middle_of(page, figure, ".bars .point path", 1))
        settle(page)
    page.locator("#ttm-chosen button", has_text="Show them").click()
    until(page, "document.querySelectorAll('#ttm-chat [data-ttm=pin]').length === 2")
    assert "Show people with age of at least" in page.locator("#ttm-chat .user-row").last.inner_text()
    page.locator("#ttm-side [role=tab]", has_text="Groups").click()
    page.locator("#ttm-group-name").locator("input, textarea").fill("The Second Bar")
    page.locator("#ttm-group-keep").click()
    group = page.locator("#ttm-groups li")
    group.wait_for()
    rows = group.inner_text()
    assert "the second bar" in rows
    page.locator("#ttm-restart").click()
    page.reload()  # at once, which does not bring the old conversation back
    page.wait_for_selector("#ttm-chat .bot-row .js-plotly-plot")
    ask_chat(page, "how many people in the second bar are there?")
    assert rows.split("· ")[1].split(" of")[0] in last_answer(page).inner_text()
    page.locator("#ttm-side [role=tab]", has_text="Groups").click()
    page.locator("#ttm-groups [data-ttm=forgetgroup]").click()
    until(page, "!Object.keys(localStorage).some((key) => key.startsWith('parley-groups'))")
    assert page.mistakes == []


def test_two_models_are_chosen_by_mouse_and_asked_for_in_words(page: Any) -> None:
    page.locator("#ttm-side [role=tab]", has_text="Models").click()
    page.locator("#ttm-other-model label", has_text="decision tree").click()
    page.locator("#ttm-models-ask").click()
    page.wait_for_selector("#ttm-chat [data-ttm=pin]")
    by_mouse = last_answer(page).locator("table").first.inner_text()
    assert "one small decision tree" in by_mouse
    ask_chat(page, "compare the model with one small decision tree")
    assert last_answer(page).locator("table").first.inner_text() == by_mouse
    assert_accessible(page)
    page.locator("#ttm-models-row").locator("input, textarea").fill("5")
    page.locator("#ttm-models-ask").click()
    until(page, "document.querySelectorAll('#ttm-chat [data-ttm=pin]').length === 3")
    assert "id 5, both models predict" in last_answer(page).inner_text()
    assert page.mistakes == []


def test_a_report_is_saved_as_one_page_that_asks_nothing_of_a_server(page: Any, tmp_path: Path) -> None:
    ask_chat(page, "how many people have age above 50?")
    with page.expect_download() as waiting:
        page.locator("#ttm-save-report").click()
    assert waiting.value.suggested_filename == "parley-report-diabetes.html"
    waiting.value.save_as(tmp_path / "report.html")
    report = page.context.new_page()
    requests: list[str] = []
    report.on("request", lambda request: requests.append(request.url))
    report.goto((tmp_path / "report.html").as_uri())
    report.wait_for_selector(".js-plotly-plot .main-svg")
    words = report.inner_text("body")
    assert all(part in words for part in ("Scores", "Importance", "Errors", "how many people have age above 50?"))
    assert len(requests) == 1
    assert_accessible(report)


def test_a_verdict_asks_for_a_comment(page: Any) -> None:
    ask_chat(page, "how many people are there?")
    page.locator("#ttm-chat button[aria-label=Dislike]").last.click()
    page.locator(".ttm-comment textarea, .ttm-comment input").fill("I wanted a percentage.")
    assert_accessible(page)
    page.keyboard.press("Enter")
    page.locator(".ttm-comment").wait_for(state="hidden")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_narrow_screen_never_scrolls_sideways(browser: Any, url: str, theme: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = _opened(context, f"{url}?__theme={theme}")
    ask_chat(page, "show me the data for people with age above 50")
    ask_chat(page, "why does the model predict this for id 5?")
    page.locator("#ttm-chat [data-ttm=correct]").last.click()
    page.locator("#ttm-advanced button").first.click()
    until(page, "document.querySelector('#ttm-step textarea')?.value")
    for name, shown in {"What if": ".ttm-case .ttm-field", "Threshold": "#ttm-threshold .ttm-matrix"}.items():
        page.locator("#ttm-side [role=tab]", has_text=name).click()
        page.locator(shown).first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#ttm-browse button").first.click()
    page.locator("#ttm-own button").first.click()
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.mistakes == []
    context.close()


# The contrast of WCAG 2 between a text of the first figure and the page behind it.
CONTRAST = """() => {
  const channel = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = (color) => {
    const [red, green, blue] = color.match(/[\\d.]+/g).map(Number).map(channel);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const text = getComputedStyle(document.querySelector("#ttm-chat .js-plotly-plot .xtick text")).fill;
  const page = getComputedStyle(document.querySelector("#ttm-chat .bot-row .message")).backgroundColor;
  const [light, dark] = [luminance(text), luminance(page)].sort((one, other) => other - one);
  return (light + 0.05) / (dark + 0.05);
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_figure_on_a_touch_screen_has_no_toolbar_but_a_name_and_a_table(browser: Any, url: str, theme: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, color_scheme=theme)
    page = _opened(context, f"{url}?__theme={theme}")
    figure = page.locator("#ttm-chat .js-plotly-plot[role=img]").first
    figure.wait_for()
    assert "Predicted probability" in figure.get_attribute("aria-label")
    assert page.locator("#ttm-chat .modebar-container").first.is_hidden()
    assert page.evaluate(CONTRAST) >= 4.5
    page.locator(".ttm-figure-more > summary").first.click()
    assert "0% to 5%" in page.locator(".ttm-figure-more table").first.inner_text()
    with page.expect_download() as waiting:
        page.locator("[data-ttm=picture]").first.click()
    assert waiting.value.suggested_filename.endswith(".png")
    while not page.locator("#ttm-chosen").count():
        page.touchscreen.tap(*_middle_of(page, figure, ".bars .point path", 3))
        settle(page)
    assert "15% to 20%" in page.locator("#ttm-chosen span").inner_text()
    assert page.mistakes == []
    context.close()


def test_an_unknown_part_and_an_unknown_data_set_in_an_address_are_named(page: Any, url: str) -> None:
    page.goto(f"{url}?tab=nowhere&dataset=nowhere")
    page.locator("#parley-address", has_text="the part “nowhere”").wait_for()
    page.locator("#parley-message", has_text="no data set 'nowhere'").wait_for()  # under the parts, before anything was used
    page.wait_for_selector("#ttm-chat .bot-row .js-plotly-plot")
    assert page.mistakes == []


def test_back_and_forward_move_between_the_parts(page: Any, url: str) -> None:
    page.locator("#parts > .tab-wrapper [role=tab]", has_text="Annotate").click()
    until(page, "location.search.includes('tab=annotate')")
    page.locator("#parts > .tab-wrapper [role=tab]", has_text="LLM faithfulness").click()
    page.go_back()
    chosen = "document.querySelector('#parts > .tab-wrapper [role=tab][aria-selected=true]')?.textContent.trim()"
    until(page, f"{chosen} === 'Annotate'")
    page.go_back()
    until(page, f"{chosen} === 'Chat with a model'")
    page.go_forward()
    until(page, f"{chosen} === 'Annotate'")
    page.goto(f"{url}?tab=faithfulness")
    until(page, f"{chosen} === 'LLM faithfulness'")
    settle(page)
    assert page.mistakes == []
