"""What sharing the beginnings of prompts saves: whole samples with reuse, and the same calls one after another without."""

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from backend.models.language_models import LanguageModel
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import REGION, ModelCall, Plan, Request, SampleReport, ask, explain
from faithfulness.method.prompting import Protocol
from faithfulness.method.sample import Sample
from faithfulness.reports.summary import rounded


@dataclass(frozen=True)
class BenchRow:
    """One sample: wall seconds of its `calls` with and without reuse, seconds of all cores (`cpu_...`), and how many of the
    calls gave the same answer. Of `prompt_tokens`, `cached_tokens` were not computed with reuse."""

    sample: str
    calls: int
    prompt_tokens: int
    cached_tokens: int
    seconds_with: float
    seconds_without: float
    cpu_with: float
    cpu_without: float
    equal: int

    @property
    def ratio(self) -> float:
        return self.seconds_with / self.seconds_without


@dataclass(frozen=True)
class Bench:
    """All samples together. `peak_bytes` is the most memory that this process held, None where it cannot be known."""

    rows: tuple[BenchRow, ...]
    peak_bytes: int | None
    cores: int
    load: float | None

    @property
    def ratio(self) -> float:
        """Time with reuse as a share of the time without."""
        return sum(row.seconds_with for row in self.rows) / sum(row.seconds_without for row in self.rows)

    @property
    def cpu_ratio(self) -> float:
        """The same of the cores' time, which the load of the computer changes less (with one thread: hardly)."""
        return sum(row.cpu_with for row in self.rows) / sum(row.cpu_without for row in self.rows)

    @property
    def computed(self) -> float:
        """The share of the prompts' tokens that were computed with reuse."""
        return 1 - sum(row.cached_tokens for row in self.rows) / max(1, sum(row.prompt_tokens for row in self.rows))

    @property
    def equal(self) -> float:
        """The share of calls with the same answer."""
        return sum(row.equal for row in self.rows) / sum(row.calls for row in self.rows)

    def as_json(self) -> dict[str, Any]:
        rows = [{**asdict(row), "ratio": row.ratio} for row in self.rows]
        fields = {
            "ratio": self.ratio, "cpu_ratio": self.cpu_ratio, "computed": self.computed, "equal": self.equal,
            "peak_bytes": self.peak_bytes, "cores": self.cores, "load": self.load,
        }  # fmt: skip
        whole = {name: rounded(value) for name, value in fields.items()}
        return {**whole, "samples": [{name: rounded(value) for name, value in row.items()} for row in rows]}


def bench(
    samples: Iterable[Sample],
    fast: LanguageModel,
    plain: LanguageModel,
    protocol: Protocol,
    metric: Metric,
    plan: Plan,
    count: int,
) -> Iterator[BenchRow]:
    """`count` samples through `fast`, and the very calls of each through `plain`, in turn so that both meet the same load.

    `fast` shares what prompts have in common, `plain` computes each from scratch. Samples that end after the first round, as
    the answer is wrong, are passed over. Models and metric are asked something first: neither loading nor the worked
    examples, which begin every prompt of a run, count. Raises LanguageModelError when a call fails.
    """
    metric.judge(["one"], "another")
    for model in (fast, plain):
        protocol.answer(model, "who", "x")
    done = 0
    for sample in samples:
        begun = _clocks()
        report = list(explain(sample, fast, protocol, metric, plan))[-1]
        middle = _clocks()
        if not report.of(REGION):
            continue
        again = [ask(Request(call.stage, call.region, call.group), report, plain, protocol, metric) for call in report.calls]
        ended = _clocks()
        yield _row(report, again, begun, middle, ended)
        done += 1
        if done == count:
            return


def _clocks() -> tuple[float, float]:
    """Wall seconds, and seconds that the cores spent on this process."""
    return time.perf_counter(), time.process_time()


def _row(
    report: SampleReport,
    again: Sequence[ModelCall],
    begun: tuple[float, float],
    middle: tuple[float, float],
    ended: tuple[float, float],
) -> BenchRow:
    replies = [call.exchange.reply for call in report.calls]
    return BenchRow(
        sample=report.sample.question,
        calls=len(again),
        prompt_tokens=sum(reply.prompt_tokens for reply in replies),
        cached_tokens=sum(reply.cached_tokens for reply in replies),
        seconds_with=middle[0] - begun[0],
        seconds_without=ended[0] - middle[0],
        cpu_with=middle[1] - begun[1],
        cpu_without=ended[1] - middle[1],
        equal=_equal(report, again),
    )


def _equal(report: SampleReport, again: Sequence[ModelCall]) -> int:
    return sum(first.exchange.reading == second.exchange.reading for first, second in zip(report.calls, again, strict=True))


def peak_bytes() -> int | None:
    """The most memory that this process has held so far."""
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def load() -> float | None:
    """How many processes wanted to compute at once in the last minute; more than there are cores, and times are inflated."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
