"""A simulation over many questions, and the figures of Tables 9, 16 and 17 that come out of it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from inspired.decomposition.decompose import decompose, question_type
from inspired.lab.simulation.correcting import Case, Corrected, correct, same
from inspired.lab.simulation.scoring import Answering, Mean, mean
from inspired.lab.simulation.user import User
from inspired.parsers.reading import ParseCorrector


@dataclass(frozen=True)
class SimulationOutcome:
    """One question: exact match and F1 (None without gold answers) before, at index 0, and after 1, 2, ... attempts."""

    id: str
    type: str
    parsed: bool
    exact: tuple[bool, ...]
    f1: tuple[float | None, ...]
    corrected: tuple[Corrected, ...]


@dataclass(frozen=True)
class Figures:
    """`exact` and `f1` before and after 1, 2, ... attempts, over `questions` questions."""

    questions: int
    exact: tuple[Mean | None, ...]
    f1: tuple[Mean | None, ...]


@dataclass(frozen=True)
class Repaired:
    """Of `count` corrections, the share that came out right after 1, 2, ... attempts."""

    count: int
    right: tuple[float, ...]


@dataclass(frozen=True)
class SimulationReport:
    """`corrections` is the mean number a question, `when_wrong` that of questions parsed wrongly."""

    all: Figures
    by_type: dict[str, Figures]
    by_kind: dict[str, Repaired]
    parse_failures: Mean | None
    corrections: Mean | None
    when_wrong: Mean | None


def simulate(
    cases: Iterable[Case], parser_of: Callable[[Case], ParseCorrector], user: User, answering: Answering, attempts: int
) -> Iterator[SimulationOutcome]:
    """Each case corrected with up to 1, 2, ... `attempts` attempts; `parser_of` gives the one that reads corrections."""
    for case in cases:
        parser = parser_of(case)
        tries = tuple(correct(case, parser, user, allowed) for allowed in range(1, attempts + 1))
        forms = (case.predicted, *(each.form for each in tries))
        yield SimulationOutcome(
            case.id,
            question_type(decompose(case.gold)),
            case.predicted is not None,
            (same(case.predicted, case.gold), *(each.exact for each in tries)),
            tuple(answering.f1(form, case.gold) for form in forms),
            tries,
        )


def report(outcomes: Sequence[SimulationOutcome], seed: int = 0) -> SimulationReport:
    types = sorted({each.type for each in outcomes})
    numbers = [float(len(each.corrected[-1].corrections)) for each in outcomes]
    wrong = [number for number, each in zip(numbers, outcomes, strict=True) if not each.exact[0]]
    return SimulationReport(
        _figures(outcomes, seed),
        {type_: _figures([each for each in outcomes if each.type == type_], seed) for type_ in types},
        _by_kind(outcomes),
        mean([float(not each.parsed) for each in outcomes], seed),
        mean(numbers, seed),
        mean(wrong, seed),
    )


def _figures(outcomes: Sequence[SimulationOutcome], seed: int) -> Figures:
    stages = range(len(outcomes[0].exact)) if outcomes else range(0)
    return Figures(
        len(outcomes),
        tuple(mean([float(each.exact[stage]) for each in outcomes], seed) for stage in stages),
        tuple(mean([value for each in outcomes if (value := each.f1[stage]) is not None], seed) for stage in stages),
    )


def _by_kind(outcomes: Sequence[SimulationOutcome]) -> dict[str, Repaired]:
    right: dict[str, list[list[bool]]] = defaultdict(list)
    for outcome in outcomes:
        for index, last in enumerate(outcome.corrected[-1].corrections):
            # With fewer attempts the same row of operations was gone through.
            row = [each.corrections[index].right_at is not None for each in outcome.corrected]
            right[last.kind].append(row)
    return {
        kind: Repaired(len(rows), tuple(sum(row[stage] for row in rows) / len(rows) for stage in range(len(rows[0]))))
        for kind, rows in sorted(right.items())
    }
