"""Words that no relation was seen with: which relations they are near to in meaning, by sentence embeddings.

Loaded and used only when a question leaves meaningful words without any relation (some seconds the first time).
"""

import re
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from backend.models.embeddings import Embedder
from inspired.parsers.linking.lexicon import RelationLexicon
from inspired.parsers.linking.relations import THING
from inspired.parsers.linking.words import QuestionToken
from inspired.sub_questions.templates import property_words

# Cosines below the first say nothing; those above the second as much as a word of the relation's own.
_FROM, _TO = 0.38, 0.8
_MOST = 0.85
_KEPT = 8
_ASIDE = re.compile(r"\(.*?\)|\{[a-z]\}|\?")


class Nearness:
    """The relations of `lexicon` by what they mean."""

    def __init__(self, lexicon: RelationLexicon, embedder: Embedder) -> None:
        self.lexicon = lexicon
        self.embedder = embedder
        self._lock = threading.Lock()
        self._table: tuple[list[str], npt.NDArray[np.float32]] | None = None

    def strengths(self, tokens: Sequence[QuestionToken], places: Sequence[int]) -> Mapping[int, Mapping[str, float]]:
        """For each of `places`, the senses of relations that it and the words around it are near to, from 0 to 1."""
        windows = [(index, phrase) for index in places for phrase in _windows(tokens, index)]
        if not windows:
            return {}
        senses, vectors = self._relations()
        likeness = self._embedded(tuple(phrase for _, phrase in windows)) @ vectors.T
        result: dict[int, dict[str, float]] = {}
        for (index, _), row in zip(windows, likeness, strict=True):
            best = result.setdefault(index, {})
            for number in np.argsort(-row)[: 3 * _KEPT]:
                strength = min(_MOST, max(0.0, (float(row[number]) - _FROM) / (_TO - _FROM)))
                best[senses[number]] = max(best.get(senses[number], 0.0), strength)
        return {index: dict(sorted(row.items(), key=lambda each: -each[1])[:_KEPT]) for index, row in result.items()}

    def _relations(self) -> tuple[list[str], npt.NDArray[np.float32]]:
        with self._lock:
            if self._table is None:
                relations = self.lexicon.relations.all
                phrases = sorted({(each.sense, phrase) for each in relations for phrase in self._phrases(each.path)})
                self._table = [sense for sense, _ in phrases], self.embedder.embed([phrase for _, phrase in phrases])
            return self._table

    def _phrases(self, path: tuple[str, ...]) -> set[str]:
        graph, corpus = self.lexicon.graph, self.lexicon.corpus
        leads_to_value = self.lexicon.relations.forward.get(path, THING) != THING
        telling = path[0] if leads_to_value or len(path) == 1 else path[1]
        phrases = {graph.names.get(telling, ""), property_words(telling)}
        if corpus.covers(path):
            template = corpus.template(path)
            phrases |= {template.object, template.has, template.of, template.ask or ""}
        return {words for each in phrases if (words := " ".join(_ASIDE.sub(" ", each).lower().split()))}

    @lru_cache(maxsize=512)  # noqa: B019
    def _embedded(self, phrases: tuple[str, ...]) -> npt.NDArray[np.float32]:
        return self.embedder.embed(list(phrases))


def _windows(tokens: Sequence[QuestionToken], index: int) -> list[str]:
    """The word alone and with its neighbours."""
    ends = {(index, index + 1), (index - 1, index + 1), (index, index + 2), (index - 1, index + 2), (index, index + 3)}
    return [" ".join(each.plain for each in tokens[max(0, start) : end]) for start, end in sorted(ends)]
