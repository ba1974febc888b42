"""A message after a question back that it does not reply to: it may go on from what was not understood for sure.

So the likeliest reading of the message before is taken for what the new one refers to, what it takes from there is spelled out,
and all of it counts as less probable, because the turn before may have been another.
"""

from dataclasses import replace

from ttm.language.parse import (
    Change,
    Instance,
    Operation,
    Parse,
    PreviousOperation,
    Selection,
    Step,
)
from ttm.language.row_state import ALL_ROWS, RowState, recalled, recalls, rows_after
from ttm.parsers.understanding import DialogueContext, ParseCandidate

DOUBTED = 0.75  # of the probability of a reading, where a question back before it was passed over


def assuming(context: DialogueContext) -> DialogueContext:
    """The context as it would be had the likeliest reading of an open question been answered."""
    parse = context.likeliest
    if parse is None:
        return context
    operations = operations_of(parse, context)
    rows = rows_after(parse, context.rows)
    return replace(context, parse=parse, rows=rows, operations=operations or context.operations)


def operations_of(parse: Parse, context: DialogueContext) -> tuple[Operation, ...]:
    """What a parse asks for, the operations that it repeats from the context among it."""
    return tuple(
        one
        for step in parse.steps
        for one in (context.operations if isinstance(step, PreviousOperation) else [step])
        if isinstance(one, Operation) and not isinstance(one, Selection | Instance | Change)
    )


def doubted(candidates: tuple[ParseCandidate, ...], context: DialogueContext) -> tuple[ParseCandidate, ...]:
    """Readings in the context of `assuming`, spelled out and with the doubt about the turn before."""
    return tuple(ParseCandidate(spelled_out(one.parse, context), DOUBTED * one.confidence) for one in candidates)


def spelled_out(parse: Parse, context: DialogueContext) -> Parse:
    """A parse that says itself what it takes from a turn that was not answered: rows, changes and operations."""
    if context.likeliest is None:
        return parse
    rows = context.rows
    steps: list[Step] = []
    for step in parse.steps:
        if isinstance(step, PreviousOperation) and context.operations:
            steps += context.operations
        elif isinstance(step, Selection) and rows is not None and any(map(recalls, step.groups)):
            steps += _recalled(step, rows)
        else:
            steps.append(step)
    return Parse(tuple(steps))


def _recalled(step: Selection, rows: RowState) -> list[Selection | Instance | Change]:
    if rows.instance is not None:
        return [rows.instance, *rows.changes]
    groups = recalled(step.groups, rows)
    return [*([] if groups == ALL_ROWS else [replace(step, groups=groups)]), *rows.changes]
