"""Messages with ids, dates and names as the learned parser knows them: encoder and language model have read no others.

"Explain H0480" is read as "explain id 7013", and the id put back; "2025-01-31" as "31 January 2025", "before March 2024" as
"before 1 March 2024"; "length of stay" by the initials that a column is called, as "LOS"; "the most significant features" as
the most important ones, for in the corpus what is significant is a difference (of 148 messages one asks what matters);
"bmi = bmi - 5" and "has risen by 5", of which it has none, as an increase or decrease; "mean radius" as the one word
"meanradius" where that is a column, for "mean" by itself asks for a statistic.
"""

import calendar
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date

from ttm.language.parse import Parse
from ttm.parsers.learned.encoder.schema_items import asks
from ttm.parsers.linker.conditions.date_conditions import MONTHS
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding
from ttm.parsers.linker.words.spelling import english
from ttm.parsers.linker.words.tokens import BOUND
from ttm.parsers.understanding import ParseCandidate, Understanding
from ttm.tabular.data.schema import FeatureKind, Schema

LISTING = frozenset("list lists lot lots most all any some one".split())  # "a list of surgeons" is no length of stay
TOGETHER = 6  # letters from which a name in one word is looked for in two
FIRST = 7013  # of the ids that stand for others
_CODE = re.compile(r"(?<![\w-])(?:(?:id|number|nr|no)\.? )?(([a-z]{1,4})[-_]?\d{2,})(?![\w-])", re.IGNORECASE)
_ISO = re.compile(r"(?<![\w-])(\d{4})-(\d\d)-(\d\d)(?![\w-])")
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_FROM_MONTH = re.compile(rf"\b(before) ({_MONTH})\.? (\d{{4}})\b", re.IGNORECASE)
_MONTHS = re.compile(
    rf"\b(between|from) ({_MONTH})\.?( \d{{4}})? (and|to|until|till|through) ({_MONTH})\.? (\d{{4}})\b", re.IGNORECASE
)
_FROM_YEAR = re.compile(r"\b(before) ((?:19|20)\d\d)\b(?![-/.]\d)", re.IGNORECASE)
_SIGNIFICANT = re.compile(r"\b(most|more|less|least|how|equally) significant\b", re.IGNORECASE)
_NOT_TURNED = re.compile(
    r"\b(?:(?:have|has|had)(?:n't|n’t| not)(?: yet)? (?:turned|reached)|(?:is|are) yet to (?:turn|reach)) (\d+)\b(?: yet\b)?",
    re.IGNORECASE,
)
_RISEN = re.compile(r"\b(?:has|have|had|is|are) (?:risen|gone up|climbed|grown) by\b", re.IGNORECASE)
_FALLEN = re.compile(r"\b(?:has|have|had|is|are) (?:fallen|gone down|dropped|shrunk) by\b", re.IGNORECASE)
_BOTH = re.compile(
    r"\b((?:add|gain)(?:s|ed|ing)?|los(?:e|es|t|ing)) (\d[\d.]* (?:to|in|on)\b.*? and )(?=\d[\d.]* (?:to|in|on)\b)",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(r"\b(?:set )?(\w+) ?:?= ?\1 ?([-+\N{MINUS SIGN}]) ?(\d+(?:\.\d+)?)", re.IGNORECASE)
_UNMARKED = re.compile(r"\b(were|was|is|are|do|does|did|would|could|should|has|have|had)nt\b", re.IGNORECASE)
_UNLIKELY = re.compile(r"\bunlikely\b(?! to\b)", re.IGNORECASE)  # of the class before it
_PART = re.compile(r"\b(riskiest|safest|top|highest|lowest|likeliest) (half|third|quarter|fifth|tenth)\b", re.IGNORECASE)
_PERCENT = {"half": 50, "third": 33, "quarter": 25, "fifth": 20, "tenth": 10}
_TRIO = re.compile(r"\btrio of\b", re.IGNORECASE)
_INCREMENT = re.compile(r"\bincrement(?= of \d)", re.IGNORECASE)
_TESTED = re.compile(r"differ|\bgaps?\b|statistic|\bp[ -]value|correlat|\bnoise\b|\bchance\b|disparit|discrepan", re.IGNORECASE)
_TWO_BY_TWO = re.compile(
    r"\b(?:2 ?[x\u00d7] ?2|(?:2|two)[ -]by[ -](?:2|two)|(?:4|four)[ -](?:box|cell|field)) (?:tables?|grids?|matri(?:x|ces))\b"
    r"|\b2[x\u00d7]2\b(?=\W*$| of | please)",
    re.IGNORECASE,
)
_TEENAGERS = re.compile(r"\b(?:the )?(?:teenagers|teens|teenage (?:\w+s|women|men|people))\b", re.IGNORECASE)
_SOMETHINGS = re.compile(r"\b(?:the )?(twenty|thirty|forty|fifty|sixty|seventy)[- ]?somethings\b", re.IGNORECASE)
_DECADES = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70}
_TEENS = 13  # the least age of a teenager
_ADJACENT = [re.compile(rf"(?<![\w-])(?=([a-z]+(?:[ -][a-z]+){{{more}}})(?![\w-]))", re.IGNORECASE) for more in (2, 1)]
_GRAND = re.compile(r"\b(\d[\d.]*) grand\b", re.IGNORECASE)
_NUMBERED = re.compile(
    r"\bnumber (\d|1\d|20)(?= (?:on|of|in) (?:there|these|those|them|(?:that|this) (?:list|ranking)))", re.IGNORECASE
)
_LISTED_AT = re.compile(
    r"\bwhat(?:'d| would| do| did| should| will) (?:you|it|the model) (?:list|price|value|put|peg|appraise|assess|mark|sell) "
    r"(it|that(?: one)?|this(?: one)?|him|her|them) (?:at|for)\b",
    re.IGNORECASE,
)
_INITIALS = re.compile(r"(?<![A-Za-z])([A-Z]{3,5})(?![A-Za-z])")


