"""How near one worker's answers are to those of others: a figure of careless work beside those of the texts."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations
from typing import Any

from annotation.tasks.task_type import Level, TaskResult


def agreement_with_others(task_results: Iterable[TaskResult], units: Any, level: Level) -> dict[str, float]:
    """By worker, how near their values are to those of others: 1 where equal, 0 at the two ends of the values used.

    Names of values are equal or not. Workers who share no value with anybody are left out.
    """
    by_unit: dict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
    for result in task_results:
        for name, value in units(result).items():
            by_unit[result.key, name][result.worker] = value
    numbers = [value for values in by_unit.values() for value in values.values() if isinstance(value, int | float)]
    span = (max(numbers) - min(numbers)) if numbers and level != "nominal" else 0
    near: dict[str, list[float]] = defaultdict(list)
    for values in by_unit.values():
        for one, other in combinations(values, 2):
            apart = abs(values[one] - values[other]) / span if span else float(values[one] != values[other])
            near[one].append(1 - apart)
            near[other].append(1 - apart)
    return {worker: sum(shares) / len(shares) for worker, shares in near.items()}
