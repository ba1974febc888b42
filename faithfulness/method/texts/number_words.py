"""Numbers however they are written: "seven" and 7, "third" and 3rd, "two million" and 2,000,000, "World War II" and 2."""

import re

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth"
)
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_VALUES = {
    **{word: value for value, word in enumerate(_ONES.split())},
    **{word: value for value, word in enumerate(_ORDINALS.split())},
    **{word: 20 + 10 * index for index, word in enumerate(_TENS.split())},
    **{f"{word[:-1]}ieth": 20 + 10 * index for index, word in enumerate(_TENS.split())},
}
_ROMAN = {"I": 1, "V": 5, "X": 10}
_WORD = "|".join(sorted([*_VALUES, *_SCALES, "hundred", "hundredth"], key=len, reverse=True))
_RUN = re.compile(
    rf"(?<![\w.])(?:(?P<digits>\d+(?:\.\d+)?)(?P<ordinal>st|nd|rd|th)?(?!\w)|(?:{_WORD})\b)"
    rf"(?:(?:[ -]+|[ ]+and[ ]+)(?:{_WORD})\b)*",
    re.IGNORECASE,
)
# Behind a name: "World War II", "Henry VIII", "Rocky V". A lone "I" is a word wherever it stands elsewhere.
_NUMERAL = re.compile(r"(?<=[^\W\d_] )(?=[IVX]+(?!\w))X{0,3}(?:IX|IV|V?I{0,3})(?!\w)")


def in_digits(text: str) -> str:
    """Return a text with its numbers in digits: those in words, ordinals, and Roman numerals behind a name."""
    text = _NUMERAL.sub(lambda match: str(_roman(match[0])) if match[0] else "", text)
    return _RUN.sub(lambda match: _value(match[0]), text)


def numbers_in(text: str) -> tuple[set[float], set[float]]:
    """Return the numbers of a text: those that begin in digits ("2 million", "3rd"), and those in words or Roman numerals."""
    worded: list[str] = [str(_roman(match[0])) for match in _NUMERAL.finditer(text) if match[0]]

    def kept(match: re.Match[str]) -> str:
        if match["digits"]:
            return _value(match[0])
        worded.append(_value(match[0]))
        return " "

    digits = _RUN.sub(kept, text)
    return _floats(digits), _floats(" ".join(worded))


def _floats(text: str) -> set[float]:
    return {float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)}


def _roman(numeral: str) -> int:
    values = [_ROMAN[letter] for letter in numeral]
    return sum(-value if value < max(values[index:]) else value for index, value in enumerate(values))


def _value(run: str) -> str:
    """The number that a run of number words is, as "2 million" or "twenty-one"; runs of two numbers keep both."""
    numbers: list[float] = []
    whole, part, step = 0.0, 0.0, 0.0  # `step` is the last word's value: after "twenty" a smaller one is added
    for word in re.findall(r"\d+(?:\.\d+)?|[a-z]+", run.lower()):
        if word in ("and", "st", "nd", "rd", "th"):
            continue
        if word in _SCALES:
            whole, part, step = whole + (part or 1) * _SCALES[word], 0.0, 0.0
        elif word.startswith("hundred"):
            part, step = (part or 1) * 100, 100
        else:
            value = float(word) if word[0].isdigit() else float(_VALUES[word])
            if part and not (step in (100, *range(20, 100, 10)) and 0 < value < step):
                numbers.append(whole + part)
                whole = part = 0.0
            part, step = part + value, value
    return " ".join(f"{number:.15g}" for number in [*numbers, whole + part])
