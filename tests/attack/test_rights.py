"""Who may do what: the table of docs/security.md names every function that the server offers, and each keeps to it."""

import functools
import re
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from annotation.ui.endpoints import CALLS
from annotation.ui.review_rights import ReviewRights
from backend.errors import AnnotationError
from backend.program.settings import Settings
from parley import app
from tests.attack.conftest import REVIEW_CODE, Target
from tests.attack.server import ROOT, Stranger

pytestmark = pytest.mark.slow
PAGE = ROOT / "docs" / "security.md"
RIGHTS = ("everybody", "own session", "signed in", "worker", "lead", "reviewer")
REFUSED = "You are not signed in, or no longer. Sign in again; what you typed is kept."


def table() -> dict[str, str]:
    """The right that each function needs, by its name: `module.function`, or that of an endpoint of studies."""
    rows = re.findall(r"^\| (" + "|".join(RIGHTS) + r") \| `([\w.]+)`: ([^|]+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    return {f"{module}.{name}": right for right, module, names in rows for name in re.findall(r"`(\w+)`", names)}


def _name(function: Any) -> str | None:
    """The name of a function of the app; None for scripts, and for those that Gradio makes."""
    handler = function.fn
    while isinstance(handler, functools.partial):
        handler = handler.func
    module, name = getattr(handler, "__module__", ""), getattr(handler, "__qualname__", "")
    if (
        handler is None
        or "js_fn" in str(function.api_name)
        or module.split(".")[0] in ("gradio", "builtins")
        or "<lambda>" in name
    ):
        return None
    of_study = str(function.api_name).startswith("study_")
    return f"{module}.{function.api_name if of_study else name.split('.')[-1]}"


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> gr.Blocks:
    return app.build(Settings(data_dir=Path(tmp_path_factory.mktemp("rights")), public=True, review_code=REVIEW_CODE))


def test_every_function_of_the_running_app_has_a_row_and_every_row_a_function(blocks: gr.Blocks) -> None:
    offered = {name for function in blocks.fns.values() if (name := _name(function))}
    assert offered == table().keys()


def test_a_function_without_a_row_is_noticed() -> None:
    with gr.Blocks(analytics_enabled=False) as blocks:
        gr.Button().click(test_a_function_without_a_row_is_noticed, api_name="new")
    (function,) = blocks.fns.values()
    assert _name(function) not in table()
    assert _name(function) is not None


def _of(right: str) -> list[str]:
    return [name.rpartition(".")[2] for name, needed in table().items() if needed == right and ".endpoints.study_" in name]


def _sign_in(stranger: Stranger, study: str, link: str) -> str:
    return str(stranger.study("study_sign_in", {"study": study, "link": link})["token"])


def test_without_a_token_every_call_of_a_study_is_refused_alike(stranger: Stranger) -> None:
    assert {*_of("signed in"), *_of("worker"), *_of("lead")} == CALLS.keys()
    for name in CALLS:
        for token in ("", "x" * 43, {"a": 1}):
            reply = stranger.study(name, token, {})
            assert (reply["ok"], reply["reason"], reply["message"]) == (False, "sign in", REFUSED), (name, token)


def test_workers_do_nothing_that_leads_do_and_leads_nothing_that_workers_do(target: Target, stranger: Stranger) -> None:
    worker, lead = (_sign_in(stranger, "first", each.link) for each in (target.worker, target.lead))
    texts = dict.fromkeys(("name", "reason", "account", "text", "value", "submission"), "x")
    numbers = dict.fromkeys(("number", "amount", "hundredths", "tasks", "bonus", "slide", "version"), 1)
    asked = {**texts, **numbers, "key": "p0", "worker": target.worker.worker, "kind": "jsonl", "verdict": "accepted",
             "field": "rating", "answer": {}, "answers": {}}  # fmt: skip
    for token, names in ((worker, _of("lead")), (lead, _of("worker"))):
        for name in names:
            reply = stranger.study(name, token, asked)
            assert not reply["ok"], name
            assert reply["reason"] in ("role", "answer"), (name, reply)
    assert {"study_export", "study_add_worker"} <= set(_of("lead"))
    for name in ("study_export", "study_add_worker", "study_eliminate", "study_renew_credentials"):
        assert stranger.study(name, worker, asked)["reason"] == "role"


def test_a_token_of_another_study_opens_its_own_and_no_other(target: Target, stranger: Stranger) -> None:
    token = _sign_in(stranger, "second", target.elsewhere.link)
    page = stranger.study("study_page", token, {"study": "first"})
    assert page["owner"].startswith("second/")
    assert not stranger.study("study_sign_in", {"study": "first", "link": target.elsewhere.link})["ok"]


def test_wrong_review_codes_are_slowed_down() -> None:
    rights = ReviewRights(Settings(host="0.0.0.0", review_code=REVIEW_CODE))
    messages = []
    for _ in range(8):
        with pytest.raises(AnnotationError) as refused:
            rights.let_in("wrong")
        messages.append(refused.value.message)
    assert ["Too many wrong codes" in message for message in messages] == [False] * 5 + [True] * 3


def test_nothing_of_the_server_stands_in_what_a_page_is_sent(target: Target, stranger: Stranger) -> None:
    page = stranger.http.get("/").text + str(stranger.config)
    for secret in (REVIEW_CODE, str(target.folder), target.worker.code, target.lead.link, str(ROOT)):
        assert secret not in page
