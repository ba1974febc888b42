"""A worker's submitted answers: shown again with the leads' feedback, and edited."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select

from annotation.studies.callers import Caller, Phase, worker_calling
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_drafts, study_items
from annotation.studies.work.grading import LeadVerdict
from annotation.studies.work.leases import SUBMITTED, FieldDraft
from annotation.tasks.task_type import ItemPart


@dataclass(frozen=True)
class OwnAnswer:
    """An answer before the worker who gave it. `drafts`: what was changed in it and not handed in again.

    `editable` as `annotation.studies.work.answers.edit` has it. `final` is what a lead put in place of `answer`.
    """

    key: str
    phase: Phase
    parts: tuple[ItemPart, ...]
    answer: Mapping[str, Any]
    final: Mapping[str, Any] | None
    verdict: LeadVerdict
    feedback: str
    submitted: datetime
    editable: bool
    drafts: Mapping[str, FieldDraft]


def own_answers(study: Study, caller: Caller, key: str | None = None, limit: int = 100) -> tuple[OwnAnswer, ...]:
    """The caller's answers, latest first; only that to the item `key` if it is given. Raises Refused as the protocol does."""
    table = study_assignments
    query = select(table, study_items.c.key, study_items.c.content).join(study_items, study_items.c.id == table.c.item)
    with study.database.reading() as connection:
        row = worker_calling(connection, study, caller)
        query = query.where(table.c.worker == row.id, table.c.state == SUBMITTED)
        if key is not None:
            query = query.where(study_items.c.key == key)
        rows = connection.execute(query.order_by(table.c.submitted.desc(), table.c.id.desc()).limit(limit)).all()
        drafts: dict[int, dict[str, FieldDraft]] = {}
        for each in connection.execute(select(study_drafts).where(study_drafts.c.worker == row.id)):
            drafts.setdefault(each.item, {})[each.field] = FieldDraft(each.version, each.value, each.updated)
    return tuple(
        OwnAnswer(
            each.key, Phase(each.phase), study.parts(each.content, each.shown), each.answer, each.final,
            LeadVerdict(each.verdict), each.feedback, each.submitted, _editable(each, row.phase), drafts.get(each.item, {}),
        )
        for each in rows
    )  # fmt: skip


def _editable(answer: Any, phase: str) -> bool:
    graded_trial = answer.phase == Phase.TRIAL and (phase != Phase.TRIAL or bool(answer.verdict))
    return not graded_trial and answer.verdict != LeadVerdict.REJECTED
