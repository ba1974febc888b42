"""From the tree that Lark makes of a parse to the dataclasses of `parse.py`."""

from collections.abc import Iterator
from typing import Any

from lark import Token, Transformer

from ttm.language.operation_form import word
from ttm.language.operations.registry import FORMS
from ttm.language.parse import (
    CategoricalCondition,
    Change,
    ChangeKind,
    Comparator,
    Condition,
    IdCondition,
    Instance,
    Joiner,
    LabelCondition,
    MissingCondition,
    NumericCondition,
    Operation,
    Parse,
    PredictionCondition,
    PreviousFilter,
    ProbabilityCondition,
    Selection,
    Step,
)

NUMBER_WORDS = {
    name: number
    for number, name in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty".split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100}


def _number(text: str) -> float:
    return float(NUMBER_WORDS[text]) if text in NUMBER_WORDS else float(text)


READERS = {name: rule.read for form in FORMS.values() for name, rule in (*form.rules.items(), *form.parts.items())}


class ToParse(Transformer[Token, Any]):
    """Turns the tree into dataclasses; one method a rule or alias of the grammar, operations by their forms."""

    def start(self, children: list[Any]) -> Parse:
        pairs: list[tuple[Joiner, Condition | Instance | Operation]] = []
        joiner = Joiner.AND
        for child in children:
            if isinstance(child, Token):
                joiner = Joiner(word(child)) if child.type == "JOINER" else joiner
            else:
                pairs.append((joiner, child))
        return Parse(tuple(_steps(pairs)))

    def number(self, children: list[Token]) -> float:
        return _number(word(children[0]))

    def count(self, children: list[Token]) -> int:
        return int(word(children[0]))

    def feature(self, children: list[Token]) -> str:
        return word(children[0])

    def feature_or_target(self, children: list[Any]) -> str:
        return word(children[0])

    def outcome(self, children: list[Any]) -> tuple[Any, ...]:
        if len(children) == 1:
            return int(word(children[0])), None
        return children[1], Comparator(word(children[0]))

    def wanted(self, children: list[Any]) -> tuple[str, tuple[int | None, Comparator | None, float | None]]:
        if len(children) == 1:
            return "wanted", (int(word(children[0])), None, None)
        return "wanted", (None, Comparator(word(children[0])), children[1])

    # conditions
    def numeric_condition(self, children: list[Any]) -> Condition:
        return NumericCondition(word(children[0]), Comparator(word(children[1])), children[2])

    def date_condition(self, children: list[Any]) -> Condition:
        return NumericCondition(word(children[0]), Comparator(word(children[1])), word(children[2]))

    def categorical_condition(self, children: list[Token]) -> Condition:
        return CategoricalCondition(word(children[0]), word(children[-1]), negated=len(children) == 3)

    def missing_condition(self, children: list[Any]) -> Condition:
        return MissingCondition(children[0], missing=word(children[1]) == "missing")

    def id_condition(self, children: list[Token]) -> Condition:
        return IdCondition(word(children[0]))

    def label_condition(self, children: list[Any]) -> Condition:
        return LabelCondition(*children[0])

    def prediction_condition(self, children: list[Any]) -> Condition:
        return PredictionCondition(*children[0])

    def probability_condition(self, children: list[Any]) -> Condition:
        return ProbabilityCondition(int(word(children[0])), Comparator(word(children[1])), children[2])

    def previous_filter(self, children: list[Any]) -> Condition:
        return PreviousFilter()

    # operations
    def instance(self, children: list[Any]) -> Instance:
        return Instance(tuple(children))

    def assignment(self, children: list[Any]) -> tuple[str, float | str]:
        value = children[1]
        return word(children[0]), value if isinstance(value, float) else word(value)

    def change_number(self, children: list[Any]) -> Operation:
        return Change(word(children[0]), ChangeKind(word(children[1])), children[2], percent=len(children) == 4)

    def change_date(self, children: list[Any]) -> Operation:
        value = children[2] if isinstance(children[2], float) else word(children[2])
        return Change(word(children[0]), ChangeKind(word(children[1])), value)

    def change_value(self, children: list[Token]) -> Operation:
        return Change(word(children[0]), None, word(children[1]))

    def __default__(self, data: Any, children: list[Any], meta: Any) -> Any:
        """Read an operation as its form says."""
        return READERS[str(data)](children)


def _steps(pairs: list[tuple[Joiner, Condition | Instance | Operation]]) -> Iterator[Step]:
    """Gather runs of conditions into selections. An operation closes the run (docs/parse-language.md, Meaning)."""
    run: list[tuple[Joiner, Condition]] = []
    for joiner, node in pairs:
        if isinstance(node, Condition):
            run.append((joiner, node))
            continue
        if run:
            yield _selection(run)
            run = []
        yield node
    if run:
        yield _selection(run)


def _selection(run: list[tuple[Joiner, Condition]]) -> Selection:
    groups: list[list[list[Condition]]] = [[[]]]
    for number, (joiner, condition) in enumerate(run):
        if number and joiner is Joiner.VERSUS:
            groups.append([[]])
        elif number and joiner is Joiner.OR:
            groups[-1].append([])
        groups[-1][-1].append(condition)
    first = run[0][0] if run[0][0] is not Joiner.VERSUS else Joiner.AND
    return Selection(tuple(tuple(tuple(part) for part in group) for group in groups), first)
