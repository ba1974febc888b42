"""Finding single rows by their id: `data point 33`, `patient number 34`, `the thirty-second row`, `ids 3 and 5`."""

from collections.abc import Container
from dataclasses import replace

from ttm.parsers.linker.references.bare_ids import is_bare_id, is_measure, is_whole_number
from ttm.parsers.linker.requests.operation_cues import explains
from ttm.parsers.linker.schema_linking.reading import UtteranceItem, UtteranceReading
from ttm.parsers.linker.words.lexicon import lexicon
from ttm.parsers.linker.words.tokens import TokenKind

MANY = frozenset(
    "people persons folks humans anyone anybody someone somebody everyone everybody population guys men women adults".split()
)
INTRODUCING = frozenset(
    "number no nr id # with the of is that has having an a identifier index called ids numbers numbered whose equal "
    "equals to =".split()
)
MEASURING = ("numbers.units", "numbers.fillers", "identifiers.not_nouns", "comparisons.up", "comparisons.down",
             "comparisons.equal")  # fmt: skip
TWELVE = 12  # "number one" may be a rank
NAMING = frozenset("id number # no nr numbered ids numbers index identifier".split())
MAY_LEAD = frozenset("with of is that has having whose the a an called".split())  # to an id, or to anything else
NOT_AFTER = frozenset(
    "year years yr month months day days week weeks point points percent or plus + more less fewer most times hours kg units "
    "<f> dollars old older younger higher lower top important similar features feature".split()
)


def fold_identifiers(reading: UtteranceReading, entity: Container[str]) -> UtteranceReading:
    """Replace the words and number of each id by one item `<i>`, whose token holds the id as it was written.

    `entity`: what the data set's rows are called, beside the general nouns.
    """
    items: list[UtteranceItem] = []
    kept: list[int] = []
    position, last_was_id = 0, -9
    while position < len(reading.items):
        end, token_at = _identifier(reading, position, entity)
        if token_at is None and reading.items[position].token.form == "code":
            end, token_at = position + 1, position
        if token_at is None and (number_at := _after_row_noun(reading, position, entity)) is not None:
            end, token_at = number_at + 1, number_at
        if token_at is None and is_bare_id(reading, position):
            end, token_at = position + 1, position
        if token_at is None and position - last_was_id <= 2 and _continues(reading, position):
            end, token_at = position + 1, position
        if token_at is None:
            items.append(reading.items[position])
        else:
            items.append(replace(reading.items[token_at], word="<i>", spoken=tuple(reading.words[position:end])))
            last_was_id = end - 1
        kept.append(position)
        position = end
    bounds = [(sum(at < first for at in kept), sum(at < last for at in kept)) for first, last in reading.bounds]
    return UtteranceReading(tuple(items), tuple((first, last) for first, last in bounds if last > first) or ((0, len(items)),))


def announced_ids(reading: UtteranceReading, entity: Container[str]) -> frozenset[str]:
    """The ids that stand behind a noun for rows: "on instance 49", but no number of "a patient 45 or older"; in words
    only right behind it, or where they are called numbers: "data point fifty-five", "point number forty-nine"."""
    ends = [
        at for position in range(len(reading.items)) for _, at in [_identifier(reading, position, entity)] if at is not None
    ]
    return frozenset(
        reading.items[at].token.text
        for at in ends
        if (is_whole_number(reading, at) or _is_number_in_words(reading, at, entity))
        and (_compares(reading.words, at + 1) or not is_measure(reading, at + 1))
    )


def _is_number_in_words(reading: UtteranceReading, at: int, entity: Container[str]) -> bool:
    token, before = reading.items[at].token, reading.words[at - 1]
    called = before in ("number", "id") or before in entity or before in lexicon().groups["entity"]
    return called and token.form == "spoken" and float(token.value).is_integer() and token.value > TWELVE


def _compares(words: list[str], at: int) -> bool:
    """Whether what stands behind a number compares something else: "glucose moves patient 49 more than age does"."""
    return words[at : at + 2] in (["more", "than"], ["less", "than"])


def _identifier(reading: UtteranceReading, position: int, entity: Container[str]) -> tuple[int, int | None]:
    """Where an id that begins at `position` ends, and the item of its number; (position + 1, None) where none begins.

    A number after a noun for rows is an id in `person 12` and a count or a size in `people over 12`, so everything between the
    two and after the number has a say.
    """
    words, nothing = reading.words, (position + 1, None)
    word = words[position]
    if word == "<n>" and reading.items[position].token.form == "ordinal":
        return _ordinal(reading, position, entity)
    is_noun = (word in lexicon().groups["entity"] or word in entity) and word not in MANY
    if not is_noun and word not in ("id", "#", "number", "ids", "no", "nr"):
        return nothing
    if word == "number" and words[max(0, position - 1) : position] == ["the"] and words[position + 1 : position + 2] != ["<n>"]:
        return nothing
    at, introduced = _introduced(words, position)
    if at is None:
        return nothing
    item = reading.items[at]
    if introduced and item.token.kind is TokenKind.WORD and any(character.isdigit() for character in item.token.text):
        return at + 1, at
    if words[at] != "<n>" or item.token.form not in ("", "spoken", "ordinal"):
        return nothing
    if _is_amount(words, position, at, is_noun, introduced):
        return nothing
    return at + 1, at


