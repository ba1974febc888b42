"""Who gets in, how failures are slowed down, and that roles are looked up and not believed."""

import dataclasses
from pathlib import Path

import pytest
from sqlalchemy import select

from annotation.studies import access_codes
from annotation.studies.access_codes import code_fits, hash_code, new_code
from annotation.studies.callers import Caller, Role
from annotation.studies.figures.progress import progress, standing
from annotation.studies.people.sessions import begin_session, session
from annotation.studies.people.workers import (
    add_worker,
    enrol,
    lead_at_terminal,
    list_people,
    renew_credentials,
    sign_in,
    sign_in_by_link,
)
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import study_workers
from annotation.studies.work.grading import review_queue
from annotation.studies.work.leases import next_item
from backend.errors import AnnotationError
from backend.network.attempts import CodeAttempts
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, rating_study

pytestmark = pytest.mark.every_database


@pytest.fixture
def study(database: Database, tmp_path: Path, clock: HandClock) -> Study:
    return rating_study(database, tmp_path / "ratings", clock)


def test_name_and_code_or_link_let_in(study: Study) -> None:
    lead = join(study, "Lena", Role.LEAD)
    made = add_worker(study, lead, "  Ann   Lee ")
    assert sign_in(study, "Ann Lee", made.code, "a") == sign_in_by_link(study, made.link, "a")
    assert sign_in(study, " Ann  Lee ", made.code.upper().replace("-", " "), "a").role is Role.WORKER
    assert [person.name for person in list_people(study, lead)] == ["Lena", "Ann Lee"]
    assert lead_at_terminal(study, "Lena") == lead
    with pytest.raises(CallRefusedError, match="leads are Lena"):
        lead_at_terminal(study, "Ann Lee")


def test_neither_code_nor_link_is_in_the_database(study: Study) -> None:
    made = enrol(study, "Ann")
    with study.database.reading() as connection:
        row = connection.execute(select(study_workers)).one()
    assert row.code.startswith("scrypt$")
    for secret in (made.code, made.code.replace("-", ""), made.link):
        assert secret not in str(row)
    assert "Ann" not in row.pseudonym


def test_a_code_fits_only_its_own_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_codes, "_COST", 2**14)
    code = new_code()
    assert hash_code(code) != hash_code(code)
    assert code_fits(code, hash_code(code))
    assert not code_fits(code + "x", hash_code(code))
    assert not code_fits(code, None)
    assert not code_fits("", "")


def test_new_credentials_end_the_old_ones(study: Study) -> None:
    lead, old = join(study, "Lena", Role.LEAD), enrol(study, "Ann")
    new = renew_credentials(study, lead, old.worker)
    assert sign_in(study, "Ann", new.code, "a").worker == old.worker
    for try_old in (lambda: sign_in(study, "Ann", old.code, "a"), lambda: sign_in_by_link(study, old.link, "a")):
        with pytest.raises(CallRefusedError) as refused:
            try_old()
        assert refused.value.reason is Reason.SIGN_IN


def test_wrong_codes_slow_the_name_down_where_they_are_typed_and_nowhere_else(study: Study) -> None:
    made, seconds = enrol(study, "Ann"), [0.0]
    attempts = CodeAttempts(lambda: seconds[0])
    token = begin_session(study, sign_in(study, "Ann", made.code, "home", attempts))
    reasons = []
    for _ in range(8):
        with pytest.raises(CallRefusedError) as refused:
            sign_in(study, "Ann", "wrong", "elsewhere", attempts)
        reasons.append(refused.value.reason)
    assert reasons == [Reason.SIGN_IN] * 5 + [Reason.SLOW_DOWN] * 3
    with pytest.raises(CallRefusedError, match="Try again in 1 seconds"):
        sign_in(study, "Ann", made.code, "elsewhere", attempts)  # the right code, too soon
    assert sign_in(study, "Ann", made.code, "home", attempts).worker == made.worker
    assert sign_in_by_link(study, made.link, "elsewhere").worker == made.worker
    assert session(study.database, token, study.clock)[1].worker == made.worker
    seconds[0] += 1
    assert sign_in(study, "Ann", made.code, "elsewhere", attempts).worker == made.worker


def test_a_wrong_clock_locks_nobody_out(study: Study, clock: HandClock) -> None:
    made, attempts = enrol(study, "Ann"), CodeAttempts(lambda: 0.0)
    clock.turn(60)
    for _ in range(4):
        with pytest.raises(CallRefusedError):
            sign_in(study, "Ann", "wrong", "here", attempts)
    clock.turn(-60)
    assert sign_in(study, "Ann", made.code, "here", attempts).worker == made.worker


def test_wrong_links_hold_nobody_up_behind_the_same_proxy(study: Study) -> None:
    made = enrol(study, "Ann")
    for attempt in range(60):
        with pytest.raises(CallRefusedError) as refused:
            sign_in_by_link(study, f"guess {attempt}", "proxy")
        assert refused.value.reason is Reason.SIGN_IN
    assert sign_in_by_link(study, made.link, "proxy").worker == made.worker


def test_a_caller_is_not_believed(study: Study, database: Database, tmp_path: Path, clock: HandClock) -> None:
    worker, lead = join(study, "Ann"), join(study, "Lena", Role.LEAD)
    other = rating_study(database, tmp_path / "other", clock)
    for false in (
        dataclasses.replace(worker, role=Role.LEAD),
        dataclasses.replace(worker, worker=10_000),
        Caller(other.id, worker.worker, Role.WORKER),
    ):
        with pytest.raises(CallRefusedError) as refused:
            progress(study, false)
        assert refused.value.reason is Reason.SIGN_IN
    for call in (lambda: review_queue(study, worker), lambda: add_worker(study, worker, "Friend", Role.LEAD)):
        with pytest.raises(CallRefusedError) as refused:
            call()
        assert refused.value.reason is Reason.ROLE
    with pytest.raises(CallRefusedError) as refused:
        next_item(study, lead)
    assert refused.value.reason is Reason.ROLE
    with pytest.raises(CallRefusedError) as refused:
        standing(other, worker)
    assert refused.value.reason is Reason.SIGN_IN


@pytest.mark.parametrize("name", ["", "   ", "x" * 201, "half \ud800", "nul \0"])
def test_a_name_is_a_text_of_some_length(study: Study, name: str) -> None:
    with pytest.raises(AnnotationError):
        enrol(study, name)


def test_a_name_is_given_once(study: Study) -> None:
    enrol(study, "Ann")
    with pytest.raises(AnnotationError, match="already"):
        enrol(study, " Ann ")
