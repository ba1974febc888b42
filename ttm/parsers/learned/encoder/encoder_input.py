"""What the encoder reads: the turn before in a few words, then the message, each word with the kind of thing it names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.schema_linking.names import NameRole
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Integers = npt.NDArray[np.int64]

# What a word names by rule; the number is the row of the embedding that is added to the word's own.
KINDS = ("", "number", "percent", "ordinal", "date", *NameRole)
MOST_PIECES = 96  # of the message; what follows is cut off
MOST_CONTEXT = 32  # of the turn before
FIRST, LAST = 101, 102  # [CLS] and [SEP] of the tokenizer


@dataclass(frozen=True)
class EncoderInput:
    """Word pieces (t,), of the turn before (segment 0) and of the message (segment 1). `words` are the pieces of each token
    of the message, start and end; a token that was cut off has none."""

    pieces: Integers
    segments: Integers
    kinds: Integers
    words: tuple[tuple[int, int], ...]


def encoder_input(
    tokenizer: "Tokenizer",
    utterance: str,
    tokens: Sequence[UtteranceToken],
    mentions: Sequence[SchemaMention],
    context: str,
) -> EncoderInput:
    """Cut both texts into pieces. The tokenizer neither pads nor truncates."""
    before = tokenizer.encode(context, add_special_tokens=False).ids[:MOST_CONTEXT]
    encoding = tokenizer.encode(utterance, add_special_tokens=False)
    own, offsets = encoding.ids[:MOST_PIECES], encoding.offsets[:MOST_PIECES]
    start = len(before) + 2
    pieces = np.array([FIRST, *before, LAST, *own, LAST], np.int64)
    segments = np.array([0] * start + [1] * (len(own) + 1), np.int64)
    words = tuple(_pieces_of(token, offsets, start) for token in tokens)
    kinds = np.zeros(len(pieces), np.int64)
    for kind, (first, last) in zip(_kinds(tokens, mentions), words, strict=True):
        kinds[first:last] = kind
    return EncoderInput(pieces, segments, kinds, words)


def _pieces_of(token: UtteranceToken, offsets: Sequence[tuple[int, int]], start: int) -> tuple[int, int]:
    inside = [at for at, (first, last) in enumerate(offsets) if first < token.end and last > token.start]
    return (start + inside[0], start + inside[-1] + 1) if inside else (0, 0)


def _kinds(tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention]) -> list[int]:
    kinds = [KINDS.index(_own_kind(token)) for token in tokens]
    for mention in mentions:
        for at in range(mention.start, mention.end):
            kinds[at] = KINDS.index(mention.name.role)
    return kinds


def _own_kind(token: UtteranceToken) -> str:
    if token.kind is TokenKind.DATE:
        return "date"
    if token.kind is not TokenKind.NUMBER:
        return ""
    return token.form if token.form in ("percent", "ordinal") else "number"
