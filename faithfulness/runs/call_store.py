"""Every reply that a model gave, kept on disk under the content of what it was asked, so that nothing is asked twice.

The file is SQLite and belongs to one run. A reply is on disk before it is used.
"""

import json
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from backend.errors import FaithfulnessError
from backend.models.language_models import Guide, LanguageModel, Message, Reply
from backend.storage.content_key import content_key
from backend.storage.database import BUSY_MILLISECONDS, switch_to_wal

_TABLES = """
CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, text TEXT, prompt_tokens INTEGER, completion_tokens INTEGER,
                                    seconds REAL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS failures (model TEXT, reason TEXT, at TEXT DEFAULT CURRENT_TIMESTAMP);
"""


class Replies(Protocol):
    """Where a model's replies are kept, by key."""

    def get(self, key: str) -> Reply | None: ...
    def put(self, key: str, reply: Reply) -> None: ...
    def note_failure(self, model: str, reason: str) -> None: ...


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
        except sqlite3.Error as error:
            raise FaithfulnessError(f"The calls of earlier runs in {path} cannot be used: {error}.") from error

    def get(self, key: str) -> Reply | None:
        row = self._execute("SELECT text, prompt_tokens, completion_tokens, seconds FROM replies WHERE key = ?", key)
        return Reply(*row[0]) if row else None

    def put(self, key: str, reply: Reply) -> None:
        numbers = (reply.prompt_tokens, reply.completion_tokens, reply.seconds)
        self._execute("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?)", key, reply.text, *numbers)

    def note_failure(self, model: str, reason: str) -> None:
        self._execute("INSERT INTO failures (model, reason) VALUES (?, ?)", model, reason)

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

    def _execute(self, query: str, *values: str | float) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise FaithfulnessError(f"The calls of this run cannot be kept in {self._path}: {error}.") from error


@dataclass(frozen=True)
class RememberingModel:
    """`model`, asked only what it was not asked before; `identity` is what tells its replies from those of others.

    `number` sets repeats of the same question apart: each has a reply of its own. `made` counts calls that were really
    made; it is shared between the repeats of one model.
    """

    model: LanguageModel
    store: Replies
    identity: tuple[str, ...]
    made: "Counter"
    number: int = 0

    @property
    def name(self) -> str:
        return self.model.name

    def repeat(self, number: int) -> "RememberingModel":
        return replace(self, number=number)

    def chat(
        self, messages: Sequence[Message], *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None
    ) -> Reply:
        key = self._key("chat", json.dumps([[message.role, message.content] for message in messages]), max_tokens, stop, guide)
        return self.store.get(key) or self._made(key, self.model.chat(messages, max_tokens=max_tokens, stop=stop, guide=guide))

    def complete(self, prompt: str, *, max_tokens: int, stop: Sequence[str] = (), guide: Guide | None = None) -> Reply:
        key = self._key("complete", prompt, max_tokens, stop, guide)
        return self.store.get(key) or self._made(
            key, self.model.complete(prompt, max_tokens=max_tokens, stop=stop, guide=guide)
        )

    def _key(self, kind: str, asked: str, max_tokens: int, stop: Sequence[str], guide: Guide | None) -> str:
        # Requests without a guide keep the keys that they had before there were guides.
        beside = [(guide.way, guide.text)] if guide else []
        return content_key(self.identity, kind, asked, max_tokens, list(stop), self.number, *beside)

    def _made(self, key: str, reply: Reply) -> Reply:
        self.store.put(key, reply)
        self.made.add(reply)
        return reply


class Counter:
    """What the calls of this process came to so far."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.calls = self.prompt_tokens = self.completion_tokens = 0
        self.seconds = 0.0

    def add(self, reply: Reply) -> None:
        with self._lock:
            self.calls += 1
            self.prompt_tokens += reply.prompt_tokens
            self.completion_tokens += reply.completion_tokens
            self.seconds += reply.seconds
