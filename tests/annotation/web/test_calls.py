"""Calls of screens: nobody gets in without a token, no worker calls what is for leads, whatever is asked has an answer."""

import base64
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.studies.callers import Caller, Role
from annotation.studies.files.export import export
from annotation.studies.item_files import ItemKind
from annotation.studies.people.sessions import begin_session
from annotation.studies.people.workers import enrol
from annotation.studies.shelf import OpenStudies
from annotation.studies.study import Study, count_items
from annotation.studies.tables import study_events
from annotation.studies.work.answers import flag
from annotation.studies.work.leases import next_item
from annotation.ui.endpoints import CALLS, answered, let_in
from annotation.web.asked import Asked, Reply, mapping
from annotation.web.pages import OF_LEADS, OF_WORKERS
from annotation.web.sign_in import door
from backend.errors import AnnotationError
from backend.storage.database import Database, now
from tests.annotation.studies.small_studies import join, plausible, rating_study, ratings

JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=8),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
                    max_leaves=6)  # fmt: skip
NAMES = ("key", "field", "value", "version", "answer", "answers", "submission", "page", "worker", "slide", "attempt", "text",
         "assignment", "number", "verdict", "kind", "entities", "source", "find", "at", "withdrawn",
         "account", "message", "reason")  # fmt: skip


@pytest.fixture
def study(database: Database, tmp_path: Path) -> Study:
    return rating_study(database, tmp_path / "ratings", now)


@pytest.fixture
def shelf(study: Study) -> OpenStudies:
    return OpenStudies(study.database)


def _call(shelf: OpenStudies, token: str, name: str, asked: Asked) -> Reply:
    return answered(lambda: CALLS[name](*shelf.signed_in(token), asked))


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_told_without_a_token(shelf: OpenStudies, name: str) -> None:
    reply = _call(shelf, "made up", name, {})
    assert not reply["ok"]
    assert reply["reason"] == "sign in"
    assert "html" not in reply


@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if call.__module__.startswith("annotation.web.lead.")])
def test_a_worker_cannot_do_what_leads_do(shelf: OpenStudies, study: Study, name: str) -> None:
    worker = join(study, "Wim")
    asked = {"assignment": 1, "number": 1, "verdict": "accepted", "worker": worker.worker, "decision": "pass", "feedback": "x",
             "reason": "x", "name": "New", "amount": "1", "bonus": 1, "kind": "jsonl",
             "tasks": 1, "message": "x", "key": "p0", "account": "x", "names": "New", "final": {}}  # fmt: skip
    reply = _call(shelf, begin_session(study, worker), name, asked)
    assert (reply["ok"], reply["reason"]) == (False, "role")


@pytest.mark.parametrize("page", [page for page in OF_LEADS if page not in ("tutorial", "history")])
def test_a_worker_sees_no_page_of_leads(shelf: OpenStudies, study: Study, page: str) -> None:
    worker = join(study, "Wim")
    reply = _call(shelf, begin_session(study, worker), "study_page", {"page": page, "worker": worker.worker})
    assert reply["ok"]
    assert reply["page"] == "work"
    refused = answered(lambda: {"html": OF_LEADS[page](study, worker, {"worker": worker.worker})})
    assert (refused["ok"], refused["reason"]) == (False, "role")


@settings(max_examples=60)
@given(st.sampled_from(sorted(CALLS)), st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6), st.booleans())
def test_whatever_is_asked_is_refused_in_words(
    shelf: OpenStudies, study: Study, name: str, asked: Asked, as_lead: bool
) -> None:
    caller = _known(study, Role.LEAD if as_lead else Role.WORKER)
    reply = answered(lambda: CALLS[name](study, caller, asked))
    assert reply["ok"] or reply["reason"] != "defect", reply


_callers: dict[tuple[str, Role], Caller] = {}


def _known(study: Study, role: Role) -> Caller:
    place = (str(study.database), role)
    if place not in _callers:
        _callers[place] = join(study, role.value, role)
    return _callers[place]


def test_a_lead_adds_items_of_a_file_or_as_typed_all_or_none(database: Database, tmp_path: Path) -> None:
    more = '[attention]\nitems = "attention.jsonl"\n[batches]\n'
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "attention.jsonl").write_text(ratings(1, "a", known={"rating": 4}), "utf-8")
    study = rating_study(database, tmp_path / "r", now, 2, more)
    lead = join(study, "Lea", Role.LEAD)
    add = CALLS["study_add_items"]
    table = "original,rewrite,parse\nHow old?,What age?,filter id 1 [e]\n"
    assert add(study, lead, {"kind": "work", "file": table, "rows": ""})["new"] == 1
    assert add(study, lead, {"kind": "work", "file": "", "rows": table})["new"] == 1  # without an id, it is another one
    with pytest.raises(AnnotationError, match=r"^Nothing was imported.\nmore-5.jsonl, line 1: an attention item needs"):
        add(study, lead, {"kind": "attention", "file": ratings(1, "b"), "rows": ""})
    assert add(study, lead, {"kind": "attention", "file": ratings(1, "b", known={"rating": 1}), "rows": ""})["new"] == 1
    assert count_items(study) == {ItemKind.WORK: 4, ItemKind.TRIAL: 0, ItemKind.ATTENTION: 2}
    assert "study_add_items" in CALLS["study_page"](study, lead, {"page": "items"})["html"]


