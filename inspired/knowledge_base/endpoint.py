"""A SPARQL endpoint on the web, asked by the SPARQL 1.1 Protocol."""

import json
import os
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from backend.errors import KnowledgeBaseError, QueryTimeoutError
from backend.jobs import within
from backend.program.version import VERSION
from inspired.knowledge_base.query_guard import refuse_all_but_reading, words_of
from inspired.knowledge_base.seam import QueryResult, asked, cut, entity, literal
from inspired.knowledge_base.vocabulary import Node

if TYPE_CHECKING:
    import httpx

MEGABYTE = 1_000_000
LARGEST = 50 * MEGABYTE
JSON = "application/sparql-results+json"
_LONGEST = 200  # characters of what a server says
_TOO_MANY = 429
# Virtuoso says here after how many rows it has cut the result.
_CUT_AT = "X-SPARQL-MaxRows"
# ... and answers ASK with 0 or 1 in this column.
_ASKED = "__ASK_RETVAL"
# An address of mail or of a page, which public servers ask for in the user agent.
CONTACT = "PARLEY_CONTACT"


class Endpoint:
    """`address` is that of the endpoint itself, such as https://query.wikidata.org/sparql.

    A reply over `largest` bytes is not read to its end. Raises KnowledgeBaseError if `address` is no http address.
    """

    def __init__(self, address: str, largest: int = LARGEST, transport: "httpx.BaseTransport | None" = None) -> None:
        self._address, self._largest, self._transport = address, largest, transport
        try:
            parts = urlsplit(address)
            port = f":{parts.port}" if parts.port else ""
        except ValueError as error:
            raise KnowledgeBaseError(f"{address} is no address: {error}.") from error
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise KnowledgeBaseError("The address of a SPARQL endpoint starts with http:// or https:// and names a host.")
        # Without the name and password that an address may carry.
        self.label = f"{parts.hostname}{port}{parts.path}".rstrip("/")
        self._client: httpx.Client | None = None
        self._lock = threading.Lock()

    def select(self, sparql: str, limit: int = 1000, seconds: float = 10.0) -> QueryResult:
        """See `KnowledgeBase.select`. Redirects are not followed; a busy server (429) is asked a second time."""
        refuse_all_but_reading(sparql, elsewhere=True)
        until = time.monotonic() + seconds
        try:
            # The thread that is left behind sees the limit too, at the latest when the network wakes it.
            body, cut_at = within(seconds, lambda: self._reply(_limited(sparql, limit), until))
        except TimeoutError:
            raise _late(self.label) from None
        rows = _read(body, limit, self.label)
        return QueryResult(rows.columns, rows.rows, rows.truncated or (cut_at is not None and len(rows.rows) >= cut_at))

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _asking(self) -> "httpx.Client":
        import httpx

        with self._lock:
            if self._client is None:
                headers = {"User-Agent": _agent(), "Accept": JSON}
                self._client = httpx.Client(headers=headers, transport=self._transport, follow_redirects=False)
            return self._client

    def _reply(self, sparql: str, until: float, again: bool = True) -> tuple[bytes, int | None]:
        """The body of a good reply, and the number of rows that the server cuts at if it says so."""
        import httpx

        left = max(until - time.monotonic(), 0.001)
        try:
            with self._asking().stream("POST", self._address, data={"query": sparql}, timeout=left) as response:
                if response.status_code == _TOO_MANY and again:
                    wait = _wait(response.headers.get("Retry-After", ""))
                    if wait < until - time.monotonic():
                        response.close()
                        time.sleep(wait)
                        return self._reply(sparql, until, again=False)
                body = self._body(response, until)
                self._check(response, body)
                return body, _number(response.headers.get(_CUT_AT))
        except httpx.TimeoutException as error:
            raise _late(self.label) from error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise KnowledgeBaseError(f"{self.label} cannot be reached: {_first_line(str(error))}.") from error

    def _body(self, response: "httpx.Response", until: float) -> bytes:
        body = bytearray()
        for piece in response.iter_bytes():
            body += piece
            if len(body) > self._largest:
                size = f"{self._largest / MEGABYTE:g} MB"
                raise KnowledgeBaseError(f"The reply of {self.label} is larger than {size}; ask for fewer rows.")
            if time.monotonic() > until:
                raise _late(self.label)
        return bytes(body)

    def _check(self, response: "httpx.Response", body: bytes) -> None:
        code = response.status_code
        if response.is_success:
            return
        if response.is_redirect:
            target = _first_line(response.headers.get("Location", "elsewhere"))
            raise KnowledgeBaseError(f"{self.label} sends to {target}; give that address if it is the endpoint.")
        if code == _TOO_MANY:
            wait = response.headers.get("Retry-After")
            after = f" It asks to wait {_first_line(wait)} seconds." if wait and wait.isdigit() else ""
            raise KnowledgeBaseError(f"{self.label} has had too many questions (429).{after}")
        reason = _first_line(body[: 10 * _LONGEST].decode("utf-8", "replace"))
        whose = "refused the query" if response.is_client_error else "failed"
        raise KnowledgeBaseError(f"{self.label} {whose} ({code}){': ' + reason if reason else ''}.")


