"""How near predicted questions come to the gold ones: exact match of forms and F1 of answers (section 5)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from backend.errors import InspiredError
from backend.intervals import mean_interval
from inspired.knowledge_base.engine import KnowledgeBase
from inspired.knowledge_base.vocabulary import Node
from inspired.logical_form.equivalence import canonical
from inspired.logical_form.forms import LogicalForm
from inspired.logical_form.sparql_writer import write_sparql

_RESAMPLES = 1000
_MOST_ANSWERS = 2000


@dataclass
class Answering:
    """The answers of `kb`, each query asked once."""

    kb: KnowledgeBase
    seconds: float = 5.0
    known: dict[str, frozenset[Node] | None] = field(default_factory=dict)

    def answers(self, form: LogicalForm) -> frozenset[Node] | None:
        """None if the knowledge base cannot answer in time, or at all."""
        key = canonical(form)
        if key not in self.known:
            self.known[key] = self._ask(form)
        return self.known[key]

    def _ask(self, form: LogicalForm) -> frozenset[Node] | None:
        try:
            rows = self.kb.select(write_sparql(form), _MOST_ANSWERS, self.seconds)
        except InspiredError:
            return None
        return frozenset(row[0] for row in rows.rows if row[0] is not None)

    def f1(self, form: LogicalForm | None, gold: LogicalForm) -> float | None:
        """F1 of the answers, from 0 to 1; None where the gold question has no answer here."""
        wanted = self.answers(gold)
        if not wanted:
            return None
        answers = (self.answers(form) if form is not None else None) or frozenset()
        shared = len(answers & wanted)
        return 2 * shared / (len(answers) + len(wanted))


@dataclass(frozen=True)
class Mean:
    """A mean with the 95% percentile bootstrap interval over questions."""

    value: float
    low: float
    high: float
    count: int


def mean(values: Sequence[float], seed: int = 0) -> Mean | None:
    """None of no values."""
    if not values:
        return None
    low, high = mean_interval(values, seed, _RESAMPLES)
    return Mean(sum(values) / len(values), low, high, len(values))
