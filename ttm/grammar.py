"""The grammar of parses for one data set: one Lark text, from which parses are read and decoding can be guided.

Every word of the language ends in exactly one space, so no terminal is a prefix of another at the same place (`age`, `agent`);
`normalise` brings free text into that form. The grammar holds the feature tokens and categorical values of the data set
(TalkToModel, appendix A.2); numbers are any numbers, or the ones given.

This file does not decide what a parse means: see `parse.py` for the syntax tree and `execute.py` for its execution.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken, VisitError

from backend.errors import ParseError
from ttm.parse import (
    METRICS,
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
from ttm.schema import Feature, Kind, Schema

NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty".split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100}

FRAME = r"""
start: (item (JOINER item)*)? END
?item: condition | instance | operation
JOINER: "and " | "or " | "versus "
END: "[e]"
COMPARATOR: "greater than " | "less than " | "greater equal than " | "less equal than " | "equal to " | "not equal to "
DATE: /[0-9]{4}-[0-9]{2}-[0-9]{2} /
COUNT: /[1-9][0-9]* /
IDENTIFIER: /("[^"]*"|[^ "]+) /
NOT: "not "
PRESENCE: "missing " | "present "
CHANGE: "increase " | "decrease " | "set "
PERCENT: "percent "
METHOD: "features " | "lime " | "shap " | "compare "
END_OF_RANKING: "topk " | "bottomk "
MISTAKE: "sample " | "typical " | "count "
RANKING: "highest " | "lowest "
SIMPLE: "predict " | "likelihood " | "show " | "label " | "countdata " | "data " | "model " | "function " | "self "
    | "previousoperation " | "followup "
?condition: "filter id " IDENTIFIER -> id_condition
    | "previousfilter " -> previous_filter
    | "labelfilter " outcome -> label_condition
    | "predictionfilter " outcome -> prediction_condition
    | "filter " feature PRESENCE -> missing_condition
operation: SIMPLE -> simple
    | "explain " METHOD -> explain
    | "explain cfe " count? wanted? -> counterfactual
    | "important " feature -> important_feature
    | "important all " -> important_all
    | "important " END_OF_RANKING count -> important_ranked
    | "interact " (feature feature)? -> interact
    | "mistake " MISTAKE -> mistake
    | "score " METRIC -> score
    | "statistic " feature_or_target -> statistic
    | "define " feature_or_target -> define
    | "compare " feature -> compare
    | RANKING count (feature | PROBABILITY) -> ranked
    | "correlate " feature feature_or_target? -> correlate
    | "distribution " (feature_or_target | PROBABILITY) -> distribution
    | "effect " feature -> effect
    | "similar " count -> similar
    | "threshold " number? -> threshold
