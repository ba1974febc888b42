"""Answers that nobody fetches are kept up to a size, of each address and of all; those of others stay."""

import asyncio
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from gradio.server_messages import EstimationMessage, ProcessCompletedMessage

from backend.network.shares.unread_answers import UnreadLimits, limit_unread

LIMITS = UnreadLimits(of_address=10_000, in_all=15_000, session=100)


@pytest.fixture
def queue() -> Any:
    with gr.Blocks(analytics_enabled=False) as blocks:
        blocks.queue()
    limit_unread(blocks._queue, LIMITS)
    return blocks._queue


def _answer(queue: Any, session: str, address: str = "a", letters: int = 1_000) -> Any:
    queue.pending_messages_per_session.setdefault(session, asyncio.Queue())
    queue.pending_event_ids_session.setdefault(session, {session})
    return _more(queue, session, address, letters)


def _more(queue: Any, session: str, address: str, letters: int) -> Any:
    request = SimpleNamespace(client=SimpleNamespace(host=address))
    event = SimpleNamespace(session_hash=session, request=request, alive=True, _id=session)
    queue.send_message(event, ProcessCompletedMessage(output={"data": ["x" * letters]}, success=True))
    return event


def test_the_oldest_of_who_fetches_nothing_are_let_go_of_and_those_of_others_stay(queue: Any) -> None:
    _answer(queue, "ann", "home", 2_000)
    for number in range(100):
        _answer(queue, f"s{number}")
    kept = queue.pending_messages_per_session
    assert "ann" in kept
    assert "s99" in kept
    assert len(kept) <= 1 + 10
    assert queue.pending_event_ids_session.keys() == kept.keys()


def test_one_session_that_fetches_nothing_is_let_go_of_and_its_question_ends(queue: Any) -> None:
    for _ in range(20):
        event = _answer(queue, "one")
        if "one" not in queue.pending_messages_per_session:
            break
    assert "one" not in queue.pending_messages_per_session
    assert event.alive
    assert not _more(queue, "one", "a", 10).alive


def test_of_how_long_a_question_waits_only_the_latest_lies_there(queue: Any) -> None:
    one, two = (SimpleNamespace(session_hash="s", request=None, alive=True, _id=name) for name in ("one", "two"))
    lying = queue.pending_messages_per_session.setdefault("s", asyncio.Queue())
    for rank in range(9, 0, -1):
        for event in (one, two):
            queue.send_message(event, EstimationMessage(rank=rank, queue_size=10))
    assert [(each.event_id, each.rank) for each in lying._queue] == [("one", 1), ("two", 1)]
    queue.send_message(one, ProcessCompletedMessage(output={"data": []}, success=True))
    queue.send_message(two, EstimationMessage(rank=0, queue_size=1))
    assert [each.rank for each in lying._queue if isinstance(each, EstimationMessage)] == [1, 1, 0]


def test_who_fetches_keeps_everything(queue: Any) -> None:
    for _ in range(100):
        _answer(queue, "reader")
        queue.pending_messages_per_session["reader"].get_nowait()
    assert "reader" in queue.pending_messages_per_session


def test_many_addresses_have_one_limit_together(queue: Any) -> None:
    for number in range(100):
        _answer(queue, f"s{number}", f"10.0.0.{number}")
    assert len(queue.pending_messages_per_session) <= 15
