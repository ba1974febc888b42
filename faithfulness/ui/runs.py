"""The runs of this browser: the list, how far each is, stopping and going on, its results, and one sample out of them."""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr

from backend.errors import FaithfulnessError
from backend.text.html_pieces import paragraph
from backend.ui import SAVE_FILE, errors_in_words, number_on_page
from faithfulness.reports.browse import STAGES, Line, SampleFilter, open_sample, results_of
from faithfulness.reports.pack import report_markdown, run_zip, samples_csv
from faithfulness.reports.tables import markdown_report
from faithfulness.ui import visualiser
from faithfulness.ui.render_run import COLUMNS, label, line_rows, standing_html
from faithfulness.ui.run_standing import RunStanding, VisitorRun
from faithfulness.ui.visitor_runs import VisitorRuns, is_token, new_token
from faithfulness.ui.visualiser import Visualiser

MOST_LISTED = 20
EVERY = 1.5  # seconds between two looks at a run that is going on
ALL = "all"
EMPTY = "evidence-empty"
NO_RUNS = "Runs that you start stand here, also after a reload of the page."
PRIVATE: dict[str, Any] = {"api_visibility": "private"}
SAVE_ZIP = """(file) => {
  if (!file) return;
  const bytes = Uint8Array.from(atob(file.content), (letter) => letter.charCodeAt(0));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], {type: file.type}));
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}"""
ROOT = "evidence-root"
# Several may stand on one page; the row that was chosen has the focus.
TO_SAMPLE = """() => {
  const here = document.activeElement?.closest(".evidence-root") ?? document;
  here.querySelector("#run-sample")?.scrollIntoView({block: "start"});
}"""


@dataclass(frozen=True)
class Listed:
    """The list and, for the run that is chosen in it, how far it is and what can be done."""

    listing: gr.Radio
    standing: gr.HTML
    key: gr.Textbox
    stop: gr.Button
    go_on: gr.Button
    refresh: gr.Button
    delete: gr.Button
    really: gr.Button

    @property
    def outputs(self) -> list[Any]:
        return [self.listing, self.standing, self.key, self.stop, self.go_on, self.refresh, self.delete, self.really]


@dataclass(frozen=True)
class Panel:
    """`filters` are in the order of `read_choice`; `outputs` are what `look` fills."""

    token: gr.BrowserState
    listed: Listed
    results: gr.Column
    report: gr.Markdown
    filters: list[Any]
    count: gr.Markdown
    table: gr.Dataframe
    before: gr.Button
    after: gr.Button
    at: gr.State
    sample: Visualiser
    saves: dict[str, gr.Button]
    file: gr.JSON
    timer: gr.Timer

    @property
    def outputs(self) -> list[Any]:
        return [*self.listed.outputs, self.timer, self.results, self.report, self.filters[0], self.count, self.table]


def read_choice(model: str, stage: str, low: float, high: float, needs_passage: bool, words: str) -> SampleFilter:
    return SampleFilter(
        None if model == ALL else model, None if stage == ALL else stage, float(low), float(high), needs_passage, words or ""
    )


def arrive(token: str | None) -> str:
    """A browser that comes for the first time gets its token."""
    return token if token and is_token(token) else new_token()


@errors_in_words
def look(shelf: VisitorRuns, fresh: bool, token: str, run_id: str | None, *filters: Any) -> tuple[Any, ...]:
    """The list, and the run that is chosen in it or else the newest; while it is going on, results only when `fresh`."""
    mine = shelf.runs(token)[:MOST_LISTED] if is_token(token) else []  # none before the page is quite there
    standings = [(run, shelf.standing(token, run.id)) for run in mine]
    if not standings:
        return (*_nothing(), gr.update(active=False), gr.update(visible=False), "", gr.update(), "", [])
    run, standing = next(((run, standing) for run, standing in standings if run.id == run_id), standings[0])
    choices = [(label(each, standing), each.id) for each, standing in standings]
    results = _results(run, filters) if fresh or not standing.active else [gr.skip()] * 5
    listed = gr.update(choices=choices, value=run.id, visible=True)
    return (listed, standing_html(run, standing), *_buttons(run, standing), gr.update(active=standing.active), *results)


def _nothing() -> tuple[Any, ...]:
    return gr.update(choices=[], value=None, visible=False), paragraph(NO_RUNS, EMPTY), *[gr.update(visible=False)] * 6


def _buttons(run: VisitorRun, standing: RunStanding) -> list[Any]:
    """Key, stop, go on, refresh, delete, and the second button for deleting."""
    can_go_on = not standing.active and standing.finished < standing.samples
    asks_for_key = can_go_on and any(not facts["packaged"] for facts in run.folder.settings()["models"].values())
    seen = [asks_for_key, standing.active, can_go_on, standing.active, not standing.active, False]
    return [gr.update(visible=each) for each in seen]


