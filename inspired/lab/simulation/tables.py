"""The figures of a simulation as Markdown tables, and as values for JSON."""

from dataclasses import asdict
from typing import Any

from inspired.lab.simulation.scoring import Mean
from inspired.lab.simulation.simulation import Figures, SimulationReport


def markdown(report: SimulationReport) -> str:
    """Tables 16 and 17 of the paper for this simulation; percentages with 95% bootstrap intervals."""
    attempts = len(report.all.exact) - 1
    stages = ["before", *(f"after {number}" for number in range(1, attempts + 1))]
    head = ["questions", "n", *(f"EM {each}" for each in stages), *(f"F1 {each}" for each in stages)]
    rows = [_row("all", report.all), *(_row(type_, figures) for type_, figures in report.by_type.items())]
    repaired = [
        [kind, str(each.count), *(f"{100 * share:.1f}" for share in each.right)] for kind, each in report.by_kind.items()
    ]
    parts = [_table(head, rows)]
    if repaired:
        parts.append(_table(["correction", "n", *(f"right {each}" for each in stages[1:])], repaired))
    parts.append(
        f"Questions without a parse: {_percent(report.parse_failures)}%. "
        f"Corrections a question: {_plain(report.corrections)}; "
        f"of questions parsed wrongly: {_plain(report.when_wrong)}."
    )
    return "\n\n".join(parts) + "\n"


def as_json(report: SimulationReport) -> dict[str, Any]:
    """The report as plain values; shares from 0 to 1."""
    return asdict(report)


def _row(name: str, figures: Figures) -> list[str]:
    return [name, str(figures.questions), *map(_percent, figures.exact), *map(_percent, figures.f1)]


def _percent(mean: Mean | None) -> str:
    return "–" if mean is None else f"{100 * mean.value:.1f} ({100 * mean.low:.1f} to {100 * mean.high:.1f})"


def _plain(mean: Mean | None) -> str:
    return "–" if mean is None else f"{mean.value:.2f} ({mean.low:.2f} to {mean.high:.2f})"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(each)} |" for each in lines)
