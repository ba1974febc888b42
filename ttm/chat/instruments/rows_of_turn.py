"""The rows that an earlier answer was about, spelled out, so that something else can be asked of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from ttm.chat.conversation import Turn
from ttm.language.parse import Selection, Step
from ttm.language.row_state import RowState, rows_after


@dataclass(frozen=True)
class TurnRows:
    """Rows of an answer: as conditions, with the words for them."""

    state: RowState
    words: str

    @property
    def steps(self) -> tuple[Step, ...]:
        """What selects these rows in a parse of its own."""
        if self.state.instance is not None:
            return (self.state.instance, *self.state.changes)
        return (Selection(self.state.groups), *self.state.changes)


def rows_of_turn(turns: Sequence[Turn], number: int) -> TurnRows | None:
    """The rows that turn `number` was about; None where these were all rows, or there is no such turn."""
    state = None
    for turn in turns:
        state = rows_after(turn.parse, state) if turn.parse is not None else state
        if turn.number == number and turn.memory.groups and state is not None:
            return TurnRows(state, " compared with ".join(group.words for group in turn.memory.groups))
    return None
