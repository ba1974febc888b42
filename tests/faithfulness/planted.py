"""A server with the OpenAI interface that knows where its answers stand, and can misbehave on purpose."""

import json
import re
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROWS = 20
LOOK = 0.02  # seconds between two looks at whether the server is closed; half a second by default


class Endpoint:
    """Answers a continuation prompt: the planted answer if it stands in the passage shown, else nothing.

    `trouble` is asked before each reply, with the number of the request from 1, and may name what goes wrong.
    """

    def __init__(self) -> None:
        self.prompts: Counter[str] = Counter()
        self.requests = 0
        self.delay = 0.0
        self.most_at_once = 0
        self._now = 0
        self._held_from: int | None = None
        self._reached = threading.Event()
        self._let_go = threading.Event()
        self._lock = threading.Lock()
        self.trouble = lambda number: ""
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"  # connections are kept, as by the servers of models
            wbufsize = -1  # a reply is one packet

            def do_POST(self) -> None:
                endpoint.serve(self)

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(LOOK,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def hold_from(self, number: int) -> threading.Event:
        """Answer no request from this number on, until `let_go`; the event says that one has come."""
        self._reached, self._let_go, self._held_from = threading.Event(), threading.Event(), number
        return self._reached

    def let_go(self) -> None:
        self._held_from = None
        self._let_go.set()

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        asked = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            self.requests += 1
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
            number = self.requests
            held = self._held_from is not None and number >= self._held_from
        if held:
            self._reached.set()
            self._let_go.wait()
        wrong = self.trouble(number)
        time.sleep(self.delay)
        try:
            self._reply(handler, asked["prompt"], wrong)
        except (BrokenPipeError, ConnectionResetError):
            pass  # whoever asked was killed
        finally:
            with self._lock:
                self._now -= 1

    def _reply(self, handler: BaseHTTPRequestHandler, prompt: str, wrong: str) -> None:
        status = int(wrong) if wrong.isdigit() else 200
        if not wrong:
            with self._lock:
                self.prompts[prompt] += 1
        body = {
            "garbage": "<html>not what you asked for</html>",
            "empty": "",
            "no choices": json.dumps({"object": "text_completion", "choices": []}),
        }.get(wrong, json.dumps(reply_to(prompt)))
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        if status == 429:
            handler.send_header("Retry-After", "0")
        handler.send_header("Content-Length", str(len(body.encode())))
        handler.end_headers()
        handler.wfile.write(body.encode())

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def reply_to(prompt: str) -> dict[str, Any]:
    """Row n asks "what is item n"; the answer is "value n", if the passage shown says so."""
    last = prompt.rsplit("\n\n", 1)[1]
    number = re.search(r"what is item (\d+)", last)
    known = number and f"value {number[1]}" in last
    text = f" value {number[1]}\nKeywords: value {number[1]}" if known and number else ""
    usage = {"prompt_tokens": len(prompt.split()), "completion_tokens": len(text.split()), "total_tokens": 0}
    return {"id": "1", "object": "text_completion", "created": 0, "model": "planted", "usage": usage,
            "choices": [{"index": 0, "text": text, "finish_reason": "stop", "logprobs": None}]}  # fmt: skip


def write_rows(path: Path, count: int) -> None:
    """Rows whose answer stands in the second of three sentences, near its end."""
    lines = [
        {
            "id": f"item-{n}",
            "question": f"what is item {n}",
            "context": f"Alpha beta gamma {n} delta epsilon. The item there is value {n} now. Eta theta iota kappa {n}.",
            "answers": [f"value {n}"],
        }
        for n in range(1, count + 1)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
