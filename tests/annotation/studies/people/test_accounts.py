"""Hugging Face accounts: whom they let in, as what, and that a name taken over by another account lets nobody in."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import pytest

from annotation.studies.callers import Caller, Role
from annotation.studies.files.archive import read_archive, write_archive
from annotation.studies.people.accounts import Account, set_account
from annotation.studies.people.joining import open_with_lead, sign_in_by_account
from annotation.studies.people.workers import add_worker, enrol, list_people, sign_in
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.work.grading import eliminate
from annotation.studies.work.leases import next_item
from backend.errors import AnnotationError
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, rating_study

pytestmark = pytest.mark.every_database
OPEN = "[hugging_face]"


@pytest.fixture
def study(database: Database, tmp_path: Path, clock: HandClock) -> Study:
    return rating_study(database, tmp_path / "ratings", clock)


def _come(study: Study, subject: str, username: str) -> Caller:
    return sign_in_by_account(study, Account(subject, username))


def _refused(study: Study, subject: str, username: str) -> str:
    with pytest.raises(CallRefusedError) as refused:
        _come(study, subject, username)
    assert refused.value.reason is Reason.SIGN_IN
    return refused.value.message


def _roles(study: Study) -> dict[str, Role]:
    return {each.name: each.role for each in list_people(study, join(study, f"L{uuid4()}", Role.LEAD))}


def test_an_account_lets_in_whom_a_lead_entered_whatever_the_case(study: Study) -> None:
    lead = join(study, "Lena", Role.LEAD)
    ann = add_worker(study, lead, "Ann", account=" @Ann-Lee ")
    zoe = add_worker(study, lead, "Zoe", Role.LEAD, "zoe")
    assert _come(study, "1", "ANN-lee") == Caller(study.id, ann.worker, Role.WORKER)
    assert _come(study, "2", "zoe") == Caller(study.id, zoe.worker, Role.LEAD)
    assert sign_in(study, "Ann", ann.code, "here").worker == ann.worker
    assert {each.name: each.account for each in list_people(study, lead)} == {"Lena": "", "Ann": "ann-lee", "Zoe": "zoe"}
    assert "does not take part" in _refused(study, "3", "stranger")


def test_an_account_is_known_by_its_subject_and_not_by_its_name(study: Study) -> None:
    ann = enrol(study, "Ann", account="ann").worker
    assert _come(study, "1", "ann").worker == ann
    assert _come(study, "1", "ann-renamed").worker == ann
    assert "Another account was called 'ann'" in _refused(study, "2", "ann")
    assert _come(study, "1", "ann").worker == ann


def test_an_account_lets_in_one_person(study: Study) -> None:
    lead, ann, bob = join(study, "Lena", Role.LEAD), enrol(study, "Ann", account="ann"), enrol(study, "Bob")
    with pytest.raises(AnnotationError, match="'ann' lets somebody into this study already"):
        set_account(study, lead, bob.worker, "ANN")
    with pytest.raises(AnnotationError, match="already"):
        enrol(study, "Other", account="ann")
    assert "Other" not in _roles(study), "all or nothing"
    set_account(study, lead, ann.worker, "ann2")
    set_account(study, lead, bob.worker, "ann")
    assert _come(study, "1", "ann").worker == bob.worker
    with pytest.raises(CallRefusedError, match="has signed in with the account 'ann' already"):
        set_account(study, lead, bob.worker, "bob")
    with pytest.raises(CallRefusedError) as refused:
        set_account(study, _come(study, "1", "ann"), ann.worker, "mine")
    assert refused.value.reason is Reason.ROLE


@pytest.mark.parametrize("name", ["-ann", "ann-", "a b", "änn", "x" * 97, "a/b", "<b>", "a\nb", "@", "аnn"])
def test_what_can_be_no_username_is_refused(study: Study, name: str) -> None:
    with pytest.raises(AnnotationError, match="is no username of Hugging Face"):
        enrol(study, "Ann", account=name)
    with pytest.raises(AnnotationError):
        Account("1", name) and _come(study, "1", name)
    with pytest.raises(CallRefusedError):
        Account("", "ann")


def test_whoever_comes_by_themselves_is_a_worker(database: Database, tmp_path: Path, clock: HandClock) -> None:
    study = rating_study(database, tmp_path / "open", clock, toml=OPEN)
    join(study, "newcomer")
    caller = _come(study, "7", "Newcomer")
    assert caller.role is Role.WORKER
    assert next_item(study, caller).key == "p0"
    assert _come(study, "7", "newcomer") == caller
    roles = _roles(study)
    assert roles.pop("Newcomer (2)") is Role.WORKER
    for code in ("", "none$$", "$"):
        with pytest.raises(CallRefusedError):
            sign_in(study, "Newcomer (2)", code, "here")
    eliminate(study, join(study, "Lena", Role.LEAD), caller.worker, "Not careful.")
    with pytest.raises(CallRefusedError) as refused:
        next_item(study, _come(study, "7", "newcomer"))
    assert refused.value.reason is Reason.ELIMINATED, "nobody comes back as somebody else"


def test_only_listed_accounts_join_and_not_more_than_there_is_room_for(
    database: Database, tmp_path: Path, clock: HandClock
) -> None:
    listed = rating_study(database, tmp_path / "listed", clock, toml=f'{OPEN}\naccounts = ["Ann", "bob"]')
    assert _come(listed, "1", "ann").role is Role.WORKER
    assert "does not take part" in _refused(listed, "2", "cleo")
    small = rating_study(database, tmp_path / "small", clock, toml=f"{OPEN}\nmost = 2")
    enrol(small, "Known", account="known")
    first = _come(small, "1", "ann")
    _come(small, "2", "bob")
    assert "as many people as it takes" in _refused(small, "3", "cleo")
    assert _come(small, "1", "ann") == first
    assert _come(small, "4", "known").role is Role.WORKER, "whom a lead entered needs no room"
    with pytest.raises(AnnotationError, match=r"line 5: hugging_face\.accounts.*no username"):
        rating_study(database, tmp_path / "bad", clock, toml=f'{OPEN}\naccounts = ["no name"]')


def test_whoever_comes_twice_at_once_joins_once(database: Database, tmp_path: Path, clock: HandClock) -> None:
    study = rating_study(database, tmp_path / "open", clock, toml=f"{OPEN}\nmost = 3")

    def come(number: int) -> int | None:
        try:
            return _come(study, f"{number % 5}", f"user{number % 5}").worker
        except CallRefusedError:
            return None

    with ThreadPoolExecutor(10) as pool:
        found = list(pool.map(come, range(30)))
    assert len({worker for worker in found if worker is not None}) == 3
    for person in range(5):
        assert len(set(found[person::5])) == 1


def test_a_server_without_a_terminal_has_its_lead(database: Database, tmp_path: Path, study: Study) -> None:
    folder = tmp_path / "ratings"
    for _ in range(2):  # every start
        opened = open_with_lead(database, folder, "Lena-Lab")
        assert opened.id == study.id
    assert _come(study, "1", "lena-lab").role is Role.LEAD
    enrol(study, "Ann", account="ann")
    with pytest.raises(AnnotationError, match="'ann' is a worker"):
        open_with_lead(database, folder, "ann")
    assert open_with_lead(database, folder, None).id == study.id


def test_an_archive_has_accounts_only_with_names(study: Study, tmp_path: Path) -> None:
    ann = enrol(study, "Ann", account="ann-lee")
    _come(study, "subject-of-ann", "ann-lee")
    without, whole = write_archive(study).decode(), write_archive(study, names=True)
    assert "ann-lee" not in without
    assert "subject-of-ann" not in without
    other = Database(f"sqlite:///{tmp_path / 'other.sqlite'}")
    copy = read_archive(other, whole)
    came = _come(copy, "subject-of-ann", "whatever")
    assert {each.worker: each.name for each in list_people(copy, join(copy, "L", Role.LEAD))}[came.worker] == "Ann"
    assert ann.name == "Ann"
    read_archive(other, without.encode(), "without")
    other.close()
