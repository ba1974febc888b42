"""A session that only looked costs little and is let go; what one session changes, no other sees."""

import asyncio
import tracemalloc

import gradio as gr
import pytest
from gradio.server_messages import HeartbeatMessage

from backend.network.shares.unread_answers import UNREAD_SECONDS
from backend.program.settings import Settings
from parley import app
from parley import sessions as module
from parley.sessions import IDLE_SECONDS, LONGEST_SECONDS, LightSessions

MOST_BYTES = 10_000


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> gr.Blocks:
    return app.build(Settings(data_dir=tmp_path_factory.mktemp("sessions")))


def test_an_idle_session_of_a_stranger_costs_under_10_kb(blocks: gr.Blocks) -> None:
    sessions = LightSessions(blocks, lambda session: False)
    assert sessions["first"].blocks_config.fns
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for number in range(100):
        assert sessions[f"stranger {number}"].blocks_config.fns
    each = (tracemalloc.get_traced_memory()[0] - before) / 100
    tracemalloc.stop()
    assert each < MOST_BYTES


def test_what_one_session_changes_no_other_sees(blocks: gr.Blocks) -> None:
    sessions = LightSessions(blocks, lambda session: False)
    key = next(key for key, block in blocks.blocks.items() if isinstance(block, gr.Textbox))
    sessions["ann"][key] = gr.Textbox("of ann", render=False)
    assert sessions["ann"][key].value == "of ann"
    assert sessions["ben"][key].value != "of ann"
    state = next(key for key, block in blocks.blocks.items() if isinstance(block, gr.State))
    assert sessions["ann"][state] is not sessions["ben"][state]


def test_sessions_go_an_hour_after_the_last_call_but_not_while_their_page_is_open(blocks: gr.Blocks) -> None:
    clock, opened = Clock(), {"open"}
    sessions = LightSessions(blocks, opened.__contains__, clock)
    for session in ("open", "gone"):
        assert sessions[session]
    clock.seconds = IDLE_SECONDS + 60
    assert sessions["new"]
    assert set(sessions.session_data) == {"open", "new"}
    clock.seconds = LONGEST_SECONDS + 60
    assert sessions["newer"]
    assert set(sessions.session_data) == {"newer"}


def test_there_is_an_end_of_sessions(blocks: gr.Blocks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_SESSIONS", 20)
    sessions = LightSessions(blocks, lambda session: True)
    for number in range(50):
        assert sessions[str(number)]
    assert len(sessions.session_data) == 20
    assert "49" in sessions.session_data


def test_one_address_puts_away_its_own_sessions_and_nobody_elses(blocks: gr.Blocks) -> None:
    sessions = LightSessions(blocks, lambda session: False)
    sessions.capacity = 5
    sessions.came_from("ann", "10.0.0.1")
    assert sessions["ann"]
    for number in range(20):
        sessions.came_from(f"flood {number}", "10.0.0.2")
        sessions.came_from(f"flood {number}", "10.0.0.1")  # who came first is believed
        assert sessions[f"flood {number}"]
    assert set(sessions.session_data) == {"ann", *(f"flood {number}" for number in range(16, 20))}


def test_answers_that_nobody_reads_are_forgotten_and_those_that_are_read_are_kept(blocks: gr.Blocks) -> None:
    clock, queue = Clock(), blocks._queue
    sessions = LightSessions(blocks, lambda session: False, clock)
    queue.pending_messages_per_session.update({name: asyncio.Queue() for name in ("unread", "read")})
    for name in ("unread", "read"):
        for _ in range(5):
            queue.pending_messages_per_session[name].put_nowait(HeartbeatMessage())
    for _ in range(4):
        clock.seconds += UNREAD_SECONDS / 2
        assert sessions["ann"]
        queue.pending_messages_per_session["read"].get_nowait()
    assert list(queue.pending_messages_per_session) == ["read"]
    queue.pending_messages_per_session.clear()
