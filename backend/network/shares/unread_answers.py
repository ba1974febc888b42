"""Answers that nobody fetches: kept for two minutes, and only so much of them of one address, and in all.

Gradio keeps the answers of a session until its page or program takes them, however many and large they are, and where too many
sessions have some it forgets those that came first, also where somebody waits for them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from backend.network.shares.fair_shares import address_of, unfinished

MOST_SESSIONS = 20_000  # whose answers Gradio keeps; what they hold is limited here
UNREAD_SECONDS = 120.0  # that an answer waits to be read


@dataclass(frozen=True)
class UnreadLimits:
    """Bytes, about. `session` is what the answers of one more session take, however short they are."""

    of_address: int = 20_000_000
    in_all: int = 150_000_000
    session: int = 4_000


def limit_unread(queue: Any, limits: UnreadLimits | None = None) -> None:
    """Have Gradio's queue let go of answers that nobody fetches, the oldest of who has most of them first."""
    send, unread = queue.send_message, _Unread(queue, limits or UnreadLimits())
    queue.pending_messages_per_session.max_size = MOST_SESSIONS

    def send_message(event: Any, message: Any) -> None:
        if event.session_hash not in queue.pending_messages_per_session:
            event.alive = False  # what came before was let go of, so that nobody waits for the rest
            return
        if _is_estimation(message) and _renewed(queue.pending_messages_per_session[event.session_hash], event, message):
            return
        send(event, message)
        unread.sent(address_of(event), event.session_hash, message)

    queue.send_message = send_message


class _Unread:
    """The sessions that were sent something, by address, the oldest first; `_at_most` of it has not been fetched."""

    def __init__(self, queue: Any, limits: UnreadLimits) -> None:
        self._queue, self._limits = queue, limits
        self._sessions: dict[str, dict[str, None]] = {}
        self._at_most: dict[str, int] = defaultdict(int)

    def sent(self, address: str, session: str, message: Any) -> None:
        sessions = self._sessions.setdefault(address, {})
        size = _size(getattr(message, "output", None)) + (0 if session in sessions else self._limits.session)
        sessions[session] = None
        self._at_most[address] += size
        if self._at_most[address] > self._limits.of_address:
            self._let_go(address, self._limits.of_address // 2)
        if sum(self._at_most.values()) > self._limits.in_all:
            self._let_go_in_all()

    def _let_go_in_all(self) -> None:
        for address in list(self._sessions):
            self._look_at(address)
        while sum(self._at_most.values()) > self._limits.in_all:
            most = max(self._at_most, key=lambda address: self._at_most[address])
            self._let_go(most, self._at_most[most] // 2)

    def _look_at(self, address: str) -> Mapping[str, int]:
        """What each session of an address has not fetched; those that have fetched all are forgotten."""
        waiting = self._queue.pending_messages_per_session
        sizes = {each: _waiting_size(waiting[each]) for each in self._sessions[address] if each in waiting}
        left = {each: size + self._limits.session for each, size in sizes.items() if size}
        self._sessions[address], self._at_most[address] = dict.fromkeys(left), sum(left.values())
        if not left:
            del self._sessions[address], self._at_most[address]
        return left

    def _let_go(self, address: str, most: int) -> None:
        for session, size in self._look_at(address).items():
            if self._at_most[address] <= most:
                return
            self._at_most[address] -= size
            del self._sessions[address][session]
            _drop(self._queue, session)


def _renewed(messages: Any, event: Any, estimation: Any) -> bool:
    """Put how long a question waits in place of what was last said of that, where nobody has read it yet."""
    lying = messages._queue
    for index in range(len(lying) - 1, -1, -1):
        if not _is_estimation(lying[index]):
            return False
        if lying[index].event_id == event._id:
            estimation.event_id = event._id
            lying[index] = estimation
            return True
    return False


def _is_estimation(message: Any) -> bool:
    """Whether a message says only how many wait before a question, and how long."""
    return getattr(message, "msg", "") == "estimation"


def _drop(queue: Any, session: str) -> None:
    for kept in (queue.pending_messages_per_session, queue.pending_event_ids_session):
        kept.pop(session, None)


def _waiting_size(messages: Any) -> int:
    return sum(1 + _size(getattr(message, "output", None)) for message in messages._queue)


def _size(value: Any) -> int:
    """About how many bytes a value of JSON takes."""
    if isinstance(value, str):
        return len(value)
    inner: Iterable[Any] = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return 50 + sum(map(_size, inner))


class UnreadAnswers:
    """Forgets what the sessions of a queue have not read for UNREAD_SECONDS."""

    def __init__(self) -> None:
        self._since: dict[str, tuple[int, float]] = {}  # how many messages lie there, and since when so many

    def forget(self, queue: Any, moment: float) -> None:
        """Forget the old ones of `queue`, at a time in seconds."""
        asking = {event.session_hash for event in unfinished(queue)}
        lying = {
            session: messages.qsize()
            for session, messages in list(queue.pending_messages_per_session.items())
            if messages.qsize() and session not in asking
        }
        # A page or a program that reads takes its messages at once, so the count changes.
        self._since = {
            session: (count, moment if self._since.get(session, (0, 0.0))[0] != count else self._since[session][1])
            for session, count in lying.items()
        }
        for session, (_, since) in list(self._since.items()):
            if moment - since >= UNREAD_SECONDS:
                _drop(queue, session)
                del self._since[session]
