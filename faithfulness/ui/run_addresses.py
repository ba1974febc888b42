"""Addresses of runs (`/?run=ID`), and runs on a page whose server was started again.

Gradio checks what is chosen in a list against the list that this server has sent, which is none after a new start. So the list
is then asked for without what is chosen in it: by the id in the address, which follows what is chosen.
"""

from functools import partial
from typing import Any

import gradio as gr

from backend.ui import errors_in_words, watch_script
from faithfulness.ui.runs import ALL, PRIVATE, Panel, look
from faithfulness.ui.visitor_runs import VisitorRuns, is_token

NO_FILTERS = (ALL, ALL, 0, 1, False, "")  # as they stand when the page is opened
UNKNOWN = "This browser has no run of this address on this server, so the newest is shown."
WANTED = """(token, wanted) => [token, new URL(location.href).searchParams.get("run") ?? ""]"""
CHOSEN = """(run) => {
  const url = new URL(location.href);
  url.searchParams.set("run", run);
  if (document.getElementById("parts")) url.searchParams.set("tab", "faithfulness");
  history.replaceState(history.state, "", url);
}"""
SCRIPT = """
if (!window.parleyRuns) {
  window.parleyRuns = true;
  window.addEventListener("parley-restarted", () => document.querySelectorAll("#run-again").forEach((each) => each.click()));
}"""


@errors_in_words
def look_again(shelf: VisitorRuns, token: str, wanted: str) -> tuple[Any, ...]:
    """The runs of this browser, that of the id `wanted` chosen, or else the newest."""
    if wanted and is_token(token) and all(run.id != wanted for run in shelf.runs(token)):
        gr.Warning(UNKNOWN)
    return look(shelf, True, token, wanted or None, *NO_FILTERS)


def wire(panel: Panel, shelf: VisitorRuns) -> None:
    wanted = gr.Textbox(visible="hidden", label="wanted run")
    again = gr.Button("again", visible="hidden", elem_id="run-again")
    gr.HTML(js_on_load=watch_script() + SCRIPT, visible=True, padding=False, container=False)
    gr.on(
        [again.click, panel.token.change], partial(look_again, shelf), [panel.token, wanted], panel.outputs, js=WANTED,
        show_progress="hidden", **PRIVATE,
    )  # fmt: skip
    panel.listed.listing.input(None, panel.listed.listing, None, js=CHOSEN, **PRIVATE)
