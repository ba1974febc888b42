"""The English behind the default parser: word lists, synonyms and stems, read from the data files beside this one.

A list entry that ends in `*` stands for every word that begins so.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any

SUFFIXES = (
    "ization", "isation", "ations", "ation", "ments", "ment", "ness", "ities", "ity", "ical", "ancies", "ancy", "encies",
    "ency", "ances", "ance", "ences", "ence", "ants", "ant", "ents", "ent", "ions", "ion", "ive", "ists", "ist", "isms",
    "ism", "ers", "ers", "er", "ors", "or", "ing", "ies", "ial", "ally", "als", "al", "ics", "ic", "ous", "able", "ible", "ful",
    "ship", "cy", "ce", "ed", "es", "ly", "y", "s", "e", "t", "is", "us", "um", "",
)  # fmt: skip
SHORTEST_ROOT = 5


@dataclass(frozen=True)
class Words:
    """A set of words and of beginnings of words."""

    whole: frozenset[str]
    beginnings: tuple[str, ...]

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and (word in self.whole or (bool(self.beginnings) and word.startswith(self.beginnings)))


def words_of(entries: list[str]) -> Words:
    return Words(
        frozenset(entry for entry in entries if not entry.endswith("*")),
        tuple(entry[:-1] for entry in entries if entry.endswith("*")),
    )


def read_data(name: str) -> dict[str, Any]:
    """One of the TOML files of this package."""
    return tomllib.loads(resources.files("ttm.parsers.linker").joinpath(name).read_text("utf-8"))


@dataclass(frozen=True)
class EnglishLexicon:
    """`words` is words.toml as it stands; `synonyms` maps the stem of a word to its groups in thesaurus.toml."""

    words: dict[str, Any]
    thesaurus: dict[str, Any]

    @cached_property
    def groups(self) -> dict[str, Words]:
        """Every list of words.toml by `section.name`; the lists of [groups] by their name alone."""
        groups: dict[str, Words] = {}
        for section, content in self.words.items():
            for name, entries in content.items():
                if isinstance(entries, list):
                    groups[name if section == "groups" else f"{section}.{name}"] = words_of(entries)
        return groups

    @cached_property
    def synonyms(self) -> dict[str, frozenset[int]]:
        groups: dict[str, set[int]] = {}
        for number, group in enumerate(self.thesaurus["synonyms"]):
            for word in group:
                groups.setdefault(stem(word), set()).add(number)
        return {word: frozenset(numbers) for word, numbers in groups.items()}

    @cached_property
    def opposites(self) -> dict[str, frozenset[str]]:
        opposites: dict[str, set[str]] = {}
        for one, other in self.thesaurus["opposites"]:
            opposites.setdefault(stem(one), set()).add(stem(other))
            opposites.setdefault(stem(other), set()).add(stem(one))
        return {word: frozenset(others) for word, others in opposites.items()}

    @cached_property
    def dimensions(self) -> dict[str, tuple[frozenset[str], str]]:
        """An adjective to the stems that a column of its quantity may carry, and `+` or `-`."""
        quantities = self.thesaurus["quantities"]
        return {
            adjective: (frozenset(stem(word) for word in quantities.get(quantity, [quantity])), sign)
            for adjective, (quantity, sign) in self.words["dimensions"].items()
        }

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every whole word in the data files: what a typing error may be corrected to."""
        vocabulary: set[str] = set()
        for group in self.groups.values():
            vocabulary |= {word for entry in group.whole for word in entry.split()}
        for words in [*self.thesaurus["synonyms"], *self.thesaurus["opposites"], *self.thesaurus["quantities"].values()]:
            vocabulary |= {part for word in words for part in word.split()}
        vocabulary |= set(self.words["dimensions"])
        return frozenset(word for word in vocabulary if word.isalpha())


@lru_cache(maxsize=1)
def lexicon() -> EnglishLexicon:
    return EnglishLexicon(read_data("words.toml"), read_data("thesaurus.toml"))


IRREGULAR = {
    "women": "woman", "men": "man", "children": "child", "people": "person", "mice": "mouse", "feet": "foot",
    "wives": "wife", "bought": "buy", "spent": "spend", "paid": "pay", "owed": "owe", "had": "have", "has": "have",
    "committed": "commit", "committing": "commit", "criteria": "criterion", "data": "data", "dying": "die",
    "lives": "live", "owes": "owe", "ages": "age", "aged": "age", "aging": "age", "ageing": "age", "glass": "glass",
    "yes": "yes", "gas": "gas", "bias": "bias", "plus": "plus", "ran": "run", "drank": "drink", "series": "series",
    "rented": "rent", "renter": "rent", "renting": "rent", "renters": "rent", "rental": "rent", "owner": "own",
    "owners": "own", "owning": "own", "owned": "own", "used": "use", "using": "use", "uses": "use", "slept": "sleep",
    "smoker": "smoke", "smokers": "smoke", "smoking": "smoke", "housing": "house", "houses": "house", "held": "hold",
    "taken": "take", "took": "take", "left": "leave", "sold": "sell", "grown": "grow", "widowed": "widow",
}  # fmt: skip
_VOWEL = re.compile(r"[aeiouy]")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The word without its inflection (plural, -ing, -ed), so that `months` meets `month`; not a linguist's stem."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) <= 3 or not word.isalpha():
        return word
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        root = word[: -len(ending)]
        if word.endswith(ending) and len(root) >= 3 and _VOWEL.search(root):
            return _bare(root)
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def _bare(root: str) -> str:
    """`stopp` to `stop`; a final e is dropped everywhere, so that `rate`, `rated` and `rating` meet."""
    if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz":
        return root[:-1]
    return root[:-1] if root.endswith("e") and len(root) > 4 else root


SYNONYM = 0.9


@lru_cache(maxsize=50_000)
def kin(one: str, other: str) -> float:
    """How near two stems are: 1 the same, 0.9 synonyms, 0.85 one root (pregnant, pregnancy), 0 strangers."""
    if one == other:
        return 1.0
    synonyms = lexicon().synonyms
    if synonyms.get(one, frozenset()) & synonyms.get(other, frozenset()):
        return SYNONYM
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    if length < SHORTEST_ROOT or length < 0.6 * max(len(one), len(other)):
        return 0.0
    return 0.85 if one[length:] in SUFFIXES and other[length:] in SUFFIXES else 0.0


@lru_cache(maxsize=50_000)
def abbreviates(short: str, word: str) -> bool:
    """Whether a short word can stand for a longer one, as in names of columns: `chk` (checking), `int` (interest)."""
    if len(short) < 2 or len(word) < len(short) + 2 or short[0] != word[0] or word in lexicon().groups["scope.function"]:
        return False
    if word.startswith(short):
        return True
    rest = iter(word)
    return not _VOWEL.search(short[1:]) and len(short) > 2 and all(letter in rest for letter in short)
