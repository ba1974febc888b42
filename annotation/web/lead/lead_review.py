"""Answers before a lead: the queue, and everything about one worker with the decision on the trial and the next batch."""

from collections.abc import Mapping

from annotation.studies.callers import Caller, Phase
from annotation.studies.figures.progress import WorkerFigures, progress
from annotation.studies.figures.worker_quality import quality_of_workers
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.work.grading import LeadVerdict, Work, review_queue, work_of
from annotation.web.asked import Asked, number
from annotation.web.forms import form_of
from annotation.web.forms.answers_read import answer_html
from annotation.web.forms.fields import ItemForm
from annotation.web.frames import PHASE_NAMES, lead_frame
from annotation.web.lead.lead_items import withdraw_fold
from annotation.web.lead.lead_quality import question_form, signals_of, signals_of_answer
from annotation.web.prose import button, call_form, data, duration, fold, keys_html, line_field, link, moment, text_field
from annotation.web.worker.own_work import VERDICTS
from annotation.words.catalogue import to_translate, translate
from backend.text.markup import escape_html
from backend.text.words import percent

AT_ONCE = 10
KEYS = to_translate("Keys inside an answer: [Ctrl]+[Enter] accepts it as it is.")


def queue(study: Study, caller: Caller, asked: Asked) -> str:
    waiting = review_queue(study, caller)
    listed = translate("{count} answers", count=len(waiting)) if len(waiting) < 100 else translate("100 answers or more")
    some = translate("{count} wait for a decision, oldest first.", count=listed)
    head = f"<p>{some if waiting else translate('No answer waits for a decision.')}</p>"
    cards = "".join(card(study, each, {"page": "review"}) for each in waiting[:AT_ONCE])
    return lead_frame(study, "review", f"{_trials(study, caller)}{head}{cards}{_keys() if waiting else ''}")


def _keys() -> str:
    return f'<p class="study-keys">{keys_html(translate(KEYS))}</p>'


def one_worker(study: Study, caller: Caller, asked: Asked) -> str:
    which = number(asked, "worker")
    figures = next((each for each in progress(study, caller).workers if each.worker == which), None)
    if figures is None:
        raise CallRefusedError(Reason.UNKNOWN, translate("There is no worker number {worker} in this study.", worker=which))
    works = work_of(study, caller, which)
    then = {"page": "worker", "worker": which}
    open_ones = [each for each in works if each.verdict is LeadVerdict.NONE]
    decided = [each for each in works if each.verdict is not LeadVerdict.NONE]
    cards = "".join(card(study, each, then) for each in open_ones[:AT_ONCE])
    past = "".join(card(study, each, then) for each in reversed(decided[-100:]))
    waiting = f"<h4>{translate('Not decided on ({count})', count=len(open_ones))}</h4>{cards}" if open_ones else ""
    signals = signals_of(quality_of_workers(study).get(which))
    main = (
        f"{_about(figures)}{signals}{question_form(figures, then)}{waiting}{_decision(study, figures, works, then)}"
        f"{fold(translate('Decided on ({count})', count=len(decided)), past)}{_ends(figures, then)}"
    )
    return lead_frame(study, "review", main)


def card(study: Study, work: Work, then: Mapping[str, object]) -> str:
    asked = {"assignment": work.assignment, "number": work.number}
    passed = translate("attention passed") if work.passed else translate("attention failed")
    passed = "" if work.passed is None else f" · {passed}"
    who = link(work.name, "worker", worker=work.worker)
    about = f"{who} · {translate(PHASE_NAMES[work.phase])} · {duration(work.seconds)} · {moment(work.submitted)}{passed}"
    state = f'<span class="study-verdict {work.verdict or "none"}">{translate(VERDICTS[work.verdict])}</span>'
    taken = withdraw_fold(work.key, dict(then)) if work.phase is Phase.TASKS else ""
    past = fold(translate("History of this item"), "", attributes=data("fragment", {"page": "history", "key": work.key}))
    undo = ""
    if work.verdict is not LeadVerdict.NONE:
        undo = call_form(
            "study_take_back", asked, button(translate("Take the verdict back"), type="submit"), then, "study-inline"
        )
    return (
        f'<section class="study-card study-work"><h5 dir="auto">{escape_html(work.key)} {state}</h5>'
        f'<p class="study-quiet">{about}</p>{signals_of_answer(work)}'
        f"{answer_html(work.parts, work.answer, work.final)}"
        f"{_verdict_form(study, work, asked, then)}{undo}{past}{taken}</section>"
    )


def _verdict_form(study: Study, work: Work, asked: Mapping[str, object], then: Mapping[str, object]) -> str:
    values = work.answer if work.final is None else work.final
    form = form_of(study.plan.file.task)(ItemForm(work.parts, values, {}, f"final-{work.assignment}"))
    save = button(translate("Accept with this edit"), type="submit", name="verdict", value="edited", data_final="")
    edit = fold(translate("Edit the answer"), f'<div class="study-final">{form}</div>{save}')
    buttons = (
        button(translate("Accept"), "primary", type="submit", name="verdict", value="accepted")
        + button(translate("Reject"), "danger", type="submit", name="verdict", value="rejected")
    )  # fmt: skip
    feedback = text_field("feedback", translate("Feedback to the worker (needed to reject)"), value=work.feedback)
    return call_form("study_review", asked, f'{feedback}<div class="study-buttons">{buttons}</div>{edit}', then)


