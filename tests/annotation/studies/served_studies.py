"""Studies behind the endpoints of the screens, in this process, and people who call them without a screen."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr
import httpx

from annotation.studies.callers import Role
from annotation.studies.people.workers import enrol
from annotation.studies.shelf import OpenStudies
from annotation.studies.study import Study
from annotation.ui import endpoints
from benchmarks.study.client import StudyClient
from tests.served_app import serving

Reply = dict[str, Any]


@contextmanager
def endpoints_of(shelf: OpenStudies) -> Iterator[int]:
    """The port at which the studies of a shelf are served meanwhile."""
    with gr.Blocks(analytics_enabled=False) as blocks:
        endpoints.place(shelf)
    with serving(blocks) as address:
        yield httpx.URL(address).port or 0


class Person:
    """Somebody signed in over HTTP by their personal link."""

    def __init__(self, client: StudyClient, study: Study, name: str, role: Role = Role.WORKER) -> None:
        self._client = client
        credentials = enrol(study, name, role)
        self.number, self.link = credentials.worker, credentials.link
        self.token: Any = ""
        self.sign_in(study.name)

    def sign_in(self, study: str) -> None:
        reply = self._client.call("study_sign_in", {"study": study, "link": self.link})
        assert reply["ok"], reply
        self.token = reply["token"]

    def call(self, name: str, asked: Any = None, **more: Any) -> Reply:
        """`asked` as it is, or else the named values."""
        return self._client.call(f"study_{name}", self.token, more if asked is None else asked)

    def must(self, name: str, **asked: Any) -> Reply:
        reply = self.call(name, **asked)
        assert reply["ok"], reply
        return reply
