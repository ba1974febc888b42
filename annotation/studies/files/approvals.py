"""Who is approved on the platform that sent them, and with which bonus, in the form that each platform takes.

The ids of the platform stand in these files, since it knows people by nothing else; no other export has them without names.
The forms are those that the platforms document; nothing is sent to them from here.
"""

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, select

from annotation.studies.callers import Caller, Phase, Role, lead_calling
from annotation.studies.people.recruited import CAME, CODE_SHOWN, withdrew
from annotation.studies.people.rights import ERASED
from annotation.studies.recruiting import Recruiting
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_events, study_workers
from annotation.studies.work.bonuses import Earnings, all_earnings
from annotation.studies.work.leases import RETRACTED, SUBMITTED
from annotation.words.catalogue import translate
from backend.errors import AnnotationError
from backend.text.csv_cells import csv_text, safe_cell

Decision = Literal["approve", "reject", "screened out", "returned", "unfinished"]
COLUMNS = ("id", "pseudonym", "decision", "code", "finished", "tasks", "accepted", "rejected", "bonus", "currency", "reason")
# Columns of the file of results that Mechanical Turk has for a batch.
WORKER, ASSIGNMENT, STATUS, APPROVE, REJECT, SURVEY_CODE = (
    "WorkerId", "AssignmentId", "AssignmentStatus", "Approve", "Reject", "Answer.surveycode",
)  # fmt: skip


@dataclass(frozen=True)
class Approval:
    """`decision`: "approve" who was shown the code `completed`; "reject" whose part a lead or a rule ended and whose answers
    were taken back or all rejected; "screened out" whose part ended otherwise; "returned" who left; else "unfinished".

    `code`: the kind of code that was shown last, or ""; `bonus`: in hundredths, without what is ticked off as paid.
    """

    identity: str
    pseudonym: str
    decision: Decision
    code: str
    finished: str
    tasks: int
    accepted: int
    rejected: int
    bonus: int
    currency: str
    reason: str


@dataclass(frozen=True)
class FilledBatch:
    """A file of results with its columns Approve and Reject filled in; `left`: (worker id, why nothing stands there)."""

    content: bytes
    approved: int
    rejected: int
    left: tuple[tuple[str, str], ...]


def approvals(study: Study) -> list[Approval]:
    """Everybody whom the platform sent, as they came. Raises AnnotationError if the study takes nobody from a platform."""
    rule = study.plan.file.recruiting
    if rule is None:
        raise AnnotationError(translate("This study takes nobody from a platform: its study.toml has no [recruiting]."))
    earned = {each.worker: each for each in all_earnings(study)}
    with study.database.reading() as connection:
        came = select(study_events.c.worker).where(study_events.c.study == study.id, study_events.c.once == CAME)
        people = select(study_workers).where(study_workers.c.id.in_(came), study_workers.c.role == Role.WORKER.value)
        rows = connection.execute(people.order_by(study_workers.c.id)).all()
        verdicts, events = _verdicts(connection, study), _events(connection, study)
        return [
            _approval(connection, rule, row, verdicts[row.id], events[row.id], earned[row.id])
            for row in rows
            if row.name.startswith(rule.prefix)  # of people who were erased the id is gone
        ]


def write_approvals(study: Study, kind: str) -> bytes:
    """`kind`: one of PLATFORM_FILES. Raises AnnotationError if there is no such file."""
    if kind not in PLATFORM_FILES:
        raise AnnotationError(
            translate(
                "There is no file {kind} for a platform; choose {names}.", kind=repr(kind), names=", ".join(PLATFORM_FILES)
            )
        )
    return PLATFORM_FILES[kind](approvals(study)).encode()


def approvals_for(study: Study, lead: Caller, kind: str) -> bytes:
    """As `write_approvals`, for a lead. Raises Refused (ROLE) for a worker."""
    with study.database.reading() as connection:
        lead_calling(connection, study, lead)
    return write_approvals(study, kind)


def fill_batch(study: Study, content: bytes) -> FilledBatch:
    """Fill in the file of results of a batch of Mechanical Turk: "x" in Approve, or the reason in Reject.

    Only rows that wait there (AssignmentStatus Submitted), and only where the code that was typed (Answer.surveycode, if there
    is such a column) is that of the study. All else stays as it is. Raises AnnotationError for a file without WorkerId and
    AssignmentId.
    """
    known = {each.identity: each for each in approvals(study)}
    rows = _batch_rows(content)
    columns = list(dict.fromkeys([*rows[0], APPROVE, REJECT]))
    counts, left = Counter[str](), []
    for row in rows:
        decision, why = _in_batch(study.plan.file.recruiting, row, known.get(row[WORKER]))
        counts[decision] += 1
        if decision == "approve":
            row[APPROVE] = "x"
        elif decision == "reject":
            row[REJECT] = str(safe_cell(known[row[WORKER]].reason))
        elif why:
            left.append((row[WORKER], why))
    return FilledBatch(_written(columns, rows), counts["approve"], counts["reject"], tuple(left))


