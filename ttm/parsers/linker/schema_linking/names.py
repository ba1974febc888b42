"""The names by which a data set's features, values and classes may be called, cut into weighted words."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from ttm.parsers.linker.words.lexicon import lexicon, stem
from ttm.parsers.linker.words.tokens import TENS, UNITS, TokenKind, tokenise
from ttm.tabular.data.schema import Feature, FeatureKind, Schema, readable

WEAK = 0.25  # the share of a full word that a word such as "number" or "total" carries in a name
NO_AND_YES = (("no", "yes"), ("n", "y"), ("false", "true"), ("f", "t"), ("0", "1"))
SPOKEN = frozenset({*UNITS, *TENS})  # `one` and the like, as values
MOST_VALUES = 400  # values of one categorical feature that are known by name


class NameRole(StrEnum):
    FEATURE = "feature"  # numeric or date: compared with numbers
    PROPERTY = "property"  # boolean: true or false of a row
    CATEGORY = "category"  # categorical feature, without its value
    VALUE = "value"  # one value of a categorical feature
    CLASS = "class"  # one class of the target
    OUTCOME = "outcome"  # what is predicted, without saying which class


@dataclass(frozen=True)
class Name:
    """Stems in order, each with its weight. `negative`: the name itself denies something (`NoCurrentLoan`)."""

    role: NameRole
    stems: tuple[str, ...]
    weights: tuple[float, ...]
    feature: Feature | None = None
    value: str = ""
    class_number: int | None = None
    negative: bool = False
    whole: bool = False  # said in full or not at all
    needs_feature: bool = False  # too short or common to be recognised away from its feature

    @property
    def weight(self) -> float:
        return sum(self.weights)


def names_of(schema: Schema) -> list[Name]:
    """Every name of a data set; synonyms stated in the schema count like the column's own name."""
    spelled = [(feature, words, negative) for feature in schema.features for words, negative in _spellings(feature)]
    frequency: Counter[str] = Counter()
    for feature in schema.features:
        frequency.update({word for owner, words, _ in spelled if owner is feature for word in words})
    names = [
        Name(_role(feature), words, _weights(words, frequency), feature, negative=negative)
        for feature, words, negative in spelled
    ]
    for feature in schema.features:
        if feature.kind is FeatureKind.CATEGORICAL and truth_values(feature) is None:
            names += _value_names(feature, frequency)
    return names + list(_outcome_names(schema))


def words_in(text: str) -> tuple[str, ...]:
    """The stems of a name, without words that carry no meaning; numbers in it stay."""
    stop = lexicon().groups["linking.stop"]
    tokens = tokenise(readable(text).replace("/", " "))
    spelled = lexicon().words["expansions"]
    texts = [token.raw or token.text for token in tokens if token.kind is not TokenKind.MARK]
    words = _joined([part for word in texts for part in spelled.get(word, word).split()])
    return tuple(stem(word) for word in words if word not in stop) or tuple(stem(word) for word in words)


