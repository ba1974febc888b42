"""Whose question is next: round robin between sessions, and only so many questions of one session or address at once.

This looks into Gradio's queue, which by itself takes any number of questions and answers them in the order in which they came.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Shares:
    """The most questions that are waited for or answered at once. `others`: what a page does besides asking."""

    of_session: int = 4
    of_address: int = 64
    in_all: int = 400
    others_of_session: int = 60
    answered_of_session: int = 2
    answered_of_address: int = 8


SHARES = Shares()


def is_question(function: Any) -> bool:
    """Tell whether a function of the app can take long: those that report as they go, and those for programs."""
    return bool(function.types_generator) or function.api_visibility == "public"


def no_room(queue: Any, function: Any, session: str | None, address: str, shares: Shares = SHARES) -> str:
    """Return why a question has to wait elsewhere, in a sentence; empty where there is room."""
    events = unfinished(queue)
    if len(events) >= shares.in_all:
        return f"{len(events)} questions are waiting here already; try again in a minute."
    question = is_question(function)
    alike = [event for event in events if is_question(event.fn) == question]
    mine = sum(session is not None and _owner(event) == (session, address) for event in alike)
    if mine >= (shares.of_session if question else shares.others_of_session):
        return f"You have {mine} waiting; ask again when one of them is answered."
    beside = sum(_address(event) == address for event in alike)
    if question and beside >= shares.of_address:
        return f"From your address {beside} questions are waiting; ask again when some of them are answered."
    return ""


def unfinished(queue: Any) -> list[Any]:
    """The questions that wait and those that are being answered."""
    waiting = [event for each in queue.event_queue_per_concurrency_id.values() for event in each.queue]
    return [*waiting, *(event for job in queue.active_jobs if job for event in job)]


def in_turns(queue: Any, shares: Shares = SHARES) -> None:
    """Have the next question be that of the session with the fewest before it, being answered or waiting."""
    take = queue.get_events

    def get_events() -> Any:
        answering = [event for job in queue.active_jobs if job for event in job]
        queues = queue.event_queue_per_concurrency_id.values()
        held = {id(each): [event for event in each.queue if _is_held(event, answering, shares)] for each in queues}
        for each in queues:
            ready = [event for event in each.queue if event not in held[id(each)]]
            each.queue[:] = _round_robin(ready, Counter(_owner(event) for event in answering))
        try:
            return take()
        finally:
            for each in queues:
                each.queue += held[id(each)]

    queue.get_events = get_events


def _is_held(event: Any, answering: list[Any], shares: Shares) -> bool:
    """Tell whether a question waits until another of the same session, or address, is answered."""
    if not is_question(event.fn):
        return False
    alike = [other for other in answering if is_question(other.fn)]
    of_session = sum(_owner(other) == _owner(event) for other in alike)
    of_address = sum(_address(other) == _address(event) for other in alike)
    return of_session >= shares.answered_of_session or of_address >= shares.answered_of_address


def _round_robin(events: list[Any], answering: Counter[tuple[Any, str]]) -> list[Any]:
    before = Counter(answering)
    turns = []
    for event in events:
        turns.append(before[_owner(event)])
        before[_owner(event)] += 1
    return [event for _, event in sorted(zip(turns, events, strict=True), key=lambda pair: pair[0])]


def _owner(event: Any) -> tuple[Any, str]:
    """A session at one address: agents share the session that calls for them, and differ in where they call from."""
    return event.session_hash, _address(event)


def _address(event: Any) -> str:
    client = getattr(event.request, "client", None)
    return client.host if client else ""
