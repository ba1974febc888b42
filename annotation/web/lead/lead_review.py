"""Answers before a lead: the queue, and everything about one worker with the decision on the trial and the next batch."""

from collections.abc import Mapping

from markupsafe import Markup

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
from annotation.web.prose import (
    button,
    call_form,
    duration,
    fold,
    history_fold,
    joined,
    keys_line,
    line_field,
    link,
    moment,
    page_macros,
    section,
    text_field,
    verdict_html,
)
from annotation.web.worker.own_work import VERDICTS
from annotation.words.catalogue import to_translate, translate, translate_count
from backend.text.html_pieces import paragraph
from backend.text.words import percent

HTML = page_macros(__file__)
AT_ONCE = 10
MOST_LISTED = 100
KEYS = to_translate("Keys inside an answer: [Ctrl]+[Enter] accepts it as it is.")


def queue(study: Study, caller: Caller, asked: Asked) -> Markup:
    waiting = review_queue(study, caller)
    main = [
        _trials(study, caller),
        paragraph(_waiting(len(waiting))),
        *(review_card(study, each, {"page": "review"}) for each in waiting[:AT_ONCE]),
        keys_line(translate(KEYS)) if waiting else "",
    ]
    return lead_frame(study, "review", joined(main))


def _waiting(count: int) -> str:
    if not count:
        return translate("No answer waits for a decision.")
    if count >= MOST_LISTED:
        return translate("100 answers or more wait for a decision, oldest first.")
    return translate_count("1 answer waits for a decision.", "{count} answers wait for a decision, oldest first.", count)


def one_worker(study: Study, caller: Caller, asked: Asked) -> Markup:
    which = number(asked, "worker")
    figures = next((each for each in progress(study, caller).workers if each.worker == which), None)
    if figures is None:
        raise CallRefusedError(Reason.UNKNOWN, translate("There is no worker number {worker} in this study.", worker=which))
    works = work_of(study, caller, which)
    then = {"page": "worker", "worker": which}
    open_ones = [each for each in works if each.verdict is LeadVerdict.NONE]
    decided = [each for each in works if each.verdict is not LeadVerdict.NONE]
    past = joined(review_card(study, each, then) for each in reversed(decided[-100:]))
    main = [
        _about(figures),
        signals_of(quality_of_workers(study).get(which)),
        question_form(figures, then),
        HTML("waiting", len(open_ones)) if open_ones else "",
        *(review_card(study, each, then) for each in open_ones[:AT_ONCE]),
        _decision(study, figures, works, then),
        fold(translate("Decided on ({count})", count=len(decided)), past),
        _ends(figures, then),
    ]
    return lead_frame(study, "review", joined(main))


def review_card(study: Study, work: Work, then: Mapping[str, object]) -> Markup:
    asked = {"assignment": work.assignment, "number": work.number}
    about = [
        link(work.name, "worker", worker=work.worker),
        translate(PHASE_NAMES[work.phase]),
        duration(work.seconds),
        moment(work.submitted),
        *([] if work.passed is None else [translate("attention passed") if work.passed else translate("attention failed")]),
    ]
    take_back = button(translate("Take the verdict back"), type="submit")
    actions = [
        _verdict_form(study, work, asked, then),
        call_form("study_take_back", asked, take_back, then, "study-inline") if work.verdict is not LeadVerdict.NONE else "",
        history_fold(translate("History of this item"), work.key),
        withdraw_fold(work.key, dict(then)) if work.phase is Phase.TASKS else "",
    ]
    state = verdict_html(work.verdict, translate(VERDICTS[work.verdict]))
    answer = answer_html(work.parts, work.answer, work.final)
    return HTML("card", work, state, Markup(" · ").join(about), signals_of_answer(work), answer, joined(actions))


def _verdict_form(study: Study, work: Work, asked: Mapping[str, object], then: Mapping[str, object]) -> Markup:
    values = work.answer if work.final is None else work.final
    form = form_of(study.plan.file.task)(ItemForm(work.parts, values, {}, f"final-{work.assignment}"))
    edit = fold(translate("Edit the answer"), HTML("edit", form))
    return call_form("study_review", asked, HTML("verdict", work.feedback) + edit, then)


def _trials(study: Study, caller: Caller) -> str:
    """Workers for whom a decision as a whole is due: on their trial, or on the next batch."""
    due = [(each, _due(each)) for each in progress(study, caller).workers if _is_due(study, each)]
    return section(translate("Decisions that are due"), HTML("due", due)) if due else ""


def _is_due(study: Study, each: WorkerFigures) -> bool:
    released = each.phase is Phase.TRIAL or (each.phase is Phase.TASKS and study.plan.file.batches is not None)
    return (released and 0 < each.of <= each.tasks) or each.question is not None


def answers_to_review(count: int) -> str:
    return translate_count("1 answer waits for a verdict", "{count} answers wait for a verdict", count)


def _due(each: WorkerFigures) -> str:
    if each.question is not None:
        kind, reason = each.question
        return f"{translate('held') if kind == 'held' else translate('look at their work')}: {reason}"
    if each.to_review:
        return answers_to_review(each.to_review)
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


def _rights(asked: Mapping[str, object]) -> Markup:
    """Everything about a person as a file, and erasing it."""
    save = call_form("study_person_data", asked, button(translate("Save everything that is kept about them"), type="submit"))
    sure = line_field("confirm", translate("Type erase to erase it; this cannot be undone")) + button(
        translate("Erase it"), "danger", type="submit"
    )
    return save + call_form("study_erase", asked, sure, {"page": "people"})


def _about(each: WorkerFigures) -> Markup:
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
    return HTML("about", each.name, summary)


def _decision(study: Study, each: WorkerFigures, works: tuple[Work, ...], then: Mapping[str, object]) -> str:
    if each.phase is Phase.TRIAL:
        graded = sum(work.verdict is not LeadVerdict.NONE for work in works if work.phase is Phase.TRIAL)
        count = translate("{graded} of {of} tasks are graded.", graded=graded, of=each.of)
        form = call_form("study_decide_trial", {"worker": each.worker}, HTML("trial"), then)
        return section(translate("Decision on the trial"), paragraph(count), form)
    if each.phase is Phase.TASKS and study.plan.file.batches is not None:
        release = button(translate("Pass this batch and release the next"), "primary", type="submit")
        count = translate("{done} of {of} released tasks are done.", done=each.tasks, of=each.of)
        form = call_form("study_release", {"worker": each.worker}, release, then)
        return section(translate("Batches"), paragraph(count), form)
    return ""


def _ends(each: WorkerFigures, then: Mapping[str, object]) -> Markup:
    """What is rarely needed: a bonus, new credentials, an account, the end of somebody's part or a new beginning."""
    asked = {"worker": each.worker}
    if each.phase is Phase.ELIMINATED:
        end = translate("Let them in again")
        inside = text_field("message", translate("What you want to tell them"), required=True) + button(end, type="submit")
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
    folds = [
        fold(translate("Give a bonus"), call_form("study_bonus", asked, pays, then)),
        fold(translate("Lost code or link"), call_form("study_renew_credentials", asked, renew)),
        fold(translate("Hugging Face account"), call_form("study_account", asked, account, then)),
        _hold(each, then),
        fold(end, ends),
        fold(translate("What is kept about them"), _rights(asked)),
        paragraph(link(translate("What happened with this worker"), "events", worker=each.worker)),
    ]
    return joined(folds)
