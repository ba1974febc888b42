"""What is sent in and cannot be meant is refused in a sentence: never a trace, never a 500, never at the cost of others."""

import json
import secrets
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from backend.network.doors import is_door
from backend.network.shares.fair_shares import SHARES
from inspired.logical_form.query_limits import MOST_PATTERNS
from tests.attack.conftest import Target
from tests.attack.server import Stranger

pytestmark = [pytest.mark.slow, pytest.mark.attack]
QUESTION = "how accurate is the model?"
# Of Gradio's own tools, of other frameworks, and of those who look for files.
SHUT = tuple(
    """
    gradio_api/deep_link?session_hash=a gradio_api/proxy=http://127.0.0.1/ gradio_api/dev/reload gradio_api/runs monitoring
    gradio_api/vibe-code gradio_api/stream/a/b/1/playlist-file gradio_api/custom_component/a/client/component/x.js
    gradio_api/run-history/records gradio_api/profiling/summary docs redoc openapi.json .env static/../app.py
    gradio_api/file/app.py gradio_api/file=../app.py
    """.split()
)
WRONG = "holds characters that are no text"


def _refused(reply: object, status: int, words: str) -> None:
    assert (reply.status_code, words in reply.json()["detail"]) == (status, True), reply.text  # type: ignore[attr-defined]


def test_nothing_answers_but_what_the_page_needs(stranger: Stranger) -> None:
    for path in SHUT:
        assert stranger.http.get(f"/{path}").status_code in (403, 404), path
    for path in ("component_server", "process_recording", "vibe-edit", "run-history/connect"):
        assert stranger.post(path, {}).status_code == 404
    assert stranger.http.post("/login", data={"username": "a", "password": "b"}).status_code == 404
    for path in ("/", "/config", "/gradio_api/info", "/gradio_api/startup-events"):
        assert stranger.http.get(path).status_code == 200
    assert not is_door("POST", "/")


def test_every_page_has_its_headers(stranger: Stranger) -> None:
    for path in ("/", "/config", "/nothing", "/gradio_api/info"):
        headers = stranger.http.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert "frame-ancestors 'self'" in headers["content-security-policy"]
        assert "set-cookie" not in headers


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("run/nothing", {"data": []}, 404, "There is no endpoint 'nothing' here"),
        ("run/ask", {"data": ["hi", None]}, 404, "through the queue"),
        ("call/nothing", {"data": []}, 404, "There is no endpoint"),
        ("call/v2/ask", {"utterance": "hi"}, 404, "There is no endpoint"),
        ("call/v2/ttm_chat", {"nothing": 1}, 422, "do not fit the parameters"),
        ("run/study_page", {"data": ["x"]}, 422, "takes a list of 2 values"),
        ("run/study_page", {"data": "x"}, 422, "takes a list of 2 values"),
        ("run/study_page", {}, 422, "takes a list of 2 values"),
        ("run/study_page", ["x"], 400, "A call is a JSON object"),
        ("run/study_page", b"{", 400, "not JSON"),
        ("run/study_page", b"\xff\xfe", 400, "not JSON"),
        ("run/study_page", b'{"data": [1' + b"0" * 9_000 + b", {}]}", 400, "not JSON"),
        ("run/study_page", {"data": ["x", {}], "fn_index": 3}, 400, "no fn_index"),
        ("run/study_page", b'{"data": ["x", ' + b"[" * 50_000 + b"]" * 50_000 + b"]}", 400, "deep in each other"),
        ("run/study_page", b'{"data": ["x", ' + b"[" * 50 + b"]" * 50 + b"]}", 400, "deep in each other"),
        ("queue/join", {"data": [], "fn_index": 0}, 400, "session_hash"),
        ("queue/join", {"data": [], "fn_index": -1, "session_hash": "a"}, 404, "There is no endpoint -1"),
        ("queue/join", {"data": [], "fn_index": 10**9, "session_hash": "a"}, 404, "There is no endpoint"),
        ("queue/join", {"data": [], "fn_index": True, "session_hash": "a"}, 404, "There is no endpoint"),
        ("queue/join", {"data": [], "fn_index": 0, "session_hash": "a/../b"}, 400, "session_hash is a name"),
        ("queue/join", {"data": [], "fn_index": 0, "session_hash": "a" * 65}, 400, "session_hash is a name"),
        ("queue/join", {"data": ["x", None], "fn_index": 0, "session_hash": "a", "batched": True}, 400, "one answer"),
        ("run/study_page", b'{"data": ["x", NaN]}', 400, "not JSON"),
        ("cancel", b'{"data": [1e999]}', 400, "session_hash is missing"),
        ("cancel", {"session_hash": "a", "event_id": "b", "fn_index": "0"}, 400, "fn_index is missing, or no number"),
        ("reset", {"event_id": 5}, 400, "event_id is missing"),
        ("mcp/", b"[" * 50_000, 400, "deep in each other"),
        ("mcp/", b'{"params": ' + b"[" * 50 + b"]" * 50 + b"}", 400, "deep in each other"),
        ("call/inspired_ask", {"data": ["a\0b", []]}, 422, WRONG),
        ("call/inspired_ask", b'{"data": ["\\ud800", []]}', 422, WRONG),
        ("call/inspired_ask", {"data": ["x" * 1_000_001, []]}, 422, "at most 1,000,000"),
    ],
)
def test_a_call_that_cannot_be_meant_gets_one_sentence(
    stranger: Stranger, path: str, body: object, status: int, words: str
) -> None:
    _refused(stranger.post(path, body), status, words)


