"""The app: the four parts as tabs of one page."""

import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Before the first import of gradio, which else reports that it was started.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

import gradio as gr

import annotation.ui
import faithfulness.ui
import inspired.ui
import ttm.ui
from backend.network.guards import guards
from backend.network.page_files.page_files import component_kinds
from backend.network.shares.fair_shares import in_turns
from backend.network.shares.lean_calls import lighten_calls
from backend.network.shares.unread_answers import limit_unread
from backend.network.tool_results import structure_results
from backend.program.additions import load_additions
from backend.program.extras import is_installed
from backend.program.settings import Settings
from backend.program.version import VERSION
from backend.storage.database import Database
from backend.storage.unpacked_size import MEGABYTE
from backend.text.templates import Macros
from backend.ui import heading, listen, looks
from parley.process import keep_what_is_loaded
from parley.sessions import lighten

# The name of each part in the address of the page: /?tab=ask
HTML = Macros(__file__)
ADDRESSES = {
    "Chat with a model": "chat",
    "Ask a knowledge base": "ask",
    "Annotate": "annotate",
    "LLM faithfulness": "faithfulness",
}
TABS: dict[str, Callable[[Settings, Database], None]] = {
    "Chat with a model": ttm.ui.build,
    "Ask a knowledge base": inspired.ui.build,
    "Annotate": annotation.ui.build,
    "LLM faithfulness": faithfulness.ui.build,
}
PEOPLE_AT_ONCE = 20
PLACE_SECONDS = 2  # between two messages of how many wait before a question: each goes to all that wait
UPLOADS_GO = (600, 6 * 3600)  # seconds between two looks at the files of visitors, and their age when they go
LARGEST_BODY = 5 * MEGABYTE  # of what a page sends that is no upload


def build(settings: Settings) -> gr.Blocks:
    """The whole app, not yet launched. Raises a ParleyError if the data, the model or the database cannot be used."""
    load_additions(settings.operations)
    database = Database(settings.database_address)
    blocks = gr.Blocks(title="Parley", analytics_enabled=False, delete_cache=UPLOADS_GO)
    with blocks:
        heading("Parley", "Ask models and knowledge bases in plain language, and check their answers.", level=1)
        with gr.Tabs(overflow_behavior="wrap", elem_id="parts"):
            for label, build_tab in TABS.items():
                with gr.Tab(label):
                    build_tab(settings, database)
        gr.HTML(f"Parley {VERSION}", elem_id="version", padding=False, container=False)
        parts = HTML("parts", json.dumps(list(ADDRESSES.items())))
        script = (Path(__file__).parent / "addresses.js").read_text("utf-8")
        gr.HTML(parts, js_on_load=script, padding=False, container=False)
    blocks.queue(default_concurrency_limit=PEOPLE_AT_ONCE, api_open=False, status_update_rate=PLACE_SECONDS)
    in_turns(blocks._queue)
    limit_unread(blocks._queue)
    lighten_calls(blocks)
    return blocks


def guarded(blocks: gr.Blocks, settings: Settings) -> dict[str, Any]:
    """Options for `app_kwargs` of `launch`: what stands between the network and this app."""
    largest_upload = settings.largest_upload * MEGABYTE + LARGEST_BODY
    alone = not settings.open_to_strangers
    return guards(
        LARGEST_BODY, largest_upload, on_space="SPACE_ID" in os.environ, components=component_kinds(blocks), own_computer=alone
    )


def launch(blocks: gr.Blocks, settings: Settings) -> None:
    """Serve until interrupted. Raises SettingsError if the port is taken."""
    # An agent's call starts a conversation of its own, so the first value of the state is the right one.
    warnings.filterwarnings("ignore", message="This MCP server includes a tool that has a gr.State input")
    listen(
        blocks,
        settings,
        mcp_server=is_installed("mcp"),
        **looks(),
        footer_links=["api", "settings"],
        run_history=False,
        enable_monitoring=False,
        ssr_mode=False,
        app_kwargs=guarded(blocks, settings),
        max_file_size=f"{settings.largest_upload}mb",
        max_threads=2 * PEOPLE_AT_ONCE,
        _frontend=False,  # else gradio gives up when its own page takes 3 s, as on a busy machine
    )
    lighten(blocks)
    structure_results(blocks.mcp_server_obj)
    keep_what_is_loaded()
    print(f"Parley is ready at {blocks.local_url} (Ctrl+C ends it)", flush=True)  # noqa: T201
    blocks.block_thread()
