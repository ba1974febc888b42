"""People by their age with no word for it: "the over-50s" are more than 50 years old, whichever column stands beside them."""

from collections.abc import Sequence
from dataclasses import replace

from ttm.language.parse import Condition, NumericCondition, Parse, Selection, Step
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.tabular.data.schema import Schema


def with_ages(parse: Parse, tokens: Sequence[UtteranceToken], schema: Schema) -> Parse:
    """The parse with the bounds of people in years as conditions on the column of the age, if there is one."""
    age = SchemaGrounding(schema).age
    others = {token.value for token in tokens if token.kind is TokenKind.NUMBER and token.form != "aged"}
    years = {token.value for token in tokens if token.form == "aged"} - others
    if age is None or not years:
        return parse
    return Parse(tuple(_aged(step, age.token, years) for step in parse.steps))


def _aged(step: Step, age: str, years: set[float]) -> Step:
    if not isinstance(step, Selection):
        return step
    groups = [[[_of_age(one, age, years) for one in part] for part in group] for group in step.groups]
    return replace(step, groups=tuple(tuple(tuple(dict.fromkeys(part)) for part in group) for group in groups))


def _of_age(condition: Condition, age: str, years: set[float]) -> Condition:
    if isinstance(condition, NumericCondition) and condition.value in years:
        return replace(condition, feature=age)
    return condition
