"""A server as strangers meet it, in a process of its own, and strangers who call it by themselves, without a page."""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from benchmarks.ports import free_port

ROOT = Path(__file__).parents[2]
PATIENCE = 300.0


class Stranger:
    """Somebody with a session of their own; `call` waits for the whole answer."""

    def __init__(self, address: str, headers: dict[str, str] | None = None) -> None:
        self.session = secrets.token_hex(6)
        self.http = httpx.Client(base_url=address, timeout=PATIENCE, headers=headers)
        self._config: dict[str, Any] = {}

    def close(self) -> None:
        self.http.close()

    @property
    def config(self) -> dict[str, Any]:
        self._config = self._config or self.http.get("/config").json()
        return self._config

    def post(self, path: str, body: Any) -> httpx.Response:
        """Send JSON, also such as no JSON library of ours would write."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.http.post(f"/gradio_api/{path}", content=content, headers={"content-type": "application/json"})

    def study(self, name: str, *data: Any) -> dict[str, Any]:
        reply: dict[str, Any] = self.post(f"run/{name}", {"data": list(data)}).json()["data"][0]
        return reply

    def join(self, endpoint: str, *data: Any) -> httpx.Response:
        """Put a question into the queue."""
        index = next(each["id"] for each in self.config["dependencies"] if each["api_name"] == endpoint)
        return self.post("queue/join", {"data": list(data), "fn_index": index, "session_hash": self.session})

    def call(self, endpoint: str, *data: Any) -> dict[str, Any]:
        """Ask, and return what Gradio says at the end: `success` and `output`."""
        joined = self.join(endpoint, *data)
        assert joined.status_code == 200, joined.text
        return self.answers()[-1]

    def answers(self) -> list[dict[str, Any]]:
        """What the questions of this session came to, each once it is answered."""
        ended = []
        with self.http.stream("GET", f"/gradio_api/queue/data?session_hash={self.session}") as stream:
            for line in stream.iter_lines():
                message = json.loads(line[5:]) if line.startswith("data:") else {}
                ended += [message] if message.get("msg") == "process_completed" else []
                if message.get("msg") == "close_stream":
                    break
        return ended

    @contextmanager
    def page(self) -> Iterator[None]:
        """Have a page open meanwhile."""
        with self.http.stream("GET", f"/gradio_api/heartbeat/{self.session}") as stream:
            lines = stream.iter_lines()  # kept: the connection is closed with it
            next(lines)
            yield


@contextmanager
def parley(folder: Path, *options: str) -> Iterator[str]:
    """The address of `python app.py --public` with its data and its log in a folder."""
    port, log = free_port(), folder / "log"
    environment = os.environ | {"GRADIO_TEMP_DIR": str(folder / "uploads"), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "app.py", "--public", "--port", str(port), "--data-dir", str(folder), *options]
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=out, text=True)
    try:
        assert process.stdout is not None
        ready = next((line for line in process.stdout if "is ready" in line), "")
        assert ready, log.read_text("utf-8", "replace")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
