"""Reads the running text of the CIA World Factbook, strictly: what is not wholly understood is not read at all."""

import html
import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+"
_QUANTITY = rf"(?P<sign>-?)(?P<dollar>\$?)(?P<number>{_NUMBER})(?: (?P<scale>thousand|million|billion|trillion))?"
_YEAR = r"(?: ?\((?P<year>\d{4})(?: est\.)?\))?"
_MONTHS = "January February March April May June July August September October November December".split()
_DATE = rf"(?P<day>\d{{1,2}}) (?P<month>{'|'.join(_MONTHS)}) (?P<year>\d{{4}})"
_STRETCH = re.compile(rf"(?P<name>[^\d;:]+?) (?P<number>{_NUMBER}) km")
_UNSAID = re.compile(
    r"(?:and )?(?:other|others|none|unspecified|undeclared|unknown|unaffiliated|no answer|not stated|no response|don't|refused"
    r"|mixed|two or more|more than one|no religion|non-?religious|atheist|agnostic|no belief|not specified|multiple|foreign"
    r"|unclaimed|non-believ|nothing|no formal|not affiliated|multiracial|ethnic minorit)\b.*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class FactbookQuantity:
    """`year` is that of the figure, where there is one."""

    value: Decimal
    year: int | None


@dataclass(frozen=True)
class Share:
    name: str
    percentage: Decimal


def clean(text: str) -> str:
    """Without tags, entities and double spaces."""
    bare = re.sub(r"<[^>]*>", " ", html.unescape(text))
    return re.sub(r"[\s\u200b]+", " ", bare.replace("’", "'").replace("‘", "'")).strip()


def quantity(text: str, unit: str) -> FactbookQuantity | None:
    """A number followed by `unit` (a regular expression) and at most a year: "$1.07 trillion (2024 est.)"."""
    match = re.fullmatch(rf"{_QUANTITY} ?(?:{unit}){_YEAR}(?: ?;.*\(.*\))?", clean(text))
    if match is None:
        return None
    value = Decimal(match["number"].replace(",", "")).scaleb(_SCALES.get(match["scale"], 0))
    return FactbookQuantity(-value if match["sign"] else value, int(match["year"]) if match["year"] else None)


def whole(value: Decimal) -> int | None:
    return int(value) if value == value.to_integral_value() else None


def parts(text: str, separator: str = ",") -> list[str]:
    """The text cut at each separator that stands outside brackets."""
    result, depth, start = [], 0, 0
    for index, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character == separator and depth == 0 and not _inside_number(text, index):
            result.append(text[start:index])
            start = index + 1
    return [each.strip() for each in [*result, text[start:]] if each.strip()]


def _inside_number(text: str, index: int) -> bool:
    return text[index] == "," and re.fullmatch(r"\d,\d{3}(?!\d).*", text[max(0, index - 1) : index + 5]) is not None


def without_brackets(text: str) -> str:
    """Without what stands in round brackets, and the brackets."""
    while (shorter := re.sub(r" ?\([^()]*\)", "", text)) != text:
        text = shorter
    return text.strip()


def first_of_two(name: str, other: str | None) -> tuple[str, str | None]:
    """Of two names with a slash between them the one that comes first in the alphabet, however the page orders them."""
    other = other if other and other[0].isupper() else None
    first, *rest = sorted((each.strip() for each in name.split("/")), key=str.casefold)
    return first, rest[0] if rest and other is None else other


def last_year(text: str) -> tuple[str, int | None]:
    """The text before a year in brackets at its end, and the year."""
    match = re.fullmatch(r"(?P<rest>.*?) ?\((?P<year>\d{4})(?: est\.)?\)", text)
    return (match["rest"], int(match["year"])) if match else (text, None)


def shares(text: str) -> tuple[list[Share], list[str], int | None]:
    """Named parts of a whole in percent, what could not be read of them, and the year: "Hindu 79.8%, Muslim 14.2% (2011 est.)".

    Parts that name nobody (other, none, unspecified) are neither: they are no groups.
    """
    body, year = last_year(_turned(clean(text)))
    read, unread = [], []
    for part in parts(body):
        bare = without_brackets(part).strip()
        if _UNSAID.fullmatch(bare):
            continue
        match = re.fullmatch(r"(?P<name>[^\d%<>;:~]*[^\d%<>;:~ ]) (?P<number>\d+(?:\.\d+)?|\.\d+)%", bare)
        if match and not re.search(r"\b(less than|and other|approximately|about|only)\b", match["name"]):
            read.append(Share(match["name"], Decimal(match["number"])))
        else:
            unread.append(part)
    return read, unread, year


def _turned(text: str) -> str:
    """Names that the Factbook turns round with a comma, in their usual order."""
    text = re.sub(r"\bCongo, ((?:Democratic )?Republic of the)\b", r"\1 Congo", text)
    return re.sub(r"(\w), The(?= \d)", r"\1", text)


def borders(text: str) -> tuple[list[tuple[str, Decimal]], list[str]]:
    """Neighbours with the lengths of the borders in km, and what could not be read: "Andorra 55 km; Belgium 556 km".

    A border in two stretches ("Spain (Ceuta) 8 km and Spain (Melilla) 10.5 km") is as long as both.
    """
    read, unread = [], []
    for part in (each for some in parts(clean(text), ";") for each in parts(some)):
        stretches = [_STRETCH.fullmatch(without_brackets(each)) for each in re.split(r"(?<=km) and ", part)]
        shares = [(match["name"], Decimal(match["number"].replace(",", ""))) for match in stretches if match]
        if len(shares) == len(stretches) and len({name for name, _ in shares}) == 1:
            read.append((shares[0][0], sum((length for _, length in shares), Decimal())))
        else:
            unread.append(part)
    return read, unread


def listed(text: str) -> tuple[list[str], int | None]:
    """A list of plain names, and the year at its end; what stands in brackets or after "note" is dropped."""
    body, year = last_year(clean(text))
    body = re.split(r"; ?note\b|\bnote ?[-–:]", body)[0]
    return [without_brackets(each).strip(" .;") for each in parts(body)], year


def first_date(text: str) -> date | None:
    """The whole date that the text begins with: "5 July 1962 (from France)"."""
    match = re.match(rf"{_DATE}\b", clean(text))
    return _date(match) if match else None


def _date(match: re.Match[str]) -> date | None:
    try:
        return date(int(match["year"]), _MONTHS.index(match["month"]) + 1, int(match["day"]))
    except ValueError:
        return None
