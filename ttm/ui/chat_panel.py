"""The conversation itself: chatbot, composer, help with asking, verdicts, undo and edit."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr

from backend.storage.collected import Feedback, add_correction, add_feedback
from backend.ui import errors_in_words, session_of_call
from ttm.chat.export import correction_of, turn_text
from ttm.chat.session import LONGEST_QUESTION, check_question
from ttm.chat.suggestions import category_titles, fresh_question
from ttm.ui import exact_panel
from ttm.ui.exact_panel import ExactPanel
from ttm.ui.messages import pending, prepare, turn_at, typed_text
from ttm.ui.visit import ChatVisit, shown

Update = dict[str, Any]
VERDICTS = {True: ("Like", "up"), False: ("Dislike", "down")}


@dataclass(frozen=True)
class ChatPanel:
    chatbot: gr.Chatbot
    exact: ExactPanel
    composer: gr.Textbox
    send: gr.Button
    comment_row: gr.Row
    comment: gr.Textbox
    comment_send: gr.Button
    help_buttons: dict[str, gr.Button]
    undo: gr.Button
    restart: gr.Button


def place() -> ChatPanel:
    prepare()
    chatbot = gr.Chatbot(
        elem_id="ttm-chat", show_label=False, height="min(68vh, 760px)", min_height=320, editable="user", layout="bubble",
        autoscroll=False,
        latex_delimiters=[], allow_tags=False, buttons=["copy"], feedback_options=("Like", "Dislike"),
        placeholder="<p>Loading the data set and its model …</p>",
    )  # fmt: skip
    exact = exact_panel.place()
    with gr.Row(elem_classes="ttm-composer", equal_height=True):
        composer = gr.Textbox(
            elem_id="ttm-composer", show_label=False, label="Your question", container=False, scale=8, lines=1, max_lines=5,
            max_length=LONGEST_QUESTION, placeholder="Ask about the model or its data …", min_width=160,
        )  # fmt: skip
        send = gr.Button("Ask", variant="primary", scale=0, min_width=88, elem_id="ttm-send")
    with gr.Row(visible=False, elem_classes="ttm-comment") as comment_row:
        comment = gr.Textbox(
            show_label=False, label="Comment on the answer", container=False, scale=8, max_length=2000,
            placeholder="Thank you. What was right or wrong about it? (optional)", min_width=160,
        )  # fmt: skip
        comment_send = gr.Button("Send comment", scale=0, min_width=120)
    with gr.Row(elem_classes="ttm-tools"):
        gr.HTML("<span>Help me ask:</span>", padding=False, elem_classes="ttm-tools-label")
        buttons = {
            name: gr.Button(title, size="sm", min_width=70, scale=0, elem_classes="ttm-chip")
            for name, title in category_titles().items()
        }
        undo = gr.Button("Undo", size="sm", min_width=64, scale=0, elem_id="ttm-undo", elem_classes="ttm-quiet")
        restart = gr.Button("New chat", size="sm", min_width=84, scale=0, elem_id="ttm-restart", elem_classes="ttm-quiet")
    return ChatPanel(chatbot, exact, composer, send, comment_row, comment, comment_send, buttons, undo, restart)


# --- handlers ------------------------------------------------------------------------------------------------------------


def answering(visit: ChatVisit, utterance: str, act: Callable[[], object]) -> Iterator[Update]:
    """The chatbot while `act` answers, and afterwards; as it was before if that fails."""
    yield gr.update(value=pending(visit.session, visit.view, utterance))
    visit.answering = True
    try:
        act()
    except Exception:
        yield shown(visit)
        raise
    finally:
        visit.answering = False
    yield shown(visit)


@errors_in_words
def ask(utterance: str, visit: ChatVisit) -> Iterator[tuple[Update, Update]]:
    """Answer what stands in the composer, and empty it."""
    text = check_question(utterance)
    for update in answering(visit, text, partial(visit.session.ask, text)):
        yield update, gr.update(value="")


@errors_in_words
def ask_option(visit: ChatVisit, chosen: gr.SelectData) -> Iterator[Update]:
    """Ask a question that was offered under the last answer."""
    text = check_question(str(chosen.value))
    yield from answering(visit, text, partial(visit.session.ask, text))


@errors_in_words
def edit(visit: ChatVisit, edited: gr.EditData) -> Iterator[Update]:
    """Ask a past question in other words; the turns after it go."""
    turn = turn_at(visit.session, edited.index)
    text = check_question(typed_text(str(edited.value)))
    if turn is None:
        yield shown(visit)
        return
    with visit.session.lock:
        visit.session.take_back_from(turn.number)
    yield from answering(visit, text, partial(visit.session.ask, text))


@errors_in_words
def choose(value: str, visit: ChatVisit) -> Update:
    """Answer a question by another of its readings: `value` is the turn's number and the place of the reading."""
    number, index = map(int, value.split())
    turn = visit.session.turn(number)
    corrected = visit.session.correct(number, str(turn.understanding.candidates[index].parse))
    add_correction(visit.database, correction_of(visit.session, corrected), session_of_call())
    return shown(visit)


@errors_in_words
def undo(visit: ChatVisit) -> tuple[Update, Update]:
    """Take the last question back and put its words into the composer."""
    turn = visit.session.undo()
    return shown(visit), gr.update(value=turn.utterance) if turn else gr.skip()


@errors_in_words
def restart(visit: ChatVisit) -> Update:
    visit.session.restart()
    visit.restart()
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
    gr.on([composer.submit, panel.send.click], ask, [composer, visit], [chatbot, composer], **private)
    chatbot.option_select(ask_option, visit, chatbot, **private)
    chatbot.edit(edit, visit, chatbot, **private)
    chatbot.like(judge, visit, panel.comment_row, **private)
    gr.on([panel.comment.submit, panel.comment_send.click], comment, [panel.comment, visit],
          [panel.comment_row, panel.comment], **private)  # fmt: skip
    panel.undo.click(undo, visit, [chatbot, composer], **private)
    panel.restart.click(restart, visit, chatbot, **private)
    exact_panel.wire(panel.exact, visit, chatbot)
    for category, button in panel.help_buttons.items():
        button.click(partial(help_ask, category), visit, composer, **private)
