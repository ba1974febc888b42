"""Requests of those who have computed much of late: one at a time, those of who took least first, with rests between them.

What goes through the queue of questions has its turns there (`fair_shares`). This is about all else that costs a moment, many
times over: large bodies, wrong codes, pages. Who is alone here is never slowed down.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from backend.network.doors import refusal
from backend.network.shares.spending import SPENDING, Spending

MUCH = 0.5  # processor seconds of late
RESTS, LONGEST_RESTS = 3.0, 9.0  # times what a request took; as many as the seconds that its address took, between these
LONGEST_TURN = 5.0  # seconds
MOST_WAITING = 32  # requests of one address
LATELY = 10.0  # seconds
# Replies that last as long as a page is open, and files, which cost nothing.
FREE = (*(f"/gradio_api/{each}/" for each in ("queue", "heartbeat", "call")), "/assets/", "/static/", "/svelte/")
AGENTS = "/gradio_api/mcp"  # whose calls ask this server in turn, so that one that kept the place would wait for itself
LONGEST_AGENT_REST = 0.5  # seconds after a call until its place is free
AGENTS_AT_ONCE = 4  # such calls of one address while others ask
MOST_LIGHT = 500  # addresses that are remembered
TOO_FAST = "From your address requests come faster than they can be answered; wait a moment, then try again."


class PacedRequests:
    """Delays the requests of addresses that have computed much of late while others ask."""

    def __init__(self, app: ASGIApp, spending: Spending = SPENDING, clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._spending, self._clock = app, spending, clock
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []
        self._taken = False  # the one place of those who have computed much
        self._agents: Counter[str] = Counter()  # calls of agents that are being answered
        self._light: dict[str, float] = {}  # when those who have computed little asked last

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or (scope["method"] == "GET" and scope["path"].startswith(FREE)):
            await self._app(scope, receive, send)
            return
        client = scope.get("client")
        address = str(client[0]) if client else ""
        much = self._spending.of(address) >= MUCH
        if not much:
            self._remember(address)
        if scope["path"].startswith(AGENTS) and scope["method"] == "POST":
            await self._for_agent(address, scope, receive, send)
        elif much and self._others_ask(address) and not scope["path"].startswith(AGENTS):
            await self._paced(address, scope, receive, send)
        else:
            await self._metered(address, scope, receive, send)

    async def _for_agent(self, address: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Tasks of the server of tools compute for the call, which no meter here sees; so these are counted."""
        if self._agents[address] >= AGENTS_AT_ONCE and self._others_ask(address):
            await refusal(429, TOO_FAST)(scope, receive, send)
            return
        self._agents[address] += 1
        began = self._clock()
        try:
            await self._metered(address, scope, receive, send)
            if self._others_ask(address):  # what one call took is all that is known of what it computed
                await asyncio.sleep(min((self._clock() - began) * RESTS * AGENTS_AT_ONCE, LONGEST_AGENT_REST))
        finally:
            self._agents[address] -= 1
            if not self._agents[address]:
                del self._agents[address]

    def _remember(self, address: str) -> None:
        now = self._clock()
        self._light[address] = now
        if len(self._light) > MOST_LIGHT:
            self._light = {each: moment for each, moment in self._light.items() if now - moment < LATELY}

    def _others_ask(self, address: str) -> bool:
        """Whether somebody else who has computed little asked of late; who is alone is not slowed down."""
        now = self._clock()
        return any(each != address and now - moment < LATELY for each, moment in self._light.items())

    async def _metered(self, address: str, scope: Scope, receive: Receive, send: Send) -> float:
        """Answer a request, and return the processor seconds that the loop of all requests took for it."""
        steps = MeteredSteps(self._app(scope, receive, send))
        try:
            await steps
        finally:
            self._spending.add(address, steps.seconds)
        return steps.seconds

    async def _paced(self, address: str, scope: Scope, receive: Receive, send: Send) -> None:
        if sum(each == address for each, _ in self._waiting) >= MOST_WAITING:
            await refusal(429, TOO_FAST)(scope, receive, send)
            return
        before = self._spending.of(address)
        async with self._turn(address):
            await self._metered(address, scope, receive, send)
            taken = self._spending.of(address)
            await asyncio.sleep(min(max(RESTS, taken), LONGEST_RESTS) * max(taken - before, 0.0))

    @asynccontextmanager
    async def _turn(self, address: str) -> AsyncIterator[None]:
        """Wait for the one place, which the address that has taken least gets next."""
        if self._taken:
            mine = asyncio.get_running_loop().create_future()
            self._waiting.append((address, mine))
            try:
                await mine
            except asyncio.CancelledError:
                if mine.done() and not mine.cancelled():
                    self._pass_on()
                raise
            finally:
                self._waiting = [each for each in self._waiting if each[1] is not mine]
        self._taken = True
        left: list[None] = [None]

        def leave() -> None:
            if left:
                left.pop()
                self._pass_on()

        # A request that is sent a byte at a time keeps the place no longer.
        late = asyncio.get_running_loop().call_later(LONGEST_TURN, leave)
        try:
            yield
        finally:
            late.cancel()
            leave()

    def _pass_on(self) -> None:
        seconds = self._spending.all()
        following = [each for each in self._waiting if not each[1].done()]
        self._taken = bool(following)
        if following:
            min(following, key=lambda each: seconds.get(each[0], 0.0))[1].set_result(None)


class MeteredSteps:
    """Something to wait for, with the processor seconds of its own steps between the waits; not of tasks that it starts."""

    def __init__(self, work: Awaitable[Any]) -> None:
        self._work, self.seconds = work, 0.0

    def __await__(self) -> Generator[Any, Any, Any]:
        steps = self._work.__await__()
        resume: Callable[[Any], Any] = steps.send
        value: Any = None
        while True:
            began = time.thread_time()
            try:
                awaited = resume(value)
            except StopIteration as end:
                return end.value
            finally:
                self.seconds += time.thread_time() - began
            try:
                value, resume = (yield awaited), steps.send
            except BaseException as error:  # as a cancellation, which is for the work
                value, resume = error, steps.throw
