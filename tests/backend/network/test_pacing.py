"""Who has computed much sends one request at a time while others ask, and then none for a while; others wait for nothing."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from backend.network.shares import pacing
from backend.network.shares.pacing import AGENTS_AT_ONCE, LATELY, MOST_WAITING, MUCH, MeteredSteps, PacedRequests
from backend.network.shares.spending import Spending


class Office:
    """An app whose requests go on when they are let on, and the requests that have begun and ended."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.statuses: list[int] = []
        self.spending, self.seconds = Spending(), 1_000.0
        self.paced = PacedRequests(self.answer, self.spending, lambda: self.seconds)
        self.let_on = asyncio.Event()

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.begun.append(scope["client"][0])
        await self.let_on.wait()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.statuses.append(message["status"])

    def come(self, address: str, path: str = "/", method: str = "POST") -> "asyncio.Task[None]":
        scope = {"type": "http", "method": method, "path": path, "client": (address, 1), "headers": []}

        async def nothing() -> Message:
            return {"type": "http.disconnect"}

        return asyncio.ensure_future(self.paced(scope, nothing, self.send))


def _run(story: Callable[[Office], Any]) -> Office:
    async def told() -> Office:
        office = Office()
        await story(office)
        return office

    return asyncio.run(told())


async def _settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def test_those_who_took_much_take_turns_and_the_one_who_took_least_of_them_is_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "LONGEST_RESTS", 0.0)

    async def story(office: Office) -> None:
        office.spending.add("most", 9 * MUCH)
        office.spending.add("much", 2 * MUCH)
        requests = [office.come("light"), *(office.come("most") for _ in range(3)), office.come("much"), office.come("other")]
        await _settled()
        assert office.begun == ["light", "most", "other"]
        office.let_on.set()
        await asyncio.gather(*requests)
        assert office.begun == ["light", "most", "other", "much", "most", "most"]

    _run(story)


def test_who_is_alone_waits_for_nothing() -> None:
    async def story(office: Office) -> None:
        office.come("light")
        await _settled()
        office.seconds += LATELY + 1
        office.spending.add("much", 2 * MUCH)
        for _ in range(5):
            office.come("much")
        await _settled()
        assert office.begun == ["light", *["much"] * 5]

    _run(story)


def test_what_lasts_as_long_as_a_page_never_waits() -> None:
    async def story(office: Office) -> None:
        office.spending.add("much", 2 * MUCH)
        office.come("light")
        for _ in range(4):
            office.come("much", "/gradio_api/queue/data", "GET")
        await _settled()
        assert len(office.begun) == 5

    _run(story)


def test_one_address_has_only_so_many_waiting_and_who_gives_up_leaves_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "LONGEST_RESTS", 0.0)

    async def story(office: Office) -> None:
        office.spending.add("much", 2 * MUCH)
        requests = [office.come("light"), *(office.come("much") for _ in range(MOST_WAITING + 3))]
        await _settled()
        assert office.statuses == [429, 429]
        for request in requests[1:-1]:
            request.cancel()
        await _settled()
        office.come("much")
        await _settled()
        assert office.begun == ["light", "much", "much"]

    _run(story)


def test_a_request_that_never_ends_gives_its_place_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "LONGEST_TURN", 0.0)

    async def story(office: Office) -> None:
        office.spending.add("much", 2 * MUCH)
        for address in ("light", "much", "much"):
            office.come(address)
        while office.begun != ["light", "much", "much"]:
            await asyncio.sleep(0)

    _run(story)


def test_the_steps_of_a_task_are_metered_with_its_result_and_its_cancellation() -> None:
    async def work() -> str:
        await asyncio.sleep(0)
        return str(sum(range(1_000_000)))

    async def story() -> None:
        steps = MeteredSteps(work())
        assert await steps == "499999500000"
        assert steps.seconds > 0
        stuck = asyncio.ensure_future(_awaited(MeteredSteps(asyncio.Event().wait())))
        await _settled()
        stuck.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stuck

    asyncio.run(story())


async def _awaited(steps: MeteredSteps) -> Any:
    return await steps


def test_what_somebody_asked_before_they_had_taken_much_makes_no_others_of_them() -> None:
    async def story(office: Office) -> None:
        office.come("one")
        await _settled()
        office.spending.add("one", 9 * MUCH)
        for _ in range(3):
            office.come("one")
        await _settled()
        assert office.begun == ["one"] * 4

    _run(story)


def test_a_call_of_an_agent_keeps_no_place_that_its_own_request_would_wait_for() -> None:
    async def story(office: Office) -> None:
        office.spending.add("server", 9 * MUCH)
        for address, path in (("light", "/"), ("server", "/gradio_api/mcp/"), ("server", "/gradio_api/run/ttm_ask")):
            office.come(address, path)
            await _settled()
        assert office.begun == ["light", "server", "server"]

    _run(story)


def test_agents_of_one_address_have_few_calls_at_once_while_others_ask() -> None:
    async def story(office: Office) -> None:
        calls = [office.come("agent", pacing.AGENTS + "/") for _ in range(AGENTS_AT_ONCE + 3)]
        await _settled()
        assert office.begun == ["agent"] * (AGENTS_AT_ONCE + 3), "alone"
        office.come("light")
        refused = [office.come("agent", pacing.AGENTS + "/") for _ in range(2)]
        stays_open = office.come("agent", pacing.AGENTS + "/", "GET")
        other = office.come("other agent", pacing.AGENTS + "/")
        await _settled()
        assert office.statuses == [429, 429]
        assert office.begun[-2:] == ["agent", "other agent"]
        office.let_on.set()
        await asyncio.gather(*calls, *refused, stays_open, other)
        await office.come("agent", pacing.AGENTS + "/")
        assert office.statuses == [429, 429]

    _run(story)
