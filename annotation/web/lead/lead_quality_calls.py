"""What a lead's browser may call about the quality of work: taking answers back, holding a worker, letting one on."""

import json
from base64 import b64encode
from datetime import UTC, datetime

from annotation.studies.callers import Caller, Role
from annotation.studies.people.rights import data_of_person, erase_person
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.work.quality_rules import hold, let_on
from annotation.studies.work.taking_back import end_and_take_back, undo_taking_back
from annotation.web.asked import Asked, Reply, number, text
from annotation.words.catalogue import translate, translate_count

TICK = "worker-"  # what the name of a ticked box begins with


def end_and_take(study: Study, caller: Caller, asked: Asked) -> Reply:
    """`workers` as numbers, or a ticked box for each, as forms have them; `since` in ISO format, UTC if it has no zone."""
    boxes = [name.removeprefix(TICK) for name, ticked in asked.items() if name.startswith(TICK) and ticked]
    listed = asked.get("workers") or []
    workers = [number({"worker": each}, "worker") for each in [*boxes, *(listed if isinstance(listed, list) else [listed])]]
    moved = end_and_take_back(study, caller, workers, text(asked, "reason"), moment_of(text(asked, "since")))
    sums = {"answers": moved.answers, "workers": moved.workers}
    message = translate("{answers} answers of {workers} workers are taken back. Their items are open again.", **sums)
    return {"message": message, "answers": moved.answers}


def put_answers_back(study: Study, caller: Caller, asked: Asked) -> Reply:
    moved = undo_taking_back(study, caller, [number(asked, "worker")])
    return {
        "message": translate_count("1 answer is put back.", "{count} answers are put back.", moved.answers),
        "answers": moved.answers,
    }


def hold_worker(study: Study, caller: Caller, asked: Asked) -> Reply:
    hold(study, caller, number(asked, "worker"), text(asked, "reason"))
    return {"message": translate("They get no further task until you let them on.")}


def let_worker_on(study: Study, caller: Caller, asked: Asked) -> Reply:
    let_on(study, caller, number(asked, "worker"))
    return {"message": translate("They can go on.")}


def person_data(study: Study, caller: Caller, asked: Asked) -> Reply:
    worker = number(asked, "worker")
    content = json.dumps(data_of_person(study, caller, worker), ensure_ascii=False, indent=1).encode("utf-8", "replace")
    return {"file": {"name": f"{study.name}-person-{worker}.json", "base64": b64encode(content).decode()}}


def erase(study: Study, caller: Caller, asked: Asked) -> Reply:
    """`confirm` repeats what cannot be undone."""
    if text(asked, "confirm").strip().lower() != "erase" and caller.role is Role.LEAD:
        raise CallRefusedError(Reason.ANSWER, translate("This cannot be undone. Type erase to go on."))
    erase_person(study, caller, number(asked, "worker"))
    return {"message": translate("Erased. Figures stay; backups and archives from before still hold the rest.")}


def moment_of(written: str) -> datetime | None:
    """Raises Refused (ANSWER) if it is no time."""
    if not written.strip():
        return None
    try:
        moment = datetime.fromisoformat(written.strip())
    except ValueError as error:
        written = f"{written!r:.40}"
        message = translate("A time cannot be {written}; write 2026-01-31 or 2026-01-31T14:00.", written=written)
        raise CallRefusedError(Reason.ANSWER, message) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
