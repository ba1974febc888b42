"""How far the figures of a model differ between runs over the same data with other seeds."""

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from backend.errors import FaithfulnessError
from backend.text.markup import escape_markdown
from faithfulness.reports.summary import rounded
from faithfulness.reports.tables import Tables

FIGURES = ("lift", "F", "answered", "necessary")


@dataclass(frozen=True)
class RunSpread:
    """One figure of one model over `runs` runs; `deviation` is the standard deviation between them."""

    model: str
    figure: str
    runs: int
    mean: float
    deviation: float
    least: float
    most: float

    def as_json(self) -> dict[str, Any]:
        return {name: rounded(value) for name, value in asdict(self).items()}


def spread_between(runs: Sequence[Tables]) -> list[RunSpread]:
    """Every figure of each model that two runs or more have. Raises FaithfulnessError for runs that cannot be compared."""
    for other in runs[1:]:
        _check_alike(runs[0], other)
    result = []
    for name in dict.fromkeys(model for tables in runs for model in tables.summaries):
        summaries = [tables.summaries[name] for tables in runs if name in tables.summaries]
        for figure in FIGURES:
            values = [float(value) for each in summaries if (value := getattr(each, figure)) is not None]
            if len(values) > 1:
                mean, deviation = statistics.mean(values), statistics.stdev(values)
                result.append(RunSpread(name, figure, len(values), mean, deviation, min(values), max(values)))
    return result


def _check_alike(first: Tables, other: Tables) -> None:
    for name in ("data", "correctness"):
        if first.settings.get(name) != other.settings.get(name):
            values = [tables.settings.get(name) for tables in (first, other)]
            raise FaithfulnessError(f"The runs cannot be compared: {name} is {values[0]} in one and {values[1]} in another.")
    plans = [{key: value for key, value in tables.settings["plan"].items() if key != "seed"} for tables in (first, other)]
    if plans[0] != plans[1]:
        differing = next(key for key in {**plans[0], **plans[1]} if plans[0].get(key) != plans[1].get(key))
        raise FaithfulnessError(f"The runs cannot be compared: their plans differ in {differing}.")


def spread_markdown(spreads: Sequence[RunSpread]) -> list[str]:
    """A table under a heading, as lines."""
    lines = [["between runs", "figure", "runs", "mean", "standard deviation", "least to most"]]
    lines.append(["---", "---", *["---:"] * 4])
    for each in spreads:
        bounds = f"{each.least:.3f} to {each.most:.3f}"
        figures = [f"{each.mean:.3f}", f"{each.deviation:.3f}", bounds]
        lines.append([escape_markdown(each.model), each.figure, str(each.runs), *figures])
    return ["", *(f"| {' | '.join(line)} |" for line in lines)]
