"""A conversation with a model: its turns, undo, editing a past question, and correcting how one was understood.

A conversation belongs to one browser tab or terminal. It keeps no rows: each turn holds its parse, its results and what it
leaves for the next one, so undoing and replaying are taking turns away and asking again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from backend.errors import ExecutionError
from ttm.chat.remembered.named_groups import NamedGroups
from ttm.language.grammar import grammar_of
from ttm.language.operations.dialogue import NameRows
from ttm.language.parse import Parse
from ttm.language.row_state import RowState, rows_after
from ttm.operations.dialogue.run import NamedRows
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.listed_rows import listed_ids
from ttm.operations.results import Result
from ttm.operations.rows.context import Memory
from ttm.parsers import DialogueContext, Parser, Understanding


@dataclass(frozen=True)
class Turn:
    """One exchange. `parse` is None when the utterance was answered by a question back (`understanding.question`).

    `chosen` tells that a person took this parse in place of another, `corrected` that they said it is what they meant.
    """

    number: int
    utterance: str
    understanding: Understanding
    parse: Parse | None
    results: tuple[Result, ...]
    memory: Memory
    corrected: bool = False
    chosen: bool = False

    @property
    def unused(self) -> str:
        """A sentence about the words that the answer does not rest on, empty if there are none."""
        words = () if self.parse is None or self.corrected or self.chosen else self.understanding.unused
        return f"I did not use: {', '.join(words)}." if words else ""

    @property
    def remembered(self) -> str:
        """Whose accepted correction the reading comes from, in words; empty if from none."""
        reviewer = "" if self.parse is None or self.corrected else self.understanding.corrected_by
        return f"as corrected by {reviewer}" if reviewer else ""


def _trust(turns: Sequence[Turn]) -> float:
    """The probability that the turn from which the next goes on was understood; what a person chose is meant."""
    for turn in reversed(turns):
        best = turn.understanding.best
        if turn.parse is not None or turn.understanding.likeliest is not None:
            return best.confidence if best is not None and not (turn.chosen or turn.corrected) else 1.0
    return 1.0


def _gives_a_name(turn: Turn) -> bool:
    """Whether a turn names rows and asks nothing: what comes next goes on from the turn before."""
    return turn.parse is not None and any(isinstance(step, NameRows) for step in turn.parse.steps)


@dataclass
class Conversation:
    """Turns with one engine and parser; not shared between people, so not locked."""

    engine: ExecutionEngine
    parser: Parser
    turns: list[Turn] = field(default_factory=list)
    named: NamedGroups | None = None
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    @property
    def memory(self) -> Memory:
        return self.turns[-1].memory if self.turns else Memory()

    def understand(self, utterance: str) -> Understanding:
        """How an utterance would be understood at this point, without a turn being taken."""
        if self.named is None:
            return self.parser.understand(utterance, self.context)
        return self.named.understand(utterance, self.context, self.parser)

    @property
    def context(self) -> DialogueContext:
        """What the turns so far offer to refer to."""
        rows: RowState | None = None
        parse, listed = None, tuple[str, ...]()
        turns = [turn for turn in self.turns if not _gives_a_name(turn)]
        for turn in turns:
            if turn.parse is not None:
                parse, rows = turn.parse, rows_after(turn.parse, rows)
                listed = listed_ids(turn.results) or listed
        last = turns[-1] if turns else None
        if last is None:
            return DialogueContext()
        asked = last.understanding if last.parse is None else None
        return DialogueContext(
            parse, last.utterance, (asked.question or "") if asked else "",
            asked.offered if asked else (), asked.likeliest if asked else None,
            rows, self.memory.operations, listed, _trust(turns),
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

    def branch(self) -> "Conversation":
        """A conversation that begins with the same turns, and goes on without changing this one."""
        return Conversation(self.engine, self.parser, list(self.turns), self.named, self._numbers)

    def take_up(self, utterance: str, parse: Parse | None, chosen: bool = False, corrected: bool = False) -> Turn:
        """Take a turn of an earlier conversation, understood as it was then; without a parse, as it is understood now."""
        if parse is None:
            return self.ask(utterance)
        return self._append(utterance, self.understand(utterance), parse, None, corrected, chosen)

    def correct(self, number: int, parse_text: str, meant: bool = True) -> Turn:
        """Answer turn `number` again as `parse_text`; later turns are answered again after it.

        `meant` tells that the person says so; otherwise they only look at another reading. Raises, before anything has
        changed, ParseError when the text is outside the grammar, and ExecutionError when there is no such turn.
        """
        parse = grammar_of(self.engine.schema).read(parse_text)
        at = self._index(number)
        before, turn, later = self.turns[:at], self.turns[at], self.turns[at + 1 :]
        self.turns = before
        corrected = self._append(turn.utterance, turn.understanding, parse, turn.number, meant, chosen=True)
        self._again(later)
        return corrected

    def edit(self, number: int, utterance: str, parse: Parse | None = None) -> Turn:
        """Ask turn `number` in other words, which mean `parse` if that is known; later turns are then answered again.

        Raises ExecutionError when there is no such turn.
        """
        at = self._index(number)
        before, later = self.turns[:at], self.turns[at + 1 :]
        self.turns = before
        edited = self.ask_parse(parse, utterance) if parse else self.ask(utterance)
        self._again(later)
        return edited

    def undo(self) -> Turn | None:
        """Take the last turn back and return it."""
        return self.turns.pop() if self.turns else None

    def _index(self, number: int) -> int:
        for index, turn in enumerate(self.turns):
            if turn.number == number:
                return index
        known = ", ".join(str(turn.number) for turn in self.turns) or "none"
        raise ExecutionError(f"There is no turn {number} in this conversation; its turns are: {known}.")

    def _again(self, turns: list[Turn]) -> None:
        """Carry turns out after others than before."""
        for turn in turns:
            self._append(turn.utterance, turn.understanding, turn.parse, turn.number, turn.corrected, turn.chosen)

    def _append(
        self,
        utterance: str,
        understanding: Understanding,
        parse: Parse | None,
        number: int | None = None,
        corrected: bool = False,
        chosen: bool = False,
    ) -> Turn:
        memory, results = self.memory, tuple[Result, ...]()
        if parse is not None:
            execution = self.engine.execute(parse, memory)
            results, memory = execution.results, execution.memory
        turn = Turn(number or next(self._numbers), utterance, understanding, parse, results, memory, corrected, chosen)
        self.turns.append(turn)
        self._keep_names(turn)
        return turn

    def _keep_names(self, turn: Turn) -> None:
        """Keep the rows of a turn that gives them a name."""
        if self.named is not None and any(isinstance(result, NamedRows) for result in turn.results):
            self.named.keep(next(r.name for r in turn.results if isinstance(r, NamedRows)), self.context.rows)
