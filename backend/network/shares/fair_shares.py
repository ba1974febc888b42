"""Whose question is next: that of those who have taken least, and only so many of one session or address at once.

This looks into Gradio's queue, which by itself takes any number of questions and answers them in the order in which they came.
All of them compute in one process, where Python runs one thread at a time: who asks what takes long slows everybody down. So
an address that has computed for long of late waits while others ask, and shares one place with its like.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from backend.network.shares.spending import SPENDING, Spending

OTHERS_SERVERS = "language model"  # the queue of questions that wait for servers of others, and compute little here
LATELY = 10.0  # seconds
# Gradio looks for the next question a thousand times a second, also where all that wait have to go on waiting.
LOOK_SECONDS, LOOK_AGAIN_SECONDS = 0.01, 0.05
BODY_SIZE = "parley.body_size"  # in the scope of a request: the bytes of what was asked


@dataclass(frozen=True, eq=False)
class Arriving:
    """A question that was let in and is on its way into the queue, where Gradio makes one of its own of it."""

    fn: Any
    session_hash: str | None
    request: Any  # whose `client.host` is the address


@dataclass(frozen=True)
class Shares:
    """The most questions that are waited for or answered at once. `others`: what a page does besides asking.

    `computed`: computed at once of addresses that have not computed for `heavy` processor seconds of late; `heavy_computed`: of
    all the others together, while somebody else asks. After one of those none of them is computed for `heavy_rest` times as
    long as that took; for those who have taken most, up to `longest_rest` times, by `rest_a_second` for each second.
    """

    of_session: int = 4
    of_address: int = 64
    in_all: int = 400
    bytes_of_address: int = 20_000_000
    bytes_in_all: int = 150_000_000
    small: int = 100_000  # bytes of one address, which are let in all the same
    others_of_session: int = 60
    answered_of_session: int = 2
    answered_of_address: int = 8
    computed: int = 4
    heavy_computed: int = 1
    heavy_rest: float = 3.0
    rest_a_second: float = 4.0
    longest_rest: float = 9.0
    heavy: float = 0.5


SHARES = Shares()


def is_question(function: Any) -> bool:
    """Tell whether a function of the app can take long: those that report as they go, and those for programs."""
    return bool(function.types_generator) or function.api_visibility == "public"


def you_have_waiting(count: int) -> str:
    return f"You have {count} waiting; ask again when one of them is answered."


def no_room(
    queue: Any, function: Any, session: str | None, address: str, shares: Shares = SHARES, arriving: Iterable[Any] = (),
    size: int = 0,
) -> str:  # fmt: skip
    """Return why a question has to wait elsewhere, in a sentence; empty where there is room.

    `arriving`: those that were let in and are not in the queue yet; `size`: the bytes of the question.
    """
    events = [*unfinished(queue), *arriving]
    question = is_question(function)
    alike = [event for event in events if is_question(event.fn) == question]
    own = sum(session is not None and _owner(event) == (session, address) for event in alike)
    if own >= (shares.of_session if question else shares.others_of_session):
        return you_have_waiting(own)
    beside = sum(address_of(event) == address for event in alike)
    if question and beside >= shares.of_address:
        return f"From your address {beside} questions are waiting; ask again when some of them are answered."
    # Who has none waiting yet is let in all the same, so that a few cannot fill the queue against everybody.
    if len(events) >= (shares.in_all if beside else 2 * shares.in_all):
        return f"{len(events)} questions are waiting here already; try again in a minute."
    return _too_large(events, address, size, shares)


def _too_large(events: list[Any], address: str, size: int, shares: Shares) -> str:
    """As `no_room`, by the bytes of what waits."""
    mine = size + sum(_size(event) for event in events if address_of(event) == address)
    if mine > shares.bytes_of_address:
        return "What waits of your address is too large together; ask again when some of it is answered."
    if mine > shares.small and size + sum(map(_size, events)) > shares.bytes_in_all:
        return "What waits here is too large together; try again in a minute."
    return ""


def unfinished(queue: Any) -> list[Any]:
    """The questions that wait and those that are being answered."""
    waiting = [event for each in queue.event_queue_per_concurrency_id.values() for event in each.queue]
    return [*waiting, *_answering(queue)]


def in_turns(
    queue: Any, shares: Shares = SHARES, spending: Spending = SPENDING, clock: Callable[[], float] = time.monotonic
) -> None:
    """Have the next question be that of who has taken least, and leave waiting what would be more than somebody's share."""
    take, turns = queue.get_events, _Turns(shares, spending, clock)
    queue.sleep_when_free = LOOK_SECONDS

    def get_events() -> Any:
        queues = queue.event_queue_per_concurrency_id.values()
        if not turns.changed([len(each.queue) for each in queues], _answering(queue)):
            return None
        waiting = {id(each): list(each.queue) for each in queues}
        following = turns.following(queues)
        for each in queues:  # Gradio takes from any of them
            each.queue[:] = [event for event in each.queue if event is following]
        taken = take()
        ended = {id(event) for event in taken[0]} if taken else set()
        owner = _owner(taken[0][0]) if taken else None
        for each in queues:  # who had this turn goes behind all others
            left = [event for event in waiting[id(each)] if id(event) not in ended]
            each.queue[:] = sorted(left, key=lambda event: _owner(event) == owner)
        if taken:
            turns.took(taken[0])
        return taken

    queue.get_events = get_events


