"""Calls against success: the method over a grid of p and q, in one folder (section 6 leaves this trade-off open).

FOLDER/calls.sqlite    every reply; what several settings ask is asked once
FOLDER/p3-q5/          the run with p = 3 parts and q = 5 groups (faithfulness.runs.folder)
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from backend.models.language_models import LanguageModel
from backend.text.markup import escape_markdown
from backend.text.words import decimal, percent
from faithfulness.method.correctness import Metric
from faithfulness.reports.outcomes import outcome_of
from faithfulness.reports.summary import rounded, summarise
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import Profile
from faithfulness.runs.run import RunProgress, RunSpecification, run_study

SWEEP_COLUMNS: tuple[str, ...] = (
    "model", "p", "q", "calls a sample", "answered", "sufficient region", "necessary keyword", "F, 95% interval",
    "F of random keywords", "only the whole passage",
)  # fmt: skip


@dataclass(frozen=True)
class Setting:
    parts: int
    groups: int

    def __str__(self) -> str:
        return f"p = {self.parts}, q = {self.groups}"


@dataclass(frozen=True)
class SweepRow:
    """One model under one setting. `calls` is the mean a sample, counted as if each setting asked all of its own; the shares
    are of the samples answered with the passage (`answered`, on the retrieval-hard subset); `whole_only` samples have no
    region but the whole passage."""

    model: str
    parts: int
    groups: int
    n: int
    answered: int
    calls: float
    sufficient: float | None
    necessary: float | None
    F: float | None
    F_interval: tuple[float, float] | None
    F_random: float | None
    whole_only: int

    def as_json(self) -> dict[str, Any]:
        return {name: rounded(value) for name, value in asdict(self).items()}


def grid(parts: Sequence[int], groups: Sequence[int]) -> list[Setting]:
    return [Setting(p, q) for p in parts for q in groups]


def folder_of(path: Path, setting: Setting) -> RunFolder:
    return RunFolder(path / f"p{setting.parts}-q{setting.groups}", replies=path / "calls.sqlite")


def run_sweep(
    study: RunSpecification,
    settings: Sequence[Setting],
    path: Path,
    stopped: Callable[[], bool] = lambda: False,
    open_model: Callable[[Profile], LanguageModel] = Profile.open,
    metric: Metric | None = None,
) -> Iterator[tuple[Setting, RunProgress]]:
    """Run the study under each setting, one after another. Taken up again where it ended, like a run.

    Each model is opened once. Raises FaithfulnessError as `run_study` does.
    """
    opened: dict[str, LanguageModel] = {}

    def open_once(profile: Profile) -> LanguageModel:
        return opened.setdefault(profile.name, opened.get(profile.name) or open_model(profile))

    for setting in settings:
        path.mkdir(parents=True, exist_ok=True)
        plan = replace(study.plan, parts=setting.parts, groups=setting.groups)
        one = replace(study, plan=plan)
        for progress in run_study(one, folder_of(path, setting), stopped, open_once, metric):
            yield setting, progress
        if stopped():
            return


def sweep_rows(path: Path, settings: Sequence[Setting]) -> list[SweepRow]:
    """What each setting came to, by model; settings without a finished sample are left out."""
    rows = []
    for setting in settings:
        folder = folder_of(path, setting)
        for model in folder.models() if folder.begun else ():
            outcomes = [outcome_of(row, report) for row, report in folder.reports(model)]
            if outcomes:
                rows.append(_row(model, setting, outcomes))
    return sorted(rows, key=lambda row: (row.model, row.parts, row.groups))


def _row(model: str, setting: Setting, outcomes: list[Any]) -> SweepRow:
    summary = summarise(outcomes)
    return SweepRow(
        model, setting.parts, setting.groups, summary.n, summary.answered, summary.calls / summary.n,
        summary.sufficient / summary.answered if summary.answered else None,
        summary.necessary / summary.answered if summary.answered else None,
        summary.F, summary.F_interval, summary.F_random, summary.whole_only,
    )  # fmt: skip


def sweep_cells(row: SweepRow) -> list[str]:
    """One line of the table, plain text, under SWEEP_COLUMNS."""
    bounds = f" [{row.F_interval[0]:.3f}, {row.F_interval[1]:.3f}]" if row.F_interval else ""
    return [
        row.model, str(row.parts), str(row.groups), f"{row.calls:.1f}", f"{row.answered} of {row.n}",
        percent(row.sufficient), percent(row.necessary), decimal(row.F) + bounds, decimal(row.F_random),
        f"{row.whole_only} of {row.n}",
    ]  # fmt: skip


def sweep_markdown(rows: Sequence[SweepRow]) -> str:
    """The table for a terminal or a README."""
    lines = [SWEEP_COLUMNS, ("---", *["---:"] * (len(SWEEP_COLUMNS) - 1))]
    lines += [(escape_markdown(row.model), *sweep_cells(row)[1:]) for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
