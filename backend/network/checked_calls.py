"""Calls to the app's functions, looked at before they reach it: their form, their text, and whether there is room for them.

Gradio takes a call as it comes and fails somewhere inside; here a call that cannot be meant gets one sentence.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.network.doors import refusal
from backend.network.shares.fair_shares import BODY_SIZE, SHARES, Arriving, Shares, no_room
from backend.network.shares.held_bodies import BodyRefusedError, HeldBodies
from backend.network.shares.lean_calls import PLAIN

DEEPEST = 40  # lists and objects inside each other
TOO_DEEP = f"Lists and objects stand at most {DEEPEST} deep in each other here."
LONGEST_TEXT = 1_000_000  # characters of one text
WRONG_SESSION = "session_hash is a name of up to 64 letters, digits, - and _."
NO_SESSION = "none"  # the name under which calls that keep nothing run
PAGE_CALL = "predict"  # the name by which a page of Gradio calls, by number, what waits for no queue
_CALL = re.compile(r"/gradio_api/(?P<way>run|api|call|call/v2|queue)/(?P<name>[\w-]+)/?")
_OTHER = re.compile(r"/gradio_api/(cancel|reset|mcp)(/.*)?")  # which take JSON and are no calls of functions
# What those hold that stop a question.
_NAMES: dict[str, dict[str, type]] = {
    "cancel": {"session_hash": str, "event_id": str, "fn_index": int}, "reset": {"event_id": str}, "mcp": {},
}  # fmt: skip
_ANSWERS = "/gradio_api/queue/data"
_SESSION = re.compile(r"[\w-]{1,64}")
NO_FILES = frozenset({PLAIN, "textbox", "json", "number", "slider", "dropdown", "radio", "checkbox"})  # take none
_FILE = "gradio.FileData"
_ADDRESS = re.compile("https?:", re.IGNORECASE)
_HALF = re.compile("[\ud800-\udfff]")


class CallRefusedHereError(Exception):
    """A call that is not handed on: a status of HTTP, and a sentence for the caller."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


