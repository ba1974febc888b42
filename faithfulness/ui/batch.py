"""A whole data set: the form that starts a run, with what it will cost in calls before it starts."""

from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import gradio as gr

from backend.errors import FaithfulnessError
from backend.program.settings import LARGEST_UNPACKED
from backend.ui import errors_in_words
from faithfulness.method.explain import Plan
from faithfulness.runs.estimate import estimates
from faithfulness.runs.rows import SUFFIXES, BadRow
from faithfulness.runs.run import RunSpecification
from faithfulness.ui import model_choice, run_addresses, runs
from faithfulness.ui.model_choice import CUTS, PROTOCOL_CHOICES, chosen_profiles
from faithfulness.ui.render_run import estimate_html
from faithfulness.ui.render_sample import summary_html
from faithfulness.ui.visitor_runs import VisitorRuns, usable_rows

FORMAT = (
    "Rows with `question`, `context` and `answers`: JSON lines, JSON, CSV, TSV, Excel or Parquet, text also packed with gzip. "
    "The shapes of SQuAD, HotpotQA, TriviaQA, Natural Questions and RAGAS are read too. In a cell, several answers stand as "
    '`["a", "b"]`; rows without answers are judged by what the model itself answers.'
)
BY_PROFILE = "profile"


@dataclass(frozen=True)
class StartForm:
    """`data` and `plan` in the order of `read_limit` and `plan_of`."""

    file: gr.File
    limit: gr.Number
    skip_bad: gr.Checkbox
    model: model_choice.ModelFields
    protocol: gr.Radio
    paper: gr.Checkbox
    plan: list[Any]
    estimate: gr.HTML
    start: gr.Button

    @property
    def inputs(self) -> list[Any]:
        return [self.file, self.limit, self.skip_bad, *self.model.inputs, self.protocol, self.paper, *self.plan]


def plan_of(cut: str, parts: float, groups: float, repeats: float, closed_book: bool, seed: float | None) -> Plan:
    return Plan(
        parts=int(parts), groups=int(groups), splitter=CUTS[cut], closed_book=closed_book, seed=int(seed or 0),
        repeats=int(repeats),
    )  # fmt: skip


def read_limit(limit: float | None) -> int | None:
    """None for all rows. Raises FaithfulnessError for a number below 1."""
    if limit is not None and limit < 1:
        raise FaithfulnessError("“Samples at most” is a whole number above 0, or empty for all.")
    return int(limit) if limit is not None else None


def estimate(
    file: str | None, limit: float | None, choice: str, address: str, names: list[str], protocol: str, *plan: Any,
    megabytes: int = LARGEST_UNPACKED,
) -> str:  # fmt: skip
    """What the run would take, or what is wrong with the form."""
    if not file:
        return ""
    try:
        made, most = plan_of(*plan), read_limit(limit)
        numbers, bad = _rows(file, most, made.seed, megabytes)
        profiles = chosen_profiles(choice, address, names, None if protocol == BY_PROFILE else protocol)
        estimated = estimates(RunSpecification(file, profiles, made, most, skip_bad=True))
    except FaithfulnessError as error:
        return summary_html(None, error.shown)
    return estimate_html(len(numbers), bad, estimated)


@lru_cache(maxsize=8)
def _rows(file: str, limit: int | None, seed: int, megabytes: int) -> tuple[list[int], list[BadRow]]:
    """Remembered, since a slider should not read the file again; an uploaded file never changes."""
    return usable_rows(Path(file), limit, seed, skip_bad=True, megabytes=megabytes)


@errors_in_words
def start(
    shelf: VisitorRuns, token: str, file: str | None, limit: float | None, skip_bad: bool,
    choice: str, address: str, names: list[str], key: str, protocol: str, paper: bool, *rest: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """Begin a run with what is in the form, and show it; `rest` is the plan, and then the filters of the results."""
    if not file:
        raise FaithfulnessError("Bring a file with rows first.")
    plan, filters = rest[:6], rest[6:]
    profiles = chosen_profiles(choice, address, names, None if protocol == BY_PROFILE else protocol)
    begun = shelf.start(token, Path(file), profiles, plan_of(*plan), key, read_limit(limit), skip_bad, paper)
    return runs.look(shelf, True, token, begun.id, *filters)


def place(shelf: VisitorRuns, tab: gr.Tab) -> None:
    with gr.Row():
        with gr.Column(scale=2, min_width=320):
            form = _form()
        with gr.Column(scale=3, min_width=320):
            panel = runs.place_results(runs.place_list())
    runs.wire(panel, shelf, tab)
    quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    run_addresses.wire(panel, shelf)
    begun = form.start.click(partial(start, shelf), [panel.token, *form.inputs, *panel.filters], panel.outputs, **quiet)
    begun.success(None, panel.listed.listing, None, js=run_addresses.CHOSEN, **quiet)
    model = form.model
    estimated = [form.file, form.limit, model.choice, model.address, model.names, form.protocol, *form.plan]
    changed = [each.change for each in estimated]
    estimating = partial(estimate, megabytes=shelf.megabytes)
    gr.on(changed, estimating, estimated, form.estimate, trigger_mode="always_last", **quiet)
    model.choice.change(model_choice.show_server, model.choice, model.server, api_visibility="private")


def _form() -> StartForm:
    file = gr.File(label="Rows", file_types=[*SUFFIXES, ".gz"], type="filepath", height=140, elem_id="run-rows")
    gr.Markdown(FORMAT, elem_classes="evidence-quiet")
    limit = gr.Number(20, label="Samples at most", info="Drawn at random; empty for all.", precision=0)
    model = model_choice.place(several=True, about_key="For this run; it is not stored with it. Going on later asks again.")
    with gr.Accordion("How it is asked and cut", open=False):
        choices = [("As the profile of the model says", BY_PROFILE), *PROTOCOL_CHOICES]
        protocol = gr.Radio(choices, value=BY_PROFILE, label="Protocol")
        plan = _plan_fields()
        paper = gr.Checkbox(False, label="Judge answers by the letter of the paper", info="Without our veto on numbers.")
        skip_bad = gr.Checkbox(True, label="Leave out rows that cannot be used")
    estimated = gr.HTML()
    start_button = gr.Button("Start the run", variant="primary")
    return StartForm(file, limit, skip_bad, model, protocol, paper, plan, estimated, start_button)


def _plan_fields() -> list[Any]:
    return [
        gr.Radio(list(CUTS), value=next(iter(CUTS)), label="Regions"),
        gr.Slider(2, 6, value=3, step=1, label="Regions (p)"),
        gr.Slider(2, 10, value=5, step=1, label="Groups of words in a region (q)"),
        gr.Slider(1, 5, value=1, step=1, label="Ask each question this often"),
        gr.Checkbox(True, label="Ask without the passage as well", info="Tells which samples need it."),
        gr.Number(0, label="Seed of every random draw", precision=0, minimum=0),
    ]
