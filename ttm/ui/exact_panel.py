"""The line that tells how far explaining all rows is, with a way to stop it; when it is done, the answer becomes exact."""

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr

from backend.jobs import ENDED, Job, JobState
from backend.network.shares.spending import SPENDING
from backend.text.html_pieces import paragraph, progress_line
from backend.ui import errors_in_words
from ttm.chat.conversation import Turn
from ttm.chat.exact_answers import carried_out_exactly, sampled_rows
from ttm.operations.execution_engine import Execution
from ttm.ui.visit import ChatVisit, Exact, JobPace, shown

Update = dict[str, Any]
SECONDS_BETWEEN = 1.0
ENOUGH_DONE = 0.02  # of the work, from which on the time left is shown


@dataclass(frozen=True)
class ExactPanel:
    row: gr.Row
    line: gr.HTML
    stop: gr.Button
    timer: gr.Timer


def place() -> ExactPanel:
    with gr.Row(visible=False, elem_classes="ttm-exact", elem_id="ttm-exact") as row:
        line = gr.HTML(padding=False, elem_classes="ttm-note")
        stop = gr.Button("Cancel", size="sm", min_width=72, scale=0, elem_classes="ttm-quiet", elem_id="ttm-exact-stop")
    return ExactPanel(row, line, stop, gr.Timer(SECONDS_BETWEEN, active=False))


# --- handlers ------------------------------------------------------------------------------------------------------------


@errors_in_words
def look(visit: ChatVisit) -> tuple[Update, Update, Update, Update]:
    """Begin what the last answer needs, and show how far it is: the row, its line, the timer, and perhaps the chatbot."""
    if visit.questions.utterances:  # the chatbot changes once more at the end, and then this is called again
        return gr.skip(), gr.skip(), gr.skip(), gr.skip()
    renewed = _finish(visit)
    _begin(visit)
    job, rows = _going_on(visit)
    waiting = job is not None or visit.session.subjects.is_preparing(visit.session.loaded)
    line = gr.skip() if job is None else gr.update(value=pace_text(_pace(visit, job), rows, visit.exact is not None))
    return gr.update(visible=job is not None), line, gr.update(active=waiting), shown(visit) if renewed else gr.skip()


@errors_in_words
def stop(visit: ChatVisit) -> Update:
    """Stop what the line tells of; what has been explained stays known."""
    job, _ = _going_on(visit)
    if job is not None:
        job.cancel()
        gr.Info("Stopped. Answers about groups rest on a sample of the rows, and say so.", duration=4)
    return gr.update(value=paragraph("Stopping …", "ttm-note"))


def pace_text(pace: JobPace, rows: int, for_answer: bool) -> str:
    """How far the work is: "Explaining all 768 rows: 41%, about 12 s left"."""
    done = pace.job.progress.fraction
    what = f"Explaining all {rows:,} rows{' for an exact answer' if for_answer else ''}"
    how_far = "waiting for its turn" if pace.job.state is JobState.WAITING else f"{done:.0%}{_left(pace, done)}"
    return progress_line(done, f"{what}: {how_far}", "ttm-note")


def _left(pace: JobPace, done: float) -> str:
    if done - pace.fraction < ENOUGH_DONE:
        return ""
    seconds = (1 - done) * (time.monotonic() - pace.began) / (done - pace.fraction)
    return f", about {seconds:.0f} s left" if seconds < 100 else f", about {seconds / 60:.0f} min left"


def _finish(visit: ChatVisit) -> bool:
    """Take over what has ended; whether an answer has become exact."""
    exact, turns = visit.exact, visit.session.turns
    if exact is None:
        return False
    if not any(turn is exact.turn for turn in turns):  # taken back, or a new chat
        exact.job.cancel()
        visit.exact = None
    if visit.exact is None or exact.job.state not in ENDED:
        return False
    visit.exact, visit.declined = None, exact.turn
    if exact.job.state is JobState.CANCELLED:
        return False
    visit.session.renew(exact.turn, exact.job.result())
    return True


def _begin(visit: ChatVisit) -> None:
    """Explain all rows for the last answer if it rests on a sample; an earlier answer is then left as it is."""
    last = visit.session.turns[-1] if visit.session.turns else None
    busy_with = visit.exact.turn if visit.exact else None
    if last is None or last is busy_with or last is visit.declined or not sampled_rows(last):
        return
    if visit.exact is not None:
        visit.exact.job.cancel()
    visit.exact = Exact(last, sampled_rows(last), _started(visit, last))


def _started(visit: ChatVisit, turn: Turn) -> Job[Execution]:
    assert turn.parse is not None
    session = visit.session
    work = partial(carried_out_exactly, session.loaded.engine, turn.parse, session.memory_before(turn))
    return visit.jobs.start(SPENDING.carried(work))


def _going_on(visit: ChatVisit) -> tuple[Job[Any] | None, int]:
    """What is being explained, for this person's last answer or for the next question, and how many rows that are."""
    if visit.exact is not None:
        return visit.exact.job, visit.exact.rows
    loaded = visit.session.loaded
    if not visit.session.turns:  # a count that nobody asked for says nothing to a newcomer
        return None, 0
    job = visit.session.subjects.groups_job(loaded)
    if job is None or job.state in ENDED:
        return None, 0
    return job, len(loaded.subject.dataset.frame)


def _pace(visit: ChatVisit, job: Job[Any]) -> JobPace:
    """Since when this job has been looked at, and how far it was then."""
    if visit.pace is None or visit.pace.job is not job:
        visit.pace = JobPace(job, time.monotonic(), job.progress.fraction)
    return visit.pace


# --- wiring --------------------------------------------------------------------------------------------------------------


def wire(panel: ExactPanel, visit: gr.State, chatbot: gr.Chatbot) -> None:
    quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    outputs = [panel.row, panel.line, panel.timer, chatbot]
    gr.on([chatbot.change, panel.timer.tick], look, visit, outputs, concurrency_limit=8, **quiet)
    panel.stop.click(stop, visit, panel.line, **quiet)
