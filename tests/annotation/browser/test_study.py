"""A study in real browsers: a worker from the link to the first batch, a lead who grades and exports, drafts that last."""

import json
import tomllib
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from playwright.sync_api import Browser, Page, Route, expect

import annotation.ui
from annotation.studies.callers import Role
from annotation.studies.figures.results import results
from annotation.studies.people.workers import Credentials, enrol
from annotation.studies.study import EXAMPLE, Study, open_study
from annotation.ui import served
from backend.program.settings import Settings
from backend.storage.database import Database, now
from inspired.dialogue.records import InspiredRecord
from tests.annotation.studies.small_studies import HandClock, write_study
from tests.browser_pages import assert_accessible
from tests.served_app import serving

ODD = '<script>document.title="gone"</script> שלום 😀 ${1+1} {{2}} "&amp;"\n  ‏العربية '
STUDY = """
title = "Steps <b>&amp;</b>"
task = "inspired_dialogue"
items = ["items.jsonl"]
instructions = "instructions.md"
[consent]
text = "consent.md"
[tutorial]
slides = "."
[quiz]
questions = "quiz.toml"
draw = 1
pass_mark = 1
wait_minutes = 10
[trial]
items = "trial.jsonl"
tasks = 1
[batches]
start = 1
spot_check = 1.0
[payment]
per_task = 0.80
"""
QUIZ = """
[[question]]
question = "Which is right?"
options = ["this <i>one</i>", "that one"]
correct = "this <i>one</i>"
explanation = "See slide 1."
"""


@pytest.fixture
def clock() -> HandClock:
    return HandClock(now())


@pytest.fixture
def study(database: Database, tmp_path: Path, clock: HandClock) -> Study:
    items = (EXAMPLE / "items.jsonl").read_text("utf-8").splitlines(keepends=True)
    trial = (EXAMPLE / "trial.jsonl").read_text("utf-8").splitlines(keepends=True)
    folder = write_study(
        tmp_path / "steps", STUDY, items__jsonl="".join(items[:2]), trial__jsonl=trial[0], quiz__toml=QUIZ,
        consent__md="# Taking part\n\n<script>document.title='gone'</script>", instructions__md="Ask *naturally*.",
    )  # fmt: skip
    return open_study(database, folder, clock)


@pytest.fixture
def address(study: Study) -> Iterator[str]:
    with serving(served.build(study)) as address:
        yield address


def _page(browser: Browser) -> Page:
    page = browser.new_context(accept_downloads=True).new_page()
    page.mistakes = []  # type: ignore[attr-defined]
    page.on("pageerror", lambda error: page.mistakes.append(str(error)))  # type: ignore[attr-defined]
    return page


def _by_link(browser: Browser, address: str, made: Credentials, study: str = "steps") -> Page:
    page = _page(browser)
    page.goto(f"{address}?study={study}&worker={made.link}")
    return page


