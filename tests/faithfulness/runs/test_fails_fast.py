"""A run that cannot come to anything ends after its first requests; an interrupted one ends at once and keeps what it has."""

import itertools
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from backend.errors import Blame, FaithfulnessError, LanguageModelError, ModelUnusable, RequestRefused
from backend.models.language_models import LanguageModel, Message, OpenAIEndpoint
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan
from faithfulness.reports.tables import tables_of
from faithfulness.runs.breaker import FEW, MANY, Breaker
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import Profile, profile_of
from faithfulness.runs.run import RunSpecification, run_study
from tests.backend.models.language_models import recorded_servers as recorded
from tests.backend.models.language_models.recorded_servers import RecordedServer, Rules, Served, chat_reply
from tests.faithfulness.planted import write_rows

ROWS = 20
DRIP = "drip"


@pytest.fixture
def serve() -> Iterator[Callable[[Rules], RecordedServer]]:
    made: list[RecordedServer] = []

    def start(rules: Rules, kind: type[RecordedServer] = RecordedServer) -> RecordedServer:
        made.append(kind(rules))
        return made[-1]

    yield start
    for each in made:
        each.close()


def once(profile: Profile) -> LanguageModel:
    assert profile.base_url
    return OpenAIEndpoint(profile.base_url, profile.name, retries=0)


def study_of(path: Path, *addresses: str, rows: int = ROWS) -> RunSpecification:
    write_rows(path / "rows.jsonl", rows)
    profiles = tuple(profile_of(f"m{number}", url, in_flight=8) for number, url in enumerate(addresses))
    return RunSpecification(str(path / "rows.jsonl"), profiles, Plan())


def run_all(study: RunSpecification, path: Path) -> list[Any]:
    return list(run_study(study, RunFolder(path / "out"), open_model=once, metric=Metric(), pause=0.01))


def right(asked: dict[str, Any]) -> Served:
    number = re.search(r"what is item (\d+)", asked["messages"][-1]["content"])
    assert number
    known = f"value {number[1]}" in asked["messages"][-1]["content"]
    value = f"value {number[1]}" if known else "nothing"
    return chat_reply(f"Thought: so it says.\nKeywords: {value}\nShort answer: {value}")


@pytest.mark.parametrize(
    ("name", "words", "most"),
    [
        ("WRONG_KEY", "key is missing or wrong", 2),
        ("WRONG_NAME", "does not exist or you do not have access", 2),
        ("WRONG_NAME_OLLAMA", "try pulling it first", 2),
        ("WRONG_KEY_GOOGLE", "API key not valid", 2),
        ("NO_MONEY", "exceeded your current quota", 2),
        ("WRONG_PARAMETER", "Value must be 'text'", 4),
        ("TOO_FAST", "too many requests", 4),
    ],
)
def test_what_every_request_meets_ends_the_run_after_the_first_few(
    name: str, words: str, most: int, serve: Callable[[Rules], RecordedServer], tmp_path: Path
) -> None:
    answered: Served = getattr(recorded, name)
    server = serve(lambda asked: answered)
    with pytest.raises(ModelUnusable, match=words) as caught:
        run_all(study_of(tmp_path, server.url), tmp_path)
    assert len(server.asked) <= most  # of 120 that 20 rows in three passes would take
    assert "The run was ended" in caught.value.message
    with pytest.raises(FaithfulnessError, match=f"No sample .* is finished yet.*{words}"):
        tables_of(RunFolder(tmp_path / "out"))


@pytest.mark.slow
def test_a_key_that_is_revoked_later_keeps_what_was_done_and_the_run_goes_on(
    serve: Callable[[Rules], RecordedServer], tmp_path: Path
) -> None:
    revoked = threading.Event()
    server = serve(lambda asked: recorded.WRONG_KEY if revoked.is_set() else right(asked))
    study, folder = study_of(tmp_path, server.url), RunFolder(tmp_path / "out")

    def run_until_refused() -> None:
        for progress in run_study(study, folder, open_model=once, metric=Metric(), pause=0.01):
            if progress.finished > 4:
                revoked.set()

    with pytest.raises(ModelUnusable, match="key is missing"):
        run_until_refused()
    kept, asked = len(folder.finished("m0")), len(server.asked)
    assert 5 <= kept < ROWS
    assert asked < ROWS * 10
    revoked.clear()
    assert run_all(study, tmp_path)[-1].finished == ROWS


