"""How long strangers wait for answers while attackers are among them, and how much memory the server takes.

Each stranger has an address and a session of their own, asks a question, reads for a while, and asks the next. Then come
attackers: they flood the queue with long questions, send large queries, files and calls that cannot be meant, and name servers
of the own network.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import secrets
import statistics
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.chat.talks import SIMPLE_QUESTIONS, serving

PROXY = "127.0.0.1"  # this computer, which says for each caller where they come from
READING = 30.0  # seconds between an answer and the next question, on average
PATIENCE = 120.0
WARMING = 10.0
LONG_QUERY = "SELECT DISTINCT ?x WHERE {{ {} }}".format(" ".join(f"?x <http://a/b{n}> ?y{n} ." for n in range(40)))


@dataclass
class Measurement:
    """Seconds of each answer, how many questions were refused or lost, and the most megabytes that the server took.

    On a computer that other work uses too, answers wait for that as well; how long the server computed says what they cost it.
    """

    seconds: list[float] = field(default_factory=list)
    lost: int = 0
    megabytes: float = 0.0
    processor: float = 0.0  # seconds that the server computed
    attacks: Counter[int] = field(default_factory=Counter)  # by status

    def summary(self) -> dict[str, float | int | dict[int, int]]:
        median = statistics.median(self.seconds) if self.seconds else float("nan")
        worst = sorted(self.seconds)[int(0.95 * len(self.seconds))] if self.seconds else float("nan")
        return {"answers": len(self.seconds), "median": round(median, 3), "p95": round(worst, 3), "lost": self.lost,
                "megabytes": round(self.megabytes), "processor": round(self.processor, 1),
                "attacks": dict(sorted(self.attacks.items()))}  # fmt: skip


class PageCaller:
    """Somebody with an address and a session, who calls as a page does."""

    def __init__(self, http: Any, address: str, endpoints: dict[str, int]) -> None:
        self.session, self._http, self._endpoints = secrets.token_hex(6), http, endpoints
        self.headers = {"X-Forwarded-For": address}

    async def post(self, path: str, body: Any) -> int:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {**self.headers, "content-type": "application/json"}
        return int((await self._http.post(f"/gradio_api/{path}", content=content, headers=headers)).status_code)

    async def join(self, endpoint: str, *data: Any) -> int:
        index = self._endpoints[endpoint]
        return await self.post("queue/join", {"data": list(data), "fn_index": index, "session_hash": self.session})

    async def ask(self, endpoint: str, *data: Any) -> bool:
        """Wait for an answer; False for a refusal and for an error."""
        if await self.join(endpoint, *data) != 200:
            return False
        good = False
        url = f"/gradio_api/queue/data?session_hash={self.session}"
        async with self._http.stream("GET", url, headers=self.headers) as stream:
            async for line in stream.aiter_lines():
                message = json.loads(line[5:]) if line.startswith("data:") else {}
                good |= message.get("msg") == "process_completed" and bool(message.get("success"))
                if message.get("msg") == "close_stream":
                    break
        return good


async def stranger(caller: PageCaller, until: float, result: Measurement, draw: random.Random, reading: float) -> None:
    """Ask one question after another, with time to read."""
    await asyncio.sleep(min(draw.random() * reading, max(until - time.monotonic(), 0)))
    while time.monotonic() < until:
        question = draw.choice(SIMPLE_QUESTIONS).format(id=draw.randint(1, 300), age=draw.randint(25, 60))
        began = time.monotonic()
        try:
            good = await asyncio.wait_for(caller.ask("ttm_chat", question, "", None), PATIENCE)
        except Exception:  # whatever breaks is a question that was lost
            good = False
        result.seconds += [time.monotonic() - began] if good else []
        result.lost += not good
        await asyncio.sleep(min(draw.expovariate(1 / reading), max(until - time.monotonic(), 0)))


async def attacker(caller: PageCaller, until: float, result: Measurement, draw: random.Random) -> None:
    """Do what a stranger should not, again and again."""
    server = ("A server with the OpenAI interface", "http://169.254.169.254/", "m", "", "chat")
    attacks: tuple[Callable[[], Awaitable[int]], ...] = (
        lambda: caller.join("ttm_explain", str(draw.randint(1, 300)), "shap", ""),
        lambda: caller.join("ttm_chat", "why does the model predict this for age above 30?", "", None),
        lambda: caller.join("inspired_decompose", LONG_QUERY, {}),
        lambda: caller.join(
            "faithfulness_explain", "Who?", "Ann.", "Ann", *server, "Equal parts, moved to sentence ends", 2, 2
        ),
        lambda: caller.post("run/ask", {"data": ["x", None]}),
        lambda: caller.post("run/study_page", b'{"data": ["x", ' + b"[" * 100_000 + b"]" * 100_000 + b"]}"),
        lambda: caller.post("run/study_sign_in", {"data": [{"name": "Ann", "code": "wrong"}]}),
        lambda: caller.post("upload", b"x" * 1_000_000),
        lambda: caller.post("queue/join", {"data": ["x" * 2_000_000], "fn_index": 0, "session_hash": "a"}),
    )
    while time.monotonic() < until:
        with contextlib.suppress(Exception):
            result.attacks[await asyncio.wait_for(draw.choice(attacks)(), PATIENCE)] += 1
        if draw.random() < 0.05:
            caller.session = secrets.token_hex(6)
        await asyncio.sleep(0.05)


async def phase(url: str, people: int, attackers: int, seconds: float, reading: float) -> Measurement:
    """Let strangers ask for a while, with attackers among them."""
    import httpx

    result, draw = Measurement(), random.Random(0)
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=people)
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE, limits=limits) as http:
        listed = (await http.get("/config")).json()["dependencies"]
        endpoints = {str(each["api_name"]): int(each["id"]) for each in listed}
        before, until = _processor_seconds(), time.monotonic() + seconds
        tasks = [
            stranger(PageCaller(http, f"10.1.{n // 250}.{n % 250 + 1}", endpoints), until, result, draw, reading)
            for n in range(people)
        ]
        tasks += [attacker(PageCaller(http, f"10.2.0.{n + 1}", endpoints), until, result, draw) for n in range(attackers)]
        await asyncio.gather(_watch(until, result), *tasks)
        result.processor = _processor_seconds() - before
    return result


async def _watch(until: float, result: Measurement) -> None:
    while time.monotonic() < until:
        result.megabytes = max(result.megabytes, _memory())
        await asyncio.sleep(1)


def _memory() -> float:
    """Megabytes of the programs that this one has started, and that those have started; 0 where the system does not tell."""
    pages = [int(_fields(process)[21]) for process in _started()]
    return sum(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6 if pages else 0.0


def _processor_seconds() -> float:
    """Seconds that those programs have computed; 0 where the system does not tell."""
    ticks = [int(tick) for process in _started() for tick in _fields(process)[11:13]]
    return sum(ticks) / os.sysconf("SC_CLK_TCK") if ticks else 0.0


def _started() -> set[int]:
    """The programs that this one has started, and those that they have started."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            parents[int(path.name)] = int(_fields(int(path.name))[1])
    ours = {os.getpid()}
    for _ in range(4):
        ours |= {process for process, parent in parents.items() if parent in ours}
    return ours - {os.getpid()}


