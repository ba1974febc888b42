"""Figures for a lead, drawn by plotly: how far everybody is, how long tasks took, what was decided."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from annotation.studies.callers import Caller, Phase
from annotation.studies.figures.progress import StudyProgress, progress
from annotation.studies.figures.results import answer_seconds
from annotation.studies.study import Study
from annotation.web.frames import PHASE_NAMES
from annotation.words.catalogue import speaking, translate

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

ACCENT, LIGHT = "#0d9488", "#94a3b8"
MOST_BARS = 40


def figures(study: Study, caller: Caller) -> tuple["Figure", "Figure", "Figure"]:
    """Raises Refused (ROLE) for anybody but a lead."""
    progress_now = progress(study, caller)
    seconds = answer_seconds(study)
    with speaking(study.plan.file.language):
        return by_phase(progress_now), by_worker(progress_now), by_time(seconds)


def by_phase(progress: StudyProgress) -> "Figure":
    """How many workers are in each phase."""
    phases = [phase for phase in Phase if any(each.phase is phase for each in progress.workers)] or list(Phase)
    counts = [sum(each.phase is phase for each in progress.workers) for phase in phases]
    return _bars(
        [translate(PHASE_NAMES[phase]) for phase in phases],
        {translate("workers"): (counts, ACCENT)},
        translate("Workers in each phase"),
    )


def by_worker(progress: StudyProgress) -> "Figure":
    """Tasks of each worker in their phase: done, and left as far as there are items. Those who did most come first."""
    workers = sorted(progress.workers, key=lambda each: -each.tasks)[:MOST_BARS]
    done = [each.tasks for each in workers]
    left = [each.left for each in workers]
    return _bars(
        [each.pseudonym for each in workers],
        {translate("done"): (done, ACCENT), translate("left"): (left, LIGHT)},
        translate("Tasks of each worker"),
    )


def by_time(seconds: Sequence[float]) -> "Figure":
    from plotly.graph_objects import Figure, Histogram

    figure = Figure(Histogram(x=[each / 60 for each in seconds], marker_color=ACCENT, nbinsx=30))
    figure.update_xaxes(title=translate("minutes"))
    return _laid_out(figure, translate("Time a task"))


def _bars(names: list[str], heights: dict[str, tuple[list[int], str]], title: str) -> "Figure":
    from plotly.graph_objects import Bar, Figure

    figure = Figure([Bar(x=names, y=values, name=label, marker_color=colour) for label, (values, colour) in heights.items()])
    figure.update_xaxes(type="category")
    figure.update_layout(barmode="stack", showlegend=len(heights) > 1)
    return _laid_out(figure, title)


def _laid_out(figure: "Figure", title: str) -> "Figure":
    """Without a background, in a grey that both themes can be read with."""
    figure.update_layout(
        title={"text": title, "font": {"size": 14}}, height=280, margin={"l": 45, "r": 15, "t": 45, "b": 45},
        paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", font={"color": "#64748b"},
        legend={"orientation": "h", "y": 1.12, "x": 1, "xanchor": "right"},
    )  # fmt: skip
    grid = "rgba(100,116,139,0.25)"
    figure.update_yaxes(gridcolor=grid, rangemode="tozero")
    return figure
