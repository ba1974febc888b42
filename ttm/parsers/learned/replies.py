"""Replies to a question back: which of the readings that it offered is meant, by number, by name, by both or by a new number.

Source: INSPIRED's and TalkToModel's dialogues end when a person rewords; here the readings offered stay open for one turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ttm.language.describe_parse import parse_words
from ttm.language.parse import Parse, Selection
from ttm.parsers.learned.composition.edits import with_numbers
from ttm.parsers.linker.words.lexicon import kin, lexicon, stem
from ttm.parsers.linker.words.tokens import ORDINALS, TokenKind, UtteranceToken
from ttm.parsers.understanding import DialogueContext
from ttm.tabular.data.schema import Schema

SHORT, LONGEST = 3, 9  # words of a message that is looked at as a reply
NEAR = 0.8  # how alike two words have to be
SURE, LIKELY = 0.95, 0.75  # measured on the replies of the corpus
YES = frozenset("yes yeah yep yup correct exactly right sure indeed ok okay please true".split())
NO = frozenset("no nope neither none nah wrong".split())
BOTH = frozenset({"both", "all", "each"})
COUNTED = frozenset("two three 2 3 of them".split())
MORE = frozenset({"and", "but", "also", "with"})  # what follows is more than a choice
LAST = frozenset({"last", "latter"})
ASIDE = YES | frozenset("the a an that this it one ones option variant number by i mean meant kind of course just so".split())
ORDERING = ASIDE | LAST | frozenset("former middle do take want choose go with reading was what".split())


@dataclass(frozen=True)
class PickedReading:
    """What a reply comes to: the reading that it picks with how sure that is, or none where every one was turned down."""

    parse: Parse | None
    confidence: float = SURE


def replied(tokens: Sequence[UtteranceToken], context: DialogueContext, schema: Schema) -> PickedReading | None:
    """The reading that a short message picks of those that were offered; None where it is no reply to them.

    `No`, `2`, `the second`, `both` and `the one about age` only mean something after a question back. A reply that brings a new
    number corrects what it picks, and one that nothing explains is a new question.
    """
    spoken = [token for token in tokens if token.kind is not TokenKind.MARK]
    offered = context.candidates
    if not offered or not spoken or len(spoken) > LONGEST:
        return None
    words = {_word(token) for token in spoken}
    if words <= NO | ASIDE | COUNTED and words & NO:
        return PickedReading(None)
    if words <= ASIDE and words & YES:
        return PickedReading(offered[0])
    return _by_cardinal(spoken, offered) or _by_words(spoken, offered, schema)


def _by_words(spoken: Sequence[UtteranceToken], offered: Sequence[Parse], schema: Schema) -> PickedReading | None:
    """The reading that words pick, with the number that they bring."""
    one, numbers = _by_order(spoken, offered, schema), _cardinals(spoken)
    several = None if one else _both({_word(token) for token in spoken}, offered)
    picked = one or several or _by_name(spoken, offered, schema)
    if picked is None or picked.parse is None:
        return _by_number(numbers, offered) if len(spoken) <= SHORT else None
    left = [token for token in numbers if not _is_in(token, picked.parse)]
    return _changed(picked.parse, left) if left and not several else picked


def _changed(parse: Parse, numbers: Sequence[UtteranceToken]) -> PickedReading | None:
    changed = with_numbers(parse, numbers)
    return PickedReading(changed, LIKELY) if changed is not None else None


def _word(token: UtteranceToken) -> str:
    return token.raw or token.text


def _cardinals(spoken: Sequence[UtteranceToken]) -> list[UtteranceToken]:
    return [token for token in spoken if token.kind is TokenKind.NUMBER and token.form != "ordinal" and token.raw != "one"]


def _by_cardinal(spoken: Sequence[UtteranceToken], offered: Sequence[Parse]) -> PickedReading | None:
    """`2`, `option two`: a number that no reading has."""
    numbers = _cardinals(spoken)
    rest = {_word(token) for token in spoken if token not in numbers}
    if len(numbers) != 1 or not rest <= ASIDE or _is_in(numbers[0], *offered) or "the" in rest:
        return None
    index = int(numbers[0].value)
    return PickedReading(offered[index - 1]) if 0 < index <= len(offered) else None


def _by_order(spoken: Sequence[UtteranceToken], offered: Sequence[Parse], schema: Schema) -> PickedReading | None:
    """`the second one`, `the former`, `the middle one`, with no other words than those of that reading: `is the second one
    predicted well?` is about a row."""
    words = {_word(token) for token in spoken}
    places = [int(token.value) for token in spoken if token.form == "ordinal"]
    places += [ORDINALS[token.text] for token in spoken if token.kind is TokenKind.WORD and token.text in ORDINALS]
    if "middle" in words and len(offered) % 2:
        places = [len(offered) // 2 + 1]
    if words & LAST:
        places = [len(offered)]
    if "former" in words:
        places = [1]
    if len(places) != 1 or not 0 < places[0] <= len(offered):
        return None
    own = _words(offered[places[0] - 1], schema)
    others = [token.text for token in spoken if token.kind is TokenKind.WORD and token.text not in ORDINALS]
    return PickedReading(offered[places[0] - 1]) if all(word in ORDERING or _has(own, stem(word)) for word in others) else None


def _is_in(token: UtteranceToken, *parses: Parse) -> bool:
    return any(f" {token.text} " in f" {parse} " for parse in parses)


def _both(words: set[str], offered: Sequence[Parse]) -> PickedReading | None:
    """All that was offered in one: operations and changes one after the other, or groups side by side."""
    if not (words & BOTH or words <= {"the", "two", "2"}) or len(words - ASIDE - COUNTED) > 2:
        return None
    selections = [tuple(step for step in parse.steps if isinstance(step, Selection)) for parse in offered]
    rests = [tuple(step for step in parse.steps if not isinstance(step, Selection)) for parse in offered]
    if len(set(selections)) == 1:
        return PickedReading(Parse((*selections[0], *dict.fromkeys(step for rest in rests for step in rest))), LIKELY)
    if len(set(rests)) == 1 and all(len(one) == 1 for one in selections):
        groups = tuple(group for one in selections for group in one[0].groups)
        return PickedReading(Parse((replace(selections[0][0], groups=groups), *rests[0])), LIKELY)
    return None


def _by_name(spoken: Sequence[UtteranceToken], offered: Sequence[Parse], schema: Schema) -> PickedReading | None:
    """`age`, `the predicted one`: words that only one of the readings has."""
    if MORE & {token.text for token in spoken}:
        return None
    described = [_words(parse, schema) for parse in offered]
    numbers = [token for token in spoken if token.kind is TokenKind.NUMBER]
    meant = _meant(spoken)
    telling = [word for word in meant if not all(_has(own, word) for own in described)]
    scores = [
        sum(_has(own, word) for word in telling) + sum(_is_in(number, parse) for number in numbers)
        for own, parse in zip(described, offered, strict=True)
    ]
    best = max(scores)
    if not best or scores.count(best) > 1 or len(meant) > best + 1:
        return None
    return PickedReading(offered[scores.index(best)], LIKELY)


def _meant(spoken: Sequence[UtteranceToken]) -> list[str]:
    """The stems of the words that could name something."""
    words = [token.text for token in spoken if token.kind is TokenKind.WORD]
    return [stem(word) for word in words if word not in lexicon().groups["linking.stop"] and word not in ASIDE]


def _words(parse: Parse, schema: Schema) -> set[str]:
    text = f"{parse_words(parse, schema)} {parse}".lower()
    return {stem(word) for word in "".join(letter if letter.isalnum() else " " for letter in text).split()}


def _has(words: set[str], word: str) -> bool:
    return any(kin(word, other) >= NEAR for other in words)


def _by_number(numbers: Sequence[UtteranceToken], offered: Sequence[Parse]) -> PickedReading | None:
    """`eight meters` where the question was how many: readings that differ in their numbers alone."""
    shapes = {"".join("#" if letter.isdigit() else letter for letter in str(parse)).replace(".", "") for parse in offered}
    if len(numbers) != 1 or len({shape.replace("#", "") for shape in shapes}) != 1:
        return None
    return _changed(offered[0], numbers)
