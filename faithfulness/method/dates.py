"""Dates inside short answers, in one form: ISO, partial where the text is ("1965-08-11", "2017-12", "1947", "--08-11").

A bare month ("May", "March on Washington") and a bare small number are no dates. A numeric date whose day and month could be
exchanged (8/11/1965) keeps its own form unless an order is given, so it agrees only with itself.
"""

import re
from enum import StrEnum
from functools import lru_cache

MONTHS = [
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
]  # fmt: skip
_NUMBER_OF = {name: i + 1 for i, name in enumerate(MONTHS)} | {name[:3]: i + 1 for i, name in enumerate(MONTHS)}
_NUMBER_OF["sept"] = 9
_MONTH = r"(?P<{0}>" + "|".join(sorted(_NUMBER_OF, key=len, reverse=True)) + r")\.?"
_DAY = r"(?P<{0}>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<{0}>1\d{{3}}|20\d{{2}})"
_TO = r"\s*(?:-|to|and|until|till|through)\s*"


class DateOrder(StrEnum):
    """How to read 8/11/1965."""

    UNKNOWN = "unknown"
    DAY_FIRST = "day first"
    MONTH_FIRST = "month first"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,/-])(?:{text})(?![\w/]|[.,-]\d)", re.IGNORECASE)


def _m(name: str) -> str:
    return _MONTH.format(name)


def _d(name: str) -> str:
    return _DAY.format(name)


def _y(name: str = "y") -> str:
    return _YEAR.format(name)


# From the most to the least specific; the first that matches at a place wins.
_PATTERNS = [
    _pattern(rf"{_y()}-(?P<nm>0[1-9]|1[0-2])-(?P<d>0[1-9]|[12]\d|3[01])"),
    _pattern(rf"{_m('m')}\s+{_d('d')}{_TO}{_m('m2')}\s+{_d('d2')}(?:\s*,?\s*{_y()})?"),
    _pattern(rf"{_m('m')}\s+{_d('d')}{_TO}{_d('d2')}(?:\s*,?\s*{_y()})?"),
    _pattern(rf"{_d('d')}{_TO}{_d('d2')}\s+(?:of\s+)?{_m('m')}(?:\s*,?\s*{_y()})?"),
    _pattern(rf"{_m('m')}\s+{_d('d')}(?:\s*,?\s*{_y()})?"),
    _pattern(rf"{_d('d')}\s+(?:of\s+)?{_m('m')}(?:\s*,?\s*{_y()})?"),
    _pattern(rf"{_m('m')}\s*,?\s*(?:of\s+)?{_y()}"),
    _pattern(r"(?P<a>\d{1,2})/(?P<b>\d{1,2})/" + _y()),
    _pattern(rf"{_y()}{_TO}{_y('y2')}"),
    _pattern(r"(?P<decade>(?:1\d|20)\d0)s"),
    _pattern(_y()),
]


@lru_cache(maxsize=4096)  # the same answers are compared again and again, and every character may begin a date
def canonical(text: str, order: DateOrder = DateOrder.UNKNOWN) -> tuple[str, frozenset[str]]:
    """`text` with every date in ISO form (a range as `first/last`), and the set of all dates in it."""
    text = re.sub("[\u2010-\u2015\u2212]", "-", text)
    result: set[str] = set()
    out, position = [], 0
    while position < len(text):
        match = next((m for m in (p.match(text, position) for p in _PATTERNS) if m), None)
        if match is None:
            out.append(text[position])
            position += 1
            continue
        dates = _dates(match, order)
        result.update(dates)
        out.append("/".join(dates))
        position = match.end()
    return "".join(out), frozenset(result)


def agree(first: str, second: str, order: DateOrder = DateOrder.UNKNOWN) -> bool:
    """Whether two answers hold the same set of dates; none and none is agreement, one side empty is not (section 3.3)."""
    return canonical(first, order)[1] == canonical(second, order)[1]


def _dates(match: re.Match[str], order: DateOrder) -> list[str]:
    part = match.groupdict()
    if part.get("decade"):
        return [f"{part['decade']}s"]
    if "a" in part:
        return [_numeric(match.group(), int(part["a"]), int(part["b"]), part["y"], order)]
    if part.get("y2"):
        return [part["y"], part["y2"]]
    month = int(part["nm"]) if part.get("nm") else _NUMBER_OF.get((part.get("m") or "").lower())
    year = part.get("y")
    if month is None:
        return [str(year)]
    first = _iso(year, month, part.get("d"))
    if not part.get("d2"):
        return [first]
    second = _NUMBER_OF[part["m2"].lower()] if part.get("m2") else month
    return [first, _iso(year, second, part["d2"])]


def _iso(year: str | None, month: int, day: str | None) -> str:
    text = f"{year or '-'}-{month:02d}"
    return f"{text}-{int(day):02d}" if day else text


def _numeric(text: str, a: int, b: int, year: str, order: DateOrder) -> str:
    day_first = a > 12 or order is DateOrder.DAY_FIRST
    month_first = b > 12 or order is DateOrder.MONTH_FIRST
    if a == b:
        return f"{year}-{a:02d}-{b:02d}"
    if day_first == month_first or max(a, b) > 31:
        return text
    day, month = (a, b) if day_first else (b, a)
    return f"{year}-{month:02d}-{day:02d}" if month <= 12 else text