class CheckedCalls:
    """Refuses calls with a wrong form with 4xx, and questions for which there is no room with 429."""

    def __init__(self, app: ASGIApp, shares: Shares = SHARES) -> None:
        self._app, self._shares, self._bodies = app, shares, HeldBodies()
        self._arriving: list[Arriving] = []  # else calls of one instant would all be counted before any of them waits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        posted = scope["type"] == "http" and scope["method"] == "POST"
        call, other = (each.fullmatch(scope["path"]) if posted else None for each in (_CALL, _OTHER))
        if call is None and other is None:
            await self._not_called(scope, receive, send)
            return
        address = client[0] if (client := scope.get("client")) else ""
        with self._bodies.of(address) as held:
            try:
                body = await held.read(receive)
            except BodyRefusedError as error:
                await refusal(429, str(error))(scope, receive, send)
                return
            if body is not None:
                await self._called(call, other, body, scope, receive, send)

    async def _called(
        self, call: re.Match[str] | None, other: re.Match[str] | None, body: bytes, scope: Scope, receive: Receive, send: Send
    ) -> None:
        arriving: list[Arriving] = []
        scope[BODY_SIZE] = len(body)
        try:
            if call is not None:
                body = self._checked(scope, call["way"], call["name"], body, arriving)
            else:
                assert other is not None
                _check_other(body, _NAMES[other[1]])
        except CallRefusedHereError as error:
            await refusal(error.status, error.message)(scope, receive, send)
            return
        self._arriving += arriving
        try:
            await self._app(scope, _again(body, receive), self._arrived(send, arriving))
        except (KeyError, TypeError, ValueError) as error:
            if call is None or call["way"] != "call/v2":
                raise
            # There Gradio itself puts values to the names of parameters, and raises these where that fails.
            message = f"The values do not fit the parameters of {call['name']}: {error!s:.200}."
            await refusal(422, message)(scope, receive, send)
        finally:
            self._leave(arriving)

    async def _not_called(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Gradio begins to answer who asks for the answers of a session, and breaks off if it can be none."""
        asked = scope["type"] == "http" and scope["path"] == _ANSWERS
        if asked and not _SESSION.fullmatch(Request(scope).query_params.get("session_hash", "")):
            await refusal(400, WRONG_SESSION)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _arrived(self, send: Send, arriving: list[Arriving]) -> Send:
        """Count a question no more that is in the queue, as it is when the reply to it begins."""

        async def sending(message: Message) -> None:
            self._leave(arriving)
            await send(message)

        return sending

    def _leave(self, arriving: list[Arriving]) -> None:
        while arriving:
            self._arriving.remove(arriving.pop())

    def _checked(self, scope: Scope, way: str, name: str, body: bytes, arriving: list[Arriving]) -> bytes:
        blocks = scope["app"].get_blocks()
        call = read_call(body)
        session = call.get("session_hash")
        if session is not None and not (isinstance(session, str) and _SESSION.fullmatch(session)):
            raise CallRefusedHereError(400, WRONG_SESSION)
        function = _function(blocks, way, name, call)
        if way in ("run", "api") and function.queue:
            raise CallRefusedHereError(404, f"{name} is asked through the queue: POST /gradio_api/call/{name}.")
        if way not in ("run", "api") and not function.queue:
            raise CallRefusedHereError(404, f"{function.api_name} waits in no queue: POST /gradio_api/run/{function.api_name}.")
        if way == "call/v2":
            _check_names(function, call)
        else:
            _check_data(function, call)
        address = client[0] if (client := scope.get("client")) else ""
        if function.queue:
            if busy := no_room(blocks._queue, function, session, address, self._shares, self._arriving, len(body)):
                raise CallRefusedHereError(429, busy)
            arriving.append(Arriving(function, session, Request(scope)))
        if session is not None and (came_from := getattr(blocks.state_holder, "came_from", None)):
            came_from(session, address)
        if way in ("run", "api") and session is None:
            return _without_session(function, call)
        return json.dumps(call).encode() if _fill_texts(function, call) else body


def read_call(body: bytes) -> dict[str, Any]:
    """Read the JSON object of a call. Raises CallRefusedHereError if it is none."""
    call = _read_json(body)
    if not isinstance(call, dict) or call.get("batched"):
        raise CallRefusedHereError(400, 'A call is a JSON object such as {"data": [...]}, and asks for one answer.')
    return call


def _read_json(body: bytes) -> Any:
    try:
        return json.loads(body, parse_constant=_no_number)
    except RecursionError as error:
        raise CallRefusedHereError(400, TOO_DEEP) from error
    except ValueError as error:
        raise CallRefusedHereError(400, "The request is not JSON.") from error


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _check_other(body: bytes, names: Mapping[str, type]) -> None:
    """What stops a question or comes from an agent; Gradio answers some of these with an error of its own making."""
    message = _read_json(body)
    for _ in _texts(message):  # raises where it is too deep
        pass
    for name, kind in names.items():
        if type(message.get(name) if isinstance(message, dict) else None) is not kind:
            raise CallRefusedHereError(400, f"{name} is missing, or no {'number' if kind is int else 'text'}.")


def _function(blocks: Any, way: str, name: str, call: dict[str, Any]) -> Any:
    """The function that is called; those that the screen of a session made belong to that session."""
    session, index = call.get("session_hash"), call.get("fn_index")
    held = blocks.state_holder.session_data.get(session)
    functions = blocks.fns if held is None else held.blocks_config.fns
    if way == "queue":
        if name != "join" or session is None:
            raise CallRefusedHereError(400, "A question needs the name of its session in session_hash.")
        function = functions.get(index) if type(index) is int else None
    elif way == "run" and name == PAGE_CALL and session is not None:  # what a page asks outside of the queue, such as to stop
        function = functions.get(index) if type(index) is int else None
    elif index is not None:
        raise CallRefusedHereError(400, "A call by name has no fn_index.")
    else:
        function = next((each for each in functions.values() if each.api_name == name), None)
    if function is None or (way == "call/v2" and function.api_visibility != "public"):
        raise CallRefusedHereError(404, f"There is no endpoint {name if index is None else index!r:.100} here.")
    if function.fn is None:
        raise CallRefusedHereError(404, "This is a script of the page; the server has no answer to it.")
    return function


def _without_session(function: Any, call: dict[str, Any]) -> bytes:
    """The body of a call that belongs to no session. Gradio would describe the whole page again for each of them."""
    if any(block.stateful for block in (*function.inputs, *function.outputs)):
        raise CallRefusedHereError(400, f"{function.api_name} needs the name of its session in session_hash.")
    return json.dumps(call | {"session_hash": NO_SESSION}).encode()


def _check_data(function: Any, call: dict[str, Any]) -> None:
    data = call.get("data")
    counts = {len(function.inputs), sum(not block.skip_api for block in function.inputs)}
    if not isinstance(data, list) or (len(data) not in counts and not function.cancels):
        wanted = " or ".join(str(count) for count in sorted(counts))
        raise CallRefusedHereError(422, f"{function.api_name} takes a list of {wanted} values under data.")
    blocks = function.inputs if len(data) == len(function.inputs) else [each for each in function.inputs if not each.skip_api]
    for number, (block, value) in enumerate(zip(blocks, data, strict=False), 1):
        # What studies are sent is checked, and named, field by field where it is used.
        field = str(getattr(block, "label", None) or f"value {number}")
        _check_text(value, field, whole=function.queue)
        _check_files(value, field, wanted=block.get_block_name() not in NO_FILES)
        most = getattr(block, "max_length", None)
        if most is not None and isinstance(value, str) and len(value) > most:
            raise CallRefusedHereError(422, f"{field} has {len(value):,} characters; at most {most:,} are taken.")
        if block.get_block_name() == "slider" and not (isinstance(value, int | float) and math.isfinite(value)):
            raise CallRefusedHereError(422, f"{field} is a number.")
    _check_text(call.get("event_data"), "event_data")


def _fill_texts(function: Any, call: dict[str, Any]) -> bool:
    """Put an empty text where a field for text has no value, as a page shows it; tell whether there was one."""
    data = call.get("data")
    if not isinstance(data, list) or len(data) != len(function.inputs):
        return False
    missing = [n for n, block in enumerate(function.inputs) if data[n] is None and block.get_block_name() == "textbox"]
    for number in missing:
        data[number] = ""
    return bool(missing)


def _check_names(function: Any, call: dict[str, Any]) -> None:
    """Values by the names of the parameters, as `/call/v2` takes them."""
    known = [block for block in function.inputs if not block.skip_api]
    if len(call.keys() - {"session_hash"}) > len(known):
        raise CallRefusedHereError(422, f"{function.api_name} takes at most {len(known)} values.")
    for name, value in call.items():
        _check_text(value, name)
        _check_files(value, name, wanted=any(block.get_block_name() not in NO_FILES for block in known))


def _check_text(value: Any, field: str, whole: bool = True) -> None:
    for text in _texts(value):
        if len(text) > LONGEST_TEXT:
            message = f"{field} has a text of {len(text):,} characters; at most {LONGEST_TEXT:,} are taken."
            raise CallRefusedHereError(422, message)
        if whole and ("\0" in text or _HALF.search(text)):
            message = f"{field} holds characters that are no text (NUL or half a surrogate pair); remove them."
            raise CallRefusedHereError(422, message.encode("utf-8", "replace").decode())


def _check_files(value: Any, field: str, wanted: bool) -> None:
    """Refuse what Gradio takes for a file where none is wanted, and everywhere one that it would fetch from an address."""
    if isinstance(value, dict) and isinstance(path := value.get("path"), str) and "meta" in value:
        meta = value["meta"]
        if not isinstance(meta, dict) or (meta.get("_type") == _FILE and (not wanted or _ADDRESS.match(path.strip()))):
            raise CallRefusedHereError(422, f"{field} names a file that was not uploaded here.")
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            _check_files(inner, field, wanted)


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    if depth > DEEPEST:
        raise CallRefusedHereError(400, TOO_DEEP)
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _texts(inner, depth + 1)


def _again(body: bytes, receive: Receive) -> Receive:
    """The same body once more, and then whatever comes."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return waiting.pop() if waiting else await receive()

    return replayed
