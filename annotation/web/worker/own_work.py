"""A worker's own answers: the leads' feedback, their history, editing them; and what was earned."""

import re
from collections.abc import Sequence

from markupsafe import Markup

from annotation.studies.callers import Caller, Phase
from annotation.studies.figures.progress import WorkerStanding, standing
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.work.answers import Happening, history
from annotation.studies.work.bonuses import earnings
from annotation.studies.work.grading import LeadVerdict, feedback_to
from annotation.studies.work.own_work import OwnAnswer, own_answers
from annotation.web.asked import Asked, text
from annotation.web.forms import form_of
from annotation.web.forms.answers_read import answer_html
from annotation.web.forms.fields import ItemForm
from annotation.web.frames import guidelines, worker_frame
from annotation.web.prose import (
    bold,
    button,
    call_form,
    card,
    data,
    fold,
    history_fold,
    joined,
    link,
    moment,
    money,
    page_macros,
    quiet,
    section,
    table,
    text_field,
    typed,
)
from annotation.web.worker.worker import keys, messages, saving_bar
from annotation.words.catalogue import to_translate, translate, translate_count
from backend.text.html_pieces import paragraph
from backend.text.words import shortened

HTML = page_macros(__file__)
VERDICTS = {
    LeadVerdict.NONE: to_translate("not looked at yet"),
    LeadVerdict.ACCEPTED: to_translate("accepted"),
    LeadVerdict.EDITED: to_translate("accepted with an edit"),
    LeadVerdict.REJECTED: to_translate("rejected"),
}
# Kinds of events of an item or a worker, whose names its history shows: listed so that each catalogue has to have them.
HAPPENED = (
    to_translate("given"),
    to_translate("submitted"),
    to_translate("edited"),
    to_translate("turn"),
    to_translate("skipped"),
    to_translate("flagged"),
    to_translate("commented"),
    to_translate("reviewed"),
    to_translate("verdict taken back"),
    to_translate("answers taken back"),
    to_translate("answers put back"),
    to_translate("withdrawn"),
    to_translate("put back"),
    to_translate("erased"),
)
LONGEST_BEGINNING = 100
FOR_QUALIFICATION = to_translate("tutorial and quiz")


def mine(study: Study, caller: Caller, asked: Asked) -> Markup:
    stands = standing(study, caller)
    if stands.phase is Phase.ELIMINATED:
        shown = joined(_feedback_html(each.key, each.verdict, each.text) for each in feedback_to(study, caller))
    else:
        answers = own_answers(study, caller)
        shown = joined(_own(each, text) for each, text in zip(answers, beginnings(answers), strict=True))
    none = quiet(translate("You have handed in nothing yet."))
    return worker_frame(study, stands, "mine", joined([messages(study, caller), shown or none, _way_out(stands)]))


def _way_out(stands: WorkerStanding) -> str:
    """Leaving the study, with everything that was handed in."""
    if stands.phase in (Phase.CONSENT, Phase.ELIMINATED):
        return ""
    inside = text_field("text", translate("Why? (may stay empty)")) + button(
        translate("Leave the study and withdraw my answers"), "danger", type="submit"
    )
    return fold(translate("Leave the study"), HTML("withdraw", call_form("study_leave", {}, inside, {"page": "work"})))


def edit_one(study: Study, caller: Caller, asked: Asked) -> Markup:
    """The form with what was handed in, or with what was changed in it since. Raises Refused if it cannot be edited."""
    answers = own_answers(study, caller, text(asked, "key"))
    if not answers or not answers[0].editable:
        raise CallRefusedError(
            Reason.DECIDED, translate("This answer cannot be edited: it is not yours, or it has been decided on.")
        )
    own = answers[0]
    values = {**own.answer, **{name: draft.value for name, draft in own.drafts.items()}}
    versions = {name: draft.version for name, draft in own.drafts.items()}
    drawn = form_of(study.plan.file.task)(ItemForm(own.parts, values, versions))
    bar = saving_bar(
        link(translate("Cancel"), "mine", "study-button secondary"),
        button(translate("Hand in the edit"), "primary", type="submit"),
    )
    form = HTML("edit_form", own.key, data("owner", f"{study.name}/{caller.worker}"), drawn, bar)
    return worker_frame(study, standing(study, caller), "mine", joined([form, guidelines(study), keys()]))


