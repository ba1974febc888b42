"""A study of one's own in a browser: made from a CSV, worked on by touch, decided on, exported, in two languages."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

import annotation.ui
from annotation.studies.study import load_study
from backend.program.settings import Settings
from backend.storage.database import Database
from tests.served_app import serving

ITEMS = "id,question,one,other,seen\nf1,How high?,2962 m,high,hill.png\n"
TOML = """title = "{language}"
task = "custom"
items = ["items.jsonl"]
instructions = "instructions.md"
language = "{language}"
overlap = 2
[batches]
start = 1
spot_check = 0.5
[[settings.part]]
kind = "show"
text = "{{question}}"
[[settings.part]]
kind = "picture"
column = "seen"
alt = "{{seen}}"
[[settings.part]]
kind = "pair"
name = "better"
text = "?"
columns = ["one", "other"]
options = ["<L>", "R", "="]
[[settings.part]]
kind = "rate"
name = "helps"
text = "0-6"
scale = [0, 6]
[[settings.part]]
kind = "write"
name = "why"
text = "!"
"""
QUIZ = "2 + 2?\n- 5\n* 4\n"
WIDE: dict[str, Any] = {"viewport": {"width": 1366, "height": 768}}
NARROW: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@dataclass(frozen=True)
class Spoken:
    """What buttons and messages are called in a language."""

    hand_in: str
    saved: str
    answers: str
    accept: str
    accepted: str
    labels: str
    decide: str
    decided: str
    export: str
    save: str
    progress: str
    ready: str


GERMAN = Spoken("Abgeben", "Alle Änderungen sind gespeichert.", "Antworten", "Annehmen", "2 Antworten sind angenommen.",
                "Abweichungen", "Entscheiden", "Ihre Entscheidung ist aufgehoben.", "Export", "Datei sichern", "Fortschritt",
                "Bereit zum Export")  # fmt: skip
SPANISH = Spoken("Entregar", "Todos los cambios están guardados.", "Respuestas", "Aceptarlas",
                 "2 respuestas están aceptadas.", "Desacuerdos", "Decidir", "Su decisión está guardada.", "Exportar",
                 "Guardar el archivo", "Progreso", "Listo para exportar")  # fmt: skip


@pytest.fixture
def address(settings: Settings, database: Database) -> Iterator[str]:
    with gr.Blocks(analytics_enabled=False) as blocks:
        annotation.ui.build(settings, database)
    with serving(blocks) as address:
        yield address


def test_a_study_is_made_worked_on_and_exported_without_a_line_of_code(
    browser: Browser, address: str, database: Database, tmp_path: Path
) -> None:
    (tmp_path / "own.csv").write_text(ITEMS, "utf-8")
    Image.new("RGB", (40, 30)).save(tmp_path / "hill.png")
    for language, spoken, lead, worker in (("de", GERMAN, WIDE, NARROW), ("es", SPANISH, NARROW, WIDE)):
        page = browser.new_context(**lead, accept_downloads=True).new_page()
        page.goto(address)
        links = _make(page, language, tmp_path / "own.csv")
        assert load_study(database, language).plan.consent == "Yes?"
        for number, link in enumerate(links):
            _work(browser.new_context(**worker).new_page(), link, spoken, "<L>" if number else "=")
        rows = _lead(page, spoken, tmp_path / f"{language}.csv")
        assert [(row["id"], row["verdict"], row["item.question"]) for row in rows] == [
            ("f1", "accepted", "How high?"), ("f1", "accepted", "How high?"),
        ]  # fmt: skip
        assert "tie" in (chosen := [row["answer.better"] for row in rows])
        assert set(chosen) & {"one", "other"}


def _make(page: Page, language: str, items: Path) -> list[str]:
    """Make the study and let two people in; returns their links."""
    page.locator("[data-making]").click()  # called in the language of the study, where there is one alone
    page.locator("form[data-make] [name=name]").fill(language)  # the door has a field of that name too
    page.locator("input[data-items]").set_input_files(items)
    expect(page.locator("[name=items]")).to_have_value(ITEMS)
    page.locator("summary", has_text="Pictures").click()
    page.locator("input[data-pictures]").set_input_files(items.with_name("hill.png"))
    page.locator("[name=toml]").fill(TOML.format(language=language))
    page.get_by_text("Consent, tutorial and quiz").click()
    for name, text in {"consent": "Yes?", "slides": "# One", "quiz": QUIZ}.items():
        page.locator(f"[name={name}]").fill(text)
    page.get_by_role("button", name="Preview as a worker").click()
    expect(page.locator("[data-shown]")).to_contain_text("2962 m")
    with page.expect_response("**/study_make*") as made:
        page.get_by_role("button", name="Make the study").click()
    assert made.value.json()["data"][0]["ok"], made.value.text()
    page.locator("[name=names]").fill("Ann\nBen")
    page.locator("form[data-call=study_add_people] button").click()
    links = page.locator(".study-links-made")
    expect(links).to_have_value("name\tcode\tlink\n" + links.input_value().split("\n", 1)[1])
    return [line.split("\t")[2] for line in links.input_value().splitlines()[1:]]


def _work(page: Page, link: str, spoken: Spoken, side: str) -> None:
    """Agree, read the slide, pass the quiz, answer the item."""
    page.goto(link)
    page.locator("#study-root button.primary").first.click()
    page.locator("[data-step='1']").click()
    page.locator("label:has(input[value='4'])").click()
    page.locator("form[data-quiz] [type=submit]").click()
    expect(page.locator("form[data-task]")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture = page.get_by_role("img", name="hill.png")
    expect(picture).to_have_js_property("naturalWidth", 40)
    expect(page.locator("form[data-task] [type=submit]")).to_be_in_viewport(ratio=1)  # however long the task is
    page.locator(f"label:has(input[value='{side}'])").click()
    page.locator(f"label:has(input[value='{5 if side == '=' else 2}'])").click()
    page.locator("textarea[data-field=why]").fill(f"Sure {side}. Why not?")
    expect(page.locator(".study-state")).to_have_text(spoken.saved)
    page.get_by_role("button", name=spoken.hand_in, exact=True).click()
    expect(page.locator("form[data-task]")).to_have_count(0)
    page.context.close()


def _lead(page: Page, spoken: Spoken, file: Path) -> list[dict[str, str]]:
    """Accept all at once, decide where the two differ, and export what was accepted."""
    page.get_by_role("button", name=spoken.answers, exact=True).click()
    page.locator("[name=all]").check()
    page.get_by_role("button", name=spoken.accept, exact=True).click()
    expect(page.locator(".study-news")).to_have_text(spoken.accepted)
    page.get_by_role("button", name=spoken.labels, exact=True).click()
    card = page.locator(".study-work").first
    card.get_by_text(spoken.decide, exact=True).first.click()
    card.locator("label:has(input[value='<L>'])").click()
    card.locator("label:has(input[value='4'])").click()
    card.locator("button[data-piece=whole]").first.click()
    card.locator("button[data-piece=sentence]", has_text="Why not?").last.click()
    merged = card.locator("textarea[data-field=why]")
    expect(merged).to_have_value(re.compile(r"^Sure (<L>|=)\. Why not\? Why not\?$"))
    card.locator("[type=submit]").last.click()
    expect(page.locator(".study-news")).to_have_text(spoken.decided)
    page.get_by_role("button", name=spoken.progress, exact=True).click()
    page.get_by_role("button", name=spoken.ready, exact=True).click()
    page.locator("input[value='table.csv']").check()
    page.locator("[name=accepted_only]").check()
    with page.expect_download() as saved:
        page.get_by_role("button", name=spoken.save, exact=True).click()
    saved.value.save_as(file)
    return list(csv.DictReader(io.StringIO(file.read_text("utf-8"))))
