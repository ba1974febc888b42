"""Numbers as people write and speak them: digits, thousands apart, English words, ordinals."""

from collections.abc import Callable
from decimal import Decimal

from ttm.language.parse import number_text

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen"
).split()
TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
SCALES = ((1_000_000_000, "billion"), (1_000_000, "million"), (1_000, "thousand"), (100, "hundred"))
ORDINAL_WORDS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth", "twelve": "twelfth",
}  # fmt: skip


def spoken(number: float) -> str:
    """`21` as `twenty-one`, `2.5` as `two point five`, `-3` as `minus three`."""
    text = number_text(abs(number))
    whole, _, decimals = text.partition(".")
    words = _whole(int(whole)) + "".join(f" {ONES[int(digit)]}" for digit in decimals).replace(" ", " point ", 1)
    return f"minus {words}" if number < 0 else words


def _whole(number: int) -> str:
    for size, name in SCALES:
        if number >= size:
            rest = number % size
            joint = " and " if rest and size == 100 else " "
            return f"{_whole(number // size)} {name}" + (f"{joint}{_whole(rest)}" if rest else "")
    if number < 20:
        return ONES[number]
    return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")


def ordinal(number: float) -> str:
    """`32` as `32nd`. The number is whole."""
    whole = int(number)
    ending = "th" if whole % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(whole % 10, "th")
    return f"{whole}{ending}"


def ordinal_words(number: float) -> str:
    """`32` as `thirty-second`. The number is whole."""
    words = _whole(int(number))
    start = max(words.rfind("-"), words.rfind(" ")) + 1
    last = words[start:]
    changed = ORDINAL_WORDS.get(last) or (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")
    return words[:start] + changed


def grouped(number: float) -> str:
    """`2000` as `2,000`; decimals stay."""
    return f"{Decimal(number_text(number)):,}"


FORMS: dict[str, Callable[[float], str]] = {
    "digits": number_text,
    "comma": grouped,
    "words": spoken,
    "ordinal": ordinal,
    "ordinalwords": ordinal_words,
}
WHOLE_ONLY = frozenset({"ordinal", "ordinalwords"})
