"""Who takes part in a study, new people, and what everybody is paid."""

from base64 import b64encode

from annotation.studies.callers import Caller, Role
from annotation.studies.files.approvals import approvals_for, fill_batch
from annotation.studies.people.workers import Person, list_people
from annotation.studies.recruiting import PlatformName, Recruiting
from annotation.studies.study import Study
from annotation.studies.work.bonuses import Bonus, Earnings, earnings
from annotation.web.asked import Asked, Reply, text
from annotation.web.frames import PHASE_NAMES, lead_frame
from annotation.web.prose import button, call_form, line_field, link, moment, money, table, text_field
from backend.text.markup import escape_html

PAYMENT = {"page": "payment"}
PLATFORMS: dict[PlatformName, str] = {"prolific": "Prolific", "mturk": "Mechanical Turk", "sona": "SONA"}
APPROVALS = (
    "Approved is who was shown the code for the end; rejected whose part was ended and whose answers were all rejected or "
    "taken back. The files hold the ids of the platform. Nothing is sent there; look at them before you upload them."
)


def people(study: Study, caller: Caller, asked: Asked) -> str:
    rows = [_person(each) for each in list_people(study, caller)]
    heads = ("Name", "Pseudonym", "Hugging Face", "Role", "Phase", "Batch", "Tasks released", "Since")
    roles = (
        '<label class="study-label">Role<select name="role"><option value="worker" selected>worker</option>'
        '<option value="lead">lead</option></select></label>'
    )
    account = line_field("account", "Hugging Face account (may stay empty)", required=False)
    inside = f"{line_field('name', 'Name')}{account}{roles}{button('Add', 'primary', type='submit')}"
    once = '<p class="study-quiet">Access code and link are shown once, here, right after adding.</p>'
    form = call_form("study_add_worker", {}, inside, css="study-inline")
    add = f'<section class="study-card"><h4>Add somebody</h4>{once}{form}</section>{_many()}'
    return lead_frame(study, "people", f'{add}<section class="study-card"><h4>People</h4>{table(heads, rows)}</section>')


def _many() -> str:
    """Names pasted as a list; what lets them in comes back as a table to copy."""
    about = "One worker a line; after a comma perhaps their Hugging Face account. You get a table of links to send."
    inside = text_field("names", about, 4, required=True) + button("Add all of them", "primary", type="submit")
    return f'<section class="study-card"><h4>Add many workers</h4>{call_form("study_add_people", {}, inside)}</section>'


def payment(study: Study, caller: Caller, asked: Asked) -> str:
    list_people(study, caller)
    lines = earnings(study, caller)
    rows = [row for each in lines for row in _paid(each)]
    shown = table(("Name", "Pseudonym", "For", "Amount", "Noted", "Paid"), rows, "Nobody has earned anything yet.")
    total = sum(each.total for each in lines)
    due, currency = sum(each.due for each in lines), study.plan.file.payment.currency
    summary = f"<p><b>All together: {money(total, currency)}, of which {money(due, currency)} are not paid yet.</b></p>"
    main = f'<section class="study-card"><h4>Payment</h4>{shown}{summary}</section>'
    return lead_frame(study, "payment", main + _platform(study.plan.file.recruiting))


def _platform(rule: Recruiting | None) -> str:
    """The files that the platform takes which sent people."""
    if rule is None:
        return ""
    buttons = button("Everybody, with the decision (CSV)", type="submit", name="kind", value="approvals.csv")
    buttons += button("Ids to approve", "primary", type="submit", name="kind", value="approve.txt")
    buttons += button("Bonuses to pay", type="submit", name="kind", value="bonuses.csv")
    form = call_form("study_approvals", {}, f'<div class="study-buttons">{buttons}</div>')
    batch = ""
    if rule.platform == "mturk":
        field = line_field("batch", "The file of results of the batch (CSV), to fill in Approve and Reject", kind="file")
        batch = call_form("study_fill_batch", {}, field + button("Fill it in", type="submit"))
    title = PLATFORMS[rule.platform]
    return f'<section class="study-card"><h4>{title}</h4><p class="study-quiet">{APPROVALS}</p>{form}{batch}</section>'


def approvals_file(study: Study, caller: Caller, asked: Asked) -> Reply:
    kind = text(asked, "kind")
    content = approvals_for(study, caller, kind)
    return {"file": {"name": f"{study.name}-{kind}", "base64": b64encode(content).decode()}}


def filled_batch(study: Study, caller: Caller, asked: Asked) -> Reply:
    """`batch`: the text of the file."""
    approvals_for(study, caller, "approvals.csv")  # makes sure that a lead calls
    filled = fill_batch(study, text(asked, "batch").encode())
    left = "; ".join(f"{worker}: {why}" for worker, why in filled.left[:20])
    message = f"{filled.approved} to approve, {filled.rejected} to reject." + (f" Left to you: {left}." if left else "")
    file = {"name": f"{study.name}-batch.csv", "base64": b64encode(filled.content).decode()}
    return {"file": file, "message": message}


def _person(each: Person) -> list[str]:
    worker = each.role is Role.WORKER
    name = link(each.name, "worker", worker=each.worker) if worker else escape_html(each.name)
    past = [PHASE_NAMES[each.phase], str(each.batch), str(each.released)] if worker else ["", "", ""]
    return [name, escape_html(each.pseudonym), escape_html(each.account), each.role.value, *past, moment(each.created)]


def _paid(each: Earnings) -> list[list[str]]:
    who = [link(each.name, "worker", worker=each.worker), escape_html(each.pseudonym)]
    work = f"{each.tasks} tasks" + (f", {each.in_trial} of them in the trial" if each.in_trial else "")
    tasks = [[*who, work, money(each.for_tasks, each.currency), "", _tick_tasks(each)]]
    bonuses = [[*who, escape_html(one.reason), money(one.hundredths, each.currency), moment(one.created), _tick(one)]
               for one in each.bonuses]  # fmt: skip
    return tasks + bonuses


def _tick_tasks(each: Earnings) -> str:
    """What was paid of the tasks, and a button for those that were handed in since."""
    paid = f"{each.tasks_paid} tasks: {money(each.paid_for_tasks, each.currency)}" if each.tasks_paid else ""
    if each.tasks <= each.tasks_paid or not each.for_tasks:
        return paid
    asked = {"worker": each.worker, "tasks": each.tasks}
    return paid + call_form("study_pay_tasks", asked, button("Paid", type="submit"), PAYMENT, "study-inline")


def _tick(bonus: Bonus) -> str:
    if bonus.paid is not None:
        return moment(bonus.paid)
    return call_form("study_mark_paid", {"bonus": bonus.number}, button("Paid", type="submit"), PAYMENT, "study-inline")
