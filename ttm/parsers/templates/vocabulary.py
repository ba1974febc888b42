"""What the wildcards of templates are filled from: names, values and ids of one data set."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from ttm.tabular.data.schema import Feature, FeatureKind, Schema

VALUES = 12  # candidate values of a numeric feature; a template takes two of them
IDS = 400
# Synonyms such as "older" or "how long" name a feature only in a comparison, never as a noun.
NO_NOUNS = frozenset("how old older younger elder long longer short shorter tall taller heavier higher lower".split())
SINGULAR = {"people": "person", "men": "man", "women": "woman", "children": "child", "data": "data point", "mice": "mouse"}
ROW_NOUNS = ("instance", "data point", "row", "sample", "case", "record")


@dataclass(frozen=True)
class WildcardVocabulary:
    """Made once for a data set. `frame` (n, features), with ids as index, gives observed values and real ids; without it
    values lie between each feature's bounds and ids are small numbers. Everything drawn depends on `seed` only."""

    schema: Schema
    seed: int = 0
    frame: pd.DataFrame | None = field(default=None, compare=False)

    @cached_property
    def of_kind(self) -> dict[str, list[Feature]]:
        """The features that each kind of feature wildcard can stand for."""
        kinds = {kind: [feature for feature in self.schema.features if feature.kind is kind] for kind in FeatureKind}
        return {
            "num": kinds[FeatureKind.NUMERIC],
            "age": [feature for feature in kinds[FeatureKind.NUMERIC] if "age" in feature.label.lower().split()],
            "cat": [feature for feature in kinds[FeatureKind.CATEGORICAL] if feature.values],
            "flag": kinds[FeatureKind.BOOLEAN],
            "date": kinds[FeatureKind.DATE],
            "feature": list(self.schema.features),
        }

    @cached_property
    def names(self) -> dict[str, tuple[str, ...]]:
        """How each feature, by token, is called: its name in words twice, as most people use it, then other spellings."""
        return {feature.token: _names(feature) for feature in self.schema.features}

    @cached_property
    def ids(self) -> list[str]:
        """Ids as the data set writes them, at most IDS."""
        if self.frame is None or self.frame.empty:
            return [str(number) for number in range(1, 101)]
        index = self.frame.index
        chosen = self._random("ids").sample(range(len(index)), min(IDS, len(index)))
        return [str(index[position]) for position in chosen]

    @cached_property
    def row_nouns(self) -> list[tuple[str, str]]:
        """What one row and several rows are called: the data set's own word most often, then general words."""
        own = (singular(self.schema.entity), self.schema.entity)
        return [own] * 2 * len(ROW_NOUNS) + [(noun, f"{noun}s") for noun in ROW_NOUNS]

    def numbers(self, feature: Feature) -> list[float]:
        """Candidate values of a numeric feature or, as ordinal days, of a date, in order."""
        if feature.token not in self._numbers:
            self._numbers[feature.token] = self._candidates(feature)
        return self._numbers[feature.token]

    @cached_property
    def _numbers(self) -> dict[str, list[float]]:
        return {}

    @cached_property
    def quantities(self) -> list[float]:
        """Values of a target that is a quantity; none for classes."""
        target = self.schema.target
        if target.is_classification or target.low is None or target.high is None:
            return []
        return _between(target.low, target.high, target.precision, self._random("target"))

    def _candidates(self, feature: Feature) -> list[float]:
        draw = self._random(feature.token)
        observed = self._observed(feature, draw)
        if not observed and (feature.low is None or feature.high is None):
            return []
        if not observed:
            return _between(feature.low or 0.0, feature.high or 0.0, feature.precision, draw)
        step = _round_step(min(observed), max(observed), feature.precision)
        rounded = [round(round(value / step) * step, feature.precision) for value in observed[::2]]
        return sorted({*(round(value, feature.precision) for value in observed[1::2]), *rounded})

    def _observed(self, feature: Feature, draw: random.Random) -> list[float]:
        """Quantiles of the values in the rows, without the outermost; nothing where no value is known."""
        if self.frame is None or feature.name not in self.frame:
            return []
        column = self.frame[feature.name].dropna()
        if column.empty:
            return []
        shares = sorted(draw.uniform(0.08, 0.92) for _ in range(VALUES))
        ordered = column.sort_values().to_numpy()
        chosen = [ordered[int(share * (len(ordered) - 1))] for share in shares]
        if feature.kind is FeatureKind.DATE:
            return [float(pd.Timestamp(value).toordinal()) for value in chosen]
        return [float(value) for value in chosen]

    def _random(self, purpose: str) -> random.Random:
        return random.Random(f"{self.seed}|{purpose}")  # a text seeds alike in every process, unlike its hash


def _between(low: float, high: float, precision: int, draw: random.Random) -> list[float]:
    step = _round_step(low, high, precision)
    exact = [low + draw.uniform(0.08, 0.92) * (high - low) for _ in range(VALUES)]
    return sorted({round(round(value / step) * step if index % 2 else value, precision) for index, value in enumerate(exact)})


def _round_step(low: float, high: float, precision: int) -> float:
    """People ask about round numbers: 1, 2 or 5 times a power of ten, about a thirtieth of the spread."""
    finest = float(10**-precision)
    step = finest
    for factor in (2, 2.5, 2) * 12:
        if step * factor > (high - low) / 30:
            break
        step *= factor
    return step


def _names(feature: Feature) -> tuple[str, ...]:
    synonyms = [name for name in feature.synonyms if not NO_NOUNS & set(name.lower().split())]
    return (feature.label,) * 3 + (feature.name, *synonyms[:4])


def singular(plural: str) -> str:
    """One of the rows: `applicants` becomes `applicant`; by the rules of English spelling, and a list of exceptions."""
    *before, last = plural.split()
    if last.lower() in SINGULAR:
        last = SINGULAR[last.lower()]
    elif last.endswith("ies") and len(last) > 4:
        last = f"{last[:-3]}y"
    elif last.endswith(("sses", "ches", "shes", "xes")):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith("ss"):
        last = last[:-1]
    return " ".join([*before, last])


def sample(draw: random.Random, options: Sequence[Any], most: int) -> list[Any]:
    """At most `most` of the options, in random order."""
    return draw.sample(options, min(most, len(options)))
