"""The tab's part for whole data sets: runs of visitors, their files, their results, and the handlers over them."""

import base64
import csv
import gzip
import io
import json
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import gradio as gr
import pytest

from backend.errors import FaithfulnessError
from backend.jobs import Jobs
from backend.models.language_models import LanguageModel, OpenAIEndpoint, ScriptedModel
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan, explain
from faithfulness.method.prompting import Chat
from faithfulness.method.sample import Sample
from faithfulness.reports.browse import FIRST_REPLY, SampleFilter, open_sample, results_of, with_prompts
from faithfulness.reports.pack import run_zip, samples_csv
from faithfulness.runs.profiles import Profile
from faithfulness.runs.records import read_report, write_report
from faithfulness.runs.rows import Row
from faithfulness.ui import batch, runs
from faithfulness.ui import visitor_runs as shelf_module
from faithfulness.ui.model_choice import PACKAGED, SERVER, chosen_profiles
from faithfulness.ui.render_run import duration, label, standing_html
from faithfulness.ui.run_standing import RunStanding, Stage
from faithfulness.ui.visitor_runs import VisitorRuns, is_token, new_token
from tests.faithfulness.planted import Endpoint, reply_to, write_rows

ME, OTHER = new_token(), new_token()
KEY = "sk-of-a-visitor"
SAMPLES, MANY = 6, 30
CALLS = SAMPLES * 10  # closed book, passage, three regions, five groups of the one that is sufficient
FILTERS = (runs.ALL, runs.ALL, 0.0, 1.0, False, "")
PLAN_FORM = ("Equal parts, moved to sentence ends", 3, 5, 1, True, 0)
HOSTILE = "<img src=x onerror=alert(1)>.jsonl"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "items.jsonl"
    write_rows(path, SAMPLES)
    return path


def quick(profile: Profile, key: str) -> LanguageModel:
    """As the tab opens it, but trying each call once."""
    assert profile.base_url
    return OpenAIEndpoint(profile.base_url, profile.name, key, timeout=120.0, retries=0)


def shelf_in(folder: Path, open_model: Callable[[Profile, str], LanguageModel] = quick) -> VisitorRuns:
    return VisitorRuns(folder / "runs", Jobs(2), open_model, lambda paper: Metric(paper=paper))


@pytest.fixture
def shelf(tmp_path: Path) -> VisitorRuns:
    return shelf_in(tmp_path)


def profiles(endpoint: Endpoint, in_flight: int = 3) -> list[Profile]:
    found = chosen_profiles(SERVER, endpoint.url, ["planted"], "continuation")
    return [replace_in_flight(profile, in_flight) for profile in found]


def replace_in_flight(profile: Profile, in_flight: int) -> Profile:
    return profile.model_copy(update={"in_flight": in_flight})


def until(shelf: VisitorRuns, run_id: str, holds: Callable[[RunStanding], bool]) -> RunStanding:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        if holds(standing := shelf.standing(ME, run_id)):
            return standing
        time.sleep(0.02)
    raise AssertionError(f"the run stays at {standing}")


def ended(shelf: VisitorRuns, run_id: str) -> RunStanding:
    return until(shelf, run_id, lambda standing: not standing.active)


def complete(shelf: VisitorRuns, endpoint: Endpoint, file: Path) -> str:
    run = shelf.start(ME, file, profiles(endpoint), Plan(), KEY)
    assert ended(shelf, run.id).stage is Stage.COMPLETE
    return run.id


# --- the runs of a visitor ---


def test_a_run_goes_to_its_end_beside_the_page(shelf: VisitorRuns, endpoint: Endpoint, file: Path) -> None:
    run_id = complete(shelf, endpoint, file)
    standing = shelf.standing(ME, run_id)
    assert (standing.finished, standing.samples, standing.calls, standing.failed) == (SAMPLES, SAMPLES, CALLS, 0)
    assert endpoint.requests == CALLS
    assert [run.about.file for run in shelf.runs(ME)] == ["items.jsonl"]


