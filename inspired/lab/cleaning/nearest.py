"""A reader of questions that needs no training: it takes the templates of the questions that are most alike.

A stand-in of ours for the fine-tuned T5 of the paper, for machines without its weights. It gives probabilities as a
sequence model does: a mixture over the nearest questions, in which the template of each may be altered word by word.
"""

from collections import Counter
from collections.abc import Sequence
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein

from backend.errors import InspiredError
from backend.models.sequence_models.seam import Allowed, BeamSearch, Epoch, GeneratedText, Progress, TextPair, Training

NEIGHBOURS = 12
# Weights of neighbours fall by e for each 0.08 of cosine likeness.
_SHARPNESS = 12.0
# What happens to a word of a neighbour's template; a new word costs its share in all templates besides.
_KEPT, _DROPPED, _NEW = log(0.9), log(0.05), log(0.05)
_TOKEN = r"#?\w+#?"
# Questions compared with all that are known at a time; bounds memory.
_BATCH = 200
_TRAINING, _SEARCH = Training(), BeamSearch()

# Templates, each with the log of its weight.
Near = dict[tuple[str, ...], float]


class NearestTemplates:
    """Learning is remembering; `generate` and `log_likelihood` are as in `backend.models.sequence_models.seam`."""

    name = "nearest"

    def __init__(self) -> None:
        self._targets: list[tuple[str, ...]] = []
        self._texts: dict[tuple[str, ...], str] = {}
        self._near: dict[str, Near] = {}

    def fit(
        self,
        pairs: Sequence[TextPair],
        validation: Sequence[TextPair] = (),
        training: Training = _TRAINING,
        checkpoints: Path | None = None,
        progress: Progress | None = None,
    ) -> tuple[Epoch, ...]:
        """Only `pairs` matter. Raises InspiredError if there are none."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        if not pairs:
            raise InspiredError("There are no other questions to learn from.")
        self._vectorizer = TfidfVectorizer(token_pattern=_TOKEN, ngram_range=(1, 2), sublinear_tf=True)
        self._sources: Any = self._vectorizer.fit_transform([each.source for each in pairs])
        self._near = {}
        self._targets = [tuple(each.target.split()) for each in pairs]
        self._texts = {target: each.target for target, each in zip(self._targets, pairs, strict=True)}
        counts = Counter(word for target in self._targets for word in target)
        self._rarest = -log(counts.total() + len(counts))
        self._shares = {word: log(count + 1) + self._rarest for word, count in counts.items()}
        return ()

    def generate(
        self, sources: Sequence[str], n: int = 1, search: BeamSearch = _SEARCH, allowed: Allowed | None = None
    ) -> list[tuple[GeneratedText, ...]]:
        """The templates of the nearest questions, the most probable first."""
        self._look_up(sources)
        return [self._candidates(source)[:n] for source in sources]

    def log_likelihood(self, source: str, target: str) -> float:
        self._look_up([source])
        return self._log_probability(tuple(target.split()), self._near[source])

    def _candidates(self, source: str) -> tuple[GeneratedText, ...]:
        near = self._near[source]
        texts = [GeneratedText(self._texts[target], self._log_probability(target, near)) for target in near]
        return tuple(sorted(texts, key=lambda each: -each.log_probability))

    def _look_up(self, sources: Sequence[str]) -> None:
        new = [source for source in dict.fromkeys(sources) if source not in self._near]
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            likeness = (self._vectorizer.transform(batch) @ self._sources.T).toarray()
            self._near.update(zip(batch, map(self._nearest, likeness), strict=True))

    def _nearest(self, likeness: npt.NDArray[np.float64]) -> Near:
        places = np.argsort(-likeness, kind="stable")[:NEIGHBOURS]
        weights = _log_softmax(_SHARPNESS * likeness[places])
        near: Near = {}
        for index, weight in zip(places, weights, strict=True):
            target = self._targets[index]
            near[target] = float(np.logaddexp(near.get(target, -np.inf), weight))
        return near

    def _log_probability(self, target: tuple[str, ...], near: Near) -> float:
        return float(np.logaddexp.reduce([weight + self._altered(other, target) for other, weight in near.items()]))

    def _altered(self, template: tuple[str, ...], wanted: tuple[str, ...]) -> float:
        """The log-probability of the shortest way to make `wanted` from `template`."""
        edits = Levenshtein.editops(template, wanted)
        lost = sum(each.tag != "insert" for each in edits)
        new = [wanted[each.dest_pos] for each in edits if each.tag != "delete"]
        cost = sum(_NEW + self._shares.get(word, self._rarest) for word in new)
        return (len(template) - lost) * _KEPT + lost * _DROPPED + cost


def _log_softmax(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    shifted = values - values.max()
    normalised: npt.NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum())
    return normalised
