"""`python -m annotation bench`: many workers at once at a real server, and a look at what is in the database afterwards."""

import argparse
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from backend.errors import AnnotationError

if TYPE_CHECKING:
    from benchmarks.study.measurement import Load, StudyMeasurement

LOST = 1
KILLED_LEASE_MINUTES = 0.5  # long enough to outlive a restart, short enough to be waited for


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--workers", type=int, default=50, metavar="N", help="how many work at once (50)")
    parser.add_argument("--items", type=int, default=10_000, metavar="N", help="how many items the study has (10000)")
    parser.add_argument("--overlap", type=int, default=2, metavar="N", help="how many workers answer each item (2)")
    parser.add_argument("--seconds", type=float, default=60, metavar="S", help="how long they work (60)")
    parser.add_argument("--think", type=float, nargs=2, default=(1.0, 3.0), metavar=("LEAST", "MOST"),
                        help="seconds between two calls of a worker, drawn evenly; 0 0 for none (1 3)")  # fmt: skip
    parser.add_argument("--kills", type=int, default=0, metavar="N",
                        help="kill the server so often meanwhile; leases then last half a minute (0)")  # fmt: skip
    parser.add_argument("--postgresql", metavar="URL", help="also on this database, to which a study is added; without it, on "
                        "a server of its own where PostgreSQL is installed")  # fmt: skip
    parser.add_argument("--only", choices=("sqlite", "postgresql"), help="leave out the other database")
    parser.add_argument("--json", action="store_true", help="print the measurements as JSON")


def run(args: argparse.Namespace) -> int:
    from benchmarks.study.client import Unanswered
    from benchmarks.study.measurement import measure

    load, results = _load(args), {}
    with tempfile.TemporaryDirectory(prefix="parley-bench-") as name:
        folder = Path(name)
        for kind in ("sqlite", "postgresql"):
            if args.only not in (None, kind):
                continue
            with _address(kind, args.postgresql, folder) as address:
                if address is None:
                    continue
                try:
                    results[kind] = measure(load, address, folder)
                except Unanswered as error:
                    raise AnnotationError(f"The server of the study no longer answers: {error}.") from error
    if not results:
        raise AnnotationError("PostgreSQL is not installed here; give the address of a server with --postgresql URL.")
    if args.json:
        print(json.dumps({kind: measured.as_json() for kind, measured in results.items()}))
    else:
        print("\n".join(_line(measured) for measured in results.values()))
    return LOST if any(measured.losses for measured in results.values()) else 0


def _load(args: argparse.Namespace) -> "Load":
    from benchmarks.study.measurement import Load
    from benchmarks.study.study import Shape
    from benchmarks.study.workers import WorkPace

    for name, least in (("workers", 1), ("items", 1), ("overlap", 1), ("kills", 0), ("seconds", 0)):
        if getattr(args, name) < least:
            raise AnnotationError(f"--{name} is {getattr(args, name)}; it should be {least} or more.")
    if not 0 <= args.think[0] <= args.think[1]:
        raise AnnotationError("--think needs two numbers of seconds, the smaller one first, such as: --think 1 3")
    lease = KILLED_LEASE_MINUTES if args.kills else 30
    return Load(args.workers, Shape(args.items, args.overlap, 1, lease), WorkPace(*args.think), args.seconds, args.kills)


@contextmanager
def _address(kind: str, url: str | None, folder: Path) -> Iterator[str | None]:
    """Where to measure; None if there is no PostgreSQL."""
    from benchmarks.postgresql_server import PostgresqlServer, program

    if kind == "sqlite":
        yield f"sqlite:///{folder / 'parley.sqlite'}"
    elif url is not None:
        yield url
    elif program("initdb") is None:
        yield None
    else:
        server = PostgresqlServer(durable=True)
        try:
            yield server.empty_database()
        finally:
            server.close()


def _line(measurement: "StudyMeasurement") -> str:
    from benchmarks.study.measurement import BOUND_MS
    from benchmarks.study.workers import DRAFT, NEXT, SUBMIT

    load, lost = measurement.load, measurement.losses
    times = ", ".join(
        f"{word} {measurement.latencies[name].median:.0f} ms, 95% within {measurement.latencies[name].p95:.0f} ms"
        for word, name in (("next", NEXT), ("draft", DRAFT), ("submit", SUBMIT))
    )
    kept = "nothing was lost or given twice" if not lost else ", ".join(f"{count} {name}" for name, count in vars(lost).items())
    return (
        f"{measurement.database}: {load.workers} workers on {load.shape.items:,} items for {load.seconds:.0f} s, thinking "
        f"{load.pace.least:g} to {load.pace.most:g} s between calls, {load.kills} kills: {measurement.submitted:,} answers and "
        f"{measurement.drafts:,} drafts were acknowledged; {kept}. Median {times}; the bound is {BOUND_MS:.0f} ms for next and "
        f"submit. {measurement.cores} cores, load average {measurement.load_before} before and {measurement.load_after} after."
    )
