"""A conversation as a file to keep: HTML with its figures, Markdown, or JSON with unrounded numbers; and its corrections.

Corrections come as a gold suite (utterance, parse, blank line) and as JSON Lines.
"""

import html
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from backend.program.version import VERSION
from backend.storage.collected import Correction
from backend.text.templates import Macros, page_style
from ttm.chat.conversation import Turn
from ttm.chat.plain_text import answers_text
from ttm.chat.session import ChatSession
from ttm.language.describe_parse import parse_words
from ttm.operations.render import Answer, AnswerTable
from ttm.operations.rendering.answer import escape
from ttm.operations.results import as_json
from ttm.parsers import Understanding
from ttm.tabular.data.schema import Schema

HTML = Macros(__file__)
_ENTITY = re.compile(r"&#(?P<code>\d+);(?P<rest>(?:(?<=^&#\d\d;)\d*[.)](?=\s|$))?)", re.MULTILINE)
_FIRST_DIGIT = re.compile(r"^&#(4[89]|5[0-7]);")
TOP_MARGIN = 12  # of a figure, in pixels, once its title stands above it
LONG_CELL = 40  # characters from which a cell may be broken into lines
if TYPE_CHECKING:
    import plotly.graph_objects as go

STYLE_FILE = Path(__file__).with_name("export.css")


def to_json(session: ChatSession) -> str:
    """Everything about the conversation: data set, model, and each turn with its structured results."""
    subject = session.loaded.subject
    content = {
        "parley": VERSION,
        "title": session.schema.title,
        "objective": session.schema.objective,
        "model": subject.model.description,
        "fingerprint": subject.fingerprint,
        "turns": [turn_json(session, turn) | _how(session, turn) for turn in session.turns],
    }
    return json.dumps(content, indent=2, ensure_ascii=False)


def turn_json(session: ChatSession, turn: Turn) -> dict[str, Any]:
    """One turn for programs: what was asked, how it was understood and how surely, the answer in words and as values.

    `asked`: Parley asked back, and `parse` is null; `refused`: nothing here answers the question.
    """
    understanding = turn.understanding
    return {
        "utterance": turn.utterance,
        "parse": None if turn.parse is None else str(turn.parse),
        "readings": readings_json(understanding, session.schema),
        "confidence": understanding.best.confidence if understanding.best else 0.0,
        "unused": list(understanding.unused),
        "asked": turn.parse is None and understanding.in_scope,
        "refused": turn.parse is None and not understanding.in_scope and not understanding.chats,
        "text": turn_text(session, turn),
        "result": [as_json(result) for result in turn.results],
    }


def readings_json(understanding: Understanding, schema: Schema) -> list[dict[str, Any]]:
    """The readings of a question, best first, each with its words and the probability that it was meant."""
    return [
        {"parse": str(one.parse), "words": parse_words(one.parse, schema), "confidence": round(one.confidence, 4)}
        for one in understanding.candidates
    ]


def turn_text(session: ChatSession, turn: Turn) -> str:
    """What was answered, or asked back, as plain text; words that were not used are named."""
    if turn.parse is None:
        return turn.understanding.question or ""
    return "\n\n".join(text for text in (answers_text(session.answers(turn)), turn.unused) if text)


def _how(session: ChatSession, turn: Turn) -> dict[str, Any]:
    understood = None if turn.parse is None else parse_words(turn.parse, session.schema)
    return {"understood": understood, "corrected": turn.corrected, "pinned": session.is_pinned(turn)}


def to_markdown(session: ChatSession) -> str:
    """The conversation as Markdown; of a figure only its title is kept."""
    parts = [f"# {escape(session.schema.title)}", escape(_about(session))]
    for turn in session.turns:
        parts += [f"## {escape(turn.utterance)}"]
        if turn.parse is None:
            parts.append(escape(turn.understanding.question or ""))
            continue
        for answer in session.answers(turn):
            parts += [answer.text, *map(table_markdown, answer.tables), *_figure_note(answer)]
        parts.append(f"*{escape(parse_words(turn.parse, session.schema))}*\n\n    {turn.parse}")
    return without_entities("\n\n".join(part for part in parts if part) + "\n")


def without_entities(markdown: str) -> str:
    """The same Markdown with backslashes where `escape` wrote entities: a file is also read as it is, and by other programs."""
    return _ENTITY.sub(_as_written, markdown)


def _as_written(match: re.Match[str]) -> str:
    character, rest = chr(int(match["code"])), match["rest"]
    if character.isdigit():  # "1." begins a list only at the start of a line, and not with a backslash before the dot
        return f"{character}{rest[:-1]}\\{rest[-1]}" if rest else character
    return f"\\{character}{rest}"


