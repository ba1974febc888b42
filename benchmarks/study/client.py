"""A plain HTTP client of the endpoints in `annotation.ui.endpoints`, without any screen."""

import json
import time
from http.client import HTTPConnection, HTTPException
from typing import Any

IDLE_SECONDS = 3.0  # the server closes a connection that was idle for five


class Unanswered(Exception):
    """No reply came, or none that could be read.

    `reached`: there was a connection, so that the call may have been carried out all the same.
    """

    def __init__(self, message: str, reached: bool) -> None:
        super().__init__(message)
        self.reached = reached


class StudyClient:
    """One connection to a server on this computer, kept as long as it can be; for one thread.

    `session`: the name of the session that the calls belong to, if any.
    """

    def __init__(self, port: int, seconds: float = 60.0, session: str | None = None) -> None:
        self._port, self._seconds = port, seconds
        self._session = {} if session is None else {"session_hash": session}
        self._connection: HTTPConnection | None = None
        self._used = 0.0

    def call(self, name: str, *data: Any) -> dict[str, Any]:
        """The reply of an endpoint, whether it took or refused the call. Raises Unanswered."""
        if time.monotonic() - self._used > IDLE_SECONDS:
            self.close()
        if self._connection is None:
            self._connection = HTTPConnection("127.0.0.1", self._port, timeout=self._seconds)
        try:
            body = json.dumps({"data": data} | self._session)
            self._connection.request("POST", f"/gradio_api/run/{name}", body, {"Content-Type": "application/json"})
            answer = self._connection.getresponse()
            content = answer.read()
            if answer.status != 200:
                raise Unanswered(f"{name}: status {answer.status}, {content[:200]!r}", True)
            reply: dict[str, Any] = json.loads(content)["data"][0]
        except (OSError, HTTPException, ValueError) as error:
            self.close()
            raise Unanswered(f"{name}: {error!r}", not isinstance(error, ConnectionRefusedError)) from error
        self._used = time.monotonic()
        return reply

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
