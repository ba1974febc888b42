"""Which variable of the steps so far the words of a correction point to: "that country", "of these", "it"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspired.logical_form.forms import Variable
from inspired.parsers.linking.words import QuestionToken, content_stems

_POINTING = frozenset(("that", "this", "these", "those", "such", "said", "above", "same"))
_PRONOUNS = frozenset(("it", "its", "they", "them", "their", "he", "him", "his", "she", "her", "there", "whose"))
_AMONG = frozenset(("these", "those", "them"))
_BETWEEN = frozenset(("above", "mentioned", "named", "said", "same", "of", "each", "all"))


@dataclass(frozen=True, slots=True)
class Pointer:
    """The tokens from `start` to before `end` stand for `variable`; `among` is for "which of these": a choice from it."""

    start: int
    end: int
    variable: Variable
    among: bool = False


def pointers_in(
    tokens: Sequence[QuestionToken], nouns: Mapping[Variable, str], known: Sequence[Variable]
) -> tuple[Pointer, ...]:
    """What points to one of the `known` variables, from left to right; `nouns` says what they are called.

    A word that fits several means the one that was asked for last.
    """
    pointers: list[Pointer] = []
    index = 0
    while index < len(tokens) and known:
        pointer = _at(tokens, index, nouns, known)
        if pointer is not None:
            pointers.append(pointer)
        index = pointer.end if pointer is not None else index + 1
    return tuple(pointers)


def _at(
    tokens: Sequence[QuestionToken], index: int, nouns: Mapping[Variable, str], known: Sequence[Variable]
) -> Pointer | None:
    word = tokens[index].plain
    before = tokens[index - 1].plain if index else ""
    if word in _PRONOUNS and not (word in _AMONG and before == "of"):
        return Pointer(index, index + 1, known[-1])
    if word not in _POINTING:
        return None
    end = index + 1
    while end < len(tokens) and tokens[end].plain in _BETWEEN:
        end += 1
    among = before == "of" and not (index > 1 and tokens[index - 2].plain in ("each", "all"))
    for variable in reversed(known):
        noun = content_stems(nouns.get(variable, ""))
        here = tuple(each.stem for each in tokens[end : end + len(noun)])
        if noun and here == noun:
            return Pointer(index, end + len(noun), variable, among)
    a_noun_follows = end < len(tokens) and not tokens[end].is_stop
    if word in ("these", "those") or not a_noun_follows:
        return Pointer(index, end, known[-1], among)
    return Pointer(index, end + 1, known[-1], among)