def _batch_rows(content: bytes) -> list[dict[str, str]]:
    try:
        rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise AnnotationError(translate("The file of results is no CSV file in UTF-8.")) from error
    if not rows or not {WORKER, ASSIGNMENT} <= rows[0].keys():
        raise AnnotationError(
            translate(
                "The file of results needs the columns {worker} and {assignment} and a row of a submission.",
                worker=WORKER,
                assignment=ASSIGNMENT,
            )
        )
    return [{name: value or "" for name, value in row.items() if name is not None} for row in rows]


def _in_batch(rule: Recruiting | None, row: Mapping[str, str], known: Approval | None) -> tuple[str, str]:
    """The decision on a row, and why there is none."""
    if row.get(STATUS, "Submitted") != "Submitted":
        return "", ""
    if known is None:
        return "", "nobody came to the study with this id"
    expected = {"approve": rule.completed, "reject": rule.ended}.get(known.decision) if rule else None
    if expected is None:
        return "", known.decision
    typed = row.get(SURVEY_CODE)
    if known.decision == "approve" and typed is not None and typed.strip().casefold() != expected.strip().casefold():
        return "", f"typed the code {typed!r:.40}"
    return known.decision, ""


def _written(columns: list[str], rows: list[dict[str, str]]) -> bytes:
    """As Mechanical Turk wrote it: it is read there again, and its own columns have to stay what they were."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, restval="", quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _approval(
    connection: Connection, rule: Recruiting, row: Any, verdicts: Counter[str], events: Mapping[str, Any], earned: Earnings
) -> Approval:  # fmt: skip
    shown = events.get(CODE_SHOWN)
    ended = events.get("eliminated")
    decision: Decision = "unfinished"
    reason = ""
    if row.phase == Phase.ELIMINATED:
        standing = verdicts.total() - verdicts["rejected"] - verdicts[RETRACTED]
        worthless = verdicts.total() > 0 and standing == 0
        decision = "returned" if withdrew(connection, row.id) else "reject" if worthless else "screened out"
        reason = str(ended.content.get("feedback", "")) if ended else ""
    elif shown is not None:
        decision = "approve"
    return Approval(
        row.name.removeprefix(rule.prefix), row.pseudonym, decision, shown.content["code"] if shown else "",
        shown.created.isoformat(timespec="seconds") if shown else "", earned.tasks,
        verdicts["accepted"] + verdicts["edited"], verdicts["rejected"], _bonus(rule, earned), earned.currency, reason,
    )  # fmt: skip


def _bonus(rule: Recruiting, earned: Earnings) -> int:
    """What the platform does not pay by itself: with a reward all that was earned beyond it, else bonuses alone."""
    bonuses = sum(bonus.hundredths for bonus in earned.bonuses if bonus.paid is None)
    if rule.reward is None:
        return bonuses
    return max(0, earned.total - max(int(rule.reward * 100), earned.total - earned.due))


def _verdicts(connection: Connection, study: Study) -> dict[int, Counter[str]]:
    """By worker, how many of their answers have which verdict, or were taken back."""
    table = study_assignments
    states = (SUBMITTED, RETRACTED, ERASED)
    query = select(table.c.worker, table.c.state, table.c.verdict).where(table.c.study == study.id, table.c.state.in_(states))
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for row in connection.execute(query):
        counts[row.worker][row.verdict if row.state == SUBMITTED else row.state] += 1
    return counts


def _events(connection: Connection, study: Study) -> dict[int, dict[str, Any]]:
    """By worker, the last event of each kind that tells how their part ended."""
    events = study_events
    query = select(events).where(events.c.study == study.id, events.c.kind.in_((CODE_SHOWN, "eliminated")))
    last: dict[int, dict[str, Any]] = defaultdict(dict)
    for row in connection.execute(query.order_by(events.c.id)):
        last[row.worker][row.kind] = row
    return last


def _table(rows: list[Approval]) -> str:
    """Everybody, with the decision and its reason."""
    lines = [
        (each.identity, each.pseudonym, each.decision, each.code, each.finished, each.tasks, each.accepted, each.rejected,
         _amount(each.bonus), each.currency, each.reason)
        for each in rows
    ]  # fmt: skip
    return csv_text([COLUMNS, *lines])


def _approved(rows: list[Approval]) -> str:
    """Ids, one a line: for the bulk approval of Prolific, and the granting of credit of SONA."""
    return "".join(f"{each.identity}\n" for each in rows if each.decision == "approve")


def _bonuses(rows: list[Approval]) -> str:
    """`id,amount` a line and no head, for the bulk bonuses of Prolific."""
    return "".join(f"{each.identity},{_amount(each.bonus)}\n" for each in rows if each.decision == "approve" and each.bonus)


def _amount(hundredths: int) -> str:
    return f"{hundredths / 100:.2f}"


PLATFORM_FILES: Mapping[str, Callable[[list[Approval]], str]] = {
    "approvals.csv": _table,
    "approve.txt": _approved,
    "bonuses.csv": _bonuses,
}
