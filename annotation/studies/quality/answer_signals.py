"""What is noticed about one answer when it is handed in, kept beside it so that nothing has to be computed again."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from annotation.tasks.task_type import ItemPart
from backend.text.tokens import words

Signals = dict[str, Any]
OPENING = 2  # words


def answer_signals(parts: Iterable[ItemPart], answer: Mapping[str, Any], warned: Iterable[str]) -> Signals:
    """As JSON: `warned`, the rules whose warnings the worker insisted against, and of each text that words something again
    whether it holds all of its source (`kept`), its share of words that the source has not (`new`), its first words
    (`opening`), and hashes by which equal texts and sources are known. `letters`: how many were written in all."""
    written = [(part, str(answer[part.name])) for part in parts if part.kind == "write" and part.name in answer]
    return {
        "warned": list(warned),
        "letters": sum(len(text) for _, text in written),
        "texts": [text_signals(text, part.source) for part, text in written if part.source],
    }


def holds_all_of(text: str, source: str) -> bool:
    """Whether every word of the source stands in the text, as often as there, in any order."""
    return not Counter(words(source)) - Counter(words(text)) and bool(words(source))


def share_of_new_words(text: str, source: str) -> float:
    """The share of the words of a text that its source has not."""
    written, there = words(text), set(words(source))
    return sum(word not in there for word in written) / len(written) if written else 0.0


def text_signals(text: str, source: str) -> Signals:
    return {
        "kept": holds_all_of(text, source),
        "new": round(share_of_new_words(text, source), 4),
        "opening": " ".join(words(text)[:OPENING]),
        "text": _hash(text),
        "source": _hash(source),
    }


def _hash(text: str) -> str:
    plain = " ".join(words(text))
    return hashlib.blake2b(plain.encode("utf-8", "replace"), digest_size=6).hexdigest()
