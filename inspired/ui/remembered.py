"""Corrections of questions that people leave for review, and those that a reviewer has accepted.

They are kept only when their author presses the button that says so, in the same queue as corrections of the chat. Who asks
in the same words afterwards is understood as was accepted, also after a new start.
"""

from dataclasses import dataclass, field, replace
from threading import Lock

from backend.errors import InspiredError
from backend.jobs import ReportProgress
from backend.storage.accepted_pairs import AcceptedPair, accepted_pairs, decisions_so_far
from backend.storage.collected import KNOWLEDGE_BASE, Correction, add_correction
from backend.storage.database import Database
from backend.text.tokens import words
from inspired.decomposition.steps import compose
from inspired.dialogue.dialogue import Dialogue
from inspired.dialogue.readings import AskedQuestion
from inspired.dialogue.session import Assistant
from inspired.logical_form.sparql_writer import write_on_one_line


@dataclass
class RememberedQuestions:
    """Those of one knowledge base. Safe to use from several threads."""

    database: Database
    label: str
    _lock: Lock = field(default_factory=Lock)
    _mark: int | None = None
    _known: dict[tuple[str, ...], AcceptedPair] = field(default_factory=dict)

    @property
    def dataset(self) -> str:
        return f"{KNOWLEDGE_BASE}{self.label}"[:200]

    def keep(self, dialogue: Dialogue, owner: str) -> None:
        """Leave a correction for review. Raises InspiredError if nothing is corrected."""
        if not is_corrected(dialogue):
            raise InspiredError("There is no correction to keep: ask a question in your own words, and correct a step.")
        before, now = write_on_one_line(compose(dialogue.predicted)), write_on_one_line(dialogue.form)
        add_correction(self.database, Correction(dialogue.asked, before, now, self.dataset), owner)

    def ask(self, assistant: Assistant, question: str, report: ReportProgress) -> AskedQuestion:
        """As the assistant does, unless these words were corrected and the correction accepted."""
        pair = self.accepted(question)
        if pair is not None:
            try:
                asked = assistant.start(pair.parse, {}, question, report)
            except InspiredError:
                pass  # the knowledge base has changed since: what was accepted cannot be asked any more
            else:
                return replace(asked, corrected_by=pair.reviewer)
        return assistant.ask(question, report)

    def accepted(self, question: str) -> AcceptedPair | None:
        mark = decisions_so_far(self.database)
        with self._lock:
            if mark != self._mark:
                self._known = {words(each.utterance): each for each in accepted_pairs(self.database, self.dataset)}
                self._mark = mark
            return self._known.get(words(question))


def is_corrected(dialogue: Dialogue) -> bool:
    return bool(dialogue.asked) and dialogue.current != dialogue.predicted
