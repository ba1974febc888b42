"""Who takes part in a study, new people, and what everybody is paid."""

from base64 import b64encode

from markupsafe import Markup

from annotation.studies.callers import Caller, Role
from annotation.studies.files.approvals import approvals_for, fill_batch
from annotation.studies.people.workers import Person, list_people
from annotation.studies.recruiting import PlatformName, Recruiting
from annotation.studies.study import Study
from annotation.studies.work.bonuses import Bonus, Earnings, earnings
from annotation.web.asked import Asked, Reply, text
from annotation.web.frames import PHASE_NAMES, lead_frame
from annotation.web.prose import (
    bold,
    button,
    buttons,
    call_form,
    choice,
    joined,
    line_field,
    link,
    moment,
    money,
    quiet,
    section,
    table,
    text_field,
)
from annotation.words.catalogue import to_translate, translate, translate_all, translate_count
from backend.text.html_pieces import paragraph

PAYMENT = {"page": "payment"}
PLATFORMS: dict[PlatformName, str] = {"prolific": "Prolific", "mturk": "Mechanical Turk", "sona": "SONA"}
APPROVALS = to_translate(
    "Approved is who was shown the code for the end; rejected whose part was ended and whose answers were all rejected or "
    "taken back. The files hold the ids of the platform. Nothing is sent there; look at them before you upload them."
)


def people(study: Study, caller: Caller, asked: Asked) -> Markup:
    rows = [_person(each) for each in list_people(study, caller)]
    heads = translate_all("Name", "Pseudonym", "Hugging Face", "Role", "Phase", "Batch", "Tasks released", "Since")
    inside = [
        line_field("name", translate("Name")),
        line_field("account", translate("Hugging Face account (may stay empty)"), required=False),
        choice("role", translate("Role"), {"worker": translate("worker"), "lead": translate("lead")}, "worker"),
        button(translate("Add"), "primary", type="submit"),
    ]
    once = quiet(translate("Access code and link are shown once, here, right after adding."))
    add = section(translate("Add somebody"), once, call_form("study_add_worker", {}, joined(inside), css="study-inline"))
    return lead_frame(study, "people", add + _many() + section(translate("People"), table(heads, rows)))


def _many() -> Markup:
    """Names pasted as a list; what lets them in comes back as a table to copy."""
    about = translate("One worker a line; after a comma perhaps their Hugging Face account. You get a table of links to send.")
    inside = text_field("names", about, 4, required=True) + button(translate("Add all of them"), "primary", type="submit")
    return section(translate("Add many workers"), call_form("study_add_people", {}, inside))


def payment(study: Study, caller: Caller, asked: Asked) -> Markup:
    list_people(study, caller)
    lines = earnings(study, caller)
    rows = [row for each in lines for row in _paid(each)]
    shown = table(
        translate_all("Name", "Pseudonym", "For", "Amount", "Noted", "Paid"), rows, translate("Nobody has earned anything yet.")
    )
    total = sum(each.total for each in lines)
    due, currency = sum(each.due for each in lines), study.plan.file.payment.currency
    amounts = {"total": money(total, currency), "due": money(due, currency)}
    summary = paragraph(bold(translate("All together: {total}, of which {due} are not paid yet.", **amounts)))
    main = section(translate("Payment"), shown, summary) + _platform(study.plan.file.recruiting)
    return lead_frame(study, "payment", main)


def _platform(rule: Recruiting | None) -> str:
    """The files that the platform takes which sent people."""
    if rule is None:
        return ""
    kinds = buttons(
        button(translate("Everybody, with the decision (CSV)"), type="submit", name="kind", value="approvals.csv"),
        button(translate("Ids to approve"), "primary", type="submit", name="kind", value="approve.txt"),
        button(translate("Bonuses to pay"), type="submit", name="kind", value="bonuses.csv"),
    )
    batch = ""
    if rule.platform == "mturk":
        field = line_field(
            "batch", translate("The file of results of the batch (CSV), to fill in Approve and Reject"), kind="file"
        )
        batch = call_form("study_fill_batch", {}, field + button(translate("Fill it in"), type="submit"))
    form = call_form("study_approvals", {}, kinds)
    return section(PLATFORMS[rule.platform], quiet(translate(APPROVALS)), form, batch)


def approvals_file(study: Study, caller: Caller, asked: Asked) -> Reply:
    kind = text(asked, "kind")
    content = approvals_for(study, caller, kind)
    return {"file": {"name": f"{study.name}-{kind}", "base64": b64encode(content).decode()}}


def filled_batch(study: Study, caller: Caller, asked: Asked) -> Reply:
    """`batch`: the text of the file."""
    approvals_for(study, caller, "approvals.csv")  # makes sure that a lead calls
    filled = fill_batch(study, text(asked, "batch").encode())
    left = "; ".join(f"{worker}: {why}" for worker, why in filled.left[:20])
    message = translate("{approved} to approve, {rejected} to reject.", approved=filled.approved, rejected=filled.rejected)
    message += " " + translate("Left to you: {left}", left=left) if left else ""
    file = {"name": f"{study.name}-batch.csv", "base64": b64encode(filled.content).decode()}
    return {"file": file, "message": message}


def _person(each: Person) -> list[str]:
    worker = each.role is Role.WORKER
    name = link(each.name, "worker", worker=each.worker) if worker else each.name
    past = [translate(PHASE_NAMES[each.phase]), str(each.batch), str(each.released)] if worker else ["", "", ""]
    return [name, each.pseudonym, each.account, translate(each.role.value), *past, moment(each.created)]


def _paid(each: Earnings) -> list[list[str]]:
    who = [link(each.name, "worker", worker=each.worker), each.pseudonym]
    work = translate_count("1 task", "{count} tasks", each.tasks)
    work += translate(", {count} of them in the trial", count=each.in_trial) if each.in_trial else ""
    tasks = [[*who, work, money(each.for_tasks, each.currency), "", _tick_tasks(each)]]
    bonuses = [[*who, one.reason, money(one.hundredths, each.currency), moment(one.created), _tick(one)]
               for one in each.bonuses]  # fmt: skip
    return tasks + bonuses


def _tick_tasks(each: Earnings) -> str:
    """What was paid of the tasks, and a button for those that were handed in since."""
    tasks = translate_count("1 task", "{count} tasks", each.tasks_paid)
    paid = f"{tasks}: {money(each.paid_for_tasks, each.currency)}" if each.tasks_paid else ""
    if each.tasks <= each.tasks_paid or not each.for_tasks:
        return paid
    return paid + _paid_button("study_pay_tasks", {"worker": each.worker, "tasks": each.tasks})


def _tick(bonus: Bonus) -> str:
    if bonus.paid is not None:
        return moment(bonus.paid)
    return _paid_button("study_mark_paid", {"bonus": bonus.number})


def _paid_button(call: str, asked: dict[str, int]) -> Markup:
    return call_form(call, asked, button(translate("Paid"), type="submit"), PAYMENT, "study-inline")
