"""Signing in with an account, through Gradio's own routes and a provider of ours; and that nothing else is taken for one."""

import base64
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import gradio as gr
import httpx
import itsdangerous
import pytest
from joserfc.jwk import RSAKey

import annotation.ui
from annotation.studies.callers import Role
from annotation.studies.people.accounts import Account
from annotation.studies.people.joining import sign_in_by_account
from annotation.studies.people.sessions import session
from annotation.studies.people.workers import enrol, list_people
from annotation.studies.refusals import CallRefusedError
from annotation.studies.shelf import OpenStudies
from annotation.studies.study import Study, open_study
from annotation.ui import endpoints, hugging_face
from annotation.web import space_storage
from annotation.web.lead.lead import progress_page
from annotation.web.sign_in import HUGGING_FACE, door
from backend.errors import AnnotationError
from backend.program.settings import Settings
from backend.storage.database import Database, now
from benchmarks.ports import free_port
from benchmarks.study.client import StudyClient
from tests.annotation.studies.served_studies import endpoints_of
from tests.annotation.studies.small_studies import join, rating_study, ratings, write_study
from tests.annotation.ui.account_provider import ADDRESS, CLIENT, SECRET, SPACE_HOST, Provider, SpaceProxy, running_provider

pytestmark = pytest.mark.slow

ON_A_SPACE = {"SYSTEM": "spaces", "SPACE_ID": "lab/study", "SPACE_HOST": f"{SPACE_HOST},study.lab.example"}
HEAD = 'title = "Ratings"\ntask = "similarity_rating"\nitems = ["items.jsonl"]\n'


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with running_provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def space(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Study]]:
    """The port of `python -m annotation serve` in the environment of a Space, and its study."""
    folder = tmp_path_factory.mktemp("space")
    database = Database(f"sqlite:///{folder / 'parley.sqlite'}")
    study = open_study(database, write_study(folder / "ratings", HEAD, items__jsonl=ratings(3)))
    port = free_port()
    environment = {**os.environ, **ON_A_SPACE, "OAUTH_CLIENT_ID": CLIENT, "OAUTH_CLIENT_SECRET": SECRET, "NO_PROXY": "*",
                   "OAUTH_SCOPES": "openid profile", "OPENID_PROVIDER_URL": provider.address}  # fmt: skip
    command = [sys.executable, "-m", "annotation", "serve", "--study", str(folder / "ratings"), "--data-dir", str(folder),
               "--host", "127.0.0.1", "--port", str(port)]  # fmt: skip
    root = Path(hugging_face.__file__).parents[2]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, cwd=root, stdout=log, stderr=log)
    _wait_for(port, process, folder / "log")
    yield port, study
    process.terminate()
    process.wait(60)
    database.close()


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(1200):
        assert process.poll() is None, log.read_text()
        try:
            httpx.get(f"http://127.0.0.1:{port}/config", trust_env=False, verify=False)
            return
        except httpx.TransportError:
            time.sleep(0.1)
    pytest.fail(log.read_text())


@pytest.fixture
def browser(space: tuple[int, Study]) -> Iterator[httpx.Client]:
    """Keeps cookies as a browser does: those that are for https only are sent nowhere else."""
    with httpx.Client(transport=SpaceProxy(space[0]), base_url=ADDRESS, follow_redirects=True, timeout=120) as client:
        yield client


def _call(browser: httpx.Client, name: str, *data: Any, **headers: str) -> dict[str, Any]:
    reply = browser.post(f"/gradio_api/run/{name}", json={"data": list(data)}, headers=headers).raise_for_status()
    return dict(reply.json()["data"][0])


def _come_back(browser: httpx.Client) -> httpx.Response:
    """From the button at the door to the provider and back."""
    return browser.get("/login/huggingface", params={"_target_url": "/?study=ratings&hugging_face=yes"})


def _sign_in(browser: httpx.Client, **headers: str) -> dict[str, Any]:
    return _call(browser, "study_sign_in_hugging_face", {"study": "ratings"}, **headers)


def test_whoever_was_entered_comes_in_by_their_account(
    space: tuple[int, Study], provider: Provider, browser: httpx.Client
) -> None:
    study = space[1]
    made = enrol(study, "Ann Lee", account="AnnLee")
    assert HUGGING_FACE in _call(browser, "study_door")["html"]
    provider.is_now("17", "annlee")
    came = _come_back(browser)
    assert str(came.url) == f"{ADDRESS}/?study=ratings&hugging_face=yes"
    reply = _sign_in(browser, Origin=ADDRESS)
    assert (reply["ok"], reply["role"]) == (True, "worker")
    assert session(study.database, reply["token"])[1].worker == made.worker
    assert _call(browser, "study_standing", reply["token"], {})["name"] == "Ann Lee"

    assert _call(browser, "study_sign_out", reply["token"])["ok"]
    again = _sign_in(browser)
    assert (again["ok"], again["reason"]) == (False, "sign in"), "Gradio's session ends with ours"