def table_markdown(table: AnswerTable) -> str:
    lines = [table.columns, ["---"] * len(table.columns), *table.rows]
    rows = "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)
    return f"**{escape(table.title)}**\n\n{rows}" if table.title else rows


def _cell(text: str) -> str:
    # A number begins no list in a cell, so its first digit stays a digit.
    return text if text == "---" else _FIRST_DIGIT.sub(lambda match: chr(int(match[1])), escape(text))


def _figure_note(answer: Answer) -> list[str]:
    if answer.figure is None:
        return []
    title, _ = captioned(answer.figure)
    return [f"*(Figure: {escape(title or 'untitled')}. The HTML export shows it.)*"]


def to_html(session: ChatSession) -> str:
    """The conversation as one page that needs nothing else: figures stay interactive, offline as well."""
    turns = Markup("\n").join(_turn_html(session, turn) for turn in session.turns)
    style = page_style(STYLE_FILE)
    return str(HTML("page", session.schema.title, _about(session), turns, style, _plotly_library(session)))


def _plotly_library(session: ChatSession) -> Markup:
    answers = (answer for turn in session.turns for answer in session.answers(turn))
    if all(answer.figure is None for answer in answers):
        return Markup()
    from plotly.offline import get_plotlyjs

    return Markup(get_plotlyjs())


def _turn_html(session: ChatSession, turn: Turn) -> Markup:
    if turn.parse is None:
        return HTML("turn", turn.utterance, session.is_pinned(turn), turn.understanding.question or "", (), "", "")
    answers = [part for answer in session.answers(turn) for part in answer_html(answer)]
    words = parse_words(turn.parse, session.schema)
    return HTML("turn", turn.utterance, session.is_pinned(turn), "", answers, words, str(turn.parse))


def answer_html(answer: Answer) -> Iterable[Markup]:
    """The text, tables and figure of an answer, each as HTML; the page has to bring the library of plotly."""
    yield Markup(text_html(answer.text))
    yield from (HTML("scrolling", table_html(table)) for table in answer.tables)
    if answer.figure is not None:
        title, figure = captioned(answer.figure)
        yield HTML("caption", title)
        yield Markup(figure.to_html(full_html=False, include_plotlyjs=False, config={"displaylogo": False}))


def captioned(figure: "go.Figure") -> tuple[str, "go.Figure"]:
    """The title of a figure as plain text, and the figure without it: as a line above, it is not cut on a narrow screen."""
    import plotly.graph_objects as go

    bare = go.Figure(figure)
    title = html.unescape(bare.layout.title.text or "")
    bare.update_layout(title=None, margin_t=TOP_MARGIN)
    return title, bare


def text_html(markdown: str) -> str:
    """Answer text as HTML; raw HTML in it stays text, since answers never hold any."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark", {"html": False}).render(markdown)).strip()


def table_html(table: AnswerTable) -> Markup:
    """A real table whose cells hold only text."""
    return HTML("table", table, LONG_CELL)


def _about(session: ChatSession) -> str:
    schema, model = session.schema, session.loaded.subject.model
    rows = len(session.loaded.subject.dataset.frame)
    about = f"A conversation about a model that predicts {schema.objective}, on {rows:,} {schema.entity}"
    return f"{about}: {model.description}. Written by Parley {VERSION}."


EXPORTS: dict[str, Callable[[ChatSession], str]] = {"html": to_html, "md": to_markdown, "json": to_json}


# --- corrections ---------------------------------------------------------------------------------------------------------


def corrections_of(session: ChatSession) -> list[Correction]:
    """The turns of this conversation whose parse a person chose."""
    return [correction_of(session, turn) for turn in session.turns if turn.corrected]


def correction_of(session: ChatSession, turn: Turn) -> Correction:
    """A corrected turn with the parse that was predicted for it, empty if there was none."""
    best = turn.understanding.best
    predicted = "" if best is None else str(best.parse)
    return Correction(turn.utterance, predicted, str(turn.parse), session.loaded.subject.dataset.name)


def gold_suite(corrections: Iterable[Correction]) -> str:
    """Corrections as TalkToModel's gold files have them: utterance, parse, blank line. The last word on an utterance counts."""
    latest = {" ".join(one.utterance.split()): one.corrected for one in corrections}
    return "".join(f"{utterance}\n{_gold(parse)}\n\n" for utterance, parse in latest.items())


def _gold(parse: str) -> str:
    return parse.removesuffix("[e]") + "[E]" if parse.endswith("[e]") else parse


def json_lines(corrections: Iterable[Correction]) -> str:
    """Corrections with what was predicted, one JSON object a line."""
    return "".join(
        json.dumps(vars(one) | {"created": one.created.isoformat()}, ensure_ascii=False) + "\n" for one in corrections
    )
