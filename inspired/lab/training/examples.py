"""Examples to learn from, out of INSPIRED, ComplexWebQuestions and generated files.

What is written down for a model is in `inspired.parsers.model_inputs`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from backend.errors import InspiredError, LogicalFormError
from backend.models.sequence_models.seam import TextPair
from inspired.lab.json_lines import LeftOut, Skip
from inspired.lab.training.contexts import USUAL, correction_input, subquestion_input
from inspired.lab.training.records import LearntSubQuestion, TrainingRecord, gold_form, read_records
from inspired.logical_form.forms import LogicalForm, triples
from inspired.logical_form.substitution import delexicalise
from inspired.parsers.model_inputs import question_source
from inspired.parsers.placeholders import Placeholders, asking_for_x, kinds_of, write_form


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


def read_examples(
    task: str,
    path: Path,
    limit: int | None = None,
    context: str | None = None,
    skip: Skip | None = None,
    names: Mapping[str, Mapping[str, str]] | None = None,
) -> Iterator[TrainingExample]:
    """The examples of the first `limit` records of a file; `task` is one of `TASKS`, `context` one of `CONTEXTS[task]`.

    `names`: see `read_records`. What cannot be used is handed to `skip`, a record as a whole or a step of it; without
    `skip`, raises InspiredError naming the record and the field.
    """
    for line, record in islice(read_records(path, skip, names), limit):
        try:
            made = list(TASKS[task](record, USUAL[task] if context is None else context))
        except LogicalFormError as error:
            if skip is None:
                raise InspiredError(f"{path}, record {record.id or '(without id)'}: {error.message}") from error
            skip(LeftOut(path, line, error.message, record.id))
            continue
        if skip is not None and task != "parser":
            _name_unworded(record, LeftOut(path, line, "", record.id), skip)
        yield from made


def parser_examples(record: TrainingRecord, context: str = "") -> Iterator[TrainingExample]:
    """Entities that the question does not name in these words are listed after it, as the paper assumes gold ones."""
    if not record.asked:
        raise LogicalFormError("question is empty.")
    form = asking_for_x(gold_form(record))
    kinds = kinds_of(form)
    names = {id_: name for id_, name in record.topic_entity.items() if id_ not in kinds and id_ in delexicalise(form)[1]}
    placeholders = Placeholders(names)
    source = question_source(record.asked, placeholders)
    pair = TextPair(source, write_form(form, placeholders))
    yield TrainingExample(record.id, pair, tuple(placeholders.ids), names, kinds, _predicates(form))


def correction_examples(record: TrainingRecord, context: str = USUAL["correction"]) -> Iterator[TrainingExample]:
    """One for each turn; the history is that of the right steps (section 5.1, h_q and h_lf)."""
    form = gold_form(record)
    ids = known_ids(record)
    history: list[tuple[str, str]] = []
    for question, sub_form in turns_of(record):
        if question.sub_question:
            placeholders = Placeholders(record.topic_entity)
            source = correction_input(question.sub_question, history, ids, placeholders, context)
            pair = TextPair(source, placeholders.in_form(sub_form, ids))
            yield TrainingExample(
                record.id, pair, tuple(placeholders.ids), record.topic_entity, kinds_of(form), _predicates(form)
            )
        history.append((question.sub_question or question.temp_sub_question, sub_form))


def subquestion_examples(record: TrainingRecord, context: str = USUAL["subquestion"]) -> Iterator[TrainingExample]:
    """One for each step that a person has worded (section 5.2: p, q^t, q_c and the history of q^t)."""
    ids = known_ids(record)
    earlier: list[tuple[str, str]] = []
    for question, form in turns_of(record):
        turn = (question.temp_sub_question, form)
        if question.sub_question:
            placeholders = Placeholders(record.topic_entity)
            source = subquestion_input(turn, record.asked, earlier, ids, placeholders, context)
            pair = TextPair(source, placeholders.in_text(question.sub_question))
            yield TrainingExample(record.id, pair, tuple(placeholders.ids), record.topic_entity)
        earlier.append(turn)


def known_ids(record: TrainingRecord) -> tuple[str, ...]:
    """What `#entity1#`, ... of the record's sub-logical forms stand for; empty where it gives no names of entities."""
    return delexicalise(gold_form(record))[1] if record.topic_entity else ()


def turns_of(record: TrainingRecord) -> list[tuple[LearntSubQuestion, str]]:
    """Each gold step as a question and as a compact form. Raises LogicalFormError where the two lists do not fit."""
    if len(record.gold_sub_qs) != len(record.gold_sub_lfs):
        raise LogicalFormError(
            f"gold_sub_qs has {len(record.gold_sub_qs)} entries, but gold_sub_lfs has {len(record.gold_sub_lfs)}."
        )
    if not record.gold_sub_lfs:
        raise LogicalFormError("gold_sub_lfs is empty; only a dialogue in INSPIRED format has steps to learn from.")
    return list(zip(record.gold_sub_qs, record.gold_sub_lfs, strict=True))


def _name_unworded(record: TrainingRecord, left: LeftOut, skip: Skip) -> None:
    steps = [str(number) for number, each in enumerate(record.gold_sub_qs, 1) if not each.sub_question]
    if steps:
        reason = f"sub_question of step {', '.join(steps)} is empty, so nothing is learnt from it."
        skip(LeftOut(left.path, left.line, reason, left.record, whole=len(steps) == len(record.gold_sub_qs)))


def _predicates(form: LogicalForm) -> frozenset[str]:
    return frozenset(each.predicate for each in triples(form))


TASKS: dict[str, Callable[..., Iterator[TrainingExample]]] = {
    "subquestion": subquestion_examples,
    "parser": parser_examples,
    "correction": correction_examples,
}
