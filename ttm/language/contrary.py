"""The contrary of a condition: what a group is compared with when only one group is named."""

from ttm.language.parse import (
    CategoricalCondition,
    Comparator,
    Condition,
    LabelCondition,
    MissingCondition,
    NumericCondition,
    PredictionCondition,
)
from ttm.tabular.data.schema import Schema

_OPPOSITE = {
    Comparator.GREATER: Comparator.LESS_EQUAL, Comparator.LESS_EQUAL: Comparator.GREATER,
    Comparator.LESS: Comparator.GREATER_EQUAL, Comparator.GREATER_EQUAL: Comparator.LESS,
    Comparator.EQUAL: Comparator.NOT_EQUAL, Comparator.NOT_EQUAL: Comparator.EQUAL,
}  # fmt: skip


def contrary(condition: Condition, schema: Schema) -> Condition | None:
    """The condition that holds exactly where this one does not; None where the language has none."""
    match condition:
        case CategoricalCondition(feature=name, value=value, negated=negated):
            if value in ("true", "false"):
                return CategoricalCondition(name, "false" if value == "true" else "true")
            tokens = [schema.by_token[name].value_token(one) for one in schema.by_token[name].values]
            others = [one for one in tokens if one != value]
            if len(others) == 1 and not negated:
                return CategoricalCondition(name, others[0])
            return CategoricalCondition(name, value, not negated)
        case NumericCondition(feature=name, comparator=comparator, value=value):
            return NumericCondition(name, _OPPOSITE[comparator], value)
        case MissingCondition(feature=name, missing=missing):
            return MissingCondition(name, not missing)
        case LabelCondition(value=value, comparator=None) if len(schema.target.classes) == 2:
            return LabelCondition(1 - int(value))
        case PredictionCondition(value=value, comparator=None) if len(schema.target.classes) == 2:
            return PredictionCondition(1 - int(value))
        case LabelCondition(value=value, comparator=comparator) if comparator is not None:
            return LabelCondition(value, _OPPOSITE[comparator])
        case PredictionCondition(value=value, comparator=comparator) if comparator is not None:
            return PredictionCondition(value, _OPPOSITE[comparator])
        case _:
            return None
