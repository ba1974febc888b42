"""Arguments of calls as the parse language writes them: ids of rows, columns, and what a counterfactual is to reach."""

from collections.abc import Sequence
from typing import Any

from backend.errors import ExecutionError
from ttm.chat.row_browser import row_question
from ttm.operations.counterfactuals.run import MOST_COUNTERFACTUALS
from ttm.tabular.data.dataset import python_value
from ttm.tabular.data.schema import Feature, Schema, Target
from ttm.tabular.subject import Subject


def about_row(subject: Subject, row: Any, parse: str) -> str:
    """`parse`, asked of the row with this id. Raises ExecutionError if there is none."""
    ids = subject.dataset.frame.index
    text = str(python_value(row))
    if text not in (str(one) for one in ids):
        raise ExecutionError(f"There is no row {row!r}; ids go from {ids[0]} to {ids[-1]}.")
    return row_question(text, parse)


def feature_named(schema: Schema, name: str) -> Feature:
    """A feature by its column or by its name in the parse language. Raises ExecutionError if there is none."""
    feature = schema.by_name.get(str(name)) or schema.by_token.get(str(name))
    if feature is None:
        raise ExecutionError(
            f"There is no column {name!r}; there are {', '.join(list(schema.by_name)[:40])}. Columns that the model "
            "does not read are there if ttm.talk(..., columns=[...]) names them beside those that it reads."
        )
    return feature


def counterfactual_parse(
    schema: Schema, keep: Sequence[str], only: Sequence[str], most: int | None, wanted: Any, count: int
) -> str:
    """What `ModelChat.counterfactuals` asks. Raises ExecutionError for a column, class, bound or number that cannot be."""
    if not 1 <= count <= MOST_COUNTERFACTUALS or (most is not None and most < 1):
        raise ExecutionError(f"count is from 1 to {MOST_COUNTERFACTUALS} and most from 1; not count={count}, most={most}.")
    words = [f"explain cfe {count}", *_goal(schema.target, wanted)]
    words += [f"keep {feature_named(schema, name).token}" for name in keep]
    words += [f"only {feature_named(schema, name).token}" for name in only]
    return " ".join(words if most is None else [*words, f"most {most}"])


def _goal(target: Target, wanted: Any) -> list[str]:
    if wanted is None:
        return []
    if target.is_classification:
        for known in (list(target.class_values), [str(one) for one in target.class_values], list(target.classes)):
            if wanted in known:
                return [f"class {known.index(wanted)}"]
        names = zip(target.classes, map(str, target.class_values), strict=True)
        there = ", ".join(name if name == value else f"{name} ({value})" for name, value in names)
        raise ExecutionError(f"There is no class {wanted!r}; there are {there}.")
    low, high = wanted if isinstance(wanted, tuple | list) and len(wanted) == 2 else (None, None)
    if (low is None) == (high is None):
        raise ExecutionError("Say from or up to which value: wanted=(20, None) or wanted=(None, 20).")
    return [f"greater equal than {low:g}"] if low is not None else [f"less equal than {high:g}"]
