"""A run over a real Ray cluster of two CPUs ends as one without: same report, same folder, nothing asked twice."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.errors import FaithfulnessError, SettingsError
from faithfulness.__main__ import main
from faithfulness.lab.cluster.ray_cluster import LOST, connected
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan
from faithfulness.reports.tables import markdown_report, tables_of
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import profile_of
from faithfulness.runs.run import RunSpecification, Workers, run_study
from tests.faithfulness.planted import ROWS, Endpoint

ROOT = Path(__file__).parents[4]
CALLS_A_SAMPLE = 10
IN_FLIGHT = 3
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    pytest.importorskip("ray", reason="needs requirements/ray.txt")
    head = {"num_cpus": 2, "object_store_memory": 80_000_000, "include_dashboard": False}
    with (
        tempfile.TemporaryDirectory(prefix="parley-ray-", ignore_cleanup_errors=True) as home,
        pytest.MonkeyPatch.context() as environment,
    ):
        environment.setenv("RAY_USAGE_STATS_ENABLED", "0")
        environment.setenv("RAY_TMPDIR", home)  # where the address of the cluster is written; Ray does not make the folder
        (Path(home) / "ray").mkdir()
        from ray.cluster_utils import Cluster

        cluster = Cluster(initialize_head=True, head_node_args={**head, "temp_dir": home})
        yield cluster.address
        cluster.shutdown()


@pytest.fixture(scope="module")
def workers(address: str) -> Iterator[Workers]:
    with connected(address) as found:
        yield found


def study_of(rows_file: Path, endpoint: Endpoint, plan: Plan | None = None) -> RunSpecification:
    profile = profile_of("planted", endpoint.url, protocol="continuation", in_flight=IN_FLIGHT)
    return RunSpecification(str(rows_file), (profile,), plan or Plan())


def finish(
    study: RunSpecification, folder: Path, workers: Workers | None = None, seen: Callable[[int], None] = lambda n: None
) -> None:
    """`seen` is told the number of samples finished so far."""
    for progress in run_study(study, RunFolder(folder), metric=Metric(), pause=0.01, workers=workers):
        seen(progress.finished)


def figures(folder: Path) -> dict[str, Any]:
    return {**tables_of(RunFolder(folder)).as_json()["models"]["planted"], "seconds": 0}


def results(folder: Path) -> list[str]:
    """The results without what a clock says, in the order of rows."""
    records = [json.loads(line) for line in (folder / "results" / "planted.jsonl").read_text().splitlines()]
    for record in records:
        for call in record["calls"]:
            call["seconds"] = 0
    return [json.dumps(record) for record in sorted(records, key=lambda record: int(record["row"]))]


def workers_of(home: str) -> list[int]:
    """The processes of the workers of the cluster whose Ray lies in `home`."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            name = (process / "cmdline").read_bytes()
            parent = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
            started_by = Path(f"/proc/{parent}/cmdline").read_bytes()
        except OSError:
            continue
        if name.startswith(b"ray::SampleWorker") and home.encode() in started_by:
            found.append(int(process.name))
    return found


