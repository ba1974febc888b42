"""What a message can refer to in one data set: its columns, their values, the classes, the target and the probability.

Each item has the words that name it. Which item a span of a message means is scored from its words (`item_words.py`) and from
the encoder's view of the span, see `network.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ttm.parsers.linker.schema_linking.names import MOST_VALUES, truth_values, words_in
from ttm.tabular.data.schema import Feature, FeatureKind, Schema, readable

NO_VALUES = frozenset({"false", "no"})
# Words that ask for a statistic, an end of a ranking or a score, where they stand by themselves.
ASKING = frozenset(
    "mean average avg median max maximum min minimum sum std worst best highest lowest error errors score lift gain residual "
    "accuracy precision recall sensitivity specificity threshold importance".split()
)
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
        joined = (self.feature.token,) if self.feature is not None and not self.value and asks(self.feature) else ()
        return tuple(dict.fromkeys(words for phrase in (*self.phrases, *joined) if (words := words_in(phrase))))

    @property
    def is_quantity(self) -> bool:
        kinds = (FeatureKind.NUMERIC, FeatureKind.DATE)
        return self.kind is SchemaItemKind.TARGET or (
            self.kind is SchemaItemKind.COLUMN and self.feature is not None and self.feature.kind in kinds
        )


def asks(feature: Feature) -> bool:
    """Whether a column is called by several words of which one would ask for something, as in "mean radius"; a message has them
    joined to one."""
    words = feature.label.lower().split()
    return len(words) > 1 and feature.token == "".join(words) and not ASKING.isdisjoint(words)


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
