"""Dates as people write them ("1 June 2021", "March 2020", "in 2020"), and the conditions that they make on date columns."""

import calendar
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise

from ttm.language.parse import Comparator
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding, SurfacePart
from ttm.parsers.linker.schema_linking.names import words_in
from ttm.parsers.linker.schema_linking.reading import UtteranceReading
from ttm.parsers.linker.words.lexicon import stem
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.tabular.data.schema import Feature, FeatureKind

MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
MONTHS |= {name.lower(): number for number, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
BEFORE_YEAR = frozenset("in during since before after from until till by year of through and".split())
YEARS = range(1900, 2101)
SMALL = frozenset("the on at , day date is was were than or of".split())
COMPARED = {
    "after": Comparator.GREATER, "since": Comparator.GREATER_EQUAL, "from": Comparator.GREATER_EQUAL,
    "before": Comparator.LESS, "until": Comparator.LESS_EQUAL, "till": Comparator.LESS_EQUAL, "by": Comparator.LESS_EQUAL,
    "later": Comparator.GREATER, "earlier": Comparator.LESS, "between": Comparator.GREATER_EQUAL,
    "over": Comparator.GREATER, "under": Comparator.LESS,
}  # fmt: skip
REACH = 6


def with_dates(tokens: Sequence[UtteranceToken]) -> list[UtteranceToken]:
    """Tokens with written dates as single ones in ISO form. A month or a year is its first day, with the form `period`."""
    result: list[UtteranceToken] = []
    position = 0
    while position < len(tokens):
        length, token = _date_at(tokens, position)
        result.append(token)
        position += length
    return result


def _date_at(tokens: Sequence[UtteranceToken], at: int) -> tuple[int, UtteranceToken]:
    def number(index: int, values: range) -> int | None:
        token = tokens[index] if 0 <= index < len(tokens) else None
        is_whole = (
            token is not None and token.kind is TokenKind.NUMBER and token.value.is_integer() and int(token.value) in values
        )
        return int(token.value) if token and is_whole else None

    def skip(index: int, *words: str) -> int:
        return index + (index < len(tokens) and tokens[index].text in words)

    day, month_at = number(at, range(1, 32)), at
    if day is not None:
        month_at = skip(at + 1, "of")
    month = MONTHS.get(tokens[month_at].text) if month_at < len(tokens) else None
    if month is not None:
        day_at = month_at + 1
        later = number(day_at, range(1, 32)) if day is None else None
        year_at = skip(day_at if later is None else day_at + 1, ",", "of")
        year = number(year_at, YEARS)
        if year is not None:
            return year_at + 1 - at, _token(tokens[at], tokens[year_at], year, month, day or later)
    year = number(at, YEARS)
    if year is not None and tokens[at].text.isdigit() and at and tokens[at - 1].text in BEFORE_YEAR:
        return 1, _token(tokens[at], tokens[at], year, None, None)
    return 1, tokens[at]


def _token(first: UtteranceToken, last: UtteranceToken, year: int, month: int | None, day: int | None) -> UtteranceToken:
    """A day, or the period of a month or year; a day that no calendar has leaves the first of its month."""
    if month is not None and day is not None and day <= calendar.monthrange(year, month)[1]:
        return UtteranceToken(date(year, month, day).isoformat(), TokenKind.DATE, first.start, last.end)
    start = date(year, month or 1, 1)
    end = date(year + 1, 1, 1) if month in (None, 12) else date(year, (month or 0) + 1, 1)
    return replace(
        first, text=start.isoformat(), kind=TokenKind.DATE, end=last.end, value=0.0, form="period", raw=end.isoformat()
    )


def year_token(token: UtteranceToken) -> UtteranceToken:
    """A number as the period of a year."""
    return _token(token, token, int(token.value), None, None)


def date_conditions(reading: UtteranceReading, ground: SchemaGrounding) -> tuple[list[SurfacePart], set[int]]:
    """Conditions on date columns and the items of their dates."""
    dates = [at for at, item in enumerate(reading.items) if item.token.kind is TokenKind.DATE and item.mention is None]
    columns = [feature for feature in ground.schema.features if feature.kind is FeatureKind.DATE]
    if not columns:
        return [], set()
    parts: list[SurfacePart] = []
    for number, at in enumerate(dates):
        feature, start = _column(reading, at, columns)
        closes = number > 0 and at - dates[number - 1] <= 2 and reading.words[at - 1] in ("and", "to", "until", "till")
        start, comparator = _comparator(reading, at, start)
        if closes:
            comparator = Comparator.LESS_EQUAL
        parts += [SurfacePart(start, at + 1, text, 0.1) for text in _texts(feature, comparator, reading.items[at].token)]
    return parts, set(dates)


def _column(reading: UtteranceReading, at: int, columns: Sequence[Feature]) -> tuple[Feature, int]:
    """The date column that stands nearest before or after, or whose words a verb before has; and where that is said."""
    words = reading.words
    for index in [*range(at - 1, max(-1, at - 1 - REACH), -1), *range(at + 1, min(len(words), at + REACH))]:
        named = reading.items[index].feature
        if named in columns:
            return named, min(index, at)
    for start in range(max(0, at - REACH), at):
        stems = {stem(word) for word in words[start:at]}
        stems |= {stem(one) + other for one, other in zip(words[start:at], words[start + 1 : at], strict=False)}
        shared = [feature for feature in columns if stems & set(words_in(feature.name))]
        if shared and not stems.isdisjoint({word for feature in shared for word in words_in(feature.name)}):
            begins = max(index for index in range(start, at) if _shares(words[index:at], shared[0]))
            return shared[0], begins
    return columns[0], at


def _shares(words: Sequence[str], feature: Feature) -> bool:
    joined = {stem(one) + other for one, other in pairwise(words)}
    return bool(({stem(word) for word in words} | joined) & set(words_in(feature.name)))


def _comparator(reading: UtteranceReading, at: int, start: int) -> tuple[int, Comparator]:
    index = at - 1
    while index >= 0 and at - index < 4 and reading.words[index] in SMALL:
        index -= 1
    word = reading.words[index] if index >= 0 else ""
    if word in COMPARED:
        inclusive = reading.words[index + 1 : index + 2] == ["or"]
        comparator = COMPARED[word]
        if inclusive and comparator in (Comparator.GREATER, Comparator.LESS):
            comparator = Comparator.GREATER_EQUAL if comparator is Comparator.GREATER else Comparator.LESS_EQUAL
        return min(start, index), comparator
    return min(start, index if word in ("in", "during") else at), Comparator.EQUAL


def _texts(feature: Feature, comparator: Comparator, token: UtteranceToken) -> list[str]:
    """One condition, or two for a whole month or year; "after 2020" begins with 2021."""
    prefix, first, end = f"filter {feature.token}", token.text, token.raw
    if token.form != "period":
        return [f"{prefix} {comparator} {first}"]
    if comparator is Comparator.EQUAL:
        return [f"{prefix} {Comparator.GREATER_EQUAL} {first}", f"{prefix} {Comparator.LESS} {end}"]
    if comparator is Comparator.GREATER:
        return [f"{prefix} {Comparator.GREATER_EQUAL} {end}"]
    if comparator is Comparator.LESS_EQUAL:
        return [f"{prefix} {Comparator.LESS} {end}"]
    return [f"{prefix} {comparator} {first}"]
