"""What happened in a study, latest first, for a lead who looks; the whole log is one of the exports."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select

from annotation.studies.callers import Caller, lead_calling
from annotation.studies.study import Study
from annotation.studies.tables import study_events, study_items, study_workers


@dataclass(frozen=True)
class Logged:
    """One event: `actor` did `kind` to the work of `worker` (names), on the item `key` if there is one."""

    number: int
    kind: str
    actor: str
    worker: str
    key: str | None
    content: Any
    created: datetime


def latest_events(
    study: Study, lead: Caller, worker: int | None = None, before: int | None = None, limit: int = 100
) -> tuple[Logged, ...]:
    """Those of one worker if `worker` is given; those older than number `before` to turn the page."""
    events, actor = study_events, study_workers.alias("actor")
    query = select(events, study_items.c.key, actor.c.name.label("by"), study_workers.c.name.label("of"))
    query = query.join(actor, actor.c.id == events.c.actor).join(study_workers, study_workers.c.id == events.c.worker)
    query = query.outerjoin(study_items, study_items.c.id == events.c.item).where(events.c.study == study.id)
    if worker is not None:
        query = query.where(events.c.worker == worker)
    if before is not None:
        query = query.where(events.c.id < before)
    with study.database.reading() as connection:
        lead_calling(connection, study, lead)
        rows = connection.execute(query.order_by(events.c.id.desc()).limit(limit)).all()
    return tuple(Logged(row.id, row.kind, row.by, row.of, row.key, row.content, row.created) for row in rows)
