"""What the tab needs between the parsers, the knowledge base and a dialogue: to ask, to answer, to choose otherwise.

Nothing is read before the first question; then each part is opened once a process and shared by everybody.
"""

import threading
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from backend.errors import InspiredError
from backend.jobs import ReportProgress
from backend.program.settings import Settings
from inspired.decomposition.steps import Decomposition
from inspired.dialogue import step_choices
from inspired.dialogue.answer_rows.compared_values import compared_values
from inspired.dialogue.answer_rows.coordinates import places_of
from inspired.dialogue.answer_rows.rows import AnswerRow, rows_of, values_of
from inspired.dialogue.dialogue import Answers, Dialogue, ShownAnswer, ask_otherwise, begin, start, with_answers
from inspired.dialogue.intermediate_answers import IntermediateAnswer, StepAnswer, final_answer, note_words, step_answers
from inspired.dialogue.offered_names.known_names import known_names
from inspired.dialogue.offered_names.name_index import NameIndex
from inspired.dialogue.offered_names.offers import NameOffers, offers_for
from inspired.dialogue.readings import AskedQuestion, Meaning, kind_of, with_entity, with_steps
from inspired.dialogue.step_choices import StepChoice
from inspired.knowledge_base.engine import KnowledgeBase, open_knowledge_base
from inspired.knowledge_base.graph import Fact, Graph
from inspired.knowledge_base.names import names_of
from inspired.knowledge_base.seam import QueryResult
from inspired.logical_form.forms import Entity, Literal, LogicalForm, walk
from inspired.parsers.linking.entities import Ambiguous
from inspired.parsers.reading import ParseCorrector, QuestionParser, QuestionReading
from inspired.sub_questions.labels import to_look_up

if TYPE_CHECKING:
    from inspired.parsers.sequence import WordedSubQuestion

LONGEST = 600  # letters of a question or correction
READINGS = 6
COUNT = "SELECT (COUNT(*) AS ?facts) WHERE { ?thing ?property ?value }"
WORLD_FACTS = "World facts"
WORLD = (
    "It comes with Parley: countries and their parts, cities, languages, currencies, peoples and religions, rivers, lakes and "
    "mountains, who governs, and dated figures such as population, trade and life expectancy. The sources are the CIA World "
    "Factbook, GeoNames, Unicode CLDR and ISO code lists."
)
NO_WORDS = (
    "Questions in plain language need a knowledge base in a file, whose names and properties can be read at once. "
    "This one can be asked under “Start from SPARQL”."
)


class StepWriter(Protocol):
    def write(
        self, decomposition: Decomposition, names: Mapping[str, str], question: str = ""
    ) -> "Sequence[WordedSubQuestion]":
        """One wording for each step of the `question`."""
        ...


@dataclass(frozen=True)
class Parts:
    """`graph` is None where the knowledge base is asked in place, a store folder or one behind an address.

    Of that there is a `sample`.
    """

    kb: KnowledgeBase
    graph: Graph | None = None
    questions: QuestionParser | None = None
    steps: ParseCorrector | None = None
    writer: StepWriter | None = None
    sample: Sequence[Fact] = ()

    @property
    def names(self) -> dict[str, str]:
        """What a graph in memory calls its things, also in vocabularies of its own; empty where there is none."""
        return self.graph.names if self.graph is not None else {}


