"""Rows as points by any two columns; chosen points go into the conversation, here and from figures of answers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import gradio as gr
from pydantic import ValidationError

from backend.errors import ExecutionError
from backend.text.html_pieces import paragraph
from backend.ui import errors_in_words
from ttm.chat.instruments.chosen_rows import ChosenMark, ChosenRows, chosen_question, mark_question
from ttm.chat.suggestions import SuggestedQuestion, as_request
from ttm.language.describe_parse import parse_words
from ttm.language.grammar import grammar_of
from ttm.language.operations.scatter import COLOURS, Scatter
from ttm.language.parse import Parse
from ttm.operations.exploration.run import PROBABILITY, TARGET
from ttm.operations.render import render
from ttm.tabular.data.schema import FeatureKind, Schema
from ttm.tabular.subject import Subject
from ttm.ui.chat_panel import answering, asked
from ttm.ui.visit import ChatVisit

Update = dict[str, Any]
NAME = "scatter"
MANY_VALUES = 30
COLOURED = {"label": "true outcome", "prediction": "prediction", "error": "error"}
HINT = "Click points, or draw a frame around some with the mouse; what is chosen can be asked about."


@dataclass(frozen=True)
class ScatterPanel:
    tab: gr.Tab
    across: gr.Dropdown
    up: gr.Dropdown
    by: gr.Dropdown
    plot: gr.Plot
    note: gr.HTML
    ask: gr.Button

    @property
    def choices(self) -> list[Any]:
        return [self.across, self.up, self.by]


def place() -> ScatterPanel:
    with gr.Tab("As points", id="points") as tab:
        with gr.Row(elem_classes="ttm-axes"):
            across = gr.Dropdown([], label="Across", filterable=False, min_width=120)
            up = gr.Dropdown([], label="Up", filterable=False, min_width=120)
            by = gr.Dropdown([(COLOURED[one], one) for one in COLOURS], label="Coloured by", filterable=False, min_width=120)
        note = gr.HTML(padding=False, elem_classes="ttm-note")
        plot = gr.Plot(show_label=False, container=False, elem_id="ttm-points")
        with gr.Row(elem_classes="ttm-buttons"):
            ask = gr.Button("Ask about this", size="sm", min_width=120, scale=0, elem_id="ttm-points-ask")
    return ScatterPanel(tab, across, up, by, plot, note, ask)


# --- handlers ------------------------------------------------------------------------------------------------------------


@errors_in_words
def open_points(visit: ChatVisit) -> tuple[Any, ...]:
    """The points when they are first looked at: the first number beside the model's output."""
    if NAME in visit.opened:
        return (gr.skip(),) * 5
    return _opened(visit)


@errors_in_words
def open_again(visit: ChatVisit) -> tuple[Any, ...]:
    """After another data set was chosen: its points, if they were looked at before."""
    return _opened(visit) if NAME in visit.opened else (gr.skip(),) * 5


def _opened(visit: ChatVisit) -> tuple[Any, ...]:
    visit.opened.add(NAME)
    schema, is_labelled = visit.session.schema, visit.session.loaded.subject.dataset.labels is not None
    columns = [*_columns(schema), *([("true outcome", TARGET)] if is_labelled else [])]
    by = "error" if is_labelled else "prediction"
    colours = [(COLOURED[one], one) for one in COLOURS if is_labelled or one == "prediction"]
    first = _first(visit.session.loaded.subject)
    drawn = draw(first, PROBABILITY, by, visit)
    updates = [gr.update(choices=columns, value=value) for value in (first, PROBABILITY)]
    return *updates, gr.update(choices=colours, value=by), *drawn


def _first(subject: Subject) -> str:
    """The first number of many values, whose points lie apart; else the first number, else the first column."""
    numbers = [one for one in subject.schema.features if one.kind is FeatureKind.NUMERIC]
    spread = [one for one in numbers if subject.dataset.frame[one.name].nunique() >= MANY_VALUES]
    return [*spread, *numbers, *subject.schema.features][0].token


def _columns(schema: Schema) -> list[tuple[str, str]]:
    output = "model's probability" if schema.target.is_classification else "prediction"
    return [(output, PROBABILITY), *((feature.label, feature.token) for feature in schema.features)]


@errors_in_words
def draw(across: str, up: str, by: str, visit: ChatVisit) -> tuple[Any, str]:
    """The figure that the chat gives for the same two columns, and what is to be said of it."""
    session = visit.session
    execution = session.loaded.engine.execute(_parse(across, up, by, session.schema))
    answer = render(execution.results[-1], session.schema)
    if answer.figure is None:
        raise ExecutionError(answer.text)
    answer.figure.update_layout(title=None, margin_t=10)
    drawn = len([point for trace in answer.figure.data for point in trace.x])
    rows = len(session.loaded.subject.dataset.frame)
    some = "" if drawn == rows else f" {drawn:,} of {rows:,} rows are drawn."
    return answer.figure, paragraph(f"{HINT}{some}")


@errors_in_words
def ask(across: str, up: str, by: str, visit: ChatVisit) -> Iterator[Update]:
    """Put the figure into the conversation."""
    parse = _parse(across, up, by, visit.session.schema)
    words = as_request(parse_words(parse, visit.session.schema))
    question = visit.session.offer(SuggestedQuestion(words, str(parse)))
    yield from answering(visit, asked(question.utterance))


def _parse(across: str, up: str, by: str, schema: Schema) -> Parse:
    """The parse that draws these columns; read from its text, so that no other columns get through."""
    return grammar_of(schema).read(str(Parse((Scatter(across, up, by),))))


@errors_in_words
def ask_chosen(value: str, visit: ChatVisit) -> Iterator[Update]:
    """Ask about rows whose points were chosen in a figure."""
    try:
        chosen = ChosenRows.model_validate_json(value)
    except ValidationError:
        raise ExecutionError("The chosen points cannot be read. Choose them again.") from None
    question = visit.session.offer(chosen_question(chosen, visit.session.schema))
    yield from answering(visit, asked(question.utterance))


@errors_in_words
def ask_mark(value: str, visit: ChatVisit) -> Iterator[Update]:
    """Ask about a bar or a cell that was clicked in a figure."""
    try:
        chosen = ChosenMark.model_validate_json(value)
    except ValidationError:
        raise ExecutionError("What was clicked cannot be read. Click it again.") from None
    question = visit.session.offer(mark_question(chosen, visit.session.turns, visit.session.schema))
    yield from answering(visit, asked(question.utterance))


def wire(panel: ScatterPanel, visit: gr.State, chatbot: gr.Chatbot) -> None:
    quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    panel.tab.select(open_points, visit, [*panel.choices, panel.plot, panel.note], **quiet)
    gr.on([one.input for one in panel.choices], draw, [*panel.choices, visit], [panel.plot, panel.note], **quiet)
    panel.ask.click(ask, [*panel.choices, visit], chatbot, trigger_mode="multiple", **quiet)
