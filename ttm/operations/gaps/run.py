"""Missing values are counted column by column, and with them the rows that lack none."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ttm.language.operations.data import Gaps
from ttm.operations.results import Result
from ttm.operations.rows.context import Context


@dataclass(frozen=True)
class MissingValues(Result):
    """How many of the group's rows have no value, by feature, most first; `complete` rows have all features.

    `unlabelled` is how many have no known outcome: that is counted apart, since the model does not read it.
    """

    missing: dict[str, int]
    complete: int
    unlabelled: int


def gaps(step: Gaps, context: Context) -> MissingValues:
    """Count in the rows as they are shown, after any change; a made-up case lacks what it was not given."""
    unknown = context.rows.frame[[feature.name for feature in context.schema.features]].isna()
    counts = unknown.sum().sort_values(ascending=False, kind="stable")
    missing = {str(name): int(count) for name, count in counts.items()}
    return MissingValues("gaps", context.group, missing, int((~unknown.any(axis=1)).sum()), int((~context.rows.labelled).sum()))


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {Gaps: gaps}
