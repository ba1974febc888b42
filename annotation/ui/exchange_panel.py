"""What goes out and comes in: files of what was reviewed, gold suites to be reviewed, and verdicts on answers."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from annotation.parses.export import FORMATS, items_to_export, verdicts_csv
from annotation.parses.gold_suite import LARGEST_FILE
from annotation.parses.intake import import_suite
from annotation.parses.pairs import progress
from annotation.parses.render import status_html, verdicts_html
from annotation.ui import review_panel
from annotation.ui.review_panel import ReviewPanel, Tools
from backend.errors import AnnotationError
from backend.storage.collected import list_feedback
from backend.text.html_pieces import heading_html
from backend.ui import SAVE_FILE, errors_in_words

Update = dict[str, Any]
ABOUT_FILES = (
    "Pairs of the data set that is chosen above. A gold suite holds what was accepted, each question once; the others hold "
    "every pair with its state, JSON Lines with all decisions."
)
ABOUT_SUITES = "A text file with a question, its parse on the next line, and an empty line; its pairs then wait for review."
DEMOS = ("diabetes", "german", "compas")


@dataclass(frozen=True)
class ExchangePanel:
    take_out: gr.Column
    downloads: dict[str, gr.Button]
    download_verdicts: gr.Button
    file: gr.JSON
    suite: gr.File
    dataset: gr.Dropdown
    bring: gr.Button
    message: gr.HTML
    verdicts: gr.HTML

    @property
    def outputs(self) -> list[Any]:
        """In the order of what `refresh` gives."""
        return [self.take_out, self.download_verdicts, self.verdicts, self.dataset]


@errors_in_words
def download(tools: Tools, kind: str, dataset: str) -> dict[str, str]:
    """What was reviewed as a file for the browser to save; gold only if something is accepted."""
    chosen, items = FORMATS[kind], items_to_export(tools.database, dataset or None, tools.rights.owner())
    content = chosen.write(items)
    if not items or not content:
        raise AnnotationError("There is nothing to save yet: no pair has been accepted." if items else "No pair is here yet.")
    names = {item.dataset for item in items if item.gold or kind != "gold"}
    of = names.pop() if len(names) == 1 else "all"
    return {"name": f"parley-reviewed-{of}.{chosen.ending}", "type": chosen.media_type, "content": content}


@errors_in_words
def download_verdicts(tools: Tools, dataset: str) -> dict[str, str]:
    """All verdicts on answers as a file for the browser to save."""
    entries = list_feedback(tools.database, dataset or None, tools.rights.owner())
    if not entries:
        raise AnnotationError("There is nothing to save yet: nobody has judged an answer.")
    return {"name": f"parley-verdicts-{dataset or 'all'}.csv", "type": "text/csv", "content": verdicts_csv(entries)}


@errors_in_words
def bring_in(tools: Tools, path: str | None, dataset: str | None) -> tuple[str, Update]:
    """Import a file; say how many pairs wait now, or what is wrong in it. The file stays chosen if it was refused."""
    try:
        tools.rights.need_review()
        if not path or not dataset:
            raise AnnotationError("Choose a file and name the data set of its parses.")
        name, size = Path(path).name, Path(path).stat().st_size
        if size > LARGEST_FILE:
            raise AnnotationError(f"The file has {size:,} bytes; a suite may have at most {LARGEST_FILE:,}.")
        result = import_suite(tools.database, tools.reader, dataset, name, Path(path).read_bytes())
    except AnnotationError as error:
        return status_html(error.shown, alert=True), gr.skip()
    return status_html(result.words()), gr.update(value=None)


@errors_in_words
def refresh(tools: Tools, dataset: str) -> list[Any]:
    """Buttons where there is something to save, verdicts, and the data sets that may be named for a file (or any other)."""
    owner = tools.rights.owner()
    entries, counts = list_feedback(tools.database, dataset or None, owner), progress(tools.database, owner)
    names = list(dict.fromkeys([*DEMOS, *counts]))
    save_pairs, save_verdicts = gr.update(visible=bool(counts)), gr.update(visible=bool(entries))
    return [save_pairs, save_verdicts, verdicts_html(entries), gr.update(choices=names)]


def place() -> ExchangePanel:
    with gr.Row(elem_classes="review-exchange"):
        with gr.Column(min_width=320, visible=False) as take_out:
            gr.HTML(heading_html("Take out", ABOUT_FILES, 3), elem_classes="heading")
            with gr.Row():
                downloads = {kind: gr.Button(chosen.title, min_width=110, size="md") for kind, chosen in FORMATS.items()}
        with gr.Column(min_width=320):
            gr.HTML(heading_html("Bring in a gold suite", ABOUT_SUITES, 3), elem_classes="heading")
            suite = gr.File(label="Gold suite file (.txt)", file_types=[".txt"], height=150)
            dataset = gr.Dropdown(list(DEMOS), value=None, label="Data set of its parses", allow_custom_value=True)
            bring = gr.Button("Bring in", size="md")
            message = gr.HTML(elem_classes="review-html", apply_default_css=False)
    gr.HTML(heading_html("Verdicts on answers", "", 3), elem_classes="heading")
    verdicts = gr.HTML(elem_classes="review-html", apply_default_css=False)
    with gr.Row():
        of_verdicts = gr.Button("Verdicts as CSV", size="md", min_width=180, scale=0, visible=False)
    return ExchangePanel(take_out, downloads, of_verdicts, gr.JSON(visible=False), suite, dataset, bring, message, verdicts)


def wire(panel: ExchangePanel, review: ReviewPanel, tools: Tools) -> None:
    private: dict[str, Any] = {"api_visibility": "private"}
    saves = [(button, partial(download, tools, kind)) for kind, button in panel.downloads.items()]
    for button, handler in [*saves, (panel.download_verdicts, partial(download_verdicts, tools))]:
        button.click(handler, review.dataset, panel.file, **private).success(None, panel.file, None, js=SAVE_FILE, **private)
    brought = panel.bring.click(partial(bring_in, tools), [panel.suite, panel.dataset], [panel.message, panel.suite], **private)
    shown = brought.success(partial(review_panel.refresh, tools), review.inputs, review.outputs, **private)
    shown.success(partial(refresh, tools), review.dataset, panel.outputs, **private)
    review.dataset.change(partial(refresh, tools), review.dataset, panel.outputs, **private)
