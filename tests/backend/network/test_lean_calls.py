"""Questions of programs are answered as before with fewer changes of threads, and no statistics are kept of them."""

import asyncio
from typing import Any

import anyio.to_thread
import gradio as gr
import pytest
from gradio.state_holder import SessionState

from backend.network.shares.lean_calls import lighten_calls


@pytest.fixture
def blocks() -> Any:
    with gr.Blocks(analytics_enabled=False) as blocks:
        gr.api(_repeated, api_name="repeated")  # type: ignore[attr-defined]
        box = gr.Number()
        gr.Button().click(lambda number: number + 1, box, box, api_name="page")
    blocks.queue()
    return blocks


def _repeated(times: int, words: dict[str, list[int]]) -> dict[str, list[int]]:
    return {word: numbers * times for word, numbers in words.items()}


def _call(blocks: gr.Blocks, name: str, *data: Any) -> Any:
    function = next(each for each in blocks.fns.values() if each.api_name == name)
    return asyncio.run(blocks.process_api(function, list(data), state=SessionState(blocks)))["data"]


def test_a_program_is_answered_as_before_in_one_thread(blocks: gr.Blocks, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _call(blocks, "repeated", 2, {"a": [1]})
    changes: list[str] = []
    run_sync = anyio.to_thread.run_sync

    async def counted(function: Any, *args: Any, **options: Any) -> Any:
        changes.append(function.__name__)
        return await run_sync(function, *args, **options)

    monkeypatch.setattr("anyio.to_thread.run_sync", counted)
    lighten_calls(blocks)
    assert _call(blocks, "repeated", 2, {"a": [1]}) == before == [{"a": [1, 1]}]
    assert changes == ["_repeated"]


def test_what_a_page_shows_is_converted_all_the_same(blocks: gr.Blocks) -> None:
    lighten_calls(blocks)
    assert _call(blocks, "page", 2.0) == [3.0]
    assert [function.preprocess for function in blocks.fns.values()] == [False, True]


def test_no_statistics_are_kept(blocks: gr.Blocks) -> None:
    lighten_calls(blocks)
    assert blocks._queue.ANALYTICS_MAX_EVENTS == 0
    record: Any = {"function": "a", "status": "success", "process_time": 1.0}
    blocks._queue.events_recorded = 1
    summary: Any = blocks._queue.compute_analytics_summary
    assert summary([record]) == {"functions": {}}
