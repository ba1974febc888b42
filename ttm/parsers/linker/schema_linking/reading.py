"""A reading: the utterance as a row of items - words, numbers, marks and linked mentions - cut into clauses."""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ttm.parsers.linker.schema_linking.grounding import SurfacePart
from ttm.parsers.linker.schema_linking.linking import SchemaMention
from ttm.parsers.linker.schema_linking.names import NameRole
from ttm.parsers.linker.words.lexicon import lexicon
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.tabular.data.schema import Feature

TAGS = {
    NameRole.FEATURE: "<f>",
    NameRole.PROPERTY: "<b>",
    NameRole.CATEGORY: "<g>",
    NameRole.VALUE: "<v>",
    NameRole.CLASS: "<c>",
    NameRole.OUTCOME: "<t>",
}
SUMMARIES = frozenset({"average", "mean", "median", "maximum", "minimum", "total"})
NO_SUMMARY_AFTER = frozenset({"<n>", "minimum", "maximum"})
DETERMINERS = frozenset(
    "its their the your his her a any some few several of couple true actual model most common possible typical usual "
    "predicted real".split()
)
ASKED = frozenset(
    "label labels likelihood probability probabilities accuracy explanation reason reasons way ways options f1 auc roc "
    "precision recall sensitivity specificity ppv npv confusion distribution distributions histogram average mean median "
    "counterfactual counterfactuals importance importances errors interactions".split()
)
AUXILIARY_YOU = frozenset("you do does did the".split())
DESCRIBED = frozenset("description overview summary details info information".split())
SUBJECTS = frozenset("you i we they the it model these that this he she".split())
ASKING = frozenset({"important", "matter", "classify", "class"})
TOPICS = frozenset({"data", "model"})  # asked for where nothing is said of them
JOINING = (["together", "with"], ["along", "with"], ["well", "as"])
LONGEST_FOLD = 9
RELATIVE_OR_ASKING = frozenset({"which", "where", "when", "who"})
SENTENCE_ENDS = frozenset(".?!;\n")


@dataclass(frozen=True)
class UtteranceItem:
    """A word, number, date or mark (`token`), or the words of a mention; `tail` are the words such as `level` that followed
    it. `word` is what patterns see."""

    word: str
    token: UtteranceToken
    mention: SchemaMention | None = None
    spoken: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()

    @property
    def is_number(self) -> bool:
        return self.mention is None and self.token.kind is TokenKind.NUMBER

    @property
    def feature(self) -> Feature | None:
        return self.mention.name.feature if self.mention else None


@dataclass(frozen=True)
class UtteranceReading:
    """Items of an utterance. `bounds` are the clauses as (start, end) positions of items."""

    items: tuple[UtteranceItem, ...]
    bounds: tuple[tuple[int, int], ...] = field(default=())

    @cached_property
    def words(self) -> list[str]:
        return [item.word for item in self.items]

    def clause_of(self, position: int) -> int:
        return next((number for number, (start, end) in enumerate(self.bounds) if start <= position < end), 0)

    def between(self, start: int, end: int) -> list[str]:
        return self.words[max(start, 0) : max(end, 0)]


def build_reading(
    tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention], entity: Container[str] = frozenset()
) -> UtteranceReading:
    """Fold mentions into single items, with words such as `level` that only follow a name, and cut into clauses.

    `entity`: what the data set calls its rows; cue phrases see `customer` or `customers` for it.
    """
    tail = lexicon().groups["linking.tail"]
    items: list[UtteranceItem] = []
    starts = {mention.start: mention for mention in mentions}
    position = 0
    while position < len(tokens):
        mention = starts.get(position)
        if mention is None:
            items.append(_plain(tokens[position], entity))
            position += 1
            continue
        spoken = tuple(token.text for token in tokens[mention.start : mention.end])
        beside = items[-1].word if items else ""
        if (
            spoken[0] in SUMMARIES
            and mention.name.role is NameRole.FEATURE
            and len(spoken) > 1
            and beside not in NO_SUMMARY_AFTER
        ):
            items.append(_plain(tokens[mention.start], entity))  # of `average_glucose`, the word may ask for an average
        if mention.name.role is NameRole.FEATURE:
            _drop_number_of(items)
        position = mention.end
        if mention.name.role not in (NameRole.CLASS, NameRole.OUTCOME, NameRole.VALUE):
            while position < len(tokens) and tokens[position].text in tail and position not in starts:
                position += 1
        after = tuple(token.text for token in tokens[mention.end : position])
        items.append(UtteranceItem(TAGS[mention.name.role], tokens[mention.start], mention, spoken, after))
    return UtteranceReading(tuple(items), tuple(_clauses([item.word for item in items])))


def _drop_number_of(items: list[UtteranceItem]) -> None:
    """In "the number of bedrooms" nothing is counted: the words belong to the feature."""
    before = [item.word for item in items[-2:]]
    if len(before) == 2 and before[1] == "of" and before[0] in ("number", "amount", "quantity", "count", "total", "level"):
        del items[-2:]


def _plain(token: UtteranceToken, entity: Container[str]) -> UtteranceItem:
    if token.text in entity and token.text not in lexicon().groups["entity"]:
        return UtteranceItem("customers" if token.text.endswith("s") else "customer", token)
    return UtteranceItem("<n>" if token.kind is TokenKind.NUMBER else token.text, token)


_LINK = re.compile(r"and|but|then|also|plus|,|or|additionally|furthermore|moreover|next|afterwards|too")


