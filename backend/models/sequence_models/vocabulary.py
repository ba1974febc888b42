"""Words of a model of our own: whole where they are frequent, spelt out where they are not, so that no text is out of reach.

Names of predicates, placeholders of entities and marks of the compact form are single words. Digits always stand alone:
a number that no example had can still be read and written.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PAD, START, END, UNKNOWN = range(4)
SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")
# A piece that follows the one before it without a space.
GLUED = "##"
_PIECE = re.compile(
    r"#entity\d+#|<sparql-header-\d>|<https?://[^>\s]*>|ns:[\w.%\-]*\w|\?\w+|''|``|\^\^\w+(?::\w+)?|[^\W\d_]+|\S"
)


@dataclass(frozen=True)
class ModelVocabulary:
    """`lower` reads sources without regard to capitals; targets are always written as they are."""

    words: tuple[str, ...]
    lower: bool = True

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    # What a coder of `torch_model` is asked for.
    pad, start, end = PAD, START, END

    def encode_source(self, text: str) -> list[int]:
        """Never empty: a network has to look at something."""
        return self._encode(text.lower() if self.lower else text) or [UNKNOWN]

    def encode_target(self, text: str) -> list[int]:
        return [*self._encode(text), END]

    def decode(self, numbers: Sequence[int]) -> str:
        """The text of tokens; white space is one space wherever there was any."""
        text = ""
        for number in numbers:
            word = self.words[number] if number > UNKNOWN else "\ufffd" if number == UNKNOWN else ""
            glued = len(word) > len(GLUED) and word.startswith(GLUED)
            text += word.removeprefix(GLUED) if glued else f" {word}" if word else ""
        return text.strip()

    def _encode(self, text: str) -> list[int]:
        return [self._index.get(each, UNKNOWN) for piece in pieces(text) for each in self._spelt(piece)]

    def _spelt(self, piece: str) -> list[str]:
        return [piece] if piece in self._index else letters(piece)

    def save(self, path: Path) -> None:
        path.write_text(json.dumps({"lower": self.lower, "words": self.words}, ensure_ascii=False), encoding="utf-8")


def read_vocabulary(path: Path) -> ModelVocabulary:
    """Raises OSError, ValueError, KeyError or TypeError for what `ModelVocabulary.save` has not written."""
    read = json.loads(path.read_text(encoding="utf-8"))
    return ModelVocabulary(tuple(str(each) for each in read["words"]), bool(read["lower"]))


def vocabulary_of(sources: Iterable[str], targets: Iterable[str], least: int = 2, most: int = 20_000) -> ModelVocabulary:
    """The `most` most frequent words that occur `least` times, and every letter, glued and not."""
    counts: Counter[str] = Counter()
    for text in sources:
        counts.update(pieces(text.lower()))
    for text in targets:
        counts.update(pieces(text))
    spelt = {letter for piece in counts for letter in letters(piece)}
    alone = {letter.removeprefix(GLUED) if len(letter) > len(GLUED) else letter for letter in spelt}
    alphabet = sorted({form for letter in alone for form in (letter, GLUED + letter)})
    frequent = [word for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if count >= least]
    return ModelVocabulary(tuple(dict.fromkeys((*SPECIAL, *alphabet, *frequent[:most]))))


def pieces(text: str) -> list[str]:
    """The words and marks of a text, each with `##` before it if no space is."""
    symbols = []
    for match in _PIECE.finditer(text):
        glued = match.start() > 0 and not text[match.start() - 1].isspace()
        symbols.append(GLUED + match[0] if glued else match[0])
    return symbols


def letters(piece: str) -> list[str]:
    glued = len(piece) > len(GLUED) and piece.startswith(GLUED)
    first, *rest = list(piece.removeprefix(GLUED) if glued else piece)
    return [GLUED + first if glued else first, *(GLUED + each for each in rest)]
