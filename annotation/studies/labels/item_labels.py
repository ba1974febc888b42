"""The labels of each item out of the answers of its workers, and the items about which workers disagree."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from annotation.studies.figures.answered_fields import answered_fields, unswapped
from annotation.studies.figures.results import STANDING, AnswerFilter, each_result
from annotation.studies.labels.adjudication import LabelDecision, decided_parts, label_decisions, text_parts
from annotation.studies.labels.aggregation import LikelyLabel, dawid_skene, equal_pairs, majority
from annotation.studies.study import Study
from annotation.tasks.task_type import ItemPart, TaskResult

FieldVotes = Mapping[str, Mapping[str, Any]]  # item -> worker -> value


@dataclass(frozen=True)
class ItemLabel:
    """One field of one item. `majority` is None where two values have as many votes, `likely` where there are too few answers
    for an estimate, `equal` (the share of pairs of answers that agree) where only one worker answered; `decision` is the
    lead's, `decided` its value for this field."""

    key: str
    field: str
    answers: int
    equal: float | None
    majority: Any
    likely: LikelyLabel | None
    decided: Any
    decision: LabelDecision | None

    @property
    def label(self) -> Any:
        """The lead's decision, else the majority; None for a tie that nobody has decided."""
        return self.majority if self.decided is None else self.decided

    @property
    def tie(self) -> bool:
        """Whether two values have as many votes, and no other has more; a decision changes nothing about it."""
        return self.answers > 0 and self.majority is None


@dataclass(frozen=True)
class Disagreement:
    """An item that workers answered differently. `answers`: pseudonym -> field -> value; `differing`: the fields."""

    key: str
    parts: tuple[ItemPart, ...]
    answers: Mapping[str, Mapping[str, Any]]
    differing: tuple[str, ...]
    decision: LabelDecision | None


def item_labels(study: Study, choice: AnswerFilter = STANDING) -> list[ItemLabel]:
    """Of all fields that are chosen or rated, and of what a lead decided, texts among it; item by item.

    Empty where every worker answers every item under conditions of their own: such a study labels no items.
    """
    if not study.dealt:
        return []
    with study.database.reading() as connection:
        decisions = label_decisions(connection, study)
    votes = _votes(study, choice)
    likely = {field: dawid_skene(by_item) for field, by_item in votes.items()}
    rows = [_label(key, field, by_item[key], likely[field].get(key), decisions.get(key))
            for field, by_item in votes.items() for key in by_item]  # fmt: skip
    known = {(row.key, row.field) for row in rows}
    texts = _texts(study, choice) if decisions else {}
    rows += [
        _label(key, field, texts.get((key, field), {}), None, decision)
        for key, decision in decisions.items()
        for field in decision.labels
        if (key, field) not in known
    ]
    order = {key: n for n, key in enumerate(dict.fromkeys(row.key for row in rows))}
    return sorted(rows, key=lambda row: order[row.key])


def label_rows(study: Study, choice: AnswerFilter = STANDING) -> list[dict[str, Any]]:
    """As rows of an export."""
    return [
        {
            "id": each.key, "field": each.field, "label": each.label, "answers": each.answers, "equal_pairs": each.equal,
            "majority": each.majority, "tie": each.tie,
            "dawid_skene": each.likely.label if each.likely else None,
            "confidence": each.likely.confidence if each.likely else None,
            "decided": each.decided, **_who(each.decision if each.decided is not None else None, choice.names),
        }
        for each in item_labels(study, choice)
    ]  # fmt: skip


def disagreements(study: Study, texts: bool = False) -> list[Disagreement]:
    """Items of the work that two workers or more labelled differently, those without a decision first.

    `texts`: also those about which only the texts differ; where a lead has decided on one, it is listed in any case.
    """
    if not study.dealt:
        return []
    with study.database.reading() as connection:
        decisions = label_decisions(connection, study)
    listed = []
    # One answer differs from none, and taking a dialogue apart takes time.
    for key, answered in groupby(each_result(study, repeated=True), key=lambda result: result.key):
        each = _disagreement(study, list(answered), decisions.get(key))
        written = {part.name for part in text_parts(each.parts)}
        if (each.differing and (texts or each.decision)) or set(each.differing) - written:
            listed.append(each)
    return sorted(listed, key=lambda each: each.decision is not None)


def _disagreement(study: Study, answered: Sequence[TaskResult], decision: LabelDecision | None) -> Disagreement:
    """The answers to one item side by side, whether or not they differ."""
    answers = {}
    for result in answered:
        parts = study.task.parts(result.content, study.plan.task_settings, result.shown)
        asked = (part for part in decided_parts(parts) if part.name in result.answer)
        answers[result.worker] = {part.name: unswapped(part, result) for part in asked}
    first = answered[0]
    parts = study.task.parts(first.content, study.plan.task_settings, {})
    return Disagreement(first.key, parts, answers, tuple(_differing(answers)), decision)


def _votes(study: Study, choice: AnswerFilter) -> dict[str, FieldVotes]:
    votes: dict[str, dict[str, dict[str, Any]]] = {}
    for (field, level), rated in answered_fields(study, choice).rated.items():
        for key, worker, units in rated:
            if level != "interval" and field in units:  # a slider has no votes, and a marked passage has them by word
                votes.setdefault(field, {}).setdefault(key, {})[worker] = units[field]
    return dict(votes)


def _texts(study: Study, choice: AnswerFilter) -> dict[tuple[str, str], dict[str, Any]]:
    """What was written, by item and field and worker."""
    texts: dict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
    for result in each_result(study, choice):
        for part in text_parts(study.task.parts(result.content, study.plan.task_settings, result.shown)):
            if part.name in result.answer:
                texts[result.key, part.name][result.worker] = result.answer[part.name]
    return dict(texts)


def _label(
    key: str, field: str, votes: Mapping[str, Any], likely: LikelyLabel | None, decision: LabelDecision | None
) -> ItemLabel:  # fmt: skip
    decided = decision.labels.get(field) if decision else None
    return ItemLabel(key, field, len(votes), equal_pairs(votes), majority(votes), likely, decided, decision)


def _who(decision: LabelDecision | None, names: bool) -> dict[str, Any]:
    if decision is None:
        return {"decided_by": None, "decided_at": None, "note": None}
    who = decision.name if names else decision.pseudonym
    return {"decided_by": who, "decided_at": decision.decided.isoformat(), "note": decision.note}


def _differing(answers: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for field in dict.fromkeys(name for values in answers.values() for name in values):
        labels = [values[field] for values in answers.values() if field in values]
        if any(label != labels[0] for label in labels):
            yield field
