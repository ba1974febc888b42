"""One page about a model: what it predicts, how good it is, what matters, where it is wrong and for whom, what was asked.

The page stands alone: figures are interactive, and nothing is fetched.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from markupsafe import Markup

from backend.errors import ExecutionError
from backend.jobs import ReportProgress
from backend.program.version import VERSION
from backend.text.templates import Macros, page_style
from ttm.chat.export import STYLE_FILE, answer_html, table_markdown, text_html
from ttm.chat.interface.chat_answer import ChatAnswer
from ttm.chat.model_card import card
from ttm.chat.session import ChatSession
from ttm.operations.rendering.answer import escape
from ttm.tabular.data.schema import FeatureKind, Schema

HTML = Macros(__file__)
MOST_GROUPINGS = 3
MOST_VALUES = 8  # of a column whose groups are compared without being asked for


def _unheard(share: float, words: str) -> None:
    """Where nobody watches."""


class AnsweringChat(Protocol):
    """What a report needs of a chat."""

    @property
    def session(self) -> ChatSession: ...

    @property
    def schema(self) -> Schema: ...

    @property
    def answers(self) -> tuple[ChatAnswer, ...]: ...

    def parse(self, parse: str) -> ChatAnswer: ...

    def errors(self, by: str | None = None) -> ChatAnswer: ...


def write_report(chat: AnsweringChat, path: Path, by: Sequence[str] | None = None) -> Path:
    """Write the page. Raises ExecutionError for an unknown column, or if the file cannot be written."""
    return write_text(path, report_page(chat, by))


def report_page(chat: AnsweringChat, by: Sequence[str] | None = None, progress: ReportProgress = _unheard) -> str:
    """The page as HTML. Raises ExecutionError for an unknown column, and whatever `progress` raises to stop."""
    from plotly.offline import get_plotlyjs

    schema = chat.schema
    parts = [HTML("part", title, _answered(answer)) for title, answer in sections(chat, by, progress)]
    asked = [
        HTML("asked", answer.utterance, answer.number in _pinned(chat), _answered(answer), answer) for answer in chat.answers
    ]
    subject = chat.session.loaded.subject
    about = f"A model that predicts {schema.objective}: {subject.model.description}. Written by Parley {VERSION}."
    style, library = page_style(STYLE_FILE), Markup(get_plotlyjs())
    return str(HTML("page", schema.title, about, Markup(text_html(card(subject))), parts, asked, style, library))


def sections(
    chat: AnsweringChat, by: Sequence[str] | None = None, progress: ReportProgress = _unheard
) -> list[tuple[str, ChatAnswer]]:
    """Each heading with its answer. What a model or a data set has no answer for is left out."""
    scores = "score default" if chat.session.loaded.subject.dataset.labels is not None else ""
    listed = [("Scores", scores), ("Importance", "important all"), ("Errors", "mistake typical" if scores else "")]
    columns = list(by) if by is not None else grouping_columns(chat)
    answers: list[tuple[str, ChatAnswer]] = []
    for title, answer in [
        *((title, partial(chat.parse, parse)) for title, parse in listed if parse),
        *((_by(name, chat.schema), partial(chat.errors, name)) for name in columns),
    ]:
        progress(len(answers) / (len(listed) + len(columns)), title)
        answers.append((title, answer()))
    wanted = by or ()
    return [(title, one) for title, one in answers if one.tables or one.figures or title in ("Errors", *wanted)]


def _by(name: str, schema: Schema) -> str:
    return f"By {schema.by_name[name].label if name in schema.by_name else name}"


def grouping_columns(chat: AnsweringChat) -> list[str]:
    """Columns whose groups are worth a look: what people cannot change first, then categories of a few values."""
    features = [one for one in chat.schema.features if one.kind is not FeatureKind.DATE]
    few = [one for one in features if not one.mutable or 1 < len(one.values) <= MOST_VALUES]
    return [one.name for one in sorted(few, key=lambda one: one.mutable)][:MOST_GROUPINGS]


def model_card_section(chat: AnsweringChat) -> str:
    """The same facts in Markdown, as a section of a model card on the Hugging Face hub or beside a model file."""
    lines = [card(chat.session.loaded.subject)]
    for title, answer in sections(chat):
        lines += [f"#### {escape(title)}", *_markdown(answer)]
    asked = [answer for answer in chat.answers if answer.parse]
    lines += ["#### Questions that were asked"] if asked else []
    for answer in asked:
        lines += [f"**{escape(answer.utterance)}**", *_markdown(answer), f"*{escape(answer.words or '')}*"]
    return "\n\n".join(line for line in [*lines, f"*Written by Parley {VERSION}.*"] if line) + "\n"


def _markdown(answer: ChatAnswer) -> list[str]:
    return [text for part in answer.parts for text in (part.text, *map(table_markdown, part.tables))]


def _answered(answer: ChatAnswer) -> list[Markup]:
    return [markup for part in answer.parts for markup in answer_html(part)] or [Markup(HTML("asked_back", answer.text))]


def _pinned(chat: AnsweringChat) -> set[int]:
    return {pin.turn.number for pin in chat.session.pins}


def write_text(path: Path, text: str) -> Path:
    """Write a file and return its path. Raises ExecutionError if that cannot be done."""
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise ExecutionError(f"Cannot write {path}: {error.strerror or error}.") from error
    return path