def _results(run: VisitorRun, filters: tuple[Any, ...]) -> list[Any]:
    results = results_of(run.folder)
    if results is None:
        return [gr.update(visible=False), "", gr.update(), "", []]
    models = [("All models", ALL), *((name, name) for name in results.tables.summaries)]
    model = filters[0] if filters[0] in results.tables.summaries else ALL
    chosen = [line for line in results.lines if read_choice(model, *filters[1:]).takes(line)]
    counted = f"{len(chosen)} of {len(results.lines)} samples. Click a row to see the sample."
    report = markdown_report(results.tables)
    return [gr.update(visible=True), report, gr.update(choices=models, value=model), counted, line_rows(chosen)]


def lines_of(run: VisitorRun, filters: tuple[Any, ...]) -> list[Line]:
    results, choice = results_of(run.folder), read_choice(*filters)
    return [line for line in results.lines if choice.takes(line)] if results else []


@errors_in_words
def stop(shelf: VisitorRuns, token: str, run_id: str, *filters: Any) -> tuple[Any, ...]:
    shelf.stop(token, run_id)
    return look(shelf, True, token, run_id, *filters)


@errors_in_words
def go_on(shelf: VisitorRuns, token: str, run_id: str, key: str, *filters: Any) -> tuple[Any, ...]:
    """Take the run up again; the key that was typed goes to the models, and its field is emptied."""
    shelf.go_on(token, run_id, key or "")
    return ("", *look(shelf, True, token, run_id, *filters))


def ask_again() -> tuple[Any, Any]:
    """A second button in place of the first: what is deleted is gone."""
    return gr.update(visible=False), gr.update(visible=True)


@errors_in_words
def delete(shelf: VisitorRuns, token: str, run_id: str, *filters: Any) -> tuple[Any, ...]:
    shelf.delete(token, run_id)
    return look(shelf, True, token, None, *filters)


@errors_in_words
def open_row(shelf: VisitorRuns, token: str, run_id: str, model: str, row: int) -> tuple[Any, ...]:
    """One sample in the visualiser, as it was when it was asked."""
    report = open_sample(shelf.run(token, run_id).folder, model, row)
    return (*visualiser.shown(report), (model, row))


@errors_in_words
def step(shelf: VisitorRuns, by: int, token: str, run_id: str, at: tuple[str, int] | None, *filters: Any) -> tuple[Any, ...]:
    """The sample before or after the open one, among those that the filters take; the first if none of them is open."""
    run = shelf.run(token, run_id)
    places = [(line.model, line.row) for line in lines_of(run, filters)]
    if not places:
        raise FaithfulnessError("No sample is chosen by these filters.")
    model, row = places[(places.index(at) + by) % len(places)] if at in places else places[0]
    return (*visualiser.shown(open_sample(run.folder, model, row)), (model, row))


@errors_in_words
def save(kind: str, shelf: VisitorRuns, token: str, run_id: str, *filters: Any) -> dict[str, str]:
    """A file for the browser to save; the CSV holds what the filters take, the zip (in base64) everything."""
    run = shelf.run(token, run_id)
    name = f"faithfulness-{run.about.file.split('.')[0]}"
    write: dict[str, Callable[[], tuple[str, str, str]]] = {
        "zip": lambda: (f"{name}.zip", "application/zip", _base64(run_zip(run.folder, run.about.file))),
        "md": lambda: (f"{name}.md", "text/markdown", report_markdown(run.folder)),
        "csv": lambda: (f"{name}.csv", "text/csv", samples_csv(lines_of(run, filters))),
    }
    file, media_type, content = write[kind]()
    return {"name": file, "type": media_type, "content": content}


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def place_list() -> Listed:
    listing = gr.Radio([], label="Your runs", elem_classes="run-list", visible=False)
    standing = gr.HTML(paragraph(NO_RUNS, EMPTY))
    key = gr.Textbox(
        label="Key", type="password", visible=False, info="Keys are not stored with a run. Empty if the server needs none."
    )
    with gr.Row():
        stop_button = gr.Button("Stop", variant="stop", min_width=80, visible=False)
        go_on_button = gr.Button("Go on", variant="primary", min_width=80, visible=False)
        refresh = gr.Button("Show the results so far", min_width=80, visible=False)
        delete_button = gr.Button("Delete", min_width=80, visible=False)
        really = gr.Button("Delete it with all its results", variant="stop", min_width=80, visible=False)
    gr.Markdown(
        "Runs stay on this server until you delete them. Only this browser finds them; those who run the server can read them.",
        elem_classes="evidence-quiet",
    )
    return Listed(listing, standing, key, stop_button, go_on_button, refresh, delete_button, really)


