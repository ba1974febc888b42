"""What is offered to somebody who is typing: names that begin with the last words before the cursor."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.text.words import capitalised
from inspired.dialogue.offered_names.name_index import KnownName, NameIndex, plain_words
from inspired.parsers.linking.words import QuestionToken, tokens_of

MOST = 8
FEWEST_LETTERS = 3
LONGEST_TEXT = 120  # characters before the cursor that are looked at
_MOST_WORDS = 5
# What questions begin with: while the first word is being typed, nothing is offered that begins so too.
_QUESTION_WORDS = "which what whose whom where when how list name give show tell find".split()


@dataclass(frozen=True)
class Offer:
    """A name to put in place of what was `typed`, the end of the text before the cursor; and what it is."""

    typed: str
    text: str
    about: str


@dataclass(frozen=True)
class NameOffers:
    """`ended`: whatever letters come next, nothing will be offered before another word begins."""

    offers: tuple[Offer, ...] = ()
    ended: bool = False


def offers_for(before: str, index: NameIndex) -> NameOffers:
    """The names that complete the end of `before`, the text before the cursor: as many of its last words as one name has."""
    text = before[-LONGEST_TEXT:]
    tokens = tokens_of(text)[-_MOST_WORDS:]
    if not tokens or tokens[-1].end != len(text) or tokens[-1].text.casefold().endswith(("'s", "’s")):
        return NameOffers()
    for start in range(len(tokens)):
        if names := _completing(tokens[start:], index):
            offers = {each.text: each for each in (_offer(name, text, tokens, start) for name in names)}
            return NameOffers(tuple(each for each in offers.values() if each.text != each.typed))
    return NameOffers(ended=_letters(tokens[-1:]) >= FEWEST_LETTERS and not _is_small(tokens[-1]))


def _completing(span: Sequence[QuestionToken], index: NameIndex) -> tuple[KnownName, ...]:
    """The names in which a word begins with the words of the span; of one that is a whole name, those that begin so."""
    # "of Am" is no part of "United States of America" that somebody would begin with.
    if _letters(span) < FEWEST_LETTERS or span[0].is_stop or (len(span) == 1 and _is_small(span[0])):
        return ()
    words = _plain(span)
    names = index.beginning(words, MOST)
    is_whole = any(words == " ".join(plain_words(each.text)) for each in names)
    return index.beginning(words, MOST, at_start=True) if is_whole else names


def _plain(span: Sequence[QuestionToken]) -> str:
    return " ".join(each.plain for each in span)


def _letters(span: Sequence[QuestionToken]) -> int:
    return sum(each.isalpha() for token in span for each in token.plain)


def _is_small(token: QuestionToken) -> bool:
    return token.is_stop or (token.start == 0 and any(each.startswith(token.plain) for each in _QUESTION_WORDS))


def _offer(name: KnownName, text: str, tokens: Sequence[QuestionToken], start: int) -> Offer:
    """The offer, with the words before that the name begins with too: "the Hag" for The Hague."""
    called = " ".join(plain_words(name.text))
    start = next((each for each in range(start) if called.startswith(_plain(tokens[each:]))), start)
    typed = text[tokens[start].start :]
    about = ", ".join(filter(None, (name.about, name.also and f"also {name.also}")))
    return Offer(typed, capitalised(name.text) if typed[:1].isupper() else name.text, about)
