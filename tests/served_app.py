"""A Gradio app served by this process for as long as a test needs it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr

from backend.ui import looks
from benchmarks.ports import free_port


def _options(port: int) -> dict[str, Any]:
    own = {"server_name": "127.0.0.1", "server_port": port, "prevent_thread_lock": True, "quiet": True, "ssr_mode": False}
    return own | {"run_history": False, "enable_monitoring": False, "_frontend": False}


@contextmanager
def serving(blocks: gr.Blocks, **options: Any) -> Iterator[str]:
    """The address of the app and its last slash. It has the looks of Parley.

    The port is free: gradio's own search for one leaves an open socket behind at each that is taken.
    """
    _, address, _ = blocks.launch(**_options(free_port()), **looks() | options)
    try:
        yield str(address)
    finally:
        close(blocks)


def close(blocks: gr.Blocks) -> None:
    """End the server. Gradio tells its streams from this thread; one that ends at that instant changes the list of them."""
    try:
        blocks.close(verbose=False)
    except RuntimeError as error:
        if "mutated during iteration" not in str(error):
            raise
        blocks.app.stop_event.clear()  # else the others would not be told
        close(blocks)


def serve_again(blocks: gr.Blocks, address: str, **options: Any) -> None:
    """End the server and begin it again at its address: it then knows nothing of the pages that are open."""
    close(blocks)
    blocks.queue(default_concurrency_limit=20)  # the one before belongs to the threads that have ended
    blocks.app_id += 1  # by which pages tell servers apart; a new process draws it
    blocks.launch(**_options(int(address.rstrip("/").rsplit(":", 1)[1])), **looks() | options)
