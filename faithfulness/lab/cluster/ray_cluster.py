"""Samples spread over the workers of a Ray cluster that is there already; the one file that imports Ray, which is optional.

A worker takes one sample at a time (`faithfulness.lab.cluster.remote_sample`). Store, results and tables stay with the process
that was started, so a run can begin on a cluster and go on without one, or the other way round. A worker that is lost costs the
calls it had in flight: its sample is tried again by another. The workers are sent this code; what it imports has to be
installed on every node. Ray's usage reports are off.
"""

import logging
import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import backend
import faithfulness
from backend.errors import FaithfulnessError, ParleyError
from backend.program.extras import require
from faithfulness.lab.cluster.remote_sample import Adjusted, Broken, Made, SampleWorker, errand, kept
from faithfulness.runs.profiles import Profile
from faithfulness.runs.rows import Row
from faithfulness.runs.run import Workers
from faithfulness.runs.runner import Failed, Finished, Pass, Setup

log = logging.getLogger(__name__)

ANY = "auto"
REACHED_WITHIN = 5.0  # seconds; Ray itself would try for minutes
TICK = 0.5  # seconds between looks at whether the run was stopped
PATIENCE = 30.0  # seconds without any worker, after which the run reports that it waits for one
LOST = "A worker of the Ray cluster was lost while it had this sample."


@contextmanager
def connected(address: str = ANY) -> Iterator[Workers]:
    """Workers on the cluster at `address`: HOST:PORT, ray://HOST:PORT, or auto for the one that runs on this computer.

    Raises FaithfulnessError if Ray is not installed or no cluster is there.
    """
    ray = _ray()
    _check_reachable(ray, address)
    code = [str(Path(str(package.__file__)).parent) for package in (backend, faithfulness)]
    shared = {name: os.environ[name] for name in ("HF_HUB_OFFLINE",) if name in os.environ}
    environment = {"py_modules": code, "excludes": ["__pycache__"], "env_vars": shared}
    try:
        ray.init(address=address, runtime_env=environment, log_to_driver=False, logging_level="error")
    except (OSError, ValueError, RuntimeError) as error:
        if address == ANY and isinstance(error, ConnectionError):
            raise FaithfulnessError(
                "No Ray cluster runs on this computer: give --ray-address, or start one with `ray start --head`."
            ) from error
        raise FaithfulnessError(f"The Ray cluster at {address} cannot be used: {_reason(error)}") from error
    try:
        yield lambda profile, setup: _crew(ray, profile, setup)
    finally:
        ray.shutdown()


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    require("ray")
    import ray

    return ray


def _check_reachable(ray: Any, address: str) -> None:
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if address == ANY:
        return
    if not host or not port.isdigit():
        raise FaithfulnessError(f"{address} is no address of a Ray cluster: HOST:PORT, ray://HOST:PORT or {ANY} would be.")
    if host in ("localhost", "127.0.0.1") and not address.startswith("ray://"):
        host = ray.util.get_node_ip_address()  # so does Ray
    try:
        socket.create_connection((host, int(port)), REACHED_WITHIN).close()
    except (OSError, OverflowError) as error:
        raise FaithfulnessError(f"No Ray cluster answers at {address}; `ray start --head` starts one.") from error


@contextmanager
def _crew(ray: Any, profile: Profile, setup: Setup) -> Iterator[Pass]:
    crew = _Crew(ray, profile, setup)
    try:
        yield crew.one_pass
    finally:
        crew.end()


