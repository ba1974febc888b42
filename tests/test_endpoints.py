"""What the app offers to programs: each public endpoint is described, since people and language models choose by that."""

import re
from typing import Any

import gradio as gr
import pytest
from gradio.utils import get_function_description

from annotation.ui.endpoints import BEFORE_A_STUDY, CALLS
from backend.program.settings import Settings
from parley import app

PUBLIC = {
    *("ttm_describe", "ttm_ask", "ttm_explain", "ttm_errors", "ttm_counterfactuals"),
    *("inspired_ask", "inspired_correct", "inspired_decompose", "faithfulness_explain"),
}
OLDER = {"ttm_chat", "ttm_parse"}  # which are no tools for agents
SHORTEST = 15  # letters; a shorter text only repeats a name
# What Gradio fills in itself, so that no caller gives it.
FILLED_IN = {"visit", "request"}


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> gr.Blocks:
    return app.build(Settings(data_dir=tmp_path_factory.mktemp("parley")))


def _handlers(blocks: gr.Blocks) -> dict[str, Any]:
    return {str(each.api_name): each.fn for each in blocks.fns.values() if each.fn and each.api_visibility == "public"}


def _undescribed(handlers: dict[str, Any], endpoints: dict[str, Any]) -> list[str]:
    """The endpoints, parameters and results without a description that a stranger could use."""
    missing = []
    for name, handler in handlers.items():
        about, parameters, results = get_function_description(handler)
        asked_for = [each["parameter_name"] for each in endpoints[f"/{name}"]["parameters"]]
        missing += [name] if len(about) < SHORTEST else []
        missing += [f"{name}({each})" for each in asked_for if len(parameters.get(each, "")) < SHORTEST]
        missing += [] if results else [f"{name} -> result"]
    return missing


def test_these_endpoints_are_public(blocks: gr.Blocks) -> None:
    assert set(_handlers(blocks)) == PUBLIC | OLDER
    assert {name.lstrip("/") for name in blocks.get_api_info()["named_endpoints"]} == PUBLIC | OLDER


def test_no_page_shows_the_errors_of_public_endpoints_which_are_plain_text(blocks: gr.Blocks) -> None:
    shown = []
    for each in blocks.fns.values():
        triggers = [blocks.blocks[id_] for id_, _ in each.targets if id_ is not None and id_ in blocks.blocks]
        if each.api_visibility == "public" and any(_visible(trigger) for trigger in triggers):
            shown.append(each.api_name)
    assert shown == []


def _visible(block: Any) -> bool:
    return block.visible is not False and (block.parent is None or _visible(block.parent))


def test_every_public_endpoint_its_parameters_and_results_are_described(blocks: gr.Blocks) -> None:
    assert _undescribed(_handlers(blocks), blocks.get_api_info()["named_endpoints"]) == []


def test_a_missing_description_is_noticed() -> None:
    def bare(question: str, other: str) -> str:
        """Answer a question of a program.

        Args:
            question: The question in plain language.
        """
        return question + other

    with gr.Blocks(analytics_enabled=False) as blocks:
        gr.api(bare, api_name="bare")
    endpoints = blocks.get_api_info()["named_endpoints"]
    assert _undescribed({"bare": bare}, endpoints) == ["bare(other)", "bare -> result"]


def test_no_description_runs_on_into_a_line_that_gradio_leaves_out(blocks: gr.Blocks) -> None:
    for name, handler in _handlers(blocks).items():
        section = re.split(r"\n\s*Args:\n", handler.__doc__)[1].split("\n\n")[0]
        entries = [line.strip().split(":")[0] for line in section.splitlines()]
        assert entries == [each for each in get_function_description(handler)[1] if each not in FILLED_IN], name


@pytest.mark.slow
def test_a_tool_of_mcp_is_called_as_its_endpoint(blocks: gr.Blocks) -> None:
    assert [name for name, handler in _handlers(blocks).items() if handler.__name__ != name] == []


def test_what_studies_call_can_be_called_but_is_in_no_list(blocks: gr.Blocks) -> None:
    callable_ = {name.lstrip("/") for name in blocks.get_api_info(all_endpoints=True)["named_endpoints"]}
    assert {name for name in callable_ if name.startswith("study_")} == {
        *CALLS,
        *BEFORE_A_STUDY,
        "study_door",
        "study_sign_in",
        "study_sign_out",
    }
