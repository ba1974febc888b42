"""Rows in plain words: features, conditions, changes, and the group that an answer speaks of."""

from backend.text.words import listed
from ttm.language.selection import (
    CategoricalCondition,
    Change,
    ChangeKind,
    Comparator,
    Condition,
    Expression,
    IdCondition,
    Instance,
    LabelCondition,
    MissingCondition,
    NumericCondition,
    PredictionCondition,
    PreviousFilter,
    ProbabilityCondition,
    number_text,
)
from ttm.tabular.data.schema import Feature, FeatureKind, Schema

COMPARATORS = {
    Comparator.GREATER: "above",
    Comparator.LESS: "below",
    Comparator.GREATER_EQUAL: "of at least",
    Comparator.LESS_EQUAL: "of at most",
    Comparator.EQUAL: "equal to",
    Comparator.NOT_EQUAL: "other than",
}
DATE_COMPARATORS = {
    Comparator.GREATER: "after",
    Comparator.LESS: "before",
    Comparator.GREATER_EQUAL: "on or after",
    Comparator.LESS_EQUAL: "on or before",
    Comparator.EQUAL: "on",
    Comparator.NOT_EQUAL: "not on",
}


def feature_words(token: str, schema: Schema) -> str:
    """The readable name of a feature token; "target" and "probability" name the model's side."""
    if token == "target":
        return "the true outcome" if schema.target.is_classification else schema.target.label
    if token == "probability":
        return likelihood_words(schema)
    feature = schema.by_token.get(token)
    return feature.label if feature else token


def likelihood_words(schema: Schema) -> str:
    target = schema.target
    if not target.is_classification:
        return "the predicted value"
    if len(target.classes) > 2:
        return "the predicted probability"
    return f'the predicted probability of "{target.classes[target.positive]}"'


def amount_words(value: float | str, feature: Feature | None) -> str:
    """A number of a feature with its unit: "45 years"."""
    unit = f" {feature.unit}" if feature and feature.unit else ""
    return f"{number_text(value)}{unit}"


def condition_words(condition: Condition, schema: Schema) -> str:
    """One condition as it follows the plural noun of the rows: "with age above 30"."""
    match condition:
        case NumericCondition(feature, comparator, value):
            known = schema.by_token.get(feature)
            words = DATE_COMPARATORS if known and known.kind is FeatureKind.DATE else COMPARATORS
            return f"with {feature_words(feature, schema)} {words[comparator]} {amount_words(value, known)}"
        case CategoricalCondition(feature, value, negated):
            return _category_words(feature, value, negated, schema)
        case MissingCondition(feature, missing):
            return f"{'without' if missing else 'with'} a value for {feature_words(feature, schema)}"
        case IdCondition(id):
            return f"with id {id.strip(QUOTE)}"
        case LabelCondition(value, comparator):
            if comparator is None:
                return f"that are truly {_class(value, schema)}"
            return f"with a true {schema.target.label} {COMPARATORS[comparator]} {number_text(value)}"
        case PredictionCondition(value, comparator):
            if comparator is None:
                return f"predicted to be {_class(value, schema)}"
            return f"with a predicted {schema.target.label} {COMPARATORS[comparator]} {number_text(value)}"
        case ProbabilityCondition(class_number, comparator, value):
            name = _class(class_number, schema)
            return f"with a predicted probability of {name} {COMPARATORS[comparator]} {value:.4g}"
        case PreviousFilter():
            return "from the group before"


QUOTE = '"'


def _class(number: float, schema: Schema) -> str:
    return f'"{schema.target.classes[int(number)]}"'


def _category_words(token: str, value: str, negated: bool, schema: Schema) -> str:
    feature = schema.by_token.get(token)
    name = feature_words(token, schema)
    if feature and feature.kind is FeatureKind.BOOLEAN:
        return f"with {name} = {'yes' if (value == 'true') is not negated else 'no'}"
    return f"with {name} {'other than ' if negated else '= '}{value_words(value, feature)}"


def value_words(token: str, feature: Feature | None) -> str:
    """The value of a feature as it stands in the data, from its token; yes and no for a boolean."""
    if feature is None:
        return token
    if feature.kind is FeatureKind.BOOLEAN:
        return "yes" if token == "true" else "no"
    return next((str(value) for value in feature.values if feature.value_token(value) == token), token)


def expression_words(expression: Expression, schema: Schema) -> str:
    """A boolean expression of conditions in words."""
    parts = [" and ".join(condition_words(c, schema) for c in conjunction) for conjunction in expression]
    if len(parts) > 1:
        return "either " + ", or ".join(parts)
    return parts[0] if parts else ""


def group_words(expression: Expression, schema: Schema) -> str:
    """The rows that satisfy an expression: "people with age above 30", or instances by their ids."""
    if len(expression) == 1 and expression[0][:1] == (PreviousFilter(),):
        rest = " and ".join(condition_words(condition, schema) for condition in expression[0][1:])
        return f"the group before, of these only those {rest}" if rest else "the group before"
    ids = [c.id.strip(QUOTE) for conjunction in expression for c in conjunction if isinstance(c, IdCondition)]
    if ids and all(len(conjunction) == 1 for conjunction in expression) and len(ids) == len(expression):
        return f"the instance with id {ids[0]}" if len(ids) == 1 else f"the instances with ids {listed(ids)}"
    return f"{schema.entity} {expression_words(expression, schema)}"


def narrowed_words(before: str, expression: Expression, schema: Schema) -> str:
    """The words for a group of which only those that satisfy an expression are left."""
    words = expression_words(expression, schema)
    if len(expression) == 1 and ", or " not in before:
        return f"{before} and {words}" if " with" in before or " that" in before else f"{before} {words}"
    return f"{before}, and of these only those {words}"


def change_words(change: Change, schema: Schema) -> str:
    """A change as it follows "if": "age were increased by 5 years"."""
    name = feature_words(change.feature, schema)
    feature = schema.by_token.get(change.feature)
    amount = f"{number_text(change.value)}%" if change.percent else _value_words(change, feature)
    if feature and feature.kind is FeatureKind.DATE and isinstance(change.value, float):
        amount = f"{number_text(change.value)} days"
    if change.kind in (None, ChangeKind.SET):
        return f"{name} were {amount}{' of what it is' if change.percent else ''}"
    return f"{name} were {'increased' if change.kind is ChangeKind.INCREASE else 'decreased'} by {amount}"


def already_words(change: Change, schema: Schema) -> str:
    """What is said of a change to the value that is there: "What is changed is so already: smoke is yes."."""
    value = _value_words(change, schema.by_token[change.feature])
    return f"What is changed is so already: {feature_words(change.feature, schema)} is {value}."


def _value_words(change: Change, feature: Feature | None) -> str:
    return value_words(str(change.value), feature) if change.kind is None else amount_words(change.value, feature)


def instance_words(instance: Instance, schema: Schema) -> str:
    """A made-up row: "a made-up case with age 45 years and felony = no"."""
    parts = []
    for token, value in instance.values:
        feature = schema.by_token.get(token)
        plain = feature is None or feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE)
        words = amount_words(value, feature) if plain else f"= {value_words(str(value), feature)}"
        parts.append(f"{feature_words(token, schema)} {words}")
    return f"a made-up case with {listed(parts)}"
