"""Cutting an utterance into words, numbers, dates and marks; contractions, spoken numbers and old typing habits resolved."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from ttm.parsers.linker.words.lexicon import lexicon

LONGEST = 320  # tokens that are read; what a person means stands before that

UNITS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen".split()
    )
}
TENS = {
    word: 10 * number for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
} | {"fourty": 40, "ninty": 90}
DECADES = {word.removesuffix("y") + "ies": value for word, value in TENS.items()}
SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "k": 1_000}
ORDINALS = (
    {
        word: number
        for number, word in enumerate(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
            "sixteenth seventeenth eighteenth nineteenth".split(),
            start=1,
        )
    }
    | {word.removesuffix("y") + "ieth": value for word, value in TENS.items()}
    | {"hundredth": 100}
)
AGED_AFTER = frozenset("over under above below".split())  # before a plural: the over 50s are people of more than 50 years
DECADE_AFTER = {"their", "the", "his", "her", "mid", "early", "late", "in", "our", "your", "my"}
NOT_A_NUMBER_AFTER = {"this", "that", "the", "which", "no", "each", "every", "any", "some", "other", "another", "such"}
NOT_A_NUMBER_BEFORE = {"of", "s", "is", "should", "would", "could", "can", "who", "that", "s'"}


OWNER = "'s"  # what `raw` is of the number of a row that has something: "57's glucose"


class TokenKind(StrEnum):
    WORD = "word"
    NUMBER = "number"
    DATE = "date"
    MARK = "mark"


@dataclass(frozen=True)
class UtteranceToken:
    """One unit of the utterance. `start` and `end` are character offsets in it. Of a number, `value` is what it says,
    `form` tells `percent`, `plus` (40+), `ordinal` (third), `decade` (20s), `aged` (over 50s), `spoken` or nothing.
    Of a date `form` is `period` for a month or year, which ends before `raw`; of a word it is `code` if the
    word may be an id."""

    text: str
    kind: TokenKind
    start: int
    end: int
    value: float = 0.0
    form: str = ""
    raw: str = ""  # the word of a spoken number


_PIECES = re.compile(
    r"""(?P<date>\b\d{4}-\d{2}-\d{2}\b)
    |(?P<listing>\(\s*\d\s*\)|\(\s*[a-d]\s*\))
    |(?P<number>(?:[$€£]\s?)?(?:(?<![\w.])|(?<=\bid)|(?<=\brow)|(?<=\bclass))-?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?
        |\d{1,3}(?:[ \u00a0\u202f]\d{3})*[ \u00a0\u202f]000(?![\d.,]\d|\d)|\d+(?:\.\d+)?|\.\d+)
        (?P<form>\s?%|\+|(?:st|nd|rd|th)\b|'?s\b|k\b)?)
    |(?P<compare>>=|<=|=>|=<|!=|<>|==|≥|≤|≠|[<>=+])
    |(?P<word>(?<![^\W_])(?!(?:id|row|class)\d)[^\W\d_]+\d[^\W_]*|[^\W\d_]+(?:'[^\W\d_]+)?|\d+[^\W\d_]+)
    |(?P<mark>[.,;:?!()\n/\-–—"#])""",
    re.VERBOSE,
)
_FORMS = {"%": "percent", "+": "plus", "s": "decade", "'s": "decade", "k": ""}


def tokenise(utterance: str) -> list[UtteranceToken]:
    """The tokens of an utterance, at most `LONGEST`; never raises."""
    text = utterance.lower().translate({ord("’"): "'", ord("‘"): "'", ord("`"): "'", ord("“"): '"', ord("”"): '"'})
    if len(text) != len(utterance):  # a few letters change length in lower case; offsets then follow the lower-case text
        text = text[: len(utterance)]
    tokens: list[UtteranceToken] = []
    for match in _PIECES.finditer(text):
        following = text[match.end() : match.end() + 2].lstrip()[:1]
        if match.group() in "-–—" and tokens and tokens[-1].kind is TokenKind.NUMBER and following.isdigit():
            tokens.append(UtteranceToken("to", TokenKind.WORD, *match.span()))
            continue
        if match.group() == "." and tokens and tokens[-1].text in ("no", "nr", "num") and following.isdigit():
            continue
        tokens += _tokens(match)
        if len(tokens) > 1 and PLURAL.fullmatch(match.group()) and tokens[-2].text in AGED_AFTER:
            tokens[-1] = replace(tokens[-1], form="aged")
        if tokens and tokens[-1].form == "decade" and (len(tokens) < 2 or tokens[-2].text not in DECADE_AFTER):
            tokens[-1] = replace(tokens[-1], form="", raw=OWNER if match.group().endswith(OWNER) else "")
        if len(tokens) >= LONGEST:
            break
    return _spoken(tokens[:LONGEST])


PLURAL = re.compile(r"\d{1,3}s")

CODE = re.compile(r"(?<![\w-])[a-z]+(?:[-_][a-z]*\d[a-z\d]*)+(?![\w-])|(?<![\w-])[a-z]{1,4}\d{2,}(?![\w-])", re.IGNORECASE)

# What looks like a code and is a bound or a count: "the over-30s", "under-18", "top-10".
BOUND = re.compile(r"(?:over|under|above|below|pre|post|mid|sub|top|first|last|best|worst)[-_]\d+s?", re.IGNORECASE)


def with_codes(tokens: list[UtteranceToken], utterance: str, known: frozenset[str]) -> list[UtteranceToken]:
    """Tokens in which codes such as `C-0005`, which may be ids, stand whole, with the form `code`; `known` are words that
    mean something else."""
    matches = (match for match in CODE.finditer(utterance) if not BOUND.fullmatch(match.group()))
    codes = [match for match in matches if match.group().lower() not in known]
    for match in codes:
        inside = [token for token in tokens if match.start() <= token.start < match.end()]
        if inside:
            at = tokens.index(inside[0])
            rest = [token for token in tokens if token not in inside]
            code = UtteranceToken(match.group().lower(), TokenKind.WORD, match.start(), match.end(), form="code")
            tokens = [*rest[:at], code, *rest[at:]]
    return tokens


def _tokens(match: re.Match[str]) -> list[UtteranceToken]:
    kind, text, (start, end) = match.lastgroup, match.group(), match.span()
    if match.group("number") is not None:
        return [_number(match)]
    if kind == "date":
        return [UtteranceToken(text, TokenKind.DATE, start, end)]
    if kind == "listing" or text in ("-", "–", "—", '"'):
        return []
    if kind == "word":
        return _words(text, start, end)
    return [UtteranceToken("\n" if text == "\n" else text, TokenKind.MARK, start, end)]


def _number(match: re.Match[str]) -> UtteranceToken:
    form = (match.group("form") or "").strip()
    owner = OWNER if form == OWNER else ""
    written = match.group("number").strip().removesuffix(match.group("form") or "").lstrip("$€£")
    digits = "".join(written.split())  # "150 000" is one number
    value = float(digits.replace(",", "")) * (1_000 if form == "k" else 1)
    name = _FORMS.get(form, "ordinal" if form else "")
    if name == "decade" and not (value % 10 == 0 and 10 <= value <= 90):
        name = ""
    return UtteranceToken(digits, TokenKind.NUMBER, *match.span(), value=min(value, 1e15), form=name, raw="" if name else owner)


def _words(text: str, start: int, end: int) -> list[UtteranceToken]:
    contractions = lexicon().words["contractions"]
    if text in contractions:
        return [UtteranceToken(word, TokenKind.WORD, start, end) for word in contractions[text].split()]
    stem, mark, ending = text.partition("'")
    if not mark:
        return [UtteranceToken(text, TokenKind.WORD, start, end)]
    if ending == "t" and stem.endswith("n"):
        return [UtteranceToken(stem[:-1], TokenKind.WORD, start, end), UtteranceToken("not", TokenKind.WORD, start, end)]
    spelled = {"re": "are", "ve": "have", "ll": "will", "d": "would", "m": "am"}
    if ending == "s" and stem in {"what", "that", "it", "who", "how", "where", "there", "here", "he", "she", "why", "when"}:
        spelled = {"s": "is"}
    if ending in spelled:
        return [UtteranceToken(stem, TokenKind.WORD, start, end), UtteranceToken(spelled[ending], TokenKind.WORD, start, end)]
    return [UtteranceToken(stem if ending in ("s", "") else text, TokenKind.WORD, start, end)]


def _spoken(tokens: list[UtteranceToken]) -> list[UtteranceToken]:
    """Words that say a number become one number: `two hundred and five`, `thirty second`, `zero point eight`."""
    result: list[UtteranceToken] = []
    position = 0
    while position < len(tokens):
        end, token = _spoken_at(tokens, position, result)
        result.append(token)
        position = end
    return result


def _spoken_at(tokens: list[UtteranceToken], start: int, before: list[UtteranceToken]) -> tuple[int, UtteranceToken]:
    token = tokens[start]
    if token.kind is TokenKind.NUMBER:
        return _scaled(tokens, start)
    if token.text in DECADES:
        return start + 1, replace(
            token, text=str(DECADES[token.text]), kind=TokenKind.NUMBER, value=float(DECADES[token.text]), form="decade"
        )
    if token.text == "dozen" and not (before and before[-1].kind is TokenKind.NUMBER):
        return start + 1, replace(token, text="12", kind=TokenKind.NUMBER, value=12.0, form="spoken")
    if token.text == "couple" and _text(tokens, start + 1) == "of" and before and before[-1].text == "a":
        return start + 1, replace(token, text="2", kind=TokenKind.NUMBER, value=2.0, form="spoken")
    if not _starts_number(tokens, start, before):
        return start + 1, token
    position, value, form = _say(tokens, start)
    whole = replace(
        token, text=_digits(value), kind=TokenKind.NUMBER, value=value, form=form, end=tokens[position - 1].end, raw=token.text
    )
    return position, whole


def _starts_number(tokens: list[UtteranceToken], start: int, before: list[UtteranceToken]) -> bool:
    text = tokens[start].text
    if text == "hundred" or text == "thousand":
        return True
    if text in ORDINALS:
        return text not in ("second", "first") or _text(tokens, start + 1) not in ("", "s", "time", "place")
    if text == "one":
        previous = before[-1].text if before else ""
        return previous not in NOT_A_NUMBER_AFTER and _text(tokens, start + 1) not in NOT_A_NUMBER_BEFORE
    return text in UNITS or text in TENS


def _say(tokens: list[UtteranceToken], start: int) -> tuple[int, float, str]:
    """Read a spoken number from `start`: the position after it, its value and form."""
    total, part, position, form, last = 0.0, 0.0, start, "spoken", ""
    while position < len(tokens):
        word = tokens[position].text
        if word in UNITS and last in ("", "tens", "scale") and not (last == "tens" and UNITS[word] > 9):
            part, last = part + UNITS[word], "unit"
        elif word in TENS and last in ("", "scale"):
            part, last = part + TENS[word], "tens"
        elif word in SCALES and word != "k" and (position == start or last in ("unit", "tens", "scale")):
            part = max(part, 1.0) * SCALES[word]
            total, part, last = (total + part, 0.0, "scale") if SCALES[word] > 100 else (total, part, "scale")
        elif word in ORDINALS and (last in ("", "scale") or (last == "tens" and ORDINALS[word] < 10)):
            return position + 1, total + part + ORDINALS[word], "ordinal"
        elif word == "and" and last == "scale" and _text(tokens, position + 1) in (UNITS | TENS):
            pass
        else:
            break
        position += 1
    fraction, end = _fraction(tokens, position)
    return end, total + part + fraction, form


def _fraction(tokens: list[UtteranceToken], position: int) -> tuple[float, int]:
    if _text(tokens, position) != "point" or _text(tokens, position + 1) not in UNITS:
        return 0.0, position
    digits, position = "", position + 1
    while _text(tokens, position) in UNITS and UNITS[_text(tokens, position)] < 10:
        digits += str(UNITS[_text(tokens, position)])
        position += 1
    return (float(f"0.{digits}"), position) if digits else (0.0, position)


def _scaled(tokens: list[UtteranceToken], start: int) -> tuple[int, UtteranceToken]:
    """A number in figures with a word that multiplies it or says percent: `5 thousand`, `10 percent`."""
    token, word = tokens[start], _text(tokens, start + 1)
    if word in SCALES and word != "k":
        value = token.value * SCALES[word]
        return start + 2, replace(token, text=_digits(value), value=value, end=tokens[start + 1].end)
    return start + 1, token


def _text(tokens: list[UtteranceToken], position: int) -> str:
    return tokens[position].text if position < len(tokens) else ""


def _digits(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:.10f}".rstrip("0")