@dataclass
class Assistant:
    """`label` and `about` say to people what is asked; `open_parts` reads it, which can take seconds."""

    label: str
    about: str
    open_parts: Callable[[], Parts]
    _parts: Parts | None = None
    _names: NameIndex | None = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def parts(self, report: ReportProgress) -> Parts:
        """Read everything, unless that was done before. Raises KnowledgeBaseError if it cannot be read."""
        if self._parts is None:
            report(0.05, "Reading the knowledge base, which is done once")
            with self._lock:
                self._parts = self._parts or self.open_parts()
        return self._parts

    @property
    def is_read(self) -> bool:
        return self._parts is not None

    def put_away(self) -> None:
        """End what holds a knowledge base that nobody shares; `open_parts` says what becomes of later questions."""
        with self._lock:
            parts, self._parts, self._names = self._parts, None, None
        if parts is not None:
            parts.kb.close()

    def ask(self, question: str, report: ReportProgress, readings: tuple[QuestionReading, ...] = ()) -> AskedQuestion:
        """The likeliest reading of a question, with its answers; `readings` if they are known. Raises InspiredError if none."""
        return self.ask_as(readings or self.readings(question, report), question, report)

    def readings(self, question: str, report: ReportProgress) -> tuple[QuestionReading, ...]:
        """What a question can mean, the likeliest first. Raises InspiredError if there is nothing."""
        text = checked(question, "question")
        parts = self.parts(report)
        if parts.questions is None:
            raise InspiredError(NO_WORDS)
        report(0.2, "Working out what the question asks")
        readings = tuple(with_steps(parts.questions.parse(text, READINGS)))
        if not readings:
            raise InspiredError("No way was found to ask this of the knowledge base. Try other words, or one of the examples.")
        return readings

    def ask_as(self, readings: tuple[QuestionReading, ...], question: str, report: ReportProgress) -> AskedQuestion:
        """The first of these readings of a question, with its answers."""
        dialogue = begin(readings[0].form, readings[0].names, checked(question, "question"))
        return AskedQuestion(self.answered(dialogue, report), readings, 0)

    def start(self, sparql: str, names: Mapping[str, str], question: str, report: ReportProgress) -> AskedQuestion:
        """The dialogue about a query, with its answers; names that are not given come from the knowledge base."""
        return AskedQuestion(self.answered(self.named(start(sparql, names, question), report), report))

    def named(self, dialogue: Dialogue, report: ReportProgress) -> Dialogue:
        """With the names that the knowledge base has for what is named in none of its own."""
        parts = self.parts(report)
        ids = set(to_look_up(dialogue.current)) - set(dialogue.names)
        called = parts.names.keys() & ids
        known = {id_: name for id_, name in names_of(parts.kb, sorted(ids - called)).items() if name != id_}
        known |= {id_: parts.names[id_] for id_ in called}
        return replace(dialogue, names={**known, **dialogue.names})

    def answered(self, dialogue: Dialogue, report: ReportProgress) -> Dialogue:
        """`dialogue` with the answers to its steps and to the whole; what could not be answered says why."""
        parts = self.parts(report)
        kb = _ReportingKnowledgeBase(parts.kb, report, len(dialogue.current.steps) + 1)
        names = ChainMap(dict(dialogue.names), parts.names)
        steps = step_answers(dialogue.current, kb, names)
        final = final_answer(dialogue.current, kb, names)
        shown = tuple(map(_shown_answer, steps, map(rows_of, steps)))
        rows = _rows(dialogue, steps, final, parts)
        return with_answers(self._worded(dialogue, report), Answers(shown, _shown_answer(final, rows)))

    def _worded(self, dialogue: Dialogue, report: ReportProgress) -> Dialogue:
        writer = self.parts(report).writer
        if writer is None:
            return dialogue
        report(0.95, "Wording the steps")
        questions = writer.write(dialogue.current, dialogue.names, dialogue.asked)
        return replace(dialogue, wordings=tuple(each.text if each.by == "model" else "" for each in questions))

    def take(self, asked: AskedQuestion, index: int, report: ReportProgress) -> AskedQuestion:
        """Go on with the reading of the question at `place`, counted from 0."""
        reading = asked.readings[index]
        did = "Chose another reading of the question"
        dialogue = self._otherwise(asked.dialogue, reading.form, reading.names, did, report)
        return replace(asked, dialogue=dialogue, taken=index, corrected_by="")

    def take_meaning(self, asked: AskedQuestion, name: Ambiguous, meant: str, report: ReportProgress) -> AskedQuestion:
        """Go on with another of the things that a name can mean: in the reading that has it, or else in this one."""
        others = set(name.ids) - {meant}
        (meaning,) = (each for each in self.meanings(name) if each.id == meant)
        form, names, index = with_entity(asked.dialogue.form, others, meant), asked.dialogue.names, asked.taken
        for number, reading in enumerate(asked.readings):
            ids = {each.id for each in walk(reading.form) if isinstance(each, Entity)}
            if meant in ids and not ids & others:
                form, names, index = reading.form, reading.names, number
                break
        did = f"Chose what “{name.text}” means: {meaning.name}{f' ({meaning.kind})' if meaning.kind else ''}"
        dialogue = self._otherwise(asked.dialogue, form, {**names, meant: meaning.name}, did, report)
        return replace(asked, dialogue=dialogue, taken=index, corrected_by="")

    def meanings(self, name: Ambiguous) -> tuple[Meaning, ...]:
        """The things that an ambiguous name can mean, the likeliest first."""
        graph = self.parts(silent).graph
        names = graph.names if graph else {}
        return tuple(Meaning(id_, names.get(id_, name.text), kind_of(id_, graph)) for id_ in name.ids)

    def understood(
        self, dialogue: Dialogue, number: int, inserts: bool, words: str, report: ReportProgress
    ) -> tuple[StepChoice, ...]:
        """See `step_choices.understood`. Raises InspiredError if the text is empty or not understood."""
        text = checked(words, "step")
        parser = self.parts(report).steps
        if parser is None:
            raise InspiredError(NO_WORDS)
        report(0.4, "Working out what the step asks")
        return step_choices.understood(parser, dialogue, number, inserts, text)

    def alternatives(self, asked: AskedQuestion, number: int, report: ReportProgress) -> tuple[StepChoice, ...]:
        """See `step_choices.alternatives`."""
        report(0.4, "Looking for other ways to understand the step")
        return step_choices.alternatives(self.parts(report).steps, asked.dialogue, number, asked.readings)

    def offered_names(self, before: str) -> NameOffers:
        """The names that complete the end of a text, the text before the cursor; none where nothing has been read yet.

        They are looked up in an index, never asked of the knowledge base: where that is asked in place, in its sample.
        """
        parts = self._parts
        if parts is None:
            return NameOffers()
        with self._lock:
            names = self._names = self._names or NameIndex(known_names(parts.graph or Graph(parts.sample)))
        return offers_for(before, names)

    def size(self) -> str:
        """How much the knowledge base holds, in words; empty before the first question and where it cannot be counted."""
        parts = self._parts
        if parts is None or parts.graph is None:
            return ""
        (count,) = (cell.text for row in parts.kb.select(COUNT, 1).rows for cell in row if isinstance(cell, Literal))
        things = sum(1 for id_ in parts.graph.types if not Entity(id_).is_type)
        return f"{int(count):,} facts about {things:,} things"

    def property_names(self) -> dict[str, str]:
        """What properties are called, by id, once the knowledge base has been read and if it tells."""
        graph = self._parts.graph if self._parts else None
        return {id_: each.name for id_, each in graph.schema.properties.items()} if graph else {}

    def _otherwise(
        self, dialogue: Dialogue, form: LogicalForm, names: Mapping[str, str], did: str, report: ReportProgress
    ) -> Dialogue:
        return self.answered(ask_otherwise(dialogue, form, names, did), report)


