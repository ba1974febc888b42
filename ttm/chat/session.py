"""What one person does in a chat: ask, undo, edit, correct, pin, and change what the chat is about.

A conversation belongs to one browser tab or terminal. Nothing here knows about screens.
"""

import threading
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

from cachetools import LRUCache

from backend.errors import ExecutionError
from ttm.chat.catalogue import Loaded, SubjectCatalogue, with_second
from ttm.chat.conversation import Conversation, Turn
from ttm.chat.remembered.named_groups import NamedGroups
from ttm.chat.suggestions import SuggestedQuestion
from ttm.language.grammar import grammar_of
from ttm.language.parse import Parse
from ttm.operations.execution_engine import Execution
from ttm.operations.render import Answer, render_turn
from ttm.operations.rows.context import Memory
from ttm.parsers import Understanding
from ttm.tabular.data.schema import Schema
from ttm.tabular.data.second_table import SecondTable

LONGEST_QUESTION = 10_000
RENDERED = 4  # turns whose rendered answers are kept: a figure takes tens of kilobytes, and many people may be here at once


@dataclass(frozen=True)
class Pin:
    """An answer that somebody wants to keep in sight; it outlives undo and a new chat."""

    number: int
    turn: Turn
    title: str
    answers: tuple[Answer, ...]


