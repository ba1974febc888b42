"""What a lead's browser may call. That a lead calls is checked by the protocol each time, whatever the screen shows."""

import gzip
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import asdict
from decimal import Decimal, InvalidOperation
from io import BytesIO

from annotation.studies.callers import Caller, Role
from annotation.studies.figures.results import AnswerFilter
from annotation.studies.files.archive import whole_study
from annotation.studies.files.export import export
from annotation.studies.people.accounts import set_account
from annotation.studies.people.workers import Credentials, add_worker, add_workers, renew_credentials
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.work.bonuses import give_bonus, mark_paid, pay_tasks
from annotation.studies.work.grading import LeadVerdict, decide_trial, eliminate, release_batch, review, take_back
from annotation.studies.work.readmission import readmit
from annotation.studies.work.withdrawal import put_back, withdraw
from annotation.web.asked import Asked, Reply, answer, number, text
from annotation.words.catalogue import translate

ARCHIVE = "archive"  # not among the exports: it holds everything, whatever is chosen
MOST_AT_ONCE = 200
ENDINGS = {
    "answers": "answers.jsonl",
    "log": "log.jsonl",
    "payment": "payment.csv",
    "table.csv": "table.csv",
    "table.parquet": "table.parquet",
    "labels.csv": "labels.csv",
    "labels.jsonl": "labels.jsonl",
    ARCHIVE: "archive.jsonl",
}


def decide(study: Study, caller: Caller, asked: Asked) -> Reply:
    verdict = text(asked, "verdict")
    if verdict not in set(LeadVerdict) - {LeadVerdict.NONE}:
        raise CallRefusedError(
            Reason.ANSWER, translate("A verdict is accepted, edited or rejected, not {verdict}.", verdict=f"{verdict!r:.50}")
        )
    final = answer(asked, "final") if verdict == LeadVerdict.EDITED else None
    which, seen = number(asked, "assignment"), number(asked, "number")
    review(study, caller, which, seen, LeadVerdict(verdict), text(asked, "feedback"), final)
    return {"message": translate("Saved: {verdict}.", verdict=translate(verdict))}


def undo(study: Study, caller: Caller, asked: Asked) -> Reply:
    take_back(study, caller, number(asked, "assignment"), number(asked, "number"))
    return {"message": translate("The verdict is taken back; the answer waits for another one.")}


def decide_on_trial(study: Study, caller: Caller, asked: Asked) -> Reply:
    passed = text(asked, "decision")
    if passed not in ("pass", "eliminate"):
        raise CallRefusedError(Reason.ANSWER, translate("The decision on a trial is pass or eliminate."))
    phase = decide_trial(study, caller, number(asked, "worker"), passed == "pass", text(asked, "feedback"))
    return {
        "phase": phase.value,
        "message": translate("Passed: the tasks are open now.") if passed == "pass" else translate("Eliminated."),
    }


def end_part(study: Study, caller: Caller, asked: Asked) -> Reply:
    eliminate(study, caller, number(asked, "worker"), text(asked, "reason"))
    return {"message": translate("Their part has ended.")}


def next_batch(study: Study, caller: Caller, asked: Asked) -> Reply:
    released = release_batch(study, caller, number(asked, "worker"))
    message = (
        translate("Batch {batch} is released with {size} tasks.", batch=released.batch, size=released.size)
        if released.size
        else translate("The last batch is passed.")
    )
    return {**asdict(released), "message": message}


def begin_again(study: Study, caller: Caller, asked: Asked) -> Reply:
    phase = readmit(study, caller, number(asked, "worker"), text(asked, "message"))
    return {"phase": phase.value, "message": translate("They are in again: {phase}.", phase=translate(phase.value))}


def take_out(study: Study, caller: Caller, asked: Asked) -> Reply:
    withdraw(study, caller, text(asked, "key"), text(asked, "reason"))
    return {"message": translate("Withdrawn: nobody gets this item any more. Its answers stay.")}


def bring_back(study: Study, caller: Caller, asked: Asked) -> Reply:
    put_back(study, caller, text(asked, "key"), text(asked, "reason"))
    return {"message": translate("The item is given out again.")}


def account(study: Study, caller: Caller, asked: Asked) -> Reply:
    set_account(study, caller, number(asked, "worker"), text(asked, "account"))
    return {"message": translate("They can sign in with this account now.")}