def _joined(words: list[str]) -> list[str]:
    """`co applicant` becomes `coapplicant`: prefixes that columns write apart."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] in ("co", "non", "self"):
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def _spellings(feature: Feature) -> Iterator[tuple[tuple[str, ...], bool]]:
    seen: set[tuple[str, ...]] = set()
    for text in (feature.name, *(synonym for synonym in feature.synonyms if not _is_comparative(synonym))):
        words, negative = words_in(text), False
        if truth_values(feature) and len(words) > 1 and words[0] in ("no", "not", "non", "never", "without"):
            words, negative = words[1:], True
        if words and words not in seen:
            seen.add(words)
            yield words, negative
    parts = words_in(feature.name)
    if len(parts) > 1 or tuple(parts) != (stem(feature.token),):
        yield (stem(feature.token),), False
    if len(parts) > 2:
        yield ("".join(part[0] for part in parts),), False


def _is_comparative(synonym: str) -> bool:
    """`older`, `years old`, `how long`: adjectives, which lead to their feature by the quantity they speak of."""
    words = synonym.lower().split()
    return words[:1] == ["how"] or any(word in lexicon().dimensions for word in words)


def _role(feature: Feature) -> NameRole:
    if truth_values(feature) is not None:
        return NameRole.PROPERTY
    return NameRole.CATEGORY if feature.kind is FeatureKind.CATEGORICAL else NameRole.FEATURE


def truth_values(feature: Feature) -> tuple[str, str] | None:
    """How the parse language says no and yes of a feature, if it is a matter of yes and no."""
    if feature.kind is FeatureKind.BOOLEAN:
        return "false", "true"
    tokens = {feature.value_token(value) for value in feature.values} if feature.kind is FeatureKind.CATEGORICAL else set()
    return next(((no, yes) for no, yes in NO_AND_YES if tokens == {no, yes}), None)


def _weights(words: Iterable[str], frequency: Counter[str]) -> tuple[float, ...]:
    weak = lexicon().groups["linking.weak"]
    words = list(words)
    weights = []
    for index, word in enumerate(words):
        rarity = 1 / (1 + math.log2(max(frequency[word], 1)))
        is_unit = len(word) < 3 and index > 0 and len(words[0]) > 3  # `rainfall_mm`, `yield_t_ha`
        weights.append(max(rarity * (WEAK if (word in weak or is_unit) and len(words) > 1 else 1.0), 0.08))
    return tuple(weights)


def _value_names(feature: Feature, frequency: Counter[str]) -> Iterator[Name]:
    for value in feature.values[:MOST_VALUES]:
        token = feature.value_token(value)
        words = words_in(str(value))
        bare = all(_is_common(word) for word in words) and (len(words) == 1 or any(word[0].isdigit() for word in words))
        joined = len(words) > 1 and str(value).isalpha()
        if words:
            weights = _weights(words, Counter())
            yield Name(NameRole.VALUE, words, weights, feature, value=token, whole=joined, needs_feature=bare)
        if joined:  # `JetBlue` is written as one word
            yield Name(NameRole.VALUE, (stem(str(value).lower()),), (1.0,), feature, value=token)


def _is_common(word: str) -> bool:
    """Whether a word says too little to be a value away from its feature: a number, `no`, `high`; but `hr` is no such word."""
    small = len(word) < 2 or word in lexicon().groups["scope.function"]
    return small or word in lexicon().groups["linking.weak"] or word[0].isdigit() or word in SPOKEN


def _outcome_names(schema: Schema) -> Iterator[Name]:
    """Classes by their whole names; what the classes share, and the target's own name, for what is predicted."""
    target, groups = schema.target, lexicon().groups
    classes = [words_in(name) for name in target.classes]
    for number, words in enumerate(classes):
        if any(not word.isdigit() and word not in ("true", "false", "class") for word in words):
            yield Name(NameRole.CLASS, words, (1.0,) * len(words), class_number=number, needs_feature=_is_plain(words))
    shared = [word for word in (classes[0] if len(classes) > 1 else ()) if all(word in other for other in classes)]
    implied = _affirmed(classes)
    if shared and shared != ["class"]:
        yield Name(NameRole.OUTCOME, tuple(shared), (1.0,) * len(shared), class_number=implied)
    own = words_in(target.name)
    if own and any(word not in groups["linking.empty_targets"] and len(word) > 1 for word in own):
        yield Name(NameRole.OUTCOME, own, _weights(own, Counter()), class_number=implied)


def _is_plain(words: tuple[str, ...]) -> bool:
    """A one-word class name out of everyday speech, such as `good` or `high`."""
    return len(words) == 1 and (len(words[0]) < 3 or words[0] in lexicon().groups["linking.weak"])


def _affirmed(classes: list[tuple[str, ...]]) -> int | None:
    """The class that the shared words alone speak of: of two, the one whose contrary the other is."""
    if len(classes) != 2:
        return None
    denying = lexicon().groups["linking.denying"]
    for number, (own, other) in enumerate((classes, classes[::-1])):
        only_other = [word for word in other if word not in own]
        only_own = [word for word in own if word not in other]
        if any(word in denying or word == "false" for word in only_other) and not any(word in denying for word in only_own):
            return number
        if only_own and any(word in (f"un{only_own[0]}", f"non{only_own[0]}", f"in{only_own[0]}") for word in only_other):
            return number
    return 1 if classes[1] in (("yes",), ("1",), ("true",), ("positive",)) else None
