"""One step as a card: its question and answers, and a place to say it otherwise, in words or as a logical form."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import gradio as gr

from backend.errors import InspiredError
from backend.text.html_pieces import paragraph
from backend.ui import errors_in_words
from inspired.dialogue.dialogue import Dialogue, delete_step, insert_step, replace_step
from inspired.dialogue.last_change import LastChange
from inspired.dialogue.readings import AskedQuestion
from inspired.dialogue.session import LONGEST
from inspired.ui.question_panel import PRIVATE
from inspired.ui.render import choice_words, problem_html, step_html
from inspired.ui.visit import AFTER, BEFORE, EDIT, OTHERS, Pen, PendingWork, QuestionVisit, Shown, working

TITLES = {
    EDIT: "Step {0} in your words",
    BEFORE: "A new step before step {0}, in your words",
    AFTER: "A new step after step {0}, in your words",
}
FORMS = {
    EDIT: "Logical form of step {0}",
    BEFORE: "Logical form of a new step before step {0}",
    AFTER: "Logical form of a new step after step {0}",
}
HOW_TO_SAY = "As a question. “That country” means one that an earlier step found, “these” what the last one found."
A_FORM = "?x ns:location.country.currency_used [Euro] ."
NO_OTHERS = "No other way to understand this step was found. Edit it in your own words."
HOW_TO_WRITE = "Write a thing by its name in brackets, as in [Paris], by a phrase such as [that country], or by its id."


def place(
    now: QuestionVisit,
    at: PendingWork,
    number: int,
    change: LastChange | None,
    visit: gr.State,
    desk: gr.State,
    outputs: list[Any],
) -> None:
    """The card of step `number`, with what is being written there, if anything."""
    assert now.asked is not None
    kind = change.kind_of(number) if change else None
    pen = now.pen if now.pen and now.pen.number == number else None
    with gr.Column(elem_classes="kb-card", elem_id=f"kb-step-{number}"):
        gr.HTML(step_html(now.asked.dialogue, number, kind), padding=False)
        if pen is None:
            _place_buttons(number, visit, desk, outputs)
        elif pen.writing == OTHERS:
            _place_choices(pen, visit, desk, outputs)
        else:
            _place_editor(now.asked.dialogue, pen, at, visit, desk, outputs)


def _place_buttons(number: int, visit: gr.State, desk: gr.State, outputs: list[Any]) -> None:
    with gr.Row(elem_classes="kb-buttons"):
        for writing in (EDIT, BEFORE, AFTER):
            gr.Button(writing, size="sm").click(partial(write, number, writing), visit, visit, **PRIVATE)
        gr.Button(OTHERS, size="sm").click(
            partial(alternatives, number), [visit, desk], outputs, show_progress="hidden", **PRIVATE
        )
        gr.Button("Delete", size="sm", variant="stop").click(
            partial(delete, number), [visit, desk], outputs, show_progress="hidden", **PRIVATE
        )


def _place_editor(dialogue: Dialogue, pen: Pen, at: PendingWork, visit: gr.State, desk: gr.State, outputs: list[Any]) -> None:
    draft = at.drafts.get((pen.number, pen.writing))
    text = dialogue.words_of(pen.number) or dialogue.in_words().questions[pen.number - 1] if pen.writing == EDIT else ""
    words = gr.Textbox(
        pen.words or draft or text, label=TITLES[pen.writing].format(pen.number), info=HOW_TO_SAY, lines=1, max_lines=4,
        max_length=LONGEST, autofocus=True, interactive=True, placeholder="Which country borders that country?",
        elem_classes="kb-words",
    )  # fmt: skip
    words.input(partial(keep, pen.number, pen.writing), [words, desk], None, show_progress="hidden", **PRIVATE)
    if pen.problem:
        gr.HTML(problem_html(pen.problem), padding=False)
    with gr.Row(elem_classes="kb-buttons"):
        gr.Button("Cancel", size="sm").click(stop_writing, visit, visit, **PRIVATE)
        go = gr.Button("See how it is understood", size="sm", variant="secondary" if pen.choices else "primary")
    gr.on([go.click, words.submit], understand, [words, visit, desk], outputs, show_progress="hidden", **PRIVATE)
    if pen.choices:
        _place_choices(pen, visit, desk, outputs)
    with gr.Accordion("As logical form", open=False):
        form = gr.Textbox(
            dialogue.step_text(pen.number) if pen.writing == EDIT else "", label=FORMS[pen.writing].format(pen.number),
            info=HOW_TO_WRITE, lines=3, max_lines=12, interactive=True, elem_classes="kb-editor", placeholder=A_FORM,
        )  # fmt: skip
        save = gr.Button("Save" if pen.writing == EDIT else "Insert", size="sm")
        save.click(save_form, [form, visit, desk], outputs, show_progress="hidden", **PRIVATE)


def _place_choices(pen: Pen, visit: gr.State, desk: gr.State, outputs: list[Any]) -> None:
    """What the words can mean, the likeliest first and chosen; for a step as it stands, what else it can be."""
    if not pen.choices:
        gr.HTML(paragraph(NO_OTHERS, "kb-quiet"), padding=False)
        gr.Button("Close", size="sm", elem_classes="kb-close").click(stop_writing, visit, visit, **PRIVATE)
        return
    label = "Instead of this step" if pen.writing == OTHERS else "Understood as"
    listed = [(choice_words(each), index) for index, each in enumerate(pen.choices)]
    chosen = gr.Radio(listed, value=0, label=label, interactive=True, elem_classes="kb-choices")
    with gr.Row(elem_classes="kb-buttons"):
        if pen.writing == OTHERS:
            gr.Button("Cancel", size="sm").click(stop_writing, visit, visit, **PRIVATE)
        use = gr.Button("Use this", size="sm", variant="primary")
    use.click(use_choice, [chosen, visit, desk], outputs, show_progress="hidden", **PRIVATE)


# --- handlers ------------------------------------------------------------------------------------------------------------


def write(number: int, writing: str, visit: QuestionVisit) -> QuestionVisit:
    return visit.write(Pen(number, writing))


def stop_writing(visit: QuestionVisit) -> QuestionVisit:
    return visit.write(None)


def keep(number: int, writing: str, words: str, desk: PendingWork) -> None:
    """Words that are typed but not used yet come back when the same place is opened again."""
    desk.drafts[number, writing] = words


@errors_in_words
def understand(words: str, visit: QuestionVisit, desk: PendingWork) -> Iterator[Shown]:
    """Show what the words can mean; if nothing, say so beside them."""
    asked, pen = _open(visit)

    def work(report: Any) -> QuestionVisit:
        try:
            choices = desk.assistant.understood(asked.dialogue, pen.place, pen.inserts, words, report)
        except InspiredError as error:
            return visit.write(Pen(pen.number, pen.writing, words, problem=error.shown))
        return visit.write(Pen(pen.number, pen.writing, words, choices))

    yield from working(desk, work)


@errors_in_words
def alternatives(number: int, visit: QuestionVisit, desk: PendingWork) -> Iterator[Shown]:
    """Show what else a step could be."""
    asked = visit.asked
    assert asked is not None

    def work(report: Any) -> QuestionVisit:
        return visit.write(Pen(number, OTHERS, choices=desk.assistant.alternatives(asked, number, report)))

    yield from working(desk, work)


@errors_in_words
def use_choice(index: int, visit: QuestionVisit, desk: PendingWork) -> Iterator[Shown]:
    """Correct the dialogue as the chosen reading says, and answer it again."""
    _, pen = _open(visit)
    chosen = pen.choices[index]
    yield from _answer(chosen.dialogue, visit, desk, chosen.unused)


@errors_in_words
def save_form(text: str, visit: QuestionVisit, desk: PendingWork) -> Iterator[Shown]:
    """Correct the dialogue by a logical form, and answer it again."""
    asked, pen = _open(visit)
    if pen.inserts:
        yield from _answer(insert_step(asked.dialogue, pen.place - 1, text), visit, desk)
    else:
        yield from _answer(replace_step(asked.dialogue, pen.number, text), visit, desk)


@errors_in_words
def delete(number: int, visit: QuestionVisit, desk: PendingWork) -> Iterator[Shown]:
    assert visit.asked is not None
    yield from _answer(delete_step(visit.asked.dialogue, number), visit, desk)


def _open(visit: QuestionVisit) -> tuple[AskedQuestion, Pen]:
    assert visit.asked is not None
    assert visit.pen is not None, "nothing is being written"
    return visit.asked, visit.pen


def _answer(dialogue: Dialogue, visit: QuestionVisit, desk: PendingWork, unused: tuple[str, ...] = ()) -> Iterator[Shown]:
    asked = visit.asked
    assert asked is not None

    def work(report: Any) -> QuestionVisit:
        answered = asked.now(desk.assistant.answered(dialogue, report))
        desk.drafts.clear()
        return QuestionVisit(answered, unused=unused)

    yield from working(desk, work)