class ChatSession:
    """One conversation with what belongs to it; the data set is loaded when it is first needed.

    Hold `lock` while several things are done at once: two events of one browser tab can arrive together.
    """

    def __init__(self, subjects: SubjectCatalogue, name: str = "") -> None:
        self.subjects = subjects
        self.name = name or subjects.default
        self.lock = threading.RLock()
        self.pins: list[Pin] = []
        self._loaded: Loaded | None = None
        self._conversation: Conversation | None = None
        self._offered: dict[str, str] = {}
        self._answers: LRUCache[int, tuple[Turn, tuple[Answer, ...]]] = LRUCache(RENDERED)
        self._pinned = self._pinned_before = 0
        self._brought: dict[str, Loaded] = {}
        self._branched: tuple[Turn, ...] = ()
        self._named: dict[str, NamedGroups] = {}
        self._names_kept: dict[str, Mapping[str, str]] = {}

    @property
    def names(self) -> dict[str, str]:
        """What this person can talk about, with titles: the named data sets and what they brought themselves."""
        return self.subjects.names | {name: f"{one.schema.title} (yours)" for name, one in self._brought.items()}

    @property
    def loaded(self) -> Loaded:
        with self.lock:
            if self._loaded is None:
                self._loaded = self.subjects.load(self.name)
            return self._loaded

    @property
    def schema(self) -> Schema:
        return self.loaded.schema

    @property
    def conversation(self) -> Conversation:
        with self.lock:
            if self._conversation is None:
                self._conversation = Conversation(self.loaded.engine, self.loaded.parser, named=self.named_groups)
            return self._conversation

    @property
    def named_groups(self) -> NamedGroups:
        """The names that this person gave to rows of the data set talked about; they outlive a new chat."""
        with self.lock:
            if self.name not in self._named:
                self._named[self.name] = NamedGroups(self.schema)
                self._named[self.name].read(self._names_kept.get(self.name, {}))
            return self._named[self.name]

    def bring_names(self, dataset: str, kept: Mapping[str, str]) -> None:
        """Take up names of rows of a data set that a browser kept: read when that data set is talked about."""
        with self.lock:
            self._names_kept[dataset] = {**self._names_kept.get(dataset, {}), **kept}
            if dataset in self._named:
                known = self._named[dataset]
                known.read({name: filters for name, filters in kept.items() if name not in known.groups})

    @property
    def turns(self) -> list[Turn]:
        return self.conversation.turns

    def turn(self, number: int) -> Turn:
        """Raises ExecutionError if the turn was taken back meanwhile."""
        turn_ = next((turn for turn in self.turns if turn.number == number), None)
        if turn_ is None:
            raise ExecutionError("This question is no longer part of the conversation.")
        return turn_

    def bring(self, loaded: Loaded) -> str:
        """Add somebody's own data set to `names`, for this person only, and return its name."""
        name = f"brought-{loaded.subject.fingerprint[:16]}"
        self._brought[name] = loaded
        return name

    def set_beside(self, second: SecondTable) -> None:
        """Set a second table beside the one that is talked about; the conversation goes on."""
        with self.lock:
            self._loaded = with_second(self.loaded, second)
            if self._conversation is not None:
                self._conversation.engine = self._loaded.engine

    def load(self, name: str) -> Loaded:
        """One of `names`, ready to be talked about. Raises DatasetError for any other name."""
        return self._brought.get(name) or self.subjects.load(name)

    def compare_with(self, model: Path) -> None:
        """Bring another model of the same table as a file, for this person only, to be set beside the one talked about.

        Raises ModelError if it cannot be read or does not fit the table.
        """
        with self.lock:
            self._loaded = self.subjects.with_other(self.loaded, model)
            self.conversation.engine = self._loaded.engine

    def talk_about(self, name: str) -> None:
        """Start again with another of `names`. Pins stay. Raises DatasetError for any other name."""
        loaded = self.load(name)
        with self.lock:
            self.name, self._loaded = name, loaded
            self.restart()

    def restart(self) -> None:
        """Begin a new conversation about the same data set. Pins stay."""
        with self.lock:
            self._conversation = None
            self._offered.clear()
            self._answers.clear()

    def branch(self) -> "ChatSession":
        """A session that goes on from here without changing this one, until `take_over`: what is stopped leaves no trace."""
        with self.lock:
            other = copy(self)
            other.lock, other._answers = threading.RLock(), LRUCache(RENDERED)
            other._answers.update(self._answers)
            other._conversation, other._branched = self.conversation.branch(), tuple(self.turns)
            other._pinned_before = self._pinned
            return other

    def take_over(self, other: "ChatSession") -> None:
        """Go on where a branch of this session has come to. An answer that became exact meanwhile stays exact."""
        with self.lock:
            better = {id(old): new for old, new in zip(other._branched, self.turns, strict=False)}
            self.conversation.turns = [better.get(id(turn), turn) for turn in other.turns]
            for pin in other.pins:
                if pin.number > other._pinned_before:
                    self._pin(pin)

    def ask(self, utterance: str) -> Turn:
        """Ask in words. A question that was offered in just these words is taken to mean what it was offered for.

        Raises ExecutionError if there is nothing to answer.
        """
        text = check_question(utterance)
        with self.lock:
            offered = self._offered.get(_as_offered(text))
            if offered is not None:
                return self.ask_parse(offered, text)
            return self.conversation.ask(text)

    def understand(self, utterance: str) -> Understanding:
        """How a question would be understood now, without asking it."""
        with self.lock:
            return self.conversation.understand(check_question(utterance))

    def understand_after(self, number: int, utterance: str) -> Understanding:
        """How words would be understood just after a turn, as when somebody corrects it, without asking them."""
        with self.lock:
            conversation = self.conversation.branch()
            conversation.turns = conversation.turns[: conversation.turns.index(self.turn(number)) + 1]
            return conversation.understand(check_question(utterance))

    def ask_parse(self, parse_text: str, utterance: str = "") -> Turn:
        """Ask by a parse. Raises ParseError if it is outside the grammar."""
        with self.lock:
            parse = grammar_of(self.schema).read(parse_text)
            return self.conversation.ask_parse(parse, utterance)

    def correct(self, number: int, parse_text: str, meant: bool = True) -> Turn:
        """Answer a turn again by another parse; `meant` if the person says that it is what they meant.

        Raises ParseError if it is outside the grammar.
        """
        with self.lock:
            self.turn(number)
            return self.conversation.correct(number, parse_text, meant)

    def confirm(self, number: int) -> Turn:
        """Note that the present parse of a turn is what was meant."""
        with self.lock:
            index = self.turns.index(self.turn(number))
            old = self.turns[index]
            self.turns[index] = replace(old, corrected=True, chosen=True)
            self.pins = [replace(pin, turn=self.turns[index]) if pin.turn is old else pin for pin in self.pins]
            return self.turns[index]

    def memory_before(self, turn: Turn) -> Memory:
        """What the turns before one of this conversation left behind."""
        with self.lock:
            index = self.turns.index(turn)
            return self.turns[index - 1].memory if index else Memory()

    def renew(self, turn: Turn, execution: Execution) -> None:
        """Put better results in the place of a turn's, and of its pin; nothing happens if the turn is gone meanwhile."""
        with self.lock:
            index = next((index for index, one in enumerate(self.turns) if one is turn), None)
            if index is None:
                return
            better = replace(turn, results=execution.results, memory=execution.memory)
            self.turns[index] = better
            self.pins = [
                replace(pin, turn=better, answers=self.answers(better)) if pin.turn is turn else pin for pin in self.pins
            ]

    def edit(self, number: int, utterance: str) -> Turn:
        """Ask a past question in other words; later questions are carried out again after it, as they were understood."""
        text = check_question(utterance)
        with self.lock:
            self.turn(number)
            offered = self._offered.get(_as_offered(text))
            return self.conversation.edit(number, text, grammar_of(self.schema).read(offered) if offered else None)

    def undo(self) -> Turn | None:
        with self.lock:
            return self.conversation.undo()

    def offer(self, question: SuggestedQuestion) -> SuggestedQuestion:
        """Remember what a proposed question means, in case somebody asks it in just these words."""
        self._offered[_as_offered(question.utterance)] = question.parse
        return question

    def answers(self, turn: Turn) -> tuple[Answer, ...]:
        """The rendered answers of a turn; those of the last turns that were looked at are kept."""
        with self.lock:
            known = self._answers.get(turn.number)
            if known is None or known[0] is not turn:
                known = (turn, tuple(render_turn(turn.results, self.schema)))
                self._answers[turn.number] = known
            return known[1]

    def forget_rendered(self) -> None:
        """Let go of rendered answers, which are made again when somebody looks at them."""
        with self.lock:
            self._answers.clear()

    def is_pinned(self, turn: Turn) -> bool:
        return any(pin.turn is turn for pin in self.pins)

    def toggle_pin(self, number: int) -> None:
        """Pin the answer of a turn, or take its pin away. Raises ExecutionError if there is no answer."""
        with self.lock:
            turn = self.turn(number)
            if self.is_pinned(turn):
                self.pins = [pin for pin in self.pins if pin.turn is not turn]
            elif turn.parse is None:
                raise ExecutionError("This question was not answered, so there is nothing to pin.")
            else:
                self._pin(Pin(0, turn, self.schema.title, self.answers(turn)))

    def pin_again(self, positions: Iterable[int]) -> None:
        """Pin answers of a conversation that was carried out again."""
        with self.lock:
            for turn in (self.turns[each] for each in positions if each < len(self.turns)):
                if turn.parse is not None:
                    self._pin(Pin(0, turn, self.schema.title, self.answers(turn)))

    def _pin(self, new: Pin) -> None:
        """Keep a pin as the last; one of the same answer, which outlived its conversation, gives way to it."""

        def is_older(pin: Pin) -> bool:
            same = (pin.title, *_asked(pin.turn)) == (new.title, *_asked(new.turn))
            return same and not any(turn is pin.turn for turn in self.turns)

        self._pinned += 1
        self.pins = [*(pin for pin in self.pins if not is_older(pin)), replace(new, number=self._pinned)]

    def unpin(self, pin_number: int) -> None:
        self.pins = [pin for pin in self.pins if pin.number != pin_number]


def _asked(turn: Turn) -> tuple[str, Parse | None]:
    return turn.utterance, turn.parse


def _as_offered(text: str) -> str:
    """Words by which an offered question is known again: how they are spaced, cased and ended does not matter."""
    return " ".join(text.casefold().split()).rstrip("?.! ")


def check_question(utterance: str) -> str:
    """The question without blanks around it. Raises ExecutionError if it is no text, empty or too long."""
    if not isinstance(utterance, str):
        raise ExecutionError(f"A question is a text, not {utterance!r}.")
    text = utterance.strip()
    if not text:
        raise ExecutionError("There is no question yet. Type one, or choose one of the suggestions.")
    if len(text) > LONGEST_QUESTION:
        raise ExecutionError(f"A question has at most {LONGEST_QUESTION:,} characters; this one has {len(text):,}.")
    return text
