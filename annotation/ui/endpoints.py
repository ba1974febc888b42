"""What the screens of studies call, and any other client may: a token and what is asked go in, JSON comes out.

Each is one quick HTTP request outside of Gradio's queue: POST /gradio_api/run/NAME with {"data": [token, asked]}. Nothing is
kept between calls but in the database. A reply has `ok`; if it is false, `reason` and `message` say what was refused.
"""

import logging
from collections.abc import Callable
from typing import Any

import gradio as gr
from gradio.events import api

from annotation.studies.callers import Caller
from annotation.studies.people.recruited import sign_in_recruited
from annotation.studies.people.sessions import begin_session, end_session
from annotation.studies.people.workers import sign_in, sign_in_by_link
from annotation.studies.refusals import CallRefusedError
from annotation.studies.shelf import OpenStudies
from annotation.studies.study import Study
from annotation.studies.work.answer_warnings import Warned
from annotation.ui import hugging_face
from annotation.web import pages
from annotation.web import sign_in as door
from annotation.web.asked import Asked, Reply, mapping, text
from annotation.web.lead import lead_answers, lead_calls, lead_items, lead_labels, lead_people, lead_quality_calls
from annotation.web.making import pages as making
from annotation.web.worker import worker_calls
from annotation.words.catalogue import speaking
from backend.errors import DatabaseError, ParleyError, defect_message
from backend.network.shares.spending import SPENDING
from backend.text.storable import whole
from backend.ui import address_of_call

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
    "study_hand_in_turn": worker_calls.hand_in_step,
    "study_submit": worker_calls.hand_in,
    "study_edit": worker_calls.change,
    "study_skip": worker_calls.give_back,
    "study_flag": worker_calls.report,
    "study_comment": worker_calls.remark,
    "study_picture": worker_calls.picture,
    "study_history": worker_calls.what_happened,
    "study_review": lead_calls.decide,
    "study_take_back": lead_calls.undo,
    "study_review_many": lead_answers.decide_many,
    "study_undo_review": lead_answers.undo_many,
    "study_decide_trial": lead_calls.decide_on_trial,
    "study_eliminate": lead_calls.end_part,
    "study_release": lead_calls.next_batch,
    "study_add_worker": lead_calls.let_in,
    "study_add_people": lead_calls.let_many_in,
    "study_renew_credentials": lead_calls.let_in_again,
    "study_bonus": lead_calls.bonus,
    "study_mark_paid": lead_calls.tick_off,
    "study_pay_tasks": lead_calls.tick_off_tasks,
    "study_export": lead_calls.file,
    "study_approvals": lead_people.approvals_file,
    "study_fill_batch": lead_people.filled_batch,
    "study_readmit": lead_calls.begin_again,
    "study_withdraw": lead_calls.take_out,
    "study_put_back": lead_calls.bring_back,
    "study_add_items": lead_items.add,
    "study_take_back_answers": lead_quality_calls.end_and_take,
    "study_put_answers_back": lead_quality_calls.put_answers_back,
    "study_decide_labels": lead_labels.decide,
    "study_reopen_labels": lead_labels.reopen,
    "study_leave": worker_calls.leave_study,
    "study_person_data": lead_quality_calls.person_data,
    "study_erase": lead_quality_calls.erase,
    "study_hold": lead_quality_calls.hold_worker,
    "study_let_on": lead_quality_calls.let_worker_on,
    "study_account": lead_calls.account,
}


# What needs nobody who is signed in; each looks whether it is offered here.
BEFORE_A_STUDY: dict[str, Callable[[OpenStudies, Asked], Reply]] = {
    "study_try": making.in_language(making.try_it),
    "study_making": making.in_language(making.making_page),
    "study_preview": making.in_language(making.preview_page),
    "study_move_item": making.in_language(making.move_it),
    "study_make": making.in_language(making.make_it),
}
# Any client may call them by name, but they are in no list of endpoints: they need a token, are of use to nobody without a
# study, and as MCP tools would invite a language model to do what a study asks of people.
UNLISTED: dict[str, Any] = {"queue": False, "api_visibility": "undocumented"}


def place(shelf: OpenStudies, suffix: str = "") -> None:
    """Make the endpoints; called inside `gr.Blocks`. `suffix` ends their names where a page has several studies."""
    api(_door(shelf), api_name=f"study_door{suffix}", **UNLISTED)
    api(_sign_in(shelf), api_name=f"study_sign_in{suffix}", **UNLISTED)
    if hugging_face.offered():
        hugging_face.place()
        api(_sign_in_hugging_face(shelf), api_name=f"study_sign_in_hugging_face{suffix}", **UNLISTED)
    api(_sign_out(shelf), api_name=f"study_sign_out{suffix}", **UNLISTED)
    for name, first in BEFORE_A_STUDY.items():
        api(_before(shelf, first), api_name=f"{name}{suffix}", **UNLISTED)
    for name, call in CALLS.items():
        api(_signed_in(shelf, call), api_name=f"{name}{suffix}", **UNLISTED)


