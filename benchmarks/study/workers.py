"""People at work: each asks for an item, types, saves drafts, hands in, and notes what the server has acknowledged.

A call without a reply is sent again, as a screen does it, until there is one.
"""

import random
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from benchmarks.study.client import StudyClient, Unanswered

NEXT, DRAFT, SUBMIT = "study_next", "study_save_draft", "study_submit"
RETRY_SECONDS, PATIENCE_SECONDS = 0.5, 180.0
Reply = Mapping[str, Any]


@dataclass(frozen=True)
class WorkPace:
    """Between any two calls somebody thinks for a random time between `least` and `most` seconds; `drafts`: for each text."""

    least: float = 1.0
    most: float = 3.0
    drafts: int = 3


@dataclass
class Journal:
    """What one worker sent, and what the server acknowledged.

    seconds: of every answered call, by endpoint. drafts: of (key, field), the last version and value that were
    acknowledged. sent: key and answer by the id of the submission. receipts: the number of the event by that id.
    forgotten: acknowledged drafts that the server did not give back with their item. cut_off: calls that reached a server
    which then went away; they were sent again.
    """

    name: str
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    drafts: dict[tuple[str, str], tuple[int, Any]] = field(default_factory=dict)
    sent: dict[str, tuple[str, Reply]] = field(default_factory=dict)
    receipts: dict[str, int] = field(default_factory=dict)
    refusals: Counter[str] = field(default_factory=Counter)
    forgotten: set[tuple[str, str]] = field(default_factory=set)
    cut_off: int = 0


class Worker:
    """`run` works until `stop` is set, or until nothing is left if `to_the_end`."""

    def __init__(
        self, port: int, name: str, link: str, pace: WorkPace, stop: threading.Event, to_the_end: bool = False
    ) -> None:
        self.journal = Journal(name)
        self._client, self._link, self._pace, self._stop = StudyClient(port), link, pace, stop
        self._to_the_end = to_the_end
        self._random = random.Random(name)
        self._token = ""

    def run(self) -> Journal:
        """Raises Unanswered if the server stays away."""
        try:
            if not self._token:
                self.sign_in()
            self._think()
            while not self._stop.is_set():
                reply = self._ask(NEXT, {})
                if reply["ok"]:
                    self._do(reply)
                elif reply["reason"] == "finished" and self._to_the_end:
                    break
                else:
                    self._stop.wait(max(self._pace.most, RETRY_SECONDS))
        finally:
            self._client.close()
        return self.journal

    def sign_in(self) -> None:
        """Raises Unanswered if the server stays away, or does not know the link."""
        while not (reply := self._answered("study_sign_in", {"link": self._link}))["ok"]:
            if reply["until"] is None:
                raise Unanswered(f"{self.journal.name} is not let in: {reply['message']}", True)
            # Everybody comes from one address here, which is slowed down if very many do so at the same moment.
            self._stop.wait(max(0.1, (datetime.fromisoformat(reply["until"]) - datetime.now(UTC)).total_seconds()))
        self._token = reply["token"]

    def _do(self, reply: Reply) -> None:
        """One item; it is left as it is when the time is over, with the drafts so far."""
        self._look_for_drafts(reply)
        key, answer = reply["key"], {}
        for part in reply["parts"]:
            if part["kind"] != "write":
                continue
            text = f"{self.journal.name} says {key} again, {uuid.uuid4()}"
            if not self._type(key, part["name"], text, reply["drafts"].get(part["name"])):
                return
            answer[part["name"]] = text
        self._hand_in(key, answer)

    def _type(self, key: str, name: str, text: str, there: Reply | None) -> bool:
        """Drafts of growing length; False if time is over before the text is written."""
        version = there["version"] if there else 0
        for number in range(1, self._pace.drafts + 1):
            self._think()
            if self._stop.is_set():
                return False
            typed = text[: len(text) * number // self._pace.drafts]
            asked = {"key": key, "field": name, "value": typed, "version": version + number}
            reply = self._ask(DRAFT, asked)
            if reply["ok"] and (reply["version"], reply["value"]) == (version + number, typed):
                self.journal.drafts[key, name] = (version + number, typed)
        self._think()
        return not self._stop.is_set()

    def _hand_in(self, key: str, answer: Reply) -> None:
        submission = str(uuid.uuid4())
        self.journal.sent[submission] = (key, answer)
        reply = self._ask(SUBMIT, {"key": key, "answer": answer, "submission": submission, "insist": True})
        if reply["ok"]:
            self.journal.receipts[submission] = reply["event"]
        self._think()

    def _look_for_drafts(self, reply: Reply) -> None:
        """An item that comes again brings everything that was acknowledged, or something newer."""
        for (key, name), (version, value) in self.journal.drafts.items():
            if key == reply["key"]:
                there = reply["drafts"].get(name)
                if there is None or there["version"] < version or (there["version"] == version and there["value"] != value):
                    self.journal.forgotten.add((key, name))

    def _ask(self, name: str, asked: Reply) -> Reply:
        reply = self._answered(name, self._token, asked)
        if not reply["ok"]:
            self.journal.refusals[reply["reason"]] += 1
        return reply

    def _answered(self, name: str, *data: Any) -> Reply:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            begun = time.perf_counter()
            try:
                reply = self._client.call(name, *data)
            except Unanswered as error:
                self.journal.cut_off += error.reached
                if time.monotonic() > deadline:
                    raise
                time.sleep(RETRY_SECONDS)
                continue
            self.journal.seconds[name].append(time.perf_counter() - begun)
            return reply

    def _think(self) -> None:
        self._stop.wait(self._random.uniform(self._pace.least, self._pace.most))
