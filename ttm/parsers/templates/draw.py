"""The random choices of one template: what its wildcards are bound to, which two values of a feature it uses, and by how much
it changes one."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ttm.parsers.templates.template import UtteranceTemplate, Wildcard
from ttm.parsers.templates.vocabulary import WildcardVocabulary, sample
from ttm.tabular.data.schema import Feature

VALUES_PER_FEATURE = 2
DECADES = {
    20: "twenties", 30: "thirties", 40: "forties", 50: "fifties", 60: "sixties", 70: "seventies", 80: "eighties",
    90: "nineties",
}  # fmt: skip


@dataclass(frozen=True)
class WildcardBinding:
    """What a wildcard is bound to: as it is said and as it is written in the parse; the feature or number it stands for."""

    text: str
    written: str
    feature: Feature | None = None
    number: float | None = None
    features: frozenset[str] = frozenset()


Bound = Mapping[Wildcard, WildcardBinding]


@dataclass
class Draw:
    """The random choices of one template: at most VALUES_PER_FEATURE values of a feature, whatever clause they stand in."""

    vocabulary: WildcardVocabulary
    random: random.Random
    clauses: list[UtteranceTemplate] = field(default_factory=list)
    _numbers: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def numbers(self, feature: Feature) -> list[float]:
        """The values of a feature that this template uses, in order."""
        return self._kept("value", feature, self.vocabulary.numbers(feature))

    def decade(self, feature: Feature) -> int | None:
        """Where ten years begin that are the two values of an age; None where this template has other values of it."""
        key = "value", feature.token
        if key not in self._numbers:
            starts = {int(number // 10) * 10 for number in self.vocabulary.numbers(feature)}
            for start in sample(self.random, sorted(starts & set(DECADES)), 1):
                self._numbers[key] = [float(start), float(start + 10)]
        first, *rest = self._numbers.get(key, [0.0])
        return int(first) if rest == [first + 10] and first in DECADES else None

    def deltas(self, feature: Feature) -> list[float]:
        """Amounts by which this template changes a feature: about a twentieth to a third of its spread."""
        values = self.vocabulary.numbers(feature)
        spread = values[-1] - values[0] if values else 0.0
        finest = float(10**-feature.precision)
        amounts = {max(finest, _two_digits(spread * share, feature.precision)) for share in (0.05, 0.1, 0.2, 0.33)}
        return self._kept("delta", feature, sorted(amounts))

    def _kept(self, use: str, feature: Feature, options: list[float]) -> list[float]:
        key = use, feature.token
        if key not in self._numbers:
            self._numbers[key] = sorted(sample(self.random, options, VALUES_PER_FEATURE))
        return self._numbers[key]


def _two_digits(number: float, precision: int) -> float:
    return round(float(f"{number:.1g}"), precision)


Offer = Callable[[Wildcard, UtteranceTemplate, Draw, Bound, int], list[WildcardBinding]]


def feature_of(slot: Wildcard, template: UtteranceTemplate, bound: Bound) -> Feature:
    owner = template.owner(slot)
    feature = bound[owner].feature if owner else None
    assert feature is not None  # `read_templates` refuses a value without its feature
    return feature


def others(slot: Wildcard, template: UtteranceTemplate, bound: Bound) -> list[WildcardBinding]:
    """What wildcards of the same kind, and of the same feature if they are values, are bound to already."""
    owner = template.owner(slot)
    return [choice for other, choice in bound.items() if other.kind == slot.kind and template.owner(other) == owner]
