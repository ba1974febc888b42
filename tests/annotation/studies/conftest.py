"""A clock that is turned by hand, and hashes that are quick."""

import pytest

from annotation.studies import access_codes
from tests.annotation.studies.small_studies import HandClock


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture(autouse=True)
def _quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_codes, "_COST", 2**4)