def test_names_and_items_of_people_become_no_markup(shelf: OpenStudies, study: Study) -> None:
    nasty = "<img src=x>"
    worker, lead = join(study, nasty), join(study, f"{nasty} lead", Role.LEAD)
    given_ = next_item(study, worker)
    flag(study, worker, given_.key, nasty)
    token = begin_session(study, worker)
    answer = {"key": given_.key, "answer": plausible(given_), "submission": "1"}
    assert _call(shelf, token, "study_submit", answer)["ok"]
    pages = [OF_WORKERS[page](study, worker, {"key": given_.key}) for page in OF_WORKERS]
    pages += [OF_LEADS[page](study, lead, {"key": given_.key, "worker": worker.worker}) for page in OF_LEADS]
    assert not any("<img" in page for page in pages)
    assert "&lt;img src=x&gt;" in OF_LEADS["progress"](study, lead, {})


def test_people_come_in_by_link_or_code(shelf: OpenStudies, study: Study) -> None:
    made = enrol(study, "Wim")
    for asked in ({"link": made.link}, {"name": "Wim", "code": made.code}, {"study": study.name, "link": made.link}):
        reply = answered(lambda asked=asked: let_in(shelf, asked, "here"))  # type: ignore[misc]
        assert reply["role"] == "worker"
        assert shelf.signed_in(reply["token"])[1].worker == made.worker
    refused = answered(lambda: let_in(shelf, {"study": "none", "link": made.link}, "here"))
    assert refused["message"] == "There is no study 'none' here."
    assert "Ratings" in door(shelf)["html"]


def test_the_door_tells_how_to_begin_where_there_is_no_study(database: Database) -> None:
    assert "annotation init" in door(OpenStudies(database))["html"]


HALF, REPLACED = "no sense \ud83d here", "no sense \ufffd here"


def test_half_a_character_in_a_reason_breaks_no_page_and_no_file_of_the_lead(shelf: OpenStudies, study: Study) -> None:
    worker, lead = join(study, "Wim"), join(study, "Lea", Role.LEAD)
    lent = next_item(study, worker)
    asked = json.loads(json.dumps({"data": [begin_session(study, worker), {"key": lent.key, "text": HALF}]}))["data"]
    assert signed_in(shelf, "study_skip")(*asked)["ok"]
    flagged = next_item(study, worker)
    flag(study, worker, flagged.key, REPLACED)
    _every_page_and_file_is_text(shelf, study, lead, worker, lent.key)
    assert REPLACED in export(study, lead, "log").decode()


def test_halves_that_were_stored_earlier_break_nothing_either(shelf: OpenStudies, study: Study) -> None:
    worker, lead = join(study, "Wim"), join(study, "Lea", Role.LEAD)
    lent = next_item(study, worker)
    flag(study, worker, lent.key, "a reason")
    with study.database.writing() as connection:
        connection.execute(study_events.update().where(study_events.c.kind == "flagged").values(content={"text": HALF}))
    _every_page_and_file_is_text(shelf, study, lead, worker, lent.key)


def signed_in(shelf: OpenStudies, name: str) -> Callable[..., Reply]:
    """A call as the endpoint makes it."""
    return lambda token, asked: answered(lambda: CALLS[name](*shelf.signed_in(token), mapping(asked)))


def _every_page_and_file_is_text(shelf: OpenStudies, study: Study, lead: Caller, worker: Caller, key: str) -> None:
    """A reply and a file have to become UTF-8 on their way out."""
    token = begin_session(study, lead)
    for page in OF_LEADS:
        reply = signed_in(shelf, "study_page")(token, {"page": page, "worker": worker.worker, "key": key})
        assert reply["ok"], reply
        json.dumps(reply, ensure_ascii=False).encode()
    for kind in ("answers", "log", "archive", "jsonl", "csv"):
        reply = signed_in(shelf, "study_export")(token, {"kind": kind})
        assert reply["ok"], reply
        plain = base64.b64decode(reply["file"]["base64"])
        plain.decode()
        packed = signed_in(shelf, "study_export")(token, {"kind": kind, "packed": True})["file"]
        assert gzip.decompress(base64.b64decode(packed["base64"])) == plain
