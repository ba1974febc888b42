"""Numbers, dates, comparisons and superlatives in the words of a question."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from inspired.parsers.linking.words import QuestionToken, table

_YEARS = range(1000, 2101)
_LONGEST_PHRASE = 4
_DAYS = 31
_SHORTEST = 3
_THOUSAND = 1000
_SMALL = frozenset("small low short few little tiny poor light slow thin narrow shallow weak cheap scarc meagr slim".split())
_NO_SUPERLATIVES = frozenset("forest interest request harvest conquest protest contest invest suggest arrest manifest".split())


@dataclass(frozen=True, slots=True)
class Value:
    """The tokens from `start` to before `end` as a number, a date, or what could be either ("1990").

    `date` is a year, or a year with month and day, in the digits of XSD: "1990", "1990-05", "1990-05-17".
    """

    start: int
    end: int
    number: float | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True)
class ComparisonMention:
    """`operator` with `value`, and with `upper` for what lies between; the tokens include the words that compare."""

    start: int
    end: int
    operator: str
    value: Value
    upper: Value | None = None


@dataclass(frozen=True, slots=True)
class SuperlativeMention:
    """A superlative: `about` are words that the value then has in its name, `rank` counts from 1 ("second largest").

    One that `compares` ("larger than Spain", "larger, France or Spain") is about the things that are named and no others. Of
    the row, `many` are asked for ("the three largest", "top five").
    """

    start: int
    end: int
    descending: bool
    about: tuple[str, ...]
    of_date: bool = False
    rank: int = 1
    compares: bool = False
    many: int = 1


def values_in(tokens: Sequence[QuestionToken]) -> tuple[Value, ...]:
    """The numbers and dates, from left to right; none overlaps another."""
    values, index = [], 0
    while index < len(tokens):
        value = _date_at(tokens, index) or _number_at(tokens, index)
        if value is not None:
            values.append(value)
        index = value.end if value is not None else index + 1
    return tuple(values)


def comparisons_in(tokens: Sequence[QuestionToken], values: Sequence[Value]) -> tuple[ComparisonMention, ...]:
    """Each value with the words that compare it; "=" for a value that stands alone."""
    periods = tuple(_periods_in(tokens))
    mentions: list[ComparisonMention] = [*periods]
    joined = {each for each in values if any(period.start <= each.start < period.end for period in periods)}
    for index, value in enumerate(values):
        following = values[index + 1] if index + 1 < len(values) else None
        if value in joined:
            continue
        before, behind = _phrase(tokens, value.start - 1, value.start), _phrase(tokens, value.end, value.end + 1)
        adjoining = following is not None and following.start == value.end + 1 and behind in ("and", "to")
        if following is not None and adjoining and before in ("between", "from"):
            joined.add(following)
            lower = _in_units_of(tokens, value, following)
            mentions.append(ComparisonMention(value.start - 1, following.end, ">=", lower, following))
        elif following is not None and _is_range(tokens, value, following):
            joined.add(following)
            begin = value.start - (before in _RANGES)
            mentions.append(ComparisonMention(begin, following.end, ">=", _in_units_of(tokens, value, following), following))
        else:
            mentions.append(_compared(tokens, value))
    return tuple(mentions)


_RANGES = ("of", "in", "during", "at")
# What a period of years is asked with, and what then counts of it: its years, or those before or after it.
_BEFORE_PERIODS = {"before": "<", "until": "<=", "after": ">", "since": ">="}
_CENTURY, _DECADE = 100, 10


def _periods_in(tokens: Sequence[QuestionToken]) -> Iterator[ComparisonMention]:
    """ "in the 1960s", "the 1800s", "during the 19th century", "since the 1990s"."""
    ordinals = table("ordinals")
    for index, token in enumerate(tokens[:-1]):
        word, behind = token.plain, tokens[index + 1]
        joined = behind.start == token.end
        end = index + 2
        if joined and behind.plain == "s" and word.isdigit() and int(word) in _YEARS and word.endswith("0"):
            first, years = int(word), _CENTURY if word.endswith("00") else _DECADE
        elif (
            joined
            and behind.plain in ("st", "nd", "rd", "th")
            and word.isdigit()
            and _phrase(tokens, end, end + 1) == "century"
        ):
            first, years, end = (int(word) - 1) * _CENTURY + 1, _CENTURY, end + 1
        elif behind.plain == "century" and word in ordinals:
            first, years = (int(ordinals[word]) - 1) * _CENTURY + 1, _CENTURY
        else:
            continue
        begin = index - (_phrase(tokens, index - 1, index) == "the")
        preposition = _phrase(tokens, begin - 1, begin)
        operator = _BEFORE_PERIODS.get(preposition)
        begin -= preposition in _RANGES or operator is not None
        opening = Value(index, end, date=f"{first:04}")
        closing = Value(index, end, date=f"{first + years - 1:04}")
        if operator is None:
            yield ComparisonMention(begin, end, ">=", opening, closing)
        else:
            yield ComparisonMention(begin, end, operator, opening if operator in ("<", ">=") else closing)


def _is_range(tokens: Sequence[QuestionToken], value: Value, following: Value) -> bool:
    """ "1940 to 1945", "15-17": from one to the other."""
    behind = _phrase(tokens, value.end, value.end + 1)
    dashed = following.start == value.end and tokens[following.start].start == tokens[value.end - 1].end + 1
    joined = dashed or (behind == "to" and following.start == value.end + 1)
    return joined and value.number is not None and following.number is not None and value.number < following.number


def _in_units_of(tokens: Sequence[QuestionToken], value: Value, upper: Value) -> Value:
    """The lower end of "between 50 and 100 million", which is told in millions too."""
    if value.number is None or upper.number is None or value.end != value.start + 1 or value.number >= _THOUSAND:
        return value
    multiples = [_multiple(tokens, index) for index in range(upper.start + 1, upper.end)]
    return replace(value, number=value.number * math.prod(multiples), date=None if math.prod(multiples) > 1 else value.date)


def extremes_in(tokens: Sequence[QuestionToken]) -> tuple[SuperlativeMention, ...]:
    """The superlatives, the longest phrases first: "most populous" and not "most"."""
    known, index = table("superlatives"), 0
    mentions: list[SuperlativeMention] = []
    while index < len(tokens):
        size = next((n for n in (3, 2, 1) if _phrase(tokens, index, index + n) in known), 0)
        size = size or int(_is_superlative(tokens[index].plain))
        adjective = _most_adjective(tokens, index) if size == 1 else None
        size += adjective is not None
        if size and mentions and mentions[-1].end == index and tokens[index].plain in ("first", "last"):
            mentions[-1] = replace(mentions[-1], end=index + size)  # "longest first" is one superlative, not two
        elif size:
            phrase = _phrase(tokens, index, index + size)
            entry = adjective or known.get(phrase) or {"descending": not phrase.startswith(tuple(_SMALL)), "about": ""}
            rank = _rank_before(tokens, index)
            begin, end, many = _how_many(tokens, index - (rank > 1), index + size)
            many = _SEVERAL if many == rank == 1 and _asks_for_several(tokens, begin, end) else many
            about = tuple(entry["about"].split())
            of_date = entry.get("date", False)
            mentions.append(SuperlativeMention(begin, end, entry["descending"], about, of_date, rank, many=many))
            size = end - index
        index += size or 1
    return (*mentions, *_beyond_all(tokens), *_comparing(tokens))


def _most_adjective(tokens: Sequence[QuestionToken], index: int) -> Mapping[str, Any] | None:
    """What "most cheap" and "least heavy" ask for: the superlative of the adjective, or its opposite."""
    first, word = tokens[index].plain, _phrase(tokens, index + 1, index + 2)
    if first not in ("most", "least") or not word:
        return None
    entry = next(
        (row for each in (f"{word}est", f"{word}st", f"{word[:-1]}iest") if (row := table("superlatives").get(each))), None
    )
    return {**entry, "descending": entry["descending"] == (first == "most")} if entry else None


def _how_many(tokens: Sequence[QuestionToken], start: int, end: int) -> tuple[int, int, int]:
    """ "the three largest", "the largest three", "top 5": where that begins and ends, and how many of the row it asks for."""
    before = _small_number(tokens, start - 1)
    if before:
        return start - 1, end, before
    behind = _small_number(tokens, end) if _phrase(tokens, start, end) in _ROWS else 0
    return (start, end + 1, behind) if behind else (start, end, 1)


# "What are the largest cities in Italy?" asks for more than one, and does not say for how many.
_SEVERAL = 5
_LISTS = re.compile(r"(?:what|which) (?:are|were) the|(?:please )?(?:name|list|(?:tell|give|show) (?:me|us)) (?:some of )?the")


def _asks_for_several(tokens: Sequence[QuestionToken], begin: int, end: int) -> bool:
    """Whether a list of things is asked for by their noun in the plural, right behind a superlative."""
    noun = tokens[end].plain if end < len(tokens) else ""
    is_plural = noun.endswith("s") and len(noun) > _SHORTEST and not noun.endswith(("ss", "us", "is"))
    return is_plural and _LISTS.fullmatch(_phrase(tokens, 0, begin)) is not None


_ROWS = (
    "top",
    "first",
    "last",
    "bottom",
    "largest",
    "biggest",
    "highest",
    "longest",
    "smallest",
    "oldest",
    "newest",
    "latest",
    "lowest",
)
_MOST_OF_A_ROW = 20


def _small_number(tokens: Sequence[QuestionToken], index: int) -> int:
    """A whole number from 2 to 20 at `index`; 0 if there is none."""
    if not 0 <= index < len(tokens):
        return 0
    word = tokens[index].plain
    number = _digits(word) if word[:1].isdigit() else table("numbers").get(word)
    return int(number) if number is not None and number in range(2, _MOST_OF_A_ROW + 1) else 0


def _comparing(tokens: Sequence[QuestionToken]) -> Iterator[SuperlativeMention]:
    """ "larger", "more", "older" where things are compared with each other, and not with a number."""
    words = [each.plain for each in tokens]
    than = words.index("than") if "than" in words else None
    if than is None:
        mentions = [_comparative(words, index, alone=_is_alone(words, index)) for index in range(len(words))]
        yield from (each for each in mentions if each and (not each.compares or "or" in words[each.start :]))
    elif than + 1 < len(words) and words[than + 1] not in _OTHERS and _digits(words[than + 1]) is None:
        yield from filter(None, (_comparative(words, index, alone=False) for index in range(than)))


def _comparative(words: Sequence[str], index: int, alone: bool) -> SuperlativeMention | None:
    """The comparative at `index`, if there is one; `alone`, nothing it is compared with is named."""
    known, word = table("superlatives"), words[index]
    entry = known.get(f"{word[:-1]}st") if word.endswith("er") else _AMOUNTS.get(word)
    if entry is None:
        return None
    # "more people" than Spain has is what "the most people" is said of.
    phrase = known.get(f"{'most' if word == 'more' else 'fewest'} {_counted(words, index)}")
    about = tuple(str((phrase or entry)["about"]).split())
    end = index + 1 + bool(phrase)
    return SuperlativeMention(index, end, bool(entry["descending"]), about, bool(entry.get("date", False)), compares=not alone)


def _counted(words: Sequence[str], index: int) -> str:
    """The word behind "more", "fewer" or "less"."""
    return words[index + 1] if words[index] in _AMOUNTS and index + 1 < len(words) else ""


def _is_alone(words: Sequence[str], index: int) -> bool:
    """ "the country with less people", of people who learn English, is the one with the fewest."""
    return (bool(_counted(words, index)) and words[index - 1 : index] == ["with"]) or _chooses(words[:index])


def _chooses(words: Sequence[str]) -> bool:
    """ "which of these (is larger)": the largest of what was found."""
    return words[:1] in (["which"], ["who"], ["what"]) and any(pair in _AMONG for pair in pairwise(words))


_AMONG = (("of", "these"), ("of", "those"), ("of", "them"))
_AMOUNTS: Mapping[str, Mapping[str, str | bool]] = {
    "more": {"descending": True, "about": ""},
    "fewer": {"descending": False, "about": ""},
    "less": {"descending": False, "about": ""},
}
_OTHERS = ("any", "all", "every", "anyone", "anywhere", "others")


def _beyond_all(tokens: Sequence[QuestionToken]) -> Iterator[SuperlativeMention]:
    """ "more lakes than any other": a superlative in other words."""
    for index, token in enumerate(tokens[:-1]):
        if token.plain != "than" or tokens[index + 1].plain not in _OTHERS:
            continue
        for start in range(index - 1, max(index - 6, -1), -1):
            word = tokens[start].plain
            smaller = word in ("less", "fewer") or word.removesuffix("er") in _SMALL or word.removesuffix("r") in _SMALL
            if smaller or word == "more" or (word.endswith("er") and len(word) > _SHORTEST):
                yield SuperlativeMention(start, start + 1, not smaller, ())
                break


def _is_superlative(word: str) -> bool:
    """Whether a word that no table has looks like one: "wettest", but not "forest"."""
    return word.endswith("est") and len(word) > _SHORTEST + 2 and word not in _NO_SUPERLATIVES


_RANKS = {"second": 2, "third": 3, "fourth": 4, "fifth": 5, "2nd": 2, "3rd": 3}


def _rank_before(tokens: Sequence[QuestionToken], index: int) -> int:
    return _RANKS.get(tokens[index - 1].plain, 1) if index else 1


def _phrase(tokens: Sequence[QuestionToken], start: int, end: int) -> str:
    return " ".join(each.plain for each in tokens[start:end]) if 0 <= start < end <= len(tokens) else ""


def _compared(tokens: Sequence[QuestionToken], value: Value) -> ComparisonMention:
    known = table("comparatives")
    for size in range(_LONGEST_PHRASE, 0, -1):
        if (operator := known.get(f"... {_phrase(tokens, value.end, value.end + size)}")) is not None:
            return ComparisonMention(value.start, value.end + size, operator, value)
    for size in range(_LONGEST_PHRASE, 0, -1):
        start = value.start - size
        if (operator := known.get(_phrase(tokens, start, value.start))) is not None:
            return ComparisonMention(start, value.end, operator, value)
    if value.date is not None and _phrase(tokens, value.start - 1, value.start) == "by":
        return ComparisonMention(value.start - 1, value.end, "<=", value)  # "founded by 1990", but not "by 3 people"
    return _than(tokens, value) or ComparisonMention(value.start, value.end, "=", value)


def _than(tokens: Sequence[QuestionToken], value: Value) -> ComparisonMention | None:
    """ "wetter than", "more densely settled than": any comparative, upwards unless its adjective is a small one."""
    if _phrase(tokens, value.start - 1, value.start) != "than":
        return None
    for start in range(value.start - 2, max(value.start - 5, -1), -1):
        word = tokens[start].plain
        if word in ("less", "fewer") or word.removesuffix("er") in _SMALL or word.removesuffix("r") in _SMALL:
            return ComparisonMention(start, value.end, "<", value)
        if word == "more" or (word.endswith("er") and len(word) > _SHORTEST):
            return ComparisonMention(start, value.end, ">", value)
    return None


def _number_at(tokens: Sequence[QuestionToken], index: int) -> Value | None:
    if index and tokens[index - 1].end == tokens[index].start and tokens[index - 1].plain.isalpha():
        return None  # "CO2", "K2"
    first = _digits(tokens[index].plain)
    end = index + 1
    if first is None:
        first = table("numbers").get(tokens[index].plain)
        if tokens[index].plain == "half" and _phrase(tokens, index + 1, index + 2) in ("a", "of", "the"):
            end += 1
        if tokens[index].plain in ("a", "one") and _multiple(tokens, index + 1) != 1:
            first = 1
        # "one" and "two" alone are hardly ever values.
        if first is None or (tokens[index].plain in ("one", "half") and _multiple(tokens, end) == 1):
            return None
    plain_year = tokens[index].plain.isdigit() and first in _YEARS
    number = float(first)
    # "8000 m" are metres, "5 m" may be millions; "90 K" are kelvin, "90K" thousands.
    while (multiple := _multiple(tokens, end)) != 1 and not _is_unit(number, tokens, end):
        number, end, plain_year = number * multiple, end + 1, False
    if end < len(tokens) and tokens[end].plain in ("%", "percent"):
        end, plain_year = end + 1, False
    elif _phrase(tokens, end, end + 2) == "per cent":
        end, plain_year = end + 2, False
    return Value(index, end, number, tokens[index].plain if plain_year else None)


def _is_unit(number: float, tokens: Sequence[QuestionToken], index: int) -> bool:
    """Whether "m" or "k" is no multiple; "500 K people" are thousands, since people stand behind them."""
    token, behind = tokens[index], tokens[index + 1 : index + 2]
    kelvin = token.text == "K" and token.start > tokens[index - 1].end and all(each.is_stop for each in behind)
    return kelvin or (number >= _THOUSAND and token.plain in ("m", "k"))


def _multiple(tokens: Sequence[QuestionToken], index: int) -> float:
    return float(table("multiples").get(tokens[index].plain, 1)) if index < len(tokens) else 1


def _digits(text: str) -> float | None:
    if not text.lstrip("-")[:1].isdigit():
        return None
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def _date_at(tokens: Sequence[QuestionToken], index: int) -> Value | None:
    """A day or a month: "17 May 1990", "May 17, 1990", "May 1990"."""
    for size in (3, 2):
        part = [each.plain.strip(",.") for each in tokens[index : index + size]]
        if len(part) == size and (date := next(_readings(part), None)):
            return Value(index, index + size, date=date)
    return None


def _readings(part: Sequence[str]) -> Iterator[str]:
    months = table("months")
    for month, day, year in ((0, 1, 2), (1, 0, 2)) if len(part) == 3 else ((0, None, 1),):
        if part[month] not in months or not part[year].isdigit() or int(part[year]) not in _YEARS:
            continue
        if day is None:
            yield f"{part[year]}-{months[part[month]]:02}"
        elif part[day].isdigit() and 1 <= int(part[day]) <= _DAYS:
            yield f"{part[year]}-{months[part[month]]:02}-{int(part[day]):02}"
