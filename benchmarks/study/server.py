"""`python -m annotation serve` as a process of its own, on a loopback port; it can be killed and started again."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from backend.errors import AnnotationError
from backend.program.settings import PREFIX
from benchmarks.ports import free_port
from benchmarks.study.client import StudyClient, Unanswered

ROOT = Path(__file__).parents[2]
START_SECONDS = 120.0
STOP_SECONDS = 15.0


class StudyServer:
    """A server of one study, running inside a `with`. `folder` is that of the study; the log is written beside it."""

    def __init__(self, folder: Path, database_address: str) -> None:
        self.port = free_port()
        self._log = folder.with_name(f"{folder.name}-server.log")
        self._command = [sys.executable, "-m", "annotation", "serve", "--study", str(folder), "--host", "127.0.0.1",
                         "--port", str(self.port), "--database-url", database_address]  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()

    def start(self) -> None:
        """Returns when it answers. Raises AnnotationError, with the last line of its log, if it does not."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
        environment |= {"GRADIO_ANALYTICS_ENABLED": "False", "HF_HUB_OFFLINE": "1"}
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log, cwd=ROOT, env=environment)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            if self._answers():
                return
            time.sleep(0.1)
        output = self._log.read_text("utf-8", "replace").strip().splitlines()[-1:] or ["it printed nothing"]
        self.kill()
        raise AnnotationError(f"The server of the study did not start: {output[0]}")

    def kill(self) -> None:
        """SIGKILL: it has no chance to finish anything."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        client = StudyClient(self.port)
        try:
            return bool(client.call("study_door")["ok"])
        except Unanswered:
            return False
        finally:
            client.close()
