"""A Lark grammar in which every string is one word, for a lexer that never goes back.

Where one terminal begins like another (`car ` and `car and bike `), llguidance follows the longer one and forbids what
may come after the shorter one. If each word with the space that ends it is a terminal of its own, no terminal is the
beginning of another, and its Earley parser keeps both readings. The language stays the same.
"""

import json
import re
from collections.abc import Callable

from backend.models.guided_decoding.lark_text import Definitions, GrammarPiece, PieceKind, definitions

_WORD = re.compile(r"[^ ]+ ?| ")
# Else what must follow in any case could only be written in one way, of all the ways in which tokens spell it.
_OPTIONS = '%llguidance {"no_forcing": true}'


def word_grammar(grammar: str, spell: Callable[[str], str] = str, opening: bool = False) -> str:
    """A Lark text for llguidance, with the language of `grammar`; `spell` gives each word as a tokenizer can write it.

    With `opening` a sentence may have a space before it.

    Raises LanguageModelError as `definitions` does.
    """
    read = definitions(grammar)
    names = {name: _rule_name(name, read) for name in read} | ({"start": "sentence"} if opening else {})
    lines = [f"{names[name]}: {' '.join(_written(piece, names, spell) for piece in pieces)}" for name, pieces in read.items()]
    return "\n".join([_OPTIONS, *(['start: " "? sentence'] if opening else []), *lines]) + "\n"


def words_of(grammar: str) -> list[str]:
    """The different words of all strings, without their spaces, in the order in which they first stand."""
    pieces = [piece for pieces in definitions(grammar).values() for piece in pieces if piece.kind is PieceKind.STRING]
    return list(dict.fromkeys(word.removesuffix(" ") for piece in pieces for word in _WORD.findall(piece.text)))


def _rule_name(name: str, read: Definitions) -> str:
    """A terminal that is made of strings becomes a rule, whose words are terminals."""
    is_terminal = name.isupper()
    spelt_out = is_terminal and not any(piece.kind is PieceKind.REGEX for piece in read[name])
    return f"of_{name.lower()}" if spelt_out else name


def _written(piece: GrammarPiece, names: dict[str, str], spell: Callable[[str], str]) -> str:
    if piece.kind is PieceKind.STRING:
        words = [json.dumps(_spelt(word, spell), ensure_ascii=False) for word in _WORD.findall(piece.text)]
        return words[0] if len(words) == 1 else f"({' '.join(words)})"
    if piece.kind is PieceKind.REGEX:
        return "/" + piece.text.replace("/", "\\/") + "/"
    return names.get(piece.text, piece.text)


def _spelt(word: str, spell: Callable[[str], str]) -> str:
    return spell(word.removesuffix(" ")) + (" " if word.endswith(" ") else "")
