"""What kind of answer a question asks for, and what it denies: read from its small words, before anything is looked up.

Such words decide whether an answer is right or its opposite, so they are never one more hint among others: a reading that
does not follow them is none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from inspired.parsers.linking.words import QuestionToken, table

AnswerKind = Literal["list", "count", "yes-no"]
_MOST_NEGATIONS = 2
_SHORTEST = 4


@dataclass(frozen=True, slots=True)
class Negation:
    """The tokens from `start` to before `end` deny what follows them; `excepts` takes away only what is named."""

    start: int
    end: int
    excepts: bool = False

    @property
    def places(self) -> range:
        return range(self.start, self.end)


@dataclass(frozen=True, slots=True)
class QuestionFrame:
    """`cues` are the tokens that say so: "how many", "is there any"; `exists` asks whether there is anything at all.

    With `every`, the place of "all", a yes-or-no question is about everything that it names there. What is asked of the `past`
    need not hold now, and one that `asks_who` asks for people.
    """

    kind: AnswerKind = "list"
    cues: frozenset[int] = frozenset()
    negations: tuple[Negation, ...] = ()
    exists: bool = False
    every: int | None = None
    past: bool = False
    asks_who: bool = False


def frame_of(tokens: Sequence[QuestionToken]) -> QuestionFrame:
    """The frame of a question. Of "no more than" and the like, which compare, nothing is denied."""
    words = [each.plain for each in tokens]
    return replace(_kind_of_frame(words), past=bool(_words("past") & set(words)), asks_who=words[:1] in (["who"], ["whose"]))


def _kind_of_frame(words: Sequence[str]) -> QuestionFrame:
    counting = _counting(words)
    if counting:
        return QuestionFrame("count", counting, _negations(words, 0))
    asserted = max((each for each in range(len(words)) if each + _phrase("asserts", words, each) == len(words)), default=None)
    if asserted and not set(words[:asserted]) & _words("which"):
        ending = range(
            next(index for index in range(len(words)) if index + _phrase("asserts", words, index) == len(words)), len(words)
        )
        return QuestionFrame("yes-no", frozenset(ending), _negations(words[: ending.start], 0))
    begin = _yes_or_no(words)
    if begin is None:
        return QuestionFrame("list", frozenset(), _negations(words, 0))
    existing = _existing(words, begin)
    every = next((index for index in range(begin, min(begin + 2, len(words))) if words[index] in _words("every")), None)
    cues = frozenset((*range(begin), *existing, *(index for index, word in enumerate(words) if word in _words("both"))))
    return QuestionFrame("yes-no", cues, _negations(words, begin), bool(existing), every)


def nobody() -> frozenset[str]:
    """What kinds of things are called for which "who" does not ask."""
    return _words("nobody")


def _words(name: str) -> frozenset[str]:
    return frozenset(str(table("framing")[name]).split())


def _phrase(name: str, words: Sequence[str], index: int) -> int:
    """How many words from `index` on are one of the phrases of a row, the longest first; 0 if they are none."""
    phrases: Sequence[str] = table("framing")[name]
    sizes = [len(each.split()) for each in phrases if words[index : index + len(each.split())] == each.split()]
    return max(sizes, default=0)


def _counting(words: Sequence[str]) -> frozenset[int]:
    if words[:1] == ["count"]:
        return frozenset(range(max(1, _phrase("counts", words, 0))))
    for index in range(len(words)):
        if size := _phrase("counts", words, index):
            return frozenset(range(index, index + size))
        # "how much countries" of people who learn English
        if words[index : index + 2] == ["how", "much"] and words[index + 2 : index + 3] and _is_plural(words[index + 2]):
            return frozenset((index, index + 1))
    return frozenset()


def _is_plural(word: str) -> bool:
    return word == "people" or (word.endswith("s") and len(word) > _SHORTEST and not word.endswith("ss"))


def _yes_or_no(words: Sequence[str]) -> int | None:
    """Where the question begins behind "does", "tell me whether" and the like; None for other questions."""
    for index in range(min(6, len(words))):
        if size := _phrase("whether", words, index):
            rest = index + size
            return rest + (rest < len(words) and words[rest] in _words("asks"))
    first = next((index for index, word in enumerate(words) if word not in _words("opens")), None)
    if first is None or words[first] not in _words("asks"):
        return None
    following = words[first + 1] if first + 1 < len(words) else ""
    named = any(each in _words("which") for each in words[first + 1 :])
    return None if following in ("you", "i", "we", "me") or (named and following in _words("which")) else first + 1


def _existing(words: Sequence[str], begin: int) -> range:
    size = _phrase("exists", words, begin)
    return range(begin, begin + size)


def _negations(words: Sequence[str], begin: int) -> tuple[Negation, ...]:
    return tuple(_negations_in(words, begin))[:_MOST_NEGATIONS]


def _negations_in(words: Sequence[str], begin: int) -> Iterator[Negation]:
    index = begin
    while index < len(words):
        if size := _phrase("compares", words, index):
            index += size
        elif size := _phrase("excepts", words, index):
            yield Negation(index, index + size, excepts=True)
            index += size
        elif (size := _denying(words, index)) or words[index].endswith("n't"):
            yield Negation(index, index + max(size, 1))
            index += max(size, 1)
        else:
            index += 1


def _denying(words: Sequence[str], index: int) -> int:
    """The length of a denial from `index` on; of "have no more than" nothing is denied."""
    size = _phrase("denies", words, index)
    return 0 if any(_phrase("compares", words, inner) for inner in range(index, index + size)) else size


def scopes(negation: Negation, tokens: Sequence[QuestionToken], ends: Sequence[int]) -> tuple[range, ...]:
    """What a negation may deny: up to the end of the question, of a clause, or of one of the names that end at `ends`."""
    last = len(tokens)
    possible = {each for each in ends if negation.end < each <= last}
    possible |= {index for index in range(negation.end + 1, last) if tokens[index].plain in _words("clauses")}
    first = next((index for index in range(negation.end, last) if not tokens[index].is_stop), last)
    inner = sorted((possible | {first + 1}) - {last})
    # "where Spanish is not official": the clause is denied, with what stands before its verb.
    begin = next((index + 1 for index in range(negation.start - 1, 0, -1) if tokens[index].plain in _words("opening")), None)
    clause = begin is not None and any(not each.is_stop for each in tokens[begin : negation.start])
    if begin is not None and clause and not negation.excepts:
        return tuple(range(begin, end) for end in (last, *inner) if end > negation.end)[:6]
    return tuple(range(negation.end, end) for end in (last, *inner) if end > negation.end)[:6]


def between(tokens: Sequence[QuestionToken], frame: QuestionFrame) -> tuple[int, ...]:
    """Where what is said about "all ..." may begin."""
    if frame.every is None:
        return ()
    return tuple(index for index, _ in list(enumerate(pairwise(tokens), 1)) if index > frame.every + 1)
