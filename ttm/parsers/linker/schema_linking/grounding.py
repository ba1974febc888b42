"""What a data set offers to attach things to: its age-like feature, features by quantity, nouns for its rows, its classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ttm.language.parse import Comparator, number_text
from ttm.parsers.linker.schema_linking.names import MOST_VALUES, words_in
from ttm.parsers.linker.words.lexicon import Words, kin, lexicon, stem
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.tabular.data.schema import Feature, FeatureKind, Schema

AGE_WORDS = frozenset({"age", "year", "years", "client", "customer", "patient", "person", "applicant", "old", "at", "current"})
PER_YEAR = {"months": 12.0, "month": 12.0, "weeks": 52.0, "week": 52.0, "days": 365.0, "day": 365.0}


@dataclass(frozen=True)
class SurfacePart:
    """One filter, change or operation found in the utterance: its surface, the items that say it, and how doubtful it is
    (0 sure, 1 a guess). `question` is what to ask the person if it stays doubtful; `others` are surfaces it could also be."""

    start: int
    end: int
    text: str
    doubt: float = 0.0
    others: tuple[str, ...] = ()
    question: str = ""


@dataclass(frozen=True)
class SchemaGrounding:
    """The schema with what the readers of quantities and properties look up in it."""

    schema: Schema

    @cached_property
    def age(self) -> Feature | None:
        """The feature that holds how old a row is, if its name says no more than that."""
        feature = self.by_adjective("older")
        if feature is None or any(word not in AGE_WORDS and word not in self.entity for word in words_in(feature.name)):
            return feature if feature and any(words_in(synonym) == ("age",) for synonym in feature.synonyms) else None
        return feature

    def by_adjective(self, adjective: str) -> Feature | None:
        """The numeric feature of the quantity that an adjective speaks of, the plainest name first; None if there is none."""
        stems, _ = lexicon().dimensions.get(adjective, (frozenset[str](), "+"))
        ranked = []
        for feature in self.schema.features:
            if feature.kind is FeatureKind.NUMERIC:
                names = [words_in(text) for text in (feature.name, *feature.synonyms)]
                fitting = [len(words) for words in names if any(word in stems for word in words)]
                fitting += [0 for synonym in feature.synonyms if adjective in synonym.lower().split()]
                ranked += [(min(fitting), feature.name)] if fitting else []
        return self.schema.by_name[min(ranked)[1]] if ranked else None

    def fits(self, feature: Feature, value: float) -> bool:
        """Whether a value is of the order of what the feature holds."""
        if feature.low is None or feature.high is None:
            return True
        margin = max(feature.high - feature.low, 1.0)
        return feature.low - margin <= value <= feature.high + margin

    def can_split(self, feature: Feature, comparator: Comparator, value: float) -> bool:
        """Whether a comparison leaves some rows out and keeps some, as one that is meant does: not "younger than 0"."""
        if feature.low is None or feature.high is None or comparator in (Comparator.EQUAL, Comparator.NOT_EQUAL):
            return True
        if comparator in (Comparator.LESS, Comparator.LESS_EQUAL):
            return value > feature.low - 0.25 * (feature.high - feature.low) and value > 0
        return value < feature.high + 0.25 * (feature.high - feature.low)

    def spacious(self, value: float) -> list[Feature]:
        """Numeric features whose values lie so far apart that one can move by `value`, if that says anything: over 100."""
        if value <= 100:
            return []
        known = [one for one in self.schema.features if one.low is not None and one.high is not None]
        return [one for one in known if (one.high or 0.0) - (one.low or 0.0) >= value]

    def hinted(self, words: Sequence[str], value: float | None = None) -> list[Feature]:
        """Numeric features whose names share a telling word with `words`, the best first; equals stay together.

        For what a name said too vaguely to be linked still gives away; of equals, those that can have `value` are meant.
        """
        groups = lexicon().groups
        stems = {
            stem(word)
            for word in words
            if word not in groups["linking.stop"] and word not in groups["entity"] and word not in self.entity
        }
        scored = []
        for feature in self.schema.features:
            if feature.kind is FeatureKind.NUMERIC:
                parts = [part for text in (feature.name, *feature.synonyms) for part in words_in(text)]
                score = sum(max((kin(one, part) for part in parts), default=0.0) for one in stems)
                scored += [(score, feature)] if score >= 0.8 else []
        best = max((score for score, _ in scored), default=0.0)
        near = [feature for score, feature in scored if score >= best - 0.05]
        return [feature for feature in near if value is None or self.fits(feature, value)] or near

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Stems of the words of all names, values and classes."""
        texts = [text for feature in self.schema.features for text in (feature.name, *feature.synonyms)]
        texts += [str(value) for feature in self.schema.features for value in feature.values[:MOST_VALUES]]
        texts += [self.schema.target.name, *self.schema.target.classes]
        return frozenset(word for text in texts for word in words_in(text))

    @cached_property
    def entity(self) -> frozenset[str]:
        """Singular and plural of what the rows are called."""
        noun = self.schema.entity.lower().split()[-1] if self.schema.entity.strip() else "instance"
        single = noun[:-1] if noun.endswith("s") else noun
        return frozenset({noun, single, f"{single}s", stem(noun)})

    @cached_property
    def nouns(self) -> Words:
        """What a row may be called: `entity`, the plural that ends the title (`Flights`), and common nouns for rows."""
        titled = [word for word in self.schema.title.lower().split()[-1:] if word.endswith("s") and len(word) > 4]
        titled = [word for word in titled if word.isalpha() and stem(word) not in self.vocabulary]
        common = {word for word in lexicon().groups["row_noun"].whole if stem(word) not in self.vocabulary}
        single = {word[:-3] + "y" if word.endswith("ies") else word[:-1] for word in titled}
        return Words(self.entity | common | single | frozenset(titled), lexicon().groups["row_noun"].beginnings)

    @cached_property
    def predicts_worth(self) -> bool:
        """Whether the target is an amount of money that something is worth, so that `expensive` speaks of it."""
        stems, _ = lexicon().dimensions["expensive"]
        return not self.is_classification and any(word in stems for word in words_in(self.schema.target.name))

    @property
    def is_classification(self) -> bool:
        return self.schema.target.is_classification

    def value(self, feature: Feature, token: UtteranceToken, unit: str) -> str:
        """A number in the feature's own unit: percent of a share, years of a feature counted in months."""
        if feature.kind is FeatureKind.DATE:
            return token.text if token.kind is TokenKind.DATE else f"{int(token.value):04d}-01-01"
        value = token.value
        if token.form == "percent" and feature.high is not None and 0 < feature.high <= 1:
            value /= 100
        own = feature.unit.lower() or next((part for part in words_in(feature.name) if f"{part}s" in PER_YEAR), "")
        own = own if own.endswith("s") else f"{own}s"
        if unit in ("year", "years") and own in PER_YEAR:
            value *= PER_YEAR[own]
        return number_text(value)

    def condition(self, feature: Feature, comparator: Comparator, value: str) -> str:
        return f"filter {feature.token} {comparator} {value}"
