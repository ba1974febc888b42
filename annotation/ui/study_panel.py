"""Studies on the screen: one place that study.js fills with the pages of the server, and figures for leads below it."""

from pathlib import Path
from typing import Any

import gradio as gr

from annotation.studies.shelf import OpenStudies
from annotation.studies.study import Study
from annotation.ui import endpoints
from annotation.web.lead.figures import figures
from annotation.words.catalogue import speaking, translate
from backend.text.html_pieces import style_sheet
from backend.text.templates import Macros
from backend.ui import errors_in_words, number_on_page

HTML = Macros(__file__)
PAGES = Path(__file__).parents[1] / "web"
SCRIPTS = ("answers.js", "worked.js", "drafts.js", "kept.js", "pictures.js", "study.js", "labels.js", "making.js")
# A personal link, a platform, or the way back from Hugging Face opens the tab that this panel is in.
FOLLOW_LINK = """() => {
  const asked = new URLSearchParams(location.search);
  const names = ["study", "worker", "hugging_face", "PROLIFIC_PID", "workerId", "survey_code"];
  const came = () => {
    try {
      return Object.keys(localStorage).some((name) => name.startsWith("parley-study-bare"));
    } catch {
      return false; // a browser without storage
    }
  };
  if (!names.some((name) => asked.has(name)) && !window.parleyStudyLink && !came()) return;
  const open = (name) => [...document.querySelectorAll("[role=tab]")].find((tab) => tab.textContent.trim() === name)?.click();
  open("Annotate");
  setTimeout(() => open("Studies"), 100);
}"""


PART = "study-whole"


def alone(study: Study) -> OpenStudies:
    """One study, whatever others its database holds."""
    return OpenStudies(study.database, study.clock, study.name)


def place(shelf: OpenStudies) -> None:
    """Place everything; called inside `gr.Blocks`, as often as wanted."""
    number = number_on_page(PART)
    with gr.Column(elem_classes=PART):
        _place(shelf, f"_{number}" if number else "")


def _place(shelf: OpenStudies, suffix: str) -> None:
    """`suffix` tells several on one page apart: it ends the names of their endpoints, and of what the browser keeps."""
    with speaking(shelf.language()):
        loading = translate("Loading …")
    root = gr.HTML(
        HTML("root", suffix, shelf.only or "", loading),
        js_on_load=script(), elem_id="study-panel", padding=False, apply_default_css=False,
    )  # fmt: skip
    gr.HTML(style_sheet(PAGES / "study.css"), padding=False)
    with gr.Row(elem_id="study-figures"):
        plots = [gr.Plot(show_label=False, container=False, min_width=300) for _ in range(3)]

    @errors_in_words
    def draw(event: gr.EventData) -> tuple[Any, ...]:
        asked: dict[str, Any] = event._data or {}
        return figures(*shelf.signed_in(str(asked.get("token", ""))))

    # The browser asks for the figures with its token, as for everything else; see showFigures in study.js.
    root.select(draw, None, plots, show_progress="hidden", api_visibility="private", queue=False)
    endpoints.place(shelf, suffix)


def script() -> str:
    """All in one function, so that nothing of it is global."""
    return "\n".join((PAGES / name).read_text("utf-8") for name in SCRIPTS)
