"""What the tokens of a vocabulary add to a text, byte by byte, for every kind of tokenizer.

Most tokens add the same bytes wherever they stand. Where a vocabulary does not say whether a space comes before a token
(WordPiece at punctuation; words added to another tokenizer), both readings are kept, and `joins` tells which may be.
"""

import json
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from backend.errors import LanguageModelError
from backend.models.sequence_models.vocabulary import END, GLUED, UNKNOWN, ModelVocabulary

Flags = npt.NDArray[np.bool_]
# After token `before` (None at the beginning): which tokens may follow without a space, and which with one. Of the same case
# it gives the same arrays, not only equal ones.
Joins = Callable[[int | None], tuple[Flags, Flags]]
_MARK = "\u2581"  # what SentencePiece writes for a space
_NOTHING = b""


@dataclass(frozen=True)
class TokenTexts:
    """`glued` holds the bytes of each token without a space before it, empty for tokens that may never be written.

    `opens_with_space`: the first word of a text has a space before it that decoding drops. `spell` gives a word as the
    tokenizer can write it (in lower case, without accents). `marks` are tokens without text, such as a beginning.
    `doubled`: whether `joins` ever tells of a token with a space before it.
    """

    glued: tuple[bytes, ...]
    ends: tuple[int, ...]
    joins: Joins
    opens_with_space: bool = False
    spell: Callable[[str], str] = str
    marks: frozenset[int] = frozenset()
    doubled: bool = False


def of_vocabulary(vocabulary: ModelVocabulary) -> TokenTexts:
    """The words of one of our own sequence models."""
    words = [word if index > UNKNOWN else "" for index, word in enumerate(vocabulary.words)]
    continues = np.array([len(word) > len(GLUED) and word.startswith(GLUED) for word in words])
    texts = [word.removeprefix(GLUED) if glued else word for word, glued in zip(words, continues, strict=True)]
    first, never = ~continues, np.zeros(len(words), dtype=bool)

    def joins(before: int | None) -> tuple[Flags, Flags]:
        return (first, never) if before is None else (continues, first)

    return TokenTexts(tuple(map(str.encode, texts)), (END,), joins, marks=frozenset(range(UNKNOWN)), doubled=True)


def of_tokenizer(tokenizer: Any, ends: Collection[int] = (), words_stand_alone: bool = False) -> TokenTexts:
    """The tokens of a fast tokenizer of transformers: byte-level, SentencePiece (BPE or unigram), WordPiece or whole words.

    `ends` are the tokens that end a text, its own when empty. `words_stand_alone`: words that were added to it are written
    with spaces around them. Raises LanguageModelError for a tokenizer of another kind.
    """
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise LanguageModelError(f"{type(tokenizer).__name__} cannot be guided: it is no fast tokenizer of transformers.")
    described = json.loads(backend.to_str())
    kinds = _kinds(described["decoder"])
    special = set(map(int, tokenizer.all_special_ids)) | {each["id"] for each in described["added_tokens"] if each["special"]}
    added = {each["id"]: each["content"] for each in described["added_tokens"] if each["id"] not in special}
    names = _names(tokenizer)
    chosen = tuple(sorted(set(ends))) or _own_ends(tokenizer)
    silent = special | set(chosen)
    spell = _speller(backend)
    if "WordPiece" in kinds or not kinds:
        prefix = described["model"].get("continuing_subword_prefix") or ""
        return _word_pieces(names, silent, chosen, prefix, spell)
    if not kinds & {"ByteLevel", "Metaspace", "Replace"}:
        raise LanguageModelError(
            f"A tokenizer with the decoder {', '.join(sorted(kinds))} cannot be guided; valid are byte-level ones, "
            "SentencePiece, WordPiece and whole words."
        )
    bytes_of = _byte_level if "ByteLevel" in kinds else _sentence_piece
    texts = [added[index].encode() if index in added else bytes_of(name) for index, name in enumerate(names)]
    glued = tuple(_NOTHING if index in silent else text for index, text in enumerate(texts))
    alone = frozenset(added) if words_stand_alone else frozenset()
    opens = bool(kinds & {"Metaspace", "Replace"}) or '"add_prefix_space":true' in json.dumps(
        described["pre_tokenizer"], separators=(",", ":")
    )
    return TokenTexts(glued, chosen, _plain_joins(glued, alone), opens, spell, frozenset(silent), bool(alone))


