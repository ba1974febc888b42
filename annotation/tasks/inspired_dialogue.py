"""A dialogue about a complex question, worded by the worker in the role of the agent (INSPIRED, section 3, appendix A.4).

The worker says whether the question is sensible and rephrases it now, or at the end if it was not; rephrases each templated
sub-question of the predicted query in the light of its answer; rephrases what the corrections that make the predicted
query the gold one put in; and may leave a remark. The corrections are formed from the two queries, never typed. Turn by
turn, as in the paper: what comes next is shown when the words for one step are handed in.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, model_validator

from annotation.tasks.task_type import STORED, ItemPart, Items, Level, Stop, TaskResult, Values, known_passed
from annotation.words.catalogue import to_translate, translate
from backend.errors import LogicalFormError
from inspired.decomposition.correction_operations import Operation, diff
from inspired.decomposition.decompose import decompose
from inspired.decomposition.steps import Decomposition, Step
from inspired.dialogue.dialogue import Dialogue
from inspired.dialogue.records import InspiredRecord, SubQuestion, write_record
from inspired.logical_form.forms import Entity, walk
from inspired.logical_form.sparql_reader import read_query
from inspired.sub_questions.verbalise import verbalise

YES, NO = to_translate("yes"), to_translate("no")
DIRECTOR, USER, AGENT = "director", "user", "agent"
UNANSWERED = to_translate("(no answer)")
# What ComplexWebQuestions and INSPIRED records hold beside what a dialogue needs.
OF_OTHERS = frozenset({
    "compositionality_type", "machine_question", "webqsp_ID", "webqsp_question", "answer", "answers", "created",
    "composition_answer", "rephrased_question", "rephrased_question_label", "preprocessed_gold_parse", "gold_sub_lfs",
    "pred_sub_lfs", "gold_sub_qs", "pred_sub_qs", "feedback",
})  # fmt: skip
NAMES_OF_OTHERS = {"cwq_question": "question", "sparql": "gold", "gold_parse": "gold", "predicted_parse": "predicted",
                   "topic_entity": "names"}  # fmt: skip

StepAnswers = tuple[tuple[str, ...], ...]


class DialogueItem(BaseModel):
    """A question with its gold and its predicted query (SPARQL; the gold one again if none is given).

    `names` are those of entities, by id. Answers are those to each step, in the order of the steps, as names.
    Records of ComplexWebQuestions and of INSPIRED are read too: their own names for these fields count.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(min_length=1)
    gold: str = Field(min_length=1)
    predicted: str = Field(min_length=1)
    names: dict[str, str] = Field(default_factory=dict)
    gold_answers: StepAnswers = ()
    predicted_answers: StepAnswers = ()
    final_answer: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _from_records(cls, fields: Any) -> Any:
        if not isinstance(fields, Mapping):
            return fields
        row = {name: value for name, value in fields.items() if name not in OF_OTHERS}
        for theirs, ours in NAMES_OF_OTHERS.items():
            if theirs in row:
                row.setdefault(ours, row.pop(theirs))
                row.pop(theirs, None)
        row.setdefault("predicted", row.get("gold"))
        for side, ours in (("gold_sub_qs", "gold_answers"), ("pred_sub_qs", "predicted_answers")):
            if side in fields:
                row.setdefault(ours, [_names(each.get("answer")) for each in fields[side]])
        for theirs in ("answer", "answers"):  # ComplexWebQuestions calls it so
            if fields.get(theirs):
                row.setdefault("final_answer", fields[theirs])
        if "final_answer" in row:
            row["final_answer"] = _names(row["final_answer"])
        return row

    @model_validator(mode="after")
    def _can_be_split(self, info: ValidationInfo) -> Self:
        if info.context == STORED:
            return self
        for name, query in (("gold", self.gold), ("predicted", self.predicted)):
            try:
                steps = _steps(query).steps
            except LogicalFormError as error:
                raise ValueError(f"{name} is no query that can be split: {error.message}") from error
            if not steps:
                raise ValueError(f"{name} has no triples, so there is nothing to ask step by step")
        return self


