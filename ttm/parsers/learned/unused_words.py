"""Which words of a message its answer does not rest on, so that none is left out in silence."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from ttm.language.describe_parse import parse_words
from ttm.language.operations.data import DefineTerm
from ttm.language.parse import Parse, number_text
from ttm.parsers.learned.decisions.general_words import is_general
from ttm.parsers.learned.decisions.span_decisions import Decisions, SpanDecision, all_tokens
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.words.lexicon import kin, stem
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken, tokenise
from ttm.parsers.plain_requests.class_of_rows import class_left
from ttm.parsers.plain_requests.plain_request import technical_words
from ttm.tabular.data.schema import Schema

NAMED = 0.95  # share of a name that has to be said
SURE_LINK = -0.5  # log-probability from which an argument surely names a column
GUESSED_LINK = np.log(0.5)  # below it what a span means is a guess, so its words count as not used
KIN = 0.85  # from which two words say the same, by their root or as synonyms
DENIALS = frozenset("not no without neither except excluding never".split())
# Parses that hold what technical names stand for: a rate, a cell, fairness, a cross-table.
OF_TECHNICAL = re.compile(r" score (?!default)| predictionfilter \d and labelfilter | fairness | countdata by ")
# Rows that are risky are of a class, whatever else the word is kin to.
RISKY, OF_CLASS = frozenset({"risky", "unsafe"}), r"filter \d|probability|likelihood|important|explain"
# What says a denial in a parse.
DENYING = (
    " not ", " false ", " less ", " missing ", " no ", " set 0 ", "lowest ", "bottomk ", " keep ", " likelihood class ",
    " without ", " otherwise ", "mistake ", "explain cfe", " predictionfilter 0 and labelfilter 1 ",
    " predictionfilter 1 and labelfilter 0 ", " score npv ", " score specificity ",
)  # fmt: skip


def unused_words(decisions: Decisions, parse: Parse, mentions: Sequence[SchemaMention], schema: Schema) -> tuple[str, ...]:
    """Numbers, names of the data, denials and other words of weight that a reading does not hold, as they were typed.

    An answer that leaves out a number, a column, a `not` or a word that no question about any table needs ("from my vineyard")
    may be about something else than was asked, so the message says what was left.
    """
    if any(isinstance(step, DefineTerm) for step in parse.steps):
        return ()  # all words of the message ask for it
    text = f" {parse} "
    left = _named_left(decisions, parse, mentions, schema)
    technical = {decisions.tokens[at].start for at in technical_words(decisions.tokens)} if OF_TECHNICAL.search(text) else set()
    left = {start: end for start, end in left.items() if start not in technical}
    named = {at for at, token in enumerate(decisions.tokens) for start, end in left.items() if start <= token.start < end}
    strange = [
        at for at in _strange_words(decisions, mentions, text)
        if at not in named and decisions.tokens[at].start not in technical
    ]  # fmt: skip
    strange = _without_kin(strange, decisions, parse, schema) if strange else []
    for _, run in groupby(enumerate(strange), lambda pair: pair[1] - pair[0]):
        indexes = [at for _, at in run]
        left[decisions.tokens[indexes[0]].start] = decisions.tokens[indexes[-1]].end
    return tuple(dict.fromkeys(decisions.utterance[start:end] for start, end in sorted(left.items())))


def _named_left(decisions: Decisions, parse: Parse, mentions: Sequence[SchemaMention], schema: Schema) -> dict[int, int]:
    """Where numbers, names and a class of rows stand that a reading does not hold: from which letter to which."""
    text = f" {parse} "
    by_encoder = {token.start: token.end for token in _tokens_left(decisions, mentions, text)} | dict(
        _spans_left(decisions, text)
    )
    left = dict(reversed([*_mentions_left(decisions, mentions, text)])) | by_encoder
    classed = class_left(decisions.tokens, mentions, schema, parse)
    if not classed:
        return left
    start, end = decisions.tokens[classed.start].start, decisions.tokens[classed.stop - 1].end
    return {at: last for at, last in left.items() if not start <= at < end} | {start: end}


def _tokens_left(decisions: Decisions, mentions: Sequence[SchemaMention], text: str) -> Iterator[UtteranceToken]:
    """Numbers, denials and risks that a parse does not hold; a number may be a share, a decrease or a reciprocal in it,
    the year or the day of a date, or a part of a name ("sensor 3")."""
    named = {at for one in mentions if _is_held(one, text) for at in range(one.start, one.end)}
    # A made-up case takes no row and no count of rows: "predict 5 with a bmi of 30".
    aside = all_tokens(decisions.of_role("reference", "count")) if " instance " not in text else set()
    days = {int(one[1]) for one in re.finditer(r" \d{4}-\d\d-(\d\d) ", text)}
    for at, token in enumerate(decisions.tokens):
        counts = token.kind is TokenKind.NUMBER and not _may_be_aside(token, text) and at not in aside | named
        if counts and token.value not in days and not _has_number(token.value, text):
            yield token
        if token.text in RISKY and not re.search(OF_CLASS, text):
            yield token
        if token.text in DENIALS and at not in named and not _denies(text):
            yield token


def _has_number(value: float, text: str) -> bool:
    """Whether a parse has a number, a share, a decrease or a reciprocal: a false alarm that costs 4 misses, a miss 0.25."""
    forms = {number_text(each) for each in (value, value / 100, -value)} | {f"{1 / (value or 1):g}"}
    return any(f" {form} " in text or f" {form}-" in text for form in forms)


def _is_held(mention: SchemaMention, text: str) -> bool:
    return any(name.feature is not None and f" {name.feature.token} " in text for name in mention.names)


def _denies(text: str) -> bool:
    return "previous" in text or any(word in text for word in DENYING)


def words_left(decisions: Decisions, mentions: Sequence[SchemaMention], parse: Parse) -> tuple[int, int]:
    """How many words of the table and how many denials a reading does not hold, without a look at what their kin may say."""
    text = f" {parse} "
    denials = 0 if _denies(text) else sum(token.text in DENIALS for token in decisions.tokens)
    return len(_strange_words(decisions, mentions, text)), denials


def _may_be_aside(token: UtteranceToken, text: str) -> bool:
    """Whether a number is one of words, or an ordinal that a parse with rows or an order of them may have resolved."""
    if token.form != "ordinal":
        return token.form == "spoken"
    return bool(token.raw) or any(word in text for word in (" id ", "previous", "highest ", "lowest ", "topk "))


def _spans_left(decisions: Decisions, text: str) -> Iterator[tuple[int, int]]:
    """Where the encoder reads columns that a parse does not hold: from which letter to which."""
    for span in decisions.of_role("condition", "compared", "change", "case", "argument"):
        item, sure = span.links[0] if span.links else (None, 0.0)
        if span.role in ("condition", "compared") and span.outcomes and span.outcomes[0][0] != "column":
            continue  # "actually": what is true or predicted, whatever column it is nearest to
        certain = sure > (SURE_LINK if span.role == "argument" else GUESSED_LINK)
        feature = item.feature if item is not None and certain else None
        others = [item.feature.token for item, _ in span.links if item is not None and item.feature is not None]
        if feature is not None and not any(f" {name} " in text for name in others):
            yield span.tokens[0].start, span.tokens[-1].end


def _mentions_left(decisions: Decisions, mentions: Sequence[SchemaMention], text: str) -> Iterator[tuple[int, int]]:
    """Where the linker reads them, which needs more of a name and overlooks none."""
    for mention in mentions:
        names = [name.feature.token for name in mention.names if name.feature is not None]
        own = decisions.tokens[mention.start : mention.end]
        if names and mention.coverage >= NAMED and not any(f" {name} " in text for name in names):
            yield own[0].start, own[-1].end


def _strange_words(decisions: Decisions, mentions: Sequence[SchemaMention], text: str) -> list[int]:
    """Indexes of words that belong to one table, and that no name or span of the reading holds."""
    held = all_tokens([span for span in decisions.spans if _holds(span, text)])
    held |= {at for mention in mentions for at in range(mention.start, mention.end)}
    strange = []
    for at, token in enumerate(decisions.tokens):
        after = decisions.tokens[at + 1] if at + 1 < len(decisions.tokens) else None
        is_row = after is not None and after.kind is TokenKind.NUMBER and f" id {number_text(after.value)} " in text
        is_word = token.kind is TokenKind.WORD and token.text.isalpha()
        if is_word and at not in held and not is_row and not is_general(token.text):
            strange.append(at)
    return strange


def _holds(span: SpanDecision, text: str) -> bool:
    """Whether a reading rests on what a span is surely taken for."""
    if not span.links:
        return True
    item, sure = span.links[0]
    if item is None or sure < GUESSED_LINK:
        return False
    return item.feature is None or f" {item.feature.token} " in text


def _without_kin(indexes: list[int], decisions: Decisions, parse: Parse, schema: Schema) -> list[int]:
    """Those words of which neither the reading in words nor the name of the rows has one of their kin (survivors, survived)."""
    words = {stem(word.text) for word in tokenise(f"{parse_words(parse, schema)} {schema.entity}")}
    return [at for at in indexes if not any(kin(stem(decisions.tokens[at].text), word) >= KIN for word in words)]