def _button(page: Page, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def _answer(page: Page, mark: str) -> dict[str, str]:
    """Write into every box, turn by turn up to the last; what was written, by the name of its part."""
    page.locator("[data-field=sensible] input[value=yes]").check()
    written: dict[str, str] = {}
    for turn in count(1):
        expect(page.locator("form[data-task]")).to_have_attribute("data-turn", str(turn))
        now = _write_all(page, mark)
        assert not now.keys() & written.keys()
        written |= now
        if page.locator("form[data-more]").count() == 0:
            return written
        assert page.locator("[data-field=feedback]").count() == 0
        page.reload()  # nothing of a turn is lost, and the ones before stay in sight
        _expect_written(page, now)
        _hand_in(page, insist=True)
        expect(page.locator(".study-turn.agent .study-typed", has_text=next(iter(now.values())).split("\n")[0])).to_be_visible()
    return written


def _write_all(page: Page, mark: str) -> dict[str, str]:
    written = {}
    boxes = page.locator("form[data-task] textarea:visible")
    for number in range(boxes.count()):
        name = boxes.nth(number).get_attribute("data-field") or ""
        written[name] = f"{mark} {name} {ODD}"
        boxes.nth(number).fill(written[name])
    expect(page.locator(".study-state")).to_have_text("All changes are saved.")
    return written


def _hand_in(page: Page, insist: bool = False) -> None:
    """By keyboard; the rules of the study warn of wordings that are written here, and the worker insists."""
    page.locator("form[data-task] textarea:visible").last.press("Control+Enter")
    if insist:
        _button(page, "Hand in anyway").click()


def test_from_the_link_to_the_exported_record(
    browser: Browser, address: str, study: Study, clock: HandClock, tmp_path: Path
) -> None:
    lead = _by_link(browser, address, enrol(study, "Lea", Role.LEAD))
    _button(lead, "People").click()
    lead.get_by_label("Name").fill(ODD.split("\n")[0])
    _button(lead, "Add").click()
    code = lead.locator(".study-credentials dd").nth(2).inner_text()
    worker = _page(browser)
    worker.goto(address)
    worker.get_by_label("Name").fill(ODD.split("\n")[0])
    worker.get_by_label("Access code").fill("wrong")
    _button(worker, "Sign in").click()
    expect(worker.get_by_role("alert")).to_contain_text("do not belong together")
    assert_accessible(worker)  # the door with an error
    worker.get_by_label("Access code").fill(code)
    worker.keyboard.press("Enter")

    expect(worker.locator(".study-prose").first).to_contain_text("<script>document.title='gone'</script>")
    assert_accessible(worker)  # consent
    _button(worker, "I agree and take part").click()
    for number in range(1, len(study.plan.slides) + 1):
        expect(worker.locator("[data-slide]:visible")).to_have_attribute("data-slide", str(number))
        worker.keyboard.press("ArrowRight")
    _take_quiz(worker, clock)
    written = {"trial": _answer(worker, "trial")}
    _hand_in(worker)
    expect(worker.get_by_text("Wait for grading")).to_be_visible()

    _grade_trial(lead)
    worker.reload()
    expect(worker.locator(".study-messages")).to_contain_text("Well done <b>")
    written["work"] = _answer(worker, "work")
    worker.reload()
    expect(worker.locator("[data-field=feedback]")).to_have_value(written["work"]["feedback"])
    _hand_in(worker)
    expect(worker.get_by_text("Wait for grading")).to_be_visible()

    _button(lead, "Export").click()
    with lead.expect_download() as saved:
        _button(lead, "Save the file").click()
    saved.value.save_as(tmp_path / "out.jsonl")
    record = InspiredRecord.model_validate_json((tmp_path / "out.jsonl").read_text("utf-8"))
    assert record.rephrased_question == written["work"]["rephrased_question"]
    predicted = [text for name, text in written["work"].items() if name.startswith("predicted_")]
    assert [step.sub_question for step in record.pred_sub_qs] == predicted
    assert record.feedback[-1] == written["work"]["feedback"]
    assert "gone" not in (worker.title(), lead.title())
    assert worker.mistakes == lead.mistakes == []  # type: ignore[attr-defined]


def _take_quiz(page: Page, clock: HandClock) -> None:
    """Fail, wait, and pass."""
    wrong = next(each for each in tomllib.loads(QUIZ)["question"][0]["options"] if each != "this <i>one</i>")
    page.get_by_label(wrong).check()
    _button(page, "Hand in the quiz").click()
    expect(page.locator(".study-explained")).to_have_text("Not right. See slide 1.")
    assert_accessible(page)  # a quiz that was not passed
    page.reload()
    expect(page.get_by_text("The quiz opens again in")).to_be_visible()
    clock.turn(minutes=10)
    page.evaluate("(now => (Date.now = () => now() + 600_000))(Date.now)")
    expect(page.get_by_label("this <i>one</i>")).to_be_visible()  # by itself, when the wait is over
    page.keyboard.press("1" if page.locator(".study-option").first.inner_text() == "this <i>one</i>" else "2")
    _button(page, "Hand in the quiz").click()
    expect(page.get_by_text("Task 1 of 1 of the trial")).to_be_visible()


def _grade_trial(page: Page) -> None:
    _button(page, "Review").click()
    expect(page.locator(".study-work")).to_contain_text(f"trial predicted_1 {ODD}".split("\n")[0])
    _button(page, "Reject").click()
    expect(page.locator(".study-work .study-said")).to_contain_text("A rejection needs feedback")
    _button(page, "Accept").click()
    page.locator(".study-news:has-text('Saved: accepted.')").wait_for()
    page.locator("section:has-text('Decisions that are due') li button").click()
    page.get_by_label("What you want to tell them about the trial").fill("Well done <b>")
    _button(page, "Pass").click()
    page.locator(".study-news:has-text('Passed')").wait_for()


def _expect_written(page: Page, written: dict[str, str]) -> None:
    for name, text in written.items():
        expect(page.locator(f"[data-field={name}]")).to_have_value(text)


def _qualified(study: Study) -> Credentials:
    """A worker whose next page is the first task of the trial."""
    from annotation.studies.people.workers import sign_in_by_link
    from annotation.studies.work.qualification import agree, draw_quiz, see_slide, submit_quiz
    from tests.annotation.studies.small_studies import right_answers

    made = enrol(study, "Wim")
    caller = sign_in_by_link(study, made.link, "here")
    agree(study, caller)
    for number in range(1, len(study.plan.slides) + 1):
        see_slide(study, caller, number)
    sheet = draw_quiz(study, caller)
    submit_quiz(study, caller, sheet.attempt, right_answers(study, sheet.questions))
    return made


def _at_task(browser: Browser, address: str, study: Study) -> Page:
    """A worker with a task before them."""
    page = _by_link(browser, address, _qualified(study))
    expect(page.get_by_text("Task 1 of 1 of the trial")).to_be_visible()
    return page


def test_nothing_that_is_typed_gets_lost(browser: Browser, address: str, study: Study) -> None:
    page = _at_task(browser, address, study)
    box = page.locator("[data-field=rephrased_question]")
    broken = "**/run/study_save_draft"

    def refuse(route: Route) -> None:
        route.abort()

    page.locator("[data-field=sensible] input[value=yes]").check()
    box.press_sequentially("first ")
    expect(page.locator(".study-part:has([data-field=rephrased_question]) [data-saved]")).to_have_text("saved")
    page.route(broken, refuse)
    box.press_sequentially(ODD)
    expect(page.locator(".study-state")).to_contain_text("NOT saved")
    expect(_button(page, "Save again").first).to_be_visible()
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(box).to_have_value(f"first {ODD}")
    expect(page.locator(".study-state")).to_contain_text("NOT saved")
    page.unroute(broken, refuse)
    # It tries again by itself as well, and takes the button away where that came first.
    page.evaluate("[...document.querySelectorAll('button')].find((one) => one.innerText === 'Save again')?.click()")
    expect(page.locator(".study-state")).to_have_text("All changes are saved.")

    other = page.context.new_page()
    other.goto(address)
    theirs = other.locator("[data-field=rephrased_question]")
    expect(theirs).to_have_value(f"first {ODD}")
    box.fill("mine")
    expect(page.locator(".study-state")).to_have_text("All changes are saved.")
    theirs.fill("theirs")
    expect(other.locator(".study-state")).to_contain_text("another tab has another text")
    _button(other, "Take that text").click()
    expect(theirs).to_have_value("mine")
    assert_accessible(other)
    expect(other.locator(".study-state")).to_have_text("All changes are saved.")


HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", {configurable: true, get: () => hidden});
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def _worked(page: Page, write: Callable[[], object]) -> float:
    """The seconds that are sent with what `write` writes, and in the second in which it is saved."""
    sent: list[float] = []
    page.on(
        "request",
        lambda request: "study_save_draft" in request.url and sent.append(request.post_data_json["data"][1]["worked"]),
    )
    write()
    page.clock.run_for(1_000)
    expect(page.locator(".study-state")).to_have_text("All changes are saved.")
    return sum(sent)


def test_time_counts_while_the_page_is_in_sight_and_used(browser: Browser, address: str, study: Study) -> None:
    page = _page(browser)
    page.clock.install()
    page.goto(f"{address}?study=steps&worker={_qualified(study).link}")
    box = page.locator("[data-field=rephrased_question]")
    page.locator("[data-field=sensible] input[value=yes]").check()
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)
    _worked(page, lambda: box.fill("first"))

    def read_and_write() -> None:
        page.clock.run_for(20_000)
        box.press_sequentially(" second")

    def hide_and_write() -> None:
        page.evaluate(HIDE, True)
        page.clock.run_for(25_000)
        page.evaluate(HIDE, False)
        page.clock.run_for(3_000)
        box.press_sequentially(" third")

    def pause_and_write() -> None:
        page.clock.run_for(600_000)
        box.press_sequentially(" fourth")

    assert _worked(page, read_and_write) == pytest.approx(21, abs=1)
    assert _worked(page, hide_and_write) == pytest.approx(4, abs=1)
    assert _worked(page, pause_and_write) == pytest.approx(121, abs=1)
    page.clock.run_for(7_000)
    context = page.context
    page.goto("about:blank")  # what was not sent yet stays in the browser, and is sent by the next page
    (origin,) = context.storage_state()["origins"]
    (unsent,) = [float(each["value"]) for each in origin["localStorage"] if each["name"].startswith("parley-worked ")]
    assert unsent == pytest.approx(7_000, abs=1_000)
    again = context.new_page()
    again.goto(address)
    with again.expect_response("**/run/study_save_draft") as saving:
        again.locator("[data-field=rephrased_question]").press_sequentially(" fifth")
        again.clock.run_for(1_000)
    assert saving.value.request.post_data_json["data"][1]["worked"] >= unsent / 1_000