def test_the_report_is_that_of_a_run_without_ray(workers: Workers, rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.delay = 0.01
    study = study_of(rows_file, endpoint)
    finish(study, tmp_path / "ray", workers)
    assert endpoint.requests == ROWS * CALLS_A_SAMPLE
    assert 1 < endpoint.most_at_once <= IN_FLIGHT
    finish(study, tmp_path / "plain")
    assert figures(tmp_path / "ray") == figures(tmp_path / "plain")
    assert results(tmp_path / "ray") == results(tmp_path / "plain")
    reports = [markdown_report(tables_of(RunFolder(tmp_path / name))) for name in ("ray", "plain")]
    assert reports[0] == reports[1]
    assert (tmp_path / "ray" / "run.json").read_bytes() == (tmp_path / "plain" / "run.json").read_bytes()


def test_a_worker_that_is_killed_loses_no_sample(workers: Workers, rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    study = study_of(rows_file, endpoint)
    finish(study, tmp_path / "plain")
    endpoint.prompts.clear()
    endpoint.delay = 0.05
    killed: list[int] = []

    def kill_one(finished: int) -> None:
        if finished >= 3 and not killed:
            killed.append(workers_of("parley-ray-")[0])
            os.kill(killed[0], signal.SIGKILL)

    finish(study, tmp_path / "ray", workers, kill_one)
    assert killed
    found, whole = figures(tmp_path / "ray"), figures(tmp_path / "plain")
    assert found.pop("failures_of_calls") == {LOST: 1}
    assert found == {name: value for name, value in whole.items() if name != "failures_of_calls"}
    # Calls in flight at the kill never came back; no other is made twice.
    assert sum(count - 1 for count in endpoint.prompts.values()) <= IN_FLIGHT


def test_calls_that_fail_are_named_and_made_again(
    workers: Workers, rows_file: Path, endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.trouble = lambda number: "garbage" if number % 40 == 7 else ""
    finish(study_of(rows_file, endpoint), tmp_path / "out", workers)
    found = figures(tmp_path / "out")
    assert (found["n"], found["failed"]) == (ROWS, 0)
    assert list(found["failures_of_calls"]) == ["planted sent a reply that is not of the OpenAI kind."]
    assert found["failures_of_calls"].popitem()[1] >= ROWS * CALLS_A_SAMPLE // 40
    assert set(endpoint.prompts.values()) == {1}


def test_a_stopped_run_goes_on_without_ray(workers: Workers, rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.delay = 0.02
    study, folder = study_of(rows_file, endpoint, Plan(repeats=2)), RunFolder(tmp_path / "out")
    seen = []
    for progress in run_study(study, folder, lambda: len(seen) > 5, metric=Metric(), workers=workers):
        seen.append(progress)
    assert 5 <= len(folder.finished("planted")) < ROWS
    finish(study, tmp_path / "out")
    assert endpoint.requests == 2 * ROWS * CALLS_A_SAMPLE
    assert set(endpoint.prompts.values()) == {2}


def test_a_killed_command_is_taken_up_on_the_cluster(address: str, rows_file: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    """Killed, then interrupted by Ctrl-C, then left to finish."""
    endpoint.delay = 0.02
    command = [
        sys.executable, "-m", "faithfulness", "run", "--data", str(rows_file), "--no-redaction", "--model", "planted",
        "--base-url",
        endpoint.url, "--protocol", "continuation", "--in-flight", str(IN_FLIGHT), "--out", str(tmp_path / "out"),
        "--backend", "ray", "--ray-address", address,
    ]  # fmt: skip

    def until(requests: int, number: int) -> tuple[int, str]:
        """The exit code and output of the command, sent a signal once so many requests have come."""
        reached = endpoint.hold_from(requests)
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            assert reached.wait(240)
            process.send_signal(number)
            endpoint.let_go()
            told, _ = process.communicate()
        return process.returncode, told

    assert until(60, signal.SIGKILL)[0] == -signal.SIGKILL
    code, told = until(120, signal.SIGINT)
    assert code == 130
    assert "The same command goes on from here" in told
    assert endpoint.requests < ROWS * CALLS_A_SAMPLE
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    code, told = done.returncode, done.stdout
    assert code == 0
    assert f"{ROWS} of {ROWS} samples finished" in told
    assert figures(tmp_path / "out")["n"] == ROWS
    # The workers of the killed command end a moment after it; what they asked until then came back to nobody.
    assert sum(count - 1 for count in endpoint.prompts.values()) <= 4 * IN_FLIGHT


def test_what_cannot_be_used_is_said_in_a_sentence(rows_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    command = ["run", "--data", str(rows_file), "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--out", str(out)]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        closed = taken.getsockname()[1]
    pytest.importorskip("ray", reason="needs requirements/ray.txt")
    for given, told in (
        (["--backend", "ray", "--ray-address", f"127.0.0.1:{closed}"], "No Ray cluster answers at 127.0.0.1"),
        (["--backend", "ray", "--ray-address", "here"], "here is no address of a Ray cluster"),
        (["--ray-address", "auto"], "--ray-address is for --backend ray"),
    ):
        with pytest.raises(FaithfulnessError, match=told):
            main([*command, *given])
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SettingsError, match=r"ray, which is not installed: pip install 'parley\[ray\]'"):
        main([*command, "--backend", "ray"])
    assert not out.exists()


def test_a_worker_that_cannot_start_ends_the_run_with_the_reason(workers: Workers, rows_file: Path, tmp_path: Path) -> None:
    study = RunSpecification(str(rows_file), (profile_of("nobody", protocol="continuation"),), Plan())
    with pytest.raises(FaithfulnessError, match=r"No worker .* could start: .*nobody is"):
        list(run_study(study, RunFolder(tmp_path / "out"), open_model=lambda _: None, metric=Metric(), workers=workers))  # type: ignore[arg-type,return-value]
