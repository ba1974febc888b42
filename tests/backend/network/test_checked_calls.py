"""What a page asks outside of the queue, such as to stop, passes the checks; the same without a page does not."""

import gradio as gr
import pytest
from gradio.routes import App
from starlette.testclient import TestClient

from backend.network.guards import guards


@pytest.fixture(scope="module")
def client() -> TestClient:
    with gr.Blocks(analytics_enabled=False) as blocks:
        shown = gr.Textbox()
        gr.Button("Stop").click(lambda: "stopped", None, shown, queue=False, api_visibility="private")
        gr.Button("Ask").click(lambda: "asked", None, shown, api_visibility="private")
    return TestClient(App.create_app(blocks, app_kwargs=guards(1_000_000, 0)))


@pytest.mark.parametrize(
    ("call", "status", "message"),
    [
        ({"fn_index": 0, "session_hash": "a"}, 200, "stopped"),
        ({"fn_index": 1, "session_hash": "a"}, 404, "asked through the queue"),
        ({"fn_index": 7, "session_hash": "a"}, 404, "There is no endpoint 7"),
        ({"fn_index": True, "session_hash": "a"}, 404, "There is no endpoint True"),
        ({"fn_index": 0}, 400, "no fn_index"),
    ],
)
def test_a_page_calls_by_number_what_waits_for_no_queue(
    client: TestClient, call: dict[str, object], status: int, message: str
) -> None:
    reply = client.post("/gradio_api/run/predict", json={"data": [], "event_data": None, "trigger_id": 2, **call})
    assert reply.status_code == status
    assert message in reply.text