def _late(label: str) -> QueryTimeoutError:
    return QueryTimeoutError(f"{label} did not answer within the time limit; the query was given up.")


def _limited(sparql: str, limit: int) -> str:
    """The query with a LIMIT where it has none, so that a server does not send what would be thrown away."""
    words = words_of(sparql)
    if "SELECT" not in words or {"LIMIT", "VALUES"} & set(words):
        return sparql
    return f"{sparql}\nLIMIT {limit + 1}"


def _read(body: bytes, limit: int, label: str) -> QueryResult:
    try:
        read = json.loads(body)
        if "boolean" in read:
            return asked(bool(read["boolean"]))
        columns = [str(each) for each in read["head"]["vars"]]
        bindings = read["results"]["bindings"]
        if columns == [_ASKED]:
            return asked(bindings[0][_ASKED]["value"] == "1")
        rows = [tuple(_node(row.get(column)) for column in columns) for row in bindings[: limit + 1]]
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        reason = _first_line(body[: 10 * _LONGEST].decode("utf-8", "replace"))
        raise KnowledgeBaseError(f"{label} did not answer as a SPARQL endpoint does, with {JSON}: {reason}.") from error
    return cut(columns, rows, limit)


def _node(term: dict[str, Any] | None) -> Node | None:
    if term is None:
        return None
    value = str(term["value"])
    match term["type"]:
        case "uri":
            return entity(value)
        case "bnode":
            return entity(f"_:{value}")
        case "literal" | "typed-literal":
            return literal(value, term.get("datatype"), term.get("xml:lang"))
        case other:
            raise ValueError(f"a node of type {other}")


def _wait(header: str) -> float:
    """Seconds that Retry-After asks for, in either of its two forms; a second if it says nothing."""
    if header.strip().isdigit():
        return float(header)
    with suppress(ValueError):
        return max((parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds(), 0.0)
    return 1.0


def _number(header: str | None) -> int | None:
    return int(header) if header and header.isdigit() else None


def _first_line(text: str) -> str:
    line = next((" ".join(each.split()) for each in text.splitlines() if each.strip()), "")
    return f"{line[:_LONGEST]} …" if len(line) > _LONGEST else line.rstrip(".")


def _agent() -> str:
    """The user agent that servers ask for: the program, its version, and whom to write to where CONTACT says so."""
    import httpx

    allowed = (each for each in os.environ.get(CONTACT, "")[:_LONGEST] if " " <= each <= "~" and each not in "()\\")
    about = "; ".join(filter(None, ("questions over knowledge bases, step by step", "".join(allowed).strip())))
    return f"Parley/{VERSION} ({about}) httpx/{httpx.__version__}"
