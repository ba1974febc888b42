"""What a message can refer to in one data set: its columns, their values, the classes, the target and the probability.

Each item has the words that name it. Which item a span of a message means is scored from its words (`lexical_features`) and
from the encoder's view of the span, see `network.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import chain, product

import numpy as np
import numpy.typing as npt

from ttm.parsers.linker.schema_linking.names import MOST_VALUES, truth_values, words_in
from ttm.parsers.linker.words.lexicon import abbreviates, kin, lexicon, stem
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.tabular.data.schema import Feature, FeatureKind, Schema, readable

LEXICAL = 10  # numbers that `lexical_features` gives for each item
NO_VALUES = frozenset({"false", "no"})
DENYING = frozenset("no not non never without none nobody isnt arent un".split())


class SchemaItemKind(StrEnum):
    COLUMN = "column"
    VALUE = "value"
    CLASS = "class"
    TARGET = "target"
    PROBABILITY = "probability"


@dataclass(frozen=True)
class SchemaItem:
    """One thing that can be meant. `value` is a token of the parse language; `phrases` are ways to name it, the first the
    one that the encoder reads."""

    kind: SchemaItemKind
    phrases: tuple[str, ...]
    feature: Feature | None = None
    value: str = ""
    class_number: int | None = None

    @cached_property
    def key(self) -> str:
        """How the item is written in a corpus: `age`, `sex=female`, `class 1`, `target`, `probability`."""
        if self.feature is not None:
            return f"{self.feature.token}={self.value}" if self.value else self.feature.token
        return f"class {self.class_number}" if self.kind is SchemaItemKind.CLASS else str(self.kind)

    @cached_property
    def stems(self) -> tuple[tuple[str, ...], ...]:
        return tuple(dict.fromkeys(words for phrase in self.phrases if (words := words_in(phrase))))

    @property
    def is_quantity(self) -> bool:
        kinds = (FeatureKind.NUMERIC, FeatureKind.DATE)
        return self.kind is SchemaItemKind.TARGET or (
            self.kind is SchemaItemKind.COLUMN and self.feature is not None and self.feature.kind in kinds
        )


def items_of(schema: Schema) -> tuple[SchemaItem, ...]:
    """Every item of a data set, columns first."""
    items = [
        SchemaItem(SchemaItemKind.COLUMN, (feature.label, *feature.synonyms, *_definition(feature)), feature)
        for feature in schema.features
    ]
    items += [item for feature in schema.features for item in _values(feature)]
    target = schema.target
    for number, name in enumerate(target.classes):
        items.append(SchemaItem(SchemaItemKind.CLASS, _class_phrases(schema, number, name), class_number=number))
    items.append(SchemaItem(SchemaItemKind.TARGET, (target.label, schema.objective)))
    if target.is_classification:
        items.append(SchemaItem(SchemaItemKind.PROBABILITY, ("probability", "risk", "chance", "how sure")))
    return tuple(items)


def _definition(feature: Feature) -> tuple[str, ...]:
    return (feature.definition,) if 0 < len(feature.definition.split()) <= 8 else ()


def _values(feature: Feature) -> list[SchemaItem]:
    truths = truth_values(feature)
    if truths is not None:
        no, yes = truths
        names = (feature.label, *feature.synonyms)
        affirmed = SchemaItem(SchemaItemKind.VALUE, (f"{feature.label} yes", *names), feature, yes)
        return [
            affirmed,
            SchemaItem(SchemaItemKind.VALUE, (f"no {feature.label}", *(f"not {one}" for one in names)), feature, no),
        ]
    return [
        SchemaItem(SchemaItemKind.VALUE, (f"{feature.label} {readable(str(value))}", readable(str(value))), feature,
                   feature.value_token(value))
        for value in feature.values[:MOST_VALUES]
    ]  # fmt: skip


def _class_phrases(schema: Schema, number: int, name: str) -> tuple[str, ...]:
    """A class by its name; by the target's, where the name says only yes or no."""
    words = readable(name)
    target = schema.target.label
    if words.lower() in ("1", "yes", "true", "y", "t"):
        return (f"{target} yes", target, words)
    if words.lower() in ("0", "no", "false", "n", "f"):
        return (f"no {target}", f"not {target}", words)
    return (f"{target} {words}", words)


def mean_vector(vectors: Sequence[npt.NDArray[np.float32]]) -> npt.NDArray[np.float32]:
    """The unit vector (d,) of an item with several phrases."""
    mean = np.mean(vectors, axis=0)
    return np.asarray(mean / np.linalg.norm(mean), np.float32)


def lexical_features(span: Sequence[UtteranceToken], items: Sequence[SchemaItem]) -> npt.NDArray[np.float32]:
    """How well the words of a span fit each item by themselves, (items, LEXICAL)."""
    words = [token for token in span if token.kind is TokenKind.WORD]
    stop = lexicon().groups["linking.stop"]
    stems = [stem(token.text) for token in words if token.text not in stop or len(words) == 1]
    spoken = [stem(token.raw) for token in span if token.raw]
    numbers = [token.value for token in span if token.kind is TokenKind.NUMBER]
    digits = [token.text for token in span if token.kind is TokenKind.NUMBER]
    denied = any(token.text in DENYING or token.text.startswith(("un", "non")) for token in words)
    dated = any(token.kind is TokenKind.DATE for token in span)
    features = np.zeros((len(items), LEXICAL), np.float32)
    for row, item in enumerate(items):
        features[row] = _fit(item, [*stems, *spoken], digits, numbers, denied, dated)
    return features


def _fit(item: SchemaItem, stems: list[str], digits: list[str], numbers: list[float], denied: bool, dated: bool) -> list[float]:
    """How words of a message agree with an item of the schema, in LEXICAL numbers from 0 to 1.

    The encoder has never seen the names of a new table. What a name shares with the words, and whether a number lies within the
    range of the column, holds for any table, so that is told to it beside the pieces of words.
    """
    covered = [sum(_nearest(word, [*stems, *digits]) for word in phrase) / len(phrase) for phrase in item.stems]
    used = [sum(_nearest(one, phrase) for one in stems) / max(len(stems), 1) for phrase in item.stems]
    pairs = product(stems, chain(*item.stems))
    name, feature, quantity = max(covered, default=0.0), item.feature, item.is_quantity
    return [
        name, max(used, default=0.0), float(name >= 0.99),
        float(any(abbreviates(word, one) or abbreviates(one, word) for one, word in pairs)),
        _inside(feature, numbers) if quantity else 0.0,
        float(quantity and bool(numbers)),
        float(quantity and not numbers),
        float(item.value in ("false", "no", "n", "f", "0") and denied),
        float(item.value != "" and not quantity and bool(numbers) and not set(digits) & {item.value}),
        float(dated and feature is not None and feature.kind is FeatureKind.DATE),
    ]  # fmt: skip


def _nearest(word: str, others: Sequence[str]) -> float:
    return max((kin(word, other) for other in others), default=0.0)


def _inside(feature: Feature | None, numbers: list[float]) -> float:
    """The share of numbers within the range of a column."""
    if not numbers or feature is None or feature.low is None or feature.high is None:
        return 0.0
    return sum(feature.low <= number <= feature.high for number in numbers) / len(numbers)