def _fields(process: int) -> list[str]:
    """What the system says of a process, from its state on: proc(5), /proc/PID/stat; zeros if it has just ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["0"] * 50


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--people", type=int, default=200, metavar="N", help="strangers with a session each (200)")
    parser.add_argument("--attackers", type=int, default=5, metavar="N", help="attackers among them (5)")
    parser.add_argument("--reading", type=float, default=READING, metavar="S", help="seconds between answer and question (30)")
    parser.add_argument("--seconds", type=float, default=60, metavar="S", help="how long each of the two parts takes (60)")


def run(args: argparse.Namespace) -> None:
    """Measure both parts at a server that is started for them, and print them and their ratio."""
    with serving("--public", "--trusted-proxies", PROXY) as url:
        asyncio.run(phase(url, 5, 0, WARMING, 1))  # what happens once is not measured
        alone = asyncio.run(phase(url, args.people, 0, args.seconds, args.reading)).summary()
        beside = asyncio.run(phase(url, args.people, args.attackers, args.seconds, args.reading)).summary()
    ratio = float(str(beside["median"])) / float(str(alone["median"]))
    for name, measured in (("alone", alone), ("with attackers", beside)):
        sys.stdout.write(f"{name}: {json.dumps(measured)}\n")
    sys.stdout.write(f"median with attackers / alone: {ratio:.2f}\n")