def test_the_tab_in_the_app_opens_by_a_link(browser: Browser, study: Study, settings: Settings) -> None:
    made = enrol(study, "Wim")
    with gr.Blocks(analytics_enabled=False) as blocks, gr.Tabs():
        with gr.Tab("Chat"):
            gr.Markdown("Another tab")
        with gr.Tab("Annotate"):
            annotation.ui.build(settings, study.database)
    with serving(blocks) as address:
        page = _by_link(browser, address, made)
        _button(page, "I agree and take part").click()
        expect(page.locator("[data-slide]:visible")).to_be_visible()
        assert made.link not in page.url
        assert json.dumps(page.mistakes) == "[]"  # type: ignore[attr-defined]
        _make_a_study(_page(browser), address, settings)
        _try_the_example(_page(browser), address)


def _make_a_study(page: Page, address: str, settings: Settings) -> None:
    """From a template in German, with a dropped file, a preview, three people from a list, and a link that works."""
    page.goto(address)
    page.get_by_role("tab", name="Annotate").click()
    _button(page, "Make a study of your own").click()
    page.get_by_label("Begin with").select_option("own_scale")
    expect(page.locator("[data-shown]")).to_contain_text("Wie verständlich ist das?")
    rows = "id,erklaerung\ne1,Weil der <b>Betrag</b> hoch ist\ne2,Weil du jung bist\n"
    page.locator("input[data-items]").set_input_files({"name": "mine.csv", "mimeType": "text/csv", "buffer": rows.encode()})
    expect(page.locator("[data-shown]")).to_contain_text("Weil der <b>Betrag</b> hoch ist")
    assert_accessible(page)
    page.get_by_label("Name, as it stands in links").fill("verstehen")
    _button(page, "Make the study").click()
    page.get_by_label("Eine Person je Zeile").fill("Ann\nBen\nCleo")
    _button(page, "Alle hinzufügen").click()
    links = page.locator(".study-links-made").input_value().splitlines()[1:]
    assert [line.split("\t")[0] for line in links] == ["Ann", "Ben", "Cleo"]
    assert (settings.data_dir / "studies" / "verstehen" / "items.csv").read_text("utf-8") == rows
    worker = page.context.new_page()
    worker.goto(links[0].split("\t")[2])
    expect(worker.get_by_text("Wie verständlich ist das?")).to_be_visible()
    worker.get_by_label("7: sehr").check()
    worker.get_by_label("nein").check()
    worker.locator("textarea:visible").first.fill("Der Grund")
    expect(worker.locator(".study-state")).to_have_text("Alle Änderungen sind gespeichert.")
    _button(worker, "Abgeben").click()
    worker.get_by_text("Abgegeben: 1").wait_for()
    assert page.mistakes == []  # type: ignore[attr-defined]


