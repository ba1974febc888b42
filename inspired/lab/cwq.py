"""ComplexWebQuestions files, and what `python -m inspired decompose` makes of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

from pydantic import BaseModel, ConfigDict, Field

from backend.errors import LogicalFormError
from inspired.decomposition.decompose import decompose, question_type
from inspired.decomposition.modifications import delexicalised_steps
from inspired.decomposition.steps import compose
from inspired.lab.json_lines import read_lines
from inspired.logical_form.sparql_reader import read_sparql
from inspired.logical_form.sparql_writer import write_compact, write_sparql
from inspired.sub_questions.templates import Corpus
from inspired.sub_questions.verbalise import verbalise


class CwqRecord(BaseModel):
    """The fields of a record that splitting it needs; a file may hold more."""

    # Files of the data set have further fields, and not the same ones in each release.
    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = Field(alias="ID", min_length=1)
    sparql: str
    question: str = ""
    topic_entity: dict[str, str] = Field(default_factory=dict)


class Decomposed(TypedDict):
    """One line of the output; after an error only `ID` and `error` say something."""

    ID: str
    type: str | None
    compact: str | None
    sub_lfs: list[str]
    templated: list[str]
    predicates: list[list[str]]
    recomposed: str | None
    error: str | None


def read_records(path: Path) -> Iterator[CwqRecord]:
    """The records of a JSON Lines file, gzipped if its name ends in `.gz`.

    Raises InspiredError naming the file and the line that cannot be used.
    """
    return read_lines(path, CwqRecord, "Needed are ID and sparql.")


def decomposed(record: CwqRecord, corpus: Corpus | None = None) -> Decomposed:
    """The steps of one record, in logical form and in words, or the reason why there are none."""
    try:
        form = read_sparql(record.sparql)
        steps = decompose(form)
        questions = verbalise(steps, record.topic_entity, corpus).questions
    except LogicalFormError as error:
        return _failed(record.id, error.message)
    return Decomposed(
        ID=record.id,
        type=question_type(steps),
        compact=write_compact(form),
        sub_lfs=[step.compact() for step in delexicalised_steps(steps)],
        templated=list(questions),
        predicates=[list(step.predicates) for step in steps.steps],
        recomposed=write_sparql(compose(steps)),
        error=None,
    )


def _failed(id_: str, message: str) -> Decomposed:
    return Decomposed(ID=id_, type=None, compact=None, sub_lfs=[], templated=[], predicates=[], recomposed=None, error=message)
