"""Which end of a relation a question asks for, told by its words: "the parts of X", "what X is part of", "X has as a part".

A fact reads in two directions, and both may have answers; the one that was not asked for is the opposite of an answer.
"""

from collections.abc import Sequence
from functools import cache

from inspired.parsers.linking.label_grammar import Role, is_participle, prepositions
from inspired.parsers.linking.words import QuestionToken, table

_NEAR = 3


def role_of(named: range, word: range, tokens: Sequence[QuestionToken]) -> Role | None:
    """What the thing at `named` is to the word of a relation at `word`; None where the words leave it open."""
    if named.stop <= word.start:
        return _named_first(named, _core(word, tokens), tokens)
    return _word_first(named, _core(word, tokens), tokens) if word.stop <= named.start else None


def _core(word: range, tokens: Sequence[QuestionToken]) -> range:
    """The words of a relation without those around it that may speak for it as well: "become independent from"."""
    telling = [index for index in word if tokens[index].plain not in prepositions() | _words("being")]
    return range(telling[0], telling[-1] + 1) if telling else word


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(str(table("directions")[name]).split())


def _named_first(named: range, word: range, tokens: Sequence[QuestionToken]) -> Role | None:
    plain = [each.plain for each in tokens]
    between = plain[named.stop : word.start]
    if _owns(tokens[named.stop - 1]):
        return "owner" if len(between) < _NEAR else None
    if "as" in between:
        return "bearer"
    if _words("having") & set(between):
        return "owner"
    if _is_passive(word, plain):
        return "patient"
    before = _before(named.start, plain)
    if _has_been_asked_of(word, plain) and (before in _words("being") or _words("being") & set(between)):
        return "bearer"
    if not set(between) <= _words("filling"):
        return None
    if before in _words("doing"):
        return "agent"
    return None if before in _words("being") else "owner" if word.stop == len(plain) else "agent"


def _word_first(named: range, word: range, tokens: Sequence[QuestionToken]) -> Role | None:
    plain = [each.plain for each in tokens]
    between = [each for each in plain[word.stop : named.start] if each not in _words("filling")]
    if _is_passive(word, plain):
        return "agent" if "by" in between else "oblique" if prepositions() & set(between) else None
    before = _before(word.start, plain)
    if before in _words("naming") or _owns_before(word, tokens):
        return "bearer"
    if _words("having") & set(plain[: word.start]) and not between:
        return "bearer"
    if set(between) & _words("doing"):
        return "owner" if _words("having") & set(plain[named.stop :]) else None
    if between[:1] == ["of"]:
        return "bearer" if set(between[:2]) & _words("asking") else "owner"
    return _verb_or_noun(word, plain, between)


def _verb_or_noun(word: range, plain: Sequence[str], between: Sequence[str]) -> Role | None:
    """Of "founded X", "depends on X", "the founder X", "a supplier to X"."""
    is_noun = word.start > 0 and plain[word.start - 1] in (_words("articles") | {"by"})
    if between[:1] and between[0] in prepositions():
        return "owner" if is_noun else "oblique"
    if between or not _before(word.start, plain):
        return None  # "parent Ada" may be short for either
    return "bearer" if is_noun else "patient"


def _before(index: int, plain: Sequence[str]) -> str:
    """The word before `index`, but for articles and the like."""
    return next((each for each in reversed(plain[:index]) if each not in _words("filling")), "")


def _owns(token: QuestionToken) -> bool:
    return token.plain in _words("owning") or token.text.replace("’", "'").lower().endswith(("'s", "s'"))


def _owns_before(word: range, tokens: Sequence[QuestionToken]) -> bool:
    """Whether somebody's is asked for: "which class's parent is X"."""
    return word.start > 0 and _owns(tokens[word.start - 1])


def _is_passive(word: range, plain: Sequence[str]) -> bool:
    """ "Was X founded by", "founded by X", "places located in X"; not "founded X"."""
    if not is_participle(plain[word.stop - 1]):
        return False
    return (bool(plain[word.stop : word.stop + 1]) and plain[word.stop] in prepositions()) or _is_behind_being(word, plain)


def _is_behind_being(word: range, plain: Sequence[str]) -> bool:
    being = next((index for index in range(word.start - 1, -1, -1) if plain[index] in _words("being")), None)
    return being is not None and not set(plain[being + 1 : word.start]) & (_words("asking") | {"that", "and", "or"})


def _has_been_asked_of(word: range, plain: Sequence[str]) -> bool:
    """Whether the word is a noun that the thing before it is called by: "what is X a part of", "X is the parent of whom"."""
    behind = plain[word.stop : word.stop + 1]
    return (
        (bool(behind) and behind[0] in prepositions() - {"by"})
        or plain[0] in prepositions()
        or _before(word.start, plain) in _words("being")
    )
