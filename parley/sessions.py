"""What the server keeps of a session: little where nothing was asked, and nothing for long after a page was closed.

Gradio keeps for each session a description of everything on the page, about 600 kB, and lets go of it after 10,000 others came.
Here all sessions share one description, and one of its own is made only for what a session changes.
"""

import time
from collections import ChainMap
from collections.abc import Callable, Mapping
from copy import copy
from threading import Lock
from typing import Any

import gradio as gr
from gradio.blocks import BlocksConfig
from gradio.state_holder import SessionState, StateHolder

from backend.network.shares.fairly_kept import first_to_forget
from backend.network.shares.unread_answers import UnreadAnswers

IDLE_SECONDS = 3600.0  # that a session is kept after its last call, once its page is closed
LONGEST_SECONDS = 24 * 3600.0  # and while it is open
MOST_SESSIONS = 2_000
SWEEP_SECONDS = 30.0


class LightSession(SessionState):
    """As Gradio's, with the description of the page shared."""

    def __init__(self, blocks: gr.Blocks, shared: Mapping[int, Any]) -> None:
        self.blocks_config = _beside(blocks.default_config)
        self.config_values = ChainMap({}, shared)  # type: ignore[assignment,arg-type]  # what is written goes into the first
        self.state_data: dict[int, Any] = {}
        self._state_ttl: dict[int, Any] = {}
        self.is_closed = False
        self.STATE_TTL_WHEN_CLOSED = int(IDLE_SECONDS)

    def _update_value_in_config(self, key: int, value: Any) -> None:
        # Nobody asks for the page of a session again: links that keep one are turned off.
        return


def _beside(page: BlocksConfig) -> BlocksConfig:
    """The page as one session has it: what it draws for itself stands beside what all share, of which nothing is copied."""
    own = BlocksConfig(page.root_block)
    own.blocks = ChainMap({}, page.blocks)  # type: ignore[assignment]
    own.fns = ChainMap({}, page.fns)  # type: ignore[assignment]
    own.fn_id, own.renderables = page.fn_id, copy(page.renderables)
    return own


class LightSessions(StateHolder):
    """The sessions of one server. `open_pages` tells whether a page of a session is open now."""

    def __init__(
        self, blocks: gr.Blocks, open_pages: Callable[[str], bool], clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.set_blocks(blocks)
        self.capacity = MOST_SESSIONS
        self._open_pages, self._clock, self._swept = open_pages, clock, clock()
        self._used: dict[str, float] = {}
        self._addresses: dict[str, str] = {}
        self._making, self._unread = Lock(), UnreadAnswers()
        self._shared: Mapping[int, Any] = SessionState(blocks).config_values

    def __getitem__(self, session_id: str) -> SessionState:
        with self._making:
            self._sweep()
            self._used[session_id] = self._clock()
            if session_id not in self.session_data:
                self.session_data[session_id] = LightSession(self.blocks, self._shared)
        return super().__getitem__(session_id)

    def came_from(self, session_id: str, address: str) -> None:
        """Note the address that began a session."""
        self._addresses.setdefault(session_id, address)

    def update(self, session_id: str) -> None:
        """Put a session behind those that were used before it; where there are too many, let go of one."""
        with self.lock:
            if session_id in self.session_data:
                self.session_data.move_to_end(session_id)
            if len(self.session_data) > self.capacity:
                gone = first_to_forget({each: self._addresses.get(each, "") for each in self.session_data})
                for kept in (self.session_data, self.time_last_used, self._used, self._addresses):
                    kept.pop(gone, None)

    def _sweep(self) -> None:
        """Let go of sessions that nobody uses any more, and of answers that nobody reads, at most twice a minute."""
        moment = self._clock()
        if moment - self._swept < SWEEP_SECONDS:
            return
        self._swept = moment
        self._unread.forget(self.blocks._queue, moment)
        for session, used in list(self._used.items()):
            longest = LONGEST_SECONDS if self._open_pages(session) else IDLE_SECONDS
            if moment - used > longest or session not in self.session_data:
                self.session_data.pop(session, None)
                self.time_last_used.pop(session, None)
                self._used.pop(session, None)
        self._addresses = {each: address for each, address in self._addresses.items() if each in self.session_data}


def lighten(blocks: gr.Blocks) -> None:
    """Give a launched app sessions that cost little; those that have begun already begin again with their next call."""
    state = blocks.app.state
    blocks.app.state_holder = LightSessions(blocks, lambda session: getattr(state, "open_pages", {}).get(session, 0) > 0)