def _try_the_example(page: Page, address: str) -> None:
    """In one click as a worker, in another as a lead who sees what the worker does."""
    page.goto(address)
    page.get_by_role("tab", name="Annotate").click()
    _button(page, "Try the example as a worker").click()
    expect(page.get_by_text("Task 1 of 4, step 1")).to_be_visible()
    page.locator("[data-field=sensible] input[value=no]").check()
    expect(page.locator(".study-state")).to_have_text("All changes are saved.")
    _button(page, "Send this step").click()
    expect(page.get_by_text("Task 1 of 4, step 2")).to_be_visible()
    _button(page, "You as a lead").click()
    _button(page, "History").click()
    expect(page.get_by_role("cell", name="turn", exact=True)).to_have_count(4 + 1)  # of the invented colleague and one's own
    assert_accessible(page)
    page.reload()
    page.get_by_role("tab", name="Annotate").click()
    _button(page, "Leave the example").click()
    expect(_button(page, "Try the example as a worker")).to_be_visible()
    assert page.mistakes == []  # type: ignore[attr-defined]


def test_words_are_marked_and_handed_in_by_keyboard(browser: Browser, database: Database, tmp_path: Path) -> None:
    context = "Its ceiling was painted by <b>Michelangelo</b> himself."
    item = {"id": "e1", "question": "Who <i>painted</i> it?", "context": context}
    toml = 'title = "Evidence"\ntask = "evidence_highlighting"\nitems = ["items.jsonl"]'
    study = open_study(database, write_study(tmp_path / "evidence", toml, items__jsonl=json.dumps(item)))
    with serving(served.build(study)) as address:
        page = _by_link(browser, address, enrol(study, "Wim"), "evidence")
        expect(page.locator(".study-passage")).to_have_text(context)
        page.locator(".study-word").first.focus()
        for key in (*["ArrowRight"] * 3, "Shift+ArrowRight", "Shift+ArrowRight", "ArrowRight", "Space"):
            page.keyboard.press(key)
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".study-state")).to_have_text("All changes are saved.")
        page.keyboard.press("Alt+x")
        page.keyboard.type("odd <b>")
        page.keyboard.press("Control+Enter")
        expect(page.locator("[data-call=study_flag] .study-said")).to_contain_text("Flagged")
        page.locator(".study-word").nth(5).focus()
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text("All done")).to_be_visible()
        [found] = results(study)
        assert found.answer == {"evidence": [[3, 7]]}
        _button(page, "My answers").click()
        page.get_by_text("Your answer").click()
        expect(page.locator("mark")).to_have_text("painted by <b>Michelangelo</b> himself.")


