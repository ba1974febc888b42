"""What the screens of studies call, and any other client may: a token and what is asked go in, JSON comes out.

Each is one quick HTTP request outside of Gradio's queue: POST /gradio_api/run/NAME with {"data": [token, asked]}. Nothing is
kept between calls but in the database. A reply has `ok`; if it is false, `reason` and `message` say what was refused.
"""

import logging
import secrets
from collections.abc import Callable
from typing import Any

import gradio as gr
from gradio.events import api

from annotation.studies.answer_warnings import Warned
from annotation.studies.callers import Caller
from annotation.studies.refusals import Refused
from annotation.studies.sessions import begin_session, end_session
from annotation.studies.shelf import Shelf
from annotation.studies.study import Study
from annotation.studies.workers import sign_in, sign_in_by_link
from annotation.ui import lead_calls, pages, worker_calls
from annotation.ui import sign_in as door
from annotation.ui.asked import Asked, Reply, mapping, text
from backend.errors import AnnotationError, ParleyError

log = logging.getLogger(__name__)

CALLS: dict[str, Callable[[Study, Caller, Asked], Reply]] = {
    "study_page": pages.page,
    "study_standing": worker_calls.where_i_stand,
    "study_agree": worker_calls.agree_to_it,
    "study_see_slide": worker_calls.slide_seen,
    "study_quiz": worker_calls.quiz_questions,
    "study_submit_quiz": worker_calls.quiz_answers,
    "study_next": worker_calls.next_task,
    "study_renew_lease": worker_calls.keep_longer,
    "study_save_draft": worker_calls.keep_draft,
    "study_check": worker_calls.check_wording,
    "study_submit": worker_calls.hand_in,
    "study_edit": worker_calls.change,
    "study_skip": worker_calls.give_back,
    "study_flag": worker_calls.report,
    "study_comment": worker_calls.remark,
    "study_history": worker_calls.what_happened,
    "study_review": lead_calls.decide,
    "study_decide_trial": lead_calls.decide_on_trial,
    "study_eliminate": lead_calls.end_part,
    "study_release": lead_calls.next_batch,
    "study_add_worker": lead_calls.let_in,
    "study_renew_credentials": lead_calls.let_in_again,
    "study_bonus": lead_calls.bonus,
    "study_mark_paid": lead_calls.tick_off,
    "study_export": lead_calls.file,
}


def place(shelf: Shelf) -> None:
    """Make the endpoints; called inside `gr.Blocks`."""
    api(_door(shelf), api_name="study_door", queue=False)
    api(_sign_in(shelf), api_name="study_sign_in", queue=False)
    api(_sign_out(shelf), api_name="study_sign_out", queue=False)
    for name, call in CALLS.items():
        api(_signed_in(shelf, call), api_name=name, queue=False)


def _door(shelf: Shelf) -> Callable[..., Reply]:
    def study_door() -> dict[str, Any]:
        return answered(lambda: door.door(shelf))

    return study_door


def _sign_in(shelf: Shelf) -> Callable[..., Reply]:
    def study_sign_in(asked: dict[str, Any], request: gr.Request) -> dict[str, Any]:
        return answered(lambda: let_in(shelf, mapping(asked), request.client.host if request.client else "unknown"))

    return study_sign_in


def _sign_out(shelf: Shelf) -> Callable[..., Reply]:
    def study_sign_out(token: str) -> dict[str, Any]:
        return answered(lambda: sign_out(shelf, token))

    return study_sign_out


def _signed_in(shelf: Shelf, call: Callable[[Study, Caller, Asked], Reply]) -> Callable[..., Reply]:
    def study_call(token: str, asked: dict[str, Any]) -> dict[str, Any]:
        return answered(lambda: call(*shelf.signed_in(token), mapping(asked)))

    return study_call


def let_in(shelf: Shelf, asked: Asked, address: str) -> Reply:
    """By `link`, or by `name` and `code`; `study` may be left out if there is one only."""
    names = shelf.names()
    name = text(asked, "study") or (names[0] if len(names) == 1 else "")
    if name not in names:
        raise AnnotationError(f"There is no study {name!r:.100} here." if name else "Choose the study that you take part in.")
    study = shelf.study(name)
    if link := text(asked, "link"):
        caller = sign_in_by_link(study, link, address)
    else:
        caller = sign_in(study, text(asked, "name"), text(asked, "code"), address)
    return {"token": begin_session(study, caller), "role": caller.role.value, "study": study.name}


def sign_out(shelf: Shelf, token: object) -> Reply:
    end_session(shelf.database, token)
    return {}


def answered(call: Callable[[], Reply]) -> Reply:
    """The reply with `ok`, or why there is none. What is no ParleyError is a defect: it is logged under a number."""
    try:
        return {"ok": True, **call()}
    except Refused as error:
        until = error.until.isoformat() if error.until else None
        found = [vars(each) for each in error.warnings] if isinstance(error, Warned) else []
        return {"ok": False, "reason": error.reason.value, "message": error.message, "until": until, "warnings": found}
    except ParleyError as error:
        return {"ok": False, "reason": "answer", "message": error.message, "until": None, "warnings": []}
    except Exception:
        reference = secrets.token_hex(3)
        log.exception("Defect %s in a call of a study", reference)
        told = f"Something went wrong inside Parley. Reference for the log: {reference}."
        return {"ok": False, "reason": "defect", "message": told, "until": None, "warnings": []}
