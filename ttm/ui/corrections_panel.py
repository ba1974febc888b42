"""Correcting how a question was understood: its steps as a list, each to be replaced or deleted, and new ones inserted."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr

from backend.errors import ExecutionError
from backend.storage.collected import add_correction
from backend.text.html_pieces import paragraph
from backend.text.templates import Macros
from backend.ui import errors_in_words, page_number, session_of_call
from ttm.chat.conversation import Turn
from ttm.chat.export import correction_of
from ttm.language.correction import (
    CorrectionDraft,
    begin,
    check,
    delete_step,
    insert_step,
    replace_step,
    reworded,
    step_words,
    templates,
)
from ttm.language.parse import Joiner
from ttm.ui.chat_panel import answering
from ttm.ui.exchange.question_queue import PendingQuestion
from ttm.ui.visit import ChatVisit

Update = dict[str, Any]
KEPT = (
    "“Answer again” keeps your question and its correction on this server, without your name. "
    "You see it in this visit; so does who reviews for this server, and nobody else who visits."
)
HTML = Macros(__file__)
LEAST_SURE = 0.2  # a person sees what is made of their words before it is used, so little is enough


@dataclass(frozen=True)
class CorrectionsPanel:
    question: gr.HTML
    editor: gr.Column
    words: gr.Textbox
    understand: gr.Button
    steps: gr.Radio
    joiner: gr.Dropdown
    template: gr.Dropdown
    text: gr.Textbox
    replace: gr.Button
    insert_before: gr.Button
    insert: gr.Button
    delete: gr.Button
    meaning: gr.HTML
    answer: gr.Button
    cancel: gr.Button

    @property
    def drafted(self) -> list[gr.components.Component]:
        """What changes when the draft does, in the order of `_drafted`."""
        return [self.steps, self.joiner, self.text, self.meaning, self.answer]

    @property
    def opened(self) -> list[Any]:
        """What changes when a correction begins or ends, in the order of `_opened` and `_closed`."""
        return [self.question, self.editor, self.template, *self.drafted]


def place() -> CorrectionsPanel:
    question = gr.HTML(HTML("idle"), padding=False)
    with gr.Column(visible=False) as editor:
        words = gr.Textbox(label="Say it in your words", placeholder="only those with …, or: not …, but …", max_lines=3,
                           max_length=1000, elem_id="ttm-correct-words")  # fmt: skip
        understand = gr.Button("See how it is understood", size="sm", elem_id="ttm-understand")
        meaning = gr.HTML(padding=False, elem_id="ttm-meaning")
        with gr.Row(elem_classes="ttm-buttons"):
            answer = gr.Button("Answer again", variant="primary", size="sm", elem_id="ttm-answer-again")
            cancel = gr.Button("Cancel", size="sm")
        gr.HTML(paragraph(KEPT, "ttm-note"), padding=False, elem_id="ttm-correction-kept")
        with gr.Accordion("Advanced: step by step", open=False, elem_id="ttm-advanced"):
            steps = gr.Radio([], label="Steps, in order", elem_id="ttm-steps", elem_classes="ttm-steps")
            template = gr.Dropdown([], label="Put in", value=None, info="A choice fills the line below; edit it as you need.")
            with gr.Row(equal_height=True):
                joiner = gr.Dropdown([one.value for one in Joiner], label="Joined by", value="and", scale=1, min_width=96)
                text = gr.Textbox(label="Step", scale=3, min_width=160, max_lines=3, elem_id="ttm-step", max_length=300)
            with gr.Row(elem_classes="ttm-buttons"):
                replace = gr.Button("Replace", size="sm", min_width=76, elem_id="ttm-replace")
                before = gr.Button("Insert before", size="sm", min_width=96, elem_id="ttm-insert-before")
                insert = gr.Button("Insert after", size="sm", min_width=90, elem_id="ttm-insert")
                delete = gr.Button("Delete", size="sm", min_width=70, elem_id="ttm-delete")
    return CorrectionsPanel(question, editor, words, understand, steps, joiner, template, text, replace, before, insert, delete,
                            meaning, answer, cancel)  # fmt: skip


# --- handlers ------------------------------------------------------------------------------------------------------------


@errors_in_words
def correct(value: str, visit: ChatVisit) -> tuple[Any, ...]:
    """Begin to correct a turn; `last` is the last one."""
    turns = visit.session.turns
    if value == "last" and not turns:
        raise ExecutionError("There is no question to correct yet.")
    turn = turns[-1] if value == "last" else visit.session.turn(page_number(value))
    best = turn.understanding.best
    visit.draft = begin(turn.number, turn.parse or (best.parse if best else None))
    heading = paragraph(turn.utterance, "ttm-question")
    choices = list(templates(visit.session.schema))
    return heading, gr.update(visible=True), gr.update(choices=choices, value=None), *_drafted(visit)


def close(visit: ChatVisit) -> tuple[Any, ...]:
    """End a correction without answering again."""
    visit.draft = None
    return HTML("idle"), gr.update(visible=False), gr.skip(), *[gr.skip()] * 5


def _drafted(visit: ChatVisit) -> tuple[Any, ...]:
    draft, schema = _draft(visit), visit.session.schema
    choices = [(_label(joiner, text, index, schema), index) for index, (joiner, text) in enumerate(draft.items)]
    joiner, text = draft.items[draft.selected] if draft.selected is not None else (Joiner.AND, "")
    words, valid = check(draft, schema)
    meaning = HTML("meaning", valid, words, draft.text)
    return (
        gr.update(choices=choices, value=draft.selected), gr.update(value=joiner.value), gr.update(value=text), meaning,
        gr.update(interactive=valid),
    )  # fmt: skip


def _label(joiner: Joiner, text: str, index: int, schema: Any) -> str:
    lead = "" if index == 0 else f"{joiner.value} "
    words = step_words(text, schema)
    return f"{lead}{text}" if words == text else f"{lead}{words}  ({text})"


@errors_in_words
def understand(words: str, visit: ChatVisit) -> tuple[Any, ...]:
    """Change the draft as words say that are read as following on it; what they do not mean is said beside them."""
    draft = _draft(visit)
    if not words.strip():
        return _refused("Type first what you meant, such as: only those with …")
    understanding = visit.session.understand_after(draft.number, words)
    best = understanding.best
    if best is None or (understanding.question is not None and best.confidence < LEAST_SURE):
        return _refused(understanding.question or "No step can be made of these words.")
    visit.draft = reworded(draft, best.parse, words)
    return _drafted(visit)


def _refused(reason: str) -> tuple[Any, ...]:
    """Leave the draft as it is and say why, in the order of `drafted`."""
    return *[gr.skip()] * 3, HTML("refused", reason), gr.skip()


def _draft(visit: ChatVisit) -> CorrectionDraft:
    if visit.draft is None:
        raise ExecutionError("Nothing is being corrected. Press Correct under an answer first.")
    return visit.draft


@errors_in_words
def select(index: int | None, visit: ChatVisit) -> tuple[Any, ...]:
    """Choose the step that the buttons act on."""
    if visit.draft is not None and index is not None and 0 <= index < len(visit.draft.items):
        visit.draft = visit.draft.at(index)
    return _drafted(visit)


@errors_in_words
def fill(template: str | None, visit: ChatVisit) -> Update:
    text = templates(visit.session.schema).get(template or "")
    return gr.update(value=text) if text else gr.skip()


@errors_in_words
def replace(joiner: str, text: str, visit: ChatVisit) -> tuple[Any, ...]:
    if visit.draft is not None and text.strip():
        visit.draft = replace_step(visit.draft, Joiner(joiner), text)
    return _drafted(visit)


@errors_in_words
def insert(joiner: str, text: str, visit: ChatVisit) -> tuple[Any, ...]:
    if visit.draft is not None and text.strip():
        visit.draft = insert_step(visit.draft, Joiner(joiner), text)
    return _drafted(visit)


@errors_in_words
def insert_before(joiner: str, text: str, visit: ChatVisit) -> tuple[Any, ...]:
    if visit.draft is not None and text.strip():
        visit.draft = insert_step(visit.draft, Joiner(joiner), text, before=True)
    return _drafted(visit)


@errors_in_words
def delete(visit: ChatVisit) -> tuple[Any, ...]:
    if visit.draft is not None:
        visit.draft = delete_step(visit.draft)
    return _drafted(visit)


def keep(visit: ChatVisit, turn: Turn) -> None:
    """Keep a corrected turn for the review."""
    add_correction(visit.database, correction_of(visit.session, turn), session_of_call())


@errors_in_words
def answer_again(visit: ChatVisit) -> Iterator[tuple[Any, ...]]:
    """Answer the turn by the corrected parse, and keep the correction."""
    draft = _draft(visit)
    number, text = draft.number, draft.text
    utterance = visit.session.turn(number).utterance
    question = PendingQuestion(utterance, lambda session, report: session.correct(number, text), after=partial(keep, visit))
    closed = close(visit)
    for update in answering(visit, question):
        yield update, *closed


def wire(panel: CorrectionsPanel, visit: gr.State, chatbot: gr.Chatbot) -> None:
    edit: list[Any] = [panel.joiner, panel.text, visit]
    private: dict[str, Any] = {"api_visibility": "private"}
    panel.steps.input(select, [panel.steps, visit], panel.drafted, **private)
    panel.template.input(fill, [panel.template, visit], panel.text, **private)
    gr.on([panel.replace.click, panel.text.submit], replace, edit, panel.drafted, **private)
    panel.insert.click(insert, edit, panel.drafted, **private)
    panel.insert_before.click(insert_before, edit, panel.drafted, **private)
    gr.on([panel.understand.click, panel.words.submit], understand, [panel.words, visit], panel.drafted, **private)
    panel.delete.click(delete, visit, panel.drafted, **private)
    panel.answer.click(answer_again, visit, [chatbot, *panel.opened], show_progress="hidden", **private)
    panel.cancel.click(close, visit, panel.opened, **private)
