"""Another model of the same table, chosen by mouse or brought as a file, set beside the one that is talked about."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from backend.errors import ExecutionError, ParleyError
from backend.ui import errors_in_words
from ttm.chat.suggestions import SuggestedQuestion
from ttm.language.grammar import grammar_of
from ttm.language.operations.scores import Models
from ttm.language.parse import IdCondition, Parse, Selection
from ttm.tabular.data.schema import Schema
from ttm.tabular.model.other_models import BOOSTED, BROUGHT, MODEL_NAMES, model_words
from ttm.tabular.model.train import NAME
from ttm.ui.chat_panel import answering, asked
from ttm.ui.own_data_panel import without_folders
from ttm.ui.visit import ChatVisit

Update = dict[str, Any]
ABOUT = """Set another model of the same table beside this one: the scores of both with their intervals, the rows where they
disagree, and what each rests on. The first time, it is trained here."""
OWN_FILE = "a model of your own, from a file"
OPENED = "models"


@dataclass(frozen=True)
class ModelsPanel:
    tab: gr.Tab
    kind: gr.Radio
    file: gr.File
    row: gr.Textbox
    ask: gr.Button


def place() -> ModelsPanel:
    with gr.Tab("Models", id="models") as tab:
        gr.Markdown(ABOUT, elem_classes="ttm-prose")
        kind = gr.Radio([], label="Beside this model", elem_id="ttm-other-model")
        file = gr.File(label="Model file (skops, XGBoost, LightGBM, ONNX)", height=140, visible=False)
        row = gr.Textbox(label="Row id, if it is about one row", max_length=200, elem_id="ttm-models-row")
        with gr.Row(elem_classes="ttm-buttons"):
            ask_button = gr.Button("Set side by side", variant="primary", size="sm", min_width=140, elem_id="ttm-models-ask")
    return ModelsPanel(tab, kind, file, row, ask_button)


@errors_in_words
def open_models(visit: ChatVisit) -> Any:
    """Offer the kinds of models, when they are first looked at."""
    if OPENED in visit.opened:
        return gr.skip()
    return _offered(visit)


@errors_in_words
def open_again(visit: ChatVisit) -> Any:
    """After another data set was chosen: its kinds of models, if they were looked at before."""
    return _offered(visit) if OPENED in visit.opened else gr.skip()


def _offered(visit: ChatVisit) -> Update:
    visit.opened.add(OPENED)
    model = visit.session.loaded.subject.model
    kinds = [kind for kind in MODEL_NAMES if not (kind == BOOSTED and model.name == NAME)]
    choices = [(OWN_FILE if kind == BROUGHT else model_words(kind, visit.session.schema), kind) for kind in kinds]
    return gr.update(choices=choices, value=kinds[0])


def choose(kind: str) -> Update:
    """Show the place for a file where one is wanted."""
    return gr.update(visible=kind == BROUGHT)


@errors_in_words
def ask(kind: str | None, file: str | None, row: str, visit: ChatVisit) -> Iterator[Update]:
    """Put both models into the conversation; a file is read first."""
    if kind is None:
        raise ExecutionError("Choose a kind of model first.")
    if kind == BROUGHT and file is not None:
        _bring(Path(file), visit)
    question = visit.session.offer(models_question(kind, row.strip(), visit.session.schema))
    yield from answering(visit, asked(question.utterance))


def _bring(file: Path, visit: ChatVisit) -> None:
    try:
        visit.session.compare_with(file)
    except ParleyError as error:
        error.message = without_folders(error.message, str(file))
        raise


def models_question(kind: str, row: str, schema: Schema) -> SuggestedQuestion:
    """The question that sets another kind of model beside this one, for one row where its id is given."""
    id = f'"{row}"' if " " in row else row
    rows = (Selection((((IdCondition(id),),),)),) if row else ()
    parse = grammar_of(schema).read(str(Parse((*rows, Models(kind)))))
    about = f" for id {row}" if row else ""
    return SuggestedQuestion(f"Compare the model with {model_words(kind, schema)}{about}", str(parse))


def wire(panel: ModelsPanel, visit: gr.State, chatbot: gr.Chatbot) -> None:
    quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    panel.tab.select(open_models, visit, panel.kind, **quiet)
    panel.kind.change(choose, panel.kind, panel.file, **quiet)
    gr.on([panel.ask.click, panel.row.submit], ask, [panel.kind, panel.file, panel.row, visit], chatbot,
          trigger_mode="multiple", **quiet)  # fmt: skip
