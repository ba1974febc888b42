"""Sessions: they outlive a restart, and end by time, by signing out, and by new credentials."""

from pathlib import Path

import pytest

from annotation.studies.callers import Role
from annotation.studies.people.sessions import LASTS, begin_session, end_session, session
from annotation.studies.people.workers import renew_credentials
from annotation.studies.refusals import CallRefusedError
from annotation.studies.study import Study
from annotation.studies.tables import study_sessions
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, rating_study


@pytest.fixture
def study(database: Database, tmp_path: Path, clock: HandClock) -> Study:
    return rating_study(database, tmp_path / "ratings", clock)


def test_a_token_leads_to_its_owner_also_after_a_restart(study: Study, settings: object) -> None:
    caller = join(study, "Wim")
    token = begin_session(study, caller)
    study.database.close()
    again = Database(settings.database_address)  # type: ignore[attr-defined]
    assert session(again, token, study.clock) == (study.name, caller)
    again.close()


def test_the_database_does_not_hold_the_token(study: Study) -> None:
    token = begin_session(study, join(study, "Wim"))
    with study.database.reading() as connection:
        [row] = connection.execute(study_sessions.select()).all()
    assert token not in map(str, row)


def test_a_session_ends(study: Study, clock: HandClock) -> None:
    caller, lead = join(study, "Wim"), join(study, "Lea", Role.LEAD)
    first, second, third = (begin_session(study, caller) for _ in range(3))
    end_session(study.database, first)
    with pytest.raises(CallRefusedError):
        session(study.database, first, clock)
    clock.turn(LASTS.total_seconds() / 60 - 1)
    assert session(study.database, second, clock)[1] == caller
    renew_credentials(study, lead, caller.worker)
    with pytest.raises(CallRefusedError):
        session(study.database, second, clock)
    fresh = begin_session(study, caller)
    clock.turn(2)
    assert session(study.database, fresh, clock)[1] == caller
    with pytest.raises(CallRefusedError):
        session(study.database, third, clock)
