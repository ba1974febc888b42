"""What a trained model predicts for a record: sources for its task, and what its outputs come to.

Section 5.1: outputs that cannot be read, that use a predicate which was never seen, or that repeat the initial parser's
mistake are passed over.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from backend.errors import InspiredError, LogicalFormError
from backend.models.sequence_models.scripted import ScriptedSequenceModel
from backend.models.sequence_models.seam import BEAM, BeamSearch, GeneratedText, SequenceModel
from inspired.lab.json_lines import LeftOut, Skip
from inspired.lab.simulation.alignment import meaning
from inspired.lab.training.contexts import correction_input, subquestion_input
from inspired.lab.training.evaluation import read_sub_form
from inspired.lab.training.examples import known_ids, parser_examples, turns_of
from inspired.lab.training.records import TrainingRecord
from inspired.lab.training.turns import GoldTurn, dialogue_turns
from inspired.logical_form.forms import triples
from inspired.logical_form.sparql_writer import write_sparql
from inspired.logical_form.substitution import lexicalise
from inspired.parsers.placeholders import PLACEHOLDER, Placeholders
from inspired.parsers.sequence import Entities, Named, SequenceQuestionParser

Outputs = tuple[GeneratedText, ...]
_ID = {"parser": "ID", "correction": "id", "subquestion": "id"}


@dataclass(frozen=True)
class PredictionSetting:
    """How to predict. Without `linked` the entities are those of the gold query, as the paper assumes (section 5).

    `kinds` and `predicates` are those that the model was trained with, `names` those of the things of the graph.
    """

    task: str
    context: str
    kinds: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()
    linked: Entities | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    search: BeamSearch = BEAM


@dataclass(frozen=True)
class PreparedRecord:
    """The `sources` of a record, and what their outputs, equally many, come to as fields of a line."""

    id: str
    sources: tuple[str, ...]
    finish: Callable[[Sequence[Outputs]], dict[str, Any]]


def prepared_records(
    records: Iterator[tuple[LeftOut, TrainingRecord]], setting: PredictionSetting, skip: Skip | None
) -> Iterator[PreparedRecord]:
    """Each record as what the model is asked; what cannot be is handed to `skip`, or raised as InspiredError without."""
    for left, record in records:
        try:
            yield PREPARE[setting.task](record, setting)
        except LogicalFormError as error:
            reason = LeftOut(left.path, left.line, error.message, left.record)
            if skip is None:
                raise InspiredError(str(reason)) from error
            skip(reason)


def predicted(model: SequenceModel, prepared: Sequence[PreparedRecord], setting: PredictionSetting) -> Iterator[dict[str, Any]]:
    """A line for each record; all their sources are decoded together. Parsers write `ID`, as `simulate --parser` reads it."""
    sources = [source for each in prepared for source in each.sources]
    outputs = iter(model.generate(sources, setting.search.beams, setting.search) if sources else [])
    for each in prepared:
        yield {_ID[setting.task]: each.id, **each.finish([next(outputs) for _ in each.sources])}


def _prepare_question(record: TrainingRecord, setting: PredictionSetting) -> PreparedRecord:
    """`sparql` is null where no output is a query."""
    if not record.asked:
        raise LogicalFormError("question is empty.")
    if setting.linked is None:
        (example,) = parser_examples(record)
        named: Sequence[Named] = [Named(id_, name, name) for id_, name in example.names.items()]
    else:
        named = setting.linked(record.asked)
    # The parser as it is when a question is asked: it first leaves its source here, and then finds the outputs here.
    desk = ScriptedSequenceModel()
    parser = SequenceQuestionParser(desk, lambda _: named, setting.predicates, setting.names, setting.kinds, setting.search)

    def read() -> str | None:
        with suppress(InspiredError, LogicalFormError):
            return write_sparql(parser.parse(record.asked, 1)[0].form)
        return None

    read()
    (source,) = desk.sources

    def finish(outputs: Sequence[Outputs]) -> dict[str, Any]:
        desk.answers[source] = outputs[0]
        return {"question": record.asked, "sparql": read()}

    return PreparedRecord(record.id, (source,), finish)


def _prepare_corrections(record: TrainingRecord, setting: PredictionSetting) -> PreparedRecord:
    """`sub_lfs` has a compact form for each gold step, with the placeholders of the gold query; null where none fits."""
    dialogue = dialogue_turns(record)
    ids = known_ids(record) if setting.linked is None else dialogue.ids
    sources, numbered = [], []
    history: list[tuple[str, str]] = []
    for turn in dialogue.turns:
        placeholders, mentions = _entities_of_turn(record, turn, history, ids, setting)
        sources.append(correction_input(turn.feedback, history, ids, placeholders, setting.context, mentions))
        numbered.append(placeholders)
        history.append((turn.feedback, turn.compact))

    def finish(outputs: Sequence[Outputs]) -> dict[str, Any]:
        turns = zip(dialogue.turns, numbered, outputs, strict=True)
        return {"sub_lfs": [_chosen(turn, placeholders, each, dialogue.ids, setting) for turn, placeholders, each in turns]}

    return PreparedRecord(record.id, tuple(sources), finish)


def _entities_of_turn(
    record: TrainingRecord,
    turn: GoldTurn,
    history: Sequence[tuple[str, str]],
    ids: tuple[str, ...],
    setting: PredictionSetting,
) -> tuple[Placeholders, Mapping[str, str] | None]:
    if setting.linked is None:
        return Placeholders(record.topic_entity), None
    named = setting.linked(turn.feedback)
    numbers = {int(number) for _, form in history for number in PLACEHOLDER.findall(form)}
    before = [ids[number - 1] for number in sorted(numbers) if 0 < number <= len(ids)]
    known = {id_: setting.names[id_] for id_ in before if id_ in setting.names}
    return Placeholders({**{each.id: each.name for each in named}, **known}), {each.id: each.text for each in named}


def _chosen(
    turn: GoldTurn, placeholders: Placeholders, outputs: Outputs, ids: tuple[str, ...], setting: PredictionSetting
) -> str | None:
    """The first output that reads, keeps to known predicates and entities, and is not what was refused."""
    known = {each.lower() for each in setting.predicates}
    for each in outputs:
        text = _numbered_as_gold(each.text, placeholders, ids)
        try:
            form = lexicalise(read_sub_form(text), ids) if text else None
        except LogicalFormError:
            continue
        if form is None or not all(triple.predicate.lower() in known for triple in triples(form)):
            continue
        if turn.kind == "keep" or meaning(form) != turn.refused:
            return text
    return None


def _numbered_as_gold(text: str, placeholders: Placeholders, ids: tuple[str, ...]) -> str:
    """The text with the placeholders of the gold query, and ids of entities that it lacks; "" for a number too high."""
    numbers = {int(number) for number in PLACEHOLDER.findall(text)}
    if not numbers <= set(range(1, len(placeholders.ids) + 1)):
        return ""
    return PLACEHOLDER.sub(lambda match: _written(placeholders.ids[int(match[1]) - 1], ids), text)


def _written(id_: str, ids: tuple[str, ...]) -> str:
    if id_ in ids:
        return f"#entity{ids.index(id_) + 1}#"
    return id_ if id_.startswith("#") else f"<{id_}>" if "://" in id_ else f"ns:{id_}"


def _prepare_sub_questions(record: TrainingRecord, setting: PredictionSetting) -> PreparedRecord:
    """`sub_questions` has one for each gold step, with the names of entities; empty where the model has none."""
    ids = known_ids(record)
    sources, numbered = [], []
    earlier: list[tuple[str, str]] = []
    for question, form in turns_of(record):
        turn, placeholders = (question.temp_sub_question, form), Placeholders(record.topic_entity)
        sources.append(subquestion_input(turn, record.asked, earlier, ids, placeholders, setting.context))
        numbered.append(placeholders)
        earlier.append(turn)

    def finish(outputs: Sequence[Outputs]) -> dict[str, Any]:
        texts = [each[0].text if each else "" for each in outputs]
        return {"sub_questions": [each.restored(text) for each, text in zip(numbered, texts, strict=True)]}

    return PreparedRecord(record.id, tuple(sources), finish)


PREPARE: dict[str, Callable[[TrainingRecord, PredictionSetting], PreparedRecord]] = {
    "parser": _prepare_question,
    "correction": _prepare_corrections,
    "subquestion": _prepare_sub_questions,
}