def _trials(study: Study, caller: Caller) -> str:
    """Workers for whom a decision as a whole is due: on their trial, or on the next batch."""
    due = [each for each in progress(study, caller).workers if _is_due(each)]
    lines = "".join(f"<li>{link(each.name, 'worker', worker=each.worker)}: {_due(each)}</li>" for each in due)
    return (
        f'<section class="study-card"><h4>{translate("Decisions that are due")}</h4><ul>{lines}</ul></section>' if lines else ""
    )


def _is_due(each: WorkerFigures) -> bool:
    done = each.phase in (Phase.TRIAL, Phase.TASKS) and bool(each.of) and each.tasks >= each.of
    return done or each.question is not None


def _due(each: WorkerFigures) -> str:
    if each.question is not None:
        kind, reason = each.question
        return f"{translate('held') if kind == 'held' else translate('look at their work')}: {escape_html(reason)}"
    if each.to_review:
        return translate("{count} answers wait for a verdict", count=each.to_review)
    trial = translate("the trial is graded: pass or eliminate")
    return trial if each.phase is Phase.TRIAL else translate("the batch is done: release the next")


def _hold(each: WorkerFigures, then: Mapping[str, object]) -> str:
    """Giving no further task until the lead has looked at the work."""
    if each.phase not in (Phase.TRIAL, Phase.TASKS) or each.question is not None:
        return ""
    why = text_field("reason", translate("Why they are held, for the history"), required=True) + button(
        translate("Hold them"), type="submit"
    )
    return fold(translate("Give no further task for now"), call_form("study_hold", {"worker": each.worker}, why, then))


def _rights(asked: Mapping[str, object]) -> str:
    """Everything about a person as a file, and erasing it."""
    save = call_form("study_person_data", asked, button(translate("Save everything that is kept about them"), type="submit"))
    sure = line_field("confirm", translate("Type erase to erase it; this cannot be undone")) + button(
        translate("Erase it"), "danger", type="submit"
    )
    return save + call_form("study_erase", asked, sure, {"page": "people"})


def _about(each: WorkerFigures) -> str:
    passed, asked = each.attention
    summary = translate(
        "{phase} · {tasks} of {of} tasks · median {time} · accepted {accepted} · rejected {rejected} · attention {passed} of "
        "{asked} · skipped {skipped}",
        phase=translate(PHASE_NAMES[each.phase]), tasks=each.tasks, of=each.of, time=duration(each.median_seconds),
        accepted=percent(each.accepted), rejected=each.rejected, passed=passed, asked=asked, skipped=each.skipped,
    )  # fmt: skip
    if each.quiz:
        right = ", ".join(translate("{count} of {of}", count=count, of=of) for count, of in each.quiz)
        summary += f" · {translate('right in the quiz: {attempts}', attempts=right)}"
    return f'<h4 tabindex="-1"><span dir="auto">{escape_html(each.name)}</span></h4><p class="study-quiet">{summary}</p>'


def _decision(study: Study, each: WorkerFigures, works: tuple[Work, ...], then: Mapping[str, object]) -> str:
    if each.phase is Phase.TRIAL:
        graded = sum(work.verdict is not LeadVerdict.NONE for work in works if work.phase is Phase.TRIAL)
        inside = text_field("feedback", translate("What you want to tell them about the trial"), 3, required=True)
        inside += (
            f'<div class="study-buttons">{button(translate("Pass"), "primary", type="submit", name="decision", value="pass")}'
            f"{button(translate('Eliminate'), 'danger', type='submit', name='decision', value='eliminate')}</div>"
        )
        count = translate("{graded} of {of} tasks are graded.", graded=graded, of=each.of)
        head = f"<h4>{translate('Decision on the trial')}</h4><p>{count}</p>"
        form = call_form("study_decide_trial", {"worker": each.worker}, inside, then)
        return f'<section class="study-card">{head}{form}</section>'
    if each.phase is Phase.TASKS and study.plan.file.batches is not None:
        inside = button(translate("Pass this batch and release the next"), "primary", type="submit")
        count = translate("{done} of {of} released tasks are done.", done=each.tasks, of=each.of)
        head = f"<h4>{translate('Batches')}</h4><p>{count}</p>"
        form = call_form("study_release", {"worker": each.worker}, inside, then)
        return f'<section class="study-card">{head}{form}</section>'
    return ""


def _ends(each: WorkerFigures, then: Mapping[str, object]) -> str:
    """What is rarely needed: a bonus, new credentials, an account, the end of somebody's part or a new beginning."""
    asked = {"worker": each.worker}
    if each.phase is Phase.ELIMINATED:
        end = translate("Let them in again")
        inside = text_field("message", translate("What you want to tell them"), required=True) + button(
            translate("Let them in again"), type="submit"
        )
        ends = call_form("study_readmit", asked, inside, then)
    else:
        end = translate("End their part in the study")
        inside = text_field("reason", translate("Why, for the worker"), required=True) + button(
            translate("End their part"), "danger", type="submit"
        )
        ends = call_form("study_eliminate", asked, inside, then)
    account = line_field("account", translate("Username")) + button(translate("Enter it"), type="submit")
    pays = line_field("amount", translate("Amount, such as 2.50")) + line_field("reason", translate("Reason"))
    pays += button(translate("Give the bonus"), type="submit")
    renew = button(translate("Make new ones"), type="submit")
    return (
        fold(translate("Give a bonus"), call_form("study_bonus", asked, pays, then))
        + fold(translate("Lost code or link"), call_form("study_renew_credentials", asked, renew))
        + fold(translate("Hugging Face account"), call_form("study_account", asked, account, then))
        + _hold(each, then)
        + fold(end, ends)
        + fold(translate("What is kept about them"), _rights(asked))
        + f"<p>{link(translate('What happened with this worker'), 'events', worker=each.worker)}</p>"
    )  # fmt: skip
