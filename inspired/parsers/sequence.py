"""Parsers over trained sequence-to-sequence models: of questions, of corrections; and a writer of sub-questions (section 5).

A model sees placeholders for entities; what they stand for is entities_of, or found by a linker. Outputs that cannot be read,
that use a predicate which the knowledge base lacks, or that repeat a refused step are left out (section 5.1).
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from backend.errors import InspiredError, LogicalFormError
from backend.models.sequence_models.seam import BEAM, BeamSearch, SequenceModel
from inspired.decomposition.decompose import read_steps
from inspired.decomposition.modifications import delexicalised_steps, rename_entities
from inspired.decomposition.steps import Decomposition, Frame, Step, compose
from inspired.logical_form.equivalence import canonical
from inspired.logical_form.forms import Entity, LogicalForm, Variable, triples, walk
from inspired.logical_form.substitution import delexicalise
from inspired.parsers.linking.entities import EntityLinker, EntityMention
from inspired.parsers.model_inputs import correction_source, question_source, subquestion_source
from inspired.parsers.placeholders import PLACEHOLDER, Placeholders, read_form
from inspired.parsers.reading import History, QuestionReading, StepReading
from inspired.sub_questions.verbalise import verbalise

Value = TypeVar("Value")
# Below this a mention is a code, or a word that a name only resembles.
_SURE = 0.75
_LONGEST_STRING = 5


@dataclass(frozen=True, slots=True)
class Named:
    """An entity that a text names: `text` is how it does so, `name` how the knowledge base does."""

    id: str
    text: str
    name: str


Entities = Callable[[str], Sequence[Named]]


def entities_of(names: Mapping[str, str]) -> Entities:
    """Entities known beforehand, as the paper assumes; `names` by id."""
    return lambda text: [Named(id_, name, name) for id_, name in names.items()]


def linked(linker: EntityLinker) -> Entities:
    """The entities are found in the text: of mentions that overlap the longest, then the best known."""

    def named(text: str) -> list[Named]:
        linking = linker.link(text)
        kept: list[EntityMention] = []
        for each in sorted(linking.mentions, key=lambda each: (each.start - each.end, -each.match, -each.weight)):
            apart = all(each.end <= other.start or each.start >= other.end for other in kept)
            if apart and isinstance(each.node, Entity) and each.match >= _SURE:
                kept.append(each)
        mentions: dict[str, Named] = {}
        for each in sorted(kept, key=lambda each: each.start):
            assert isinstance(each.node, Entity)
            text_ = text[linking.tokens[each.start].start : linking.tokens[each.end - 1].end]
            mentions.setdefault(each.node.id, Named(each.node.id, text_, linker.graph.names.get(each.node.id, text_)))
        return list(mentions.values())

    return named


class SequenceQuestionParser:
    """A QuestionParser. `kinds` are left as words of the question, as the model has learnt them.

    `predicates` are those of the knowledge base (None: all are taken), `names` those of its things, for kinds.
    """

    def __init__(
        self,
        model: SequenceModel,
        entities: Entities,
        predicates: Collection[str] | None = None,
        names: Mapping[str, str] | None = None,
        kinds: Collection[str] = (),
        search: BeamSearch = BEAM,
    ) -> None:
        self.model, self.entities, self.search = model, entities, search
        self.names, self.kinds = names or {}, frozenset(kinds)
        self.known = _Known(predicates)

    def parse(self, question: str, n: int = 10) -> tuple[QuestionReading, ...]:
        named = [each for each in self.entities(question) if each.id not in self.kinds]
        placeholders = Placeholders({each.id: each.text for each in named})
        source = question_source(question, placeholders)
        spellings = [*self.known.spellings, *_strings(question)]
        called = {**self.names, **{each.id: each.name for each in named}}
        readings: dict[str, QuestionReading] = {}
        for each in self.model.generate([source], max(n, self.search.beams), self.search)[0]:
            form = _read(lambda text: read_form(text, placeholders.ids, spellings), each.text)
            if form is not None and self.known.all_of(form) and not _open(form):
                reading = QuestionReading(form, _names_in(form, called), _chance(each.log_probability))
                readings.setdefault(canonical(form), reading)
        if not readings:
            recognised = ", ".join(each.name for each in named) or "no name"
            raise InspiredError(f"The model has no reading of this question. Recognised: {recognised}. Try other words.")
        return tuple(readings.values())[:n]


class SequenceParseCorrector:
    """A StepParser. The sub-questions of the steps before are worded by the templates; `names` are those of things."""

    def __init__(
        self,
        model: SequenceModel,
        entities: Entities,
        predicates: Collection[str] | None = None,
        names: Mapping[str, str] | None = None,
        search: BeamSearch = BEAM,
    ) -> None:
        self.model, self.entities, self.search, self.names = model, entities, search, names or {}
        self.known = _Known(predicates)

    def correct(self, feedback: str, history: History, n: int = 10) -> tuple[StepReading, ...]:
        named = self.entities(feedback)
        earlier = Decomposition(Frame(history.answer), history.steps)
        ids = delexicalise(compose(earlier))[1]
        before = {id_: self.names[id_] for id_ in ids if id_ in self.names}
        texts = verbalise(earlier, before).questions
        turns = [(text, step.compact()) for text, step in zip(texts, delexicalised_steps(earlier), strict=True)]
        placeholders = Placeholders({**{each.id: each.name for each in named}, **before})
        source = correction_source(feedback, turns, ids, placeholders, {each.id: each.text for each in named})
        called = {**self.names, **{each.id: each.name for each in named}}
        refused = {_key(each, history.answer) for each in history.rejected}
        readings: dict[str, StepReading] = {}
        for each in self.model.generate([source], max(n, self.search.beams) + len(refused), self.search)[0]:
            step = self._step(each.text, feedback, placeholders.ids)
            if step is not None and (key := _key(step, history.answer)) not in refused:
                reading = StepReading(step, _names_in(_as_form(step, history.answer), called), _chance(each.log_probability))
                readings.setdefault(key, reading)
        if not readings:
            raise InspiredError("The model has no other reading of this correction. Say the step as a question of its own.")
        return tuple(readings.values())[:n]

    def _step(self, text: str, feedback: str, ids: Sequence[str]) -> Step | None:
        steps = _read(lambda text: read_steps(text, [*self.known.spellings, *_strings(feedback)]), text)
        if steps is None or len(steps) != 1:
            return None
        step = rename_entities(steps[0], {f"#entity{number}#": id_ for number, id_ in enumerate(ids, 1)})
        form = _as_form(step, Variable("x"))
        return step if self.known.all_of(form) and not _open(form) else None


@dataclass(frozen=True, slots=True)
class WordedSubQuestion:
    """A sub-question, and whether a model or a template worded it."""

    text: str
    by: Literal["model", "template"]


class SubQuestionWriter:
    """Says steps in natural words with a trained model, and with the template where the model leaves out an entity."""

    def __init__(self, model: SequenceModel | None = None, search: BeamSearch = BEAM) -> None:
        self.model, self.search = model, search

    def write(
        self, decomposition: Decomposition, names: Mapping[str, str], question: str = ""
    ) -> tuple[WordedSubQuestion, ...]:
        """One wording for each step, in the light of the complex `question` and the steps before."""
        templates = verbalise(decomposition, names).questions
        plain = tuple(WordedSubQuestion(text, "template") for text in templates)
        if self.model is None:
            return plain
        ids = delexicalise(compose(decomposition))[1]
        known = {id_: names[id_] for id_ in ids if id_ in names}
        places = [Placeholders(known) for _ in templates]
        forms = [step.compact() for step in delexicalised_steps(decomposition)]
        sources = [
            subquestion_source(form, ids, templates[number], question, templates[:number], places[number])
            for number, form in enumerate(forms)
        ]
        outputs = self.model.generate(sources, 1, self.search)
        texts = [candidates[0].text if candidates else "" for candidates in outputs]
        checked = zip(texts, forms, places, plain, strict=True)
        return tuple(
            _worded(text, placeholders.in_form(form, ids), placeholders) or other for text, form, placeholders, other in checked
        )


def _worded(text: str, form: str, placeholders: Placeholders) -> WordedSubQuestion | None:
    """The model's sub-question, if it names the entities of the step and no others."""
    written, wanted = set(PLACEHOLDER.findall(text)), set(PLACEHOLDER.findall(form))
    known = {str(number) for number in range(1, len(placeholders.ids) + 1)}
    return WordedSubQuestion(placeholders.restored(text), "model") if text.strip() and wanted <= written <= known else None


