"""A run as HTML and table rows. Everything that came from a person or a model is escaped."""

from collections.abc import Sequence
from html import escape

from faithfulness.reports.browse import STAGES, Line
from faithfulness.runs.estimate import Estimate
from faithfulness.runs.rows import BadRow
from faithfulness.ui.run_standing import RunStanding, Stage, VisitorRun, describe

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


def standing_html(run: VisitorRun, standing: RunStanding) -> str:
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
    notes = "".join(f"<p>{escape(text)}</p>" for text in lines if text)
    return (
        f'<div class="run-panel"><p><span class="run-state">{standing.stage.value}</span> <strong>{escape(run.about.file)}'
        f'</strong></p><p><progress max="1" value="{share:.4f}" aria-label="samples finished"></progress>{share:.0%}</p>'
        f"<p>{' · '.join(counts)}</p>{notes}</div>"
    )


def duration(seconds: float | None) -> str:
    """A time in words, in its two largest units."""
    if seconds is None:
        return "time not known yet"
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def estimate_html(samples: int, bad: Sequence[BadRow], estimates: Sequence[Estimate]) -> str:
    """What a run will take of each model, from the least (every answer is wrong) to the most (every region is sufficient)."""
    lines = "".join(f"<li>{escape(each.line())}<br>{escape(each.expected_line())}</li>" for each in estimates)
    text = f"<p>A run over <strong>{samples:,} sample{'' if samples == 1 else 's'}</strong> will take</p><ul>{lines}</ul>"
    if bad:
        rest = f"<li>and {len(bad) - BAD_SHOWN:,} more</li>" if len(bad) > BAD_SHOWN else ""
        reasons = "".join(f"<li>{escape(each.reason)}</li>" for each in bad[:BAD_SHOWN])
        text += f"<p>{len(bad):,} rows cannot be used:</p><ul>{reasons}{rest}</ul>"
    return f'<div class="run-panel">{text}</div>'


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