def _before(shelf: OpenStudies, call: Callable[[OpenStudies, Asked], Reply]) -> Callable[..., Reply]:
    def study_before(asked: dict[str, Any]) -> dict[str, Any]:
        return answered(lambda: call(shelf, mapping(asked)))

    return study_before


def _door(shelf: OpenStudies) -> Callable[..., Reply]:
    def study_door() -> dict[str, Any]:
        return answered(lambda: _spoken(shelf.language(), lambda: door.door(shelf, hugging_face.offered())))

    return study_door


def _sign_in(shelf: OpenStudies) -> Callable[..., Reply]:
    def study_sign_in(asked: dict[str, Any], request: gr.Request) -> dict[str, Any]:
        address = request.client.host if request.client else "unknown"
        return answered(lambda: _for_asked(shelf, asked, lambda: let_in(shelf, mapping(asked), address)))

    return study_sign_in


def _sign_in_hugging_face(shelf: OpenStudies) -> Callable[..., Reply]:
    # Gradio fills in the profile from the session of the request; what a client sends cannot take its place.
    def study_sign_in_hugging_face(
        asked: dict[str, Any], profile: gr.OAuthProfile | None, request: gr.Request
    ) -> dict[str, Any]:
        return answered(lambda: _for_asked(shelf, asked, lambda: hugging_face.let_in(shelf, mapping(asked), profile, request)))

    return study_sign_in_hugging_face


def _sign_out(shelf: OpenStudies) -> Callable[..., Reply]:
    def study_sign_out(token: str, request: gr.Request) -> dict[str, Any]:
        hugging_face.forget(request)
        return answered(lambda: sign_out(shelf, token))

    return study_sign_out


def _signed_in(shelf: OpenStudies, call: Callable[[Study, Caller, Asked], Reply]) -> Callable[..., Reply]:
    def study_call(token: str, asked: dict[str, Any]) -> dict[str, Any]:
        return answered(lambda: _spoken(shelf.language(), lambda: _for_caller(shelf, token, call, asked)))

    return study_call


def _spoken(language: str, call: Callable[[], Reply]) -> Reply:
    with speaking(language):
        return call()


def _for_asked(shelf: OpenStudies, asked: Any, call: Callable[[], Reply]) -> Reply:
    """At the door, in the language of the study that is named there."""
    return _spoken(shelf.language(text(mapping(asked), "study")), call)


def _for_caller(shelf: OpenStudies, token: str, call: Callable[[Study, Caller, Asked], Reply], asked: Any) -> Reply:
    """Everybody is answered in the language of the study."""
    study, caller = shelf.signed_in(token)
    return _spoken(study.plan.file.language, lambda: call(study, caller, mapping(asked)))


def let_in(shelf: OpenStudies, asked: Asked, address: str) -> Reply:
    """By `link`, by an id of a platform (`id_name`, `id`), or by `name` and `code`; one `study` alone may be left out."""
    study = shelf.named(text(asked, "study"))
    if link := text(asked, "link"):
        caller = sign_in_by_link(study, link, address)
    elif id_name := text(asked, "id_name"):
        caller = sign_in_recruited(study, id_name, text(asked, "id"))
    else:
        caller = sign_in(study, text(asked, "name"), text(asked, "code"), address, shelf.attempts)
    return {"token": begin_session(study, caller), "role": caller.role.value, "study": study.name}


def sign_out(shelf: OpenStudies, token: object) -> Reply:
    end_session(shelf.database, token)
    return {}


def answered(call: Callable[[], Reply]) -> Reply:
    """The reply with `ok`, or why there is none. What is no ParleyError is a defect: it is logged under a number."""
    try:
        with SPENDING.metered(address_of_call()):
            # What was stored before texts were made whole on their way in must not break a page now.
            return {"ok": True, **whole(call())}
    except CallRefusedError as error:
        until = error.until.isoformat() if error.until else None
        warnings = [vars(each) for each in error.warnings] if isinstance(error, Warned) else []
        return {"ok": False, "reason": error.reason.value, "message": error.shown, "until": until, "warnings": warnings}
    except DatabaseError as error:
        # For the people at the screen it is as if the server were out of reach: what they typed stays there and is tried again.
        log.error("A call of a study failed: %s", error.message)
        message = "the server cannot reach or write its database at the moment."
        return {"ok": False, "reason": "connection", "message": message, "until": None, "warnings": []}
    except ParleyError as error:
        return {"ok": False, "reason": "answer", "message": error.shown, "until": None, "warnings": []}
    except Exception as error:
        message = defect_message(error, "a call of a study")
        return {"ok": False, "reason": "defect", "message": message, "until": None, "warnings": []}
