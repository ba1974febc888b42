"""A conversation as its browser keeps it: what was asked and how it was understood, from which it is carried out again.

Nothing that was computed is kept. What comes back from a browser can be anything, so it is read as data that a stranger wrote.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backend.errors import DatasetError
from backend.jobs import ReportProgress
from ttm.chat.conversation import Conversation, Turn
from ttm.chat.remembered.named_groups import LONGEST_NAME
from ttm.chat.remembered.named_groups import MOST as MOST_NAMES
from ttm.chat.session import LONGEST_QUESTION, ChatSession
from ttm.language.grammar import grammar_of
from ttm.language.parse import Parse
from ttm.tabular.data.schema import Schema

MOST_TURNS = 300
MOST_WAITING = 50
Name = Annotated[str, Field(max_length=LONGEST_NAME)]
KeptNames = dict[Name, Annotated[str, Field(max_length=LONGEST_QUESTION)]]
Utterance = Annotated[str, Field(max_length=LONGEST_QUESTION)]


class KeptTurn(BaseModel):
    """One question; `parse` is None where Parley asked back. `chosen` and `corrected` are as those of a turn."""

    model_config = ConfigDict(frozen=True)

    utterance: Utterance
    parse: str | None = Field(None, max_length=LONGEST_QUESTION)
    chosen: bool = False
    corrected: bool = False


class KeptChat(BaseModel):
    """A conversation about `dataset`; `waiting` are questions without an answer yet.

    `groups` are the names that this person gave to rows of the data set, with their filters; `forgotten` names that went.
    `pinned` are positions of turns whose answers are kept in sight.
    """

    model_config = ConfigDict(frozen=True)

    id: str = Field(pattern=r"^[0-9a-f]{1,32}$")
    dataset: str = Field(max_length=200)
    turns: tuple[KeptTurn, ...] = Field((), max_length=MOST_TURNS)
    waiting: tuple[Utterance, ...] = Field((), max_length=MOST_WAITING)
    groups: KeptNames = Field(default_factory=dict, max_length=MOST_NAMES)
    forgotten: tuple[Name, ...] = Field((), max_length=MOST_NAMES)
    pinned: tuple[Annotated[int, Field(ge=0, lt=MOST_TURNS)], ...] = Field((), max_length=MOST_TURNS)


def write_chat(session: ChatSession, id: str, waiting: tuple[str, ...] = ()) -> KeptChat:
    """The conversation as it stands; of a very long one the last turns."""
    with session.lock:
        shown = session.turns[-MOST_TURNS:]
        turns = tuple(map(_kept, shown))
        pinned = tuple(index for pin in session.pins for index, turn in enumerate(shown) if turn is pin.turn)
        named = session.named_groups
    return KeptChat(id=id, dataset=session.name, turns=turns, waiting=waiting[:MOST_WAITING], groups=named.written(),
                    forgotten=tuple(sorted(named.forgotten))[:MOST_NAMES], pinned=pinned)  # fmt: skip


def _kept(turn: Turn) -> KeptTurn:
    parse = None if turn.parse is None else str(turn.parse)
    return KeptTurn(utterance=turn.utterance, parse=parse, chosen=turn.chosen, corrected=turn.corrected)


def read_chat(content: object) -> KeptChat:
    """A conversation that a browser kept. Raises DatasetError if it is none."""
    try:
        return KeptChat.model_validate(content)
    except ValidationError as error:
        raise DatasetError("This conversation cannot be opened: what this browser kept of it cannot be read.") from error


def replay(chat: KeptChat, conversation: Conversation, schema: Schema, report: ReportProgress) -> None:
    """Carry all turns out again, one after the other, at the end of `conversation`.

    A parse that the data set no longer knows is left to the parser, as if the question was asked now.
    """
    for index, turn in enumerate(chat.turns):
        report(index / len(chat.turns), f"Bringing the conversation back: question {index + 1} of {len(chat.turns)}")
        conversation.take_up(turn.utterance, _parse(turn.parse, schema), turn.chosen, turn.corrected)


def _parse(text: str | None, schema: Schema) -> Parse | None:
    return None if text is None else grammar_of(schema).read_if_valid(text)
