"""The endpoints for programs, called over HTTP by gradio's own client."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

import ttm.ui
from backend.program.settings import Settings
from backend.storage.database import Database
from tests.served_app import serving

pytestmark = pytest.mark.slow

PATIENT: dict[str, Any] = {"timeout": None}  # the usual limit of 5 seconds is that of a quiet machine
PAGE = Path(ttm.__file__).parents[1] / "docs" / "reference" / "programs.md"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("parley"))
    database = Database(settings.database_address)
    with gr.Blocks(analytics_enabled=False) as blocks, gr.Tab("Chat"):
        ttm.ui.build(settings, database)
    blocks.queue(default_concurrency_limit=20)
    with serving(blocks) as address:
        yield address.rstrip("/")
    database.close()


def _client(url: str) -> Client:
    return Client(url, verbose=False, analytics_enabled=False, httpx_kwargs=PATIENT)


def test_the_examples_of_the_documentation_run(url: str) -> None:
    code = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[0]
    found: dict[str, Any] = {}
    exec(code.replace("http://127.0.0.1:7860", url), found)
    assert found["answer"]["results"][0]["type"]
    assert found["explanation"]["group"]["ids"] == [5]
    assert found["errors"]["groups"]
    assert found["ways"]["found"]
    assert 0 <= found["answer"]["confidence"] <= 1
    assert re.search(r"score (accuracy|default) \[e\]", found["answer"]["readings"][0]["parse"])


def test_each_client_has_a_conversation_of_its_own(url: str) -> None:
    one, other = _client(url), _client(url)
    one.predict("how many people have age above 50?", api_name="/ttm_chat")
    other.predict("how many people have age above 30?", api_name="/ttm_chat")
    _, _, results = one.predict("what does the model predict for these people?", api_name="/ttm_chat")
    assert "above 50" in results[0]["group"]["words"]


def test_these_endpoints_are_public(url: str) -> None:
    api = _client(url).view_api(return_format="dict", print_info=False)
    assert set(api["named_endpoints"]) == {
        f"/ttm_{name}" for name in ("describe", "ask", "explain", "errors", "counterfactuals", "chat", "parse")
    }
    assert api["unnamed_endpoints"] == {}


@pytest.mark.parametrize(
    ("endpoint", "arguments", "told"),
    [
        ("/ttm_chat", ("",), "no question yet"),
        ("/ttm_chat", ("hello", "/etc"), "no data set '/etc' here"),
        ("/ttm_parse", ("hello", "<b>"), "no data set '<b>' here"),
        ("/ttm_ask", ("hello", "germany"), "no data set 'germany' here"),
        ("/ttm_errors", ("", "germany"), "no data set 'germany' here"),
        ("/ttm_counterfactuals", ("5", [], "", 3, "germany"), "no data set 'germany' here"),
        ("/ttm_explain", ("5", "features", "germany"), "no data set 'germany' here"),
        ("/ttm_explain", ("99999",), "99999"),
        ("/ttm_counterfactuals", ("5", [], "zzz"), "no class 'zzz'; there are unlikely to have diabetes (0), likely to"),
        ("/ttm_explain", ("5", "tea leaves"), "no method"),
        ("/ttm_ask", ("hello", "", "gone"), "conversation is over"),
    ],
)
def test_what_cannot_be_done_is_told_in_words(url: str, endpoint: str, arguments: tuple[str, ...], told: str) -> None:
    with pytest.raises(AppError) as error:
        _client(url).predict(*arguments, api_name=endpoint)
    assert told in str(error.value)


def test_understanding_a_message_does_not_answer_it(url: str) -> None:
    client = _client(url)
    client.predict("how many people have age above 50?", api_name="/ttm_chat")
    client.predict("how many people have age above 30?", api_name="/ttm_parse")
    _, _, results = client.predict("what does the model predict for these people?", api_name="/ttm_chat")
    assert "above 50" in results[0]["group"]["words"]


def test_what_comes_through_mcp_shares_no_conversation(url: str) -> None:
    """Gradio's MCP server sends the calls of all its callers through one client, marked like this one."""
    client = Client(url, verbose=False, analytics_enabled=False, headers={"x-gradio-user": "mcp"}, httpx_kwargs=PATIENT)
    client.predict("how many people have age above 50?", api_name="/ttm_chat")
    text, _, _ = client.predict("what does the model predict for these people?", api_name="/ttm_chat")
    assert "no earlier group" in text
    assert "above 50" not in text
