"""Ids that stand alone: `suppose 73 owns a house`, `the balance of 76`, `12's age`, `prediction 140`.

A whole number in figures is an id where only a row can stand: as what something is supposed of, as the owner of a column, as
what a prediction is asked for. What may stand around it is listed under [identifiers] in words.toml.
"""

from collections.abc import Collection

from ttm.parsers.linker.schema_linking.reading import SENTENCE_ENDS, UtteranceReading
from ttm.parsers.linker.words.lexicon import Words, lexicon

YEARS = range(1900, 2100)  # after "in"
NEAR_VERB = 6  # items before a column within which a verb of change counts
LINKED_STATES = ("<b>", "<v>", "<g>")


def _list(name: str) -> Words:
    return lexicon().groups[f"identifiers.{name}"]


def is_whole_number(reading: UtteranceReading, at: int) -> bool:
    """Whether an item is a number that could be an id: in figures, whole, not negative, no share and no ordinal."""
    token = reading.items[at].token
    plain = reading.words[at] == "<n>" and token.form == "" and token.raw in ("", "'s")
    return plain and float(token.value).is_integer() and not token.text.startswith("-")


def is_measure(reading: UtteranceReading, at: int) -> bool:
    """Whether the item at `at`, right after a number, says what the number measures or counts."""
    if at >= len(reading.words):
        return False
    word = reading.words[at]
    groups = lexicon().groups
    measured = word in groups["numbers.units"] and word not in ("so", "or", "in", "of", "at")
    counted = measured or word in groups["entity"] or word in groups["feature"]
    if word in ("most", "least"):  # "5 most important", but not "what affected flight 19 most?"
        return reading.words[at + 1 : at + 2] != [] and reading.words[at + 1][:1].isalpha()
    moved = word in groups["changes.more"] or word in groups["changes.less"]
    return counted or moved or word in _list("not_after") or word in ("<f>", "<n>") or _or_more(reading, at)


def _or_more(reading: UtteranceReading, at: int) -> bool:
    groups = lexicon().groups
    following = reading.words[at + 1 : at + 2]
    return reading.words[at] in ("or", "and") and any(
        word == "so" or any(word in groups[f"comparisons.{way}"] for way in ("up", "down")) for word in following
    )


def is_bare_id(reading: UtteranceReading, at: int) -> bool:
    """Whether the number at an item is an id by what stands right around it."""
    if not is_whole_number(reading, at):
        return False
    if reading.items[at].token.raw == "'s":
        return True
    return any(is_one(reading, at) for is_one in (_is_compared, _is_owner, _is_object, _is_subject, _is_turned))


def _is_compared(reading: UtteranceReading, at: int) -> bool:
    """`compare 12 with 14`."""
    words = reading.words
    follows = words[at + 1 : at + 2] and words[at + 1] in ("with", "and", "to", "versus") and words[at + 2 : at + 3] == ["<n>"]
    return bool(follows) and words[max(0, at - 1) : at] in (["compare"], ["comparing"])


def _is_subject(reading: UtteranceReading, at: int) -> bool:
    """`if 88 grew ...`, `that 19 is ...`, `will 12 ...`."""
    words = reading.words
    before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
    if not before and (after in _list("asked") or after in ("correct", "right", "wrong")):  # "8 correct?"
        return True
    if not after or after in SENTENCE_ENDS or is_measure(reading, at + 1):
        return False
    if before in _list("supposing"):
        return after in LINKED_STATES or (after[:1].isalpha() and after not in ("in", "to"))
    if before in ("that", "whether", "because"):
        return _is_verb(after)
    opens = at < 2 or words[at - 2] in _list("before_question") or words[at - 2] in SENTENCE_ENDS
    return before in _list("asking") and opens


def _is_verb(word: str) -> bool:
    groups = lexicon().groups
    return word in groups["be"] or word in groups["modal"] or word in _list("verbs") or (len(word) > 4 and word.endswith("ed"))


def _is_turned(reading: UtteranceReading, at: int) -> bool:
    """`make 81 twenty years older`, `let 102 be ...`, `give 12 a ...`."""
    after = reading.words[at + 1 : at + 2]
    return (
        reading.words[at - 1 : at] != []
        and reading.words[at - 1] in _list("turning")
        and bool(after and (after[0] in ("<n>", *LINKED_STATES) or after[0] in _list("after_turned")))
    )


def _is_owner(reading: UtteranceReading, at: int) -> bool:
    """`raise the balance of 76 by ...`, `if the rate of 5008 were ...`: not `a rate of 20`."""
    words = reading.words
    named = at >= 3 and words[at - 1] == "of" and words[at - 2] in ("<f>", *LINKED_STATES)
    if not named or words[at - 3] not in ("the", "set", "put"):
        return False
    after, before = words[at + 1 : at + 2], words[max(0, at - 2 - NEAR_VERB) : at - 2]
    groups = lexicon().groups
    moved = any(word in groups[f"changes.{kind}"] for word in before for kind in ("up", "down", "set")) or "put" in before
    if after in (["by"], ["to"], ["at"]):
        return moved
    if any(word in groups["changes.multiple"] for word in before):
        return True
    limits = words[at - 4 : at - 3] in (["over"], ["under"], ["than"])  # "if those over the age of 30 were ..."
    supposed = not limits and any(word in _list("supposing") for word in before)
    return bool(after) and supposed and (_is_verb(after[0]) or after[0] in _list("moving"))


def _is_object(reading: UtteranceReading, at: int) -> bool:
    """`the prediction of 91`, `predict 12`, `prediction 140?`, `what does it say for 7`."""
    words = reading.words
    before, earlier = words[at - 1 : at], words[at - 2 : at - 1] if at > 1 else []
    if not before or (at + 1 < len(words) and is_measure(reading, at + 1)):
        return False
    nouns = _list("asked")
    if before[0] in ("of", "on", "to"):
        return bool(earlier) and earlier[0] in nouns
    if before[0] in ("for", "about", "regarding", "concerning"):
        return not (earlier and (earlier[0].startswith("<") or earlier[0].endswith(("ed", "ing"))))
    return before[0] in nouns


def leftover_ids(reading: UtteranceReading, covered: Collection[int]) -> list[int]:
    """Numbers that nothing else explains, where an id can stand: `why did 55 get that`, `14, eat or not eat`."""
    ids: list[int] = []
    for at in range(len(reading.words)):
        if is_whole_number(reading, at) and at not in covered:
            follows = at == 0 or reading.words[at - 1] in _list("before")
            year = reading.words[at - 1 : at] == ["in"] and reading.items[at].token.value in YEARS
            features = at + 1 < len(reading.words) and reading.words[at + 1] in ("<b>", "<g>", "<v>")
            if follows and not year and not features and not (at + 1 < len(reading.words) and is_measure(reading, at + 1)):
                ids.append(at)
    return ids