@pytest.mark.slow
def test_a_run_on_a_server_that_never_answers_keeps_none_waiting_that_computes_here(
    tmp_path: Path, endpoint: Endpoint, file: Path
) -> None:
    here = ScriptedModel(lambda prompt: reply_to(prompt)["choices"][0]["text"])
    shelf = VisitorRuns(
        tmp_path / "runs", Jobs(1), lambda profile, key: here if profile.here else quick(profile, key),
        lambda paper: Metric(paper=paper), remote=Jobs(1),
    )  # fmt: skip
    reached = endpoint.hold_from(1)
    silent = shelf.start(ME, file, profiles(endpoint), Plan(), KEY)
    reached.wait()
    (packaged,) = chosen_profiles(PACKAGED, "", [], "continuation")
    computed = shelf.start(ME, file, [packaged], Plan(), "")
    ended(shelf, computed.id)
    assert shelf.standing(ME, silent.id).active
    endpoint.let_go()
    ended(shelf, silent.id)


@pytest.mark.slow
def test_stopped_and_taken_up_again_it_asks_nothing_twice(shelf: VisitorRuns, endpoint: Endpoint, file: Path) -> None:
    endpoint.delay = 0.03
    run = shelf.start(ME, file, profiles(endpoint), Plan(), KEY)
    going = until(shelf, run.id, lambda standing: standing.finished > 0)
    assert going.stage is Stage.RUNNING
    assert going.seconds_left is not None
    shelf.stop(ME, run.id)
    standing = ended(shelf, run.id)
    assert standing.stage is Stage.STOPPED
    assert 0 < standing.finished < SAMPLES
    shelf.go_on(ME, run.id, KEY)
    assert ended(shelf, run.id).stage is Stage.COMPLETE
    assert set(endpoint.prompts.values()) == {1}
    assert endpoint.requests == CALLS


@pytest.mark.slow
def test_after_a_restart_the_run_is_there_and_goes_on(
    tmp_path: Path, shelf: VisitorRuns, endpoint: Endpoint, file: Path
) -> None:
    endpoint.delay = 0.03
    run = shelf.start(ME, file, profiles(endpoint), Plan(), KEY)
    until(shelf, run.id, lambda standing: standing.finished > 0)
    shelf.stop(ME, run.id)
    ended(shelf, run.id)
    later = shelf_in(tmp_path)
    assert later.standing(ME, run.id).stage is Stage.STOPPED
    later.go_on(ME, run.id, KEY)
    assert ended(later, run.id).stage is Stage.COMPLETE
    assert endpoint.requests == CALLS


@pytest.mark.slow
def test_whoever_lacks_the_token_finds_nothing(shelf: VisitorRuns, endpoint: Endpoint, file: Path) -> None:
    run_id = complete(shelf, endpoint, file)
    assert shelf.runs(OTHER) == []
    for ask in (shelf.run, shelf.standing, shelf.stop, shelf.delete):
        with pytest.raises(FaithfulnessError, match="not started from this browser"):
            ask(OTHER, run_id)
    for token in ("", "../..", "x" * 31, None, {"a": 1}):
        with pytest.raises(FaithfulnessError, match="load the page again"):
            shelf.runs(token)  # type: ignore[arg-type]
    for name in ("..", "../" + run_id, "", None, "0" * 16):
        with pytest.raises(FaithfulnessError, match="not started from this browser"):
            shelf.run(ME, name)  # type: ignore[arg-type]
    assert ME not in "".join(str(path) for path in shelf.run(ME, run_id).path.rglob("*"))


def test_the_key_is_in_no_file(tmp_path: Path, shelf: VisitorRuns, endpoint: Endpoint, file: Path) -> None:
    complete(shelf, endpoint, file)
    written = [path for path in (tmp_path / "runs").rglob("*") if path.is_file()]
    assert written
    assert [path for path in written if KEY.encode() in path.read_bytes()] == []


