"""Values of a parse that lie where their column has none: a sign that a number was tied to another column than was meant."""

from collections.abc import Iterator

from ttm.language.parse import Change, ChangeKind, Instance, NumericCondition, Parse, Selection, Step
from ttm.tabular.data.schema import Schema


def values_out_of_range(parse: Parse, schema: Schema) -> int:
    """How many values that a parse sets or compares with are below the lowest or above the highest of their column."""
    stated = [pair for step in parse.steps for pair in _values(step)]
    return sum(_is_outside(name, value, schema) for name, value in stated)


def _values(step: Step) -> Iterator[tuple[str, float | str]]:
    match step:
        case Instance(values=values):
            yield from values
        case Change(feature=name, kind=ChangeKind.SET, value=value):
            yield name, value
        case Selection(groups=groups):
            conditions = [one for group in groups for part in group for one in part]
            yield from ((one.feature, one.value) for one in conditions if isinstance(one, NumericCondition))


def _is_outside(name: str, value: float | str, schema: Schema) -> bool:
    feature = schema.by_token.get(name)
    if feature is None or feature.low is None or feature.high is None or isinstance(value, str):
        return False
    return not feature.low <= value <= feature.high
