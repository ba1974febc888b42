"""Parses in plain words: how an utterance was understood, and which group an answer speaks of."""

from backend.text.words import listed
from ttm.language.describe_group import (
    change_words,
    condition_words,
    expression_words,
    feature_words,
    group_words,
    instance_words,
    likelihood_words,
)
from ttm.language.operations.fairness import ThresholdByGroup
from ttm.language.operations.registry import FORMS
from ttm.language.operations.scores import METRIC_NAMES
from ttm.language.parse import Change, CountData, Instance, Joiner, Operation, Parse, Predict, Selection, Threshold
from ttm.tabular.data.schema import Schema

__all__ = [
    "METRIC_NAMES", "change_words", "condition_words", "expression_words", "feature_words", "group_words", "likelihood_words",
    "operation_words", "parse_words",
]  # fmt: skip


def operation_words(step: Operation | Instance, schema: Schema) -> str:
    """Name what an operation asks for, as a noun phrase."""
    if isinstance(step, Instance):
        return instance_words(step, schema)
    if isinstance(step, Change):
        return f"if {change_words(step, schema)}"
    return FORMS[type(step)].words(step, schema)


def parse_words(parse: Parse, schema: Schema) -> str:
    """How an utterance was understood, as one sentence that follows the order of the steps."""
    sentences: list[str] = []
    scope = ""
    changes: list[str] = []
    questions: list[str] = []
    for step in parse.steps:
        if isinstance(step, Selection | Instance | Change) and questions:
            sentences.append(_asked(questions, scope, changes))
            questions = []
        if isinstance(step, Selection):
            scope = _scope(step, scope, schema)
        elif isinstance(step, Instance):
            scope = operation_words(step, schema)
        elif isinstance(step, Change):
            changes.append(f"if {change_words(step, schema)}")
        elif isinstance(step, Threshold) and step.value is not None and step != parse.steps[-1]:
            changes.append(f"with a decision threshold of {step.value:g}")
        elif isinstance(step, ThresholdByGroup) and step != parse.steps[-1]:
            changes.append(f"with decision thresholds of {listed(f'{value:g}' for value in step.values)}")
        else:
            questions.append(operation_words(step, schema))
    if questions or not sentences:
        sentences.append(_asked(questions or [_unsaid(parse, schema)], scope, changes))
    elif scope or changes:
        sentences.append(_asked([_unsaid(parse, schema)], scope, changes))
    return f"You asked: {'; then '.join(sentences)}."


def _scope(step: Selection, before: str, schema: Schema) -> str:
    words = " compared with ".join(group_words(group, schema) for group in step.groups)
    if not before:
        return words
    return f"{before}, and {'also' if step.joiner is Joiner.OR else 'among these'} {words}"


def _unsaid(parse: Parse, schema: Schema) -> str:
    """What is answered when only rows, or changes of them, were named."""
    changed = any(isinstance(step, Change | Instance) for step in parse.steps)
    return operation_words(Predict() if changed else CountData(), schema)


def _asked(questions: list[str], scope: str, changes: list[str]) -> str:
    group = f" for {scope}" if scope else ""
    what_if = f", {' and '.join(changes)}" if changes else ""
    return f"{', then '.join(questions)}{group}{what_if}"
