"""Messages with ids and dates as the learned parser knows them: encoder and language model have read ids in figures only.

"Explain H0480" is read as "explain id 7013", and the id put back; "2025-01-31" as "31 January 2025".
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date

from ttm.language.parse import Parse
from ttm.parsers.linker.words.spelling import english
from ttm.parsers.linker.words.tokens import BOUND
from ttm.parsers.understanding import ParseCandidate, Understanding
from ttm.tabular.data.schema import Schema

FIRST = 7013  # of the ids that stand for others
_CODE = re.compile(r"(?<![\w-])(?:(?:id|number|nr|no)\.? )?(([a-z]{1,4})[-_]?\d{2,})(?![\w-])", re.IGNORECASE)
_ISO = re.compile(r"(?<![\w-])(\d{4})-(\d\d)-(\d\d)(?![\w-])")


@dataclass(frozen=True)
class PlainForm:
    """A message as it is read. `codes`: by the id that stands for it, an id as it was typed."""

    typed: str
    utterance: str
    codes: Mapping[str, str]

    def restored(self, understanding: Understanding, read: Callable[[str], Parse | None]) -> Understanding:
        """What was understood, of the message as it was typed. `read` gives the parse that a text is, None where it is none."""
        if self.utterance == self.typed:
            return understanding
        candidates = [(self._parse(one.parse, read), one.confidence) for one in understanding.candidates]
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
        for number, code in self.codes.items():
            text = re.sub(rf"\b{number}\b", code, re.sub(rf"^id {number}$", code, text))
        return text


def plain_form(utterance: str, schema: Schema) -> PlainForm:
    """The message in plain form; ids are such codes only in a table whose rows have a name."""
    codes: dict[str, str] = {}
    names = [text for one in schema.features for text in (one.name, one.token, one.alias, *one.synonyms, *map(str, one.values))]
    words = {word for text in names for word in re.findall(r"[\w-]+", text.lower())}

    numbers = re.findall(r"\d+", utterance)

    def numbered(match: re.Match[str]) -> str:
        code = match[1]
        if code.lower() in words or match[2].lower() in english() or BOUND.fullmatch(code):
            return match[0]
        known = next((number for number, one in codes.items() if one == code), None)
        number = known or next(text for text in map(str, range(FIRST, 10 * FIRST)) if text not in (*codes, *numbers))
        codes[number] = code
        return f"id {number}"

    text = _CODE.sub(numbered, utterance) if schema.id_name is not None else utterance
    return PlainForm(utterance, _ISO.sub(_written, text), codes)


def _written(match: re.Match[str]) -> str:
    try:
        day = date(*map(int, match.groups()))
    except ValueError:
        return match[0]
    return f"{day.day} {day:%B} {day.year}"