class DialogueSettings(BaseModel):
    """`knowledge_base`: where answers to steps come from if items bring none; "embedded" is the graph of Parley itself.

    `turn_by_turn`: whether each step is shown when the one before is handed in; else all stand on one form.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    knowledge_base: str = ""
    turn_by_turn: bool = True


@dataclass(frozen=True)
class Script:
    """What both queries come to: steps and templated sub-questions of each, and the corrections between them."""

    predicted: Decomposition
    gold: Decomposition
    predicted_questions: tuple[str, ...]
    gold_questions: tuple[str, ...]
    corrections: tuple[Operation[Step], ...]


class InspiredDialogue:
    title = "INSPIRED dialogue"
    content = DialogueItem
    settings = DialogueSettings
    level: Level = "nominal"

    @property
    def files(self) -> dict[str, Any]:
        return {"inspired.jsonl": records_jsonl}

    def prepare(self, items: Items, settings: DialogueSettings, seed: int) -> Items:
        """With the answers of the knowledge base where an item brings none. Raises KnowledgeBaseError if it is not there."""
        if not settings.knowledge_base:
            return items
        return _answered(items, settings.knowledge_base)

    def order(self, items: Items, settings: DialogueSettings, index: int, seed: int) -> tuple[Stop, ...] | None:
        return None

    def parts(self, content: DialogueItem, settings: DialogueSettings, shown: Values) -> tuple[ItemPart, ...]:
        parts = _parts(content)
        return tuple(_in_turns(parts) if settings.turn_by_turn else parts)

    def rated_parts(self, content: DialogueItem, settings: DialogueSettings, shown: Values) -> tuple[ItemPart, ...]:
        """Of `parts` those that are chosen, for which no query is read."""
        return (_sensible(),)

    def check(self, content: DialogueItem, settings: DialogueSettings, answer: Values) -> None:
        pass

    def attention_passed(self, answer: Values, known: Values) -> bool:
        return known_passed(answer, known)

    def units(self, result: TaskResult) -> Mapping[str, Any]:
        return {"sensible": result.answer["sensible"]}

    def rows(self, results: Sequence[TaskResult], settings: DialogueSettings) -> list[dict[str, Any]]:
        """INSPIRED records; where several workers did a dialogue, their pseudonyms are part of the ids."""
        return list(_records(results))


def _records(results: Sequence[TaskResult]) -> Iterator[dict[str, Any]]:
    answers = Counter(result.key for result in results)
    for result in results:
        id_ = f"{result.key}-{result.worker}" if answers[result.key] > 1 else result.key
        yield inspired_record(result, id_).model_dump()


def records_jsonl(results: Sequence[TaskResult], settings: DialogueSettings) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in _records(results))


def script(content: DialogueItem) -> Script:
    """Raises LogicalFormError if a query cannot be read."""
    predicted, gold = _steps(content.predicted), _steps(content.gold)
    return Script(
        predicted,
        gold,
        verbalise(predicted, content.names).questions,
        verbalise(gold, content.names).questions,
        diff(predicted.steps, gold.steps),
    )


def inspired_record(result: TaskResult, id_: str) -> InspiredRecord:
    """One dialogue in the format of the data set. `feedback`: the corrections in the worker's words, then the remark."""
    content, answer, acted = result.content, result.answer, script(result.content)
    record = write_record(Dialogue(acted.predicted, acted.gold, content.names, content.question), id_)
    replacement = answer["sensible"] == NO
    rephrased = str(answer["rephrased_question"] if "rephrased_question" in answer else answer["rephrased_at_the_end"])
    worded = gold_wordings(acted, answer)
    remark = [str(answer["feedback"])] if answer.get("feedback") else []
    return record.model_copy(update={
        "rephrased_question": rephrased,
        "rephrased_question_label": "Replacement" if replacement else "Alternative",
        "question": rephrased if replacement else content.question,
        "final_answer": list(_final_answer(content)),
        "pred_sub_qs": _sub_questions(_predicted_wordings(acted, answer), acted.predicted_questions, content.predicted_answers),
        "gold_sub_qs": _sub_questions(worded, acted.gold_questions, content.gold_answers),
        "feedback": [*_corrections_in_words(acted, worded), *remark],
    })  # fmt: skip


def gold_wordings(script: Script, answer: Values) -> list[str]:
    """The worker's words for each gold step: those of the predicted step that was kept, or those written for it."""
    words: list[str] = []
    kept = iter(_predicted_wordings(script, answer))
    for operation in script.corrections:
        before = next(kept) if operation.kind != "insert" else ""
        if operation.kind == "keep":
            words.append(before)
        elif operation.kind != "delete":
            words.append(str(answer[f"gold_{len(words) + 1}"]))
    return words


def _predicted_wordings(script: Script, answer: Values) -> list[str]:
    return [str(answer[f"predicted_{number}"]) for number in range(1, len(script.predicted.steps) + 1)]


@lru_cache(maxsize=4096)
def _steps(query: str) -> Decomposition:
    return decompose(read_query(query))


def _names(answer: Any) -> list[str]:
    if answer is None:
        return []
    return [str(each) for each in answer] if isinstance(answer, list | tuple) else [str(answer)]


def _parts(content: DialogueItem) -> Iterator[ItemPart]:
    acted = script(content)
    yield ItemPart("show", content.question, speaker=USER)
    yield _sensible()
    names = tuple(dict.fromkeys(content.names.values()))
    again = ItemPart("write", translate("Ask the same in other words."), "rephrased_question", DIRECTOR, when=("sensible", YES),
                 source=content.question, entities=_named(names, content.question))  # fmt: skip
    yield again
    for number, (step, template) in enumerate(zip(acted.predicted.steps, acted.predicted_questions, strict=True), 1):
        yield from _worded(f"predicted_{number}", step, template, content.predicted_answers, number, content.names)
    yield from _corrections(content, acted)
    yield ItemPart("show", translate("Final answer: {answer}", answer=_listed(_final_answer(content))), speaker=AGENT)
    at_the_end = translate("Now that it is clear: ask the question in other words.")
    yield ItemPart("write", at_the_end, "rephrased_at_the_end", DIRECTOR,
               when=("sensible", NO), source=content.question, entities=again.entities)  # fmt: skip
    yield ItemPart("write", translate("Was anything odd about this dialogue?"), "feedback", DIRECTOR, required=False)


