"""How far workers agree on values that they both gave to a field: Krippendorff's alpha over all, Cohen's kappa for each two."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from annotation.studies.figures.answered_fields import AnswerUnits
from annotation.tasks.task_type import Level

FEWEST_SHARED = 2  # units that two workers must share for a kappa
Values = Mapping[str, Mapping[tuple[str, str], Any]]  # worker -> (item, name of the value) -> value


@dataclass(frozen=True)
class WorkerAgreement:
    """`alpha` is None where nothing was answered twice or only one value occurs, which leaves it undefined.

    `kappas`: (worker, worker) -> kappa, or None where it is undefined; `units`: how many values were given by two and more.
    """

    level: Level
    units: int
    alpha: float | None
    kappas: Mapping[tuple[str, str], float | None]

    @property
    def mean_kappa(self) -> float | None:
        known = [kappa for kappa in self.kappas.values() if kappa is not None]
        return sum(known) / len(known) if known else None


def agreement_of(answers: Iterable[AnswerUnits], level: Level) -> WorkerAgreement:
    """Of one field: values of several, pooled, would raise the agreement that chance gives, and with it the figure."""
    by_worker: dict[str, dict[tuple[str, str], Any]] = defaultdict(dict)
    for key, worker, units in answers:
        by_worker[worker] |= {(key, name): value for name, value in units.items()}
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for values in by_worker.values():
        for unit in values:
            counts[unit] += 1
    shared = sorted(unit for unit, count in counts.items() if count > 1)
    return WorkerAgreement(level, len(shared), _alpha(by_worker, shared, level), _kappas(by_worker, level))


def _alpha(by_worker: Values, shared: list[tuple[str, str]], level: Level) -> float | None:
    among = set(shared)
    values = sorted({value for each in by_worker.values() for unit, value in each.items() if unit in among})
    if len(values) < 2:
        return None
    import krippendorff
    import numpy as np

    # Names of values become numbers; numbers stay, since their distances count.
    codes = {value: float(value) if level != "nominal" else float(index) for index, value in enumerate(values)}
    table = np.array([[codes.get(each.get(unit), np.nan) for unit in shared] for each in by_worker.values()])
    return float(krippendorff.alpha(reliability_data=table, level_of_measurement=level))


def _kappas(values: Values, level: Level) -> dict[tuple[str, str], float | None]:
    """Ranks and measures are weighted by the square of their distance."""
    result = {}
    for one, other in combinations(sorted(values), 2):
        units = values[one].keys() & values[other].keys()
        if len(units) >= FEWEST_SHARED:
            result[one, other] = _kappa([values[one][unit] for unit in units], [values[other][unit] for unit in units], level)
    return result


def _kappa(one: list[Any], other: list[Any], level: Level) -> float | None:
    used = {*one, *other}
    if len(used) < 2:
        return None
    from sklearn.metrics import cohen_kappa_score

    if level == "nominal" or not all(isinstance(value, int) for value in used):
        return float(cohen_kappa_score(one, other))
    # Without all levels between the ends, the distance would be one of positions among those that happen to be used.
    return float(cohen_kappa_score(one, other, weights="quadratic", labels=range(min(used), max(used) + 1)))