def _place_token() -> gr.BrowserState:
    """Anybody with the token finds the runs; the secret only keeps it readable to us after a restart.

    It stands outside all tabs: what is in a tab is not there, for a browser, before the tab is opened.
    """
    context = gr.context.Context
    inside, context.block = context.block, context.root_block
    several = number_on_page(ROOT)  # the one that is being built among them
    key = f"parley-faithfulness-visitor{several if several > 1 else ''}"
    token = gr.BrowserState(None, storage_key=key, secret="parley")
    context.block = inside
    return token


def place_results(listed: Listed) -> Panel:
    with gr.Column(visible=False) as results:
        report = gr.Markdown(elem_classes="run-report")
        with gr.Row():
            saves = {
                "zip": gr.Button("Save everything (zip)", size="sm", min_width=120),
                "md": gr.Button("Save the report (Markdown)", size="sm", min_width=120),
                "csv": gr.Button("Save these samples (CSV)", size="sm", min_width=120),
            }
        filters = _filters()
        count = gr.Markdown(elem_classes="evidence-quiet")
        table = gr.Dataframe(
            headers=COLUMNS, interactive=False, wrap=True, max_height=420, buttons=[], label="Samples",
            column_widths=["56px", "120px", "60px", "230px", "140px", "190px", "80px", "90px", "70px"],
        )  # fmt: skip
        with gr.Row(elem_id="run-sample"):
            before = gr.Button("Previous sample", size="sm", min_width=120)
            after = gr.Button("Next sample", size="sm", min_width=120)
        sample = visualiser.place(paragraph("The sample that you choose will stand here.", EMPTY))
    parts = (results, report, filters, count, table, before, after, gr.State(), sample, saves)
    return Panel(_place_token(), listed, *parts, gr.JSON(visible=False), gr.Timer(EVERY, active=False))


def _filters() -> list[Any]:
    with gr.Row():
        model = gr.Dropdown([("All models", ALL)], value=ALL, label="Model", min_width=140)
        stage = gr.Dropdown([("All", ALL), *((says, key) for key, says in STAGES.items())], value=ALL, label="Reached")
    with gr.Row():
        low = gr.Slider(0, 1, value=0, step=0.05, label="Score from", min_width=140)
        high = gr.Slider(0, 1, value=1, step=0.05, label="Score to", min_width=140)
    with gr.Row():
        words = gr.Textbox(label="Words in question, answer or id", min_width=200)
        needs = gr.Checkbox(False, label="Only those that need the passage", min_width=200)
    return [model, stage, low, high, needs, words]


def wire(panel: Panel, shelf: VisitorRuns, tab: gr.Tab) -> None:
    listed, run = panel.listed, [panel.token, panel.listed.listing]
    every = [*run, *panel.filters]
    load = gr.context.Context.root_block.load  # type: ignore[union-attr]
    gr.on([load], arrive, panel.token, panel.token, **PRIVATE)
    quiet: dict[str, Any] = {"show_progress": "hidden", **PRIVATE}
    panel.timer.tick(partial(look, shelf, False), every, panel.outputs, **quiet)
    changed = [listed.listing.input, listed.refresh.click, *(each.input for each in panel.filters)]
    changed += [tab.select]
    gr.on(changed, partial(look, shelf, True), every, panel.outputs, trigger_mode="always_last", **quiet)
    listed.stop.click(partial(stop, shelf), every, panel.outputs, **quiet)
    going = [*run, listed.key, *panel.filters]
    listed.go_on.click(partial(go_on, shelf), going, [listed.key, *panel.outputs], **quiet)
    listed.delete.click(ask_again, None, [listed.delete, listed.really], **quiet)
    listed.really.click(partial(delete, shelf), every, panel.outputs, **quiet)
    _wire_sample(panel, shelf, run, every)


def _wire_sample(panel: Panel, shelf: VisitorRuns, run: list[Any], every: list[Any]) -> None:
    def clicked(token: str, run_id: str, event: gr.SelectData) -> tuple[Any, ...]:
        """The row says which sample it is, also if the table was sorted."""
        return open_row(shelf, token, run_id, str(event.row_value[1]), int(event.row_value[0]))

    opened = [*panel.sample.outputs, panel.at]
    panel.table.select(clicked, run, opened, **PRIVATE).success(None, None, None, js=TO_SAMPLE, **PRIVATE)
    for button, by in ((panel.before, -1), (panel.after, 1)):
        button.click(partial(step, shelf, by), [*run, panel.at, *panel.filters], opened, **PRIVATE)
    for kind, button in panel.saves.items():
        script = SAVE_ZIP if kind == "zip" else SAVE_FILE
        saved = button.click(partial(save, kind, shelf), every, panel.file, **PRIVATE)
        saved.success(None, panel.file, None, js=script, **PRIVATE)
