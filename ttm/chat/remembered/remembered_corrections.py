"""What people corrected and a reviewer accepted is understood at once: in the same words, and in close ones.

The pairs are read again whenever somebody has decided on one, so that nothing has to be trained or started again.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from backend.errors import ParleyError
from backend.models.embeddings import Embedder, packaged_embedder
from backend.storage.accepted_pairs import AcceptedPair
from backend.text.tokens import words
from ttm.language.grammar import grammar_of
from ttm.language.parse import Parse
from ttm.parsers.linker.analysis import analyse
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding
from ttm.parsers.linker.schema_linking.linking import Linker
from ttm.parsers.linker.words.lexicon import stem
from ttm.parsers.linker.words.tokens import TokenKind, tokenise
from ttm.parsers.understanding import ALONE, DialogueContext, ParseCandidate, Parser, Understanding
from ttm.tabular.data.schema import Schema

CLOSE = 0.9  # cosine similarity from which words are taken for the same request
MISREAD = 0.6  # the same, where the parser reads them as it misread what was corrected
DOUBTFUL = 0.75  # the same, where the parser asks back
SURE = 0.9  # confidence from which another reading than the misread one stands, however close the words are
CERTAIN = 1.0
LIKELY = 0.9  # confidence in a reading that was corrected for close words
SMALL_WORDS = frozenset(
    "a an the of in on for to from with and or is are was were be do does did have has had it its this that these those i me "
    "my we you your they their them how what which who whose when would could can some any few all many much model data "
    "people".split()
)

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True)
class PairSource:
    """Where accepted pairs are read; `decisions` is a number that grows with every decision."""

    decisions: Callable[[], int]
    pairs: Callable[[], Sequence[AcceptedPair]]


@dataclass(frozen=True)
class RememberedPair:
    """An accepted pair with what is compared: the numbers and names of the data in it, and its meaning as a unit vector, None
    where no model of embeddings is to be had."""

    pair: AcceptedPair
    parse: Parse
    mentions: frozenset[str]
    vector: Vector | None


Known = dict[tuple[str, ...], RememberedPair]  # by the words of the utterance


class RememberingParser:
    """A Parser that knows the accepted corrections of its data set. Safe to use from several threads."""

    def __init__(self, parser: Parser, schema: Schema, pairs: PairSource, embedder: Embedder | None = None) -> None:
        self.parser = parser
        self._schema, self._pairs = schema, pairs
        self._embedder = embedder
        self._linker, self._ground = Linker(schema), SchemaGrounding(schema)
        self._lock = threading.Lock()
        self._mark: int | None = None
        self._known: Known = {}

    def understand(self, utterance: str, context: DialogueContext = ALONE) -> Understanding:
        """As the parser does, unless these words, or close ones, were corrected and the correction accepted."""
        plain = self.parser.understand(utterance, context)
        known = self._remembered()
        if not known:
            return plain
        same = known.get(words(utterance))
        if same is not None:
            return _corrected(plain, same, CERTAIN)
        close = self._close(utterance, plain, [each for each in known.values() if _fits(each.parse, context)])
        return plain if close is None else _corrected(plain, close, LIKELY)

    def _close(self, utterance: str, plain: Understanding, known: list[RememberedPair]) -> RememberedPair | None:
        mentions = self._mentions(utterance)
        alike = [(each, each.vector) for each in known if each.mentions == mentions and each.vector is not None]
        vector = self._vector(utterance) if alike else None
        if vector is None:
            return None
        similarity, nearest = max(((float(vector @ other), each) for each, other in alike), key=lambda one: one[0])
        if similarity < MISREAD:
            return None
        if _read(plain) == _read(self.parser.understand(nearest.pair.utterance)):
            return nearest if self._asks_alike(utterance, nearest.pair.utterance) else None
        return nearest if similarity >= _needed(plain) else None

    def _asks_alike(self, one: str, other: str) -> bool:
        """Whether the words that ask for something have one in common: "how accurate" may be read as "how precise" is, and
        be right where the other is not."""
        asked, corrected = self._asking(one), self._asking(other)
        return not asked or not corrected or bool(asked & corrected)

    def _asking(self, utterance: str) -> frozenset[str]:
        analysis = analyse(tokenise(utterance), self._linker, self._ground)
        heard = {word for call in analysis.calls for word in analysis.folded.words[call.start : call.end]}
        return frozenset(stem(word) for word in heard - SMALL_WORDS if word.isalpha())

    def _remembered(self) -> Known:
        mark = self._pairs.decisions()
        with self._lock:
            if mark != self._mark:
                latest = {words(pair.utterance): pair for pair in self._pairs.pairs()}
                read = ((key, self._again(key, pair)) for key, pair in latest.items())
                self._known = {key: each for key, each in read if each is not None}
                self._mark = mark
            return self._known

    def _again(self, key: tuple[str, ...], pair: AcceptedPair) -> RememberedPair | None:
        """A pair that is known stays as it is: only what was decided since is looked at."""
        known = self._known.get(key)
        return known if known is not None and known.pair == pair else self._remember(pair)

    def _remember(self, pair: AcceptedPair) -> RememberedPair | None:
        try:
            parse = grammar_of(self._schema).read(pair.parse)
        except ParleyError:
            return None  # the data set has changed since: what was accepted names what it has no longer
        return RememberedPair(pair, parse, self._mentions(pair.utterance), self._vector(pair.utterance))

    def _vector(self, utterance: str) -> Vector | None:
        try:
            vectors = (self._embedder or packaged_embedder()).embed([utterance])
        except ParleyError:
            return None  # without a model of embeddings only the same words are known again
        return np.asarray(vectors[0])

    def _mentions(self, utterance: str) -> frozenset[str]:
        """The numbers and the columns, values and classes that an utterance names."""
        tokens = tokenise(utterance)
        numbers = {str(token.value) for token in tokens if token.kind is TokenKind.NUMBER}
        named = {
            f"{name.feature.name if name.feature else ''}/{name.value}/{name.class_number}"
            for mention in self._linker.mentions(tokens)
            for name in mention.names[:1]
        }
        return frozenset(numbers | named)


def _needed(plain: Understanding) -> float:
    """How close words have to be that the parser reads otherwise than it misread the corrected ones."""
    if plain.question:
        return DOUBTFUL
    sure = plain.best is not None and plain.best.confidence >= SURE
    # Two questions may be all alike but for the one word that makes the difference, which the parser has read.
    return np.inf if sure else CLOSE


def _fits(parse: Parse, context: DialogueContext) -> bool:
    """Whether what a reading goes back to is there. The same words were accepted as they stand; close ones are only taken for
    them where it is."""
    return context.has_previous_filter or "previousfilter" not in str(parse)


def _read(understanding: Understanding) -> str:
    return str(understanding.best.parse) if understanding.best else ""


def _corrected(plain: Understanding, known: RememberedPair, confidence: float) -> Understanding:
    if plain.question is None and _read(plain) == str(known.parse):
        return plain  # the parser reads it so by itself
    others = tuple(one for one in plain.candidates if one.parse != known.parse)
    candidates = (ParseCandidate(known.parse, confidence), *others)[:5]
    return replace(plain, candidates=candidates, in_scope=True, question=None, unused=(), corrected_by=known.pair.reviewer)