def earned(study: Study, caller: Caller, asked: Asked) -> Markup:
    own = earnings(study, caller)[0]
    paid = f"{_tasks(own.tasks_paid)}: {money(own.paid_for_tasks, own.currency)}" if own.tasks_paid else ""
    rows = [[_tasks(own.tasks), money(own.for_tasks, own.currency), "", paid]]
    rows += [
        [_reason(each.reason), money(each.hundredths, own.currency), moment(each.created), moment(each.paid)]
        for each in own.bonuses
    ]
    shown = table((translate("For"), translate("Amount"), translate("Noted"), translate("Paid")), rows)
    amounts = {"total": money(own.total, own.currency), "due": money(own.due, own.currency)}
    total = paragraph(bold(translate("Together: {total}, of which {due} are not paid yet.", **amounts)))
    main = section(translate("What you have earned"), shown, total)
    return worker_frame(study, standing(study, caller), "earned", main)


def item_history(study: Study, caller: Caller, asked: Asked) -> Markup:
    """Everything that happened to an item, for a fold; a worker sees their own part of it."""
    events = history(study, caller, text(asked, "key"))
    lines = [(each.created, _happened(each), content_html(each.content)) for each in events]
    return HTML("events", lines) if lines else quiet(translate("Nothing happened yet."))


def _happened(event: Happening) -> str:
    """What was done, and by whom."""
    return translate("{what} by {who}", what=bold(translate(event.kind)), who=event.actor)


def _tasks(count: int) -> str:
    return translate_count("1 task", "{count} tasks", count)


def _reason(reason: str) -> str:
    """What a bonus was given for: known reasons in words, those of leads as they wrote them."""
    if reason == FOR_QUALIFICATION:
        return translate(reason)
    if numbered := re.fullmatch(r"batch (\d+)", reason):
        return translate("batch {number}", number=numbered[1])
    return _tasks(int(reason.split()[0])) if re.fullmatch(r"\d+ tasks", reason) else reason


def content_html(content: object) -> str:
    """What an event holds, as names and values."""
    if not isinstance(content, dict):
        return "" if content is None else typed(content)
    shown = {name: value for name, value in content.items() if value not in ("", None, {}, []) and name != "key"}
    return HTML("pairs", [(name, _nested(value)) for name, value in shown.items()]) if shown else ""


def _nested(value: object) -> str:
    return content_html(value) if isinstance(value, dict) else typed(value, "span")


def beginnings(answers: Sequence[OwnAnswer]) -> list[str]:
    """Of each answer how its item begins: the first text that is not the same in all of them, up to LONGEST_BEGINNING letters.

    Empty where an item has no text.
    """
    texts = [[text for part in each.parts for text in (part.text, " ".join(part.tokens), part.alt) if text] for each in answers]
    everywhere = set.intersection(*map(set, texts)) if len(texts) > 1 else set()
    own = [next((text for text in each if text not in everywhere), "".join(each[:1])) for each in texts]
    return [shortened(text, LONGEST_BEGINNING) for text in own]


def _own(own: OwnAnswer, beginning: str) -> Markup:
    again = translate("You changed this and have not handed the change in.")
    opened = own.verdict in (LeadVerdict.EDITED, LeadVerdict.REJECTED)
    return card(
        _feedback_html(own.key, own.verdict, own.feedback),
        typed(beginning) if beginning else "",
        quiet(moment(own.submitted)),
        quiet(again) if own.drafts else "",
        fold(translate("Your answer"), answer_html(own.parts, own.answer, own.final), opened),
        history_fold(translate("How it came about"), own.key),
        link(translate("Edit"), "edit", "study-button secondary", key=own.key) if own.editable else "",
    )


def _feedback_html(key: str, verdict: LeadVerdict, feedback: str) -> Markup:
    return HTML("feedback", key, verdict or "none", translate(VERDICTS[verdict]), feedback)
