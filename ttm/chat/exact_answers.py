"""Answers about many rows that began with a sample: which those are, and the same answers over all rows.

How much features matter is answered at once from some rows, spread evenly. Explaining all of them, changed rows included, takes
longer and is meant for the background; the answer is then the same question carried out again, exactly.
"""

from collections.abc import Iterator

from backend.jobs import ReportProgress
from ttm.chat.conversation import Turn
from ttm.language.parse import Parse
from ttm.operations.execution_engine import Execution, ExecutionEngine
from ttm.operations.explanations.run import ComparedRankings, RankedFeatures
from ttm.operations.results import Result, Versus
from ttm.operations.rows.context import Memory


def sampled_rows(turn: Turn) -> int:
    """How many rows the answers of a turn are about of which only a sample was looked at; 0 where all were."""
    rankings = [ranking for result in turn.results for ranking in _rankings(result)]
    groups = {ranking.group: ranking.group.rows for ranking in rankings if ranking.is_estimated}
    return sum(groups.values())


def _rankings(result: Result) -> Iterator[RankedFeatures]:
    match result:
        case RankedFeatures():
            yield result
        case ComparedRankings(rankings=rankings):
            yield from rankings
        case Versus(results=results):
            for one in results:
                yield from _rankings(one)


def carried_out_exactly(engine: ExecutionEngine, parse: Parse, memory: Memory, report: ReportProgress) -> Execution:
    """A parse after the turns that `memory` stands for, with every row of every group explained.

    `report` receives the share done and may raise to stop; the rows explained so far stay known.
    """
    return ExecutionEngine(engine.subject, engine.explainer.thorough(report), engine.seed).execute(parse, memory)
