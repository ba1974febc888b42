"""What every parser of questions and of corrections takes and gives; the parsers of this folder are exchangeable."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from inspired.decomposition.steps import Step
from inspired.logical_form.forms import LogicalForm, Variable
from inspired.parsers.linking.entities import Ambiguous


@dataclass(frozen=True)
class QuestionReading:
    """One way to understand a question; `names` are those of the entities in `form`, by id.

    `confidence` is the chance, from 0 to 1, that this reading is the one meant. `unused` are the words that it does
    not explain, and `ambiguous` the names that could mean other things as well. `corrected_by`: who accepted the correction
    that it comes from, empty if it comes from none. What is `improbable`, as only a parser says whose
    confidence comes true, is no answer.
    """

    form: LogicalForm
    names: Mapping[str, str]
    confidence: float
    unused: tuple[str, ...] = ()
    ambiguous: tuple[Ambiguous, ...] = ()
    corrected_by: str = ""
    improbable: bool = False


class QuestionParser(Protocol):
    def parse(self, question: str, n: int = 10) -> tuple[QuestionReading, ...]:
        """Up to `n` readings, the most likely first, no two with the same meaning.

        Raises InspiredError if there is none, saying what was recognised and what can be asked.
        """
        ...


@dataclass(frozen=True)
class History:
    """What is known when a step is corrected (section 5.1 of the paper).

    `steps` are right already and stand before the one asked for, `rejected` were shown and refused. `answer` is the
    variable that the whole question asks for, and `nouns` says what each variable is called: "country" for `?c`.
    """

    question: str
    steps: tuple[Step, ...]
    answer: Variable
    rejected: tuple[Step, ...] = ()
    nouns: Mapping[Variable, str] = field(default_factory=dict)


@dataclass(frozen=True)
class StepReading:
    """One way to understand a correction in words; the fields are those of `QuestionReading`."""

    step: Step
    names: Mapping[str, str]
    confidence: float
    unused: tuple[str, ...] = ()


class ParseCorrector(Protocol):
    def correct(self, feedback: str, history: History, n: int = 10) -> tuple[StepReading, ...]:
        """Up to `n` sub-logical forms for the sub-question `feedback`, the most likely first; none is in `rejected`.

        Raises InspiredError if there is none.
        """
        ...
