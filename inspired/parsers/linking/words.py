"""Questions as words: tokens with their places, plain forms and stems; the general English is in `words.toml`."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

_TOKEN = re.compile(r"[<>]=?|=|%|(?<![\w-])-\d(?:[\d,.]*\d)?|\d(?:[\d,.]*\d)?|[^\W\d_]+(?:[.'’][^\W\d_]+)*|[^\W_]", re.UNICODE)
_ENDINGS = tuple(
    "ationally ational ization ations ation ingly ments ment ously ated ates ating ions ion ings ing ence ences ent ance "
    "ant ities ity ies ied ous ers ors ed er or es ly al s".split()
)


# How long a word is whose last letter may be doubled by its ending: "controlled", but not "called".
_DOUBLED = {"l": 6, "": 4}


@dataclass(frozen=True, slots=True)
class QuestionToken:
    """`start` and `end` are places in the question; `plain` has no case and no diacritics, nor the 's of an owner."""

    text: str
    plain: str
    stem: str
    start: int
    end: int

    @property
    def is_stop(self) -> bool:
        return self.plain in stop_words()


def tokens_of(text: str) -> tuple[QuestionToken, ...]:
    result = []
    for match in _TOKEN.finditer(text):
        flat = plain(match[0])
        result.append(QuestionToken(match[0], flat, stem(flat), match.start(), match.end()))
    return tuple(result)


@lru_cache(maxsize=65536)
def plain(text: str) -> str:
    """Lower case without diacritics, and without the 's of an owner: "Côte d'Ivoire's" as "cote d'ivoire"."""
    decomposed = unicodedata.normalize("NFKD", text.replace("’", "'"))
    flat = "".join(each for each in decomposed if not unicodedata.combining(each)).casefold()
    return re.sub(r"'s$|(?<=s)'$", "", flat)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """What the forms of an English word share, roughly: "borders", "bordering" and "bordered" as "bord"."""
    word = str(_tables()["irregular"].get(word, word))
    if len(word) < 4 or not word.isalpha():
        return word
    shorter = word
    while shorter:  # "discovery" is "discover" and then "discov", as "discovered" is
        word, shorter = shorter, _shortened(shorter)
    return word


def _shortened(word: str) -> str:
    """The word without one more ending; empty where it has none."""
    shorter = _without_ending(word)
    if shorter != word:
        return shorter
    if len(word) > _DOUBLED["l" if word[-1] == "l" else ""] and word[-1] == word[-2] and word[-1] not in "saeiou":
        return word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] in "eyi" else ""


def _without_ending(word: str) -> str:
    for ending in _ENDINGS:
        kept = len(word) - len(ending)
        if word.endswith(ending) and kept >= 3 and not (ending == "s" and word.endswith(("ss", "us", "is"))):
            return word[:kept]
    return word


def content_stems(text: str) -> tuple[str, ...]:
    """The stems of the words that mean something, in order."""
    return tuple(each.stem for each in tokens_of(text) if not each.is_stop)


@cache
def stop_words() -> frozenset[str]:
    return frozenset(str(_tables()["stop"]).split())


@cache
def general_words() -> frozenset[str]:
    """The words of general English that questions are read by."""
    rows = [*table("comparatives"), *table("superlatives"), *table("numbers"), *table("multiples"), *table("months")]
    framing = [each for row in table("framing").values() for each in (row if isinstance(row, list) else [row])]
    same = [row for name in ("kinds", "synonyms") for row in table(name)["rows"]]
    return (
        frozenset(word for each in (*rows, *framing, *same) for word in each.split() if word.isalpha())
        | stop_words()
        | {*str(_tables()["general"]).split()}
    )


@cache
def _general_stems() -> frozenset[str]:
    return frozenset(map(stem, general_words()))


def is_general(token: QuestionToken) -> bool:
    """Whether a word is one of `general_words`, in any of its forms."""
    return token.plain in general_words() or token.stem in _general_stems()


def plural(word: str) -> str:
    return f"{word[:-1]}ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else f"{word}s"


def table(name: str) -> Mapping[str, Any]:
    """One of the tables of `words.toml`."""
    rows: Mapping[str, Any] = _tables()[name]
    return rows


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
