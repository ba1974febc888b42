"""From the tree that Lark makes of a parse to the dataclasses of `parse.py`."""

from collections.abc import Iterator
from typing import Any

from lark import Token, Transformer

from ttm.language.parse import (
    AboutSystem,
    Capabilities,
    CategoricalCondition,
    Change,
    ChangeKind,
    Comparator,
    Compare,
    Condition,
    Correlate,
    CountData,
    Counterfactual,
    DataSummary,
    Define,
    Distribution,
    Effect,
    Explain,
    Fairness,
    FollowUp,
    IdCondition,
    Important,
    Instance,
    Interact,
    Joiner,
    Label,
    LabelCondition,
    Likelihood,
    Method,
    MissingCondition,
    Mistake,
    ModelDescription,
    NumericCondition,
    Operation,
    Parse,
    Predict,
    PredictionCondition,
    PreviousFilter,
    PreviousOperation,
    ProbabilityCondition,
    Ranked,
    Score,
    Selection,
    Show,
    Similar,
    Statistic,
    Step,
    Threshold,
)

NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty".split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100}


def _word(token: Any) -> str:
    return str(token).strip()


def _number(text: str) -> float:
    return float(NUMBER_WORDS[text]) if text in NUMBER_WORDS else float(text)


SIMPLE: dict[str, type] = {
    "predict": Predict,
    "likelihood": Likelihood,
    "show": Show,
    "label": Label,
    "countdata": CountData,
    "data": DataSummary,
    "model": ModelDescription,
    "function": Capabilities,
    "self": AboutSystem,
    "previousoperation": PreviousOperation,
    "followup": FollowUp,
}


class ToParse(Transformer[Token, Any]):
    """Turns the tree into dataclasses; one method a rule or alias of the grammar."""

    def start(self, children: list[Any]) -> Parse:
        pairs: list[tuple[Joiner, Condition | Instance | Operation]] = []
        joiner = Joiner.AND
        for child in children:
            if isinstance(child, Token):
                joiner = Joiner(_word(child)) if child.type == "JOINER" else joiner
            else:
                pairs.append((joiner, child))
        return Parse(tuple(_steps(pairs)))

    def number(self, children: list[Token]) -> float:
        return _number(_word(children[0]))

    def count(self, children: list[Token]) -> int:
        return int(_word(children[0]))

    def feature(self, children: list[Token]) -> str:
        return _word(children[0])

    def feature_or_target(self, children: list[Any]) -> str:
        return _word(children[0])

    def outcome(self, children: list[Any]) -> tuple[Any, ...]:
        if len(children) == 1:
            return int(_word(children[0])), None
        return children[1], Comparator(_word(children[0]))

    def wanted(self, children: list[Any]) -> Counterfactual:
        if len(children) == 1:
            return Counterfactual(class_number=int(_word(children[0])))
        return Counterfactual(comparator=Comparator(_word(children[0])), value=children[1])

    # conditions
    def numeric_condition(self, children: list[Any]) -> Condition:
        return NumericCondition(_word(children[0]), Comparator(_word(children[1])), children[2])

    def date_condition(self, children: list[Any]) -> Condition:
        return NumericCondition(_word(children[0]), Comparator(_word(children[1])), _word(children[2]))

    def categorical_condition(self, children: list[Token]) -> Condition:
        return CategoricalCondition(_word(children[0]), _word(children[-1]), negated=len(children) == 3)

    def missing_condition(self, children: list[Any]) -> Condition:
        return MissingCondition(children[0], missing=_word(children[1]) == "missing")

    def id_condition(self, children: list[Token]) -> Condition:
        return IdCondition(_word(children[0]))

    def label_condition(self, children: list[Any]) -> Condition:
        return LabelCondition(*children[0])

    def prediction_condition(self, children: list[Any]) -> Condition:
        return PredictionCondition(*children[0])

    def probability_condition(self, children: list[Any]) -> Condition:
        return ProbabilityCondition(int(_word(children[0])), Comparator(_word(children[1])), children[2])

    def previous_filter(self, children: list[Any]) -> Condition:
        return PreviousFilter()

    # operations
    def instance(self, children: list[Any]) -> Instance:
        return Instance(tuple(children))

    def assignment(self, children: list[Any]) -> tuple[str, float | str]:
        value = children[1]
        return _word(children[0]), value if isinstance(value, float) else _word(value)

    def change_number(self, children: list[Any]) -> Operation:
        return Change(_word(children[0]), ChangeKind(_word(children[1])), children[2], percent=len(children) == 4)

    def change_date(self, children: list[Any]) -> Operation:
        value = children[2] if isinstance(children[2], float) else _word(children[2])
        return Change(_word(children[0]), ChangeKind(_word(children[1])), value)

    def change_value(self, children: list[Token]) -> Operation:
        return Change(_word(children[0]), None, _word(children[1]))

    def simple(self, children: list[Token]) -> Operation:
        operation: Operation = SIMPLE[_word(children[0])]()
        return operation

    def explain(self, children: list[Token]) -> Operation:
        return Explain(Method(_word(children[0])))

    def counterfactual(self, children: list[Any]) -> Operation:
        count = next((child for child in children if isinstance(child, int)), None)
        wanted = next((child for child in children if isinstance(child, Counterfactual)), Counterfactual())
        limits = [child for child in children if isinstance(child, tuple)]
        return Counterfactual(
            count, wanted.class_number, wanted.comparator, wanted.value,
            keep=tuple(dict.fromkeys(value for kind, value in limits if kind == "keep")),
            only=tuple(dict.fromkeys(value for kind, value in limits if kind == "only")),
            most=next((value for kind, value in limits if kind == "most"), None),
            dice=any(isinstance(child, Token) for child in children),
        )  # fmt: skip

    def keep(self, children: list[str]) -> tuple[str, str]:
        return "keep", children[0]

    def only(self, children: list[str]) -> tuple[str, str]:
        return "only", children[0]

    def most(self, children: list[int]) -> tuple[str, int]:
        return "most", children[0]

    def important_feature(self, children: list[str]) -> Operation:
        return Important(feature=children[0])

    def important_all(self, children: list[Any]) -> Operation:
        return Important()

    def important_ranked(self, children: list[Any]) -> Operation:
        return Important(count=children[1], least=_word(children[0]) == "bottomk")

    def interact(self, children: list[str]) -> Operation:
        return Interact((children[0], children[1]) if children else None)

    def mistake(self, children: list[Token]) -> Operation:
        return Mistake(_word(children[0]))

    def score(self, children: list[Token]) -> Operation:
        return Score(_word(children[0]))

    def statistic(self, children: list[str]) -> Operation:
        return Statistic(children[0])

    def define(self, children: list[str]) -> Operation:
        return Define(children[0])

    def compare(self, children: list[str]) -> Operation:
        return Compare(children[0])

    def fairness(self, children: list[Any]) -> Operation:
        return Fairness(children[0], int(_word(children[1])) if len(children) == 2 else None)

    def ranked(self, children: list[Any]) -> Operation:
        return Ranked(children[1], _word(children[2]), lowest=_word(children[0]) == "lowest")

    def correlate(self, children: list[str]) -> Operation:
        return Correlate(*children)

    def distribution(self, children: list[Any]) -> Operation:
        return Distribution(_word(children[0]))

    def effect(self, children: list[str]) -> Operation:
        return Effect(children[0])

    def similar(self, children: list[int]) -> Operation:
        return Similar(children[0])

    def threshold(self, children: list[float]) -> Operation:
        return Threshold(children[0] if children else None)


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
