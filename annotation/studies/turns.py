"""Items that are done turn by turn: of a dialogue a worker gets only what they have come to (INSPIRED, appendix A.4).

The parts of an item say in which turn they come (`ItemPart.turn`). What was handed in of a turn is an event that is only
added, so it outlives reloads, leases that run out, and servers; later turns leave the server only after it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, select

from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.tables import study_events
from annotation.tasks.task_type import ItemPart
from annotation.words.catalogue import translate

TURN = "turn"  # the kind of event


@dataclass(frozen=True)
class Turns:
    """How far a worker is in an item: the turn they are `at`, the `last` one, and what they handed in of those before."""

    at: int = 0
    last: int = 0
    handed_in: Mapping[str, Any] = field(default_factory=dict)

    @property
    def more(self) -> bool:
        return self.at < self.last

    def shown(self, parts: Iterable[ItemPart]) -> tuple[ItemPart, ...]:
        """The parts up to the present turn, without those that do not apply after what was handed in."""
        return tuple(self._settled(part) for part in parts if part.turn <= self.at and self._applies(part))

    def asked(self, parts: Iterable[ItemPart]) -> tuple[ItemPart, ...]:
        """The parts of the present turn alone."""
        return tuple(part for part in self.shown(parts) if part.turn == self.at)

    def need_last(self) -> None:
        """Raises Refused (ANSWER) while a turn is still to come."""
        if self.more:
            raise CallRefusedError(Reason.ANSWER, translate("Hand in step {at} first; others follow it.", at=self.at))

    def _applies(self, part: ItemPart) -> bool:
        if part.name in self.handed_in:
            return True
        if part.name and part.turn < self.at:
            return False  # was not there, or stayed empty
        return part.when is None or part.when[0] not in self.handed_in or self.handed_in[part.when[0]] == part.when[1]

    def _settled(self, part: ItemPart) -> ItemPart:
        return replace(part, when=None) if part.when is not None and part.when[0] in self.handed_in else part


def turns_of(connection: Connection, worker: int, item: int, parts: Iterable[ItemPart]) -> Turns:
    """How far a worker is in an item; the turn 0 of 0 where an item is done at once."""
    last = max((part.turn for part in parts), default=0)
    if not last:
        return Turns()
    events = study_events
    query = select(events.c.content).where(events.c.item == item, events.c.worker == worker, events.c.kind == TURN)
    done = list(connection.execute(query.order_by(events.c.id)).scalars())
    handed_in = {name: value for content in done for name, value in (content.get("answer") or {}).items()}
    return Turns(min(1 + len(done), last), last, handed_in)


def turn_once(item: int, turn: int) -> str:
    """The name under which a turn is handed in once."""
    return f"{TURN}:{item}:{turn}"