class _Crew:
    """The workers of one model: starting, idle, or busy with a row each."""

    def __init__(self, ray: Any, profile: Profile, setup: Setup) -> None:
        nodes = [node["Resources"].get("CPU", 0.0) for node in ray.nodes() if node["Alive"]]
        self._count, cpus, at_once = shares(profile, [each for each in nodes if each >= 1])
        self._ray = ray
        # The second call that a worker may have at a time is the one that tells it to stop.
        self._kind = ray.remote(SampleWorker).options(num_cpus=cpus, max_concurrency=2)
        self._errand = errand(profile, setup, at_once)
        self._starting: dict[Any, Any] = {}
        self._idle: list[Any] = []
        self._busy: dict[Any, tuple[Any, Row, bool]] = {}  # the last: what became of the row is known already
        self._refused = ""

    def one_pass(self, rows: Iterable[Row], setup: Setup, stopped: Callable[[], bool]) -> Iterator[Finished | Failed]:
        """As `faithfulness.runs.runner.in_threads`, one row more being read than there are workers."""
        remaining = iter(rows)
        row = next(remaining, None)
        if row is not None and not self._starting and not self._idle:
            self._hire()
        reported = False
        waits_since = time.monotonic()
        while self._busy or (row is not None and not stopped()):
            while row is not None and self._idle and not stopped():
                self._give(row, setup)
                row = next(remaining, None)
            if stopped() and not reported:
                reported = True
                for worker, _, _ in self._busy.values():
                    worker.stop.remote()
            waits_since = self._wait_requested(waits_since)
            yield from self._take(setup)

    def end(self) -> None:
        for worker in [*self._starting.values(), *self._idle, *(worker for worker, _, _ in self._busy.values())]:
            self._ray.kill(worker)

    def _hire(self) -> None:
        for _ in range(self._count):
            self._start()

    def _start(self) -> None:
        worker = self._kind.remote(self._errand)
        self._starting[worker.ready.remote()] = worker

    def _give(self, row: Row, setup: Setup) -> None:
        worker = self._idle.pop()
        self._busy[worker.begin.remote(row, kept(row, setup))] = (worker, row, False)

    def _take(self, setup: Setup) -> Iterator[Finished | Failed]:
        """What came back within a moment."""
        if not self._starting and not self._busy and not self._idle:
            raise FaithfulnessError(f"No worker of the Ray cluster could start: {self._refused}")
        for ref in self._ray.wait([*self._starting, *self._busy], num_returns=1, timeout=TICK)[0]:
            if ref in self._starting:
                self._welcome(ref)
            else:
                yield from self._hear(ref, setup)

    def _welcome(self, ref: Any) -> None:
        worker = self._starting.pop(ref)
        try:
            self._ray.get(ref)
            self._idle.append(worker)
        except self._ray.exceptions.RayError as error:
            self._refused = _reason(error)

    def _hear(self, ref: Any, setup: Setup) -> Iterator[Finished | Failed]:
        """What happened to the row of a busy worker."""
        worker, row, settled = self._busy.pop(ref)
        try:
            news = self._ray.get(ref)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, ParleyError) else error from None
        except self._ray.exceptions.RayError:
            setup.model.store.note_failure(setup.model.name, LOST)
            self._ray.kill(worker)
            self._start()
            if not settled:
                yield Failed(row, LOST)
            return
        if news.over:
            self._idle.append(worker)
        else:
            settled = settled or any(isinstance(event, Finished | Failed) for event in news.events)
            self._busy[worker.more.remote()] = (worker, row, settled)
        for event in news.events:
            match event:
                case Made(key, reply):
                    setup.model.store.put(key, reply)
                    setup.model.made.add(reply)
                case Broken(reason):
                    setup.model.store.note_failure(setup.model.name, reason)
                case Adjusted(what):
                    setup.model.store.note_adjustment(setup.model.name, what)
                case _:
                    yield event

    def _wait_requested(self, since: float) -> float:
        if self._idle or self._busy or not self._starting:
            return time.monotonic()
        if time.monotonic() - since < PATIENCE:
            return since
        log.warning("No worker has started on the Ray cluster yet: its CPUs may be taken. Waiting.")
        return float("inf")


def shares(profile: Profile, nodes: list[float]) -> tuple[int, float, int]:
    """How many workers, the CPUs of each, and how many calls each may have in flight; `nodes` are the CPUs of each node.

    Calls to a server are shared out, so that no more are in flight than without Ray. A model that runs in the worker
    itself has one worker on each node, with all its CPUs. Raises FaithfulnessError where there are none.
    """
    if not nodes:
        raise FaithfulnessError("The Ray cluster has no node with a whole CPU.")
    if profile.here:
        return len(nodes), min(nodes), profile.in_flight
    count = min(profile.in_flight, int(sum(nodes)))
    return count, 1.0, max(1, profile.in_flight // count)


def _reason(error: BaseException) -> str:
    """The last line of what Ray says, which is the error itself below its trace."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
