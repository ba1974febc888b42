"""One server for the whole folder, with a study in which a lead and a worker take part."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from annotation.studies.callers import Role
from annotation.studies.people.workers import Credentials, enrol
from annotation.studies.study import open_study
from backend.storage.database import Database
from tests.annotation.studies.small_studies import ratings, write_study
from tests.attack.server import Stranger, parley

REVIEW_CODE = "the-code-of-the-operator"
HEAD = 'title = "Ratings"\ntask = "similarity_rating"\nitems = ["items.jsonl"]\n'


@dataclass(frozen=True)
class Target:
    address: str
    folder: Path
    lead: Credentials
    worker: Credentials
    elsewhere: Credentials  # a worker of another study on the same server

    def log(self) -> str:
        return (self.folder / "log").read_text("utf-8", "replace")


@pytest.fixture(scope="session")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    folder = tmp_path_factory.mktemp("target")
    database = Database(f"sqlite:///{folder / 'parley.sqlite'}")
    study = open_study(database, write_study(folder / "first", HEAD, items__jsonl=ratings(5)))
    other = open_study(database, write_study(folder / "second", HEAD, items__jsonl=ratings(5)))
    people = enrol(study, "Lena", Role.LEAD), enrol(study, "Wim"), enrol(other, "Otto")
    database.close()
    with parley(folder, "--review-code", REVIEW_CODE) as address:
        yield Target(address, folder, *people)


@pytest.fixture
def stranger(target: Target) -> Iterator[Stranger]:
    stranger = Stranger(target.address)
    yield stranger
    stranger.close()
