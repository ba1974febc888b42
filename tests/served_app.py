"""A Gradio app served by this process for as long as a test needs it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr

from backend.ui import CSS_FILE, theme
from benchmarks.ports import free_port


@contextmanager
def serving(blocks: gr.Blocks, **options: Any) -> Iterator[str]:
    """The address of the app and its last slash. It has the looks of Parley.

    The port is free: gradio's own search for one leaves an open socket behind at each that is taken.
    """
    _, address, _ = blocks.launch(server_name="127.0.0.1", server_port=free_port(), prevent_thread_lock=True, quiet=True,
                                  ssr_mode=False, run_history=False, enable_monitoring=False,
                                  theme=theme(), css_paths=CSS_FILE, _frontend=False, **options)  # fmt: skip
    try:
        yield str(address)
    finally:
        blocks.close(verbose=False)