def test_one_session_and_one_address_hold_only_so_many_questions(target: Target) -> None:
    """Questions that wait for a server which is not there, of many sessions, and one more of somebody beside them."""
    stranger = Stranger(target.address)
    replies = [stranger.join("ttm_explain", "1", "shap", "diabetes") for _ in range(12)]
    refused = [reply for reply in replies if reply.status_code != 200]
    assert refused, "twelve questions at once were all taken"
    for reply in refused:
        _refused(reply, 429, f"You have {SHARES.of_session} waiting")
    other = Stranger(target.address)
    assert other.call("ttm_parse", QUESTION, "diabetes", None)["success"]
    assert len(stranger.answers()) >= 1
    other.close()
    stranger.close()


def test_a_long_query_is_refused_before_it_holds_a_core(stranger: Stranger) -> None:
    triples = " ".join(f"?x <http://a/b{number}> ?y{number} ." for number in range(220))
    reply = json.dumps(stranger.call("inspired_decompose", f"SELECT DISTINCT ?x WHERE {{ {triples} }}", {}))
    assert f"up to {MOST_PATTERNS} are split" in reply


def test_files_are_taken_only_from_those_who_have_a_page_open(target: Target) -> None:
    stranger = Stranger(target.address)
    file = {"files": ("page.html", b"<script>alert(1)</script>", "text/html")}
    _refused(stranger.http.post("/gradio_api/upload", files=file), 403, "have a page of this server open")
    with stranger.page():
        other = Stranger(target.address)
        (path,) = other.http.post("/gradio_api/upload", files=file).json()
        sent = other.http.get(f"/gradio_api/file={path}")
        assert sent.headers["content-security-policy"] == "sandbox; default-src 'none'"
        assert sent.headers["content-disposition"].startswith("attachment")
        assert other.http.get(f"/gradio_api/file={target.folder / 'parley.sqlite'}").status_code == 403
        other.close()
    stranger.close()


@pytest.mark.parametrize("boundary", ["B", "B" * 5_000])
def test_an_upload_that_is_no_form_is_refused(stranger: Stranger, boundary: str) -> None:
    part = 'Content-Disposition: form-data; name="files"'
    body = f"--{boundary}\r\n{part}\r\n\r\na,b\r\n--{boundary}--\r\n"
    with stranger.page():
        sent = {"content-type": f"multipart/form-data; boundary={boundary}"}
        reply = stranger.http.post("/gradio_api/upload", content=body, headers=sent)
    assert reply.status_code in (400, 422), reply.text


def test_pages_of_other_sites_are_not_let_to_read(target: Target) -> None:
    stranger = Stranger(target.address, {"Origin": "https://evil.example", "Host": "parley.example.org"})
    for reply in (stranger.http.get("/config"), stranger.post("run/study_door", {"data": []})):
        assert reply.status_code == 200
        assert "access-control-allow-origin" not in reply.headers
    stranger.close()


# Each ended the whole server, or was answered as a defect of it.
DESCRIPTIONS = {
    "parts of a name": (b".".join([b"a"] * 50_000) + b" = 1", "more than 200 dots"),
    "in each other": (b"a = " + b"[" * 30_000, "not valid TOML"),
    "a file of the server": (b'train = "/etc/hosts"', "names a file under train"),
    "no text": (b'title = "\\u0000"', "title"),
}


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_a_description_of_a_table_reads_no_file_and_ends_nothing(target: Target, name: str) -> None:
    stranger, (description, words) = Stranger(target.address), DESCRIPTIONS[name]
    with stranger.page():
        files = [_uploaded(stranger, "t.csv", b"a,b,c\n" + b"1,2,0\n3,4,1\n" * 20), _uploaded(stranger, "d.toml", description)]
        assert stranger.call("read_columns", files[0], None)["success"]
        reply = stranger.call("load", files[0], "c", "", "", None, files[1], None)
    assert words in str(reply["output"]["error"]), reply
    assert len(reply["output"]["error"]) <= 500
    stranger.close()


@pytest.mark.parametrize("table", [b",".join(b"c%d" % n for n in range(40_000)) * 5, b'a,b\n"' + b"x" * 300_000])
def test_a_table_with_a_long_field_is_refused_in_words(stranger: Stranger, table: bytes) -> None:
    with stranger.page():
        reply = stranger.call("read_columns", _uploaded(stranger, "t.csv", table), None)
    assert "t.csv" in str(reply["output"]), reply


def _uploaded(stranger: Stranger, name: str, content: bytes) -> dict[str, object]:
    (path,) = stranger.http.post("/gradio_api/upload", files={"files": (name, content)}).json()
    return {"path": path, "orig_name": name, "meta": {"_type": "gradio.FileData"}}


