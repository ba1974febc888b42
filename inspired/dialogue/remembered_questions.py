"""Corrections of questions that people leave for review, and those that a reviewer has accepted.

They are kept only when their author presses the button that says so, in the same queue as corrections of the chat. Who asks
in the same words afterwards is understood as was accepted, also after a new start; who asks in close words is, where the
parser makes the same mistake again. Where that is not sure, the corrected reading is offered beside the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

import numpy as np
import numpy.typing as npt

from backend.errors import InspiredError, ParleyError
from backend.jobs import ReportProgress
from backend.models.embeddings import Embedder, packaged_embedder
from backend.storage.accepted_pairs import AcceptedPair, accepted_pairs, decisions_so_far
from backend.storage.collected import KNOWLEDGE_BASE, Correction, add_correction
from backend.storage.database import Database
from backend.text.tokens import words
from inspired.decomposition.steps import compose
from inspired.dialogue.dialogue import Dialogue, start
from inspired.dialogue.readings import AskedQuestion
from inspired.dialogue.session import Assistant
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.forms import Entity, Literal, LogicalForm, walk
from inspired.logical_form.sparql_writer import write_on_one_line
from inspired.parsers.reading import QuestionReading

MISREAD = 0.6  # cosine similarity from which words are the same question, where they are misread as what was corrected was
OFFERED = 0.75  # the same, where they are read otherwise: the corrected reading is offered
CLOSE = 0.9  # the same, where it is taken if the parser is not sure
SURE = 0.9  # confidence from which another reading than the misread one stands
Vector = npt.NDArray[np.float32]


@dataclass(frozen=True)
class KnownQuestion:
    """An accepted pair; `vector` is the meaning of its words, None where no model of embeddings is to be had."""

    pair: AcceptedPair
    vector: Vector | None


@dataclass
class RememberedQuestions:
    """Those of one knowledge base. Safe to use from several threads."""

    database: Database
    label: str
    embedder: Embedder | None = None
    _lock: Lock = field(default_factory=Lock)
    _mark: int | None = None
    _known: dict[tuple[str, ...], KnownQuestion] = field(default_factory=dict)

    @property
    def dataset(self) -> str:
        return f"{KNOWLEDGE_BASE}{self.label}"[:200]

    def keep(self, dialogue: Dialogue, owner: str) -> None:
        """Leave a correction for review. Raises InspiredError if nothing is corrected."""
        if not is_corrected(dialogue):
            raise InspiredError("There is no correction to keep: ask a question in your own words, and correct a step.")
        before, now = write_on_one_line(compose(dialogue.predicted)), write_on_one_line(dialogue.form)
        add_correction(self.database, Correction(dialogue.asked, before, now, self.dataset), owner)

    def knows(self, question: str) -> bool:
        """Whether a correction of these very words was accepted."""
        return words(question) in self._accepted()

    def ask(
        self,
        assistant: Assistant,
        question: str,
        report: ReportProgress,
        readings: tuple[QuestionReading, ...] = (),
    ) -> AskedQuestion:
        """As the assistant does, unless these words, or close ones, were corrected and the correction accepted."""
        known = self._accepted()
        same = known.get(words(question))
        if same is not None:
            asked = _started(assistant, same.pair, question, report)
            return asked or assistant.ask(question, report, readings)
        close = self._closest(question, list(known.values()))
        if close is None:
            return assistant.ask(question, report, readings)
        pair, similarity = close
        readings = readings or assistant.readings(question, report)
        misread = _read_before(assistant, pair, report)
        if misread is not None and _is_same(readings[0], misread, similarity):
            asked = _started(assistant, pair, question, report)
            if asked is not None:
                return asked
        if misread is not None and _may_be_meant(readings[0], misread, similarity):
            readings = _with_offer(assistant, readings, pair, report)
        return assistant.ask_as(readings, question, report)

    def _closest(self, question: str, known: Sequence[KnownQuestion]) -> tuple[AcceptedPair, float] | None:
        """The accepted pair whose words are nearest in meaning, and how near."""
        compared = [(each.pair, each.vector) for each in known if each.vector is not None]
        vector = self._vector(question) if compared else None
        if vector is None:
            return None
        pair, similarity = max(((pair, float(vector @ other)) for pair, other in compared), key=lambda one: one[1])
        return (pair, similarity) if similarity >= MISREAD else None

    def _accepted(self) -> dict[tuple[str, ...], KnownQuestion]:
        mark = decisions_so_far(self.database)
        with self._lock:
            if mark != self._mark:
                latest = {words(each.utterance): each for each in accepted_pairs(self.database, self.dataset)}
                self._known = {key: KnownQuestion(pair, self._vector(pair.utterance)) for key, pair in latest.items()}
                self._mark = mark
            return self._known

    def _vector(self, question: str) -> Vector | None:
        try:
            return np.asarray((self.embedder or packaged_embedder()).embed([question])[0])
        except ParleyError:
            return None  # without a model of embeddings only the same words are known again


def is_corrected(dialogue: Dialogue) -> bool:
    return bool(dialogue.asked) and dialogue.current != dialogue.predicted


def _is_same(reading: QuestionReading, misread: LogicalForm, similarity: float) -> bool:
    """Whether a question in close words asks what was corrected: it is misread alike, or the parser is not sure of it."""
    return equivalent(reading.form, misread) or (similarity >= CLOSE and _may_be_meant(reading, misread, similarity))


def _may_be_meant(reading: QuestionReading, misread: LogicalForm, similarity: float) -> bool:
    """Whether the parser is not sure of a question in close words about the same things."""
    alike = similarity >= OFFERED and _names(reading.form) == _names(misread)
    return alike and reading.confidence < SURE


def _read_before(assistant: Assistant, pair: AcceptedPair, report: ReportProgress) -> LogicalForm | None:
    """How the parser reads what was corrected; None if it does not read it any more."""
    try:
        return assistant.readings(pair.utterance, report)[0].form
    except InspiredError:
        return None


def _names(form: LogicalForm) -> frozenset[str]:
    """The things and values that a query names, without types."""
    nodes = walk(form)
    things = {each.id for each in nodes if isinstance(each, Entity) and not each.is_type}
    return frozenset(things | {each.text for each in nodes if isinstance(each, Literal)})


def _started(assistant: Assistant, pair: AcceptedPair, question: str, report: ReportProgress) -> AskedQuestion | None:
    try:
        asked = assistant.start(pair.parse, {}, question, report)
    except InspiredError:
        return None  # the knowledge base has changed since: what was accepted cannot be asked any more
    return replace(asked, corrected_by=pair.reviewer)


def _with_offer(
    assistant: Assistant, readings: tuple[QuestionReading, ...], pair: AcceptedPair, report: ReportProgress
) -> tuple[QuestionReading, ...]:
    """With the corrected reading beside the likeliest; as they are if the likeliest is that."""
    try:
        dialogue = assistant.named(start(pair.parse, {}, ""), report)
    except InspiredError:
        return readings
    first, form = readings[0], dialogue.form
    offer = QuestionReading(form, dialogue.names, first.confidence, corrected_by=pair.reviewer)
    others = [each for each in readings[1:] if not equivalent(each.form, form)]
    return readings if equivalent(first.form, form) else (first, offer, *others)
