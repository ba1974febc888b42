"""`KnowledgeAnswer`: an answer of a knowledge base as Python has it, with the steps to it, and their correction."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend.errors import InspiredError
from backend.text.notebook_buttons import NotebookButton, show_with_buttons, text_and_html
from backend.text.templates import Macros
from inspired.dialogue.asked_after import ask_after
from inspired.dialogue.dialogue import Dialogue, begin, delete_step
from inspired.dialogue.readings import AskedQuestion
from inspired.dialogue.records import InspiredRecord, write_record
from inspired.dialogue.session import Assistant, silent
from inspired.logical_form.sparql_writer import write_sparql
from inspired.parsers.reading import QuestionReading

if TYPE_CHECKING:
    import pandas as pd

HTML = Macros(__file__)
READINGS_SHOWN = 3  # of the others, in a notebook


@dataclass(frozen=True)
class AnswerStep:
    """One step: `words` ask it, `query` is its sub-logical form with names in place of ids, `answers` are names.

    `problem` is a sentence where it could not be answered.
    """

    number: int
    words: str
    query: str
    answers: tuple[str, ...]
    problem: str | None = None


@dataclass(frozen=True)
class FormReading:
    """One way in which the question could be meant: its query, its steps in words, and the probability (0 to 1) of it."""

    parse: str
    words: str
    confidence: float


@dataclass(frozen=True)
class KeptDialogue:
    """The dialogue as an INSPIRED record, the JSON of the paper's data set."""

    value: Dialogue = field(repr=False)

    @property
    def record(self) -> InspiredRecord:
        return write_record(self.value)

    def save(self, path: str | Path) -> Path:
        """Write the record; `inspired.load` opens it again. Raises InspiredError if it cannot be written."""
        try:
            Path(path).write_text(self.record.model_dump_json(indent=2) + "\n", "utf-8")
        except OSError as error:
            raise InspiredError(f"Cannot write {path}: {error.strerror or error}.") from error
        return Path(path)


