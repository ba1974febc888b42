"""The pages before a study: trying the example, and making a study of one's own from a template."""

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from annotation.studies.beginning.moved_items import to_attention, to_trial
from annotation.studies.beginning.study_drafts import Preview, StudyDraft, make, preview, template
from annotation.studies.callers import Role
from annotation.studies.item_files import ItemKind
from annotation.studies.people.sessions import begin_session
from annotation.studies.people.workers import enrol, sign_in_by_link
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.shelf import OpenStudies
from annotation.web.asked import Asked, Reply, answer, mapping, text
from annotation.web.forms import form_of
from annotation.web.forms.fields import ItemForm
from annotation.web.making.form import draw_form
from annotation.web.prose import button, buttons, page_macros
from annotation.words.catalogue import ENGLISH, LANGUAGES, in_browser, speaking, spoken, to_translate, translate
from backend.errors import AnnotationError

HTML = page_macros(__file__)
FIRST = "side_by_side"
NOT_HERE = to_translate(
    "Studies are made in the browser only on one's own computer; here, the person who runs the server makes them."
)
_LANGUAGE = re.compile(r'(?m)^language\s*=\s*"\w*"')
MOVES: dict[str, Callable[[StudyDraft, Asked], StudyDraft]] = {
    ItemKind.TRIAL.value: lambda draft, asked: to_trial(draft),
    ItemKind.ATTENTION.value: lambda draft, asked: to_attention(draft, answer(asked)),
}


def begin_here(shelf: OpenStudies) -> str:
    """What stands above the door where the example can be tried, or studies made."""
    return "" if shelf.sandbox is None else HTML("begin", shelf.home is not None)


def in_language(call: Callable[[OpenStudies, Asked], Reply]) -> Callable[[OpenStudies, Asked], Reply]:
    """Answer in the `language` that is asked for, which is that of the browser at first, or of the study that is made."""

    def spoken_call(shelf: OpenStudies, asked: Asked) -> Reply:
        language = text(asked, "language")
        with speaking(language if language in LANGUAGES else shelf.language()):
            return call(shelf, asked)

    return spoken_call


def try_it(shelf: OpenStudies, asked: Asked) -> Reply:
    if shelf.sandbox is None:
        raise CallRefusedError(Reason.ROLE, translate("There is no example to try here."))
    tried = shelf.sandbox.begin()
    return {"worker": tried.worker, "lead": tried.lead}


def making_page(shelf: OpenStudies, asked: Asked) -> Reply:
    """The form, filled in with a template."""
    _need_home(shelf)
    name = text(asked, "template", FIRST)
    draft = template(name)
    if spoken() != ENGLISH:  # else a template in another language stays what it is
        draft = replace(draft, toml=_LANGUAGE.sub(f'language = "{spoken()}"', draft.toml, count=1))
    pictures = {named: base64.b64encode(content).decode("ascii") for named, content in draft.pictures.items()}
    return {"html": str(HTML("making", draw_form(name, draft))), "pictures": pictures, **in_browser()}


def preview_page(shelf: OpenStudies, asked: Asked) -> Reply:
    """The first item as a worker will see it."""
    _need_home(shelf)
    shown = preview(_draft(asked))
    plan = shown.plan
    with speaking(plan.file.language):
        drawn = form_of(plan.file.task)(ItemForm(shown.parts, prefix="preview"))
    head = translate("{title}: the first of {count:,} items.", title=plan.file.title, count=shown.counts[ItemKind.WORK])
    return {
        "html": str(HTML("preview", head, drawn, _moves(shown), plan)),
        "pictures": {digest: each.data for digest, each in shown.pictures.items()},
        "message": translate(
            "All is right: {work:,} items, {trial:,} of the trial, {attention:,} for attention.",
            **{kind.value: shown.counts[kind] for kind in ItemKind},
        ),
    }


def _moves(shown: Preview) -> str:
    """What can be done with the item in sight, as long as another one is left."""
    if shown.counts[ItemKind.WORK] < 2:
        return ""
    trial = button(translate("Move it to the trial"), type="button", data_move=ItemKind.TRIAL.value)
    attention = button(
        translate("Make it an attention item with this answer"), type="button", data_move=ItemKind.ATTENTION.value
    )
    return buttons(trial, attention)


def move_it(shelf: OpenStudies, asked: Asked) -> Reply:
    """Move the first item `to` the trial, or with its `answer` to the attention items; the fields as they are then."""
    _need_home(shelf)
    to = text(asked, "to")
    if to not in MOVES:
        raise CallRefusedError(Reason.ANSWER, translate("An item is moved to {kinds}.", kinds=", ".join(MOVES)))
    draft = MOVES[to](_draft(asked), asked)
    preview(draft)  # a known answer that does not fit is refused before anything moves
    return {"fields": {"items": draft.items, "trial": draft.trial, "attention": draft.attention}, "ending": draft.ending}


def make_it(shelf: OpenStudies, asked: Asked) -> Reply:
    """Make the study, with a lead who is signed in at once; their code and link are shown once."""
    home = _need_home(shelf)
    study = make(shelf.database, home, text(asked, "name").strip(), _draft(asked), shelf.clock)
    lead = enrol(study, "Lead", Role.LEAD)
    token = begin_session(study, sign_in_by_link(study, lead.link, "here"))
    made = {"study": study.name, "name": lead.name, "role": lead.role.value, "code": lead.code, "link": lead.link}
    return {"token": token, "folder": str(home / study.name), **made}


def _draft(asked: Asked) -> StudyDraft:
    typed = {
        name: text(asked, name) for name in ("toml", "instructions", "items", "consent", "slides", "quiz", "trial", "attention")
    }
    return StudyDraft(**typed, ending=text(asked, "ending", ".jsonl"), pictures=_pictures(asked))


def _pictures(asked: Asked) -> dict[str, bytes]:
    """The files of pictures, which come as base64 by their names."""
    pictures = mapping(asked.get("pictures") or {})
    try:
        return {str(name): base64.b64decode(str(content), validate=True) for name, content in pictures.items()}
    except (binascii.Error, ValueError) as error:
        raise AnnotationError(translate("A picture comes as base64 by the name of its file.")) from error


def _need_home(shelf: OpenStudies) -> Path:
    if shelf.home is None:
        raise CallRefusedError(Reason.ROLE, translate(NOT_HERE))
    return shelf.home
