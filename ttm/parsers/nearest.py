"""The paper's baseline (section 3, KNN): the answer to an utterance is the parse of the generated one that is nearest to it.

It copies parses whole: an utterance with a number or a pair of features that no example has cannot be understood.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ttm.parsers.calibration import AS_IS, Calibration
from ttm.parsers.examples import ExampleSet, examples_of
from ttm.parsers.proposals import LONGEST, MOST_CANDIDATES, Proposals
from ttm.parsers.understanding import ALONE, DialogueContext, Understanding
from ttm.tabular.data.schema import Schema

if TYPE_CHECKING:
    from ttm.parsers.materials import Materials


class NearestParser:
    """A Parser over the examples of a data set. Safe to use from several threads."""

    def __init__(self, schema: Schema, examples: ExampleSet, calibration: Calibration = AS_IS) -> None:
        self._examples = examples
        self._proposals = Proposals(schema, calibration)

    def understand(self, utterance: str, context: DialogueContext = ALONE) -> Understanding:
        """The parses of the nearest examples, each once; their raw score is the cosine similarity."""
        return self._proposals.understanding(utterance, self._parses(utterance[:LONGEST]), context)

    def _parses(self, utterance: str) -> Iterator[tuple[str, float]]:
        seen: set[str] = set()
        for neighbour in self._examples.nearest(utterance):
            parse = neighbour.example.parse
            if parse not in seen:
                seen.add(parse)
                yield parse, max(0.0, neighbour.similarity)
            if len(seen) == MOST_CANDIDATES:
                return


def nearest_parser(materials: "Materials") -> NearestParser:
    """Generates and embeds the examples of a data set, unless their embeddings are kept already."""
    dataset = materials.dataset
    examples = examples_of(dataset.schema, dataset.frame, materials.cache, materials.seed)
    return NearestParser(dataset.schema, examples, materials.calibration("nearest"))
