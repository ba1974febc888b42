"""A run as HTML and table rows. Everything that came from a person or a model is escaped."""

from collections.abc import Sequence

from markupsafe import Markup

from backend.text.templates import Macros
from faithfulness.reports.browse import STAGES, Line
from faithfulness.runs.estimate import Estimate
from faithfulness.runs.rows import BadRow
from faithfulness.ui.run_standing import RunStanding, Stage, VisitorRun, describe

HTML = Macros(__file__)
COLUMNS = ["row", "model", "f", "question", "answer", "reached", "chance", "keywords", "calls"]
BAD_SHOWN = 5
SAYS = {
    Stage.WAITING: "Other runs are going on; this one waits for its turn.",
    Stage.RUNNING: "",
    Stage.STOPPING: "Waiting for the replies that are on their way, so that none is lost.",
    Stage.STOPPED: "Stopped. “Go on” takes it up again and repeats no call.",
    Stage.FAILED: "It ended with an error. “Go on” takes it up again and repeats no call.",
    Stage.ENDED: "Some samples failed. “Go on” tries these again.",
    Stage.COMPLETE: "Every sample is finished.",
}


def label(run: VisitorRun, standing: RunStanding) -> str:
    """The line of a list; plain text."""
    about = describe(run, standing)
    return f"{about['file']} · {about['models']} · {about['finished']} · {about['stage']} · {about['when']} UTC"


def standing_html(run: VisitorRun, standing: RunStanding) -> Markup:
    """Where a run stands: state, samples, calls, failures, time left."""
    share = standing.finished / standing.samples if standing.samples else 0
    counts = [f"{standing.finished} of {standing.samples} samples", f"{standing.calls} calls"]
    if standing.failed_calls:
        counts.append(f"{standing.failed_calls} calls failed and were tried again")
    if standing.failed:
        counts.append(f"{standing.failed} samples failed")
    if standing.stage is Stage.RUNNING:
        counts.append(f"{duration(standing.seconds_left)} left")
    lines = [SAYS[standing.stage], f"Last failure: {standing.reason}" if standing.reason else ""]
    return HTML("standing", standing.stage.value, run.about.file, share, " · ".join(counts), list(filter(None, lines)))


def duration(seconds: float | None) -> str:
    """A time in words, in its two largest units."""
    if seconds is None:
        return "time not known yet"
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def estimate_html(samples: int, bad: Sequence[BadRow], estimates: Sequence[Estimate]) -> Markup:
    """What a run will take of each model, from the least (every answer is wrong) to the most (every region is sufficient)."""
    count = f"{samples:,} sample{'' if samples == 1 else 's'}"
    reasons, more = [each.reason for each in bad[:BAD_SHOWN]], max(0, len(bad) - BAD_SHOWN)
    return HTML("estimate", count, estimates, f"{len(bad):,}" if bad else "", reasons, f"{more:,}" if more else "")


def line_rows(lines: Sequence[Line]) -> list[list[str | int]]:
    """A row a sample, for a table."""
    return [
        [
            line.row, line.model, _figure(line.outcome.f), line.question, line.answer, STAGES[line.outcome.stage],
            _figure(line.outcome.f_random), line.outcome.keywords, line.outcome.calls,
        ]
        for line in lines
    ]  # fmt: skip


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
