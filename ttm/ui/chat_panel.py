"""The conversation itself: chatbot, composer, help with asking, verdicts, undo and edit."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr

from backend.errors import ExecutionError
from backend.jobs import ENDED, Job
from backend.network.shares.spending import SPENDING
from backend.storage.collected import Feedback, add_correction, add_feedback
from backend.text.html_pieces import label_html, paragraph
from backend.ui import errors_in_words, message_of, page_number, session_of_call
from ttm.chat.conversation import Turn
from ttm.chat.export import correction_of, turn_text
from ttm.chat.session import LONGEST_QUESTION, ChatSession, check_question
from ttm.chat.suggestions import category_titles, fresh_question
from ttm.ui import exact_panel
from ttm.ui.exact_panel import ExactPanel
from ttm.ui.exchange.messages import prepare, turn_at, typed_text
from ttm.ui.exchange.question_queue import WORKING, PendingQuestion, UnansweredQuestion
from ttm.ui.visit import ChatVisit, new_chat_id, shown

Update = dict[str, Any]
LOOK = 0.1  # seconds between two looks at whether something was asked or stopped
ABOUT_COMMENTS = (
    "Your verdict is kept on this server without your name, and so is a comment that you send. You see it in this visit; "
    "so does who reviews for this server, and nobody else who visits."
)
VERDICTS = {True: ("Like", "up"), False: ("Dislike", "down")}


@dataclass(frozen=True)
class ChatPanel:
    chatbot: gr.Chatbot
    exact: ExactPanel
    composer: gr.Textbox
    send: gr.Button
    stop: gr.Button
    comment_box: gr.Column
    comment: gr.Textbox
    comment_send: gr.Button
    comment_close: gr.Button
    help_buttons: dict[str, gr.Button]
    undo: gr.Button
    restart: gr.Button


def place() -> ChatPanel:
    prepare()
    chatbot = gr.Chatbot(
        elem_id="ttm-chat", show_label=False, height="auto", min_height=300,
        editable="user", layout="bubble",
        autoscroll=False,
        latex_delimiters=[], allow_tags=False, buttons=["copy"], feedback_options=("Like", "Dislike"),
        placeholder=paragraph("Loading the data set and its model …"),
    )  # fmt: skip
    with gr.Column(elem_classes="ttm-foot"):  # stays at the bottom of the window while the page scrolls
        exact = exact_panel.place()
        with gr.Row(elem_classes="ttm-composer", equal_height=True):
            composer = gr.Textbox(
                elem_id="ttm-composer", show_label=False, label="Your question", container=False, scale=8, lines=1, max_lines=5,
                max_length=LONGEST_QUESTION, placeholder="Ask about the model or its data …", min_width=160,
            )  # fmt: skip
            send = gr.Button("Ask", variant="primary", scale=0, min_width=88, elem_id="ttm-send")
            stop_button = gr.Button("Stop", variant="stop", scale=0, min_width=72, elem_id="ttm-stop")
        with gr.Column(visible=False, elem_classes="ttm-comment") as comment_box:
            gr.HTML(paragraph(ABOUT_COMMENTS), padding=False, elem_classes="ttm-note")
            with gr.Row(elem_classes="ttm-buttons"):
                comment = gr.Textbox(
                    show_label=False, label="Comment on the answer", container=False, scale=8, max_length=2000,
                    placeholder="What was right or wrong? (optional)", min_width=160,
                )  # fmt: skip
                comment_send = gr.Button("Send", size="sm", scale=0, min_width=64)
                comment_close = gr.Button("Close", size="sm", scale=0, min_width=64)
        with gr.Row(elem_classes="ttm-tools"):
            gr.HTML(label_html("Help me ask:"), padding=False, elem_classes="ttm-tools-label")
            buttons = {
                name: gr.Button(title, size="sm", min_width=70, scale=0, elem_classes="ttm-chip")
                for name, title in category_titles().items()
            }
            undo = gr.Button("Undo", size="sm", min_width=64, scale=0, elem_id="ttm-undo", elem_classes="ttm-quiet")
            restart = gr.Button("New chat", size="sm", min_width=84, scale=0, elem_id="ttm-restart", elem_classes="ttm-quiet")
    comments = (comment_box, comment, comment_send, comment_close)
    return ChatPanel(chatbot, exact, composer, send, stop_button, *comments, buttons, undo, restart)


# --- handlers ------------------------------------------------------------------------------------------------------------


def answering(visit: ChatVisit, *questions: PendingQuestion) -> Iterator[Update]:
    """The chatbot while questions wait and are answered.

    Only one of several calls answers, until nothing waits any more: two that wrote to the chatbot would overwrite each other.
    """
    if not visit.questions.add(*questions):
        yield gr.skip()
        return
    try:
        while (current := visit.questions.next()) is not None:
            yield from _answer(visit, current)
    finally:  # also when the page was closed
        visit.questions.leave()


def _answer(visit: ChatVisit, question: PendingQuestion) -> Iterator[Update]:
    """Answer in a branch of the conversation, which becomes the conversation at the end: until then it can be stopped."""
    branch = visit.session.branch()
    job = visit.answers.start(SPENDING.carried(partial(question.act, branch)))
    last = visit.questions.changes, question.progress
    yield shown(visit)
    while not question.stopped and not _ended(job):
        question.progress = job.progress.message if question.replays else WORKING
        if last != (visit.questions.changes, question.progress):
            last = (visit.questions.changes, question.progress)
            yield shown(visit)
    job.cancel()
    unanswered = _end(visit, question, job, branch)
    visit.questions.end(unanswered)
    yield shown(visit)


def _ended(job: Job[Turn | None]) -> bool:
    """Whether a job has ended, after waiting for that a little."""
    with suppress(Exception):
        job.result(LOOK)
    return job.state in ENDED


def _end(visit: ChatVisit, question: PendingQuestion, job: Job[Turn | None], branch: ChatSession) -> UnansweredQuestion | None:
    """Go on with what was answered, or say why there is no answer; nothing is said of what belongs to an earlier chat."""
    with visit.session.lock:  # while it is held, the conversation cannot become another one
        if question.stopped:
            return _stopped(visit, question)
        try:
            turn = job.result()
        except Exception as error:
            _stopped(visit, question)
            return UnansweredQuestion(question.utterance, message_of(error, answering.__qualname__), is_error=True)
        visit.session.take_over(branch)
    if question.after is not None and turn is not None:
        question.after(turn)
    return None


def _stopped(visit: ChatVisit, question: PendingQuestion) -> UnansweredQuestion | None:
    """What stays in sight of a question that was stopped. What was not brought back whole goes on under a new name."""
    if question.dropped:
        return None
    if question.replays:
        visit.called(new_chat_id())
        return UnansweredQuestion("", "Stopped. The conversation is still in the list under Chats.")
    return UnansweredQuestion(question.utterance, "Stopped.")


def asked(text: str) -> PendingQuestion:
    return PendingQuestion(text, lambda session, report: session.ask(text))


@errors_in_words
def ask_option(visit: ChatVisit, chosen: gr.SelectData) -> Iterator[Update]:
    """Ask a question that was offered under the last answer."""
    yield from answering(visit, asked(check_question(str(chosen.value))))


@errors_in_words
def ask_offered(value: str, visit: ChatVisit) -> Iterator[Update]:
    """Ask a question that stands on a button in a message."""
    yield from answering(visit, asked(check_question(value)))


@errors_in_words
def edit(visit: ChatVisit, edited: gr.EditData) -> Iterator[Update]:
    """Ask a past question in other words; later questions are carried out again after it."""
    turn = turn_at(visit.session, edited.index)
    text = check_question(typed_text(str(edited.value)))
    if turn is None:
        yield shown(visit)
        return
    number = turn.number
    yield from answering(visit, PendingQuestion(text, lambda session, report: session.edit(number, text)))


@errors_in_words
def choose(value: str, visit: ChatVisit) -> Iterator[Update]:
    """Answer a question by another of its readings: `value` is the turn's number and the index of the reading.

    It is no correction before the person says that it is what they meant.
    """
    number, _, reading = value.partition(" ")
    turn, index = visit.session.turn(page_number(number)), page_number(reading)
    if not 0 <= index < len(turn.understanding.candidates):
        raise ExecutionError("There is no such reading of this question.")
    parse = str(turn.understanding.candidates[index].parse)
    act = lambda session, report: session.correct(turn.number, parse, meant=False)  # noqa: E731
    yield from answering(visit, PendingQuestion(turn.utterance, act))


@errors_in_words
def confirm(value: str, visit: ChatVisit) -> Update:
    """Keep the reading that was chosen as a correction."""
    turn = visit.session.confirm(page_number(value))
    add_correction(visit.database, correction_of(visit.session, turn), session_of_call())
    return shown(visit)


def stop(visit: ChatVisit) -> None:
    """Stop the question that is being answered."""
    visit.questions.stop()


@errors_in_words
def take_back(value: str, visit: ChatVisit) -> Update:
    """Take back a question that waits."""
    visit.questions.take_back(page_number(value))
    return gr.skip() if visit.questions.busy else shown(visit)


@errors_in_words
def ask_again(value: str, visit: ChatVisit) -> Iterator[Update]:
    """Ask a question that has no answer yet."""
    unanswered = visit.questions.put_away(page_number(value))
    if unanswered is not None:
        yield from answering(visit, asked(check_question(unanswered.utterance)))


def refresh(value: str, visit: ChatVisit) -> Update:
    """Show the conversation as it is, after an older state of it came last."""
    return shown(visit)


@errors_in_words
def put_away(value: str, visit: ChatVisit) -> Update:
    """Take a question that has no answer out of sight."""
    visit.questions.put_away(page_number(value))
    return shown(visit)


@errors_in_words
def change(value: str, typed: str, visit: ChatVisit) -> tuple[Update, Update]:
    """Bring a question that has no answer back to the line, before what is typed there."""
    unanswered = visit.questions.put_away(page_number(value))
    line = "\n".join(filter(None, (unanswered.utterance if unanswered else "", typed)))
    return shown(visit), gr.update(value=line)


@errors_in_words
def undo(typed: str, visit: ChatVisit) -> tuple[Update, Update]:
    """Take the last question back; its words return to the line, or stay in sight if something is typed there."""
    visit.questions.drop()
    turn = visit.session.undo()
    if turn is not None and typed.strip():
        visit.questions.set_aside(UnansweredQuestion(turn.utterance, "Taken back."))
        return shown(visit), gr.skip()
    return shown(visit), gr.update(value=turn.utterance) if turn else gr.skip()


@errors_in_words
def restart(visit: ChatVisit) -> Update:
    visit.restart()
    visit.session.restart()
    return shown(visit)


@errors_in_words
def judge(visit: ChatVisit, liked: gr.LikeData) -> Update:
    """Keep a verdict on an answer, and ask for a comment."""
    turn = turn_at(visit.session, liked.index)
    if turn is None or not isinstance(liked.liked, bool):
        return gr.update(visible=False)
    shown_as, verdict = VERDICTS[liked.liked]
    visit.view.verdicts[turn.number], visit.commented = shown_as, turn.number
    add_feedback(visit.database, _feedback(visit, turn.number, verdict, ""), session_of_call())
    return gr.update(visible=True)


@errors_in_words
def comment(text: str, visit: ChatVisit) -> tuple[Update, Update]:
    """Keep a comment on the answer that was judged last."""
    if visit.commented is not None and text.strip():
        verdict = "up" if visit.view.verdicts.get(visit.commented) == "Like" else "down"
        add_feedback(visit.database, _feedback(visit, visit.commented, verdict, text.strip()), session_of_call())
        gr.Info("Thank you, your comment was kept.", duration=3)
    return gr.update(visible=False), gr.update(value="")


def _feedback(visit: ChatVisit, number: int, verdict: Any, text: str) -> Feedback:
    turn, session = visit.session.turn(number), visit.session
    dataset = session.loaded.subject.dataset.name
    return Feedback(turn.utterance, str(turn.parse or ""), turn_text(session, turn), verdict, text, dataset)


@errors_in_words
def help_ask(category: str, visit: ChatVisit) -> Update:
    """A fresh question of a category, to be asked or changed first."""
    dataset = visit.session.loaded.subject.dataset
    question = visit.session.offer(fresh_question(category, dataset, visit.random))
    return gr.update(value=question.utterance)


# --- wiring --------------------------------------------------------------------------------------------------------------


def wire(panel: ChatPanel, visit: gr.State) -> None:
    chatbot, composer = panel.chatbot, panel.composer
    private: dict[str, Any] = {"api_visibility": "private"}
    asking: dict[str, Any] = {"trigger_mode": "multiple", "show_progress": "hidden", **private}
    chatbot.option_select(ask_option, visit, chatbot, **asking)
    chatbot.edit(edit, visit, chatbot, **asking)
    panel.stop.click(stop, visit, None, queue=False, **private)
    chatbot.like(judge, visit, panel.comment_box, **private)
    gr.on([panel.comment.submit, panel.comment_send.click], comment, [panel.comment, visit],
          [panel.comment_box, panel.comment], **private)  # fmt: skip
    panel.comment_close.click(partial(comment, ""), visit, [panel.comment_box, panel.comment], **private)
    panel.undo.click(undo, [composer, visit], [chatbot, composer], **private)
    panel.restart.click(restart, visit, chatbot, **private)
    exact_panel.wire(panel.exact, visit, chatbot)
    for category, button in panel.help_buttons.items():
        button.click(partial(help_ask, category), visit, composer, **private)
