"""A whole run: the rows of one data set through each of several models, into one folder; taken up again where it ended."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from backend.errors import ModelUnusable
from backend.models.embeddings import SentenceEmbedder
from backend.models.language_models import LanguageModel
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan
from faithfulness.runs.breaker import Breaker
from faithfulness.runs.call_store import Counter, RememberingModel
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import Profile
from faithfulness.runs.records import write_plan
from faithfulness.runs.rows import BadRow, Row, chosen_rows, read_rows
from faithfulness.runs.runner import Failed, Pass, Setup, run
from faithfulness.runs.spending import SpendingLimit

# Opened for each model, and closed when all its rows are done.
Workers = Callable[[Profile, Setup], AbstractContextManager[Pass]]


@dataclass(frozen=True)
class RunSpecification:
    """What is run. `data` and `columns` are as in `faithfulness.runs.rows`; `limit` draws as many rows at random by the plan's
    seed."""

    data: str
    profiles: tuple[Profile, ...]
    plan: Plan
    limit: int | None = None
    skip_bad: bool = False
    paper_metric: bool = False
    columns: Mapping[str, str] = field(default_factory=dict)

    def settings(self) -> dict[str, Any]:
        return {
            "data": self.data,
            "limit": self.limit,
            **({"columns": dict(self.columns)} if self.columns else {}),
            "plan": write_plan(self.plan),
            "correctness": "paper" if self.paper_metric else "default",
            "models": {each.name: each.model_dump(mode="json", exclude={"name"}) for each in self.profiles},
        }


@dataclass(frozen=True)
class RunProgress:
    """How far a run is: `finished` and `failed` of `samples` of this model; calls, dollars and tokens (in and out) of this
    process."""

    model: str
    samples: int
    finished: int
    failed: int = 0
    calls: int = 0
    dollars: float = 0.0
    tokens: int = 0
    bad: tuple[BadRow, ...] = field(default=())


def run_study(
    study: RunSpecification,
    folder: RunFolder,
    stopped: Callable[[], bool] = lambda: False,
    open_model: Callable[[Profile], LanguageModel] = Profile.open,
    metric: Metric | None = None,
    pause: float = 2.0,
    workers: Workers | None = None,
    grace: float | None = None,
    limit: SpendingLimit | None = None,
) -> Iterator[RunProgress]:
    """Run each model in turn, saying how far it is after every sample. Whatever ends it, what was asked is kept.

    `pause` is in seconds, before what failed is tried again; `grace` those that a stopped run waits for calls in flight.
    `workers` do the asking where that is not done in this process. Beyond the `limit` nothing is asked.

    Raises FaithfulnessError for data that cannot be used, or a folder that holds a run with other settings,
    SpendingLimitReached, and ModelUnusable, once the other models have run, for those that could not be asked.
    """
    numbers, bad = chosen_rows(study.data, study.limit, study.plan.seed, study.skip_bad, study.columns)
    folder.begin(study.settings())
    judge = metric or Metric(SentenceEmbedder(), paper=study.paper_metric)
    store = folder.calls()
    unusable: list[str] = []
    try:
        for profile in study.profiles:
            finished = folder.finished(profile.name)
            counter = Counter()
            model = RememberingModel(open_model(profile), store, profile.identity(), counter, limit=limit, cost=profile.cost)
            breaker = Breaker(profile.in_flight)
            setup = Setup(model, profile.open_protocol(), judge, study.plan, profile.in_flight, pause, grace, breaker)
            yield RunProgress(profile.name, len(numbers), len(finished), bad=tuple(bad))
            failed: list[Failed] = []
            done = len(finished)
            try:
                with workers(profile, setup) if workers else nullcontext() as one_pass:
                    for outcome in run(_open_rows(study, numbers, finished), setup, stopped, one_pass):
                        if isinstance(outcome, Failed):
                            failed.append(outcome)
                        else:
                            folder.add(outcome.row, outcome.report)
                            done += 1
                        yield _progress(profile, counter, len(numbers), done, len(failed), bad)
            except ModelUnusable as error:
                unusable.append(error.message)
            folder.write_failed(profile.name, failed)
            if stopped():
                return
    finally:
        store.close()
    if unusable:
        raise ModelUnusable(" ".join(unusable))


def _progress(profile: Profile, counter: Counter, samples: int, done: int, failed: int, bad: Sequence[BadRow]) -> RunProgress:
    dollars = profile.cost(counter.prompt_tokens, counter.completion_tokens)
    tokens = counter.prompt_tokens + counter.completion_tokens
    return RunProgress(profile.name, samples, done, failed, counter.calls, dollars, tokens, tuple(bad))


def _open_rows(study: RunSpecification, numbers: Sequence[int], finished: set[int]) -> Iterator[Row]:
    """The rows still to be done, read again so that not all are held at once."""
    wanted = set(numbers) - finished
    for row in read_rows(study.data, study.columns):
        if row.number in wanted and isinstance(row, Row):
            wanted.discard(row.number)
            yield row
        if not wanted:
            return