instance: "instance " (assignment)+
PROBABILITY: "probability "
TARGET: "target "
feature_or_target: feature | TARGET
count: COUNT
"""


def grammar_text(schema: Schema, numbers: Iterable[float | str] | None = None) -> str:
    """The grammar of a data set as Lark text.

    `numbers`: the only numbers that may stand in a parse, as those found in an utterance (appendix A.2); any when None.
    """
    features: dict[Kind, list[Feature]] = defaultdict(list)
    for feature in schema.features:
        features[feature.kind].append(feature)
    conditions, operations, assignments, terminals = [], [], [], []
    groups = list(_value_groups(features[Kind.CATEGORICAL] + features[Kind.BOOLEAN]))
    for number, (tokens, values) in enumerate(groups):
        terminals += [f"FEATURE_{number}: {_choice(tokens)}", f"VALUE_{number}: {_choice(values)}"]
        conditions.append(f'"filter " FEATURE_{number} NOT? VALUE_{number} -> categorical_condition')
        operations.append(f'"change " FEATURE_{number} VALUE_{number} -> change_value')
        assignments.append(f"FEATURE_{number} VALUE_{number}")
    if features[Kind.NUMERIC]:
        terminals.append(f"NUMERIC_FEATURE: {_choice(feature.token for feature in features[Kind.NUMERIC])}")
        conditions.append('"filter " NUMERIC_FEATURE COMPARATOR number -> numeric_condition')
        operations.append('"change " NUMERIC_FEATURE CHANGE number PERCENT? -> change_number')
        assignments.append("NUMERIC_FEATURE number")
    if features[Kind.DATE]:
        terminals.append(f"DATE_FEATURE: {_choice(feature.token for feature in features[Kind.DATE])}")
        conditions.append('"filter " DATE_FEATURE COMPARATOR DATE -> date_condition')
        operations.append('"change " DATE_FEATURE CHANGE (number | DATE) -> change_date')
        assignments.append("DATE_FEATURE DATE")
    terminals += _outcome_rules(schema, conditions)
    terminals.append(_number_terminal(numbers))
    kinds = [f"FEATURE_{number}" for number in range(len(groups))]
    kinds += ["NUMERIC_FEATURE"] if features[Kind.NUMERIC] else []
    kinds += ["DATE_FEATURE"] if features[Kind.DATE] else []
    terminals.append(f"feature: {' | '.join(kinds)}")
    frame = FRAME.replace("-> missing_condition", "-> missing_condition" + "".join(f"\n    | {c}" for c in conditions))
    frame = frame.replace("-> threshold\n", "-> threshold" + "".join(f"\n    | {o}" for o in operations) + "\n")
    return "\n".join([frame.strip(), f"assignment: {' | '.join(assignments)}", *terminals]) + "\n"


def _outcome_rules(schema: Schema, conditions: list[str]) -> list[str]:
    """Rules for labels, predictions, wanted outcomes and metrics: classes by number, or a number that is compared."""
    if not schema.target.is_classification:
        metrics = [metric for metric in METRICS if metric in ("default", "mae", "rmse", "r2")]
        return ["outcome: COMPARATOR number", "wanted: COMPARATOR number", f"METRIC: {_choice(metrics)}"]
    conditions.append('"probabilityfilter " CLASS COMPARATOR number -> probability_condition')
    metrics = [metric for metric in METRICS if metric not in ("mae", "rmse", "r2")]
    classes = _choice(str(number) for number in range(len(schema.target.classes)))
    return ["outcome: CLASS", 'wanted: "class " CLASS', f"CLASS: {classes}", f"METRIC: {_choice(metrics)}"]


def _number_terminal(numbers: Iterable[float | str] | None) -> str:
    if numbers is None:
        return f"number: NUMBER | NUMBER_WORD\nNUMBER: /-?[0-9]+(\\.[0-9]+)? /\nNUMBER_WORD: {_choice(NUMBER_WORDS)}"
    found = [str(number) for number in numbers]
    return f"number: NUMBER\nNUMBER: {_choice(found or ['0'])}"


def _value_groups(features: list[Feature]) -> Iterator[tuple[list[str], list[str]]]:
    """Features that share their set of values share one rule, which keeps hundreds of 0/1 columns cheap."""
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for feature in features:
        groups[tuple(dict.fromkeys(feature.value_token(value) for value in feature.values))].append(feature.token)
    for values, tokens in groups.items():
        yield tokens, list(values)


def _choice(words: Iterable[str]) -> str:
    return " | ".join(json.dumps(f"{word} ", ensure_ascii=False) for word in words)


def normalise(text: str) -> str:
    """Free surface text as the grammar wants it: lower case, single spaces, closed by `[e]`."""
    words = re.sub(r"\[e\]\s*$", "", text.strip().lower()).split()
    return "".join(f"{word} " for word in words) + "[e]"


class Grammar:
    """Reads parses of one data set. Build once per schema (`grammar_of` does); thread-safe."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.text = grammar_text(schema)
        self._lark = Lark(self.text, parser="lalr", lexer="contextual", maybe_placeholders=False)

    def read(self, text: str) -> Parse:
        """The syntax tree of a parse given as text.

        Raises ParseError, which tells where the text leaves the grammar and what could stand there.
        """
        surface = normalise(text)
        try:
            tree = self._lark.parse(surface)
            parse = _ToParse().transform(tree)
        except UnexpectedInput as error:
            raise self._explain(surface, error) from None
        except VisitError as error:
            raise error.orig_exc from None
        assert isinstance(parse, Parse)
        return parse

    def _explain(self, surface: str, error: UnexpectedInput) -> ParseError:
        position = error.pos_in_stream if error.pos_in_stream is not None else len(surface)
        if isinstance(error, UnexpectedCharacters):
            names = error.allowed or set()
        elif isinstance(error, UnexpectedToken | UnexpectedEOF):
            names = set(error.expected)
        else:
            names = set()
        expected = sorted({word for name in names for word in self._words(name)})
        found = surface[position:].replace("[e]", "").split(" ")[0]
        shown = ", ".join(expected[:12]) + (f" and {len(expected) - 12} more" if len(expected) > 12 else "")
        before = surface[:position].strip()
        where = f'after "{before}"' if before else "at the beginning"
        what = f'"{found}" does not fit' if found else "something is missing"
        return ParseError(f"{what} {where}. Here could stand: {shown}.", position=position, expected=tuple(expected))

    def _words(self, terminal: str) -> list[str]:
        """What a terminal stands for, in words for a person."""
        known = {"NUMBER": ["a number"], "NUMBER_WORD": [], "COUNT": ["a count"], "DATE": ["a date (YYYY-MM-DD)"],
                 "IDENTIFIER": ["an id"], "END": ["the end"]}  # fmt: skip
        if terminal in known:
            return known[terminal]
        pattern = next((t.pattern for t in self._lark.terminals if t.name == terminal), None)
        if pattern is None:
            return []
        return [re.sub(r"\\(.)", r"\1", word).strip() for word in pattern.value.strip("(?:)").split("|")]


@lru_cache(maxsize=32)
def grammar_of(schema: Schema) -> Grammar:
    return Grammar(schema)


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


class _ToParse(Transformer[Token, Any]):
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
        return Counterfactual(count, wanted.class_number, wanted.comparator, wanted.value)

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
    """Gather runs of conditions into selections. An operation closes the run (FORMATS, the parse language)."""
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
