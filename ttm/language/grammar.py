"""The grammar of parses for one data set: one Lark text, from which parses are read and decoding can be guided.

Every word of the language ends in exactly one space, so no terminal is a prefix of another at the same place (`age`, `agent`);
`normalise` brings free text into that form. The grammar holds the feature tokens and categorical values of the data set
(TalkToModel, appendix A.2); numbers are any numbers, or the ones given.

This file does not decide what a parse means: see `parse.py` for the syntax tree and `operations/execution_engine.py` for its
execution.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache

from lark import Lark
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken, VisitError

from backend.errors import ParseError
from ttm.language.operation_form import OperationRule
from ttm.language.operations.registry import FORMS
from ttm.language.parse import Parse
from ttm.language.syntax_tree import NUMBER_WORDS, ToParse
from ttm.tabular.data.schema import Feature, FeatureKind, Schema

FRAME = r"""
start: (item (JOINER item)*)? END
?item: condition | instance | operation
JOINER: "and " | "or " | "versus "
END: "[e]"
COMPARATOR: "greater than " | "less than " | "greater equal than " | "less equal than " | "equal to " | "not equal to "
DATE: /[0-9]{4}-[0-9]{2}-[0-9]{2} /
COUNT: /[1-9][0-9]{0,5} /
NOT: "not "
PRESENCE: "missing " | "present "
CHANGE: "increase " | "decrease " | "set "
PERCENT: "percent "
?condition: "filter id " IDENTIFIER -> id_condition
    | "previousfilter " -> previous_filter
    | "labelfilter " outcome -> label_condition
    | "predictionfilter " outcome -> prediction_condition
    | "filter " feature PRESENCE -> missing_condition
