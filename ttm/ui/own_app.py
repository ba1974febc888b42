"""A chat made in Python as a Gradio app of its own, with the looks of Parley: `chat.app().launch()`."""

import warnings
from typing import Any

import gradio as gr

from backend.network.tool_results import structure_results
from backend.program.extras import is_installed
from backend.ui import OwnApp, heading
from ttm.chat.interface.chat import ModelChat
from ttm.ui import build, loadable_app

PEOPLE_AT_ONCE = 20


class ChatApp(OwnApp):
    """The chat with its foot and its tools for agents; `bare` without the foot."""

    bare = False

    def launch(self, *args: Any, **options: Any) -> Any:
        usual = {"footer_links": [] if self.bare else ["api", "settings"], "mcp_server": is_installed("mcp")}
        with warnings.catch_warnings():
            # An agent's call begins a conversation of its own, so the first value of the state is the right one.
            warnings.filterwarnings("ignore", message="This MCP server includes a tool that has a gr.State input")
            started = super().launch(*args, **usual | options)
        structure_results(self.mcp_server_obj)
        return started


def app(chat: ModelChat, title: str, bare: bool = False, loadable: bool = False) -> gr.Blocks:
    """The app, not yet launched. Each page has a conversation of its own, and leaves that of `chat` as it is."""
    blocks = ChatApp(title=title, analytics_enabled=False)
    blocks.bare = bare
    with blocks:
        if not bare and not loadable:
            heading(title, f"Ask about a model that predicts {chat.schema.objective}.", level=1)
        (loadable_app.place if loadable else build)(chat)
    blocks.queue(default_concurrency_limit=PEOPLE_AT_ONCE)
    return blocks
