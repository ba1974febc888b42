"""Parsers that receive the entities of the gold form, as the paper assumes (section 5.3)."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from backend.errors import InspiredError
from inspired.knowledge_base.vocabulary import NOTABLE
from inspired.logical_form.forms import Entity, Pattern, Triple, walk
from inspired.parsers.reading import History, ParseCorrector, QuestionParser, QuestionReading, StepReading

# Among so many readings one with the right entities is looked for.
_LOOKED_AT = 40


@dataclass(frozen=True)
class WithEntities:
    """Passes over the readings of `parser` that name anything but `entities`; of the others those with all come first."""

    parser: QuestionParser
    entities: Collection[str]

    def parse(self, question: str, n: int = 10) -> tuple[QuestionReading, ...]:
        readings = self.parser.parse(question, max(n, _LOOKED_AT))
        fitting = [each for each in readings if named(each.form.patterns) <= set(self.entities)]
        if not fitting:
            raise InspiredError("No reading of the question keeps to the entities that were given.")
        # Stable: among equals the parser's own order holds.
        return tuple(sorted(fitting, key=lambda each: -len(named(each.form.patterns))))[:n]


@dataclass(frozen=True)
class StepsWithEntities:
    """Passes over the readings of corrections that name anything but `entities`."""

    parser: ParseCorrector
    entities: Collection[str]

    def correct(self, feedback: str, history: History, n: int = 10) -> tuple[StepReading, ...]:
        readings = self.parser.correct(feedback, history, max(n, _LOOKED_AT))
        fitting = tuple(each for each in readings if named(each.step.patterns) <= set(self.entities))
        if not fitting:
            raise InspiredError("No reading of the correction keeps to the entities that were given.")
        return fitting[:n]


def named(patterns: Iterable[Pattern]) -> set[str]:
    """The things that patterns name, without kinds, which are words of the question and no entities."""
    nodes = walk(tuple(patterns))
    kinds = {each.object for each in nodes if isinstance(each, Triple) and each.predicate == NOTABLE}
    return {each.id for each in nodes if isinstance(each, Entity) and each not in kinds and not each.is_type}