def let_in(study: Study, caller: Caller, asked: Asked) -> Reply:
    role = text(asked, "role", Role.WORKER.value)
    if role not in set(Role):
        raise CallRefusedError(Reason.ANSWER, translate("A role is worker or lead."))
    made = add_worker(study, caller, text(asked, "name"), Role(role), text(asked, "account").strip())
    return _credentials_reply(study, made)


def let_many_in(study: Study, caller: Caller, asked: Asked) -> Reply:
    """A worker for each line: a name, and after a comma perhaps a Hugging Face account."""
    rows = [line.partition(",") for line in text(asked, "names").splitlines() if line.strip()]
    if not 0 < len(rows) <= MOST_AT_ONCE:
        raise CallRefusedError(Reason.ANSWER, translate("Write 1 to {most} names, one a line.", most=MOST_AT_ONCE))
    made = add_workers(study, caller, [(name.strip(), account.strip()) for name, _, account in rows])
    people = [{"name": each.name, "code": each.code, "link": each.link} for each in made]
    return {"study": study.name, "people": people, "message": translate("")}


def let_in_again(study: Study, caller: Caller, asked: Asked) -> Reply:
    return _credentials_reply(study, renew_credentials(study, caller, number(asked, "worker")))


def bonus(study: Study, caller: Caller, asked: Asked) -> Reply:
    """`amount` in units of the currency, such as "2.50"."""
    try:
        hundredths = Decimal(text(asked, "amount").strip().replace(",", ".")) * 100
        whole = int(hundredths)
    except (InvalidOperation, ValueError, OverflowError) as error:
        raise CallRefusedError(Reason.ANSWER, translate("An amount is a number such as 2.50.")) from error
    if whole != hundredths:
        raise CallRefusedError(Reason.ANSWER, translate("An amount has at most two decimals, such as 2.50."))
    give_bonus(study, caller, number(asked, "worker"), text(asked, "reason"), whole)
    return {"message": translate("The bonus is noted.")}


def tick_off(study: Study, caller: Caller, asked: Asked) -> Reply:
    mark_paid(study, caller, number(asked, "bonus"))
    return {"message": translate("Ticked off as paid.")}


def tick_off_tasks(study: Study, caller: Caller, asked: Asked) -> Reply:
    """`tasks`: how many in all, as the lead saw it, so that nothing is ticked off that came since."""
    hundredths = pay_tasks(study, caller, number(asked, "worker"), number(asked, "tasks"))
    return {"hundredths": hundredths, "message": translate("Ticked off as paid: {amount}.", amount=f"{hundredths / 100:,.2f}")}


def file(study: Study, caller: Caller, asked: Asked) -> Reply:
    """A file in base64, since some are not text; where `packed` is asked for, by gzip, since a study can be large."""
    kind, choice, packed = text(asked, "kind"), _choice(asked), bool(asked.get("packed"))
    pieces = whole_study(study, caller, choice.names) if kind == ARCHIVE else iter((export(study, caller, kind, choice),))
    content = _packed(pieces) if packed else b"".join(pieces)
    name = f"{study.name}-{ENDINGS.get(kind) or _file_name(kind)}"
    return {"file": {"name": name, "base64": b64encode(content).decode(), "packed": packed}}


def _packed(pieces: Iterator[bytes]) -> bytes:
    """Pieces of a file, packed one after another, so that a large file is never whole in memory."""
    result = BytesIO()
    with gzip.GzipFile(fileobj=result, mode="wb", compresslevel=6, mtime=0) as file:
        for piece in pieces:
            file.write(piece)
    return result.getvalue()


def _choice(asked: Asked) -> AnswerFilter:
    share = text(asked, "attention").strip().replace(",", ".")
    try:
        attention = float(share) if share else None
    except ValueError:
        attention = -1.0
    if attention is not None and not 0 <= attention <= 1:
        raise CallRefusedError(
            Reason.ANSWER, translate("The share of attention items passed is a number from 0 to 1, such as 0.8.")
        )
    names = ("accepted_only", "trial", "names", "passed_batches", "without_ended", "without_remarks")
    return AnswerFilter(**{name: bool(asked.get(name)) for name in names}, attention=attention)


def _file_name(kind: str) -> str:
    return kind if "." in kind else f"results.{kind}"


def _credentials_reply(study: Study, made: Credentials) -> Reply:
    return {"study": study.name, "worker": made.worker, "name": made.name, "role": made.role.value, "code": made.code,
            "link": made.link}  # fmt: skip
