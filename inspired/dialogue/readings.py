"""What a question can mean: its readings, and the things that share a name in it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from backend.errors import LogicalFormError
from inspired.dialogue.dialogue import Dialogue, begin
from inspired.knowledge_base.graph import Graph
from inspired.knowledge_base.vocabulary import NOTABLE
from inspired.logical_form.forms import Entity, LogicalForm, Term
from inspired.logical_form.substitution import substitute
from inspired.parsers.follow_ups.before import Before
from inspired.parsers.reading import QuestionReading

FEW_EARLIER = 3


@dataclass(frozen=True)
class AskedQuestion:
    """A question with the dialogue about one of its readings; `taken` is its place, None for what was never parsed.

    `corrected_by`: who accepted the correction that it is understood by, empty if by none. `earlier` is what was asked before
    it. If it goes on from that, `follows` is the question that it goes on from, `whole` what it asks in words that stand for
    themselves, as far as there are any, and `stands_alone` says whether it could also be asked by itself.
    """

    dialogue: Dialogue
    readings: tuple[QuestionReading, ...] = ()
    taken: int | None = None
    corrected_by: str = ""
    earlier: Before | None = None
    follows: str = ""
    whole: str = ""
    stands_alone: bool = False

    @property
    def reading(self) -> QuestionReading | None:
        return None if self.taken is None else self.readings[self.taken]

    @property
    def goes_on_from(self) -> tuple[str, ...]:
        """The last questions before a follow-up, the oldest first; none before a question that is understood by itself."""
        asked = [each.question for each in self.earlier.chain()] if self.earlier and self.follows else []
        return tuple(reversed(asked[:FEW_EARLIER]))

    @property
    def is_improbable(self) -> bool:
        """Whether nothing was chosen or corrected yet, and the likeliest reading is most probably not what was asked."""
        chosen = self.dialogue.feedback or self.taken != 0 or self.reading is None
        return not chosen and self.readings[0].improbable

    @property
    def offered_by(self) -> str:
        """Who accepted the correction of a close question that is offered beside the reading taken; "" if none is."""
        offers = (each.corrected_by for _, each in self.others())
        return "" if self.dialogue.feedback else next((by for by in offers if by), "")

    def others(self) -> list[tuple[int, QuestionReading]]:
        """The other readings with their places, but none that reads like the dialogue as it is, or like one before."""
        seen = {self.dialogue.in_words().questions}
        result = []
        for index, reading in enumerate(self.readings):
            questions = begin(reading.form, reading.names).in_words().questions
            if questions not in seen:
                result.append((index, reading))
            seen.add(questions)
        return result

    def now(self, dialogue: Dialogue) -> "AskedQuestion":
        """With the dialogue as it has become, which may be another of the readings."""
        forms = [begin(each.form, each.names).current for each in self.readings]
        taken = forms.index(dialogue.current) if dialogue.current in forms else self.taken
        return replace(self, dialogue=dialogue, taken=taken)


@dataclass(frozen=True)
class Meaning:
    """One of the things that share a name, and what tells it apart: "Georgia", "Country"."""

    id: str
    name: str
    kind: str


def with_steps(readings: Iterable[QuestionReading]) -> Iterator[QuestionReading]:
    """The readings that can be asked step by step."""
    for each in readings:
        try:
            begin(each.form, each.names)
        except LogicalFormError:
            continue
        yield each


def with_entity(form: LogicalForm, others: set[str], meant: str) -> LogicalForm:
    """`form` about the thing `meant` in place of any of `others`; all are ids."""

    def change(term: Term) -> Term:
        return Entity(meant) if isinstance(term, Entity) and term.id in others else term

    return substitute(form, change)


def kind_of(id_: str, graph: Graph | None) -> str:
    """What kind of thing it is: its notable type where the graph has one, else the narrowest of its types."""
    if graph is None:
        return ""
    for node in graph.objects(id_, NOTABLE):
        if isinstance(node, Entity):
            return graph.names.get(node.id, "")
    types = sorted(graph.types.get(id_, ()), key=lambda each: -len(graph.schema.supertypes(each)))
    return graph.names.get(types[0], "") if types else ""
