"""A button that saves one page about the model, which needs no server: scores, importance, errors, groups, what was asked."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr

from backend.errors import JobCancelled
from backend.jobs import ReportProgress
from backend.network.shares.spending import SPENDING
from backend.text.html_pieces import paragraph, progress_line
from backend.ui import SAVE_FILE, errors_in_words
from ttm.chat.interface.chat import chat_of_session
from ttm.chat.interface.report import report_page
from ttm.chat.session import ChatSession
from ttm.ui.visit import ChatVisit


@dataclass(frozen=True)
class ReportPanel:
    save: gr.Button
    stop: gr.Button
    status: gr.HTML
    file: gr.JSON


def place() -> ReportPanel:
    with gr.Row(elem_classes="ttm-buttons"):
        save = gr.Button("Save a report of the model", size="sm", min_width=150, elem_id="ttm-save-report")
        stop = gr.Button("Stop", size="sm", min_width=70, visible=False)
    return ReportPanel(save, stop, gr.HTML(padding=False, elem_classes="ttm-note"), gr.JSON(visible=False))


@errors_in_words
def write(visit: ChatVisit) -> Iterator[tuple[Any, ...]]:
    """Write the page in the background, tell how far it is, and hand it to the browser as a file."""
    session = visit.session
    job = visit.report = visit.jobs.start(SPENDING.carried(partial(_page, session)))
    try:
        for progress in job.watch():
            yield (
                progress_line(progress.fraction, f"{progress.message or 'Scores'} …", role="status"),
                gr.update(visible=True),
                gr.skip(),
            )
        name = f"parley-report-{session.loaded.subject.dataset.name}.html"
        yield "", gr.update(visible=False), {"name": name, "type": "text/html", "content": job.result()}
    except JobCancelled:
        yield paragraph("Stopped. Nothing was saved."), gr.update(visible=False), None
    except Exception:
        yield "", gr.update(visible=False), None
        raise
    finally:
        visit.report = None  # megabytes, which would stay as long as the session


def _page(session: ChatSession, report: ReportProgress) -> str:
    return report_page(chat_of_session(session), progress=report)


def stop(visit: ChatVisit) -> None:
    """Stop after the part that is being written."""
    if visit.report is not None:
        visit.report.cancel()


def wire(panel: ReportPanel, visit: gr.State) -> None:
    private: dict[str, Any] = {"api_visibility": "private"}
    panel.save.click(write, visit, [panel.status, panel.stop, panel.file], show_progress="hidden", **private).success(
        fn=None, inputs=panel.file, js=SAVE_FILE, **private
    )
    panel.stop.click(stop, visit, None, queue=False, **private)
