"""A study alone in a browser: no chat, no review of parses, only sign-in, work and the desk of leads."""

from typing import Any

import gradio as gr

from annotation.studies.study import Study
from annotation.ui import study_panel
from backend.network.guards import guards
from backend.program.settings import Settings
from backend.ui import OwnApp, listen

PEOPLE_AT_ONCE = 64
MOST_SESSIONS = 200  # nothing is kept in them, and one costs 130 kB


def limits(blocks: gr.Blocks) -> dict[str, Any]:
    """What stands between the network and the pages of a study: workers and leads send text, and upload nothing."""
    kinds = {block.get_block_name() for block in blocks.blocks.values()}
    return guards(largest_body=1_000_000, largest_upload=0, components=kinds)


def build(study: Study) -> gr.Blocks:
    """The pages of a study as an app that is not yet launched."""
    blocks = OwnApp(title=study.plan.file.title, analytics_enabled=False)
    with blocks:
        study_panel.place(study_panel.alone(study))
    return blocks


def serve(study: Study, settings: Settings) -> None:
    """Serve until interrupted. Raises SettingsError if the port is taken."""
    blocks = build(study)
    listen(blocks, settings, footer_links=["settings"], app_kwargs=limits(blocks), max_threads=PEOPLE_AT_ONCE)
    blocks.app.state_holder.capacity = MOST_SESSIONS
    print(f"The study {study.name} is ready at {blocks.local_url} (Ctrl+C ends it)", flush=True)  # noqa: T201
    blocks.block_thread()
