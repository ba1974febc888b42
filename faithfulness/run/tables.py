"""The report of a run: one summary a model, the common subset, and both as Markdown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from backend.errors import FaithfulnessError
from backend.markup import escape_markdown
from faithfulness.prompting import PROTOCOLS
from faithfulness.run.folder import RunFolder
from faithfulness.run.outcomes import Outcome, outcome_of
from faithfulness.run.summary import Summary, common_subset, summarise


@dataclass(frozen=True)
class Tables:
    """Summaries by model, over its own samples and over the common subset; what failed, and why calls failed."""

    settings: dict[str, Any]
    outcomes: dict[str, list[Outcome]]
    summaries: dict[str, Summary]
    common: dict[str, Summary]
    failed: dict[str, list[dict[str, Any]]]
    failures: dict[str, dict[str, int]]

    @property
    def common_size(self) -> int:
        return next((each.n for each in self.common.values()), 0)

    def as_json(self) -> dict[str, Any]:
        models = {
            name: {
                **summary.as_json(),
                "protocol": protocol_of(self.settings, name),
                "failed": len(self.failed[name]),
                "failures_of_calls": self.failures[name],
            }
            for name, summary in self.summaries.items()
        }
        common = {
            "n": self.common_size,
            "F": {name: each.as_json()["F"] for name, each in self.common.items()},
            "F_interval": {name: each.as_json()["F_interval"] for name, each in self.common.items()},
        }
        return {"settings": self.settings, "models": models, **({"common": common} if len(models) > 1 else {})}


def tables_of(folder: RunFolder) -> Tables:
    """Raises FaithfulnessError if the folder holds no run, or no sample is finished yet."""
    settings, seed = folder.settings(), folder.plan().seed
    outcomes = {name: [outcome_of(row, report) for row, report in folder.reports(name)] for name in folder.models()}
    outcomes = {name: found for name, found in outcomes.items() if found}
    if not outcomes:
        raise FaithfulnessError(f"No sample of the run in {folder.path} is finished yet.")
    shared = common_subset(outcomes)
    store = folder.calls()
    try:
        failures = {name: store.failures(name) for name in outcomes}
    finally:
        store.close()
    return Tables(
        settings,
        outcomes,
        {name: summarise(found, seed) for name, found in outcomes.items()},
        {name: summarise([each for each in found if each.id in shared], seed) for name, found in outcomes.items()},
        {name: folder.failed(name) for name in outcomes},
        failures,
    )


def protocol_of(settings: dict[str, Any], model: str) -> str:
    """The protocol that a model was asked with, in words."""
    return PROTOCOLS[settings["models"][model]["protocol"]].name


def markdown_report(tables: Tables) -> str:
    """Tables for a terminal, a README or a paper."""
    names = list(tables.summaries)
    lines = [_row("", [escape_markdown(name) for name in names]), _row("---", ["---:"] * len(names))]
    for label, cell in ROWS.items():
        lines.append(_row(label, [cell(tables.summaries[name]) for name in names]))
    if len(names) > 1:
        lines.append(_row("Common successful samples", [str(tables.common_size)] * len(names)))
        lines.append(_row("F on the common samples", [_with_interval(tables.common[name]) for name in names]))
    notes = [f"{escape_markdown(name)}: asked by {protocol_of(tables.settings, name)}." for name in names]
    for name in names:
        if tables.failed[name]:
            notes.append(f"{escape_markdown(name)}: {len(tables.failed[name])} samples failed and are in no figure.")
        for reason, count in tables.failures[name].items():
            notes.append(f"{escape_markdown(name)}: {count} calls failed and were tried again: {escape_markdown(reason)}")
    return "\n".join([*lines, "", *notes])


def _row(label: str, cells: list[str]) -> str:
    return f"| {' | '.join([label, *cells])} |"


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


def _with_interval(summary: Summary) -> str:
    if summary.F is None:
        return "–"
    if summary.F_interval is None:
        return _number(summary.F)
    return f"{summary.F:.3f} [{summary.F_interval[0]:.3f}, {summary.F_interval[1]:.3f}]"


ROWS: dict[str, Callable[[Summary], str]] = {
    "Samples": lambda s: str(s.n),
    "Retrieval-hard subset": lambda s: str(s.retrieval_hard),
    "Answered with the passage": lambda s: str(s.answered),
    "A sufficient region found": lambda s: str(s.sufficient),
    "A necessary keyword found": lambda s: str(s.necessary),
    "Faithfulness F, 95 % interval": _with_interval,
    "its parts: sufficient region, necessary keywords": lambda s: f"{_number(s.F_sr)}, {_number(s.F_nk)}",
    "F of as many random keywords": lambda s: _number(s.F_random),
    "F above chance": lambda s: _number(s.F_above_chance),
    "F of the answer as only keyword": lambda s: _number(s.F_own_answer),
    "F, a mere overlap counting": lambda s: _number(s.F_overlap),
    "Keywords a sample": lambda s: _number(s.keywords, 1),
    "of them not in the passage": lambda s: _share(s.keywords_absent),
    "of them inside a necessary group": lambda s: _share(s.keywords_necessary),
    "Answer cut between regions, between groups": lambda s: f"{s.answer_cut}, {s.group_cut}",
    "Calls": lambda s: str(s.calls),
    "Unreadable replies": lambda s: str(s.unreadable),
    "Calls whose repeats disagree": lambda s: _share(s.flip_rate),
    "Tokens in, out": lambda s: f"{s.prompt_tokens:,}, {s.completion_tokens:,}",
}
