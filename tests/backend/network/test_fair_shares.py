"""The next question is that of the session with the fewest before it, and nobody holds more than their share."""

import time
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest

from backend.network.shares.fair_shares import OTHERS_SERVERS, Shares, in_turns, no_room
from backend.network.shares.spending import HALF_LIFE, Spending

SHARES = Shares(of_session=2, of_address=3, in_all=5, others_of_session=4)
QUESTION = SimpleNamespace(types_generator=True, api_visibility="private")
OTHER = SimpleNamespace(types_generator=False, api_visibility="private")


def _event(session: str, address: str = "a", function: Any = QUESTION, queue: str = "one") -> Any:
    request = SimpleNamespace(client=SimpleNamespace(host=address))
    return SimpleNamespace(session_hash=session, fn=function, request=request, concurrency_id=queue)


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
    assert no_room(queue, QUESTION, "new", "0", SHARES).startswith("5 questions are waiting here")
    # A few who fill the queue do not keep out those who have nothing in it, until there are twice as many.
    assert no_room(queue, QUESTION, "new", "new", SHARES) == ""
    full = _queue([_event(str(number), str(number)) for number in range(10)], [])
    assert no_room(full, QUESTION, "new", "new", SHARES).startswith("10 questions are waiting here")


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


PUBLIC = SimpleNamespace(batch=False, types_generator=False, api_visibility="public")


def _taken(waiting: list[Any], answering: list[Any], spent: dict[str, float], shares: Shares | None = None) -> list[str]:
    """The sessions whose questions are answered, in order, while those before them are not ended."""
    with gr.Blocks(analytics_enabled=False) as blocks:
        blocks.queue(default_concurrency_limit=99)
    queue, spending = blocks._queue, Spending()
    for address, seconds in spent.items():
        spending.add(address, seconds)
    in_turns(queue, shares or Shares(computed=3, heavy=1.0), spending)
    one = SimpleNamespace(queue=waiting, concurrency_limit=99, current_concurrency=0)
    queue.event_queue_per_concurrency_id = {"one": one}  # type: ignore[dict-item]
    queue.active_jobs = [[event] for event in answering]
    order = []
    while (taken := queue.get_events()) is not None:
        order += [event.session_hash for event in taken[0]]
        queue.active_jobs.append(taken[0])
    return order


def test_the_next_question_is_that_of_who_has_taken_least() -> None:
    waiting = [_event("much", "a", PUBLIC), _event("little", "b", PUBLIC), _event("none", "c", PUBLIC)]
    assert _taken(waiting, [], {"a": 0.9, "b": 0.3}) == ["none", "little", "much"]


def test_a_function_that_few_call_is_not_answered_before_one_that_many_call() -> None:
    with gr.Blocks(analytics_enabled=False) as blocks:
        blocks.queue(default_concurrency_limit=99)
    queue, spending = blocks._queue, Spending()
    spending.add("a", 0.4)
    in_turns(queue, Shares(computed=10), spending)
    many = [_event(f"new {number}", f"b {number}", PUBLIC) for number in range(6)]
    few = [_event("few", "a", PUBLIC), _event("few", "a", PUBLIC)]
    queue.event_queue_per_concurrency_id = {  # type: ignore[dict-item]
        name: SimpleNamespace(queue=waiting, concurrency_limit=99, current_concurrency=0)
        for name, waiting in (("chat", many), ("explain", few))
    }
    order = []
    while (taken := queue.get_events()) is not None:
        order += [event.session_hash for event in taken[0]]
        queue.active_jobs.append(taken[0])
    assert order == [*(f"new {number}" for number in range(6)), "few", "few"]


@pytest.mark.slow
def test_those_who_have_computed_for_long_share_one_place_while_others_ask() -> None:
    waiting = [_event("one", "a", PUBLIC), _event("two", "b", PUBLIC), _event("new", "c", PUBLIC)]
    assert _taken(list(waiting), [], {"a": 5, "b": 5}) == ["new", "one"]
    assert _taken(waiting[:2], [], {"a": 5, "b": 5}) == ["one", "two"]  # nobody else asks


@pytest.mark.parametrize(("spent", "again"), [(0.6, 108.0), (1.0, 110.0)])
def test_those_who_have_computed_for_long_rest_the_longer_the_more_they_took(spent: float, again: float) -> None:
    with gr.Blocks(analytics_enabled=False) as blocks:
        blocks.queue(default_concurrency_limit=99)
    queue, moment, spending = blocks._queue, [100.0], Spending()
    spending.add("a", spent)
    in_turns(queue, Shares(heavy_rest=3.0, rest_a_second=4.0), spending, lambda: moment[0])
    heavy, next_heavy, new = _event("one", "a", PUBLIC), _event("two", "a", PUBLIC), _event("new", "c", PUBLIC)
    one = SimpleNamespace(queue=[new], concurrency_limit=99, current_concurrency=0)
    queue.event_queue_per_concurrency_id = {"one": one}  # type: ignore[dict-item]
    assert queue.get_events()[0] == [new]
    queue.active_jobs, one.queue = [[heavy]], [next_heavy]
    assert queue.get_events() is None
    queue.active_jobs = []
    moment[0] = 102.0  # it took two seconds
    assert queue.get_events() is None
    moment[0] = again - 0.1
    assert queue.get_events() is None
    moment[0] = again
    assert queue.get_events()[0] == [next_heavy]


@pytest.mark.slow
def test_no_more_is_computed_at_once_than_is_of_use_but_those_who_take_long_do_not_stop_the_rest() -> None:
    waiting = [_event(name, name, PUBLIC) for name in ("one", "two")]
    light = [_event(f"light {number}", f"light {number}", PUBLIC) for number in range(2)]
    assert _taken(list(waiting), light, {}) == ["one"]
    heavy = [_event(f"heavy {number}", f"heavy {number}", PUBLIC) for number in range(5)]
    assert _taken(list(waiting), heavy, {f"heavy {number}": 9.0 for number in range(5)}) == ["one", "two"]
    apart = [_event(f"apart {number}", f"apart {number}", PUBLIC, OTHERS_SERVERS) for number in range(5)]
    assert _taken(list(waiting), apart, {}) == ["one", "two"]


def test_what_an_address_computes_counts_while_it_runs_and_for_a_while_after() -> None:
    moment = [0.0]
    spending = Spending(lambda: moment[0])
    before = time.thread_time()
    with spending.metered("a"), spending.metered("a"):  # within one another, as an endpoint within a handler
        while spending.all()["a"] < 0.02:
            sum(range(1_000))
    seconds = spending.all()["a"]
    assert 0.02 <= seconds <= time.thread_time() - before
    moment[0] = HALF_LIFE
    assert spending.all()["a"] == pytest.approx(seconds / 2)
    assert "b" not in spending.all()
