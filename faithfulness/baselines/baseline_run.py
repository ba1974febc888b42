"""The baselines over the explained samples of a run, kept beside its results and taken up again where they ended."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from backend.intervals import clustered_interval
from backend.jobs import in_flight
from backend.models.embeddings import SentenceEmbedder
from backend.models.language_models import LanguageModel
from faithfulness.baselines.compare import BaselineOutcome, OwnKeywords, compare, explained
from faithfulness.baselines.methods import METHODS
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import SampleReport
from faithfulness.method.prompting import Protocol
from faithfulness.runs.call_store import Counter, RememberingModel
from faithfulness.runs.folder import RunFolder, append_line, read_lines, slug
from faithfulness.runs.profiles import Profile
from faithfulness.runs.rows import Row

JUDGED = "by text"


@dataclass(frozen=True)
class BaselineRow:
    """One baseline over all samples of a model; `calls` and `seconds` are means a sample."""

    method: str
    n: int
    F: float | None
    F_interval: tuple[float, float] | None
    agrees: float | None
    necessary: float | None
    calls: float
    seconds: float


def run_baselines(
    folder: RunFolder,
    methods: Sequence[str] = tuple(METHODS),
    open_model: Callable[[Profile], LanguageModel] = Profile.open,
    metric: Metric | None = None,
) -> Iterator[tuple[str, int, int]]:
    """Compare each explained sample of the retrieval-hard subset of each model, yielding (model, done, of how many).

    As many samples as the model may have calls in flight are worked on at once. Raises LanguageModelError when a call fails;
    what was finished stays.
    """
    settings = folder.settings()
    judge = metric or Metric(SentenceEmbedder(), paper=settings["correctness"] == "paper")
    store = folder.calls()
    try:
        for name in folder.models():
            profile = Profile.model_validate({"name": name, **settings["models"][name]})
            model = RememberingModel(open_model(profile), store, profile.identity(), Counter())
            hard = ((row, report) for row, report in folder.reports(name) if report.retrieval_hard is not False)
            due = [(row, report) for row, report in hard if explained(report)]
            done = {record["id"] for record in _latest(folder, name) if set(methods) <= set(record["methods"])}
            yield name, len(done), len(due)
            jobs = [
                partial(_compared, row, report, model, profile.open_protocol(), judge, methods)
                for row, report in due
                if row.id not in done
            ]
            for number, line in enumerate(in_flight(jobs, profile.in_flight), len(done) + 1):
                append_line(_file(folder, name), line)
                yield name, number, len(due)
    finally:
        store.close()


def _compared(
    row: Row, report: SampleReport, model: LanguageModel, protocol: Protocol, metric: Metric, methods: Sequence[str]
) -> str:
    return _line(row, *compare(row.id, row.passage_key, report, model, protocol, metric, methods))


def baseline_table(folder: RunFolder, model: str, seed: int = 0) -> list[BaselineRow]:
    """One row for each baseline that was run, in the order of METHODS; empty before `run_baselines`."""
    outcomes = [BaselineOutcome(**each) for record in _latest(folder, model) for each in record["methods"].values()]
    by_method = {name: [each for each in outcomes if each.method == name] for name in METHODS}
    return [_row(name, own, seed) for name, own in by_method.items() if own]


def own_keywords(folder: RunFolder, model: str) -> list[OwnKeywords]:
    """What the model's own keywords are worth, a sample each."""
    return [OwnKeywords(**record["own"]) for record in _latest(folder, model)]


def _row(name: str, outcomes: list[BaselineOutcome], seed: int) -> BaselineRow:
    scored = [(each.passage_key, each.f) for each in outcomes if each.f is not None]
    return BaselineRow(
        method=name,
        n=len(outcomes),
        F=_mean([f for _, f in scored]),
        F_interval=clustered_interval(scored, seed),
        agrees=_mean([each.agrees for each in outcomes if each.agrees is not None]),
        necessary=_mean([each.necessary for each in outcomes if each.necessary is not None]),
        calls=_mean([each.calls for each in outcomes]) or 0.0,
        seconds=_mean([each.seconds for each in outcomes]) or 0.0,
    )


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _line(row: Row, outcomes: list[BaselineOutcome], own: OwnKeywords) -> str:
    methods = {each.method: asdict(each) for each in outcomes}
    return json.dumps({"id": row.id, "judged": JUDGED, "methods": methods, "own": own.as_json()}, ensure_ascii=False)


def _latest(folder: RunFolder, model: str) -> list[dict[str, Any]]:
    """One record a sample, with every method that it was compared with, the later result where there are two."""
    latest: dict[str, dict[str, Any]] = {}
    for record in _records(folder, model):
        before = latest.get(record["id"], {"methods": {}})
        latest[record["id"]] = {**record, "methods": {**before["methods"], **record["methods"]}}
    return list(latest.values())


def _records(folder: RunFolder, model: str) -> Iterator[dict[str, Any]]:
    """Those that were judged as they are now; the calls of others are kept, so that judging them again costs none."""
    return (record for record in read_lines(_file(folder, model)) if record.get("judged") == JUDGED)


def _file(folder: RunFolder, model: str) -> Path:
    return folder.path / "results" / f"{slug(model)}.baselines.jsonl"