@pytest.mark.slow
def test_a_text_that_is_refused_is_left_out_and_the_others_go_on(
    serve: Callable[[Rules], RecordedServer], tmp_path: Path
) -> None:
    """Even where every one of the first rows is too long."""

    def rules(asked: dict[str, Any]) -> Served:
        number = re.search(r"what is item (\d+)", asked["messages"][-1]["content"])
        return recorded.TOO_LONG_LLAMA if number and int(number[1]) <= 6 else right(asked)

    server = serve(rules)
    last = run_all(study_of(tmp_path, server.url), tmp_path)[-1]
    assert (last.finished, last.failed) == (ROWS - 6, 6)
    assert "exceeds the available context size" in RunFolder(tmp_path / "out").failed("m0")[0]["reason"]


def test_the_other_models_of_a_run_are_asked_nevertheless(serve: Callable[[Rules], RecordedServer], tmp_path: Path) -> None:
    wrong, good = serve(lambda asked: recorded.WRONG_NAME), serve(right)
    with pytest.raises(ModelUnusable, match=r"^m0 refused"):
        run_all(study_of(tmp_path, wrong.url, good.url, rows=3), tmp_path)
    assert RunFolder(tmp_path / "out").finished("m1") == {1, 2, 3}


class Dripping(RecordedServer):
    """Sends a byte at a time, without an end, until it is closed; but replies of content as others do."""

    def __init__(self, rules: Rules) -> None:
        self.closed = threading.Event()
        super().__init__(rules)

    def send(self, handler: BaseHTTPRequestHandler, status: int, body: Any) -> None:
        if body != DRIP:
            super().send(handler, status, body)
            return
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        while not self.closed.wait(0.05):
            handler.wfile.write(b" ")
            handler.wfile.flush()

    def close(self) -> None:
        self.closed.set()
        super().close()


def test_a_server_that_drips_is_given_up_on_and_not_asked_again(serve: Any) -> None:
    server = serve(lambda asked: (200, DRIP), Dripping)
    model = OpenAIEndpoint(server.url, "m", timeout=0.4, retries=3)
    with pytest.raises(LanguageModelError, match="m did not answer within"):
        model.chat([Message("user", "what is item 1")], max_tokens=5)
    assert len(server.asked) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal of Unix")
@pytest.mark.slow
def test_ctrl_c_ends_a_run_though_its_server_drips_and_keeps_what_was_done(serve: Any, tmp_path: Path) -> None:
    answered, in_flight, numbers, reached = 45, 4, itertools.count(1), threading.Event()

    def rules(asked: dict[str, Any]) -> Served:
        number = next(numbers)
        if number == answered + in_flight:
            reached.set()  # every call that may be in flight drips, so that the replies before have come
        return right(asked) if number <= answered else (200, DRIP)

    server = serve(rules, Dripping)
    write_rows(tmp_path / "rows.jsonl", ROWS)
    options = {"--data": tmp_path / "rows.jsonl", "--model": "m", "--base-url": server.url, "--protocol": "chat",
               "--in-flight": in_flight, "--out": tmp_path / "out", "--timeout": 3600}  # fmt: skip
    command = [sys.executable, "-m", "faithfulness", "run", *(str(part) for pair in options.items() for part in pair)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert reached.wait(240)
        process.send_signal(signal.SIGINT)
        written, _ = process.communicate(timeout=240)  # the calls in flight would take an hour
    finally:
        process.kill()
    assert process.returncode == 130
    assert "The same command goes on from here." in written
    finished = RunFolder(tmp_path / "out").finished("m")
    assert finished
    store = RunFolder(tmp_path / "out").calls()
    assert len(store) == answered
    store.close()
    assert len(server.asked) == answered + in_flight


def failed(breaker: Breaker, error: LanguageModelError, times: int, replies: int = 0) -> None:
    for _ in range(times):
        breaker.failed(error, replies)


def test_the_breaker_lets_a_server_that_has_worked_be_restarted() -> None:
    now = [0.0]
    silent, breaker = LanguageModelError("Nothing answers."), Breaker(in_flight=4, patience=100.0, clock=lambda: now[0])
    failed(breaker, silent, FEW - 1)
    breaker.succeeded()
    failed(breaker, silent, 3 * MANY, replies=1)
    now[0] = 99.0
    breaker.failed(silent, 1)
    breaker.failed(silent, 2)  # a reply came in between
    now[0] = 250.0
    failed(breaker, silent, MANY - 2, replies=2)
    with pytest.raises(ModelUnusable, match=rf"Nothing answers\. The run was ended after {MANY} calls in a row"):
        breaker.failed(silent, 2)


def test_replies_from_the_store_do_not_hide_that_every_new_request_is_refused() -> None:
    breaker = Breaker()
    refused = RequestRefused("m refused: no.", Blame.UNCLEAR)
    for _ in range(FEW - 1):
        breaker.succeeded()
        breaker.failed(refused, 0)
    breaker.failed(RequestRefused("m refused: too long.", Blame.TEXT), 0)
    with pytest.raises(ModelUnusable):
        breaker.failed(refused, 0)
