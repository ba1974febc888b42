"""A conversation with a model: its turns, undo, editing a past question, and correcting how one was understood.

A conversation belongs to one browser tab or terminal. It keeps no rows: each turn holds its parse, its results and what it
leaves for the next one, so undoing and replaying are taking turns away and asking again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from backend.errors import ExecutionError
from ttm.language.grammar import grammar_of
from ttm.language.parse import Parse
from ttm.language.row_state import RowState, rows_after
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.listed_rows import listed_ids
from ttm.operations.results import Result
from ttm.operations.rows.context import Memory
from ttm.parsers import DialogueContext, Parser, Understanding


@dataclass(frozen=True)
class Turn:
    """One exchange. `parse` is None when the utterance was answered by a question back (`understanding.question`).

    `corrected` tells that a person chose the parse themselves.
    """

    number: int
    utterance: str
    understanding: Understanding
    parse: Parse | None
    results: tuple[Result, ...]
    memory: Memory
    corrected: bool = False

    @property
    def unused(self) -> str:
        """A sentence about the words that the answer does not rest on, empty if there are none."""
        words = () if self.parse is None or self.corrected else self.understanding.unused
        return f"I did not use: {', '.join(words)}." if words else ""

    @property
    def remembered(self) -> str:
        """Whose accepted correction the reading comes from, in words; empty if from none."""
        reviewer = "" if self.parse is None or self.corrected else self.understanding.corrected_by
        return f"as corrected by {reviewer}" if reviewer else ""


@dataclass
class Conversation:
    """Turns with one engine and parser; not shared between people, so not locked."""

    engine: ExecutionEngine
    parser: Parser
    turns: list[Turn] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    @property
    def memory(self) -> Memory:
        return self.turns[-1].memory if self.turns else Memory()

    def understand(self, utterance: str) -> Understanding:
        """How an utterance would be understood at this point, without a turn being taken."""
        return self.parser.understand(utterance, self.context)

    @property
    def context(self) -> DialogueContext:
        """What the turns so far offer to refer to."""
        rows: RowState | None = None
        parse, listed = None, tuple[str, ...]()
        for turn in self.turns:
            if turn.parse is not None:
                parse, rows = turn.parse, rows_after(turn.parse, rows)
                listed = listed_ids(turn.results) or listed
        last = self.turns[-1] if self.turns else None
        if last is None:
            return DialogueContext()
        asked = last.understanding if last.parse is None else None
        return DialogueContext(
            parse, last.utterance, (asked.question or "") if asked else "",
            tuple(one.parse for one in asked.candidates) if asked else (),
            rows, self.memory.operations, listed,
        )  # fmt: skip

    def ask(self, utterance: str) -> Turn:
        """Understand an utterance and carry it out; when it is not understood well enough, ask back."""
        understanding = self.understand(utterance)
        parse = None if understanding.question or not understanding.candidates else understanding.candidates[0].parse
        return self._append(utterance, understanding, parse)

    def ask_parse(self, parse: Parse, utterance: str = "") -> Turn:
        """Carry out a parse as a turn of its own (a suggestion that was clicked, a line of the command line)."""
        understanding = Understanding(utterance or str(parse), (), True, None)
        return self._append(understanding.utterance, understanding, parse)

    def correct(self, number: int, parse_text: str) -> Turn:
        """Answer turn `number` again as `parse_text`; later turns are answered again after it.

        Raises, before anything has changed, ParseError when the text is outside the grammar, and ExecutionError when there
        is no such turn.
        """
        parse = grammar_of(self.engine.schema).read(parse_text)
        at = self._index(number)
        before, turn, later = self.turns[:at], self.turns[at], self.turns[at + 1 :]
        self.turns = before
        corrected = self._append(turn.utterance, turn.understanding, parse, number=turn.number, corrected=True)
        for following in later:
            self._append(following.utterance, following.understanding, following.parse, following.number, following.corrected)
        return corrected

    def edit(self, number: int, utterance: str) -> Turn:
        """Ask turn `number` in other words and continue from there: later turns are dropped.

        Raises ExecutionError when there is no such turn.
        """
        self.turns = self.turns[: self._index(number)]
        return self.ask(utterance)

    def undo(self) -> Turn | None:
        """Take the last turn back and return it."""
        return self.turns.pop() if self.turns else None

    def _index(self, number: int) -> int:
        for index, turn in enumerate(self.turns):
            if turn.number == number:
                return index
        known = ", ".join(str(turn.number) for turn in self.turns) or "none"
        raise ExecutionError(f"There is no turn {number} in this conversation; its turns are: {known}.")

    def _append(
        self,
        utterance: str,
        understanding: Understanding,
        parse: Parse | None,
        number: int | None = None,
        corrected: bool = False,
    ) -> Turn:
        memory, results = self.memory, tuple[Result, ...]()
        if parse is not None:
            execution = self.engine.execute(parse, memory)
            results, memory = execution.results, execution.memory
        turn = Turn(number or next(self._numbers), utterance, understanding, parse, results, memory, corrected)
        self.turns.append(turn)
        return turn
