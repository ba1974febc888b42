"""A run over a real server on loopback: what is planted is found, nothing is asked twice, and trouble is survived."""

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from backend.errors import FaithfulnessError, LanguageModelError
from backend.models.language_models import LanguageModel, OpenAIEndpoint, Reply, ScriptedModel
from faithfulness.__main__ import main
from faithfulness.baselines.baseline_run import run_baselines
from faithfulness.baselines.methods import METHODS
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan
from faithfulness.reports.tables import markdown_report, tables_of
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import Profile, profile_of
from faithfulness.runs.run import RunSpecification, run_study
from tests.faithfulness.planted import ROWS, Endpoint, reply_to, write_rows

pytestmark = pytest.mark.slow

CALLS_A_SAMPLE = 1 + 1 + 3 + 5  # one region is sufficient


def study_of(rows_file: Path, endpoint: Endpoint, plan: Plan | None = None, in_flight: int = 6) -> RunSpecification:
    profile = profile_of("planted", endpoint.url, protocol="continuation", in_flight=in_flight)
    return RunSpecification(str(rows_file), (profile,), plan or Plan())


def quick(profile: Profile) -> LanguageModel:
    """As the profile opens it, but trying each call once."""
    assert profile.base_url
    return OpenAIEndpoint(profile.base_url, profile.name, timeout=120.0, retries=0)


def impatient(profile: Profile) -> LanguageModel:
    assert profile.base_url
    return OpenAIEndpoint(profile.base_url, profile.name, timeout=2.0, retries=0)


def finish(study: RunSpecification, folder: Path, open_model: Callable[[Profile], LanguageModel] = quick) -> dict[str, Any]:
    for _ in run_study(study, RunFolder(folder), open_model=open_model, metric=Metric(), pause=0.01):
        pass
    figures: dict[str, Any] = tables_of(RunFolder(folder)).as_json()["models"]["planted"]
    return figures