@pytest.mark.parametrize("value", ["", "x", "1 2 3", "9" * 30, "{}", "\u0663"])
def test_what_a_page_of_ours_never_sends_is_no_defect(stranger: Stranger, value: str) -> None:
    for name in ("confirm", "ask_again", "pin", "unpin", "open_answer", "correct", "put_away"):
        reply = stranger.call(name, value, None)
        assert "Reference for the log" not in json.dumps(reply), (name, reply)


def test_values_of_another_kind_are_refused_by_their_names(stranger: Stranger) -> None:
    for name, values, words in (
        ("inspired_decompose", ["SELECT ?x WHERE { ?x <a:b> ?y }", "x"], "names is of another kind"),
        ("ttm_ask", ["hi", "", {"a": 1}], "conversation is of another kind"),
        ("ttm_ask", [None, None, None], "message is of another kind"),
        ("inspired_ask", ["how many people have age above " + "9" * 400, []], ""),
        ("inspired_ask", ["hi", [1]], "earlier is of another kind"),
        ("inspired_ask", ["hi", "before"], "earlier is of another kind"),
    ):
        reply = json.dumps(stranger.call(name, *values))
        assert words in reply
        assert "Reference for the log" not in reply


def test_wrong_codes_lock_nobody_else_out(target: Target, stranger: Stranger) -> None:
    elsewhere = Stranger(target.address, {"X-Forwarded-For": "192.0.2.7"})
    token = stranger.study("study_sign_in", {"study": "first", "name": "Wim", "code": target.worker.code})["token"]
    reasons = [elsewhere.study("study_sign_in", {"study": "first", "name": "Wim", "code": "wrong"})["reason"] for _ in range(8)]
    # Nobody named a proxy, so that what the attacker says of where they call from is not believed.
    assert reasons == ["sign in"] * 5 + ["slow down"] * 3
    assert stranger.study("study_standing", token, {})["ok"]
    for _ in range(60):
        assert elsewhere.study("study_sign_in", {"study": "first", "link": secrets.token_urlsafe(32)})["reason"] == "sign in"
    assert stranger.study("study_sign_in", {"study": "first", "link": target.worker.link})["ok"]
    elsewhere.close()


NASTY = (
    "\u202egnp.exe",
    "<img src=x onerror=alert(1)>",
    "=cmd|'/c calc'!A1",
    "a" * 90_000,
    "\U0001f600" * 2_000,
    "{{7*7}}",
    "%s%n",
    "\x1b[31m",
)


def test_any_text_is_kept_as_text_or_refused_by_its_field(target: Target, stranger: Stranger) -> None:
    worker = stranger.study("study_sign_in", {"study": "first", "link": target.worker.link})["token"]
    lead = stranger.study("study_sign_in", {"study": "first", "link": target.lead.link})["token"]
    key = stranger.study("study_next", worker, {})["key"]
    for text in (*NASTY, "\ud83d", "a\ud800b"):
        body = json.dumps({"data": [worker, {"key": key, "text": text}]}).encode()
        reply = stranger.post("run/study_comment", body).json()["data"][0]
        assert reply["ok"], (text[:20], reply)
    refused = stranger.study("study_comment", worker, {"key": key, "text": "a\0b"})
    assert not refused["ok"]
    pages = [
        stranger.study("study_page", lead, {"page": page, "key": key})["html"]
        for page in ("events", "history", "progress", "review")
    ]
    assert not any("<img" in page or "\ud83d" in page for page in pages)
    for kind in ("log", "archive", "csv", "jsonl", "payment"):
        assert stranger.study("study_export", lead, {"kind": kind})["ok"], kind


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=30) | st.sampled_from(NASTY[:3]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)


@examples(max_examples=6, suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data())
def test_no_endpoint_answers_what_it_is_sent_with_a_trace_or_a_500(target: Target, data: st.DataObject) -> None:
    """Each function of the page, with as many values as it takes, of any kind."""
    stranger = Stranger(target.address)
    dependencies = [each for each in stranger.config["dependencies"] if not str(each["api_name"]).startswith("js_fn")]
    calls = data.draw(st.lists(st.sampled_from(dependencies), min_size=12, max_size=12))
    bodies = [(call, [data.draw(VALUES) for _ in call["inputs"]]) for call in calls]

    def send(call: dict[str, object], values: list[object]) -> tuple[object, int, str]:
        one = Stranger(target.address)
        way = "queue/join" if call["queue"] else f"run/{call['api_name']}"
        named = {"fn_index": call["id"], "event_data": values[:1] or None} if call["queue"] else {}
        reply = one.post(way, {"data": values, "session_hash": one.session, **named})
        text = reply.text
        if reply.status_code == 200 and call["queue"]:
            text += json.dumps(one.answers())
        one.close()
        return call["api_name"], reply.status_code, text

    with ThreadPoolExecutor(4) as pool:
        for name, status, text in pool.map(lambda pair: send(*pair), bodies):
            assert status < 500, (name, text[:300])
            assert "Traceback" not in text, name
            assert str(target.folder) not in text, name
    stranger.close()
