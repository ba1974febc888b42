"""The tab "LLM faithfulness": one sample taken apart live, and runs over whole data sets."""

from __future__ import annotations

from pathlib import Path

import gradio as gr

from backend.database import Database
from backend.jobs import Jobs
from backend.settings import Settings
from backend.ui import heading
from faithfulness.run.shelf import Shelf
from faithfulness.ui import batch, one_sample
from faithfulness.ui.model_choice import metric, open_model

STYLE = Path(__file__).parents[1] / "evidence.css"
RUNS_AT_ONCE = 2


def build(settings: Settings, database: Database) -> None:
    """Place the tab's components; called inside its `gr.Tab`."""
    gr.HTML(f"<style>{STYLE.read_text('utf-8')}</style>", padding=False, elem_classes="evidence-style")
    with gr.Column(elem_id="faithfulness-tab"):
        heading(
            "Does a language model use what it says it used?",
            "A model answers a question from a passage and names its keywords. Parts of the passage are then left out, to see "
            "which of them the answer really rests on.",
        )
        with gr.Tabs():
            with gr.Tab("One sample", elem_id="faithfulness-sample"):
                one_sample.place()
            with gr.Tab("A whole data set", elem_id="faithfulness-runs") as tab:
                batch.place(Shelf(settings.data_dir / "faithfulness", Jobs(RUNS_AT_ONCE), open_model, metric), tab)