def test_a_lead_who_was_entered_is_a_lead(space: tuple[int, Study], provider: Provider, browser: httpx.Client) -> None:
    enrol(space[1], "Lena", Role.LEAD, "lena-lab")
    provider.is_now("18", "Lena-Lab")
    _come_back(browser)
    assert _sign_in(browser)["role"] == "lead"


def test_an_unknown_account_is_refused_in_words(space: tuple[int, Study], provider: Provider, browser: httpx.Client) -> None:
    provider.is_now("666", "stranger")
    _come_back(browser)
    before = _people(space[1])
    reply = _sign_in(browser)
    assert (reply["ok"], reply["reason"]) == (False, "sign in")
    assert reply["message"] == (
        "The Hugging Face account 'stranger' does not take part in this study. Ask the people who run it to add it."
    )
    assert _people(space[1]) == before


def _people(study: Study) -> list[str]:
    lead = join(study, f"lead {time.monotonic_ns()}", Role.LEAD)
    return [each.name for each in list_people(study, lead) if each.role is Role.WORKER]


def _signed(secret: str, profile: dict[str, str]) -> str:
    """A cookie as Starlette's SessionMiddleware makes it."""
    content = {"oauth_info": {"access_token": "x", "scope": "openid", "expires_at": time.time() + 999, "userinfo": profile}}
    return itsdangerous.TimestampSigner(secret).sign(base64.b64encode(json.dumps(content).encode())).decode()


def test_a_cookie_that_the_server_has_not_signed_is_nobody(space: tuple[int, Study], browser: httpx.Client) -> None:
    made = enrol(space[1], "Forged", account="forged")
    profile = dict.fromkeys(("name", "profile", "picture"), "x") | {"sub": "1", "preferred_username": "forged"}
    # The second one is the secret that Gradio signs with where none is configured.
    for secret in ("guessed", hashlib.sha256(b"-v4").hexdigest()):
        reply = _sign_in(browser, Cookie=f"session={_signed(secret, profile)}")
        assert (reply["ok"], reply["reason"]) == (False, "sign in")
    # What a client sends in the place of the profile is not read.
    for data in (({"study": "ratings"}, profile), ({"study": "ratings", "profile": profile, "account": "forged"},)):
        tried = browser.post("/gradio_api/run/study_sign_in_hugging_face", json={"data": list(data), "oauth_profile": profile})
        assert tried.status_code != 200 or not tried.json()["data"][0]["ok"]
    own = _signed(hashlib.sha256(f"{SECRET}-v4".encode()).hexdigest(), profile)
    reply = _sign_in(browser, Cookie=f"session={own}")
    assert session(space[1].database, reply["token"])[1].worker == made.worker, "the forgery is one but for its secret"


def test_another_site_cannot_use_the_cookie(space: tuple[int, Study], provider: Provider, browser: httpx.Client) -> None:
    enrol(space[1], "Victim", account="victim")
    provider.is_now("19", "victim")
    _come_back(browser)
    for origin in ("https://evil.example", "null", f"https://{SPACE_HOST}.evil.example", "https://evil.example:443"):
        reply = _sign_in(browser, Origin=origin)
        assert (reply["ok"], reply["reason"]) == (False, "sign in")
    for origin in (ADDRESS, "https://study.lab.example"):
        assert _sign_in(browser, Origin=origin)["ok"]


