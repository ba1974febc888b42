"""Words with which people ask about any table: cues of operations, and what several authors of the corpus use other than as a
name of its data.

Every other word of weight says something of one table, so an answer rests on it or says that it does not.
"""

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from rapidfuzz import process
from rapidfuzz.distance import OSA

from ttm.parsers.linker.requests.operation_cues import cue_vocabulary, explains
from ttm.parsers.linker.words.lexicon import stem
from ttm.parsers.linker.words.spelling import SHORTEST, english

SLIP_FROM = 5  # letters from which a word that is no English may be a general one with a typing error


WORDS = Path(__file__).parents[1] / "general_words.txt"


def write_general_words(words: Iterable[str], path: Path = WORDS) -> None:
    path.write_text("\n".join(sorted(set(words))) + "\n", encoding="utf-8")


@lru_cache(maxsize=4)
def general_words(path: Path) -> frozenset[str]:
    """The stems of the general words in a file, one a line."""
    return frozenset(map(stem, path.read_text(encoding="utf-8").split()))


@lru_cache(maxsize=20_000)
def is_general(word: str, path: Path = WORDS) -> bool:
    """Whether a word in lower case, or what it is a slip of, belongs to questions about any table."""
    known = general_words(path)
    if len(word) < SHORTEST or stem(word) in known or explains(word) or word in cue_vocabulary():
        return True
    if len(word) < SLIP_FROM or word in english() or stem(word) in english():
        return False
    return process.extractOne(stem(word), known, scorer=OSA.distance, score_cutoff=1) is not None