def test_finds_what_was_planted_in_every_row(rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.delay = 0.002
    figures = finish(study_of(rows_file, endpoint), tmp_path / "out")
    stages = [figures[name] for name in ("n", "retrieval_hard", "answered", "sufficient", "necessary")]
    assert stages == [ROWS] * 5
    assert figures["F_own_answer"] == figures["F"]  # its only keyword is its answer
    assert figures["calls"] == endpoint.requests == ROWS * CALLS_A_SAMPLE
    assert 1 < endpoint.most_at_once <= 6
    assert "Faithfulness F" in markdown_report(tables_of(RunFolder(tmp_path / "out")))


def test_a_run_that_is_there_is_not_asked_again(rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    before = finish(study_of(rows_file, endpoint), tmp_path / "out")
    asked = endpoint.requests
    assert finish(study_of(rows_file, endpoint), tmp_path / "out") == before
    assert endpoint.requests == asked
    results = next((tmp_path / "out" / "results").glob("*.jsonl"))
    results.write_text(results.read_text()[:-40])  # as a kill in the middle of a line leaves it
    again = finish(study_of(rows_file, endpoint), tmp_path / "out")
    assert {**again, "seconds": 0} == {**before, "seconds": 0}
    assert endpoint.requests == asked


def test_a_folder_of_another_run_is_left_alone(rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    finish(study_of(rows_file, endpoint), tmp_path / "out")
    with pytest.raises(FaithfulnessError, match="another plan"):
        finish(study_of(rows_file, endpoint, Plan(parts=2)), tmp_path / "out")


@pytest.mark.parametrize("wrong", ["429", "500", "garbage", "empty", "no choices"])
def test_trouble_now_and_then_loses_no_sample(wrong: str, rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.trouble = lambda number: wrong if number % 40 == 7 else ""
    study = study_of(rows_file, endpoint)
    figures = finish(study, tmp_path / "out")
    assert figures["n"] == ROWS
    assert figures["failed"] == 0
    assert sum(figures["failures_of_calls"].values()) >= ROWS * CALLS_A_SAMPLE // 40
    assert all("planted" in reason for reason in figures["failures_of_calls"])


def test_a_slow_server_is_given_up_on_and_asked_again(rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    given_up = threading.Event()

    def slow_once(number: int) -> str:
        if number == 3:
            given_up.wait(120)
        elif number > 3:
            given_up.set()
        return ""

    endpoint.trouble = slow_once
    rows_file.write_text("".join(rows_file.read_text().splitlines(keepends=True)[:4]))
    figures = finish(study_of(rows_file, endpoint, in_flight=1), tmp_path / "out", impatient)
    assert figures["n"] == 4
    assert set(figures["failures_of_calls"]) == {"planted did not answer within 2 s."}


def test_a_sample_that_never_works_is_named(rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    rows_file.write_text("".join(rows_file.read_text().splitlines(keepends=True)[:3]))

    class Failing(ScriptedModel):
        def complete(self, prompt: str, **options: Any) -> Reply:
            if "what is item 2" in prompt:
                raise LanguageModelError("planted refused: the text is too long.")
            return super().complete(prompt, **options)

    study, folder = study_of(rows_file, endpoint), RunFolder(tmp_path / "out")
    failing = Failing(lambda prompt: "", "planted")
    *_, last = run_study(study, folder, open_model=lambda _: failing, metric=Metric(), pause=0)
    assert (last.finished, last.failed) == (2, 1)
    assert folder.failed("planted") == [{"id": "item-2", "row": 2, "reason": "planted refused: the text is too long."}]
    assert "1 samples failed" in markdown_report(tables_of(folder))


def test_stopping_keeps_what_was_asked(rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    study = study_of(rows_file, endpoint, in_flight=2)
    seen = []

    def stopped() -> bool:
        return len(seen) > 5

    for progress in run_study(study, RunFolder(tmp_path / "out"), stopped, quick, Metric()):
        seen.append(progress)
    assert len(RunFolder(tmp_path / "out").finished("planted")) < ROWS
    finish(study, tmp_path / "out")
    assert endpoint.requests == ROWS * CALLS_A_SAMPLE
    assert set(endpoint.prompts.values()) == {1}


def test_killed_twice_it_ends_with_the_same_report(rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    write_rows(rows_file, 30)
    whole = finish(study_of(rows_file, endpoint, in_flight=2), tmp_path / "whole")
    endpoint.prompts.clear()
    command = [
        sys.executable, "-m", "faithfulness", "run", "--data", str(rows_file), "--no-redaction", "--model", "planted",
        "--base-url",
        endpoint.url, "--protocol", "continuation", "--in-flight", "2", "--out", str(tmp_path / "out"),
    ]  # fmt: skip
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    for _ in range(2):
        reached = endpoint.hold_from(endpoint.requests + 60)
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert reached.wait(240)
        process.send_signal(signal.SIGKILL)
        process.wait()
        endpoint.let_go()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "30 of 30 samples finished" in done.stdout
    figures = tables_of(RunFolder(tmp_path / "out")).as_json()["models"]["planted"]
    assert {**figures, "seconds": 0} == {**whole, "seconds": 0}
    # A call in flight when the process was killed never came back; no other is made twice.
    assert sum(count - 1 for count in endpoint.prompts.values()) <= 2 * 2


def test_repeats_are_asked_each_and_kept_each(rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    rows_file.write_text("".join(rows_file.read_text().splitlines(keepends=True)[:3]))
    study = study_of(rows_file, endpoint, Plan(repeats=2))
    figures = finish(study, tmp_path / "out")
    assert set(endpoint.prompts.values()) == {2}
    assert figures["calls"] == endpoint.requests == 2 * 3 * CALLS_A_SAMPLE
    finish(study, tmp_path / "out")
    assert endpoint.requests == 2 * 3 * CALLS_A_SAMPLE


def test_the_flip_rate_is_the_share_of_requests_that_flipped(rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    """The second of three repeats of each question about the whole passage is wrong, and nothing else is."""
    rows_file.write_text("".join(rows_file.read_text().splitlines(keepends=True)[:4]))
    asked: Counter[str] = Counter()

    def unsteady(prompt: str) -> str:
        asked[prompt] += 1
        last = prompt.rsplit("\n\n", 1)[1]
        whole = "Alpha" in last and "kappa" in last
        return "no idea\nKeywords: x" if whole and asked[prompt] == 2 else str(reply_to(prompt)["choices"][0]["text"])

    study, folder = study_of(rows_file, endpoint, Plan(repeats=3)), RunFolder(tmp_path / "out")
    list(run_study(study, folder, open_model=lambda _: ScriptedModel(unsteady, "planted"), metric=Metric()))
    figures = tables_of(folder).as_json()["models"]["planted"]
    assert figures["calls"] == 3 * 4 * CALLS_A_SAMPLE
    assert figures["flip_rate"] == round(1 / CALLS_A_SAMPLE, 4)
    assert "| Requests whose repeats disagree | 10% |" in markdown_report(tables_of(folder))


def test_models_are_compared_on_what_both_explained(rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    """The second model fails on every other row, so the common subset is half."""
    turns = cycle([True, False])
    able = {f"item {n}": next(turns) for n in range(1, ROWS + 1)}

    def open_model(profile: Profile) -> LanguageModel:
        if profile.name == "planted":
            return quick(profile)
        return ScriptedModel(half, profile.name)

    def half(prompt: str) -> str:
        item = prompt.rsplit("what is ", 1)[1].split("\n")[0]
        return str(reply_to(prompt)["choices"][0]["text"]) if able[item] else ""

    profiles = tuple(profile_of(name, endpoint.url, protocol="continuation") for name in ("planted", "half"))
    folder = RunFolder(tmp_path / "out")
    list(run_study(RunSpecification(str(rows_file), profiles, Plan()), folder, open_model=open_model, metric=Metric()))
    found = tables_of(folder).as_json()
    assert found["common"]["n"] == ROWS // 2
    assert found["models"]["half"]["answered"] == ROWS // 2
    assert found["common"]["F"]["half"] == found["common"]["F"]["planted"] == found["models"]["half"]["F"]


@pytest.mark.filterwarnings("ignore")  # what lime, shap and their libraries say while they are imported
def test_baselines_are_kept_beside_the_run_and_not_asked_again(rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    write_rows(rows_file, 3)
    finish(study_of(rows_file, endpoint), tmp_path / "out")
    folder = RunFolder(tmp_path / "out")
    list(run_baselines(folder, open_model=quick, metric=Metric()))
    found = tables_of(folder).as_json()["models"]["planted"]
    assert found["own_keywords"] == {"n": 3, "sufficient": 3, "comprehensive": 3}
    assert {name: row["n"] for name, row in found["baselines"].items()} == dict.fromkeys(METHODS, 3)
    assert all(row["calls"] <= 3 + 5 for row in found["baselines"].values())
    assert "| LIME |" in markdown_report(tables_of(folder))
    asked = endpoint.requests
    assert [each[1:] for each in run_baselines(folder, open_model=quick, metric=Metric())] == [(3, 3)]
    assert endpoint.requests == asked


def test_the_command_line_says_what_is_wrong(rows_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(FaithfulnessError, match="It is not known where nobody is: give --base-url"):
        main(["run", "--data", str(rows_file), "--model", "nobody", "--out", str(tmp_path / "out")])
    (tmp_path / "names.csv").write_text("name\n", "utf-8")
    with pytest.raises(FaithfulnessError, match=r"names\.csv is a file; a run is a folder that holds a run\.json"):
        main(["report", str(tmp_path / "names.csv")])
    with pytest.raises(FaithfulnessError, match="holds no run"):
        main(["report", str(tmp_path)])
    assert capsys.readouterr().out == ""
