"""Bringing one's own table, model and description by upload. A pickle is refused, whatever the settings say."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from backend.errors import DatasetError, JobCancelled, ParleyError
from backend.jobs import ReportProgress
from backend.network.shares.spending import SPENDING
from backend.text.html_pieces import paragraph, progress_line
from backend.ui import errors_in_words
from ttm.chat.catalogue import Loaded
from ttm.tabular.data.csv_table import column_names
from ttm.tabular.data.dataset_config import read_config
from ttm.ui.visit import ChatVisit

Update = dict[str, Any]
ABOUT = """Upload a CSV file and say which column is to be predicted. A model is trained on it and scored by cross-validation,
unless you bring one: any scikit-learn, XGBoost or LightGBM classifier or regressor, saved with `skops.io.dump`. Pickle files
are never loaded here, because they can run code. A `dataset.toml` may add names, units and definitions; what it leaves out is
inferred from the columns and shown as such. Files stay on this server and are not shown to others."""


SUGGESTED, NUMBERED, NAMED = "", "-", "="  # what the choice of ids begins with; the name of a column follows NAMED
ID_CHOICES = [("Suggested by name and values", SUGGESTED), ("None: number the rows", NUMBERED)]
TASK_CHOICES = [
    ("Suggested by its values", SUGGESTED),
    ("Classes", "classification"),
    ("A quantity", "regression"),
]
SHOW_CHAT = "() => document.getElementById('ttm-chat').scrollIntoView({block: 'start'})"


@dataclass(frozen=True)
class OwnDataPanel:
    data: gr.File
    target: gr.Dropdown
    task: gr.Dropdown
    ids: gr.Dropdown
    model: gr.File
    config: gr.File
    start: gr.Button
    stop: gr.Button
    status: gr.HTML


def place() -> OwnDataPanel:
    gr.Markdown(ABOUT, elem_classes="ttm-prose")
    with gr.Row():
        data = gr.File(label="Table (CSV)", file_types=[".csv", ".tsv", ".txt"], height=140, min_width=200)
        model = gr.File(label="Model (skops), optional", file_types=[".skops"], height=140, min_width=200)
        config = gr.File(label="Description (dataset.toml), optional", file_types=[".toml"], height=140, min_width=200)
    with gr.Row():
        target = gr.Dropdown([], value=None, label="Column to predict", scale=2, min_width=200, elem_id="ttm-target")
        task = gr.Dropdown(TASK_CHOICES, value=SUGGESTED, label="What it holds", scale=1, min_width=200, elem_id="ttm-task")
        ids = gr.Dropdown(ID_CHOICES, value=SUGGESTED, label="Column of ids", scale=1, min_width=200, elem_id="ttm-ids")
    with gr.Row():
        start = gr.Button("Load and talk about it", variant="primary", scale=1, min_width=160, elem_id="ttm-load-own")
        stop = gr.Button("Stop", scale=0, min_width=80, visible=False)
    return OwnDataPanel(data, target, task, ids, model, config, start, stop, gr.HTML(padding=False, elem_id="ttm-own-status"))


@errors_in_words
def read_columns(data: str | None, config: str | None) -> tuple[Update, Update, str]:
    """Offer the columns of an uploaded table as targets and as ids; the target that a dataset.toml names is chosen."""
    no_ids = gr.update(choices=ID_CHOICES, value=SUGGESTED)
    if data is None:
        return gr.update(choices=[], value=None), no_ids, ""
    try:
        columns = column_names(Path(data))
        named = read_config(Path(config), data=Path(data).name).target if config else None
    except ParleyError as error:
        return gr.update(choices=[], value=None), no_ids, _problem(without_folders(error.shown, data, config))
    about = f"{len(columns)} columns were found."
    ids = gr.update(choices=[*ID_CHOICES, *((name, f"{NAMED}{name}") for name in columns)], value=SUGGESTED)
    return gr.update(choices=columns, value=named if named in columns else None), ids, _status(about)


@errors_in_words
def load(
    data: str | None, target: str | None, task: str, ids: str, model: str | None, config: str | None, visit: ChatVisit
) -> Iterator[Any]:
    """Load or train in the background and tell how far it is; the conversation then is about it."""
    try:
        if not data or not target:
            raise DatasetError("Choose a CSV file and the column to predict first.")
        job = visit.job = visit.jobs.start(SPENDING.carried(_work(visit, data, target, _stated(task, ids), model, config)))
        for progress in job.watch():
            yield progress_line(progress.fraction, f"{progress.message} …", "ttm-note", "status"), gr.update(visible=True)
        loaded = job.result()
        visit.talk_about(visit.session.bring(loaded))
        yield _status(f"Loaded: {loaded.schema.title}, {len(loaded.subject.dataset.frame):,} rows."), gr.update(visible=False)
    except JobCancelled:
        gr.Info("Stopped. Nothing was loaded.", duration=4)
        yield _status("Stopped. Nothing was loaded."), gr.update(visible=False)
    except ParleyError as error:
        yield _problem(error.shown), gr.update(visible=False)
        # It stands under the files, so nothing else shows it; what follows a loaded table does not begin.
        raise gr.Error(error.shown, visible=False, print_exception=False) from error
    except Exception:
        yield "", gr.update(visible=False)
        raise


def _work(
    visit: ChatVisit, data: str, target: str, stated: dict[str, Any], model: str | None, config: str | None
) -> Callable[[ReportProgress], Loaded]:
    def work(report: ReportProgress) -> Loaded:
        report(0.0, "Reading the table")
        files = (Path(model) if model else None, Path(config) if config else None)
        try:
            return visit.session.subjects.bring(Path(data), target, files[0], files[1], report, stated)
        except ParleyError as error:
            error.message = without_folders(error.message, data, model, config)
            raise

    return work


def _stated(task: str | None, ids: str | None) -> dict[str, Any]:
    """The keys of a dataset.toml that were chosen in the form."""
    stated: dict[str, Any] = {"task": task} if task else {}
    if ids:
        stated["id"] = False if ids == NUMBERED else ids.removeprefix(NAMED)
    return stated


def without_folders(message: str, *files: str | None) -> str:
    """A message that names an uploaded file as the person knows it, not where it was put here."""
    for file in filter(None, files):
        message = message.replace(f"{Path(file).parent}/", "")
    return message


def stop(visit: ChatVisit) -> None:
    """Stop loading; the handler that watches it tells so."""
    if visit.job is not None:
        visit.job.cancel()


def _status(text: str) -> str:
    return paragraph(text, "ttm-note", "status")


def _problem(text: str) -> str:
    return paragraph(text, "ttm-unanswered", "alert")


def wire(panel: OwnDataPanel, visit: gr.State, refresh: Callable[[gr.events.Dependency], None]) -> None:
    """`refresh` adds what is updated when another data set is talked about."""
    private: dict[str, Any] = {"api_visibility": "private"}
    gr.on([panel.data.change, panel.config.change], read_columns, [panel.data, panel.config],
          [panel.target, panel.ids, panel.status], **private)  # fmt: skip
    inputs = [panel.data, panel.target, panel.task, panel.ids, panel.model, panel.config, visit]
    loading = panel.start.click(load, inputs, [panel.status, panel.stop], show_progress="hidden", **private)
    refresh(loading)
    loading.success(fn=None, js=SHOW_CHAT, **private)
    panel.stop.click(stop, visit, None, queue=False, **private)