def _introduced(words: list[str], position: int) -> tuple[int | None, bool]:
    """The item after the words that lead from a noun to its id, and whether they say that an id comes; None where they end."""
    at, introduced = position + 1, words[position] in ("id", "ids", "#")
    while at < len(words) and words[at] in INTRODUCING and at - position < 6:
        introduced = introduced or words[at] in NAMING
        if words[at] in MAY_LEAD and not _leads_to_id(words, at):
            return None, introduced
        at += 1
    return (at if at < len(words) else None), introduced


def _is_amount(words: list[str], position: int, at: int, is_noun: bool, introduced: bool) -> bool:
    """Whether the number at `at` counts or measures something, going by what stands around it."""
    word, following = words[position], words[at + 1] if at + 1 < len(words) else ""
    before = words[position - 1] if position else ""
    if following in NOT_AFTER and not (introduced and word != "number"):
        listed = following == "or" and words[at + 2 : at + 3] == ["<n>"]  # `person 3 or 4`
        if not listed and not (is_noun and (following == "<f>" or _compares(words, at + 1))):
            return True
    if word == "number" and before in ("a", "any", "the") and at == position + 1 and following == "<f>":
        return True  # `the number 3 feature`
    return word in ("point", "points") and before == "<n>"  # `5 points 3`


def _after_row_noun(reading: UtteranceReading, at: int, entity: Container[str]) -> int | None:
    """`flight 27`, `pupil #64`: the item of a number right after a noun that means nothing else here, if nothing after the
    number says what it counts."""
    words, number_at = reading.words, at + 1
    if words[at + 1 : at + 2] and words[at + 1] in NAMING:
        number_at += 1
    if reading.items[at].mention is not None or reading.items[at].token.kind is not TokenKind.WORD or number_at >= len(words):
        return None
    before = words[at - 1] if at else ""
    known = words[at] in entity or (words[at] in lexicon().groups["entity"] and words[at] not in MANY)
    known = known or words[at] in lexicon().groups["identifiers.also_nouns"]
    is_noun = known or _is_unknown_noun(words[at], before)
    return number_at if is_noun and is_whole_number(reading, number_at) and not is_measure(reading, number_at + 1) else None


def _is_unknown_noun(word: str, before: str) -> bool:
    if len(word) < 3 or word in MANY or explains(word) or word.endswith(("ing", "ed", "ly", "s")):
        return False
    if before in ("who", "that", "they", "to", "he", "she", "i", "which"):  # a verb follows
        return False
    groups = lexicon().groups
    if word in lexicon().dimensions or any(word in groups[name] for name in MEASURING):
        return False
    return not any(word in groups[f"changes.{kind}"] for kind in ("up", "down", "set", "more", "less"))


def _leads_to_id(words: list[str], at: int) -> bool:
    return any(word in ("id", "number", "#", "ids", "index", "identifier", "no") for word in words[at + 1 : at + 4]) or (
        bool(set(words[max(0, at - 3) : at]) & {"id", "number", "ids", "identifier", "index"})
        and words[at] in ("of", "is", "the")
    )


def _ordinal(reading: UtteranceReading, position: int, entity: Container[str]) -> tuple[int, int | None]:
    words = reading.words
    at = position + 1
    while at < len(words) and words[at] in ("data", "single", "individual") and at - position < 3:
        at += 1
    is_noun = at < len(words) and (words[at] == "id" or words[at] in lexicon().groups["entity"] or words[at] in entity)
    if is_noun or (at < len(words) and _is_one(reading, at)):
        return at + 1, position
    return position + 1, None


def _is_one(reading: UtteranceReading, at: int) -> bool:
    """`the 12th one`: the pronoun, which was read as a number."""
    return reading.items[at].token.raw == "one" and reading.words[at - 2 : at - 1] == ["the"]


def _continues(reading: UtteranceReading, position: int) -> bool:
    """`3 and 5` after `ids`: another number after a conjunction, with nothing of its own."""
    words = reading.words
    compared = "compare" in words[max(0, position - 5) : position] and words[position - 1] in ("with", "to", "versus")
    if words[position] != "<n>" or position < 2 or not (compared or words[position - 1] in ("and", "or", ",")):
        return False
    following = words[position + 1] if position + 1 < len(words) else ""
    return following not in NOT_AFTER
