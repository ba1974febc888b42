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
        blocks.close(verbose=False)


def serve_again(blocks: gr.Blocks, address: str, **options: Any) -> None:
    """End the server and begin it again at its address: it then knows nothing of the pages that are open."""
    blocks.close(verbose=False)
    blocks.queue(default_concurrency_limit=20)  # the one before belongs to the threads that have ended
    blocks.app_id += 1  # by which pages tell servers apart; a new process draws it
    blocks.launch(**_options(int(address.rstrip("/").rsplit(":", 1)[1])), **looks() | options)
