"""Agreement field by field and item by item, for every field that is chosen, rated or marked, whatever the task type counts."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from annotation.studies.figures.agreement import WorkerAgreement, agreement_of
from annotation.studies.figures.answered_fields import AnsweredFields, AnswerUnits
from annotation.tasks.task_type import Level


@dataclass(frozen=True)
class FieldAgreement:
    """`of_workers`: Krippendorff's alpha and Cohen's kappas; `fleiss`: Fleiss' kappa, None if it is undefined."""

    field: str
    of_workers: WorkerAgreement
    fleiss: float | None


@dataclass(frozen=True)
class ItemAgreement:
    """`equal`: the share of pairs of answers to the item that agree, over its fields."""

    key: str
    answers: int
    equal: float


def field_agreements(answered: AnsweredFields) -> list[FieldAgreement]:
    """Of the fields that two workers answered, in the order in which they first occur."""
    fields = [_of_field(field, level, rated) for (field, level), rated in answered.rated.items()]
    return [field for field in fields if field.of_workers.units]


def item_agreements(answered: AnsweredFields) -> list[ItemAgreement]:
    """Items that were answered twice and more, those with least agreement first."""
    by_unit: dict[tuple[str, str], list[Any]] = defaultdict(list)
    workers: dict[str, set[str]] = defaultdict(set)
    for rated in answered.rated.values():
        for key, worker, units in rated:
            workers[key].add(worker)
            for name, value in units.items():
                by_unit[key, name].append(value)
    pairs: dict[str, list[bool]] = defaultdict(list)
    for (key, _), answers in by_unit.items():
        pairs[key] += [one == other for one, other in combinations(answers, 2)]
    listed = [ItemAgreement(key, len(workers[key]), sum(equal) / len(equal)) for key, equal in pairs.items() if equal]
    return sorted(listed, key=lambda item: item.equal)


def fleiss_kappa(units: Sequence[Sequence[Any]]) -> float | None:
    """Fleiss' kappa (1971) of the values given to each unit, of which each has as many; None where it is undefined.

    Where units have different numbers of values it is not defined either; Krippendorff's alpha is.
    """
    sizes = {len(values) for values in units}
    if len(sizes) != 1 or (raters := sizes.pop()) < 2:
        return None
    counts = [Counter(values) for values in units]
    observed = sum(sum(n * (n - 1) for n in each.values()) for each in counts) / (len(units) * raters * (raters - 1))
    total = sum(counts, Counter[Any]())
    chance = sum((n / (len(units) * raters)) ** 2 for n in total.values())
    return None if chance == 1 else (observed - chance) / (1 - chance)


def _of_field(field: str, level: Level, rated: Sequence[AnswerUnits]) -> FieldAgreement:
    agreed = agreement_of(rated, level)
    by_unit: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for key, _, units in rated:
        for name, value in units.items():
            by_unit[key, name].append(value)
    twice = [values for values in by_unit.values() if len(values) > 1]
    return FieldAgreement(field, agreed, fleiss_kappa(twice) if twice else None)
