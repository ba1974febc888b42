"""A Gradio app served by this process for as long as a test needs it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr
from starlette.middleware import Middleware

from backend.network.page_files.page_files import PageFiles, component_kinds
from backend.network.shares.lean_calls import look_less
from backend.ui import looks
from benchmarks.ports import free_port
from parley.sessions import lighten


def _launch(blocks: gr.Blocks, port: int, options: dict[str, Any]) -> str:
    """Serve the app as Parley does, with the page's scripts in one file: Gradio's hundred small ones double the work."""
    own = {"server_name": "127.0.0.1", "server_port": port, "prevent_thread_lock": True, "quiet": True, "ssr_mode": False}
    own |= {"run_history": False, "enable_monitoring": False, "_frontend": False}
    own |= {"app_kwargs": {"middleware": [Middleware(PageFiles, components=component_kinds(blocks))]}}
    _, address, _ = blocks.launch(**own | looks() | options)
    look_less(blocks._queue)
    lighten(blocks)
    return str(address)


@contextmanager
def serving(blocks: gr.Blocks, **options: Any) -> Iterator[str]:
    """The address of the app and its last slash. It has the looks of Parley.

    The port is free: gradio's own search for one leaves an open socket behind at each that is taken.
    """
    address = _launch(blocks, free_port(), options)
    try:
        yield address
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
    _launch(blocks, int(address.rstrip("/").rsplit(":", 1)[1]), options)
