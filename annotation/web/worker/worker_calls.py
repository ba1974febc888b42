"""What a worker's browser may call. Every one goes through the protocol, which looks up who calls and whether they may."""

from dataclasses import asdict
from typing import Any

from annotation.studies.callers import Caller
from annotation.studies.figures.progress import standing
from annotation.studies.people.rights import leave
from annotation.studies.picture_files import kept_picture
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.work.answer_warnings import warnings_for
from annotation.studies.work.answers import Receipt, comment, edit, flag, hand_in_turn, history, save_draft, submit
from annotation.studies.work.leases import Assignment, FieldDraft, next_item, renew_lease, skip
from annotation.studies.work.qualification import agree, draw_quiz, see_slide, submit_quiz
from annotation.tasks.task_type import ItemPart
from annotation.web.asked import Asked, Reply, answer, number, optional_seconds, text
from annotation.words.catalogue import translate

# Of a text that is compared with its source while it is typed: the time grows faster than the texts do.
LONGEST_CHECKED, MOST_ENTITIES = 5_000, 100


def where_i_stand(study: Study, caller: Caller, asked: Asked) -> Reply:
    now = standing(study, caller)
    opens = now.quiz_opens.isoformat() if now.quiz_opens else None
    return {**asdict(now), "phase": now.phase.value, "quiz_opens": opens}


def agree_to_it(study: Study, caller: Caller, asked: Asked) -> Reply:
    return {"phase": agree(study, caller).value}


def slide_seen(study: Study, caller: Caller, asked: Asked) -> Reply:
    return {"phase": see_slide(study, caller, number(asked, "slide")).value}


def quiz_questions(study: Study, caller: Caller, asked: Asked) -> Reply:
    return asdict(draw_quiz(study, caller))


def quiz_answers(study: Study, caller: Caller, asked: Asked) -> Reply:
    """`answers` maps the number of a question, as JSON has it a text, to the chosen option."""
    answers = {int(key): str(value) for key, value in answer(asked, "answers").items() if key.isdecimal() and len(key) < 5}
    result = submit_quiz(study, caller, number(asked, "attempt"), answers)
    explanations = {str(key): explanation for key, explanation in result.explanations.items()}
    return {**asdict(result), "again": result.again.isoformat() if result.again else None, "explanations": explanations}


def next_task(study: Study, caller: Caller, asked: Asked) -> Reply:
    return assignment_reply(next_item(study, caller))


def keep_longer(study: Study, caller: Caller, asked: Asked) -> Reply:
    return {"expires": renew_lease(study, caller, text(asked, "key"), optional_seconds(asked, "worked")).isoformat()}


def keep_draft(study: Study, caller: Caller, asked: Asked) -> Reply:
    """The draft that stands now: another tab may have saved a newer one, which then is left as it is."""
    key, field, version = text(asked, "key"), text(asked, "field"), number(asked, "version")
    worked = optional_seconds(asked, "worked")
    return draft_reply(save_draft(study, caller, key, field, asked.get("value", ""), version, worked))


def check_wording(study: Study, caller: Caller, asked: Asked) -> Reply:
    """What would be warned of in one text, while it is typed; `source` and `entities` are those of its part."""
    named = asked.get("entities")
    entities = tuple(str(each)[:200] for each in named[:MOST_ENTITIES]) if isinstance(named, list) else ()
    typed, source = text(asked, "value"), text(asked, "source")
    if max(len(typed), len(source)) > LONGEST_CHECKED:
        return {"warnings": []}
    part = ItemPart("write", "", text(asked, "field", "text"), source=source, entities=entities)
    warnings = warnings_for([part], {part.name: typed}, study.plan.file.warnings) if typed.strip() else ()
    return {"warnings": [vars(each) for each in warnings]}


def hand_in(study: Study, caller: Caller, asked: Asked) -> Reply:
    key, values, submission = text(asked, "key"), answer(asked), text(asked, "submission")
    insist, worked = asked.get("insist") is True, optional_seconds(asked, "worked")
    return receipt_reply(submit(study, caller, key, values, submission, insist, worked))


def hand_in_step(study: Study, caller: Caller, asked: Asked) -> Reply:
    """One turn of a task that is done turn by turn; the reply says at which one it is now, and whether more follow."""
    key, turn = text(asked, "key"), number(asked, "turn")
    insist, worked = asked.get("insist") is True, optional_seconds(asked, "worked")
    turns = hand_in_turn(study, caller, key, turn, answer(asked), insist, worked)
    return {"turn": turns.at, "more": turns.more}


def change(study: Study, caller: Caller, asked: Asked) -> Reply:
    key, values, submission = text(asked, "key"), answer(asked), text(asked, "submission")
    return receipt_reply(edit(study, caller, key, values, submission, asked.get("insist") is True))


def give_back(study: Study, caller: Caller, asked: Asked) -> Reply:
    skip(study, caller, text(asked, "key"), text(asked, "text"))
    return {"message": translate("Skipped. You do not get this one again.")}


def leave_study(study: Study, caller: Caller, asked: Asked) -> Reply:
    leave(study, caller, text(asked, "text"))
    return {"message": translate("You have left the study.")}


def report(study: Study, caller: Caller, asked: Asked) -> Reply:
    flag(study, caller, text(asked, "key"), text(asked, "text"))
    return {"message": translate("Flagged. The people who run the study see it; you can go on with the task or skip it.")}


def remark(study: Study, caller: Caller, asked: Asked) -> Reply:
    comment(study, caller, text(asked, "key"), text(asked, "text"))
    return {"message": translate("Your comment is kept.")}


def what_happened(study: Study, caller: Caller, asked: Asked) -> Reply:
    events = history(study, caller, text(asked, "key"))
    return {"history": [{**vars(each), "content": dict(each.content), "created": each.created.isoformat()} for each in events]}


def assignment_reply(assignment: Assignment) -> Reply:
    return {
        "key": assignment.key,
        "phase": assignment.phase.value,
        "parts": [asdict(part) for part in assignment.parts],
        "drafts": {name: draft_reply(draft) for name, draft in assignment.drafts.items()},
        "number": assignment.number,
        "of": assignment.of,
        "leased": assignment.leased.isoformat(),
        "expires": assignment.expires.isoformat(),
        "turn": assignment.turns.at,
        "more": assignment.turns.more,
        "handed_in": dict(assignment.turns.handed_in),
    }


def draft_reply(draft: FieldDraft) -> dict[str, Any]:
    return {"version": draft.version, "value": draft.value, "updated": draft.updated.isoformat()}


def picture(study: Study, caller: Caller, asked: Asked) -> Reply:
    """A picture of an item, by its digest, which is known only to people who were shown the item."""
    with study.database.reading() as connection:
        address = kept_picture(connection, study.id, text(asked, "digest"))
    if address is None:
        raise CallRefusedError(Reason.UNKNOWN, translate("This study has no such picture."))
    return {"address": address}


def receipt_reply(receipt: Receipt) -> Reply:
    return {**asdict(receipt), "warnings": [vars(each) for each in receipt.warnings]}
