"""A message after a question back that it does not reply to: it may go on from what was not understood for sure.

So the likeliest reading of the message before is taken for what the new one refers to, and what it takes from there is spelled
out. What rests on the turn before is meant only if that was understood, which is evidence for the ranking (`evidence.py`).
"""

from dataclasses import replace

from ttm.language.operations.dialogue import Significant
from ttm.language.parse import (
    Change,
    Instance,
    Operation,
    Parse,
    PreviousOperation,
    Selection,
    Step,
    surface,
)
from ttm.language.row_state import ALL_ROWS, RowState, recalled, recalls, rows_after
from ttm.parsers.learned.composition.contradictions import each_once
from ttm.parsers.learned.encoder.roles import ingredients_of
from ttm.parsers.understanding import DialogueContext

BEFORE = frozenset({"previous rows", "previous operation", "follow up"})  # ingredients that refer to the turn before


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


def rests_on_before(parse: Parse, context: DialogueContext) -> bool:
    """Whether a parse refers to the rows, operations or answer of the turn before, or writes out its rows."""
    tests = any(isinstance(step, Significant) for step in parse.steps)
    return tests or not BEFORE.isdisjoint(ingredients_of(parse)) or keeps_rows(parse, context)


def keeps_rows(parse: Parse, context: DialogueContext) -> bool:
    """Whether a parse writes out conditions, changes or parts of the case of before."""
    if context.rows is None:
        return False
    before = {surface(one) for one in (*context.rows.conditions, *context.rows.changes)}
    texts = {text for _, text in parse.items()}
    return bool(before & texts) or any(step == context.rows.instance for step in parse.steps)


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
    return each_once(Parse(tuple(steps)))


def _recalled(step: Selection, rows: RowState) -> list[Selection | Instance | Change]:
    if rows.instance is not None:
        return [rows.instance, *rows.changes]
    groups = recalled(step.groups, rows)
    return [*([] if groups == ALL_ROWS else [replace(step, groups=groups)]), *rows.changes]
