"""Dates, numbers and strings of a logical form as a person would write them."""

import re

from inspired.logical_form.forms import Literal

DATE, COUNT, AMOUNT, CODE = "date", "count", "amount", "code"
DATE_TYPES = ("date", "dateTime", "gYear", "gYearMonth")

_DATE = re.compile(r"(-?\d{4,})(?:-(\d\d)(?:-(\d\d))?)?(?:T([\d:.]+))?(?:Z|[+-]\d\d:\d\d)?")
_NUMBER = re.compile(r"([+-]?)(\d+)(\.\d+)?")
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_IRREGULAR = {"person": "people", "child": "children", "man": "men", "woman": "women", "series": "series", "species": "species"}
_MIDNIGHT = re.compile(r"[0:.]*")

_DATE_SIGNS = {"<": "before {0}", ">": "after {0}", "!=": "not {1}", "=": "{1}"}
_COUNT_SIGNS = {
    "<": "fewer than {0}",
    ">": "more than {0}",
    "<=": "{0} or fewer",
    ">=": "{0} or more",
    "=": "{0}",
    "!=": "any number but {0} of",
}
_AMOUNT_SIGNS = {
    "<": "less than {0}",
    ">": "greater than {0}",
    "<=": "of {0} or less",
    ">=": "of {0} or more",
    "=": "of {0}",
    "!=": "other than {0}",
}


def is_date(literal: Literal) -> bool:
    return literal.datatype in DATE_TYPES


def date_words(text: str) -> str:
    """`2011-01-10` as "10 January 2011"; what is no date stays as it is."""
    match = _DATE.fullmatch(text)
    if match is None or (match[2] and not 1 <= int(match[2]) <= len(_MONTHS)):
        return text
    year, month, day, time = match.groups()
    words = " ".join(filter(None, (day and str(int(day)), month and _MONTHS[int(month) - 1], year)))
    return words if not time or _MIDNIGHT.fullmatch(time) else f"{words} at {time}"


def on_date(text: str) -> str:
    """A date with its preposition: "in 1899", "on 10 January 2011"."""
    words = date_words(text)
    return f"on {words}" if words[:2].strip().isdigit() and " " in words else f"in {words}"


def number_words(text: str) -> str:
    """`9153489` as "9,153,489". Four digits and leading zeros stay, since codes and years look like that."""
    match = _NUMBER.fullmatch(text)
    if match is None or len(match[2]) < 5 or match[2].startswith("0"):
        return text
    return f"{match[1]}{int(match[2]):,}{match[3] or ''}"


def quoted(literal: Literal) -> str:
    """A literal standing for itself: numbers and dates bare, other text in quotation marks."""
    if is_date(literal):
        return date_words(literal.text)
    if _NUMBER.fullmatch(literal.text):
        return number_words(literal.text)
    return f"“{literal.text.replace('“', '‘').replace('”', '’')}”"


def compared(kind: str | None, operator: str, literal: Literal) -> str:
    """What a value is compared with, to follow a noun or a verb: "before 1899", "more than 500", "of 2.5 or less"."""
    if kind == DATE or (kind is None and is_date(literal)):
        words, exact = date_words(literal.text), on_date(literal.text)
        if operator in ("<=", ">="):
            return f"{exact.split()[0]} or {'before' if operator == '<=' else 'after'} {words}"
        return _DATE_SIGNS[operator].format(words, exact)
    if kind == CODE and operator == "=":
        return literal.text
    words = number_words(literal.text) if _NUMBER.fullmatch(literal.text) else quoted(literal)
    return (_COUNT_SIGNS if kind == COUNT else _AMOUNT_SIGNS)[operator].format(words)


def extreme(kind: str | None, descending: bool) -> str:
    if kind == DATE:
        return "latest" if descending else "earliest"
    return "largest" if descending else "smallest"


def ordinal(number: int) -> str:
    named = {1: "", 2: "second ", 3: "third ", 4: "fourth ", 5: "fifth "}
    return named.get(number, f"number {number} by ")


def article(noun: str) -> str:
    if noun.startswith("the "):
        return noun
    return f"an {noun}" if noun[:1].lower() in "aeiou" and not noun.startswith(("uni", "eu", "us ", "one")) else f"a {noun}"


def plural(noun: str) -> str:
    """Of the last word: enough for the nouns of the templates."""
    if " of " in noun:
        head, _, rest = noun.partition(" of ")
        return f"{plural(head)} of {rest}"
    head, _, last = noun.rpartition(" ")
    if last in _IRREGULAR:
        return f"{head} {_IRREGULAR[last]}".strip()
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def singular(word: str) -> str:
    """Of one English word, carefully: a word that may be singular already stays."""
    if word.endswith("ies") and len(word) > 4 and word not in ("series", "species"):
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is", "series", "species", "news", "ics")):
        return word[:-1]
    return word
