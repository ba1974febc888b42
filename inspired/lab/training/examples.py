"""Examples to learn from, out of INSPIRED, ComplexWebQuestions and generated files.

What is written down for a model is in `inspired.parsers.model_inputs`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from backend.errors import InspiredError, LogicalFormError
from backend.models.sequence_models.seam import TextPair
from inspired.lab.json_lines import read_lines
from inspired.logical_form.forms import LogicalForm, triples
from inspired.logical_form.sparql_reader import read_sparql
from inspired.logical_form.substitution import delexicalise
from inspired.parsers.model_inputs import correction_source, question_source, subquestion_source
from inspired.parsers.placeholders import Placeholders, asking_for_x, kinds_of, write_form

_NEEDED = "Needed are question and sparql (or gold_parse); of dialogues also gold_sub_lfs and gold_sub_qs."


@dataclass(frozen=True)
class TrainingExample:
    """`record` is the id of its dialogue; `ids` are what the placeholders of `pair` stand for, `kinds` as `kinds_of`.

    `predicates` are those of the record's query, in the spelling of the knowledge base.
    """

    record: str
    pair: TextPair
    ids: tuple[str, ...]
    names: Mapping[str, str]
    kinds: frozenset[str] = frozenset()
    predicates: frozenset[str] = frozenset()


class _SubQuestion(BaseModel):
    model_config = ConfigDict(extra="ignore")

    sub_question: str = ""
    temp_sub_question: str = ""


class TrainingRecord(BaseModel):
    """What the tasks need of a record of any of the three kinds of files."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    id: str = Field(default="", validation_alias=AliasChoices("id", "ID"))
    question: str = ""
    cwq_question: str = ""
    sparql: str = Field(default="", validation_alias=AliasChoices("sparql", "gold_parse"))
    gold_sub_lfs: list[str] = Field(default_factory=list)
    gold_sub_qs: list[_SubQuestion] = Field(default_factory=list)
    topic_entity: dict[str, str] = Field(default_factory=dict)

    @property
    def asked(self) -> str:
        return self.question or self.cwq_question


def read_examples(task: str, path: Path, limit: int | None = None) -> Iterator[TrainingExample]:
    """The examples of the first `limit` records of a file; `task` is one of `TASKS`.

    Raises InspiredError naming the record and the field that cannot be used.
    """
    for record in islice(read_lines(path, TrainingRecord, _NEEDED), limit):
        try:
            yield from TASKS[task](record)
        except LogicalFormError as error:
            raise InspiredError(f"{path}, record {record.id or '(without id)'}: {error.message}") from error


def parser_examples(record: TrainingRecord) -> Iterator[TrainingExample]:
    """Entities that the question does not name in these words are listed after it, as the paper assumes gold ones."""
    if not record.asked:
        raise LogicalFormError("question is empty.")
    form = asking_for_x(_form(record))
    kinds = kinds_of(form)
    names = {id_: name for id_, name in record.topic_entity.items() if id_ not in kinds and id_ in delexicalise(form)[1]}
    placeholders = Placeholders(names)
    source = question_source(record.asked, placeholders)
    pair = TextPair(source, write_form(form, placeholders))
    yield TrainingExample(record.id, pair, tuple(placeholders.ids), names, kinds, _predicates(form))


def correction_examples(record: TrainingRecord) -> Iterator[TrainingExample]:
    """One for each turn; the history is that of the right steps (section 5.1, h_q and h_lf)."""
    form = _form(record)
    ids = delexicalise(form)[1] if record.topic_entity else ()
    history: list[tuple[str, str]] = []
    for question, sub_form in _turns(record):
        if question.sub_question:
            placeholders = Placeholders(record.topic_entity)
            source = correction_source(question.sub_question, history, ids, placeholders)
            pair = TextPair(source, placeholders.in_form(sub_form, ids))
            yield TrainingExample(
                record.id, pair, tuple(placeholders.ids), record.topic_entity, kinds_of(form), _predicates(form)
            )
        history.append((question.sub_question or question.temp_sub_question, sub_form))


def subquestion_examples(record: TrainingRecord) -> Iterator[TrainingExample]:
    """One for each step that a person has worded (section 5.2: p, q^t, q_c and the history of q^t)."""
    ids = delexicalise(_form(record))[1] if record.topic_entity else ()
    earlier: list[str] = []
    for question, form in _turns(record):
        if question.sub_question:
            placeholders = Placeholders(record.topic_entity)
            source = subquestion_source(form, ids, question.temp_sub_question, record.asked, earlier, placeholders)
            pair = TextPair(source, placeholders.in_text(question.sub_question))
            yield TrainingExample(record.id, pair, tuple(placeholders.ids), record.topic_entity)
        earlier.append(question.temp_sub_question)


def _form(record: TrainingRecord) -> LogicalForm:
    if not record.sparql:
        raise LogicalFormError("sparql (or gold_parse) is empty.")
    return read_sparql(record.sparql)


def _predicates(form: LogicalForm) -> frozenset[str]:
    return frozenset(each.predicate for each in triples(form))


def _turns(record: TrainingRecord) -> list[tuple[_SubQuestion, str]]:
    if len(record.gold_sub_qs) != len(record.gold_sub_lfs):
        raise LogicalFormError(
            f"gold_sub_qs has {len(record.gold_sub_qs)} entries, but gold_sub_lfs has {len(record.gold_sub_lfs)}."
        )
    if not record.gold_sub_lfs:
        raise LogicalFormError("gold_sub_lfs is empty; only a dialogue in INSPIRED format has steps to learn from.")
    return list(zip(record.gold_sub_qs, record.gold_sub_lfs, strict=True))


TASKS = {"subquestion": subquestion_examples, "parser": parser_examples, "correction": correction_examples}