def _names(tokenizer: Any) -> list[str]:
    names: list[str] = [""] * (max(tokenizer.get_vocab().values()) + 1)
    for name, index in tokenizer.get_vocab().items():
        names[index] = name
    return names


def _own_ends(tokenizer: Any) -> tuple[int, ...]:
    own = tokenizer.eos_token_id if tokenizer.eos_token_id is not None else tokenizer.sep_token_id
    if own is None:
        raise LanguageModelError(f"{type(tokenizer).__name__} cannot be guided: it has no token that ends a text.")
    return (int(own),)


def _kinds(decoder: dict[str, Any] | None) -> set[str]:
    if decoder is None:
        return set()
    if decoder["type"] == "Sequence":
        return {kind for each in decoder["decoders"] for kind in _kinds(each)} - {"Fuse", "Strip", "ByteFallback"}
    return {decoder["type"]}


def _plain_joins(glued: Sequence[bytes], alone: frozenset[int]) -> Joins:
    """Nothing is put before a token, but the words that stand alone."""
    every, never = np.ones(len(glued), dtype=bool), np.zeros(len(glued), dtype=bool)
    if not alone:
        return lambda before: (every, never)
    spaced = np.array([text.startswith(b" ") for text in glued])
    stands = np.array([index in alone for index in range(len(glued))])

    unspaced, usual = ~spaced, ~stands

    def joins(before: int | None) -> tuple[Flags, Flags]:
        if before is None or glued[before].endswith(b" "):
            return every, never
        return (spaced, unspaced) if before in alone else (usual, stands)

    return joins


def _word_pieces(
    names: Sequence[str], silent: Collection[int], ends: tuple[int, ...], prefix: str, spell: Callable[[str], str]
) -> TokenTexts:
    """A space comes before each token that does not continue another, but at punctuation there may be none."""
    continues = np.array([bool(prefix) and len(name) > len(prefix) and name.startswith(prefix) for name in names])
    texts = [name.removeprefix(prefix) if glued else name for name, glued in zip(names, continues, strict=True)]
    texts = ["" if index in silent else text for index, text in enumerate(texts)]
    after_cut = np.array([bool(text) and _is_apart(text[0]) for text in texts]) & ~continues
    first, every, never = ~continues, np.ones(len(names), dtype=bool), np.zeros(len(names), dtype=bool)
    close = continues | after_cut

    def joins(before: int | None) -> tuple[Flags, Flags]:
        if before is None:
            return first, never
        return (every if texts[before] and _is_apart(texts[before][-1]) else close), first

    return TokenTexts(tuple(map(str.encode, texts)), ends, joins, spell=spell, marks=frozenset(silent), doubled=True)


def _is_apart(character: str) -> bool:
    """Whether words are cut before and after this character, as BERT does at punctuation and ideographs."""
    code = ord(character)
    if 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126:
        return True
    ideograph = 0x4E00 <= code <= 0x9FFF or 0x3400 <= code <= 0x4DBF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x2FA1F
    return ideograph or unicodedata.category(character).startswith("P")


def _sentence_piece(name: str) -> bytes:
    if len(name) == 6 and name.startswith("<0x") and name.endswith(">"):
        return bytes([int(name[3:5], 16)])
    return name.replace(_MARK, " ").encode()


def _byte_level(name: str) -> bytes:
    return bytes(_BYTES[character] for character in name) if all(each in _BYTES for each in name) else name.encode()


def _byte_characters() -> dict[str, int]:
    """The characters by which byte-level tokenizers write bytes: themselves where they can be seen, else from 256 on."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {chr(256 + index): byte for index, byte in enumerate(hidden)}


_BYTES = _byte_characters()


def _speller(backend: Any) -> Callable[[str], str]:
    """A word without spaces as the tokenizer's normaliser leaves it."""
    if backend.normalizer is None:
        return str
    return lambda word: "".join(backend.normalizer.normalize_str(word).replace(_MARK, " ").split()) or word