@dataclass(frozen=True)
class KnowledgeAnswer:
    """Hold the answer to a question, with the steps that lead to it. Nothing in it changes: a correction gives another one.

    Attributes:
        question: What was asked; empty for a query that was taken apart.
        answers: Names, numbers and dates as the knowledge base has them, in its units.
        steps: The steps with `number` (from 1), `words`, `query` and `answers`, in their order.
        parse: The SPARQL query.
        readings: How the question could be meant, with `parse`, `words` and a probability (0 to 1) each, best first.
        confidence: The probability (0 to 1) of the reading that was answered; None where it was not parsed.
        unused: Words of the question, or of its last correction, that the query does not explain.
        asked: The dialogue as the app has it.
        assistant: The parser and the knowledge base that answered.

    Source:
        INSPIRED (Mo et al.), figure 1; A.1 for the logical form.
    """

    question: str
    answers: tuple[str, ...]
    steps: tuple[AnswerStep, ...]
    parse: str
    readings: tuple[FormReading, ...]
    confidence: float | None
    unused: tuple[str, ...]
    asked: AskedQuestion = field(repr=False)
    assistant: Assistant = field(repr=False)

    @property
    def text(self) -> str:
        """The answers in one line, or why there is none."""
        final = self.asked.dialogue.answers.final if self.asked.dialogue.answers else None
        problem = final.problem if final else None
        return ", ".join(self.answers) or problem or "The knowledge base holds no answer."

    @property
    def result(self) -> dict[str, Any]:
        """The INSPIRED record as JSON; the page on dialogue files describes its fields."""
        return self.dialogue.record.model_dump()

    @property
    def table(self) -> "pd.DataFrame":
        """A row for each of the s steps, by number (s, 4): words, query, answers, problem."""
        import pandas as pd

        columns = ["number", "words", "query", "answers", "problem"]
        return pd.DataFrame([vars(step) for step in self.steps], columns=columns).set_index("number")

    @property
    def dialogue(self) -> KeptDialogue:
        """The conversation up to here, to be saved and opened again: `.save(FILE)`."""
        return KeptDialogue(self.asked.dialogue)

    def ask(self, question: str) -> "KnowledgeAnswer":
        """Ask another question, which may go on from this one: "and of France?", "which of them border Spain?".

        Args:
            question: In plain language; if it does not go on from this one, it is answered by itself.

        Returns:
            Another answer; this one stays as it is.

        Raises:
            InspiredError: The question is not understood.

        Source:
            INSPIRED (Mo et al.), figure 1, for the steps; follow-ups are not in the paper.
        """
        return answer_of(self.assistant, question, ask_after(self.assistant, None, self.asked, question, silent))

    def correct(self, step: int, words: str, choice: int = 0) -> "KnowledgeAnswer":
        """Put one step otherwise, in words, and answer the question again.

        Args:
            step: Its number, from 1.
            words: What it should ask instead.
            choice: Which of what the words can mean, from 0, the likeliest first; `choices` lists them.

        Returns:
            Another answer; this one stays as it is.

        Raises:
            InspiredError: The words mean nothing here, or there is no such step or choice.

        Source:
            INSPIRED (Mo et al.), sections 3.3 and 5.1: parse correction.
        """
        meant = self._understood(step, words)
        if not 0 <= choice < len(meant):
            raise InspiredError(f"There is no choice {choice}; they go from 0 to {len(meant) - 1}.")
        return replace(self._with(meant[choice].dialogue), unused=meant[choice].unused)

    def choices(self, step: int, words: str) -> tuple[str, ...]:
        """List what `correct` would make of the words.

        Args:
            step: Its number, from 1.
            words: What it should ask instead.

        Returns:
            The step as it would be asked, the likeliest first.

        Raises:
            InspiredError: The words mean nothing here, or there is no such step.

        Source:
            INSPIRED (Mo et al.), section 5.1.
        """
        return tuple(one.question for one in self._understood(step, words))

    def delete(self, step: int) -> "KnowledgeAnswer":
        """Leave a step out, and answer the question again.

        Args:
            step: Its number, from 1.

        Returns:
            Another answer; this one stays as it is.

        Raises:
            InspiredError: There is no such step.
            LogicalFormError: It is the only step.

        Source:
            INSPIRED (Mo et al.), section 3.3: correction operations.
        """
        self._check(step)
        return self._with(delete_step(self.asked.dialogue, step))

    def choose(self, reading: int) -> "KnowledgeAnswer":
        """Answer another of `readings`.

        Args:
            reading: Its index, from 0.

        Returns:
            Another answer; this one stays as it is.

        Raises:
            InspiredError: There is no such reading.
        """
        if not 0 <= reading < len(self.asked.readings):
            raise InspiredError(f"There is no reading {reading}; they go from 0 to {len(self.asked.readings) - 1}.")
        return answer_of(self.assistant, self.asked.dialogue.asked, self.assistant.take(self.asked, reading, silent))

    def _understood(self, step: int, words: str) -> Sequence[Any]:
        self._check(step)
        return self.assistant.understood(self.asked.dialogue, step, False, words, silent)

    def _check(self, step: int) -> None:
        if not 1 <= step <= len(self.steps):
            raise InspiredError(f"There is no step {step}; they go from 1 to {len(self.steps)}.")

    def _with(self, dialogue: Dialogue) -> "KnowledgeAnswer":
        answered = self.assistant.answered(dialogue, silent)
        return answer_of(self.assistant, dialogue.asked, self.asked.now(answered))

    def __str__(self) -> str:
        lines = [f"  {step.number}. {step.words} {_answers_of(step)}" for step in self.steps]
        return "\n".join([self.text, *lines])

    def _repr_html_(self) -> str:
        return HTML("answer", self.text, [(step.words, _answers_of(step), step.query) for step in self.steps], self._others())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return text_and_html(self)

    def _ipython_display_(self) -> None:
        show_with_buttons(self, self._buttons())

    def _buttons(self) -> list[NotebookButton]:
        """Another reading is shown in place of this one; `choose` gives it as a value."""
        taken = self.asked.taken
        offered = [*([] if taken is None else [(taken, self.readings[taken])]), *self._others()]
        return [NotebookButton(one.words, one.parse, partial(self.choose, number), number == taken) for number, one in offered]

    def _others(self) -> list[tuple[int, FormReading]]:
        return [(number, self.readings[number]) for number, _ in self.asked.others()][:READINGS_SHOWN]

    def __reduce__(self) -> Any:
        raise TypeError("An answer is not pickled. Use answer.dialogue.save(path) and inspired.load(path).")


def answer_of(assistant: Assistant, question: str, asked: AskedQuestion) -> KnowledgeAnswer:
    """What was asked and answered, as Python has it."""
    dialogue, reading = asked.dialogue, asked.reading
    final = dialogue.answers.final if dialogue.answers else None
    return KnowledgeAnswer(
        question=question,
        answers=final.answers if final else (),
        steps=tuple(_step(dialogue, number) for number in range(1, len(dialogue.current.steps) + 1)),
        parse=write_sparql(dialogue.form),
        readings=tuple(_reading(one) for one in asked.readings),
        confidence=reading.confidence if reading and reading.form == dialogue.form else None,
        unused=reading.unused if reading else (),
        asked=asked,
        assistant=assistant,
    )


def _reading(reading: QuestionReading) -> FormReading:
    words = " ".join(begin(reading.form, reading.names).in_words().questions)
    return FormReading(write_sparql(reading.form), words, reading.confidence)


def _answers_of(step: AnswerStep) -> str:
    return ", ".join(step.answers) or step.problem or "nothing"


def _step(dialogue: Dialogue, number: int) -> AnswerStep:
    answer = dialogue.answer_of(number)
    words, query = dialogue.asked_as(number), dialogue.step_text(number)
    return AnswerStep(number, words, query, answer.answers if answer else (), answer.problem if answer else None)
