"""The rows that an answer showed one below the other, to which `the second one` points."""

from collections.abc import Iterable

from ttm.operations.data.run import ShownRows
from ttm.operations.exploration.run import RankedRows
from ttm.operations.mistakes.run import MistakeSample
from ttm.operations.neighbours.run import SimilarRows
from ttm.operations.residuals.run import LargestResiduals
from ttm.operations.results import Result, Versus


def listed_ids(results: Iterable[Result]) -> tuple[str, ...]:
    """Ids of the last list among the results, in the order shown; of several groups one after the other."""
    listed: tuple[str, ...] = ()
    for result in results:
        parts = result.results if isinstance(result, Versus) else (result,)
        ids = tuple(str(one) for part in parts for one in _ids(part))
        listed = ids or listed
    return listed


def _ids(result: Result) -> list[object]:
    match result:
        case ShownRows(rows=rows):
            return list(rows.index)
        case RankedRows(rows=ranked) | LargestResiduals(rows=ranked):
            return [row.id for row in ranked]
        case SimilarRows(rows=similar):
            return [row.id for row in similar]
        case MistakeSample(examples=examples):
            return [row.id for row in examples]
        case _:
            return []