class _Known:
    """The predicates of a knowledge base, whatever case a model writes them in."""

    def __init__(self, predicates: Iterable[str] | None) -> None:
        self.predicates = None if predicates is None else frozenset(predicates)
        self.spellings = sorted(each for each in self.predicates or () if each != each.lower())

    def all_of(self, form: LogicalForm) -> bool:
        return self.predicates is None or all(each.predicate in self.predicates for each in triples(form))


def _read(read: Callable[[str], Value], text: str) -> Value | None:
    try:
        return read(text)
    except LogicalFormError:
        return None


def _open(form: LogicalForm) -> bool:
    """Whether a placeholder is left that stands for nothing."""
    return any(isinstance(each, Entity) and each.is_placeholder for each in walk(form))


def _as_form(step: Step, answer: Variable) -> LogicalForm:
    return LogicalForm(answer, step.patterns, step.order)


def _key(step: Step, answer: Variable) -> str:
    return canonical(_as_form(step, answer))


def _names_in(form: LogicalForm, names: Mapping[str, str]) -> dict[str, str]:
    return {each.id: names[each.id] for each in walk(form) if isinstance(each, Entity) and each.id in names}


def _chance(log_probability: float) -> float:
    return min(1.0, math.exp(log_probability))


def _strings(text: str) -> list[str]:
    """What a string in a query could be, with its capitals: runs of words of the question."""
    words = text.replace("?", " ").replace(",", " ").split()
    runs = (" ".join(words[first:last]) for first in range(len(words)) for last in range(first + 1, len(words) + 1)
            if last - first <= _LONGEST_STRING)  # fmt: skip
    return [each for each in runs if each != each.lower()]