class _Turns:
    """Which of the questions that wait may be answered now, and in which order."""

    def __init__(self, shares: Shares, spending: Spending, clock: Callable[[], float]) -> None:
        self._shares, self._spending, self._clock = shares, spending, clock
        self._others_asked = -LATELY  # when a question was last taken of somebody who has not computed for long
        self._heavy_began: float | None = None  # when a question of those who have computed for long was taken
        self._heavy_ended, self._heavy_took = -LATELY, 0.0  # and when the last of them ended, after how long
        self._seconds: dict[str, float] = {}
        self._seen: tuple[list[int], list[Any]] | None = None
        self._looked = 0.0

    def changed(self, waiting: list[int], answering: list[Any]) -> bool:
        """Tell whether it is worth looking again: something came or ended, or a while has passed."""
        moment = self._clock()
        if self._seen == (waiting, answering) and moment - self._looked < LOOK_AGAIN_SECONDS:
            return False
        self._seen, self._looked = (waiting, answering), moment
        self._look_at(answering, moment)
        return True

    def _look_at(self, answering: list[Any], moment: float) -> None:
        """Count what is being answered, and of whom."""
        questions = [event for event in answering if is_question(event.fn)]
        self._seconds = self._spending.all()
        self._all_held: dict[str, bool] = {}
        self._owners = Counter(_owner(event) for event in answering)
        self._of_session = Counter(_owner(event) for event in questions)
        self._of_address = Counter(address_of(event) for event in questions)
        heavy = [self._is_heavy(address_of(event)) for event in questions if event.concurrency_id != OTHERS_SERVERS]
        self._heavy, self._light = sum(heavy), len(heavy) - sum(heavy)
        self._others_ask = moment - self._others_asked < LATELY
        self._note_rest(moment)

    def _note_rest(self, moment: float) -> None:
        """One thread that always computes takes half of Python's time from those who ask little."""
        if self._heavy and self._heavy_began is None:
            self._heavy_began = moment
        elif not self._heavy and self._heavy_began is not None:
            self._heavy_ended, self._heavy_took = moment, moment - self._heavy_began
            self._heavy_began = None

    def following(self, queues: Iterable[Any]) -> Any | None:
        """The question of all queues that is answered next, None if all have to wait."""
        best, least = None, (math.inf, 0)
        seconds: dict[str, float] = {}
        for queue in queues:
            full = queue.concurrency_limit is not None and queue.current_concurrency >= queue.concurrency_limit
            for event in queue.queue if not full else ():
                address = address_of(event)
                if address not in seconds:  # tenths, so that those who have taken nearly as much take turns
                    seconds[address] = round(self._seconds.get(address, 0.0), 1)
                if seconds[address] <= least[0]:
                    rank = (seconds[address], self._owners[_owner(event)])
                    if rank < least and not self._is_held(event, address):
                        best, least = event, rank
        return best

    def took(self, events: list[Any]) -> None:
        self._seen = None
        if any(is_question(event.fn) and not self._is_heavy(address_of(event)) for event in events):
            self._others_asked = self._clock()

    def _is_held(self, event: Any, address: str) -> bool:
        """Tell whether a question waits until another of the same session or address, or of its like, is answered."""
        if not is_question(event.fn):
            return False
        shares = self._shares
        if address not in self._all_held:
            self._all_held[address] = self._holds_all(address)
        if self._all_held[address] or self._of_session[_owner(event)] >= shares.answered_of_session:
            return True
        too_many = self._light >= shares.computed and event.concurrency_id != OTHERS_SERVERS
        return too_many and not self._is_heavy(address)

    def _holds_all(self, address: str) -> bool:
        """Tell whether no question of an address is answered now."""
        shares = self._shares
        if self._of_address[address] >= shares.answered_of_address:
            return True
        if not self._is_heavy(address):
            return False
        if self._others_ask:
            return self._heavy >= shares.heavy_computed or self._looked < self._heavy_ended + self._rest(address)
        return self._heavy >= shares.computed

    def _rest(self, address: str) -> float:
        """The seconds after a question of those who have computed for long until the next, if that is of this address."""
        shares = self._shares
        times = max(shares.heavy_rest, shares.rest_a_second * self._seconds.get(address, 0.0))
        return min(times, shares.longest_rest) * self._heavy_took

    def _is_heavy(self, address: str) -> bool:
        return self._seconds.get(address, 0.0) >= self._shares.heavy


def _answering(queue: Any) -> list[Any]:
    return [event for job in queue.active_jobs if job for event in job]


def _size(event: Any) -> int:
    return int(getattr(event.request, "scope", {}).get(BODY_SIZE, 0))


def _owner(event: Any) -> tuple[Any, str]:
    """A session at one address: agents share the session that calls for them, and differ in where they call from."""
    return event.session_hash, address_of(event)


def address_of(event: Any) -> str:
    """From the scope of the request, where there is one: this is asked of all that wait, many times a second."""
    scope = getattr(event.request, "scope", None)
    if scope is None:
        client = getattr(event.request, "client", None)
        return client.host if client else ""
    return scope["client"][0] if scope.get("client") else ""