def _clauses(words: list[str]) -> list[tuple[int, int]]:
    """Clauses end at sentence marks, and where a conjunction or comma is followed by a new question or command."""
    bounds: list[tuple[int, int]] = []
    start = 0
    for position, word in enumerate(words):
        if word in SENTENCE_ENDS:
            bounds.append((start, position))
            start = position + 1
        elif position > start + 1 and not _is_adverb(words[start:position]) and _opens_clause(words, position, start):
            bounds.append((start, position))
            start = position
    bounds.append((start, len(words)))
    return [(first, last) for first, last in bounds if last > first] or [(0, len(words))]


def _is_adverb(words: list[str]) -> bool:
    """A word or two before a comma ("most frequently, what ...") belong to what follows."""
    groups = lexicon().groups
    return words[-1] == "," and len(words) <= 3 and any(word in groups["usual"] for word in words)


def _asks_noun(words: list[str], position: int) -> bool:
    """Whether a noun that is asked for follows: `and a few mistakes`, `and its accuracy`."""
    if any(_is_topic(words, at) for at in range(position, min(position + 2, len(words)))):
        return True
    while position < len(words) - 1 and words[position] in DETERMINERS:
        position += 1
    if words[position : position + 1] == ["<t>"] and words[position - 1] in ("true", "real", "actual", "predicted"):
        return True
    word, after = (*words[position : position + 2], "", "")[:2]
    groups = lexicon().groups
    if word in ASKED or word in groups["prediction"] or word in groups["mistake"]:
        return True
    return word in ("number", "top") and after in ("of", ",", "<n>", "features")


def _is_topic(words: list[str], position: int) -> bool:
    """The data or the model, where nothing else is said of them: `the data and the model`, `model description`."""
    after = words[position + 1] if position + 1 < len(words) else ""
    alone = not after or after in DESCRIBED or after in SENTENCE_ENDS or _LINK.fullmatch(after) is not None
    return words[position] in TOPICS and alone


def _is_matched(words: list[str], position: int) -> bool:
    """`prediction and label disagree`: the two are compared with each other."""
    return any(word.startswith(("disagree", "agree", "differ", "match", "coincide")) for word in words[position : position + 5])


def _opens_clause(words: list[str], position: int, start: int) -> bool:
    """Whether a second request begins here, in a clause that began at `start`.

    A cue is heard within one clause, so `and` has to be told apart that joins two questions (`how many and why`) from one that
    joins two conditions (`old and ill`) or two things asked for by one verb.
    """
    groups = lexicon().groups
    word, before = words[position], words[position - 1]
    joined = words[position - 2 : position] in JOINING
    if not (_LINK.fullmatch(before) or joined) or words[start] == "as":
        return False
    if word == "why" or (word in groups["question"] and word not in RELATIVE_OR_ASKING | {"whose"}):
        return True
    if word in RELATIVE_OR_ASKING:
        return _asks_which(words, position)
    after = words[position + 1] if position + 1 < len(words) else ""
    if (before in ("and", "plus", ",") or joined) and _asks_noun(words, position) and not _is_matched(words, position):
        return _is_asked_before(words, position, start)
    if word in groups["command"]:
        return before != "," or position - start > 1 or after in ("me", "us")
    if word in groups["auxiliary"] and after in SUBJECTS:
        return True
    return word == "if" and (after in groups["system"] or after == "the")


def _asks_which(words: list[str], position: int) -> bool:
    """`and which features`, but `and which are ill`: a question, not a relative clause about the rows before."""
    groups = lexicon().groups
    word, before = words[position], words[position - 1]
    following = words[position + 1] if position + 1 < len(words) else ""
    if word == "which" and before in ("and", "also"):
        return following not in ("is", "are", "was", "were", "has", "have")
    asks = following in groups["mistake"] or following in groups["feature"]
    asks = asks or (word == "where" and following in AUXILIARY_YOU)
    asks = asks or (following == "<n>" and words[position + 2 : position + 3] in (["features"], ["factors"]))
    return before in ("and", ",", "also", "then") and asks


def _is_asked_before(words: list[str], position: int, start: int) -> bool:
    """Whether a noun such as `accuracy` is asked for on its own, since the clause before asks for something already."""
    groups, earlier = lexicon().groups, words[start:position]
    shows = any(other in groups["show"] or other in ("tell", "what", "like", "want", "need") for other in earlier)
    if (words[position - 1] != "," and shows) or words[start] in groups["command"] or not ASKING.isdisjoint(earlier):
        return True
    return any(_asks_noun(words, at) for at in range(start, position - 1))


def fold(reading: UtteranceReading, parts: Sequence[SurfacePart]) -> UtteranceReading:
    """Conditions and changes become single items `<q>`, so that their words (`more`, `increase`) are no cues."""
    hidden: set[int] = set()
    for part in parts:
        if part.end - part.start <= LONGEST_FOLD:
            hidden |= set(range(part.start, part.end))
        else:
            hidden |= {part.start, part.end - 1}
    hidden = {at for at in hidden if reading.words[at] != "<i>"}
    summaries = {at - 1 for at in hidden if at and reading.items[at - 1].token is reading.items[at].token}
    hidden |= summaries  # the `average` of `average_glucose`
    items: list[UtteranceItem] = []
    places: list[int] = []
    for at, item in enumerate(reading.items):
        if at not in hidden:
            items.append(item)
            places.append(at)
        elif at - 1 not in hidden:
            items.append(replace(item, word="<q>", mention=None))
            places.append(at)
    bounds = [(sum(at < first for at in places), sum(at < last for at in places)) for first, last in reading.bounds]
    return UtteranceReading(tuple(items), tuple((a, b) for a, b in bounds if b > a) or ((0, len(items)),))