def test_what_another_key_has_signed_is_no_account(
    space: tuple[int, Study], provider: Provider, browser: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    enrol(space[1], "Key", account="key")
    provider.is_now("20", "key")
    monkeypatch.setattr(provider, "signs_with", RSAKey.generate_key(2048, {"kid": "1"}))
    assert _come_back(browser).status_code == 500
    assert not _sign_in(browser)["ok"]


@pytest.mark.parametrize("path", ["//evil.example/x", "https://evil.example/", "/\\evil.example"])
def test_the_way_back_leads_nowhere_else(provider: Provider, browser: httpx.Client, path: str) -> None:
    provider.is_now("21", "wanderer")
    assert browser.get("/login/huggingface", params={"_target_url": path}).url.host == SPACE_HOST


VARIABLES = ("OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES", "OPENID_PROVIDER_URL")


@pytest.fixture
def as_on_a_space(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ON_A_SPACE:
        monkeypatch.setenv(name, ON_A_SPACE[name])
    for name in VARIABLES:
        monkeypatch.setattr(gr.oauth, name, "http://127.0.0.1:9")


@pytest.fixture
def ann(database: Database, tmp_path: Path) -> OpenStudies:
    """A study that the account ann is let into."""
    enrol(rating_study(database, tmp_path / "ratings", now), "Ann", account="ann")
    return OpenStudies(database)


ANN = {"sub": "1", "preferred_username": "ann", "name": "x", "profile": "x", "picture": "x"}


@pytest.mark.usefixtures("as_on_a_space")
@pytest.mark.parametrize("missing", ["SYSTEM", "SPACE_ID", *VARIABLES])
def test_where_something_is_missing_gradio_makes_no_routes(
    missing: str, ann: OpenStudies, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _expects_accounts(ann)
    assert HUGGING_FACE in door(ann, hugging_face.offered())["html"]
    if missing in VARIABLES:
        monkeypatch.setattr(gr.oauth, missing, None)
    else:
        monkeypatch.delenv(missing)
    assert not _expects_accounts(ann)
    assert HUGGING_FACE not in door(ann, hugging_face.offered())["html"]
    # Were a profile to come from anywhere after all, it would be turned away.
    request = gr.Request(headers={"host": "127.0.0.1"})
    with pytest.raises(CallRefusedError, match="not possible from here"):
        hugging_face.let_in(ann, {}, gr.OAuthProfile(ANN), request)


def _expects_accounts(shelf: OpenStudies) -> bool:
    with gr.Blocks(analytics_enabled=False) as blocks:
        endpoints.place(shelf)
    named = any(fn.api_name == "study_sign_in_hugging_face" for fn in blocks.fns.values())
    assert named == blocks.expects_oauth
    return named


def test_on_a_computer_of_ones_own_no_account_lets_in(ann: OpenStudies, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not with a cookie signed by the secret that Gradio falls back to, nor by the token of whoever started the server."""
    monkeypatch.setenv("HF_TOKEN", "hf_of_this_computer")
    cookie = _signed(hashlib.sha256(b"-v4").hexdigest(), ANN)
    with endpoints_of(ann) as port, closing(StudyClient(port)) as client:
        here, also = (
            f"http://127.0.0.1:{port}",
            {"headers": {"Cookie": f"session={cookie}"}, "trust_env": False, "timeout": None},
        )
        told = httpx.post(f"{here}/gradio_api/run/study_sign_in_hugging_face", json={"data": [{}]}, **also)
        assert told.status_code >= 400
        for path in ("/login/huggingface", "/login/callback"):
            assert httpx.get(f"{here}{path}", **also).status_code in (404, 405)
        assert HUGGING_FACE not in client.call("study_door")["html"]


def test_the_app_opens_the_study_that_it_is_told_of(database: Database, settings: Settings, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "ratings", HEAD, items__jsonl=ratings(2))
    told = settings.model_copy(update={"study": folder, "study_lead": "lena-lab"})
    for _ in range(2):
        with gr.Blocks(analytics_enabled=False):
            annotation.ui.build(told, database)
    study = OpenStudies(database).study("ratings")
    [lead] = list_people(study, sign_in_by_account(study, Account("1", "lena-lab")))
    assert (lead.role, lead.account) == (Role.LEAD, "lena-lab")
    with pytest.raises(AnnotationError, match="Cannot read"), gr.Blocks(analytics_enabled=False):
        annotation.ui.build(settings.model_copy(update={"study": tmp_path / "absent"}), database)
    with pytest.raises(ValueError, match="--study-lead needs --study"):
        Settings(study_lead="lena-lab")


def test_a_lead_is_warned_where_a_space_would_lose_everything(
    database: Database, ann: OpenStudies, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = ann.study("ratings")
    lead = join(study, "Lena", Role.LEAD)
    assert "is lost when this Space restarts" not in progress_page(study, lead, {})
    for name in ON_A_SPACE:
        monkeypatch.setenv(name, ON_A_SPACE[name])
    assert "is lost when this Space restarts" in progress_page(study, lead, {})
    monkeypatch.setattr(space_storage, "STORAGE", Path(str(database).removeprefix("sqlite:///")).parent)
    assert "is lost when this Space restarts" not in progress_page(study, lead, {})
