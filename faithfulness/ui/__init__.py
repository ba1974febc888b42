"""The tab "LLM faithfulness": one sample taken apart live, and runs over whole data sets."""

from functools import partial
from pathlib import Path

import gradio as gr

from backend.jobs import Jobs
from backend.program.settings import Settings, read_settings
from backend.storage.database import Database
from backend.text.html_pieces import style_sheet
from backend.ui import heading
from faithfulness.method.correctness import hybrid_metric
from faithfulness.ui import batch, one_sample
from faithfulness.ui.model_choice import open_model
from faithfulness.ui.runs import ROOT
from faithfulness.ui.visitor_runs import VisitorRuns

STYLE = Path(__file__).with_name("evidence.css")
SCRIPT = Path(__file__).with_name("form.js")
# Computing here, and asking servers elsewhere.
RUNS_AT_ONCE, REMOTE_RUNS_AT_ONCE = 2, 4


def build(source: Settings | None = None, database: Database | None = None) -> None:
    """Place the tab into the present `gr.Tab`, or anywhere in a `gr.Blocks`, as often as wanted.

    Without settings, those of the environment are read, as by `parley serve`. Runs of visitors are kept in its data folder;
    nothing is kept in the `database`, which all tabs are offered. Raises SettingsError for a setting that is wrong.
    """
    settings = source or read_settings()
    opened = partial(open_model, private=settings.visitors_reach_private)
    gr.HTML(style_sheet(STYLE), js_on_load=SCRIPT.read_text("utf-8"), padding=False, elem_classes="evidence-style")
    with gr.Column(elem_id="faithfulness-tab", elem_classes=ROOT):
        heading(
            "Does a language model use what it says it used?",
            "A model answers a question from a passage and names its keywords. Parts of the passage are then left out, to see "
            "which of them the answer really rests on.",
        )
        with gr.Tabs():
            with gr.Tab("One sample", elem_id="faithfulness-sample"):
                one_sample.place(opened)
            with gr.Tab("A whole data set", elem_id="faithfulness-runs") as tab:
                jobs, remote = Jobs(RUNS_AT_ONCE), Jobs(REMOTE_RUNS_AT_ONCE)
                folder, most = settings.data_dir / "faithfulness", settings.largest_unpacked
                batch.place(VisitorRuns(folder, jobs, opened, hybrid_metric, remote, most), tab)