def _sensible() -> ItemPart:
    question = translate("Do you understand what is asked, and could somebody really ask it?")
    return ItemPart("choose", question, "sensible", DIRECTOR, options=(YES, NO), labels=(translate(YES), translate(NO)))


def _in_turns(parts: Iterator[ItemPart]) -> Iterator[ItemPart]:
    """A turn ends with what the agent says: about the whole question, then about one step each."""
    turn = 1
    for part in parts:
        yield replace(part, turn=turn)
        turn += part.name.startswith(("rephrased_question", "predicted_", "gold_"))


def _corrections(content: DialogueItem, acted: Script) -> Iterator[ItemPart]:
    old = new = 0
    if all(operation.kind == "keep" for operation in acted.corrections):
        yield ItemPart("show", translate("These steps are right."), speaker=USER)
        return
    for operation in acted.corrections:
        old += operation.kind != "insert"
        new += operation.kind != "delete"
        if operation.kind == "delete":
            yield ItemPart("show", translate("Leave out step {number}.", number=old), speaker=USER)
        elif operation.kind != "keep" and operation.new is not None:
            template = acted.gold_questions[new - 1]
            yield ItemPart("show", _where(operation.kind == "replace", old), speaker=USER)
            yield from _worded(f"gold_{new}", operation.new, template, content.gold_answers, new, content.names)


def _where(replaced: bool, old: int) -> str:
    if replaced:
        return translate("In place of step {number}, ask something else:", number=old)
    if old:
        return translate("After step {number}, ask something else:", number=old)
    return translate("First, ask something else:")


def _worded(
    name: str, step: Step, template: str, answers: StepAnswers, number: int, names: Mapping[str, str]
) -> Iterator[ItemPart]:
    listed = _listed(answers[number - 1]) if number <= len(answers) else translate(UNANSWERED)
    kept = [names[each.id] for each in walk(step.patterns) if isinstance(each, Entity) and each.id in names]
    yield ItemPart("show", template, speaker=DIRECTOR)
    yield ItemPart("show", listed, speaker=AGENT)
    yield ItemPart("write", translate("Ask this in your own words."), name, DIRECTOR, source=template,
               entities=_named(tuple(dict.fromkeys(kept)), template))  # fmt: skip


def _named(names: Sequence[str], text: str) -> tuple[str, ...]:
    """The names that stand in a text: only those can be missed in another wording of it."""
    return tuple(name for name in names if name.casefold() in text.casefold())


def _listed(answers: Sequence[str]) -> str:
    return ", ".join(answers) or translate(UNANSWERED)


def _final_answer(content: DialogueItem) -> tuple[str, ...]:
    return content.final_answer or (content.gold_answers[-1] if content.gold_answers else ())


def _sub_questions(words: Sequence[str], templates: Sequence[str], answers: StepAnswers) -> list[SubQuestion]:
    return [
        SubQuestion(
            sub_id=number,
            sub_question=text,
            temp_sub_question=template,
            answer=list(answers[number - 1]) if number <= len(answers) else None,
        )
        for number, (text, template) in enumerate(zip(words, templates, strict=True), 1)
    ]


def _corrections_in_words(acted: Script, worded: Sequence[str]) -> list[str]:
    """Each correction as a sentence, with the words in which the worker asks for what it puts in."""
    lines, old, new = [], 0, 0
    for operation in acted.corrections:
        old += operation.kind != "insert"
        new += operation.kind != "delete"
        if operation.kind == "delete":
            lines.append(f"Delete step {old}.")
        elif operation.kind == "replace":
            lines.append(f"Replace step {old}: {worded[new - 1]}")
        elif operation.kind == "insert":
            lines.append(f"Insert after step {old}: {worded[new - 1]}")
    return lines


def _answered(items: Items, where: str) -> Items:
    from inspired.dialogue.intermediate_answers import step_answers
    from inspired.knowledge_base.engine import open_knowledge_base

    kb = open_knowledge_base(None if where == "embedded" else where)

    def answers(query: str, names: Mapping[str, str]) -> StepAnswers:
        return tuple(tuple(each.name for each in step.answers) for step in step_answers(_steps(query), kb, names))

    step = []
    try:
        for key, content in items:
            update = {
                "gold_answers": content.gold_answers or answers(content.gold, content.names),
                "predicted_answers": content.predicted_answers or answers(content.predicted, content.names),
            }
            step.append((key, content.model_copy(update=update)))
    finally:
        kb.close()
    return step
