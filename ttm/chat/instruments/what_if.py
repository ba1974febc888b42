"""One case with other values: what the model predicts before and after, what moved, and the same in the parse language.

A case is a row of the data or a made-up one. Its values are set by mouse; every change is one `change F set V` of the parse
language, carried out by the code that carries out those of questions.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from backend.errors import ExecutionError
from ttm.chat.row_browser import row_question
from ttm.language.describe_group import amount_words, change_words
from ttm.language.grammar import grammar_of
from ttm.language.parse import Change, ChangeKind, number_text, surface
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.rendering.answer import value_text
from ttm.operations.results import Refused
from ttm.operations.rows.changes import apply_change
from ttm.operations.rows.context import Memory
from ttm.tabular.data.schema import Feature, FeatureKind, Schema
from ttm.tabular.model.model import most_probable
from ttm.tabular.subject import Subject

MOST_MOVED_ALONE = 12  # changes whose own share is computed; with more, only all of them together


@dataclass(frozen=True)
class MovableCase:
    """One case as it is (`row`, a table of one row) and its name in a sentence.

    `base` selects it in the parse language: `filter id 5`, or `instance age 45`. `values` are those that it is opened with
    by feature token, as texts of the parse language; a missing value is "".
    """

    base: str
    name: str
    row: pd.DataFrame
    values: Mapping[str, str]


@dataclass(frozen=True)
class Prediction:
    """What the model says of one case: the class (or value) in words, and its probabilities by class (empty for a value)."""

    outcome: str
    value: float
    probabilities: Mapping[str, float]


@dataclass(frozen=True)
class Moved:
    """One change in words with the value before and after, and the prediction where only this was changed."""

    feature: Feature
    before: str
    after: str
    alone: Prediction | None


@dataclass(frozen=True)
class WhatIf:
    """The predictions for a case as it is and as it was changed. `notes` are caveats in whole sentences."""

    before: Prediction
    after: Prediction
    moved: tuple[Moved, ...]
    notes: tuple[str, ...]


# --- which case ----------------------------------------------------------------------------------------------------------


def case_of_row(engine: ExecutionEngine, row_id: str) -> MovableCase:
    """The row with this id, as it stands in the data. Raises ExecutionError for an unknown id, saying which there are."""
    parse = grammar_of(engine.schema).read(row_question(row_id.strip(), "predict"))
    execution = engine.execute(parse)
    if (refused := next((one for one in execution.results if isinstance(one, Refused)), None)) is not None:
        raise ExecutionError(refused.reason)
    case = case_of_answer(engine, execution.memory)
    if case is None:
        raise ExecutionError(_unknown(execution.results[-1].group.empty, row_id))
    return case


def _unknown(reason: str, row_id: str) -> str:
    return reason or f'There is no row with the id "{row_id}".'


def is_about_one_row(memory: Memory) -> bool:
    """Whether an answer was about one row of the data, or a made-up one."""
    if len(memory.groups) != 1:
        return False
    group = memory.groups[0]
    return group.instance is not None or (group.mask is not None and int(group.mask.sum()) == 1)


def case_of_answer(engine: ExecutionEngine, memory: Memory) -> MovableCase | None:
    """The one row that an answer was about, with the changes that were made to it; None if it was about several, or all."""
    if not is_about_one_row(memory):
        return None
    group = memory.groups[0]
    recalled = engine.groups.recall(group)
    rows = engine.groups.rows(recalled)
    values = value_texts(rows.frame, engine.schema)
    if group.instance is not None:
        return MovableCase(surface(group.instance), group.words, rows.original, values)
    row_id = str(rows.original.index[0])
    return MovableCase(row_question(row_id, "").removesuffix(" and "), f"id {row_id}", rows.original, values)


def value_texts(row: pd.DataFrame, schema: Schema) -> dict[str, str]:
    """The values of a table of one row by feature token, as the parse language writes them; "" where one is missing."""
    return {feature.token: value_surface(row[feature.name].iloc[0], feature) for feature in schema.features}


def value_surface(value: Any, feature: Feature) -> str:
    """One value as the parse language writes it, "" for a missing one."""
    if value is None or pd.isna(value):
        return ""
    match feature.kind:
        case FeatureKind.NUMERIC:
            return number_text(float(value))
        case FeatureKind.DATE:
            return f"{pd.Timestamp(value):%Y-%m-%d}"
    return feature.value_token(value)


# --- what is changed -----------------------------------------------------------------------------------------------------


def changes_of(case: MovableCase, values: Mapping[str, str], schema: Schema) -> tuple[Change, ...]:
    """The changes that make these values (by feature token) of the case; what is left empty stays as it is.

    Raises ExecutionError for a value that the feature cannot have.
    """
    original = value_texts(case.row, schema)
    wanted = {feature.token: values.get(feature.token, "").strip() for feature in schema.features}
    changes = (_change(feature, wanted[feature.token]) for feature in schema.features if wanted[feature.token])
    return tuple(change for change in changes if _written(change) != original[change.feature])


def _change(feature: Feature, text: str) -> Change:
    match feature.kind:
        case FeatureKind.NUMERIC:
            return Change(feature.token, ChangeKind.SET, _number(text, feature))
        case FeatureKind.DATE:
            return Change(feature.token, ChangeKind.SET, text)
    tokens = [feature.value_token(value) for value in feature.values]
    if text not in tokens:
        raise ExecutionError(f"{feature.label} cannot be {text!r}; it can be {', '.join(tokens[:12])}.")
    return Change(feature.token, None, text)


def _number(text: str, feature: Feature) -> float:
    try:
        number = float(text)
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        raise ExecutionError(f"{feature.label} is a number, so it cannot be {text!r}.")
    return number


def _written(change: Change) -> str:
    return number_text(change.value)


def asked_parse(case: MovableCase, changes: Iterable[Change], operation: str) -> str:
    """The same in the parse language: `filter id 5 and change glucose set 120 and predict`."""
    return " and ".join([case.base, *map(surface, changes), operation])


def asked_words(case: MovableCase, changes: Iterable[Change], operation: str, schema: Schema) -> str:
    """The same as a person would ask it, in words that are understood without the parse as well."""
    supposed = " and ".join(_supposed(change, schema) for change in changes)
    ending = f" if {supposed}" if supposed else ""
    if operation == "explain features":
        return f"Why {'would' if supposed else 'does'} the model predict this for {case.name}{ending}?"
    return f"What {'would' if supposed else 'does'} the model predict for {case.name}{ending}?"


def _supposed(change: Change, schema: Schema) -> str:
    feature = schema.by_token[change.feature]
    if change.kind is None:
        return change_words(change, schema)
    return f"{feature.label} were set to {amount_words(change.value, feature if feature.kind is FeatureKind.NUMERIC else None)}"


# --- what comes of it ----------------------------------------------------------------------------------------------------


def what_if(subject: Subject, case: MovableCase, changes: tuple[Change, ...]) -> WhatIf:
    """The prediction before and after, and for each of a few changes the one with it alone. Asks the model once.

    Raises ExecutionError for a day that does not exist.
    """
    row, notes = case.row, list[str]()
    for change in changes:
        row, more = _changed(row, change, subject.schema)
        notes += more
    is_told_apart = 1 < len(changes) <= MOST_MOVED_ALONE
    alone = [_changed(case.row, change, subject.schema)[0] for change in changes] if is_told_apart else []
    before, after, *others = _predictions(subject, [case.row, row, *alone])
    own: list[Prediction | None] = [*others] or [None] * len(changes)
    moved = tuple(_moved(case, change, one, subject.schema) for change, one in zip(changes, own, strict=True))
    return WhatIf(before, after, moved, tuple(notes))


def _changed(row: pd.DataFrame, change: Change, schema: Schema) -> tuple[pd.DataFrame, list[str]]:
    return apply_change(row, np.ones(1, dtype=bool), change, schema.by_token[change.feature])


def _moved(case: MovableCase, change: Change, alone: Prediction | None, schema: Schema) -> Moved:
    feature = schema.by_token[change.feature]
    changed, _ = _changed(case.row, change, schema)
    before, after = (value_text(row[feature.name].iloc[0], feature) for row in (case.row, changed))
    return Moved(feature, before, after, alone)


def _predictions(subject: Subject, rows: list[pd.DataFrame]) -> list[Prediction]:
    # Each by itself and not in one table: a change may turn whole numbers into others, and with them the kind of a column.
    target = subject.schema.target
    if not target.is_classification:
        return [_value(float(subject.model.predict(row)[0]), subject.schema) for row in rows]
    return [_class(subject.model.predict_proba(row), target.classes) for row in rows]


def _class(probabilities: npt.NDArray[np.float64], classes: tuple[str, ...]) -> Prediction:
    number = int(most_probable(probabilities)[0])
    named = dict(zip(classes, probabilities[0].tolist(), strict=True))
    shown = named[classes[-1]] if len(classes) == 2 else named[classes[number]]
    return Prediction(classes[number], shown, named)


def _value(value: float, schema: Schema) -> Prediction:
    unit = f" {schema.target.unit}" if schema.target.unit else ""
    return Prediction(f"{value:,.{schema.target.precision}f}{unit}", value, {})