@dataclass(frozen=True)
class PlainForm:
    """A message as it is read. `codes`: by the id that stands for it, an id as it was typed; `names`: by the name of a column
    that stands for it, a name as it was typed."""

    typed: str
    utterance: str
    codes: Mapping[str, str]
    names: Mapping[str, str]

    def restored(self, understanding: Understanding, read: Callable[[str], Parse | None]) -> Understanding | None:
        """What was understood, of the message as it was typed; None where the likeliest reading takes an id for something else.
        `read` gives the parse that a text is, None where it is none."""
        if self.utterance == self.typed:
            return understanding
        candidates = [(self._parse(one.parse, read), one.confidence) for one in understanding.candidates]
        if any(parse is None for parse, _ in candidates[:1]):
            return None
        offered = [self._parse(one, read) for one in understanding.offered]
        return replace(
            understanding,
            utterance=self.typed,
            candidates=tuple(ParseCandidate(parse, confidence) for parse, confidence in candidates if parse is not None),
            question=None if understanding.question is None else self._text(understanding.question),
            unused=tuple(self._text(text) for text in understanding.unused),
            offered=tuple(parse for parse in offered if parse is not None),
        )

    def _parse(self, parse: Parse, read: Callable[[str], Parse | None]) -> Parse | None:
        text = str(parse)
        for number, code in self.codes.items():
            text = text.replace(f" id {number} ", f" id {code.lower()} ")
        used = any(f" {number} " in text for number in self.codes)
        if used:
            return None
        return parse if text == str(parse) else read(text)

    def _text(self, text: str) -> str:
        for name, typed in self.names.items():
            text = re.sub(rf"\b{re.escape(name)}\b", lambda _, typed=typed: typed, text)  # type: ignore[misc]
        for number, code in self.codes.items():
            text = re.sub(rf"\b{number}\b", code, re.sub(rf"^id {number}$", code, text))
        return text


def plain_form(utterance: str, schema: Schema) -> PlainForm:
    """The message in plain form; ids are such codes only in a table whose rows have a name."""
    text, codes = _with_ids(utterance, schema) if schema.id_name is not None and _CODE.search(utterance) else (utterance, {})
    text, names = _with_initials(_ISO.sub(_written, text), schema)
    text, joined = _with_joined_names(text, schema)
    text, together = _with_names_together(text, schema)
    text = _PART.sub(lambda match: f"{match[1]} {_PERCENT[match[2].lower()]} percent", _UNMARKED.sub(r"\1n't", text))
    text = _with_ages(text, schema)
    text = _NUMBERED.sub(_ranked, _GRAND.sub(r"\1k", _TWO_BY_TWO.sub("confusion matrix", text)))
    text = _INCREMENT.sub("increase", _NOT_TURNED.sub(r"are not yet \1", text))
    text = _BOTH.sub(r"\1 \2\1 ", _FALLEN.sub("decreased by", _RISEN.sub("increased by", text)))
    text = _UNLIKELY.sub("not likely", _TRIO.sub("three", _ASSIGNED.sub(_changed, text)))
    text = text if _TESTED.search(text) else _SIGNIFICANT.sub(r"\1 important", text)
    text = text if schema.target.is_classification else _LISTED_AT.sub(r"what do you predict for \1", text)
    if any(feature.kind is FeatureKind.DATE for feature in schema.features):
        text = _FROM_MONTH.sub(r"\1 1 \2 \3", _MONTHS.sub(_from_first_to_last, text))
        text = text if _has_years(schema) else _FROM_YEAR.sub(r"\1 1 January \2", text)
    return PlainForm(utterance, text, codes, names | joined | together)


