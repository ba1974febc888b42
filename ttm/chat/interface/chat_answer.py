"""An answer as Python has it: words, the parse, other readings, tables, a figure, and the result with unrounded numbers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from backend.text.notebook_buttons import show_with_buttons, text_and_html
from ttm.chat.conversation import Turn
from ttm.chat.export import turn_text
from ttm.chat.interface.frames import result_frame, shown_frame
from ttm.chat.interface.notebook_display import ChatReading, answer_html, buttons
from ttm.chat.plain_text import answers_text, terminal_text
from ttm.chat.session import ChatSession
from ttm.chat.suggestions import as_request
from ttm.language.describe_parse import parse_words
from ttm.operations.render import Answer, render_turn
from ttm.operations.results import Result, as_json
from ttm.tabular.data.dataset import Dataset

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class ChatAnswer:
    """Hold what `ModelChat.ask` and its siblings return.

    Attributes:
        utterance: The question.
        text: The answer in plain words, or what is asked back.
        parse: How the question was understood, in the parse language; None where Parley asks back.
        words: The same in English; None where Parley asks back.
        confidence: The probability (0 to 1) that this reading was meant; None where there was nothing to understand.
        readings: All readings that were considered, best first.
        unused: Words of the question that the answer does not rest on.
        results: JSON objects with unrounded numbers, one for each operation; the API page of results gives their fields and
            units.
        tables: Data frames (rows, columns) with unrounded numbers, one for each table of the answer.
        number: Which turn of the conversation this is, from 0; None where the answer is no part of it.
        parts: Words, tables and figure of each operation as the app has them.
        typed: The results before they become JSON.
        choose: Answers the question by the reading of this number (from 0), in the conversation that it belongs to.

    Source:
        TalkToModel (Slack et al.), section 2.1 for `parse`, section 2.2 for what is answered.
    """

    utterance: str
    text: str
    parse: str | None
    words: str | None
    confidence: float | None
    readings: tuple[ChatReading, ...]
    unused: tuple[str, ...]
    results: tuple[dict[str, Any], ...]
    tables: tuple[pd.DataFrame, ...]
    number: int | None
    parts: tuple[Answer, ...] = field(repr=False)
    typed: tuple[Result, ...] = field(repr=False)
    # Answers the question by the reading of this number, in the conversation that it belongs to.
    choose: "Callable[[int], ChatAnswer]" = field(repr=False, compare=False)

    @property
    def result(self) -> dict[str, Any] | None:
        """The result of the first operation as JSON, which in most questions is the only one; None where there is none."""
        return self.results[0] if self.results else None

    @property
    def table(self) -> pd.DataFrame | None:
        """The first table (rows, columns), with unrounded numbers; None where there is none."""
        return self.tables[0] if self.tables else None

    @property
    def figures(self) -> tuple["go.Figure", ...]:
        """Interactive figures (plotly), one at most for each operation; axes name their units."""
        return tuple(part.figure for part in self.parts if part.figure is not None)

    @property
    def figure(self) -> "go.Figure | None":
        """The first figure (plotly), None where there is none."""
        return self.figures[0] if self.figures else None

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the first figure with matplotlib.

        Args:
            ax: The axes to draw on. If None, new ones that are one column (85 mm) wide.

        Returns:
            The axes, whose figure can be written as PDF or SVG.

        Raises:
            ExecutionError: The answer has no figure.
        """
        from ttm.chat.interface.plots.matplotlib_figures import draw

        return draw(self.figure, ax, self.utterance)

    def __str__(self) -> str:
        shown = terminal_text(self.parts) if self.parts else self.text
        notes = [f"I did not use: {', '.join(self.unused)}."] if self.unused else []
        lines = [f"  {number}. {one.words}" for number, one in enumerate(self.readings)] if self.parse is None else []
        understood = [f"({self.words}  {self.parse})"] if self.parse else []
        return "\n\n".join(text for text in (shown, *notes, "\n".join(lines), *understood) if text)

    def _repr_html_(self) -> str:
        return answer_html(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return text_and_html(self)

    def _ipython_display_(self) -> None:
        show_with_buttons(self, buttons(self))

    def __reduce__(self) -> Any:
        raise TypeError("An answer is not pickled. Keep its text, table or result, or the whole chat: chat.save(folder).")


def answer_of(session: ChatSession, turn: Turn, choose: Callable[[int], ChatAnswer], counted: bool = True) -> ChatAnswer:
    """A turn of a conversation as an answer; not `counted`, one that the conversation does not keep."""
    understanding, parts = turn.understanding, session.answers(turn) if counted and turn.parse is not None else ()
    if not counted:
        parts = tuple(render_turn(turn.results, session.schema))
    readings = tuple(
        ChatReading(str(one.parse), as_request(parse_words(one.parse, session.schema)), float(one.confidence))
        for one in understanding.candidates
    )
    taken = next((one.confidence for one in readings if one.parse == str(turn.parse)), None)
    best = readings[0].confidence if readings and turn.parse is None else None
    return ChatAnswer(
        utterance=turn.utterance,
        text=turn_text(session, turn) if counted else answers_text(parts),
        parse=None if turn.parse is None else str(turn.parse),
        words=None if turn.parse is None else as_request(parse_words(turn.parse, session.schema)),
        confidence=taken if turn.parse is not None else best,
        readings=readings,
        unused=() if turn.parse is None or turn.corrected else understanding.unused,
        results=tuple(as_json(result) for result in turn.results),
        tables=_tables(parts, turn.results, session.loaded.subject.dataset),
        number=turn.number if counted else None,
        parts=parts,
        typed=turn.results,
        choose=choose,
    )


def _tables(parts: tuple[Answer, ...], results: tuple[Result, ...], dataset: Dataset) -> tuple[pd.DataFrame, ...]:
    """Of each result its frame, and where it has none the tables that are shown for it."""
    if len(parts) != len(results):
        return tuple(shown_frame(table) for part in parts for table in part.tables)
    tables: list[pd.DataFrame] = []
    for part, result in zip(parts, results, strict=True):
        frame = result_frame(result, dataset)
        tables += [frame] if frame is not None else [shown_frame(table) for table in part.tables]
    return tuple(tables)
