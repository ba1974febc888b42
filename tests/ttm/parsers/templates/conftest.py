"""Schemas with every kind of column, and templates of our own for tests of the machinery."""

import pytest

from ttm.parsers.templates.template import UtteranceTemplate, read_lines
from ttm.tabular.data.schema import Feature, FeatureKind, Schema, Target

LINES = """\
# every kind of wildcard once at least
how many {entities} have {num} above {val}\tfilter {num} greater than {val} and countdata
{num} from {val} to {high}\tfilter {num} greater equal than {val} and filter {num} less equal than {high} and show

{num} over {val} and {num2} under {val2:words}\tfilter {num} greater than {val} and filter {num2} less than {val2} and predict
the ones older than {years:words}\tfilter {age} greater than {years} and show
in their {decade}\tfilter {age} greater equal than {decade} and filter {age} less than {nextdecade}
raise {num} by {delta}\tchange {num} increase {delta}
raise {num} by {percent} percent\tchange {num} increase {percent} percent
{catval} or {catval2}?\tfilter {cat} {catval} or filter {cat} {catval2} and predict
are {flag} ones accurate\tfilter {flag} true and score accuracy
opened after {day}\tfilter {date} greater than {day} and show
what is {feature}\tdefine {feature}
which {entities} are {class}\tpredictionfilter {class} and show
chance of {class} over {chance}\tprobabilityfilter {class} greater than {chance} and countdata
over {quantity}?\tpredictionfilter greater than {quantity} and countdata
the {id:ordinalwords} {entity} and {id2}\tfilter id {id} or filter id {id2} and show
{method} for the {count} first ones\texplain {method} and important topk {count}
why {entities} {filter}?\t{filter} and explain features
do you predict {outcome}\tpredict
how could {entity} {id} become {goal}\tfilter id {id} and explain cfe {goal}
who is most likely {positive}?\thighest 5 probability
the {count} oldest {entities}\thighest {count} {age}
what if they were {delta} years younger\tchange {age} decrease {delta} and previousoperation
hello, who are you?\tself
"""


def feature(place: int, kind: FeatureKind, name: str = "") -> Feature:
    name = name or f"{kind} no {place}"
    token = "".join(letter for letter in name if letter.isalnum())
    if kind is FeatureKind.NUMERIC:
        return Feature(name, token, kind, low=-5.0, high=40.0 * place + 100, precision=place % 3)
    if kind is FeatureKind.DATE:
        return Feature(name, token, kind, low=737000.0, high=738500.0)
    values: tuple[object, ...] = (0, 1) if kind is FeatureKind.BOOLEAN else tuple(f"{kind} {number}" for number in range(9))
    return Feature(name, token, kind, values=values)


def schema_of(columns: int, classes: tuple[str, ...] = ("bad", "good")) -> Schema:
    """All kinds in turn, the first numeric one an age; without classes the target is a quantity."""
    kinds = (FeatureKind.NUMERIC, FeatureKind.CATEGORICAL, FeatureKind.BOOLEAN, FeatureKind.DATE, FeatureKind.NUMERIC)
    features = [feature(place, kinds[place % len(kinds)], "age" if place == 0 else "") for place in range(columns)]
    target = Target("y", classes, tuple(range(len(classes)))) if classes else Target("y", low=10.0, high=900.0, precision=1)
    return Schema("Made up", "the outcome", tuple(features), target, entity="people")


@pytest.fixture(scope="session")
def templates() -> list[UtteranceTemplate]:
    return list(read_lines(LINES.splitlines(), "own.tsv"))
