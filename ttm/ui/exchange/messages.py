"""A conversation as messages of a chatbot: questions, and answers as text, tables, figures and how each was understood.

Everything that came from data or a person is escaped. Messages of a turn are made once and kept, because each refresh of the
screen sends the whole conversation again.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import gradio as gr
from markupsafe import Markup

from backend.text.html_pieces import paragraph
from backend.text.templates import Macros
from backend.text.words import capitalised
from ttm.chat.conversation import Turn
from ttm.chat.export import captioned, table_html
from ttm.chat.instruments.what_if import is_about_one_row
from ttm.chat.model_card import opening
from ttm.chat.session import ChatSession, Pin
from ttm.chat.suggestions import SuggestedQuestion, as_request, next_questions
from ttm.language.describe_parse import parse_words
from ttm.operations.render import Answer, AnswerTable
from ttm.operations.rendering.figure_table import figure_table
from ttm.operations.scores.run import ThresholdScores
from ttm.ui.exchange.question_queue import QuestionQueue
from ttm.ui.exchange.threshold_slider import slider_of_answer

Message = dict[str, Any]
HTML = Macros(__file__, table_html=table_html)
READINGS_SHOWN = 3
LEAST_CONFIDENCE = 0.04
UNSURE = 0.5  # confidence under which an answer begins with the doubt about it
SURE = 0.8  # from which it shows no other readings
LISTED = re.compile(r"(?:Which do|Do) you mean: .*", re.DOTALL)  # in a question back: what stands on the buttons under it
ROWS_OPEN = 8
NO_QUESTIONS = QuestionQueue()

# What would become formatting; a person sees this text again when they edit it, so no more is escaped than has to be.
_FORMATTING = re.compile(r"[\\*`~\[|]|(?<!\w)_|_(?!\w)|<(?=[\w/!?])|&(?=#?\w+;)|^\s*(?:[#>+-]|\d+(?=[.)]))", re.MULTILINE)
_ESCAPED = re.compile(r"\\([^\w\s]|_)|&(lt|amp);|&#(\d+);")


def escape_typed(text: str) -> str:
    """What a person typed, as Markdown that shows just that. `typed_text` is the way back."""
    return _FORMATTING.sub(lambda match: "".join(map(_escaped, match[0])), text)


def _escaped(character: str) -> str:
    if character in "<&":
        return {"<": "&lt;", "&": "&amp;"}[character]
    if character.isspace():
        return character
    return f"&#{ord(character)};" if character.isdigit() else f"\\{character}"


def typed_text(markdown: str) -> str:
    """What a person typed, from a message that they edited."""
    return _ESCAPED.sub(_character, markdown)


def _character(match: re.Match[str]) -> str:
    escaped, name, code = match.groups()
    return escaped or ({"lt": "<", "amp": "&"}[name] if name else chr(int(code)))


@dataclass
class View:
    """What the screen of one session keeps: messages already made, verdicts on answers, questions that were proposed."""

    opening: Message | None = None
    starters: tuple[SuggestedQuestion, ...] = ()
    verdicts: dict[int, str] = field(default_factory=dict)
    made: dict[int, tuple[Turn, bool, list[Message]]] = field(default_factory=dict)

    def forget(self) -> None:
        self.opening, self.starters = None, ()
        self.verdicts.clear()
        self.made.clear()


def messages(session: ChatSession, view: View, questions: QuestionQueue = NO_QUESTIONS) -> list[Message]:
    """The opening and all turns, of which the last offers what could be asked next; then what has no answer."""
    with session.lock:
        if view.opening is None:
            text, answer = opening(session.loaded)
            view.opening = _assistant([_text(text), _html(_starters(session, view)), *_answer_blocks(answer)])
        shown = [view.opening]
        for turn in session.turns:
            shown += _turn_messages(session, turn, view)
        proposals = () if questions.current else _proposals(session, view)
    last = shown[-1] | {"options": [_option(question) for question in proposals]}
    return [*shown[:-1], last, *_without_answer(questions)]


def _starters(session: ChatSession, view: View) -> Markup:
    """What may be asked first, before the figure, so that it is in sight on a small screen as well."""
    return HTML("starters", [session.offer(question).utterance for question in view.starters])


def _without_answer(questions: QuestionQueue) -> Iterator[Message]:
    """The questions that were not answered, the one that is being answered, and those that wait."""
    for index, unanswered in enumerate(questions.unanswered):
        if unanswered.utterance:
            yield _user(unanswered.utterance)
        yield _assistant([_html(HTML("unanswered", index, unanswered))])
    if questions.current is None:
        return
    if questions.current.utterance:
        yield _user(questions.current.utterance)
    yield _assistant([_html(paragraph(f"{questions.current.progress} …", "ttm-pending", "status"))])
    for index, question in enumerate(questions.waiting):
        yield _user(question.utterance)
        yield _assistant([_html(HTML("waiting", index))])


def verdicts(session: ChatSession, view: View) -> list[str | None]:
    """What was thought of each assistant message, as the chatbot wants it: the opening first."""
    return [None, *(view.verdicts.get(turn.number) for turn in session.turns)]


def pin_messages(pins: list[Pin]) -> list[Message]:
    """The pinned answers, the last one first, each under its question."""
    return [
        _assistant([_html(HTML("pin_head", pin)), *(block for answer in pin.answers for block in _answer_blocks(answer))])
        for pin in reversed(pins)
    ]


def turn_at(session: ChatSession, index: Any) -> Turn | None:
    """The turn that the message at an index of the chatbot, or at one with its part, belongs to; None for the opening."""
    number = index[0] if isinstance(index, list | tuple) and index else index
    turns = session.turns
    if not isinstance(number, int):  # no page of ours sends such a one
        return None
    return turns[(number - 1) // 2] if 0 < number <= 2 * len(turns) else None


def _proposals(session: ChatSession, view: View) -> list[SuggestedQuestion]:
    turns = session.turns
    if not turns or turns[-1].parse is None:
        return []
    answers = session.answers(turns[-1])
    parses = [parse for answer in answers for parse in answer.next_parses]
    groups = [result.group for result in turns[-1].results[-1:] if turns[-1].memory.filter and not result.group.changes]
    before = groups[0].words if groups else ""
    suggestions = next_questions(parses, session.schema, [str(turns[-1].parse)], before)
    return [session.offer(question) for question in suggestions]


def _option(question: SuggestedQuestion) -> dict[str, str]:
    return {"value": question.utterance, "label": question.utterance}


def _turn_messages(session: ChatSession, turn: Turn, view: View) -> list[Message]:
    pinned = session.is_pinned(turn)
    known = view.made.get(turn.number)
    if known is None or known[0] is not turn or known[1] is not pinned:
        answer = _assistant([*_doubt(session, turn), *_blocks(session, turn), _html(understood(session, turn, pinned))])
        known = (turn, pinned, [_user(turn.utterance), answer])
        view.made[turn.number] = known
    return known[2]


def _doubt(session: ChatSession, turn: Turn) -> list[Message]:
    """What stands before an answer that may not be the one that was asked for."""
    reason = _doubtful(turn)
    if not reason:
        return []
    return [_html(paragraph(reason, "ttm-doubt") + _readings(session, turn, "Or did you mean", LEAST_CONFIDENCE))]


def _doubtful(turn: Turn) -> str:
    """Why an answer may not be the one that was asked for: an unlikely reading, or a number or name that it left out."""
    best = turn.understanding.best
    if turn.parse is None or turn.chosen or best is None:
        return ""
    if _leaves_out_a_number_or_name(turn):
        return f"{turn.unused.removesuffix('.')}, so this may not be what you asked."
    return "I am not sure that this is what you asked." if best.confidence < UNSURE else ""


def _leaves_out_a_number_or_name(turn: Turn) -> bool:
    """Whether the answer leaves out a number or a name: most often the row, value or group that was meant."""
    words = turn.understanding.unused if turn.unused else ()
    return any(any(map(str.isdigit, word)) or _is_name(word, turn.utterance) for word in words)


def _is_name(word: str, utterance: str) -> bool:
    """Whether a word begins with a capital although no sentence does there."""
    return word[:1].isupper() and not utterance.lstrip().startswith(word)


def _blocks(session: ChatSession, turn: Turn) -> list[Message]:
    if turn.parse is None:
        question = turn.understanding.question or ""
        shown = (
            LISTED.sub("Choose what you mean, or say it in other words.", question) if turn.understanding.offered else question
        )
        return [_html(paragraph(shown, "ttm-doubt" if turn.understanding.in_scope else "ttm-back"))]
    answers, slider = session.answers(turn), slider_of_answer(session, turn)
    if slider is None:
        return [block for answer in answers for block in _answer_blocks(answer)]
    *before, last = answers
    rest = replace(last, text="", tables=() if isinstance(turn.results[-1], ThresholdScores) else last.tables)
    moved = [*before, replace(last, tables=(), figure=None)]
    return [*(block for answer in moved for block in _answer_blocks(answer)), _html(slider), *_answer_blocks(rest)]


def _answer_blocks(answer: Answer) -> list[Message]:
    blocks = [_text(answer.text)] if answer.text else []
    blocks += [_html(folded_table(table)) for table in answer.tables]
    if answer.figure is None:
        return blocks
    title, figure = captioned(answer.figure)
    caption = [_html(paragraph(capitalised(title), "ttm-caption"))] if title else []
    plot = _component("plot", {"type": "plotly", "plot": figure.to_json()}, _settings("plot"))
    return [*blocks, *caption, plot, _html(_figure_more(answer))]


def _figure_more(answer: Answer) -> Markup:
    """What stands under a figure: its numbers as a table, and a way to save it."""
    table = None if answer.figure is None else figure_table(answer.figure)
    return HTML("figure_more", "" if table is None else folded_table(table))


def folded_table(table: AnswerTable) -> Markup:
    """A table in a frame that scrolls; a long one shows its first rows and keeps the rest behind a fold."""
    if len(table.rows) <= ROWS_OPEN + 2:
        return HTML("table", table)
    first = AnswerTable(table.title, table.columns, table.rows[:ROWS_OPEN])
    return HTML("long_table", first, AnswerTable("", table.columns, table.rows[ROWS_OPEN:]))


# --- how it was understood -----------------------------------------------------------------------------------------------


def understood(session: ChatSession, turn: Turn, pinned: bool) -> Markup:
    """The last part of an answer: the question as it was understood, its parse behind a fold, and other readings."""
    if turn.parse is None:
        return _readings(session, turn, "Did you mean" if turn.understanding.in_scope else "Nearest to it", 0.0)
    heading = "You chose" if turn.chosen else "Understood as"
    heading += f" ({turn.remembered})" if turn.remembered else ""
    words = as_request(parse_words(turn.parse, session.schema))
    unused = "" if _leaves_out_a_number_or_name(turn) else turn.unused
    # The way from an answer about one row to its values, which can be set by mouse.
    what_if, meant = is_about_one_row(turn.memory), bool(turn.chosen and not turn.corrected)
    return HTML("understood", turn, heading, words, unused, meant, what_if, pinned) + _others(session, turn)


def _others(session: ChatSession, turn: Turn) -> Markup:
    """Other readings under an answer: where there was some doubt, and where a person chose one and may want to go back."""
    best = turn.understanding.best
    doubtful = best is not None and best.confidence < SURE and not _doubtful(turn)
    return _readings(session, turn, "Or did you mean", LEAST_CONFIDENCE) if doubtful or turn.chosen else Markup()


def _readings(session: ChatSession, turn: Turn, lead: str, least: float) -> Markup:
    """Readings other than the one that was answered, as buttons."""
    candidates, offered = turn.understanding.candidates, turn.understanding.offered if turn.parse is None else ()
    numbered = [(n, one) for parse in offered for n, one in enumerate(candidates) if one.parse == parse] or [
        *enumerate(candidates)
    ]
    readings = {
        as_request(parse_words(candidate.parse, session.schema)): str(number)
        for number, candidate in reversed(numbered)
        if candidate.parse != turn.parse and candidate.confidence >= least
    }
    if not readings:
        return Markup()
    shown = list(reversed(readings.items()))[:READINGS_SHOWN]
    acts = [(f"{turn.number} {number}", words) for words, number in shown]
    return HTML("readings", lead, acts)


# --- blocks of a message -------------------------------------------------------------------------------------------------


def _user(utterance: str) -> Message:
    return {"role": "user", "content": [_text(escape_typed(utterance))]}


def _assistant(blocks: list[Message]) -> Message:
    return {"role": "assistant", "content": blocks}


def _text(markdown: str) -> Message:
    return {"type": "text", "text": markdown}


def _html(markup: str) -> Message:
    return _component("html", str(markup), _settings("html"))


def _component(name: str, value: object, settings: dict[str, Any]) -> Message:
    return {"type": "component", "component": name, "value": value, "constructor_args": {}, "props": settings}


def prepare() -> None:
    """To be called while the screen is built: inside an event, gradio makes components without a configuration."""
    _settings("html")
    _settings("plot")


@lru_cache(maxsize=2)
def _settings(name: str) -> dict[str, Any]:
    """The configuration of a component without a value, as gradio sends it to the browser."""
    made: gr.HTML | gr.Plot = gr.Plot(show_label=False, container=False, render=False)
    if name == "html":
        made = gr.HTML(padding=False, apply_default_css=False, render=False)
    return {key: setting for key, setting in made.get_config().items() if key != "value"}