instance: "instance " (assignment)+
PROBABILITY: "probability "
TARGET: "target "
feature_or_target: feature | TARGET
count: COUNT
"""


def grammar_text(schema: Schema, numbers: Iterable[float | str] | None = None, identifiers: Iterable[str] | None = None) -> str:
    """The grammar of a data set as Lark text.

    `numbers`: the only numbers that may stand in a parse, as those found in an utterance (appendix A.2), and
    `identifiers`: the only ids of rows; any when None.
    """
    features: dict[FeatureKind, list[Feature]] = defaultdict(list)
    for feature in schema.features:
        features[feature.kind].append(feature)
    conditions, operations, assignments, terminals = [], [], [], []
    groups = list(_value_groups(features[FeatureKind.CATEGORICAL] + features[FeatureKind.BOOLEAN]))
    for number, (tokens, values) in enumerate(groups):
        terminals += [f"FEATURE_{number}: {_choice(tokens)}", f"VALUE_{number}: {_choice(values)}"]
        conditions.append(f'"filter " FEATURE_{number} NOT? VALUE_{number} -> categorical_condition')
        operations.append(f'"change " FEATURE_{number} VALUE_{number} -> change_value')
        assignments.append(f"FEATURE_{number} VALUE_{number}")
    if features[FeatureKind.NUMERIC]:
        terminals.append(f"NUMERIC_FEATURE: {_choice(feature.token for feature in features[FeatureKind.NUMERIC])}")
        conditions.append('"filter " NUMERIC_FEATURE COMPARATOR number -> numeric_condition')
        operations.append('"change " NUMERIC_FEATURE CHANGE number PERCENT? -> change_number')
        assignments.append("NUMERIC_FEATURE number")
    if features[FeatureKind.DATE]:
        terminals.append(f"DATE_FEATURE: {_choice(feature.token for feature in features[FeatureKind.DATE])}")
        conditions.append('"filter " DATE_FEATURE COMPARATOR DATE -> date_condition')
        operations.append('"change " DATE_FEATURE CHANGE (number | DATE) -> change_date')
        assignments.append("DATE_FEATURE DATE")
    terminals += _outcome_rules(schema, conditions)
    terminals += [_number_terminal(numbers), _identifier_terminal(identifiers)]
    kinds = [f"FEATURE_{number}" for number in range(len(groups))]
    kinds += ["NUMERIC_FEATURE"] if features[FeatureKind.NUMERIC] else []
    kinds += ["DATE_FEATURE"] if features[FeatureKind.DATE] else []
    terminals.append(f"feature: {' | '.join(kinds)}")
    frame = FRAME.replace("-> missing_condition", "-> missing_condition" + "".join(f"\n    | {c}" for c in conditions))
    operations += [f"{rule.text} -> {name}" for name, rule in _rules(schema)]
    terminals += [f"operation: {operations[0]}" + "".join(f"\n    | {rule}" for rule in operations[1:]), *_details(schema)]
    return "\n".join([frame.strip(), f"assignment: {' | '.join(assignments)}", *terminals]) + "\n"


def _rules(schema: Schema) -> Iterator[tuple[str, OperationRule]]:
    for form in FORMS.values():
        yield from ((name, rule) for name, rule in form.rules.items() if rule.only_if(schema))


def _details(schema: Schema) -> Iterator[str]:
    """The terminals and the smaller rules that the operations use."""
    for form in FORMS.values():
        yield from (f"{name}: {text}" for name, text in form.terminals(schema).items())
        yield from (f"{name}: {rule.text}" for name, rule in form.parts.items())


def _outcome_rules(schema: Schema, conditions: list[str]) -> list[str]:
    """Rules for labels, predictions and wanted outcomes: classes by number, or a number that is compared."""
    if not schema.target.is_classification:
        return ["outcome: COMPARATOR number", "wanted: COMPARATOR number"]
    conditions.append('"probabilityfilter " CLASS COMPARATOR number -> probability_condition')
    classes = _choice(str(number) for number in range(len(schema.target.classes)))
    return ["outcome: CLASS", 'wanted: "class " CLASS', f"CLASS: {classes}"]


def _number_terminal(numbers: Iterable[float | str] | None) -> str:
    if numbers is None:
        return f"number: NUMBER | NUMBER_WORD\nNUMBER: /-?[0-9]+(\\.[0-9]+)? /\nNUMBER_WORD: {_choice(NUMBER_WORDS)}"
    texts = [str(number) for number in numbers]
    return f"number: NUMBER\nNUMBER: {_choice(texts or ['0'])}"


def _identifier_terminal(identifiers: Iterable[str] | None) -> str:
    # Free of other white space, so that `normalise` changes nothing of what was decoded.
    anything = r'/("([^"\s\x1c-\x1f]| )*"|[^"\s\x1c-\x1f]+) /'
    return f"IDENTIFIER: {anything if identifiers is None else _choice(identifiers) or anything}"


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
            parse = ToParse().transform(tree)
        except UnexpectedInput as error:
            raise self._explain(surface, error) from None
        except VisitError as error:
            raise error.orig_exc from None
        assert isinstance(parse, Parse)
        return parse

    def read_if_valid(self, text: str) -> Parse | None:
        """The same, or None where the text leaves the grammar."""
        try:
            return self.read(text)
        except ParseError:
            return None

    def _explain(self, surface: str, error: UnexpectedInput) -> ParseError:
        position = error.pos_in_stream if error.pos_in_stream is not None else len(surface)
        if isinstance(error, UnexpectedCharacters):
            names = error.allowed or set()
        elif isinstance(error, UnexpectedToken | UnexpectedEOF):
            names = set(error.expected)
        else:
            names = set()
        expected = sorted({word for name in names for word in self._words(name)})
        next_word = surface[position:].replace("[e]", "").split(" ")[0]
        shown = ", ".join(expected[:12]) + (f" and {len(expected) - 12} more" if len(expected) > 12 else "")
        before = surface[:position].strip()
        where = f'after "{before}"' if before else "at the beginning"
        what = f'"{next_word}" does not fit' if next_word else "something is missing"
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
