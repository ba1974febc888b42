"""`inspired.ask` and what else is called from Python: a query taken apart, a kept dialogue, many questions at once."""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend.errors import InspiredError
from backend.jobs import ReportProgress
from backend.storage.memory_rows import as_dataset, rows_of
from backend.text.progress_bars import progress_bar
from backend.text.words import why_unreadable
from inspired.dialogue.interface.knowledge_answer import KnowledgeAnswer, answer_of
from inspired.dialogue.readings import AskedQuestion
from inspired.dialogue.records import read_record
from inspired.dialogue.session import Assistant, assistant_for, silent

if TYPE_CHECKING:
    import pandas as pd

ROW = ("answers", "parse", "confidence", "steps", "problem")


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
        return answer_of(assistant, question, assistant.ask(question, report))


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
    return answer_of(assistant, "", assistant.start(sparql, names or {}, "", silent))


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
        raise InspiredError(f"Cannot read {path}: {why_unreadable(error)}.") from error
    assistant = _assistant(kb, None)
    return answer_of(assistant, dialogue.asked, AskedQuestion(assistant.answered(dialogue, silent)))


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
