"""`inspired.ask`: a question to a knowledge base from Python, its answer with the steps to it, and their correction."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend.errors import InspiredError
from backend.jobs import ReportProgress
from backend.storage.memory_rows import as_dataset, rows_of
from backend.text.notebook_buttons import NotebookButton, show_with_buttons, text_and_html
from backend.text.progress_bars import progress_bar
from backend.text.templates import Macros
from inspired.dialogue.dialogue import Dialogue, begin, delete_step
from inspired.dialogue.readings import AskedQuestion
from inspired.dialogue.records import InspiredRecord, read_record, write_record
from inspired.dialogue.session import Assistant, assistant_for, silent
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
        unused: Words of the question that the query does not explain.
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
        return self._with(meant[choice].dialogue)

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
        return _answer(self.assistant, self.asked.dialogue.asked, self.assistant.take(self.asked, reading, silent))

    def _understood(self, step: int, words: str) -> Sequence[Any]:
        self._check(step)
        return self.assistant.understood(self.asked.dialogue, step, False, words, silent)

    def _check(self, step: int) -> None:
        if not 1 <= step <= len(self.steps):
            raise InspiredError(f"There is no step {step}; they go from 1 to {len(self.steps)}.")

    def _with(self, dialogue: Dialogue) -> "KnowledgeAnswer":
        answered = self.assistant.answered(dialogue, silent)
        return _answer(self.assistant, dialogue.asked, self.asked.now(answered))

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


def ask(question: str, kb: str | Path | None = None, *, wording: str | None = None, progress: bool = False) -> KnowledgeAnswer:
    """Ask a knowledge base a question in plain language.

    Args:
        question: Such as "Which rivers flow through countries that border Austria?".
        kb: An RDF file, a folder made by `parley kb load-kb`, or the address of a SPARQL endpoint. None is the graph of the
            world that comes with Parley.
        wording: A model that words the steps, in place of templates.
        progress: Show how far it is.

    Returns:
        The answers, with the steps that lead to them.

    Raises:
        InspiredError: The question is not understood.
        KnowledgeBaseError: There is no such knowledge base, or it cannot be read.

    Source:
        INSPIRED (Mo et al.), figure 1, sections 3.3 and 5.2, A.2 for the words of the steps.
    """
    assistant = _assistant(kb, wording)
    with _Shown(progress) as report:
        return _answer(assistant, question, assistant.ask(question, report))


async def ask_async(question: str, kb: str | Path | None = None, *, wording: str | None = None) -> KnowledgeAnswer:
    """Ask a knowledge base as `ask` does, without holding up other tasks of an event loop.

    Args:
        question: Such as "Which rivers flow through countries that border Austria?".
        kb: As in `ask`.
        wording: A model that words the steps, in place of templates.

    Returns:
        The answer, as of `ask`.

    Raises:
        InspiredError: The question is not understood.
        KnowledgeBaseError: There is no such knowledge base, or it cannot be read.

    Source:
        INSPIRED (Mo et al.), figure 1.
    """
    return await asyncio.to_thread(ask, question, kb, wording=wording)


def decompose(sparql: str, names: dict[str, str] | None = None, kb: str | Path | None = None) -> KnowledgeAnswer:
    """Take a SPARQL query apart into steps, and answer each.

    Args:
        sparql: A query of SPARQL 1.1.
        names: What entities are called, by their ids; others are looked up in the knowledge base.
        kb: As in `ask`.

    Returns:
        The answer, with a step for each sub-logical form.

    Raises:
        LogicalFormError: The query cannot be read or taken apart; the message names line and column.
        KnowledgeBaseError: There is no such knowledge base, or it cannot be read.

    Source:
        INSPIRED (Mo et al.), section 3.1 and A.1.
    """
    assistant = _assistant(kb, None)
    return _answer(assistant, "", assistant.start(sparql, names or {}, "", silent))


def load(path: str | Path, kb: str | Path | None = None) -> KnowledgeAnswer:
    """Open an INSPIRED record again and answer its steps.

    Args:
        path: A file that `dialogue.save` wrote, or a record of the paper's data set.
        kb: As in `ask`.

    Returns:
        The answer, as it stood at the end of the dialogue.

    Raises:
        InspiredError: The file cannot be read, or holds no record.
        KnowledgeBaseError: There is no such knowledge base, or it cannot be read.
    """
    try:
        dialogue = read_record(Path(path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InspiredError(f"Cannot read {path}: {error}.") from error
    assistant = _assistant(kb, None)
    return _answer(assistant, dialogue.asked, AskedQuestion(assistant.answered(dialogue, silent)))


def run(rows: Any, kb: str | Path | None = None, *, progress: bool = True) -> "pd.DataFrame":
    """Ask many questions.

    Args:
        rows: n texts, or rows with a `question`: mappings, a DataFrame (n, columns), a `datasets.Dataset` (n, columns).
        kb: As in `ask`.
        progress: Show a bar, a step for each question.

    Returns:
        A DataFrame (n, 6) in the order of `rows`: question, answers, parse, confidence (0 to 1), steps, problem. A question
        that is not understood has a `problem` and no answers.

    Raises:
        InspiredError: A row has no question.
        KnowledgeBaseError: There is no such knowledge base, or it cannot be read.

    Source:
        INSPIRED (Mo et al.), section 5.3, where a parser answers many questions.
    """
    import pandas as pd

    questions = _questions(rows)
    shown = progress_bar(questions, unit=" questions", disable=None if progress else True)
    return pd.DataFrame([_row(question, kb) for question in shown], columns=["question", *ROW])


def to_dataset(answers: Iterable[KnowledgeAnswer]) -> Any:
    """Give INSPIRED records as a data set of the library `datasets`, which has to be installed.

    Args:
        answers: n answers.

    Returns:
        A `datasets.Dataset` (n, fields), one row a dialogue, with the fields of the paper's data set.

    Raises:
        SettingsError: The library is not installed.
    """
    return as_dataset([answer.result for answer in answers])


ROW = ("answers", "parse", "confidence", "steps", "problem")


def _questions(rows: Any) -> list[str]:
    if isinstance(rows, Sequence) and not isinstance(rows, str) and all(isinstance(row, str) for row in rows):
        return list(rows)
    read = rows_of(rows, InspiredError)
    for number, row in enumerate(read, 1):
        if not isinstance(row.get("question"), str):
            raise InspiredError(f"Row {number} has no question; its fields are {', '.join(row)}.")
    return [row["question"] for row in read]


def _row(question: str, kb: str | Path | None) -> dict[str, Any]:
    try:
        answer = ask(question, kb)
    except InspiredError as error:
        return {"question": question, "answers": [], "problem": error.message}
    steps = [step.words for step in answer.steps]
    return {"question": question, "answers": list(answer.answers), "parse": answer.parse,
            "confidence": answer.confidence, "steps": steps, "problem": None if answer.answers else answer.text}  # fmt: skip


def _assistant(kb: str | Path | None, wording: str | None) -> Assistant:
    return assistant_for(None if kb is None else str(kb), wording)


def _answer(assistant: Assistant, question: str, asked: AskedQuestion) -> KnowledgeAnswer:
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
    )  # fmt: skip


def _reading(reading: QuestionReading) -> FormReading:
    words = " ".join(begin(reading.form, reading.names).in_words().questions)
    return FormReading(write_sparql(reading.form), words, reading.confidence)


def _answers_of(step: AnswerStep) -> str:
    return ", ".join(step.answers) or step.problem or "nothing"


def _step(dialogue: Dialogue, number: int) -> AnswerStep:
    answer = dialogue.answer_of(number)
    words, query = dialogue.asked_as(number), dialogue.step_text(number)
    return AnswerStep(number, words, query, answer.answers if answer else (), answer.problem if answer else None)


class _Shown:
    """A bar of tqdm for one question, if one is wanted."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted

    def __enter__(self) -> ReportProgress:
        if not self._wanted:
            return silent
        self._bar = progress_bar(total=100, unit="%", leave=False)
        return self._report

    def _report(self, fraction: float, message: str) -> None:
        self._bar.set_description(message)
        self._bar.update(round(100 * fraction) - self._bar.n)

    def __exit__(self, *error: object) -> None:
        if self._wanted:
            self._bar.close()
