"""Records to learn from and to predict for, read with patience: INSPIRED, ComplexWebQuestions and generated files.

Released files leave fields out, hold null, write keys in other letters or the gold query under another key. Nothing of
that matters here. What does matter and is wrong is named with its line, and either ends the reading or is left out.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from backend.errors import InspiredError, LogicalFormError
from inspired.lab.json_lines import LeftOut, Skip, read_numbered
from inspired.logical_form.forms import LogicalForm
from inspired.logical_form.sparql_reader import read_query

NEEDED = "Needed are question and sparql (or gold_parse); of dialogues also gold_sub_lfs and gold_sub_qs."
# The keys under which the files of the two data sets hold the gold query; the first that says something counts.
_QUERIES = ("sparql", "gold_parse")
# The same without the ids of entities: only for files that have nothing else.
_COMPACT_QUERY = "preprocessed_gold_parse"

_Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
_Texts = Annotated[list[str], BeforeValidator(lambda value: [] if value is None else value)]
_Names = Annotated[dict[str, str], BeforeValidator(lambda value: {} if value is None else value)]


def _plain_keys(value: Any) -> Any:
    """Keys in lower case with `_` for `-` and spaces; of several that become one, the first that says something."""
    if not isinstance(value, dict):
        return value
    plain: dict[str, Any] = {}
    for key, each in value.items():
        name = str(key).strip().lower().replace("-", "_").replace(" ", "_")
        if plain.get(name) in (None, "", [], {}):
            plain[name] = each
    return plain


class LearntSubQuestion(BaseModel):
    """A step as a question; `sub_question` is empty where no person has worded it."""

    model_config = ConfigDict(extra="ignore")

    sub_question: _Text = ""
    temp_sub_question: _Text = ""

    @model_validator(mode="before")
    @classmethod
    def _any_spelling(cls, value: Any) -> Any:
        return {"sub_question": value} if isinstance(value, str) else _plain_keys(value)


_Parts = Annotated[list[LearntSubQuestion], BeforeValidator(lambda value: [] if value is None else value)]


class TrainingRecord(BaseModel):
    """What the tasks need of a record of any of the three kinds of files. `predicted_parse` is the initial parser's."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    id: _Text = ""
    question: _Text = ""
    cwq_question: _Text = ""
    rephrased_question: _Text = ""
    rephrased_question_label: _Text = ""
    sparql: _Text = ""
    predicted_parse: _Text = ""
    gold_sub_lfs: _Texts = Field(default_factory=list)
    pred_sub_lfs: _Texts = Field(default_factory=list)
    gold_sub_qs: _Parts = Field(default_factory=list)
    topic_entity: _Names = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _any_spelling(cls, value: Any) -> Any:
        plain = _plain_keys(value)
        if not isinstance(plain, dict):
            return plain
        keys = _QUERIES if any(each in plain for each in _QUERIES) else (_COMPACT_QUERY,)
        return plain | {"sparql": next((plain[each] for each in keys if plain.get(each)), "")}

    @property
    def asked(self) -> str:
        """`question`; else, as it is made, the rephrased one if that replaces the first, and the first if not."""
        replaced = self.rephrased_question_label.strip().lower() == "replacement"
        rephrased = self.rephrased_question if replaced or not self.cwq_question else ""
        return self.question or rephrased or self.cwq_question


def read_records(
    path: Path, skip: Skip | None = None, names: Mapping[str, Mapping[str, str]] | None = None
) -> Iterator[tuple[int, TrainingRecord]]:
    """Each record with its line, from 1; `names` are those of entities by the id of a record, where it has none itself.

    A line that cannot be used is handed to `skip`. Raises InspiredError naming it where there is no `skip`.
    """
    for line, record in read_numbered(path, TrainingRecord, NEEDED, skip):
        more = {} if names is None or record.topic_entity else {"topic_entity": dict(names.get(record.id, {}))}
        yield line, record.model_copy(update=more) if more else record


def read_identified(
    path: Path,
    skip: Skip | None = None,
    names: Mapping[str, Mapping[str, str]] | None = None,
    limit: int | None = None,
) -> Iterator[tuple[LeftOut, TrainingRecord]]:
    """The first `limit` records, each with an id of its own, else its line, and where it stands, without a reason yet.

    A second record of the same id is handed to `skip`. Raises InspiredError as `read_records` does, and for such a record
    where there is no `skip`.
    """
    known: set[str] = set()
    for line, record in islice(read_records(path, skip, names), limit):
        id_ = record.id or str(line)
        if id_ not in known:
            known.add(id_)
            yield LeftOut(path, line, "", id_), record.model_copy(update={"id": id_})
            continue
        second = LeftOut(path, line, "another record has the same id.", id_)
        if skip is None:
            raise InspiredError(str(second))
        skip(second)


def read_names(path: Path, skip: Skip | None = None) -> dict[str, dict[str, str]]:
    """Names of entities by the id of their record, out of a file with `ID` and `topic_entity`, as ComplexWebQuestions has.

    The released dialogues have ids of entities, but no names. Raises InspiredError as `read_records` does.
    """
    return {record.id: record.topic_entity for _, record in read_records(path, skip) if record.topic_entity}


def gold_form(record: TrainingRecord) -> LogicalForm:
    """The gold query. Raises LogicalFormError where it is empty or cannot be read."""
    if not record.sparql:
        raise LogicalFormError("sparql (or gold_parse) is empty.")
    return read_parse(record.sparql)


def read_parse(text: str) -> LogicalForm:
    """A query in SPARQL or in the compact form. Raises LogicalFormError if it is neither."""
    return read_query(text)


def predicted_form(record: TrainingRecord) -> LogicalForm | None:
    """What the initial parser made of the question; None if nothing that is a query."""
    try:
        return read_parse(record.predicted_parse) if record.predicted_parse.strip() else None
    except LogicalFormError:
        return None
