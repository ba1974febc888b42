"""The next question is that of the session with the fewest before it, and nobody holds more than their share."""

from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest

from backend.network.fair_shares import Shares, in_turns, no_room

SHARES = Shares(of_session=2, of_address=3, in_all=5, others_of_session=4)
QUESTION = SimpleNamespace(types_generator=True, api_visibility="private")
OTHER = SimpleNamespace(types_generator=False, api_visibility="private")


def _event(session: str, address: str = "a", function: Any = QUESTION) -> Any:
    return SimpleNamespace(session_hash=session, fn=function, request=SimpleNamespace(client=SimpleNamespace(host=address)))


def _queue(waiting: list[Any], answering: list[Any]) -> Any:
    queues = {"one": SimpleNamespace(queue=waiting)}
    return SimpleNamespace(event_queue_per_concurrency_id=queues, active_jobs=[None, *([event] for event in answering)])


def test_a_session_waits_for_its_own_and_others_do_not() -> None:
    queue = _queue([_event("ann")], [_event("ann")])
    assert no_room(queue, QUESTION, "ann", "a", SHARES).startswith("You have 2 waiting")
    assert no_room(queue, QUESTION, "ben", "a", SHARES) == ""
    assert no_room(queue, OTHER, "ann", "a", SHARES) == ""
    busy = _queue([_event("ann", function=OTHER)] * 4, [])
    assert no_room(busy, OTHER, "ann", "a", SHARES).startswith("You have 4 waiting")
    assert no_room(busy, QUESTION, "ann", "a", SHARES) == ""


def test_an_address_with_many_sessions_has_one_share() -> None:
    queue = _queue([_event("one"), _event("two"), _event("three")], [])
    assert no_room(queue, QUESTION, "four", "a", SHARES).startswith("From your address 3 questions")
    assert no_room(queue, QUESTION, None, "a", SHARES).startswith("From your address 3 questions")
    assert no_room(queue, QUESTION, "four", "b", SHARES) == ""


def test_there_is_an_end_of_what_all_may_ask_at_once() -> None:
    queue = _queue([_event(str(number), str(number)) for number in range(5)], [])
    assert no_room(queue, QUESTION, "new", "new", SHARES).startswith("5 questions are waiting here")


def test_sessions_take_turns_in_the_queue_of_gradio() -> None:
    with gr.Blocks(analytics_enabled=False) as blocks:
        blocks.queue(default_concurrency_limit=1)
    queue = blocks._queue
    in_turns(queue)
    waiting = [_event("ann"), _event("ann"), _event("ann"), _event("ben"), _event("cy"), _event("ben")]
    for event in waiting:
        event.fn = SimpleNamespace(batch=False, types_generator=False, api_visibility="private")
    one = SimpleNamespace(queue=list(waiting), concurrency_limit=1, current_concurrency=0)
    queue.event_queue_per_concurrency_id = {"one": one}  # type: ignore[dict-item]
    queue.active_jobs = [[_event("cy", function=OTHER)]]  # type: ignore[list-item]
    order = []
    while one.queue:
        taken = queue.get_events()
        assert taken is not None
        order.append(taken[0][0].session_hash)
    # Cy is being answered, so that the others go first; Ann, who asked first and most, waits between them.
    assert order[:2] == ["ann", "ben"]
    assert sorted(order) == ["ann", "ann", "ann", "ben", "ben", "cy"]


def test_a_session_with_questions_being_answered_leaves_the_next_place_to_others() -> None:
    with gr.Blocks(analytics_enabled=False) as blocks:
        blocks.queue(default_concurrency_limit=9)
    queue, question = blocks._queue, SimpleNamespace(batch=False, types_generator=True, api_visibility="private")
    in_turns(queue)
    waiting = [_event("ann", "a", question), _event("ann", "a", question), _event("ben", "b", question)]
    one = SimpleNamespace(queue=list(waiting), concurrency_limit=9, current_concurrency=0)
    queue.event_queue_per_concurrency_id = {"one": one}  # type: ignore[dict-item]
    queue.active_jobs = [[_event("ann")], [_event("ann")]]  # type: ignore[list-item]
    taken = queue.get_events()
    assert taken is not None
    assert taken[0] == [waiting[2]]
    assert queue.get_events() is None
    assert one.queue == waiting[:2]
    queue.active_jobs = [None]
    assert queue.get_events() is not None


@pytest.mark.parametrize("function", [SimpleNamespace(types_generator=False, api_visibility="public"), QUESTION])
def test_what_programs_ask_and_what_reports_as_it_goes_are_questions(function: Any) -> None:
    assert no_room(_queue([_event("ann", function=function)] * 2, []), QUESTION, "ann", "a", SHARES)
