"""Generated utterances of a data set with their parses, found again by nearness in meaning.

Of the examples that the templates give at most `MOST` are taken, as many from each template as go: to embed thousands of
sentences takes two cores some twenty seconds. Their embeddings are kept on disk under what was embedded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from backend.errors import ExecutionError
from backend.models.embeddings import Embedder, packaged_embedder
from backend.storage.cache import Cache
from backend.storage.content_key import content_key
from ttm.parsers.templates.generate import TrainingPair, generate
from ttm.parsers.templates.template import load_templates
from ttm.tabular.data.schema import Schema

if TYPE_CHECKING:
    import pandas as pd

MOST = 4_000


@dataclass(frozen=True)
class Neighbour:
    """An example and its cosine similarity, -1 to 1, to what was asked."""

    example: TrainingPair
    similarity: float


class ExampleSet:
    """Examples with unit vectors (n, d). Raises ExecutionError if there are none."""

    def __init__(self, examples: Sequence[TrainingPair], embedder: Embedder, cache: Cache | None = None) -> None:
        if not examples:
            raise ExecutionError("The templates give no example for this data set, so there is nothing to compare with.")
        self.examples = tuple(examples)
        self._embedder = embedder
        self._vectors = _vectors([each.utterance for each in examples], embedder, cache)

    def nearest(self, utterance: str, k: int | None = None) -> Iterator[Neighbour]:
        """The examples by falling similarity to an utterance, the first `k` or all; of equal ones the earlier first."""
        (vector,) = self._embedder.embed([utterance])
        similarities = self._vectors @ vector
        order = np.argsort(-similarities, kind="stable")[:k]
        return (Neighbour(self.examples[index], float(similarities[index])) for index in order)


def examples_of(
    schema: Schema,
    frame: "pd.DataFrame | None" = None,
    cache: Cache | None = None,
    seed: int = 0,
    most: int = MOST,
    embedder: Embedder | None = None,
) -> ExampleSet:
    """At most `most` generated examples of a data set; `frame` holds its rows, from which values are drawn.

    Raises LanguageModelError if the embedding model cannot be had.
    """
    templates = load_templates()
    each = max(1, -(-most // max(1, len(templates))))
    generated = generate(schema, seed, most_per_template=each, frame=frame)
    return ExampleSet(evenly(generated, most), embedder or packaged_embedder(), cache)


def evenly(examples: Sequence[TrainingPair], most: int) -> list[TrainingPair]:
    """The first of each template, then the second of each, up to `most`; no utterance twice."""
    by_template: dict[str, list[TrainingPair]] = {}
    for each in examples:
        by_template.setdefault(each.template, []).append(each)
    in_turn = (each for row in zip_longest(*by_template.values()) for each in row if each is not None)
    return list({each.utterance.lower(): each for each in in_turn}.values())[:most]


def _vectors(texts: list[str], embedder: Embedder, cache: Cache | None) -> npt.NDArray[np.float32]:
    name = getattr(embedder, "name", None)
    if cache is None or name is None:
        return embedder.embed(texts)
    key = content_key("embeddings", name, texts)
    vectors: npt.NDArray[np.float32] = cache.get_or_compute(key, lambda: embedder.embed(texts))
    return vectors
