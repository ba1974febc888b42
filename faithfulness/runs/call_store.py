"""Every reply that a model gave, kept on disk under the content of what it was asked, so that nothing is asked twice.

The file is SQLite and belongs to one run. A reply is on disk before it is used.
"""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from backend.errors import FaithfulnessError
from backend.models.language_models import Guide, LanguageModel, Message, Reply
from backend.storage.content_key import content_key
from backend.storage.database import BUSY_MILLISECONDS, switch_to_wal
from faithfulness.runs.spending import SpendingLimit

_TABLES = """
CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, text TEXT, prompt_tokens INTEGER, completion_tokens INTEGER,
                                    seconds REAL, finish TEXT DEFAULT '', reasoned INTEGER DEFAULT 0,
                                    tokens TEXT DEFAULT '', log_probability REAL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS failures (model TEXT, reason TEXT, at TEXT DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE IF NOT EXISTS adjustments (model TEXT, what TEXT, PRIMARY KEY (model, what)) WITHOUT ROWID;
"""
_COLUMNS = "text, prompt_tokens, completion_tokens, seconds, finish, reasoned, tokens, log_probability"
# Columns that stores of earlier versions lack.
_NEWER = {"finish": "TEXT DEFAULT ''", "reasoned": "INTEGER DEFAULT 0", "tokens": "TEXT DEFAULT ''", "log_probability": "REAL"}


class Replies(Protocol):
    """Where a model's replies are kept, by key."""

    def get(self, key: str) -> Reply | None: ...
    def put(self, key: str, reply: Reply) -> None: ...
    def note_failure(self, model: str, reason: str) -> None: ...
    def note_adjustment(self, model: str, what: str) -> None: ...


class CallStore:
    """Replies by key. Safe to share between threads. Raises FaithfulnessError if the file cannot be used."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
            switch_to_wal(self._connection)
            self._connection.execute("PRAGMA synchronous=FULL")
            self._connection.executescript(_TABLES)
            self._add_newer_columns()
        except sqlite3.Error as error:
            raise FaithfulnessError(f"The calls of earlier runs in {path} cannot be used: {error}.") from error

    def get(self, key: str) -> Reply | None:
        rows = self._execute(f"SELECT {_COLUMNS} FROM replies WHERE key = ?", key)
        if not rows:
            return None
        text, prompt_tokens, completion_tokens, seconds, finish, reasoned, tokens, log_probability = rows[0]
        read = tuple((token, number) for token, number in json.loads(tokens or "[]"))
        return Reply(
            text, prompt_tokens, completion_tokens, seconds, log_probability=log_probability, finish=finish or "",
            reasoned=bool(reasoned), tokens=read,
        )  # fmt: skip

    def put(self, key: str, reply: Reply) -> None:
        tokens = json.dumps([[token, round(number, 5)] for token, number in reply.tokens]) if reply.tokens else ""
        values = (
            reply.text, reply.prompt_tokens, reply.completion_tokens, reply.seconds, reply.finish, int(reply.reasoned), tokens,
            reply.log_probability,
        )  # fmt: skip
        self._execute(f"INSERT OR IGNORE INTO replies (key, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", key, *values)

    def note_failure(self, model: str, reason: str) -> None:
        self._execute("INSERT INTO failures (model, reason) VALUES (?, ?)", model, reason)

    def note_adjustment(self, model: str, what: str) -> None:
        """Keep, once, that requests to a model were changed because its server refused them as they were."""
        self._execute("INSERT OR IGNORE INTO adjustments VALUES (?, ?)", model, what)

    def adjustments(self, model: str) -> list[str]:
        return [str(what) for (what,) in self._execute("SELECT what FROM adjustments WHERE model = ? ORDER BY what", model)]

    def failures(self, model: str) -> dict[str, int]:
        """How often each failure of a call was noted, the most frequent first; most were made good by another try."""
        rows = self._execute(
            "SELECT reason, count(*) FROM failures WHERE model = ? GROUP BY reason ORDER BY count(*) DESC, reason", model
        )
        return {reason: int(count) for reason, count in rows}

    def __len__(self) -> int:
        return int(self._execute("SELECT count(*) FROM replies")[0][0])

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _add_newer_columns(self) -> None:
        there = {row[1] for row in self._connection.execute("PRAGMA table_info(replies)")}
        for name, kind in _NEWER.items():
            if name not in there:
                try:
                    self._connection.execute(f"ALTER TABLE replies ADD COLUMN {name} {kind}")
                except sqlite3.OperationalError as error:
                    if "duplicate column" not in str(error):  # another process was quicker
                        raise

    def _execute(self, query: str, *values: str | float | None) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise FaithfulnessError(f"The calls of this run cannot be kept in {self._path}: {error}.") from error


@dataclass(frozen=True)
class RememberingModel:
    """`model`, asked only what it was not asked before; `identity` is what tells its replies from those of others.

    `number` sets repeats of the same question apart: each has a reply of its own. `made` counts calls that were really
    made; it is shared between the repeats of one model. Beyond its `limit` no call is made; `cost` is that of so many tokens
    in and out.
    """

    model: LanguageModel
    store: Replies
    identity: tuple[str, ...]
    made: "Counter"
    number: int = 0
    limit: SpendingLimit | None = None
    cost: Callable[[float, float], float] | None = None

    @property
    def name(self) -> str:
        return self.model.name

    def repeat(self, number: int) -> "RememberingModel":
        return replace(self, number=number)

    def chat(
        self, messages: Sequence[Message], *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None
    ) -> Reply:
        key = self._key("chat", json.dumps([[message.role, message.content] for message in messages]), max_tokens, stop, guide)
        return self._kept(key, lambda: self.model.chat(messages, max_tokens=max_tokens, stop=stop, guide=guide))

    def complete(self, prompt: str, *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None) -> Reply:
        key = self._key("complete", prompt, max_tokens, stop, guide)
        return self._kept(key, lambda: self.model.complete(prompt, max_tokens=max_tokens, stop=stop, guide=guide))

    def _kept(self, key: str, call: Callable[[], Reply]) -> Reply:
        kept = self.store.get(key)
        if kept is not None:
            return kept
        if self.limit is not None:
            self.limit.take_call()
        return self._made(key, call())

    def _key(self, kind: str, asked: str, max_tokens: int, stop: Sequence[str], guide: Guide | None) -> str:
        # Requests without a guide keep the keys that they had before there were guides.
        beside = [(guide.way, guide.text)] if guide else []
        return content_key(self.identity, kind, asked, max_tokens, list(stop), self.number, *beside)

    def _made(self, key: str, reply: Reply) -> Reply:
        self.store.put(key, reply)
        self.made.add(reply)
        if self.limit is not None and self.cost is not None:
            self.limit.pay(self.cost(reply.prompt_tokens, reply.completion_tokens))
        for what in self.made.new_adjustments(getattr(self.model, "adjustments", ())):
            self.store.note_adjustment(self.name, what)
        return reply


class Counter:
    """What the calls of this process came to so far."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.calls = self.prompt_tokens = self.completion_tokens = 0
        self.seconds = 0.0
        self._adjustments: set[str] = set()

    def new_adjustments(self, known: Iterable[str]) -> list[str]:
        """Those of the `known` changes to requests that were not returned before."""
        with self._lock:
            new = [what for what in known if what not in self._adjustments]
            self._adjustments.update(new)
            return new

    def add(self, reply: Reply) -> None:
        with self._lock:
            self.calls += 1
            self.prompt_tokens += reply.prompt_tokens
            self.completion_tokens += reply.completion_tokens
            self.seconds += reply.seconds
