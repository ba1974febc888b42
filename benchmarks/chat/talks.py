"""How fast Parley answers when many people talk at once, and whether their conversations stay apart.

Each person is a session of its own at a running server, with a thread of its own here, and asks as fast as it is answered.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from backend.errors import ExecutionError
from benchmarks.ports import free_port

APP = Path(__file__).parents[2] / "app.py"
START_SECONDS = 90.0
SIMPLE_QUESTIONS = (
    "how many people are there?",
    "what does the model predict for id {id}?",
    "how accurate is the model?",
    "what is the average age?",
)
FIRST, SECOND = "how many people have age above {age}?", "and what does the model predict for these people?"


@dataclass(frozen=True)
class ChatMeasurement:
    """Seconds from sending a question to having its answer, over all people; `mixed` counts answers to somebody else."""

    people: int
    answers: int
    seconds_median: float
    seconds_p95: float
    seconds_max: float
    answers_per_second: float
    mixed: int


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `python -m ttm bench`."""
    parser.add_argument("--people", type=int, default=20, metavar="N", help="how many talk at once (20)")
    parser.add_argument("--questions", type=int, default=10, metavar="N", help="how many questions each asks (10)")
    parser.add_argument(
        "--messages", type=Path, metavar="FILE", help="what they ask, one message a line, each begins elsewhere"
    )
    parser.add_argument("--url", metavar="URL", help="a running Parley; without it one is started for the measurement")
    parser.add_argument("--json", action="store_true", help="print the measurement as JSON")


def run(args: argparse.Namespace) -> None:
    """Measure and print, at the server that `args` name or at one of its own."""
    messages = _messages(args.messages) if args.messages else ()
    with nullcontext(args.url) if args.url else serving() as url:
        measured = measure(url, args.people, args.questions, messages)
    sys.stdout.write((json.dumps(vars(measured)) if args.json else report(measured)) + "\n")


def _messages(file: Path) -> tuple[str, ...]:
    try:
        messages = tuple(filter(None, map(str.strip, file.read_text("utf-8").splitlines())))
    except (OSError, UnicodeDecodeError) as error:
        raise ExecutionError(f"{file} cannot be read as text: {error}") from error
    if not messages:
        raise ExecutionError(f"{file} has no message: each of its lines is one.")
    return messages


def report(m: ChatMeasurement) -> str:
    mixed = "no conversation was mixed with another" if not m.mixed else f"{m.mixed} answers were for somebody else"
    return (
        f"{m.people} people at once, {m.answers} answers: median {m.seconds_median * 1000:.0f} ms, "
        f"95% within {m.seconds_p95 * 1000:.0f} ms, slowest {m.seconds_max * 1000:.0f} ms, "
        f"{m.answers_per_second:.0f} answers a second; {mixed}."
    )


def measure(url: str, people: int = 20, questions: int = 10, messages: Sequence[str] = ()) -> ChatMeasurement:
    """Let `people` ask `questions` simple questions each, or of these messages. Raises ExecutionError if the server does not
    answer. Which answer belongs to whom is only known of the simple ones."""
    begun = threading.Barrier(people)
    with ThreadPoolExecutor(people) as pool:
        clients = [_client(url) for _ in range(people)]
        for client in clients:  # what happens once, as when a page is opened, is not measured
            client.predict(SIMPLE_QUESTIONS[0], api_name="/ttm_chat")
        start = time.perf_counter()
        asked = [[*_asked(number, questions, people, messages)] for number in range(people)]
        talks = [pool.submit(_talk, *one, begun) for one in zip(clients, asked, range(people), strict=True)]
        results = [talk.result() for talk in talks]
        elapsed = time.perf_counter() - start
    times = np.array([second for seconds, _ in results for second in seconds])
    return ChatMeasurement(
        people,
        len(times),
        float(np.median(times)),
        float(np.quantile(times, 0.95)),
        float(times.max()),
        len(times) / elapsed,
        sum(mixed for _, mixed in results),
    )


def _client(url: str) -> Any:
    from gradio_client import Client  # type: ignore[import-untyped]  # slow to import, and comes without types

    try:
        # Without TLS there is nothing to verify, and reading certificates for each question takes longer than the answer.
        secure = url.startswith("https:")
        return Client(url, verbose=False, analytics_enabled=False, httpx_kwargs={"timeout": None}, ssl_verify=secure)
    except Exception as error:  # of whatever HTTP library it uses
        raise ExecutionError(f"There is no Parley at {url}: {error}") from error


def _asked(number: int, questions: int, people: int, messages: Sequence[str]) -> Iterator[str]:
    """What one of the people asks: every second pair is about a group that nobody else asks about."""
    for turn in range(questions):
        simple = SIMPLE_QUESTIONS[turn // 2 % 4].format(id=number)
        if messages:
            yield messages[(number * len(messages) // people + turn) % len(messages)]
        else:
            yield (FIRST.format(age=_age(number)), SECOND, simple, simple)[turn % 4]


def _age(number: int) -> int:
    return 25 + number


def _talk(client: Any, questions: Sequence[str], number: int, begun: threading.Barrier) -> tuple[list[float], int]:
    """One person's questions: seconds for each, and how many of the answers were not about what this person asked."""
    age = _age(number)
    begun.wait()
    seconds, mixed = [], 0
    for question in questions:
        start = time.perf_counter()
        text, _, results = client.predict(question, api_name="/ttm_chat")
        seconds.append(time.perf_counter() - start)
        if question in (SECOND, FIRST.format(age=age)):
            mixed += str(age) not in f"{text} {results}"
    return seconds, mixed


@contextmanager
def serving(*options: str) -> Iterator[str]:
    """The URL of a Parley that runs as long as the context lasts, with a data folder of its own.

    Raises ExecutionError if it does not start.
    """
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.txt"
        command = [sys.executable, str(APP), "--port", str(port), "--data-dir", f"{folder}/data", *options]
        with log.open("wb") as output:
            environment = os.environ | {"GRADIO_ANALYTICS_ENABLED": "False"}
            server = subprocess.Popen(command, stdout=output, stderr=output, cwd=folder, env=environment)
        try:
            _await(port, server, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _await(port: int, server: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    last = log.read_text("utf-8", "replace").strip().splitlines()[-1:] or ["it printed nothing"]
    raise ExecutionError(f"Parley did not start: {last[0]}")
