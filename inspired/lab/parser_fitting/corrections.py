"""`python -m inspired fit-parser --add FILE`: learn words for relations from corrections that a reviewer accepted.

Words are aligned with relations again, from the generated questions and the corrections together; weights and confidence
stay as they were fitted. It is kept only where questions that were not learned from are understood no worse.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backend.errors import ParleyError
from backend.storage.accepted_pairs import read_pairs
from backend.storage.collected import KNOWLEDGE_BASE
from inspired.knowledge_base.graph import Graph
from inspired.lab.parser_fitting.default_parser import LabelledQuestion, learnt_words
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.sparql_reader import read_sparql
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.query_graphs.ranking.weights import Weights

FOLDS = 4
TOLERATED = 0.02  # share of the generated questions that may become worse before all is refused


@dataclass(frozen=True)
class CorrectionReport:
    """Questions that the words in question were not learned from: (how many, right before, right after)."""

    corrections: tuple[int, int, int]
    generated: tuple[int, int, int]

    @property
    def is_worse(self) -> bool:
        count, before, after = self.generated
        return after < before - TOLERATED * count or self.corrections[2] < self.corrections[1]

    @property
    def words(self) -> str:
        named = (("Corrections", self.corrections), ("Generated questions in other words", self.generated))
        lines = [
            f"{name}, not learned from: {before} of {count} right before, {after} after"
            for name, (count, before, after) in named
        ]
        return "\n".join(lines)


def read_corrections(path: Path, dataset: str = "") -> list[LabelledQuestion]:
    """Accepted corrections of a knowledge base, or of the one called `dataset`; formats and errors: see `read_pairs`."""
    wanted = {dataset, f"{KNOWLEDGE_BASE}{dataset}"[:200]}
    return read_pairs(
        path,
        lambda name: name in wanted if dataset else not name or name.startswith(KNOWLEDGE_BASE),
        lambda question, query: LabelledQuestion(question, read_sparql(query)),
        f"no accepted correction of a knowledge base{f' called {dataset}' if dataset else ''}",
    )


def learn_corrections(
    graph: Graph,
    corrections: Sequence[LabelledQuestion],
    generated: Sequence[LabelledQuestion],
    unread: Sequence[LabelledQuestion],
    weights: Weights,
) -> tuple[Weights, CorrectionReport]:
    """Weights with the words of the corrections, and what that does to questions which were not learned from.

    `generated`: the questions that the words were learned from before; `unread`: others, in other words.
    """
    before, judged = DefaultParser(graph, weights), [0, 0, 0]
    for fold in range(FOLDS):
        own = [each for number, each in enumerate(corrections) if number % FOLDS != fold]
        left = [each for number, each in enumerate(corrections) if number % FOLDS == fold]
        if left:
            after = DefaultParser(graph, _taught(graph, own, generated, weights))
            judged = [judged[0] + len(left), judged[1] + right_of(before, left), judged[2] + right_of(after, left)]
    taught = _taught(graph, corrections, generated, weights)
    others = (len(unread), right_of(before, unread), right_of(DefaultParser(graph, taught), unread))
    return taught, CorrectionReport((judged[0], judged[1], judged[2]), others)


def right_of(parser: DefaultParser, questions: Iterable[LabelledQuestion]) -> int:
    """How many questions the parser reads as their logical form has it."""
    count = 0
    for each in questions:
        try:
            count += equivalent(parser.parse(each.question, 1)[0].form, each.form)
        except ParleyError:
            continue  # not read at all
    return count


def _taught(
    graph: Graph, corrections: Sequence[LabelledQuestion], generated: Sequence[LabelledQuestion], weights: Weights
) -> Weights:  # fmt: skip
    return replace(weights, words=learnt_words(graph, [*generated, *corrections]))
