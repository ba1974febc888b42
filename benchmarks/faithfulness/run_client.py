"""`python -m benchmarks run-client`: the time and memory of a run, beside a server that takes a known time for each reply."""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.ports import free_port
from faithfulness.commands.options import positive, seconds
from faithfulness.method.explain import Plan
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import profile_of
from faithfulness.runs.run import RunProgress, RunSpecification, run_study

PATIENCE = 120.0  # seconds that the server has to start
WARM = 0.1  # the share of the rows after which memory is compared with that at the end


@dataclass(frozen=True)
class RunCost:
    """Seconds by the clock and of the processor; `floor` is what the replies take by themselves at so many in flight, `asked`
    the same of what the calls really took, which on a busy computer is more. Memory is that of this process, in MiB, once WARM
    of the rows were finished and at the end; None where it cannot be known."""

    rows: int
    calls: int
    in_flight: int
    delay: float
    wall: float
    processor: float
    floor: float
    asked: float
    memory_early: float | None
    memory_end: float | None
    load: float | None

    @property
    def ratio(self) -> float:
        return self.wall / self.floor

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio, "ratio_asked": self.wall / self.asked}

    def sentence(self) -> str:
        memory = f", {self.memory_early:.0f} MiB early and {self.memory_end:.0f} at the end" if self.memory_end else ""
        busy = f" Load of the computer: {self.load:.1f}." if self.load is not None else ""
        return (
            f"{self.rows} rows, {self.calls:,} calls of {1000 * self.delay:.0f} ms, {self.in_flight} in flight: "
            f"{self.wall:.1f} s, {self.ratio:.2f} of the replies' {self.floor:.1f} s and {self.wall / self.asked:.2f} of the "
            f"{self.asked:.1f} s that the calls took; "
            f"{1000 * self.processor / self.calls:.1f} ms of processor time a call{memory}.{busy}"
        )


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run the method over planted rows beside a server of this computer that takes a set time for each reply, and compare "
        "the time with that of the calls alone. On a busy computer the time by the clock says little."
    )
    parser.add_argument("--rows", type=positive, default=1000, metavar="N", help="rows (1000)")
    parser.add_argument("--delay", type=seconds, default=0.05, metavar="SECONDS", help="of a reply (0.05)")
    parser.add_argument("--in-flight", type=positive, default=8, metavar="N", help="calls at the same time (8)")
    parser.add_argument("--json", action="store_true", help="figures for programs")


def run(args: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as folder, started_server(args.delay) as url:
        cost = measured(Path(folder), url, args.rows, args.delay, args.in_flight)
    print(json.dumps(cost.as_json(), indent=2) if args.json else cost.sentence())
    return 0


def measured(folder: Path, url: str, rows: int, delay: float, in_flight: int) -> RunCost:
    """Run so many planted rows against a server that is there."""
    write_rows(folder / "rows.jsonl", rows)
    profile = profile_of("planted", url, key="NO_KEY", protocol="continuation", in_flight=in_flight)
    study = RunSpecification(str(folder / "rows.jsonl"), (profile,), Plan(redaction=True))
    folder_of_run = RunFolder(folder / "run")
    early: float | None = None
    progress: RunProgress | None = None
    began, processor = time.perf_counter(), time.process_time()
    for progress in run_study(study, folder_of_run):
        if early is None and progress.finished >= WARM * rows:
            early = memory()
    wall, used = time.perf_counter() - began, time.process_time() - processor
    assert progress is not None
    assert progress.finished == rows
    floor, end = progress.calls * delay / in_flight, memory()
    calls = (call for _, report in folder_of_run.reports(profile.name) for call in report.calls)
    asked = sum(call.exchange.reply.seconds for call in calls) / in_flight
    return RunCost(rows, progress.calls, in_flight, delay, wall, used, floor, asked, early, end, load())


def write_rows(path: Path, count: int) -> None:
    """Rows of about a hundred words whose answer stands in the second of three sentences."""
    filler = "and the people of that valley have told the same old story of it for as long as anybody there remembers"
    lines = [
        {
            "id": f"item-{n}",
            "question": f"what is item {n}",
            "context": f"Alpha beta gamma {n} {filler}. The item there is value {n} now, {filler}. Eta theta {n} {filler}.",
            "answers": [f"value {n}"],
        }
        for n in range(1, count + 1)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@contextmanager
def started_server(delay: float) -> Iterator[str]:
    """The address of a server in a process of its own."""
    port = free_port()
    command = [sys.executable, "-m", "benchmarks.faithfulness.server", str(port), str(delay)]
    process = subprocess.Popen(command)
    try:
        _await(port)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait()


def _await(port: int) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    raise OSError(f"the server at port {port} did not start within {PATIENCE:.0f} s")


def memory() -> float | None:
    """MiB that this process holds now, where the system tells it."""
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    return None


def load() -> float | None:
    with suppress(OSError, AttributeError):
        return os.getloadavg()[0]
    return None
