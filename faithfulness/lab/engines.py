"""One model through several engines on the same samples: what each run came to, and how often their answers are equal."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from backend.errors import FaithfulnessError
from backend.intervals import mean_of
from backend.models.language_models import PACKAGED_MODEL, LanguageModel
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import ModelCall, SampleReport
from faithfulness.reports.outcomes import outcome_of
from faithfulness.reports.summary import Summary, rounded, summarise
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import TRANSFORMERS, Profile, profile_of
from faithfulness.runs.records import stage_of
from faithfulness.runs.run import RunProgress, RunSpecification, run_study

# The packaged model in each way that it can be run here.
ENGINES: dict[str, Callable[[], Profile]] = {
    "fast": lambda: profile_of(PACKAGED_MODEL),
    "deterministic": lambda: profile_of(PACKAGED_MODEL, deterministic=True),
    "transformers": lambda: profile_of(f"{TRANSFORMERS}{PACKAGED_MODEL}"),
    "transformers-bfloat16": lambda: profile_of(f"{TRANSFORMERS}{PACKAGED_MODEL}", dtype="bfloat16"),
}


@dataclass(frozen=True)
class Compared:
    """One engine beside the first. `same_calls` are the calls that both asked; `equal` is the share of them with the same
    answer, `equal_verdicts` with the same verdict, `equal_stages` the share of samples that came equally far."""

    engine: str
    summary: Summary
    same_calls: int
    equal: float | None
    equal_verdicts: float | None
    equal_stages: float | None

    def as_json(self) -> dict[str, Any]:
        fields = {name: rounded(value) for name, value in asdict(self).items() if name != "summary"}
        return {**fields, "summary": self.summary.as_json()}


@dataclass(frozen=True)
class _EngineRun:
    reports: dict[str, SampleReport]
    summary: Summary


def run_engines(
    study: RunSpecification,
    engines: Sequence[str],
    path: Path,
    open_model: Callable[[Profile], LanguageModel] = Profile.open,
    metric: Metric | None = None,
) -> Iterator[tuple[str, RunProgress]]:
    """Run the study through each engine, into a folder of its own; taken up again where it ended.

    Raises FaithfulnessError for an engine that is not known.
    """
    unknown = [name for name in engines if name not in ENGINES]
    if unknown:
        raise FaithfulnessError(f"There is no engine {unknown[0]!r}; known are {', '.join(ENGINES)}.")
    for name in engines:
        one = replace(study, profiles=(ENGINES[name](),))
        for progress in run_study(one, RunFolder(path / name), open_model=open_model, metric=metric):
            yield name, progress


def compared(engines: Sequence[str], path: Path) -> list[Compared]:
    """What `run_engines` found, each beside the first. Raises FaithfulnessError if one has no finished sample."""
    reports = {name: _reports(path / name) for name in engines}
    first = reports[engines[0]]
    return [_compared(name, first, reports[name]) for name in engines]


def _reports(path: Path) -> _EngineRun:
    folder = RunFolder(path)
    pairs = [pair for model in folder.models() for pair in folder.reports(model)]
    if not pairs:
        raise FaithfulnessError(f"No sample of the run in {path} is finished yet.")
    return _EngineRun({row.id: report for row, report in pairs}, summarise([outcome_of(row, report) for row, report in pairs]))


def _compared(name: str, first: _EngineRun, other: _EngineRun) -> Compared:
    ids = first.reports.keys() & other.reports.keys()
    pairs = [pair for id_ in ids for pair in _same_calls(first.reports[id_], other.reports[id_])]
    return Compared(
        engine=name,
        summary=other.summary,
        same_calls=len(pairs),
        equal=mean_of([a.exchange.reading == b.exchange.reading for a, b in pairs]),
        equal_verdicts=mean_of([a.verdict.correct == b.verdict.correct for a, b in pairs]),
        equal_stages=mean_of([stage_of(first.reports[id_]) == stage_of(other.reports[id_]) for id_ in ids]),
    )


def _same_calls(first: SampleReport, other: SampleReport) -> Iterator[tuple[ModelCall, ModelCall]]:
    known = {(call.stage, call.region, call.group): call for call in first.calls}
    for call in other.calls:
        if (call.stage, call.region, call.group) in known:
            yield known[call.stage, call.region, call.group], call