def test_an_answer_is_edited_by_its_worker_and_by_a_lead(browser: Browser, database: Database, tmp_path: Path) -> None:
    toml = 'title = "Anew"\ntask = "utterance_rewriting"\nitems = ["items.jsonl"]\n[batches]\nspot_check = 1.0\n'
    items = "".join(json.dumps({"id": f"u{n}", "utterance": f"How old is {n}?"}) + "\n" for n in range(2))
    folder = write_study(tmp_path / "anew", f"{toml}[settings]\nrewrites = 1", items__jsonl=items)
    study = open_study(database, folder)
    with serving(served.build(study)) as address:
        made = enrol(study, "Wim")
        lead = _by_link(browser, address, enrol(study, "Lea", Role.LEAD), "anew")
        worker = _by_link(browser, address, made, "anew")
        worker.locator("[data-field=rewrite_1]").fill("Tell me the age of 0")
        worker.keyboard.press("Control+Enter")
        worker.get_by_text("Handed in: 1").wait_for()
        _button(worker, "My answers").click()
        _button(worker, "Edit").click()
        worker.locator("[data-field=rewrite_1]").fill("What age <b>has</b> 0?")
        expect(worker.locator(".study-state")).to_have_text("All changes are saved.")
        worker.reload()
        expect(worker.locator("[data-field=rewrite_1]")).to_have_value("What age <b>has</b> 0?")
        _button(worker, "Hand in the edit").click()
        worker.get_by_text("Your edit is handed in.").wait_for()

        _button(lead, "Review").click()
        lead.get_by_text("Edit the answer").click()
        lead.locator(".study-final textarea").fill(ODD)
        _button(lead, "Accept with this edit").click()
        lead.get_by_text("Saved: edited.").wait_for()
        _button(worker, "Work").click()
        worker.get_by_text("Edited or rejected by the people who run the study: 1").click()
        expect(worker.locator("del")).to_have_text("What age <b>has</b> 0?")
        assert worker.locator("ins p").evaluate("(shown) => shown.textContent") == ODD
        assert [found.answer for found in results(study)] == [{"rewrite_1": ODD}]
        assert worker.mistakes == lead.mistakes == []  # type: ignore[attr-defined]
