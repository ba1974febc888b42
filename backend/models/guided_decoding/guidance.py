"""Which tokens may come next, so that what is written is a sentence of a grammar: llguidance behind one small face.

A `GuidedVocabulary` is made once for a tokenizer (0.1 to 0.3 s), a `Guidance` once for a grammar (some milliseconds for 50
columns), and states are kept by the tokens that led to them, so that a beam only pays for the token that it adds.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from backend.errors import LanguageModelError
from backend.models.guided_decoding.token_texts import Flags, TokenTexts
from backend.models.guided_decoding.words import word_grammar, words_of
from backend.models.sequence_models.seam import Allowed

if TYPE_CHECKING:
    from llguidance import LLMatcher, LLTokenizer

# Prefixes whose states are kept, some 10 kB each: those of ten beams of a hundred tokens.
_MOST_STATES = 1000
# Readings of the same tokens that differ in where spaces are.
_MOST_READINGS = 8
_MOST_GRAMMARS = 16
# Masks that are kept for a grammar, one byte for each token of the vocabulary.
_MOST_MASKS = 64
_FAILURES = ("ParserTooComplex", "LexerTooComplex")
Places = npt.NDArray[np.intp]
Prefix = tuple[int, ...]
_Key = tuple[tuple[tuple[bytes, bool], ...], int, int]


@dataclass
class Spent:
    """Seconds that guiding took so far: to compile so many grammars, and to make so many masks."""

    compiling: float = 0.0
    masking: float = 0.0
    grammars: int = 0
    masks: int = 0


class GuidedVocabulary:
    """A vocabulary that grammars can be applied to. Safe to use from several threads."""

    def __init__(self, texts: TokenTexts) -> None:
        self.texts, self.spent = texts, Spent()
        self.tokenizer = _tokenizer(texts)
        self._made = lru_cache(maxsize=_MOST_GRAMMARS)(self._make)

    def __len__(self) -> int:
        return len(self.texts.glued)

    def guidance(self, grammar: str) -> "Guidance":
        """What guides by a Lark grammar; kept for the grammars used last.

        Raises LanguageModelError for a grammar that cannot guide.
        """
        return self._made(grammar)

    def _make(self, grammar: str) -> "Guidance":
        started = time.perf_counter()
        made = Guidance(self, grammar)
        self.spent.compiling += time.perf_counter() - started
        self.spent.grammars += 1
        return made


class Guidance:
    """One grammar over one vocabulary. Safe to use from several threads."""

    def __init__(self, vocabulary: GuidedVocabulary, grammar: str) -> None:
        from llguidance import LLMatcher

        self._vocabulary, texts = vocabulary, vocabulary.texts
        self._ends = np.array(texts.ends)
        self._known: dict[_Key, _Following] = {}
        matcher = LLMatcher(vocabulary.tokenizer, word_grammar(grammar, texts.spell, texts.opens_with_space))
        if matcher.is_error():
            raise LanguageModelError(f"This grammar cannot guide decoding: {matcher.get_error().splitlines()[0]}.")
        self._respelt = _respelt(words_of(grammar), texts) if texts.spell is not str else {}
        self._lock = threading.Lock()
        self._readings: dict[Prefix, tuple[_Reading, ...]] = {(): (_Reading(matcher, b""),)}

    def mask(self, prefix: Prefix) -> Flags:
        """Which tokens may follow those of `prefix`, ends among them where it is a sentence; of shape (vocabulary,).

        None may where `prefix` begins no sentence, and where the vocabulary cannot write what would have to follow.
        """
        return self._following(prefix).mask

    def allowed(self, prefix: Prefix) -> Places:
        """The tokens of `mask` by number."""
        return self._following(prefix).places

    def _following(self, prefix: Prefix) -> "_Following":
        started, vocabulary = time.perf_counter(), self._vocabulary
        glue, space = vocabulary.texts.joins(prefix[-1] if prefix else None)
        with self._lock:
            readings = self._at(prefix)
            allowed = tuple((self._fitting(each), each.matcher.is_accepting()) for each in readings)
            # Many prefixes go on alike, and to look up the bits costs less than to unpack them.
            key = (allowed, id(glue), id(space))
            mask = self._known.get(key)
            if mask is None:
                if len(self._known) >= _MOST_MASKS:
                    self._known.clear()
                mask = self._known[key] = self._unpacked(allowed, glue, space)
        spent = vocabulary.spent
        spent.masking, spent.masks = spent.masking + time.perf_counter() - started, spent.masks + 1
        return mask

    def _unpacked(self, allowed: Sequence[tuple[bytes, bool]], glue: Flags, space: Flags) -> "_Following":
        count, doubled = len(self._vocabulary), self._vocabulary.texts.doubled
        mask = np.zeros(count, dtype=bool)
        for fitting, _ in allowed:
            bits = np.unpackbits(np.frombuffer(fitting, dtype=np.uint8), bitorder="little").view(np.bool_)
            mask |= glue & bits[:count]
            if doubled:
                mask |= space & bits[count : 2 * count]
        mask[self._ends] = any(may_end for _, may_end in allowed)
        mask.flags.writeable = False
        return _Following(mask, np.flatnonzero(mask), (glue, space))

    def text(self, tokens: Sequence[int]) -> str | None:
        """The sentence that tokens spell, with its words as the grammar has them; None if they spell none.

        Marks such as a beginning are passed over, and so is what follows an end.
        """
        texts = self._vocabulary.texts
        ends = [index for index, token in enumerate(tokens) if token in texts.ends]
        kept = [token for token in (tokens[: ends[0]] if ends else tokens) if token not in texts.marks]
        with self._lock:
            whole = [reading.text for reading in self._at(tuple(kept)) if reading.matcher.is_accepting()]
        return self._restored(whole[0].decode().strip()) if whole else None

    def _restored(self, text: str) -> str:
        return " ".join(self._respelt.get(word, word) for word in text.split(" ")) if self._respelt else text

    def _at(self, prefix: Prefix) -> "tuple[_Reading, ...]":
        """The readings of a prefix, from those of the longest beginning of it that is known."""
        known = len(prefix)
        while prefix[:known] not in self._readings:
            known -= 1
        for length in range(known + 1, len(prefix) + 1):
            readings = tuple(self._continued(prefix[: length - 1], prefix[length - 1]))[:_MOST_READINGS]
            if len(self._readings) >= _MOST_STATES:
                self._readings = {(): self._readings[()], prefix[: length - 1]: self._readings[prefix[: length - 1]]}
            self._readings[prefix[:length]] = readings
        return self._readings[prefix]

    def _continued(self, before: Prefix, token: int) -> "Iterator[_Reading]":
        texts, count = self._vocabulary.texts, len(self._vocabulary)
        if not 0 <= token < count or token in texts.ends:
            return
        joins = texts.joins(before[-1] if before else None)
        for reading in self._readings[before]:
            bits = self._fitting(reading)
            for spaced in range(1 + texts.doubled):
                column = token + count * spaced
                if joins[spaced][token] and bits[column // 8] >> column % 8 & 1:
                    matcher = reading.matcher.deep_copy()
                    matcher.consume_token(column)
                    yield _Reading(matcher, reading.text + b" " * spaced + texts.glued[token])

    def _fitting(self, reading: "_Reading") -> bytes:
        """One bit for each token, those with a space before them behind the others; of ends only `is_accepting` tells."""
        if reading.fitting is None:
            reading.fitting = reading.matcher.compute_bitmask()
            if reading.matcher.stop_reason() in _FAILURES:
                raise LanguageModelError(f"Guiding by this grammar failed: {reading.matcher.get_error().splitlines()[0]}.")
        return reading.fitting


def allowed_by(guides: Sequence[Guidance]) -> Allowed:
    """What `SequenceModel.generate` takes: output number i is a sentence of the grammar of `guides[i]`."""
    return lambda number, prefix: guides[number].allowed(prefix)


@dataclass(frozen=True, slots=True)
class _Following:
    """What may come next, as flags and by number. `joins` are kept, since they are known again by their place in memory."""

    mask: Flags
    places: Places
    joins: tuple[Flags, Flags]


@dataclass(slots=True)
class _Reading:
    """One way in which tokens spell a beginning of a sentence; what fits after it is found when it is first asked for."""

    matcher: "LLMatcher"
    text: bytes
    fitting: bytes | None = None


class _TokenTable:
    """A vocabulary in the form that llguidance reads. It would have text split to force several tokens at once, which is
    switched off."""

    bos_token_id = None

    def __init__(self, texts: TokenTexts) -> None:
        spaced = [b" " + text if text else text for text in texts.glued] if texts.doubled else []
        every = [*texts.glued, *spaced]
        self.special_token_ids = [index for index, text in enumerate(every) if not text]
        self.tokens = [text or b"\xff[%d]" % index for index, text in enumerate(every)]
        self.eos_token_id = texts.ends[0]

    def __call__(self, text: str) -> list[int]:
        return []


def _tokenizer(texts: TokenTexts) -> "LLTokenizer":
    from llguidance import LLTokenizer, TokenizerWrapper

    return LLTokenizer(TokenizerWrapper(_TokenTable(texts)), eos_token=list(texts.ends))


def _respelt(words: Sequence[str], texts: TokenTexts) -> dict[str, str]:
    """The words that the tokenizer cannot write as they are, by how it writes them; a word that it can write comes first."""
    changed = {texts.spell(word): word for word in reversed(words) if texts.spell(word) != word}
    return {spelt: word for spelt, word in changed.items() if spelt not in words}