@pytest.mark.slow
def test_a_server_that_is_gone_costs_no_run(
    tmp_path: Path, endpoint: Endpoint, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.models.language_models.endpoint._pause", lambda error, attempt: 0.0)
    endpoint.trouble = lambda number: "503"
    shelf = shelf_in(tmp_path)
    run = shelf.start(ME, file, profiles(endpoint), Plan(), KEY)
    standing = ended(shelf, run.id)
    assert (standing.stage, standing.finished) == (Stage.FAILED, 0)
    assert "planted refused: the server failed (503)" in standing.reason
    assert "takes it up again" in standing_html(run, standing)
    endpoint.trouble = lambda number: ""
    shelf.go_on(ME, run.id, KEY)
    assert ended(shelf, run.id).stage is Stage.COMPLETE


def test_a_defect_ends_one_run_and_is_told_without_its_text(
    tmp_path: Path, endpoint: Endpoint, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(profile: Profile, key: str) -> LanguageModel:
        raise RuntimeError("secret path")

    shelf = shelf_in(tmp_path, broken)
    run = shelf.start(ME, file, profiles(endpoint), Plan(), KEY)
    standing = ended(shelf, run.id)
    assert standing.stage is Stage.FAILED
    assert "inside Parley" in standing.reason
    assert "secret" not in standing.reason
    assert run.id in standing.reason
    assert run.id in caplog.text
    assert KEY not in caplog.text


def test_only_some_runs_of_a_visitor_go_on_at_once(shelf: VisitorRuns, endpoint: Endpoint, file: Path) -> None:
    endpoint.delay = 0.2
    begun = [shelf.start(ME, file, profiles(endpoint, 1), Plan(), KEY) for _ in range(shelf_module.MOST_ACTIVE)]
    assert shelf.standing(ME, begun[-1].id).stage is Stage.WAITING
    with pytest.raises(FaithfulnessError, match="are going on"):
        shelf.start(ME, file, profiles(endpoint), Plan(), KEY)
    with pytest.raises(FaithfulnessError, match="going on already"):
        shelf.go_on(ME, begun[0].id, KEY)
    with pytest.raises(FaithfulnessError, match="Stop this run"):
        shelf.delete(ME, begun[0].id)
    for run in begun:
        shelf.stop(ME, run.id)
    for run in begun:
        ended(shelf, run.id)
        shelf.delete(ME, run.id)
    assert shelf.runs(ME) == []
    assert not begun[0].path.exists()


def test_a_file_that_cannot_be_used_leaves_nothing_behind(
    tmp_path: Path, shelf: VisitorRuns, endpoint: Endpoint, file: Path
) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text(file.read_text() + '{"question": "q", "answers": ["a"]}\n')
    text = tmp_path / "notes.txt"
    text.write_text("hello")
    broken = tmp_path / "broken.jsonl.gz"
    broken.write_bytes(b"no gzip")
    large = tmp_path / "large.jsonl.gz"
    large.write_bytes(gzip.compress(file.read_bytes() * 2_000))
    for path, says in ((bad, "Row 7: no context is in it"), (text, "none of .jsonl"), (broken, "cannot be unpacked")):
        with pytest.raises(FaithfulnessError, match=says):
            shelf.start(ME, path, profiles(endpoint), Plan(), KEY)
    shelf.megabytes = 1
    with pytest.raises(FaithfulnessError, match="more than 1 MB when it is unpacked"):
        shelf.start(ME, large, profiles(endpoint), Plan(), KEY)
    assert shelf.runs(ME) == []
    assert list((tmp_path / "runs").rglob("rows.*")) == []
    run = shelf.start(ME, bad, profiles(endpoint), Plan(), KEY, skip_bad=True)
    assert ended(shelf, run.id).stage is Stage.COMPLETE
    assert (run.about.samples, run.about.bad) == (SAMPLES, 1)


# --- results ---


def test_a_sample_opens_with_its_prompts_exactly_as_they_were_sent(shelf: VisitorRuns, endpoint: Endpoint, file: Path) -> None:
    run = shelf.run(ME, complete(shelf, endpoint, file))
    prompts = [call.exchange.prompt for row in range(1, SAMPLES + 1) for call in open_sample(run.folder, "planted", row).calls]
    assert sorted(prompts) == sorted(endpoint.prompts)
    with pytest.raises(FaithfulnessError, match="Row 99 of planted is not among"):
        open_sample(run.folder, "planted", 99)


def test_prompts_of_the_chat_protocol_come_back_with_their_second_try() -> None:
    def answer(prompt: str) -> str:
        return "Lake Quill" if "Reply in exactly" not in prompt else "Thought: t\nKeywords: Quill\nShort answer: Lake Quill"

    sample = Sample("where", "It ends in Lake Quill.", ("Lake Quill",))
    *_, report = explain(sample, ScriptedModel(answer), Chat(), Metric(), Plan(groups=2))
    _, read = read_report(json.loads(json.dumps(write_report(Row(1, "1", sample), report))), report.plan)
    again = with_prompts(read, Chat)
    sent = [call.exchange.prompt.replace("[assistant] Lake Quill\n", f"[assistant] {FIRST_REPLY}\n") for call in report.calls]
    assert [call.exchange.prompt for call in again.calls] == sent
    assert FIRST_REPLY in sent[0]
    assert [replace(call, exchange=replace(call.exchange, prompt="")) for call in again.calls] == list(read.calls)


@pytest.mark.slow
def test_filters_take_what_they_say(shelf: VisitorRuns, endpoint: Endpoint, file: Path) -> None:
    run = shelf.run(ME, complete(shelf, endpoint, file))
    found = results_of(run.folder)
    assert found is not None
    assert [line.row for line in found.lines] == list(range(1, SAMPLES + 1))
    line = found.lines[2]
    unscored = replace(line, outcome=replace(line.outcome, f=None, stage="answered", retrieval_hard=False))
    assert line.outcome.f == 0.5
    for choice, scored, without in (
        (SampleFilter(), True, True),
        (SampleFilter(model="other"), False, False),
        (SampleFilter(stage="necessary"), True, False),
        (SampleFilter(low=0.5), True, False),
        (SampleFilter(low=0.55), False, False),
        (SampleFilter(high=0.45), False, False),
        (SampleFilter(needs_passage=True), True, False),
        (SampleFilter(words=" ITEM 3 "), True, True),
        (SampleFilter(words="item 4"), False, False),
    ):
        assert (choice.takes(line), choice.takes(unscored)) == (scored, without), choice


@pytest.mark.slow
def test_files_to_take_away_name_no_folder_of_the_server(
    tmp_path: Path, shelf: VisitorRuns, endpoint: Endpoint, file: Path
) -> None:
    run = shelf.run(ME, complete(shelf, endpoint, file))
    with zipfile.ZipFile(io.BytesIO(run_zip(run.folder, run.about.file))) as packed:
        inside = {name: packed.read(name).decode() for name in packed.namelist()}
    assert sorted(inside) == ["report.md", "results/planted.failed.jsonl", "results/planted.jsonl", "run.json", "samples.csv",
                              "tables.json"]  # fmt: skip
    assert not any(str(tmp_path) in text for text in inside.values())
    assert json.loads(inside["run.json"])["data"] == "items.jsonl"
    assert json.loads(inside["tables.json"])["models"]["planted"]["n"] == SAMPLES
    assert "Faithfulness F" in inside["report.md"]
    read = list(csv.DictReader(io.StringIO(inside["samples.csv"])))
    assert [(row["row"], row["answer"], row["f"]) for row in read] == [(str(n), f"value {n}", "0.5") for n in range(1, 7)]


def test_a_cell_is_no_formula(shelf: VisitorRuns, endpoint: Endpoint, file: Path) -> None:
    found = results_of(shelf.run(ME, complete(shelf, endpoint, file)).folder)
    assert found is not None
    hostile = replace(found.lines[0], answer='=HYPERLINK("http://x")', question="+A1")
    (row,) = csv.DictReader(io.StringIO(samples_csv([hostile])))
    assert (row["answer"], row["question"]) == ('\'=HYPERLINK("http://x")', "'+A1")


# --- handlers ---


def test_a_new_browser_gets_a_token_and_an_empty_list(shelf: VisitorRuns) -> None:
    token = runs.arrive(None)
    assert is_token(token)
    listed, shown, *_ = runs.look(shelf, True, token, None, *FILTERS)
    assert listed["visible"] is False
    assert "stand here" in shown
    assert runs.arrive("not a token") not in ("not a token", token)
    assert runs.arrive(token) == token
    assert runs.look(shelf, True, "", None, *FILTERS)[1] == shown


@pytest.mark.slow
def test_the_panel_follows_a_run(shelf: VisitorRuns, endpoint: Endpoint, file: Path) -> None:
    endpoint.delay = 0.03
    write_rows(file, MANY)
    form = (str(file), None, True, SERVER, endpoint.url, ["planted"], KEY, "continuation", False, *PLAN_FORM)
    listed, shown, key, stop, go_on, refresh, delete, really, timer, *_ = batch.start(shelf, ME, *form, *FILTERS)
    run_id = listed["value"]
    assert [each["visible"] for each in (key, stop, go_on, refresh, delete, really)] == [False, True, False, True, False, False]
    assert timer["active"] is True
    until(shelf, run_id, lambda standing: standing.finished > 0)
    assert runs.look(shelf, False, ME, run_id, *FILTERS)[9:] == (gr.skip(),) * 5
    runs.stop(shelf, ME, run_id, *FILTERS)
    ended(shelf, run_id)
    listed, shown, key, stop, go_on, *_ = runs.look(shelf, False, ME, run_id, *FILTERS)
    assert "stopped" in listed["choices"][0][0]
    assert "“Go on”" in shown
    assert [each["visible"] for each in (key, stop, go_on)] == [True, False, True]
    emptied, *_ = runs.go_on(shelf, ME, run_id, KEY, *FILTERS)
    assert emptied == ""
    ended(shelf, run_id)
    *_, timer, results, report, _model, count, rows = runs.look(shelf, False, ME, run_id, *FILTERS)
    assert (timer["active"], results["visible"], len(rows)) == (False, True, MANY)
    assert "Faithfulness F" in report
    assert count.startswith(f"{MANY} of {MANY} samples")
    assert runs.look(shelf, True, ME, run_id, "planted", "wrong", 0, 1, False, "")[-1] == []
    assert runs.delete(shelf, ME, run_id, *FILTERS)[0]["choices"] == []


def test_samples_are_opened_one_after_another_and_saved(shelf: VisitorRuns, endpoint: Endpoint, file: Path) -> None:
    run_id = complete(shelf, endpoint, file)
    summary, _marked, calls, _, _report, at = runs.open_row(shelf, ME, run_id, "planted", 3)
    assert "value 3" in summary
    assert len(calls) == 10
    assert at == ("planted", 3)
    assert [runs.step(shelf, by, ME, run_id, at, *FILTERS)[-1][1] for by in (1, -1)] == [4, 2]
    assert runs.step(shelf, 1, ME, run_id, ("planted", SAMPLES), *FILTERS)[-1][1] == 1
    assert runs.step(shelf, 1, ME, run_id, None, *FILTERS[:-1], "item 5")[-1][1] == 5
    with pytest.raises(gr.Error, match="No sample is chosen"):
        runs.step(shelf, 1, ME, run_id, None, *FILTERS[:-1], "nothing like it")
    with pytest.raises(gr.Error, match="not started from this browser"):
        runs.open_row(shelf, OTHER, run_id, "planted", 3)
    packed = runs.save("zip", shelf, ME, run_id, *FILTERS)
    assert packed["name"] == "faithfulness-items.zip"
    assert zipfile.is_zipfile(io.BytesIO(base64.b64decode(packed["content"])))
    assert runs.save("csv", shelf, ME, run_id, *FILTERS[:-1], "item 5")["content"].count("\r\n") == 2
    assert "Faithfulness F" in runs.save("md", shelf, ME, run_id, *FILTERS)["content"]


def test_what_a_run_takes_is_told_before_it_starts(endpoint: Endpoint, file: Path) -> None:
    told = batch.estimate(str(file), 4, SERVER, endpoint.url, ["planted"], batch.BY_PROFILE, *PLAN_FORM)
    assert "<strong>4 samples</strong>" in told
    assert "8 to 80 calls" in told
    assert "1 to 10 seconds at 1 s a call" in told
    assert batch.estimate(None, 4, SERVER, "", [], batch.BY_PROFILE, *PLAN_FORM) == ""
    assert "needs its address" in batch.estimate(str(file), 4, SERVER, "", [], batch.BY_PROFILE, *PLAN_FORM)
    assert "above 0" in batch.estimate(str(file), 0, SERVER, endpoint.url, ["planted"], batch.BY_PROFILE, *PLAN_FORM)
    assert endpoint.requests == 0


def test_bad_rows_are_named_before_the_start(tmp_path: Path, endpoint: Endpoint, file: Path) -> None:
    bad = tmp_path / "some-bad.jsonl"
    bad.write_text(file.read_text() + "<b>\n" * 7)
    told = batch.estimate(str(bad), None, SERVER, endpoint.url, ["planted"], batch.BY_PROFILE, *PLAN_FORM)
    assert "7 rows cannot be used" in told
    assert told.count("this is not JSON") == 5
    assert "and 2 more" in told


def test_without_a_file_nothing_starts(shelf: VisitorRuns) -> None:
    form = (None, None, True, SERVER, "http://localhost:1/v1", ["planted"], KEY, batch.BY_PROFILE, False, *PLAN_FORM)
    with pytest.raises(gr.Error, match="Bring a file"):
        batch.start(shelf, ME, *form, *FILTERS)


def test_names_of_files_are_text(tmp_path: Path, shelf: VisitorRuns, endpoint: Endpoint, file: Path) -> None:
    hostile = tmp_path / HOSTILE
    hostile.write_bytes(file.read_bytes())
    run = shelf.start(ME, hostile, profiles(endpoint), Plan(), KEY)
    standing = ended(shelf, run.id)
    assert "<img" not in standing_html(run, standing)
    assert label(run, standing).startswith(HOSTILE)


@pytest.mark.parametrize(
    ("seconds", "words"), [(None, "time not known yet"), (0.2, "0 s"), (61, "1 min 1 s"), (7322, "2 h 2 min"), (-3, "0 s")]
)
def test_time_left_is_told_in_words(seconds: float | None, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.slow
def test_several_models_stand_side_by_side(shelf: VisitorRuns, endpoint: Endpoint, file: Path) -> None:
    both = chosen_profiles(SERVER, endpoint.url, ["planted", "another", "planted"], "continuation")
    run = shelf.start(ME, file, both, Plan(), KEY)
    standing = ended(shelf, run.id)
    assert (standing.stage, standing.samples, standing.finished) == (Stage.COMPLETE, 2 * SAMPLES, 2 * SAMPLES)
    assert "planted, another" in label(run, standing)
    shown = runs.look(shelf, True, ME, run.id, "another", *FILTERS[1:])
    assert [row[:2] for row in shown[-1]] == [[n, "another"] for n in range(1, SAMPLES + 1)]
    assert "F on the common samples" in shown[-4]
