"""A graph of one's own: an RDF file that is dropped here is asked in place of what everybody asks, by this page alone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr

from backend.jobs import ReportProgress
from backend.text.html_pieces import paragraph
from backend.ui import errors_in_words
from inspired.dialogue.own_graph import ENDINGS, KEPT, LARGEST, MOST_FACTS, SUGGESTED, OwnGraphs, own_assistant, suggestions
from inspired.dialogue.session import Assistant
from inspired.ui.question_panel import PRIVATE, QuestionPanel, ask_alone, then_show
from inspired.ui.render import source_html
from inspired.ui.visit import PendingWork, QuestionVisit, working

OWN = OwnGraphs()
SIZE = (
    f"Turtle, N-Triples, TriG, N3, RDF/XML or JSON-LD, also packed with gzip; at most {LARGEST} MB and {MOST_FACTS:,} facts. "
)
# The line is above, and so is what went wrong.
TO_LINE = """() => setTimeout(() => {
  const root = document.querySelector(".KEY-root");
  const place = root.querySelector("#kb-status .kb-problems") ?? root.querySelector("#kb-question");
  place.scrollIntoView({block: "center", behavior: "smooth"});
}, 300)"""
SKIPPED = (gr.skip(),) * (3 + SUGGESTED)


@errors_in_words
def bring(file: str | None, desk: PendingWork) -> Iterator[tuple[Any, ...]]:
    """Ask the file from now on, or where it was taken away, again what everybody asks.

    Yields the visit, the status, the stop button; then the source, the row of examples, and the row and buttons of those that
    are made from the graph.
    """
    if not file:
        desk.turn_to(None)
        yield QuestionVisit(), "", gr.update(visible=False), *_about(desk, ())
        return
    read: list[tuple[Assistant, tuple[str, ...]]] = []

    def work(report: ReportProgress) -> QuestionVisit:
        assistant = own_assistant(Path(file), report)
        read.append((assistant, suggestions(assistant, report)))
        return QuestionVisit()

    desk.opening = True
    try:
        for visit, status, stop in working(desk, work):
            if not isinstance(visit, QuestionVisit):
                yield visit, status, stop, *SKIPPED
                continue
            ((assistant, offered),) = read
            desk.turn_to(assistant)
            OWN.add(assistant)
            yield visit, status, stop, *_about(desk, offered)
    finally:
        desk.opening = False


def _about(desk: PendingWork, offered: tuple[str, ...]) -> tuple[Any, ...]:
    filled = (*offered, *[""] * SUGGESTED)[:SUGGESTED]
    chips = [gr.update(value=each, visible=bool(each)) for each in filled]
    return (
        source_html(desk.assistant, own=not desk.at_home),
        gr.update(visible=desk.at_home),
        gr.update(visible=bool(offered)),
        *chips,
    )


def place_and_wire(panel: QuestionPanel, visit: gr.State, desk: gr.State) -> None:
    with gr.Accordion("Ask a graph of your own", open=False, elem_id="kb-own-fold"):
        gr.HTML(paragraph(f"{SIZE}It is {KEPT}", "kb-quiet"), padding=False)
        file = gr.File(
            label="RDF file", file_types=list(ENDINGS), type="filepath", height=130, elem_id="kb-own",
        )  # fmt: skip
        again = gr.Button("again", visible="hidden", elem_id=f"{panel.key}-own-again")
    asking: dict[str, Any] = {"show_progress": "hidden", "trigger_mode": "multiple", **PRIVATE}
    outputs = [visit, *panel.outputs]
    beside = [panel.source, panel.offered, panel.own_row, *panel.own_chips]
    brought = gr.on([file.change, again.click], bring, [file, desk], [*outputs, *beside], show_progress="hidden", **PRIVATE)
    brought.success(None, None, None, js=TO_LINE.replace("KEY", panel.key), **PRIVATE)
    for chip in panel.own_chips:
        then_show(chip.click(ask_alone, [chip, desk], outputs, **asking), panel, desk)
