"""What a worker has to do now: consent, tutorial, quiz, a task, or to wait for a lead."""

from markupsafe import Markup

from annotation.studies.callers import Caller, Phase
from annotation.studies.figures.progress import WorkerStanding, standing
from annotation.studies.people.recruited import completion
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.work.bonuses import earnings
from annotation.studies.work.grading import LeadVerdict, feedback_to, messages_to
from annotation.studies.work.leases import Assignment, next_item
from annotation.studies.work.own_work import own_answers
from annotation.web.asked import Asked
from annotation.web.forms import form_of
from annotation.web.forms.fields import ItemForm
from annotation.web.frames import data_key, guidelines, worker_frame
from annotation.web.prose import (
    button,
    call_form,
    data,
    fold,
    joined,
    keys_line,
    link,
    moment,
    money,
    page_macros,
    text_field,
)
from annotation.web.worker import qualification
from annotation.words.catalogue import to_translate, translate
from backend.text.html_pieces import paragraph

HTML = page_macros(__file__)
KEYS = to_translate(
    "Keys: [Tab] next field, [1]–[9] choose an option (while no text is typed), [Ctrl]+[Enter] hand in, [Alt]+a letter opens "
    "and closes what names it."
)


def work(study: Study, caller: Caller, asked: Asked) -> Markup:
    stands = standing(study, caller)
    return worker_frame(study, stands, "work", _now(study, caller, stands))


def _now(study: Study, caller: Caller, stands: WorkerStanding) -> Markup:
    if stands.phase is Phase.CONSENT:
        return qualification.consent(study)
    if stands.phase is Phase.TUTORIAL:
        return qualification.slides(study, caller)
    if stands.phase is Phase.QUIZ:
        return qualification.quiz(study, caller, stands)
    if stands.phase is Phase.ELIMINATED:  # a lead may let them in again
        return HTML("ended", messages(study, caller), _way_back(study, caller))
    return _task_or_wait(study, caller)


def _task_or_wait(study: Study, caller: Caller) -> Markup:
    try:
        return task(study, caller, next_item(study, caller))
    except CallRefusedError as error:
        if error.reason not in (Reason.GRADING, Reason.FINISHED):
            raise
        head = translate("Wait for grading") if error.reason is Reason.GRADING else translate("All done")
        way_back = _way_back(study, caller) if error.reason is Reason.FINISHED else ""
        # A waiting worker sees a decision without reloading.
        return HTML("waiting", head, error.shown, way_back, messages(study, caller))


def _way_back(study: Study, caller: Caller) -> str:
    """The code of the platform that sent somebody, and the link that hands it in."""
    code = completion(study, caller)
    return "" if code is None else HTML("way_back", code)


def task(study: Study, caller: Caller, assignment: Assignment) -> Markup:
    values = {name: draft.value for name, draft in assignment.drafts.items()}
    versions = {name: draft.version for name, draft in assignment.drafts.items()}
    turns = assignment.turns
    drawn = form_of(study.plan.file.task)(ItemForm(assignment.parts, values, versions, handed_in=turns.handed_in))
    lent = translate("Yours until {time}; every change keeps it longer.", time=moment(assignment.expires))
    seconds = max(0, int((study.clock() - assignment.leased).total_seconds()))
    submit = button(translate("Send this step") if turns.more else translate("Hand in"), "primary", type="submit")
    owner = data("owner", f"{study.name}/{caller.worker}")
    form = HTML("task_form", assignment.key, seconds, turns, owner, drawn, saving_bar(submit))
    side = joined([guidelines(study), _asides(assignment.key, assignment.phase is Phase.TRIAL), keys()])
    desk = HTML("desk", _head(study, assignment), lent, form, side, _earned(study, caller))
    return joined([_news(study, caller), _to_read(study, caller), desk])


def _head(study: Study, assignment: Assignment) -> str:
    number, of = assignment.number, assignment.of
    if assignment.phase is Phase.TRIAL:
        head = translate("Task {number} of {of} of the trial", number=number, of=of)
    elif study.plan.file.batches:
        head = translate("Task {number} of {of}", number=number, of=of)
    else:  # only the cap is known
        head = translate("Task {number}", number=number)
    return translate("{task}, step {step}", task=head, step=assignment.turns.at) if assignment.turns.last else head


def keys() -> Markup:
    return keys_line(translate(KEYS))


def _asides(key: str, trial: bool) -> Markup:
    skip = translate("Skip this task (Alt+K)"), "k", "study_skip", key, translate("Why do you skip it?"), {"page": "work"}
    flagged = translate("Flag: something is wrong with it (Alt+X)"), "x", "study_flag", key, translate("What is wrong?"), None
    comment = translate("Comment (Alt+C)"), "c", "study_comment", key, translate("What do you want to say?"), None
    return joined(["" if trial else _aside(*skip), _aside(*flagged), _aside(*comment)])


def saving_bar(*buttons: str) -> Markup:
    """Below a task, always in sight: whether what is typed is saved, what was refused, and the way to hand it in."""
    return HTML("saving_bar", joined(buttons))


def messages(study: Study, caller: Caller) -> str:
    """What leads wrote about the trial, or the end of somebody's part."""
    received = messages_to(study, caller)
    return HTML("messages", received) if received else ""


def _news(study: Study, caller: Caller) -> str:
    """The messages, until an answer was handed in after the last one."""
    last, done = messages_to(study, caller), own_answers(study, caller, limit=1)
    return messages(study, caller) if last and (not done or done[0].submitted <= last[-1][0]) else ""


def _to_read(study: Study, caller: Caller) -> str:
    """Whether leads have edited or rejected answers of the batches."""
    decided = [each.verdict for each in feedback_to(study, caller) if each.phase is Phase.TASKS]
    if not (changed := len(decided) - decided.count(LeadVerdict.ACCEPTED)):
        return ""
    summary = translate("Edited or rejected by the people who run the study: {count} of your answers", count=changed)
    return paragraph(link(summary, "mine"))


def _aside(label: str, key: str, call: str, item: str, asks: str, then: dict[str, str] | None) -> Markup:
    inside = text_field("text", asks, required=True) + button(translate("Send"), type="submit")
    return fold(label, call_form(call, {"key": item}, inside, then), attributes=data_key(key))


def _earned(study: Study, caller: Caller) -> str:
    mine = earnings(study, caller)[0]
    return translate("Earned so far: {amount}.", amount=money(mine.total, mine.currency)) if mine.total else ""