def _with_ages(text: str, schema: Schema) -> str:
    """The message with the ages of "teenagers" and "thirty-somethings" in figures, in a table that has ages and no children."""
    spoken_of = _TEENAGERS.search(text) or _SOMETHINGS.search(text)
    age = SchemaGrounding(schema).age if spoken_of else None
    if age is None or age.low is None or age.low < _TEENS:
        return text
    text = _SOMETHINGS.sub(lambda match: f"people in their {_DECADES[match[1].lower()]}s", text)
    return _TEENAGERS.sub("the under 20s", text)


def _with_ids(utterance: str, schema: Schema) -> tuple[str, dict[str, str]]:
    """The message with ids in figures in place of those that are codes, and the codes by them."""
    names = [text for one in schema.features for text in (one.name, one.token, one.alias, *one.synonyms, *map(str, one.values))]
    words = {word for text in names for word in re.findall(r"[\w-]+", text.lower())}
    numbers = re.findall(r"\d+", utterance)
    codes: dict[str, str] = {}

    def numbered(match: re.Match[str]) -> str:
        code = match[1]
        if code.lower() in words or match[2].lower() in english() or BOUND.fullmatch(code):
            return match[0]
        known = next((number for number, one in codes.items() if one == code), None)
        number = known or next(text for text in map(str, range(FIRST, 10 * FIRST)) if text not in (*codes, *numbers))
        codes[number] = code
        return f"id {number}"

    return _CODE.sub(numbered, utterance), codes


def _has_years(schema: Schema) -> bool:
    """Whether a column of numbers has values such as 1990."""
    return any(one.low is not None and 1000 < one.low <= (one.high or 0) < 2200 for one in schema.features)


def _with_initials(text: str, schema: Schema) -> tuple[str, dict[str, str]]:
    """The message with the initials that a column is called in place of their words, and the words by the initials."""
    names = {}
    for name in dict.fromkeys(name for feature in schema.features for name in _INITIALS.findall(feature.name)):
        words = re.search(r"\b" + r" ".join(rf"{letter}[a-z]+" for letter in name) + r"\b", text, re.IGNORECASE)
        if name.lower() not in english() and words is not None and words[0].split()[0].lower() not in LISTING:
            names[name] = words[0]
            text = text.replace(words[0], name)
    return text, names


def _with_joined_names(text: str, schema: Schema) -> tuple[str, dict[str, str]]:
    """The message with a column whose name has a word that asks for something as one word, and its name as typed by that."""
    names = {feature.token: feature.label.lower().split() for feature in schema.features if asks(feature)}
    joined = {}
    for token, words in sorted(names.items(), key=lambda item: -len(item[1])):
        typed = re.search(rf"\b{r'[ _-]'.join(map(re.escape, words))}\b", text, re.IGNORECASE)
        if typed is not None:
            joined[token] = typed[0]
            text = text.replace(typed[0], token)
    return text, joined


def _with_names_together(text: str, schema: Schema) -> tuple[str, dict[str, str]]:
    """The message with a column that is written in one word ("lotsize") where it is typed in several, and that by its name."""
    columns = {feature.name.lower() for feature in schema.features}
    known = {feature.name.lower() for feature in schema.features if " " in feature.label}
    apart = {name for name in columns - known if len(name) >= TOGETHER and name.isalpha()}
    names = {}
    for typed in [words for pattern in _ADJACENT for words in pattern.findall(text)] if apart else ():
        parts = re.split(r"[ -]", typed.lower())
        name = next((one for one in apart if "".join(parts) in (one, f"{one}s")), None)
        if name is not None and columns.isdisjoint(parts):
            names[name] = typed
            text = re.sub(rf"\b{typed}\b", name, text)
    return text, names


def _changed(match: re.Match[str]) -> str:
    """ "bmi = bmi - 5" in words."""
    return f"{'increase' if match[2] == '+' else 'decrease'} {match[1]} by {match[3]}"


def _ranked(match: re.Match[str]) -> str:
    """ "Number 4 on that list" as the 4th of it."""
    number = int(match[1])
    ending = "th" if number // 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"the {number}{ending} one"


def _from_first_to_last(match: re.Match[str]) -> str:
    """ "Between March and June 2024" in days."""
    year = int(match[6])
    _, last = calendar.monthrange(year, MONTHS[match[5].lower()])
    return f"{match[1]} 1 {match[2]}{match[3] or f' {year}'} {match[4]} {last} {match[5]} {year}"


def _written(match: re.Match[str]) -> str:
    try:
        day = date(*map(int, match.groups()))
    except ValueError:
        return match[0]
    return f"{day.day} {day:%B} {day.year}"
