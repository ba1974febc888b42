"""Words that point back in the conversation: at rows (`these people`, `they`) and at the question before (`what about ...`)."""

from collections.abc import Sequence

from ttm.parsers.linker.schema_linking.reading import UtteranceReading
from ttm.parsers.linker.words.lexicon import lexicon

RELATIVE = frozenset(
    "who that which with whose having where being aged older younger over under above below between in on at from "
    "of without whom".split()
)
PARTICULAR = frozenset("particular specific same exact given very current selected chosen aforementioned".split())
PERSONS = frozenset("they them their theirs he she him his her hers".split())
SELECTIONS = frozenset("subset group people instances selection sample rows".split())
BEFORE_THING = frozenset("for of on about in with predict predicted change to explain show why".split())
WEIGHING = frozenset("importance significance effect influence impact".split())  # "their importance": of features
OWN = frozenset("true actual real label".split())  # "its label" is a row's, "its accuracy" the model's
BEFORE_NOUN = PARTICULAR | frozenset("data all of other two few <n> <b> <c> sub prediction".split())
THING_NOUNS = frozenset("prediction decision result outcome classification diagnosis answer verdict".split())

OF_ALL = frozenset(
    "overall whole entire everything everyone everybody all general generally total altogether data model".split()
)
OF_ONE_GROUP = ("explain", "likelihood", "predict", "label")  # ask about the rows at hand unless they name others
OF_ANY_GROUP = ("score", "mistake", "important", "countdata", "show", "statistic", "distribution")
PARTS_OF_DATA = [[word] for word in "point points subset group set instance instances slice row rows sample segment".split()]
LEADING = frozenset("and but so then also".split())
BRIEF = 8  # words up to which a question may leave out what it is about
BARE = 3


def points_at_rows(reading: UtteranceReading, first_filter: int | None, is_bound: bool) -> bool:
    """Whether the utterance speaks of rows selected before.

    `first_filter` is the item where its own conditions begin, `is_bound` whether it names rows itself, so that a later
    pronoun means those.
    """
    words = reading.words
    for index in range(len(words)):
        if _pointing(words, index) and (first_filter is None or index < first_filter):
            return not (is_bound and first_filter is None)
    at = _pronoun(words)
    if is_bound:
        if at is None or first_filter is None or at >= first_filter:
            return False
        if words[at] not in ("them", "they") and words[at - 1 : at] != ["of"]:
            return False
        return not any(word in lexicon().groups["entity"] for word in words[at:])  # "if they ..., for people with ..."
    return at is not None


def _pointing(words: list[str], at: int) -> bool:
    """Whether `these people`, `the same group`, `those 12` begins here.

    `that` and `those` also begin relative clauses (`loans that people take`, `those in group 3`), and `this data` is all of it:
    what follows decides.
    """
    groups = lexicon().groups
    if words[at] == "the" and words[at + 1 : at + 2] and words[at + 1] in PARTICULAR - {"exact", "very"}:
        return words[at + 2 : at + 3] != [] and words[at + 2] in SELECTIONS
    if words[at] not in ("these", "those", "this", "that", "such", "said", "aforementioned", "same"):
        return False
    position = at + 1
    specific = words[at] in ("same", "aforementioned", "said")
    nouns = groups["reference.noun"]
    while position < len(words) and (
        words[position] in BEFORE_NOUN
        or (words[position] == "group" and any(word in nouns for word in words[position + 1 : position + 2]))
    ):
        specific = specific or words[position] in PARTICULAR
        if words[position] == "data" and words[position + 1 : position + 2] not in PARTS_OF_DATA:
            return specific
        position += 1
    if position >= len(words):
        return False
    if words[position] not in nouns:
        return specific and words[position] in ("information", "info")
    if words[position] == "set" and words[position - 1] == "data":
        return specific
    return not _begins_clause(words, at, position)


def _begins_clause(words: list[str], at: int, position: int) -> bool:
    """Whether the pointing word at `at` belongs to a relative clause whose noun is at `position`, and not to rows of before."""
    following, noun = words[position + 1 : position + 2], words[position]
    if words[at] in ("that", "this") and noun.endswith(("s", "people", "men", "women")):
        return True  # "loans that people take"
    if words[at] in ("those", "that", "such") and following and following[0] in RELATIVE and noun not in ("subset", "group"):
        return True  # "those people who smoke"
    if words[at] == "that" and at and words[at - 1] in lexicon().groups["entity"]:
        return True
    return words[at] == "such" and following == ["as"]


def _pronoun(words: list[str]) -> int | None:
    """The item of a pronoun for rows that has no noun before it in the utterance; None if there is none."""
    groups = lexicon().groups
    for at, word in enumerate(words):
        if word in groups["entity"] and not (word in ("points", "point") and words[at - 1 : at] == ["<n>"]) and word != "<q>":
            return None
        following = words[at + 1] if at + 1 < len(words) else ""
        if word in PERSONS and following not in WEIGHING:
            return at
        ends = following in ("", "?", ".", "!", ",") or (word == "these" and following in ("with", "using"))
        if (word, following) in (("this", "one"), ("that", "one")) or (word == "its" and following in OWN):
            return at
        if word in ("those", "these", "this", "that", "it") and ends and at and words[at - 1] in BEFORE_THING:
            return at
        if word in ("this", "that") and following in THING_NOUNS:
            return at
    return None


def speaks_of_persons(reading: UtteranceReading) -> bool:
    return any(word in PERSONS or word in ("these", "those") for word in reading.words)


def is_elliptical(reading: UtteranceReading, operations: Sequence[str]) -> bool:
    """Whether a question leaves out whom it is about ("why?", "how sure are you?", "and the accuracy?"), so that in a
    conversation it is about those spoken of before."""
    words = [word for word in reading.words if word[:1].isalnum() or word.startswith("<")]
    entity = lexicon().groups["entity"]
    if not operations or len(words) > BRIEF or any(word in OF_ALL or word in entity for word in words):
        return False
    if any(word in ("<i>", "<q>", "<b>", "<v>") for word in words) or (words[0] == "how" and "predictions" in words):
        return False
    if all(text.startswith(OF_ONE_GROUP) for text in operations):
        return True
    leads = words[0] in LEADING or (len(words) <= BARE and "<f>" not in words)
    return leads and all(text.startswith(OF_ONE_GROUP + OF_ANY_GROUP) for text in operations)
