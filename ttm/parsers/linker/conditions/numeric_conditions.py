"""Numbers that select rows: every number that is no id, count or change becomes a condition on the feature it belongs to."""

from dataclasses import replace

from ttm.language.parse import Comparator
from ttm.parsers.linker.conditions.quantities import QuantityMention, quantity_at, range_at
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding, SurfacePart
from ttm.parsers.linker.schema_linking.reading import UtteranceReading
from ttm.parsers.linker.words.lexicon import lexicon
from ttm.parsers.linker.words.tokens import TokenKind
from ttm.tabular.data.schema import Feature

CONNECTING = frozenset("and but or , also while yet at is are of years year old points either".split())
AGED = frozenset({"older", "younger", "elder"})
FAR = 12  # items within which a number still looks for its feature


class Conditions:
    """Reads the numeric conditions of one utterance. `taken`: items of numbers that mean something else."""

    def __init__(self, reading: UtteranceReading, ground: SchemaGrounding, taken: set[int]) -> None:
        self._reading, self._ground, self._taken = reading, ground, taken
        self._last: tuple[int, Feature] | None = None  # end and feature of the condition before
        self.used_features: set[int] = set()

    def read(self) -> list[SurfacePart]:
        parts: list[SurfacePart] = []
        position = 0
        while position < len(self._reading.items):
            item = self._reading.items[position]
            is_date = item.token.kind is TokenKind.DATE and item.mention is None
            if (item.word == "<n>" or is_date) and position not in self._taken:
                position = self._read_at(position, parts)
            position += 1
        return parts

    def _read_at(self, position: int, parts: list[SurfacePart]) -> int:
        span = range_at(self._reading, position)
        if span is not None and span[0] not in self._taken:
            return self._range(position, *span, parts)
        quantity = quantity_at(self._reading, position)
        token = self._reading.items[position].token
        if token.form == "decade":
            return self._decade(quantity, parts)
        feature, doubt, others = self._feature(quantity)
        if feature is None:
            if quantity.explicit:
                parts.append(self._unresolved(quantity))
            return position
        parts.append(self._part(quantity, feature, quantity.comparator, position, doubt, others))
        return max(position, quantity.end - 1)

    def _range(self, low: int, high: int, above: Comparator, below: Comparator, parts: list[SurfacePart]) -> int:
        lower, upper = quantity_at(self._reading, low), quantity_at(self._reading, high)
        feature, doubt, _ = self._feature(lower, ranged=True)
        other, other_doubt, _ = self._feature(upper, ranged=True)
        if upper.feature_at is not None and (lower.feature_at is None or doubt > other_doubt):
            feature, doubt = other, other_doubt
        if self._says_age(upper) and self._ground.age is not None:
            feature, doubt = self._ground.age, 0.0
        if feature is None:
            parts.append(self._unresolved(lower))
            return high
        first, second = self._part(lower, feature, above, low, doubt), self._part(upper, feature, below, high, doubt)
        start, end = min(first.start, second.start), max(first.end, second.end)
        parts += [replace(first, start=start, end=end), replace(second, start=start, end=end)]
        return max(high, upper.end - 1)

    def _decade(self, quantity: QuantityMention, parts: list[SurfacePart]) -> int:
        feature = self._feature(quantity)[0] or self._ground.age
        value = self._reading.items[quantity.position].token.value
        if feature is None:
            return quantity.position
        start, end = quantity.start, quantity.end
        parts.append(SurfacePart(start, end, self._ground.condition(feature, Comparator.GREATER_EQUAL, str(int(value)))))
        parts.append(SurfacePart(start, end, self._ground.condition(feature, Comparator.LESS, str(int(value) + 10))))
        return quantity.position

    def _part(self, quantity: QuantityMention, feature: Feature, comparator: Comparator, position: int, doubt: float,
              others: tuple[Feature, ...] = ()) -> SurfacePart:  # fmt: skip
        unit = next(iter(self._reading.words[position + 1 : position + 2]), "")
        value = self._ground.value(feature, self._reading.items[position].token, unit)
        start, end = min(quantity.start, quantity.position), max(quantity.end, quantity.position + 1)
        if quantity.feature_at is not None:
            self.used_features.add(quantity.feature_at)
            start, end = min(start, quantity.feature_at), max(end, quantity.feature_at + 1)
        self._last = (end, feature)
        number = self._reading.items[position].token.text
        question = f"Which column does {number} belong to?" if doubt > 0.5 else ""
        return SurfacePart(start, end, self._ground.condition(feature, comparator, value), doubt,
                    tuple(self._ground.condition(other, comparator, value) for other in others), question)  # fmt: skip

    def _unresolved(self, quantity: QuantityMention) -> SurfacePart:
        number = self._reading.items[quantity.position].token.text
        return SurfacePart(quantity.start, quantity.end, "", 1.0, question=f"Which column does {number} belong to?")

    def _feature(self, quantity: QuantityMention, ranged: bool = False) -> tuple[Feature | None, float, tuple[Feature, ...]]:
        """The feature a number is compared with, how doubtful that is, and which others it could be.

        People leave the column out where they think that it is plain (`over 50`, `loans over 5000`, `between 20 and 30`). What
        was said is believed before what is usual, and the age of a person before the nearest column, with growing doubt.
        """
        named = quantity.feature_at
        if quantity.adjective and (named is None or self._is_age(quantity.adjective)):
            feature = self._ground.by_adjective(quantity.adjective)
            if feature is not None:
                return feature, 0.0, ()
        if named is not None:
            return self._named(named)
        if self._says_age(quantity) and self._ground.age is not None:
            return self._ground.age, 0.0, ()
        if self._last is not None and (quantity.explicit or ranged) and self._is_continued(quantity):
            return self._last[1], 0.1, ()
        if not (quantity.explicit or ranged):
            if self._last is not None and self._is_alternative(quantity):
                return self._last[1], 0.1, ()
            return (self._ground.age, 0.2, ()) if self._is_said_of_person(quantity) else (None, 1.0, ())
        return self._guessed(quantity, ranged)

    def _named(self, at: int) -> tuple[Feature, float, tuple[Feature, ...]]:
        mention = self._reading.items[at].mention
        assert mention is not None
        features = [name.feature for name in mention.names if name.feature is not None]
        return features[0], 0.6 if mention.is_ambiguous else 0.0, tuple(features[1:])

    def _guessed(self, quantity: QuantityMention, ranged: bool) -> tuple[Feature | None, float, tuple[Feature, ...]]:
        """The feature of a comparison that names none: a person's age, one of whose name a word is near, or the nearest."""
        age, value = self._ground.age, self._reading.items[quantity.position].token.value
        can_be_age = age is not None and self._ground.can_split(age, quantity.comparator, value)
        fits = age is not None and self._ground.fits(age, value)
        if can_be_age and fits and self._follows_person(quantity):
            return age, 0.1, ()
        hinted = self._ground.hinted(self._nearby_words(quantity), value)
        if hinted:
            return hinted[0], 0.2 if len(hinted) == 1 else 0.6, tuple(hinted[1:])
        is_said_plainly = quantity.comparator is Comparator.EQUAL and not ranged  # "= 1" alone is no age
        of_people = self._speaks_of_people(quantity)
        if can_be_age and not quantity.adjective and not is_said_plainly and (fits or of_people):
            return age, 0.1 if of_people else 0.3, ()
        return self._nearest(quantity)

    def _nearby_words(self, quantity: QuantityMention) -> list[str]:
        """Plain words right around a comparison, which may be part of a column's name (`loans over 5000`)."""
        items = self._reading.items
        first, last = max(0, quantity.start - 3), min(len(items), quantity.end + 4)
        near = [*range(first, quantity.start), *range(quantity.end, last)]
        units = lexicon().groups["numbers.units"]
        plain = [items[at] for at in near if items[at].mention is None and items[at].word not in ("<n>", "<i>")]
        return [item.token.text for item in plain if item.word not in units or item.word in ("value", "values")]

    def _is_said_of_person(self, quantity: QuantityMention) -> bool:
        """`people who are 19`: a bare number that is said of somebody, with no noun after it."""
        words, position = self._reading.words, quantity.position
        if self._ground.age is None or words[position - 1 : position] not in (["are"], ["is"], ["aged"], ["turned"]):
            return False
        following = words[position + 1 : position + 2]
        groups = lexicon().groups
        ends = not following or not (
            following[0] in groups["numbers.units"] or following[0] in groups["entity"] or following[0].startswith("<")
        )
        value = self._reading.items[position].token.value
        return (
            ends
            and words[position - 2 : position - 1] in (["who"], ["that"], ["people"], ["they"], ["is"], ["person"])
            and self._ground.fits(self._ground.age, value)
        )

    def _is_age(self, adjective: str) -> bool:
        """`older` speaks of age even where another column's name follows the number."""
        return adjective in AGED and self._ground.by_adjective(adjective) is not None

    def _says_age(self, quantity: QuantityMention) -> bool:
        """`18 years old`, `40 year olds`, `years of age`, `aged 30`."""
        words = self._reading.words
        after = words[quantity.position + 1 : quantity.position + 5]
        before = words[max(0, quantity.position - 1) : quantity.position]
        aged = "aged" in before or "age" in before or after[:2] == ["of", "age"]
        return aged or (bool(after) and after[0] in ("year", "years") and bool({"old", "olds", "age"} & set(after[1:4])))

    def _is_continued(self, quantity: QuantityMention) -> bool:
        assert self._last is not None
        gap = self._reading.between(self._last[0], quantity.start)
        return len(gap) <= 4 and all(word in CONNECTING for word in gap)

    def _is_alternative(self, quantity: QuantityMention) -> bool:
        """`12 or 24`: a bare number right after another one."""
        assert self._last is not None
        words, position = self._reading.words, quantity.position
        following = words[position + 1 : position + 2]
        joined = words[position - 1] in ("or", ",") or words[position - 2 : position] == [",", "or"]
        return joined and position - self._last[0] <= 2 and not (following and following[0] in lexicon().groups["entity"])

    def _follows_person(self, quantity: QuantityMention) -> bool:
        """`people over 40`, `those who are under 30`: nothing between the noun and the comparison."""
        words, at = self._reading.words, quantity.start - 1
        while at >= 0 and words[at] in ("who", "that", "are", "is", "were", "was", "aged"):
            at -= 1
        return (
            at >= 0
            and quantity.comparator is not Comparator.EQUAL
            and (words[at] in lexicon().groups["entity"] or words[at] == "those")
        )

    def _speaks_of_people(self, quantity: QuantityMention) -> bool:
        before = self._reading.words[max(0, quantity.start - 4) : quantity.start]
        return any(word in lexicon().groups["entity"] or word in ("those", "the", "who") for word in before)

    def _nearest(self, quantity: QuantityMention) -> tuple[Feature | None, float, tuple[Feature, ...]]:
        """The nearest numeric feature that no other number has; a guess."""
        candidates = [
            (abs(at - quantity.position) + (3 if at > quantity.position else 0), at)
            for at, word in enumerate(self._reading.words)
            if word == "<f>" and at not in self.used_features and abs(at - quantity.position) <= FAR
        ]
        if not candidates:
            return None, 1.0, ()
        feature = self._reading.items[min(candidates)[1]].feature
        return feature, 0.5, ()
