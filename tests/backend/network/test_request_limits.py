"""Nobody can make a server hold more than its limit, and a study takes no files at all."""

import gradio as gr
import httpx
import pytest

from annotation.studies.shelf import OpenStudies
from annotation.ui import endpoints
from annotation.ui.served import limits
from backend.network.guards import guards
from backend.storage.database import Database
from tests.served_app import serving

MEGABYTE = 1_000_000


@pytest.fixture
def study_pages(database: Database) -> gr.Blocks:
    with gr.Blocks(analytics_enabled=False) as blocks:
        endpoints.place(OpenStudies(database))
    return blocks


def _in_pieces(size: int) -> object:
    return (b"x" * 100_000 for _ in range(size // 100_000))


@pytest.mark.slow
def test_a_study_refuses_large_requests_and_every_file_before_anybody_signs_in(study_pages: gr.Blocks) -> None:
    with serving(study_pages, app_kwargs=limits(study_pages)) as address, httpx.Client(base_url=address, timeout=60) as client:
        door = "gradio_api/run/study_door"
        assert client.post(door, json={"data": []}).json()["data"][0]["ok"]
        large = client.post(door, content=b"[" + b" " * MEGABYTE)
        assert (large.status_code, large.text) == (413, "A request may have at most 1 MB here.")
        unstated = client.post(door, content=_in_pieces(20 * MEGABYTE))
        assert unstated.status_code == 413
        uploaded = client.post("gradio_api/upload", files={"files": ("a.txt", b"hello")})
        assert (uploaded.status_code, uploaded.text) == (403, "No files are taken here.")
        assert client.post(door, json={"data": []}).json()["data"][0]["ok"]


@pytest.mark.slow
def test_files_have_a_limit_of_their_own(study_pages: gr.Blocks) -> None:
    options = guards(largest_body=10_000, largest_upload=100_000)
    with serving(study_pages, app_kwargs=options) as address, httpx.Client(base_url=address, timeout=60) as client:
        with client.stream("GET", "gradio_api/heartbeat/somebody"):
            taken = client.post("gradio_api/upload", files={"files": ("a.txt", b"x" * 50_000)})
            assert taken.status_code == 200
            refused = client.post("gradio_api/upload", files={"files": ("a.txt", b"x" * 200_000)})
            assert refused.status_code == 413
        assert client.post("gradio_api/run/study_door", content=b" " * 50_000).status_code == 413
