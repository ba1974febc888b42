"""Any number of questions over a knowledge base, each with its logical form, its words and its answers."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from backend.errors import InspiredError
from inspired.decomposition.decompose import decompose, question_type
from inspired.knowledge_base.graph import Graph
from inspired.knowledge_base.vocabulary import Node
from inspired.lab.questions.links import Links
from inspired.lab.questions.sampler import Sampler
from inspired.lab.questions.speech import Speaker
from inspired.lab.questions.ties import Ties, attributes
from inspired.lab.questions.wording import WordingLexicon, read_wording
from inspired.logical_form.equivalence import canonical
from inspired.logical_form.forms import Entity, LogicalForm, Triple, walk
from inspired.logical_form.schema import is_kind
from inspired.parsers.query_graphs.query_graph import Thing, logical_form
from inspired.parsers.query_graphs.walk import answers

# As many of each of the four types of ComplexWebQuestions, and some simple ones.
SHARES: Mapping[str, float] = {
    "composition": 0.22,
    "conjunction": 0.22,
    "comparative": 0.2,
    "superlative": 0.2,
    "simple": 0.16,
}
# No predicate stands in more than this share of the questions, where the graph has enough others.
MOST_OF_ONE = 0.08
_CHOOSY = 200
_ATTEMPTS = 600


@dataclass(frozen=True)
class GeneratedQuestion:
    """`names` are those of the entities in `form`, by id; `answers` are what the graph holds, sorted."""

    id: str
    question: str
    form: LogicalForm
    names: Mapping[str, str]
    type: str
    answers: tuple[Node, ...]


def generate(
    graph: Graph, seed: int, count: int, wording: str, shares: Mapping[str, float] = SHARES
) -> Iterator[GeneratedQuestion]:
    """`count` different questions over `graph` in the words of "train" or "held-out"; equal for an equal `seed`.

    Predicates without words are worded from the schema, in "train" only. Raises InspiredError for an unknown wording,
    and when the graph has no more questions of a type.
    """
    yield from _GenerationRun(graph, seed, wording, shares).questions(count)


@dataclass
class _GenerationRun:
    graph: Graph
    seed: int
    wording: str
    shares: Mapping[str, float]
    seen: set[str] = field(default_factory=set)
    drawn: dict[Thing, tuple[LogicalForm, str, str]] = field(default_factory=dict)
    predicates: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        links = Links(self.graph, attributes())
        self.rng = random.Random(f"questions {self.seed}")
        # Words are drawn apart, so that one seed asks the same in either wording.
        self.voice = random.Random(f"words {self.seed}")
        self.lexicon = WordingLexicon(read_wording(self.wording), links, guesses=self.wording == "train")
        self.sampler = Sampler(Ties(links, self.rng, self.lexicon.knows))

    def questions(self, count: int) -> Iterator[GeneratedQuestion]:
        for number, type_ in enumerate(self._types(count), 1):
            yield self._question(type_, f"{self.wording}-{self.seed}-{number}", number)

    def _types(self, count: int) -> list[str]:
        """Which type each question has: the shares as exactly as whole numbers can, in any order."""
        total = sum(self.shares.values())
        wanted = {type_: share / total * count for type_, share in self.shares.items()}
        types = [type_ for type_, many in wanted.items() for _ in range(int(many))]
        rest = sorted(wanted, key=lambda type_: int(wanted[type_]) - wanted[type_])
        types += rest[: count - len(types)]
        self.rng.shuffle(types)
        return types

    def _question(self, type_: str, id_: str, number: int) -> GeneratedQuestion:
        for attempt in range(_ATTEMPTS):
            thing = self.sampler.draw(type_)
            if thing is None:
                continue
            form, key, its_type = self._read(thing)
            if key in self.seen or its_type != type_:
                continue
            if attempt < _CHOOSY and self._is_too_common(form, number):
                continue
            self.seen.add(key)
            self.predicates.update(_predicates(form))
            names = {each: self.graph.names[each] for each in entities(form) if each in self.graph.names}
            words = Speaker(self.lexicon, names, self.voice).question(thing)
            return GeneratedQuestion(id_, words, form, names, type_, answers(self.graph, thing))
        raise InspiredError(f"This knowledge base has no more {type_} questions after {number - 1}; ask for fewer.")

    def _read(self, thing: Thing) -> tuple[LogicalForm, str, str]:
        """The form of what is asked, its canonical text and its type; most things are drawn again and again."""
        if thing not in self.drawn:
            form = logical_form(thing)
            self.drawn[thing] = form, canonical(form), question_type(decompose(form))
        return self.drawn[thing]

    def _is_too_common(self, form: LogicalForm, number: int) -> bool:
        links = len(self.sampler.ties.links.all) + len(self.sampler.ties.links.values)
        # The first twenty are too few to speak of shares, and a small graph has too few predicates.
        most = max(20.0, number) * max(MOST_OF_ONE, 4 / links)
        return any(self.predicates[each] >= most for each in _predicates(form) if not is_kind(each))


def entities(form: LogicalForm) -> list[str]:
    """The things that a form names, in order of appearance."""
    return list(dict.fromkeys(each.id for each in walk(form) if isinstance(each, Entity) and not each.is_type))


def _predicates(form: LogicalForm) -> set[str]:
    return {each.predicate for each in walk(form) if isinstance(each, Triple)}
