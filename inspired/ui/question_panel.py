"""Where a question comes in: in words, or as one of the examples; and what is shown while it is answered."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr

from backend.errors import InspiredError
from backend.jobs import ReportProgress
from backend.network.shares.fair_shares import SHARES, you_have_waiting
from backend.text.html_pieces import label_html
from backend.ui import errors_in_words
from inspired.dialogue.own_graph import SUGGESTED
from inspired.dialogue.readings import AskedQuestion
from inspired.dialogue.session import LONGEST, Assistant
from inspired.ui.examples import examples
from inspired.ui.render import RefusedQuestion, source_html
from inspired.ui.visit import PendingWork, QuestionVisit, Shown, asked_now, working

PRIVATE: dict[str, Any] = {"api_visibility": "private"}
OPENING = "Your graph was still being read. Ask again when its name stands under the line."
# What went wrong is brought into view, wherever the question came from; on a narrow screen the answer is below the fold.
TO_ANSWER = """() => setTimeout(() => {
  const problem = document.querySelector(".KEY-root #kb-status .kb-problems");
  if (problem) problem.scrollIntoView({block: "center", behavior: "smooth"});
  else if (innerWidth < 800) document.querySelector(".KEY-root #kb-answer")?.scrollIntoView({behavior: "smooth"});
}, 300)"""


@dataclass(frozen=True)
class QuestionPanel:
    question: gr.Textbox
    ask: gr.Button
    examples: dict[str, gr.Button]
    offered: gr.Row
    own_row: gr.Row
    own_chips: list[gr.Button]
    source: gr.HTML
    status: gr.HTML
    stop: gr.Button
    key: str  # tells several on one page apart

    @property
    def to_answer(self) -> str:
        """What the browser does after an answer."""
        return TO_ANSWER.replace("KEY", self.key)

    @property
    def outputs(self) -> list[Any]:
        """What every handler that works for a while gives, after the visit."""
        return [self.status, self.stop]


def place(assistant: Assistant, key: str) -> QuestionPanel:
    with gr.Row(elem_classes="kb-ask", equal_height=True):
        question = gr.Textbox(
            label="Your question", show_label=False, container=False, scale=8, lines=1, max_lines=5, max_length=LONGEST,
            min_width=160, placeholder="Ask in your own words …", elem_id="kb-question",
        )  # fmt: skip
        ask = gr.Button("Ask", variant="primary", scale=0, min_width=88, elem_id="kb-ask")
    with gr.Row(elem_classes="kb-examples") as offered:
        gr.HTML(label_html("For example:"), padding=False, elem_classes="kb-examples-label")
        chips = {
            each.question: gr.Button(each.question, size="sm", scale=0, min_width=70, elem_classes="kb-chip")
            for each in examples().values()
        }
    with gr.Row(elem_classes="kb-examples", visible=False) as own_row:  # made from the graph of a visitor
        gr.HTML(label_html("For example:"), padding=False, elem_classes="kb-examples-label")
        own_chips = [gr.Button("", size="sm", scale=0, min_width=70, elem_classes="kb-chip") for _ in range(SUGGESTED)]
    source = gr.HTML(source_html(assistant), padding=False, elem_id="kb-source")
    with gr.Row(elem_classes="kb-status", equal_height=True):
        status = gr.HTML(padding=False, elem_id="kb-status")
        stop = gr.Button("Stop", size="sm", scale=0, min_width=80, visible=False, elem_id="kb-stop")
    return QuestionPanel(question, ask, chips, offered, own_row, own_chips, source, status, stop, key)


@errors_in_words
def ask(question: str, visit: QuestionVisit, desk: PendingWork) -> Iterator[Shown]:
    """Answer a question in words, which may go on from the one on the screen: see `answered_in_turn`."""
    yield from answered_in_turn(question, desk, visit.asked)


@errors_in_words
def ask_alone(question: str, desk: PendingWork) -> Iterator[Shown]:
    """Answer a question in words by itself: see `answered_in_turn`."""
    yield from answered_in_turn(question, desk)


def answered_in_turn(question: str, desk: PendingWork, after: AskedQuestion | None = None) -> Iterator[Shown]:
    """Answer a question in words, asked `after` another.

    One that is sent while another is being answered waits in sight, and is answered after that.
    """
    if desk.opening:  # the words are about the graph that comes
        desk.refused = (*desk.refused, RefusedQuestion(" ".join(question.split()), OPENING))
        yield gr.skip(), gr.skip(), gr.skip()  # shown with the progress
        return
    if desk.answering:
        if (count := len(desk.waiting)) >= SHARES.of_session:
            raise InspiredError(you_have_waiting(count))
        desk.waiting = (*desk.waiting, question)
        yield gr.skip(), gr.skip(), gr.skip()
        return
    desk.answering, desk.waiting, desk.refused = True, (question,), ()
    try:
        while desk.waiting:
            first, desk.waiting = desk.waiting[0], desk.waiting[1:]
            for shown in working(desk, _answer(first, desk, after), first):
                after = asked_now(shown, after)
                yield shown
    finally:  # also when the page was closed
        desk.answering, desk.waiting = False, ()


def _answer(question: str, desk: PendingWork, after: AskedQuestion | None) -> Callable[[ReportProgress], QuestionVisit]:
    return lambda report: QuestionVisit(desk.ask(question, report, after))


def stop(desk: PendingWork) -> None:
    desk.stop()


@errors_in_words
def tell_source(desk: PendingWork) -> str:
    """What is asked, and how much it holds once it has been read; it is never read only for this."""
    return source_html(desk.assistant, own=not desk.at_home)


def wire(panel: QuestionPanel, visit: gr.State, desk: gr.State) -> None:
    inputs, outputs = [panel.question, visit, desk], [visit, *panel.outputs]
    asking: dict[str, Any] = {"show_progress": "hidden", "trigger_mode": "multiple", **PRIVATE}
    asked = gr.on([panel.question.submit, panel.ask.click], ask, inputs, outputs, **asking)
    then_show(asked, panel, desk)
    for question, chip in panel.examples.items():  # what is typed in the line stays there
        then_show(chip.click(partial(ask_alone, question), desk, outputs, **asking), panel, desk)
    panel.stop.click(stop, desk, None, queue=False, **PRIVATE)


def then_show(asked: Any, panel: QuestionPanel, desk: gr.State) -> None:
    """After an answer: bring it into view, and tell how much there is to ask about."""
    asked.success(tell_source, desk, panel.source, show_progress="hidden", **PRIVATE)
    asked.success(None, None, None, js=panel.to_answer, **PRIVATE)
