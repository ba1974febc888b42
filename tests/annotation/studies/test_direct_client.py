"""A plain HTTP client that shows no screen: whatever it skips, forges or exceeds is refused in words, and nothing is stored."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from annotation.studies.callers import Role
from annotation.studies.people.sessions import LASTS
from annotation.studies.shelf import OpenStudies
from annotation.studies.study import Study, open_study
from annotation.ui.endpoints import CALLS
from backend.network.checked_calls import NO_SESSION
from backend.storage.database import Database, metadata
from benchmarks.study.client import StudyClient
from tests.annotation.studies.served_studies import Person, endpoints_of
from tests.annotation.studies.small_studies import HandClock, rating_study, ratings, write_study

pytestmark = pytest.mark.slow

TOML = """
title = "Ratings"
task = "similarity_rating"
items = ["items.jsonl"]
cap = 3
lease_minutes = 30
[consent]
text = "consent.md"
[tutorial]
slides = "slides"
[quiz]
questions = "quiz.toml"
draw = 1
pass_mark = 1
wait_minutes = 10
[trial]
items = "trial.jsonl"
tasks = 1
[batches]
start = 2
spot_check = 0
"""
QUIZ = '[[question]]\nquestion = "1 + 1?"\noptions = ["2", "3"]\ncorrect = "2"\n'
RIGHT, WRONG = {"1": "2"}, {"1": "3"}
FINE = {"rating": 4}
_ROWS = {table.name: f"SELECT * FROM {table.name} ORDER BY {', '.join(table.primary_key.columns.keys())}"
         for table in metadata.sorted_tables if table.name.startswith("stud")}  # fmt: skip
names = (f"person {number}" for number in count())


@dataclass(frozen=True)
class Served:
    """`study` has every phase, `plain` only tasks; both are in one database."""

    study: Study
    plain: Study
    client: StudyClient
    clock: HandClock

    def worker(self, study: Study | None = None) -> Person:
        return Person(self.client, study or self.study, next(names))

    def lead(self, study: Study | None = None) -> Person:
        return Person(self.client, study or self.study, next(names), Role.LEAD)

    def everything(self) -> dict[str, str]:
        """All rows of all tables as the database has them, but for the count of failed attempts to sign in."""
        with self.study.database.reading() as connection:
            return {name: repr(connection.exec_driver_sql(rows).all()) for name, rows in _ROWS.items()}

    def refused(self, reason: str, call: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        before = self.everything()
        reply = call()
        assert (reply["ok"], reply["reason"]) == (False, reason), reply
        assert len(reply["message"].split()) > 3
        assert reply["message"].endswith((".", "!"))
        assert self.everything() == before
        return reply


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder, clock = tmp_path_factory.mktemp("served"), HandClock()
    on_server = request.param == "postgresql"
    address = request.getfixturevalue("postgresql").empty_database() if on_server else f"sqlite:///{folder / 'parley.sqlite'}"
    database = Database(address)
    study = open_study(database, _full_study(folder / "full"), clock)
    plain = rating_study(database, folder / "plain", clock, 40)
    with endpoints_of(OpenStudies(database, clock)) as port:
        client = StudyClient(port, session=NO_SESSION)
        yield Served(study, plain, client, clock)
        client.close()
    database.close()


def _full_study(folder: Path) -> Path:
    write_study(folder / "slides", "", one__md="# One", two__md="# Two")
    return write_study(folder, TOML, items__jsonl=ratings(20, "w"), trial__jsonl=ratings(1, "t"), consent__md="Yes?",
                       quiz__toml=QUIZ)  # fmt: skip


def _to_quiz(worker: Person) -> None:
    worker.must("agree")
    for slide in (1, 2):
        worker.must("see_slide", slide=slide)


def _to_trial(worker: Person) -> None:
    _to_quiz(worker)
    worker.must("submit_quiz", attempt=worker.must("quiz")["attempt"], answers=RIGHT)


def _hand_in(worker: Person) -> str:
    given = worker.must("next")
    worker.must("submit", key=given["key"], answer=FINE, submission=f"{worker.number}/{given['key']}")
    return str(given["key"])


def _to_tasks(served: Served, worker: Person, lead: Person) -> None:
    _to_trial(worker)
    _hand_in(worker)
    table = metadata.tables["study_assignments"]
    with served.study.database.reading() as connection:
        done = connection.execute(select(table).where(table.c.worker == worker.number)).one()
    lead.must("review", assignment=done.id, number=done.number, verdict="accepted", feedback="")
    lead.must("decide_trial", worker=worker.number, decision="pass", feedback="Good.")


def test_no_phase_is_skipped(served: Served) -> None:
    worker = served.worker()
    work: list[tuple[str, dict[str, Any]]] = [
        ("next", {}),
        ("submit", {"key": "w0", "answer": FINE, "submission": "s"}),
        ("skip", {"key": "w0", "text": "too hard"}),
    ]
    quiz: list[tuple[str, dict[str, Any]]] = [("quiz", {}), ("submit_quiz", {"attempt": 1, "answers": RIGHT})]
    for name, asked in [("see_slide", {"slide": 1}), *quiz, *work]:
        served.refused("phase", lambda name=name, asked=asked: worker.call(name, asked))
    worker.must("agree")
    worker.must("see_slide", slide=1)
    for name, asked in [*quiz, *work]:
        served.refused("phase", lambda name=name, asked=asked: worker.call(name, asked))
    served.refused("unknown", lambda: worker.call("see_slide", slide=3))
    worker.must("see_slide", slide=2)
    for name, asked in work:
        served.refused("phase", lambda name=name, asked=asked: worker.call(name, asked))
    assert worker.must("standing")["phase"] == "quiz"
    assert worker.must("quiz")["attempt"] == 1


def test_the_quiz_is_not_tried_again_before_its_time(served: Served) -> None:
    worker = served.worker()
    _to_quiz(worker)
    served.refused("unknown", lambda: worker.call("submit_quiz", attempt=1, answers=RIGHT))  # not drawn yet
    attempt = worker.must("quiz")["attempt"]
    served.refused("answer", lambda: worker.call("submit_quiz", attempt=attempt, answers={"1": "4"}))
    assert not worker.must("submit_quiz", attempt=attempt, answers=WRONG)["passed"]
    served.refused("unknown", lambda: worker.call("submit_quiz", attempt=attempt, answers=RIGHT))
    served.refused("unknown", lambda: worker.call("submit_quiz", attempt=attempt + 1, answers=RIGHT))
    served.clock.turn(9)
    told = served.refused("wait", lambda: worker.call("quiz"))
    assert datetime.fromisoformat(told["until"]) - served.clock() == timedelta(minutes=1)
    served.clock.turn(1)
    assert worker.must("submit_quiz", attempt=worker.must("quiz")["attempt"], answers=RIGHT)["passed"]


def test_what_is_lent_to_another_is_out_of_reach(served: Served) -> None:
    mine, other = served.worker(served.plain), served.worker(served.plain)
    theirs = other.must("next")["key"]
    mine.must("next")
    for name, asked in (
        ("submit", {"answer": FINE, "submission": "s"}),
        ("save_draft", {"field": "rating", "value": 3, "version": 1}),
        ("renew_lease", {}),
        ("skip", {"text": "why not"}),
        ("flag", {"text": "odd"}),
        ("comment", {"text": "hm"}),
    ):
        served.refused("lease", lambda name=name, asked=asked: mine.call(name, {"key": theirs, **asked}))
    served.refused("unknown", lambda: mine.call("edit", key=theirs, answer=FINE, submission="s"))
    assert mine.must("history", key=theirs)["history"] == []
    other.must("submit", key=theirs, answer=FINE, submission="s")
    served.refused("lease", lambda: mine.call("submit", key=theirs, answer=FINE, submission="s"))  # the id of another's


def test_a_lease_that_has_run_out_is_not_handed_in(served: Served) -> None:
    worker = served.worker(served.plain)
    key = worker.must("next")["key"]
    served.clock.turn(31)
    served.refused("lease", lambda: worker.call("submit", key=key, answer=FINE, submission="late"))
    served.refused("lease", lambda: worker.call("renew_lease", key=key))


def test_neither_batch_nor_cap_is_exceeded(served: Served) -> None:
    worker, lead = served.worker(), served.lead()
    _to_tasks(served, worker, lead)
    done = [_hand_in(worker) for _ in range(2)]
    served.refused("grading", lambda: worker.call("next"))
    lead.must("release", worker=worker.number)
    done.append(_hand_in(worker))
    assert len(set(done)) == 3
    served.refused("finished", lambda: worker.call("next"))
    for key in (*done, "w19", "t0"):
        told = worker.call("submit", key=key, answer={"rating": 1}, submission="one more")
        assert (told["ok"], told["reason"]) == (False, "lease")
    served.refused("lease", lambda: worker.call("submit", key="w19", answer=FINE, submission="one more"))
    assert worker.must("standing")["done"] == 3


def test_an_answer_counts_once_however_often_it_is_sent(served: Served) -> None:
    worker = served.worker(served.plain)
    given = worker.must("next")
    asked = {"key": given["key"], "answer": FINE, "submission": "once"}
    first = worker.must("submit", **asked)
    before = served.everything()
    assert worker.must("submit", **asked) == first
    assert worker.must("submit", **asked | {"answer": {"rating": 1}}) == first
    assert served.everything() == before


def test_a_worker_is_no_lead_and_a_lead_no_worker(served: Served) -> None:
    worker, lead = served.worker(), served.lead()
    about: list[tuple[str, dict[str, Any]]] = [
        ("review", {"assignment": 1, "number": 1, "verdict": "accepted", "feedback": ""}),
        ("decide_trial", {"worker": worker.number, "decision": "pass", "feedback": "Let me in"}),
        ("eliminate", {"worker": worker.number, "reason": "no"}),
        ("release", {"worker": worker.number}),
        ("add_worker", {"name": "Mallory", "role": "lead"}),
        ("renew_credentials", {"worker": lead.number}),
        ("bonus", {"worker": worker.number, "reason": "rich", "amount": "100"}),
        ("mark_paid", {"bonus": 1}),
        ("export", {"kind": "jsonl", "accepted_only": False, "trial": False, "names": True}),
    ]
    for name, asked in about:
        served.refused("role", lambda name=name, asked=asked: worker.call(name, asked))
    for page in ("progress", "review", "worker", "people", "payment", "export", "events"):
        assert worker.must("page", page=page, worker=worker.number)["page"] == "work"
    for name in ("next", "agree", "quiz", "submit", "save_draft", "skip"):
        asked = {"key": "w0", "answer": FINE, "submission": "s", "field": "rating", "value": 3, "version": 1, "text": "hm"}
        served.refused("role", lambda name=name, asked=asked: lead.call(name, asked))


def test_no_call_gets_past_a_token_that_is_not_its_own(served: Served) -> None:
    worker = served.worker(served.plain)
    good, before = worker.token, served.everything()
    for forged in ("", "x" * 43, good[:-1], good + "A", good.swapcase(), f"{good} ", "' OR 1=1 --", "\0", "ü" * 1000):
        for name in CALLS if forged in ("", good.swapcase()) else ("study_next", "study_export"):
            reply = served.client.call(name, forged, {"key": "p0"})
            assert (reply["ok"], reply["reason"]) == (False, "sign in"), (name, reply)
    assert served.everything() == before


def test_a_token_ends(served: Served) -> None:
    lead = served.lead(served.plain)
    signed_out, renewed, old = (served.worker(served.plain) for _ in range(3))
    assert served.client.call("study_sign_out", signed_out.token)["ok"]
    lead.must("renew_credentials", worker=renewed.number)
    for worker in (signed_out, renewed):
        served.refused("sign in", lambda worker=worker: worker.call("next"))
    served.refused("sign in", lambda: served.client.call("study_sign_in", {"study": "plain", "link": renewed.link}))
    old.must("next")
    served.clock.turn(LASTS / timedelta(minutes=1) + 1)
    told = served.refused("sign in", lambda: old.call("next"))
    assert "Sign in again" in told["message"]
    old.sign_in("plain")
    old.must("next")


def test_another_study_is_out_of_reach(served: Served) -> None:
    here, there = served.worker(served.plain), served.worker()
    for name, asked in (
        ("submit", {"answer": FINE, "submission": "s"}),
        ("save_draft", {"field": "rating", "value": 3, "version": 1}),
        ("history", {}),
        ("flag", {"text": "odd"}),
    ):
        served.refused("unknown", lambda name=name, asked=asked: here.call(name, {"key": "w0", **asked}))
    served.refused("sign in", lambda: served.client.call("study_sign_in", {"study": "plain", "link": there.link}))
    lead = served.lead(served.plain)
    for name, asked in (
        ("decide_trial", {"decision": "pass", "feedback": "Good."}),
        ("eliminate", {"reason": "no"}),
        ("release", {}),
        ("renew_credentials", {}),
        ("bonus", {"reason": "rich", "amount": "1"}),
    ):
        served.refused("unknown", lambda name=name, asked=asked: lead.call(name, {"worker": there.number, **asked}))


@pytest.mark.parametrize("answer", [{}, {"rating": 5}, {"rating": True}, {"rating": "4"}, {"other": 4}, [], "4"])
def test_an_answer_of_another_form_is_refused(served: Served, answer: Any) -> None:
    worker = served.worker(served.plain)
    key = worker.must("next")["key"]
    served.refused("answer", lambda: worker.call("submit", key=key, answer=answer, submission="s"))
    worker.must("skip", key=key, text="for the next test")


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"key": 5},
        {"key": ["p0"]},
        {"key": "p0", "field": "rating", "value": {"a": 1}, "version": 1},
        {"key": "p0", "field": "rating", "value": 3, "version": -1},
        {"key": "p0", "field": "rating", "value": 3, "version": 2**40},
        {"key": "p0", "field": "rating", "value": "nul \0", "version": 1},
        {"slide": "one", "attempt": 1.5, "answers": [1], "answer": 7, "submission": 3, "page": 7, "worker": "x", "text": 8},
    ],
)
def test_nonsense_is_told_in_words_and_never_a_defect(served: Served, asked: dict[str, Any]) -> None:
    worker, lead = served.worker(served.plain), served.lead(served.plain)
    worker.must("next")
    for name in CALLS:
        for person in (worker, lead):
            reply = person.call(name.removeprefix("study_"), asked)
            assert reply["ok"] or reply["reason"] != "defect", (name, asked, reply)


@pytest.mark.parametrize("asked", [[1], "text", 5, True])
def test_what_is_asked_is_a_mapping(served: Served, asked: Any) -> None:
    worker = served.worker(served.plain)
    for name in CALLS:
        reply = served.client.call(name, worker.token, asked)
        assert reply["ok"] or reply["reason"] != "defect", (name, asked, reply)


@pytest.mark.parametrize("token", [None, 5, [], ["x"], {"a": 1}, True])
def test_a_token_is_a_text(served: Served, token: Any) -> None:
    served.refused("sign in", lambda: served.client.call("study_next", token, {}))
    assert served.client.call("study_sign_out", token).get("reason") != "defect"


def test_nothing_is_stored_for_a_token_or_a_question_of_another_type(served: Served) -> None:
    worker = served.worker(served.plain)
    before = served.everything()
    for odd in ([1], ["x"], {"a": 1}, "text", 5, True, None):
        replies = [served.client.call(name, odd, {"key": "p0"}) for name in CALLS]
        replies += [served.client.call("study_sign_out", odd)] if odd is not None else []
        assert not any(reply["ok"] for reply in replies[: len(CALLS)])
        assert not isinstance(odd, dict) or not worker.call("submit", odd)["ok"]
    assert served.everything() == before
