"""The program of the process that holds a store: queries come in on stdin, rows go out on stdout, one JSON a line.

Oxigraph cannot stop a query that it has begun. In a process of its own it can: the caller ends the process. This
file is run by its path and imports nothing of Parley, so that a process that was ended is soon replaced.
"""

import gzip
import json
import os
import sys
import threading
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

_UNREADABLE = (OSError, ValueError, SyntaxError, EOFError, RuntimeError, zlib.error)
NICE = 5
LOOK = 0.5  # seconds between two looks at whether the parent is still there
_LONGEST = 300  # characters of a message; parsers list all that they would have taken


@dataclass(frozen=True)
class Start:
    """What the process receives when it starts: `syntax` is an ending, None for a folder; `memory` in bytes, 0 unbounded."""

    source: str
    syntax: str | None
    packed: bool
    base: str
    memory: int = 0
    parent: int = 0


def main(start: Start) -> None:
    import pyoxigraph

    threading.Thread(target=_end_with, args=(start.parent,), daemon=True).start()
    try:
        if start.memory:
            _limit("RLIMIT_DATA", start.memory)
        store = _opened(start, pyoxigraph)
        _say({"ready": True})
    except _UNREADABLE as error:
        _say({"error": _message(error), "line": getattr(error, "lineno", None)})
        return
    getattr(os, "nice", abs)(NICE)  # once the graph is read: what is answered in a moment goes first
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            solutions = store.query(asked["sparql"], base_iri=start.base, use_default_graph_as_union=True)
            _say(_reply(solutions, asked["limit"], pyoxigraph))
        except _UNREADABLE as error:
            _say({"error": _message(error)})


def _end_with(parent: int) -> None:
    """End this process, also in the middle of a query, once the one that started it is gone."""
    while os.getppid() == parent:
        time.sleep(LOOK)
    os._exit(0)


def _limit(name: str, amount: int) -> None:
    import resource

    with suppress(ValueError, OSError):  # some systems know no such limit
        resource.setrlimit(getattr(resource, name), (amount, amount))


def _opened(start: Start, engine: Any) -> Any:
    if start.syntax is None:
        return engine.Store.read_only(start.source)
    store = engine.Store()
    with gzip.open(start.source) if start.packed else open(start.source, "rb") as file:
        store.bulk_load(input=file, format=engine.RdfFormat.from_extension(start.syntax), base_iri=start.base)
    # A store in memory needs no more files, and a query that would reach the network then gets no socket.
    _limit("RLIMIT_NOFILE", 3)
    return store


def _reply(solutions: Any, limit: int, engine: Any) -> dict[str, Any]:
    if isinstance(solutions, engine.QueryBoolean):
        return {"ask": bool(solutions)}
    if not isinstance(solutions, engine.QuerySolutions):
        return {"error": "only SELECT and ASK give rows"}
    rows = []
    for row in solutions:
        rows.append([_cell(cell, engine) for cell in row])
        if len(rows) > limit:
            break
    return {"columns": [each.value for each in solutions.variables], "rows": rows}


def _cell(term: Any, engine: Any) -> list[str | None] | None:
    if isinstance(term, engine.NamedNode):
        return [term.value]
    if isinstance(term, engine.Literal):
        return [term.value, term.datatype.value, term.language]
    return None if term is None else [str(term)]


def _message(error: BaseException) -> str:
    message = " ".join(str(error).split()).rstrip(".")
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]} …"


def _say(reply: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        main(Start(**json.loads(sys.argv[1])))
    except MemoryError:
        os.abort()  # as Oxigraph itself does