@cache
def assistant_for(where: str | None, wording: str | None = None) -> Assistant:
    """The assistant over a knowledge base: the same one for everybody who asks for the same place.

    `wording` names a model that words the steps. Raises KnowledgeBaseError if there is nothing at `where`; nothing is
    read yet.
    """
    kb = open_knowledge_base(where)
    label, about = (WORLD_FACTS, WORLD) if where is None else (kb.label, "It was chosen when Parley was started.")
    return Assistant(label, about, lambda: _opened(kb, where, wording))


_OPENING = threading.Lock()


def open_assistant(settings: Settings) -> Assistant:
    """The assistant over the knowledge base that the settings name. Raises KnowledgeBaseError if there is none."""
    with _OPENING:
        return assistant_for(settings.kb, settings.kb_wording)


def silent(fraction: float, message: str) -> None:
    """For work that nobody watches."""


def checked(text: str, what: str) -> str:
    """`text` in one line. Raises InspiredError if it is empty, or longer than anything that is meant as a question."""
    words = " ".join(text.split())
    if not words:
        raise InspiredError(f"There is no {what} yet. Type one in your own words.")
    if len(words) > LONGEST:
        raise InspiredError(f"The {what} has {len(words)} letters; up to {LONGEST} are read. Please shorten it.")
    return words


def _opened(kb: KnowledgeBase, where: str | None, wording: str | None) -> Parts:
    writer = _writer(wording) if wording else None
    from inspired.parsers.correction.parse_correction import DefaultParseCorrector
    from inspired.parsers.in_place import InPlaceCorrector, InPlaceParser
    from inspired.parsers.opening import open_default_parser

    parser = open_default_parser(where, kb)
    if isinstance(parser, InPlaceParser):
        return Parts(kb, None, parser, InPlaceCorrector(parser), writer, parser.sample)
    return Parts(kb, parser.graph, parser, DefaultParseCorrector(parser), writer)


def _writer(model: str) -> StepWriter:
    from backend.models.sequence_models.opening import load
    from inspired.parsers.sequence import SubQuestionWriter
    from inspired.parsers.trained_task import ABOUT, load_trained

    if (Path(model) / ABOUT).is_file():  # one of ours says what it was trained for
        return SubQuestionWriter(load_trained(Path(model), "subquestion")[0])
    return SubQuestionWriter(load(model))


class _ReportingKnowledgeBase:
    """`kb`, telling how far the answers are at each query; that is also where a stopped job ends."""

    def __init__(self, kb: KnowledgeBase, report: ReportProgress, expected: int) -> None:
        self.label = kb.label
        self._kb, self._report, self._expected, self._done = kb, report, expected, 0

    def select(self, sparql: str, limit: int = 1000, seconds: float = 10.0) -> QueryResult:
        self._report(min(0.4 + 0.3 * self._done / self._expected, 0.95), "Looking up the answers")
        self._done += 1
        return self._kb.select(sparql, limit, seconds)

    def close(self) -> None:
        self._kb.close()


def _rows(dialogue: Dialogue, steps: tuple[StepAnswer, ...], final: StepAnswer, parts: Parts) -> tuple[AnswerRow, ...]:
    """The answers to the whole question with the values that decided about them, and with their places."""
    if not final.answers:
        return ()
    decided = steps if values_of(steps) else (StepAnswer(compared_values(dialogue.current, parts.kb)),)
    return rows_of(final, decided, places_of(final.answers, parts.kb, parts.graph, parts.sample))


def _shown_answer(answer: StepAnswer, rows: tuple[AnswerRow, ...]) -> ShownAnswer:
    return ShownAnswer(tuple(map(_answer_text, answer.answers)), answer.truncated, answer.problem, note_words(answer), rows)


def _answer_text(answer: IntermediateAnswer) -> str:
    if any(each.names for each in answer.columns):
        return f"{answer.name} ({'; '.join(', '.join(each.names) or '–' for each in answer.columns)})"
    return answer.name if answer.value_name is None else f"{answer.name}: {answer.value_name}"
