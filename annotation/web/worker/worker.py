"""What a worker has to do now: consent, tutorial, quiz, a task, or to wait for a lead."""

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
from annotation.web.frames import guidelines, worker_frame
from annotation.web.prose import button, call_form, data, fold, keys_html, link, moment, money, text_field, typed
from annotation.web.worker import qualification
from annotation.words.catalogue import to_translate, translate
from backend.text.markup import escape_html

KEYS = to_translate(
    "Keys: [Tab] next field, [1]–[9] choose an option (while no text is typed), [Ctrl]+[Enter] hand in, [Alt]+a letter opens "
    "and closes what names it."
)


def work(study: Study, caller: Caller, asked: Asked) -> str:
    stands = standing(study, caller)
    return worker_frame(study, stands, "work", _now(study, caller, stands))


def _now(study: Study, caller: Caller, stands: WorkerStanding) -> str:
    if stands.phase is Phase.CONSENT:
        return qualification.consent(study)
    if stands.phase is Phase.TUTORIAL:
        return qualification.slides(study, caller)
    if stands.phase is Phase.QUIZ:
        return qualification.quiz(study, caller, stands)
    if stands.phase is Phase.ELIMINATED:
        head = f"<h4>{translate('Your part in this study has ended')}</h4>"  # a lead may let them in again
        return f'<section class="study-card" data-poll="60">{head}{messages(study, caller)}{_way_back(study, caller)}</section>'
    return _task_or_wait(study, caller)


def _task_or_wait(study: Study, caller: Caller) -> str:
    try:
        return task(study, caller, next_item(study, caller))
    except CallRefusedError as error:
        if error.reason not in (Reason.GRADING, Reason.FINISHED):
            raise
        head = translate("Wait for grading") if error.reason is Reason.GRADING else translate("All done")
        message = f"<p>{escape_html(error.shown)}</p>"
        if error.reason is Reason.FINISHED:
            message += _way_back(study, caller)
        look = f"<p>{link(translate('See your answers and what was said to them'), 'mine')}</p>"
        # A waiting worker sees a decision without reloading.
        return f'<section class="study-card" data-poll="15"><h4>{head}</h4>{message}{messages(study, caller)}{look}</section>'


def _way_back(study: Study, caller: Caller) -> str:
    """The code of the platform that sent somebody, and the link that hands it in."""
    code = completion(study, caller)
    if code is None:
        return ""
    shown = f'<p>{translate("Your completion code:")} <code class="study-code">{escape_html(code.code)}</code></p>'
    if not code.address:
        return f"{shown}<p>{translate('Enter it on the page that you came from.')}</p>"
    opens = f'class="study-button primary" rel="noreferrer" href="{escape_html(code.address)}"'
    return f"{shown}<p><a {opens}>{translate('Return to the page that you came from')}</a></p>"


def task(study: Study, caller: Caller, assignment: Assignment) -> str:
    values = {name: draft.value for name, draft in assignment.drafts.items()}
    versions = {name: draft.version for name, draft in assignment.drafts.items()}
    turns = assignment.turns
    drawn = form_of(study.plan.file.task)(ItemForm(assignment.parts, values, versions, handed_in=turns.handed_in))
    trial = assignment.phase is Phase.TRIAL
    head = _head(study, assignment)
    lent = translate("Yours until {time}; every change keeps it longer.", time=moment(assignment.expires))
    until = f'<span class="study-quiet">{lent}</span>'
    seconds = max(0, int((study.clock() - assignment.leased).total_seconds()))
    submit = button(translate("Send this step") if turns.more else translate("Hand in"), "primary", type="submit")
    step = f'data-turn="{turns.at}" {"data-more" if turns.more else ""}' if turns.last else ""
    form = (
        f'<form class="study-task" data-task="study_submit" data-key="{escape_html(assignment.key)}" data-since="{seconds}" '
        f"{step} {data('owner', f'{study.name}/{caller.worker}')}>{drawn}{saving_bar(submit)}</form>"
    )
    aside = _asides(assignment.key, trial)
    decided = _news(study, caller) + _to_read(study, caller)
    side = f'{guidelines(study)}{aside}{keys()}<p class="study-quiet">{_earned(study, caller)}</p>'
    title = f'<div class="study-title"><h4 tabindex="-1">{head}</h4>{until}</div>'
    return (
        f'{decided}<div class="study-desk"><section class="study-card">{title}{form}</section>'
        f'<aside class="study-side">{side}</aside></div>'
    )


def _head(study: Study, assignment: Assignment) -> str:
    number, of = assignment.number, assignment.of
    if assignment.phase is Phase.TRIAL:
        head = translate("Task {number} of {of} of the trial", number=number, of=of)
    elif study.plan.file.batches:
        head = translate("Task {number} of {of}", number=number, of=of)
    else:  # only the cap is known
        head = translate("Task {number}", number=number)
    return translate("{task}, step {step}", task=head, step=assignment.turns.at) if assignment.turns.last else head


def keys() -> str:
    return f'<p class="study-keys">{keys_html(translate(KEYS))}</p>'


def _asides(key: str, trial: bool) -> str:
    skip = translate("Skip this task (Alt+K)"), "k", "study_skip", key, translate("Why do you skip it?"), {"page": "work"}
    flagged = translate("Flag: something is wrong with it (Alt+X)"), "x", "study_flag", key, translate("What is wrong?"), None
    comment = translate("Comment (Alt+C)"), "c", "study_comment", key, translate("What do you want to say?"), None
    return ("" if trial else _aside(*skip)) + _aside(*flagged) + _aside(*comment)


def saving_bar(buttons: str) -> str:
    """Below a task, always in sight: whether what is typed is saved, what was refused, and the way to hand it in."""
    return (
        '<div class="study-refused" role="alert" tabindex="-1"></div><div class="study-bar">'
        f'<p class="study-state" role="status"></p>{buttons}</div>'
    )


def messages(study: Study, caller: Caller) -> str:
    """What leads wrote about the trial, or the end of somebody's part."""
    received = messages_to(study, caller)
    rendered = "".join(f'<div class="study-message"><span class="study-quiet">{moment(when)}</span>{typed(text)}</div>'
                   for when, text in received)  # fmt: skip
    return (
        f'<section class="study-messages"><h5>{translate("From the people who run the study")}</h5>{rendered}</section>'
        if rendered
        else ""
    )


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
    return f"<p>{link(summary, 'mine')}</p>"


def _aside(label: str, key: str, call: str, item: str, asks: str, then: dict[str, str] | None) -> str:
    inside = text_field("text", asks, required=True) + button(translate("Send"), type="submit")
    return fold(label, call_form(call, {"key": item}, inside, then), attributes=f'data-key="{key}"')


def _earned(study: Study, caller: Caller) -> str:
    mine = earnings(study, caller)[0]
    return translate("Earned so far: {amount}.", amount=money(mine.total, mine.currency)) if mine.total else ""
