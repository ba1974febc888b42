"""A graph in a file or a folder, asked through processes that hold it and are ended when a query takes too long."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import weakref
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from backend.errors import KnowledgeBaseError, QueryTimeoutError
from backend.network.shares.spending import SPENDING
from inspired.knowledge_base import store_process
from inspired.knowledge_base.query_guard import refuse_all_but_reading
from inspired.knowledge_base.rdf_files import BASE, checked_source, is_packed, syntax_of
from inspired.knowledge_base.seam import QueryResult, asked, cut, entity, literal
from inspired.knowledge_base.store_process import Start
from inspired.knowledge_base.vocabulary import Node

GIGABYTE = 1_000_000_000
PROCESSES = 2
MEMORY = 2 * GIGABYTE
LOADING = 120.0


class LocalStore:
    """An RDF file held in memory, or a folder with a store that stays on disk.

    Up to `processes` queries run at once, each in a process of its own that starts when first needed and holds at most
    `memory` bytes (0: no bound). Raises KnowledgeBaseError if `source` is neither.
    """

    def __init__(
        self, source: Path, label: str | None = None, processes: int = PROCESSES, memory: int = MEMORY, loading: float = LOADING
    ) -> None:
        self.label = label or source.name
        source = checked_source(source)
        syntax = None if source.is_dir() else syntax_of(source)
        start = Start(str(source), syntax, is_packed(source), BASE, memory)
        holders = [_Holder(start, self.label, loading) for _ in range(processes)]
        # The last one used is used next, so that the second process only starts when two ask at once.
        self._free: queue.LifoQueue[_Holder] = queue.LifoQueue()
        for each in reversed(holders):
            self._free.put(each)
        self._end = weakref.finalize(self, _end_all, holders)
        self._holders = holders

    def select(self, sparql: str, limit: int = 1000, seconds: float = 10.0) -> QueryResult:
        """See `KnowledgeBase.select`. Waiting for others counts; reading the graph at the first query does not."""
        refuse_all_but_reading(sparql)
        began = time.monotonic()
        try:
            holder = self._free.get(timeout=seconds)
        except queue.Empty:
            raise QueryTimeoutError(f"Other questions kept {self.label} busy for {seconds:g} seconds; try again.") from None
        try:
            waited = time.monotonic() - began
            with SPENDING.in_another_process():
                reply = holder.ask({"sparql": sparql, "limit": limit}, seconds - waited, seconds)
            return _rows(reply, limit)
        finally:
            self._free.put(holder)

    def close(self) -> None:
        _end_all(self._holders)


def _end_all(holders: "list[_Holder]") -> None:
    for each in holders:
        each.end()


class _Holder:
    """One process with the store, started when it is asked and when one was ended."""

    def __init__(self, start: Start, label: str, loading: float) -> None:
        self._start, self._label, self._loading = start, label, loading
        self._process: subprocess.Popen[str] | None = None
        self._ready = False

    def ask(self, request: dict[str, Any], seconds: float, stated: float) -> dict[str, Any]:
        """The reply within `seconds`; `stated` is the limit that a message names.

        A process that was ended from outside, not by `end`, is replaced, and the query asked once more: it only reads.
        """
        deadline = time.monotonic() + seconds
        process = self._started()
        line = self._line(process, seconds, json.dumps(request))
        if line == "" and self._process is process and process.wait() != -signal.SIGABRT:
            self.end()
            process = self._started()
            line = self._line(process, deadline - time.monotonic(), json.dumps(request))
        if line is None:
            self._process = self._new()  # reads the graph while the person reads the message
            raise QueryTimeoutError(f"The query took more than {stated:g} seconds and was stopped.")
        if not line:
            self.end()
            if process.returncode == -signal.SIGABRT:
                raise KnowledgeBaseError(f"The query needed more memory than it may use{self._bound()}; narrow it.")
            raise KnowledgeBaseError(f"The process that holds {self._label} was ended in the middle of the query; ask again.")
        reply: dict[str, Any] = json.loads(line)
        if "error" in reply:
            raise KnowledgeBaseError(f"{self._label} cannot evaluate the query: {reply['error']}.")
        return reply

    def end(self) -> None:
        process, self._process, self._ready = self._process, None, False
        if process is not None:
            _ended(process)

    def _started(self) -> subprocess.Popen[str]:
        """A process that has read the graph."""
        if self._process is not None and self._process.poll() is not None:
            self.end()
        process = self._process = self._process or self._new()
        if not self._ready:
            line = self._line(process, self._loading)
            if line is None:
                raise KnowledgeBaseError(
                    f"{self._label} could not be read within {self._loading:g} seconds; load it into a folder first."
                )
            reply = json.loads(line) if line else {"error": f"it needs more memory than it may use{self._bound()}"}
            if "error" in reply:
                self.end()
                raise KnowledgeBaseError(f"{self._label} cannot be read: {_with_line(reply)}.")
            self._ready = True
        return process

    def _bound(self) -> str:
        return f" ({self._start.memory / GIGABYTE:g} GB)" if self._start.memory else ""

    def _new(self) -> subprocess.Popen[str]:
        self._ready = False
        command = [sys.executable, "-P", store_process.__file__, json.dumps(asdict(replace(self._start, parent=os.getpid())))]
        pipe = subprocess.PIPE
        # In a session of its own Ctrl-C, meant for Parley, does not reach it.
        return subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, encoding="utf-8", start_new_session=True
        )

    def _line(self, process: subprocess.Popen[str], seconds: float, request: str | None = None) -> str | None:
        """The next line that the process says; empty if it ended, None if it was ended because time was up."""
        assert process.stdin is not None
        assert process.stdout is not None
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(max(seconds, 0.0), stop)
        timer.start()
        try:
            if request is not None:
                process.stdin.write(request + "\n")
                process.stdin.flush()
            line = process.stdout.readline()
        except (BrokenPipeError, ValueError):
            line = ""
        finally:
            timer.cancel()
            timer.join()
        if late.is_set():
            self.end()
            return line or None
        return line


def _ended(process: subprocess.Popen[str]) -> None:
    process.kill()  # does nothing to one that ended by itself
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except BrokenPipeError:
                continue


def _with_line(reply: dict[str, Any]) -> str:
    message, line = str(reply["error"]).rstrip("."), reply.get("line")
    return f"line {line}: {message}" if line and f"line {line}" not in message else message


def _rows(reply: dict[str, Any], limit: int) -> QueryResult:
    if "ask" in reply:
        return asked(reply["ask"])
    return cut(reply["columns"], [tuple(_node(cell) for cell in row) for row in reply["rows"]], limit)


def _node(cell: list[str | None] | None) -> Node | None:
    if cell is None:
        return None
    first = cell[0] or ""
    return entity(first) if len(cell) == 1 else literal(first, cell[1], cell[2])
