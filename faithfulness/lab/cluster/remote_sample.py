"""A sample whose calls are made in another process, by the same code: what goes there, and what comes back as it happens.

The process of the run sends a row with whatever the run keeps of its calls (`kept`). The other process makes the rest, and
tells of each reply at once, so that the one store of the run has it before the sample is finished.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from queue import SimpleQueue
from typing import Any

from backend.errors import LanguageModelError
from backend.jobs import beside
from backend.models.embeddings import SentenceEmbedder
from backend.models.language_models import Reply
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan, ask, at_most, begin
from faithfulness.runs.breaker import Breaker
from faithfulness.runs.call_store import Counter, RememberingModel, Replies
from faithfulness.runs.profiles import Profile
from faithfulness.runs.rows import Row
from faithfulness.runs.runner import Failed, Finished, Setup, in_threads


@dataclass(frozen=True)
class Made:
    """A reply that the model gave just now, and the key to keep it under."""

    key: str
    reply: Reply


@dataclass(frozen=True)
class Broken:
    """A call that failed; its sample is reported as Failed once the calls beside it are back."""

    reason: str


@dataclass(frozen=True)
class Adjusted:
    """What was changed in the requests because the server of the model refused it."""

    what: str


Event = Made | Broken | Adjusted | Finished | Failed


@dataclass(frozen=True)
class News:
    """What has happened to a row since it was last asked after; `over` when nothing else will."""

    events: tuple[Event, ...]
    over: bool = False


@dataclass(frozen=True)
class Errand:
    """What the other process needs beside rows. `at_once` is the number of calls that it may have in flight; the `key` goes
    from process to process only."""

    profile: Profile
    plan: Plan
    metric: Metric
    at_once: int
    key: str = field(default="", repr=False)
    embeds: bool = False


def errand(profile: Profile, setup: Setup, at_once: int) -> Errand:
    """The embedding model is not sent: it is loaded again where it is needed."""
    metric = replace(setup.metric, embedder=None)
    return Errand(profile, setup.plan, metric, at_once, profile.api_key(), setup.metric.embedder is not None)


class SampleWorker:
    """Works on one row after another; `stop` may be called from another thread meanwhile.

    `begin` and then `more`, as long as there is any, give what has happened since, as soon as anything has. What they
    raise is a defect, or a FaithfulnessError.
    """

    def __init__(self, wanted: Errand) -> None:
        self._errand = wanted
        self._model = wanted.profile.open(wanted.key)
        self._protocol = wanted.profile.open_protocol()
        self._metric = replace(wanted.metric, embedder=SentenceEmbedder()) if wanted.embeds else wanted.metric
        self._breaker = Breaker(wanted.at_once)
        self._stopped = threading.Event()
        self._events: SimpleQueue[Event | BaseException | None] = SimpleQueue()

    def ready(self) -> bool:
        return True

    def stop(self) -> None:
        """Begin nothing new, now or later; calls in flight are awaited and reported."""
        self._stopped.set()

    def begin(self, row: Row, known: Mapping[str, Reply]) -> News:
        """One pass over the row, with what is `known` of its calls. Its last event is Finished or Failed, unless the worker was
        stopped."""
        beside(partial(self._work, row, HandedReplies(known, self._events.put)))
        return self.more()

    def more(self) -> News:
        events: list[Event] = []
        while not events or not self._events.empty():
            event = self._events.get()
            if event is None:
                return News(tuple(events), over=True)
            if isinstance(event, BaseException):
                raise event
            events.append(event)
        return News(tuple(events))

    def _work(self, row: Row, replies: "HandedReplies") -> None:
        model = RememberingModel(self._model, replies, self._errand.profile.identity(), Counter())
        plan, at_once = self._errand.plan, self._errand.at_once
        setup = Setup(model, self._protocol, self._metric, plan, at_once, breaker=self._breaker)
        try:
            for outcome in in_threads([row], setup, self._stopped.is_set):
                self._events.put(outcome)
            self._events.put(None)
        except BaseException as error:  # the reader of the queue must see any error
            self._events.put(error)


class HandedReplies:
    """The replies of one row, away from the folder of the run: what was handed along, and what has come since."""

    def __init__(self, known: Mapping[str, Reply], tell: Callable[[Event], None]) -> None:
        self._known, self._tell = dict(known), tell

    def get(self, key: str) -> Reply | None:
        return self._known.get(key)

    def put(self, key: str, reply: Reply) -> None:
        self._known[key] = reply
        self._tell(Made(key, reply))

    def note_failure(self, model: str, reason: str) -> None:
        self._tell(Broken(reason))

    def note_adjustment(self, model: str, what: str) -> None:
        self._tell(Adjusted(what))


def kept(row: Row, setup: Setup) -> dict[str, Reply]:
    """What the store of the run has of all calls that the row can lead to, by key; nothing is asked or judged."""
    result: dict[str, Reply] = {}
    model = replace(setup.model, model=_Silent(setup.model.name), store=_Noting(setup.model.store, result))
    report = begin(row.sample, setup.plan, setup.model.name, setup.protocol.name)
    for count, request in enumerate(at_most(report), start=1):
        try:
            ask(request, report, model, setup.protocol, Metric())
        except LanguageModelError:
            if not result and count == 2:
                break  # neither the closed book nor the passage: the row is new
    return result


@dataclass(frozen=True)
class _Silent:
    """A model that answers nothing."""

    name: str

    def chat(self, *asked: Any, **options: Any) -> Reply:
        raise LanguageModelError(f"{self.name} was not to be asked.")

    complete = chat


@dataclass(frozen=True)
class _Noting:
    store: Replies
    noted: dict[str, Reply]

    def get(self, key: str) -> Reply | None:
        reply = self.store.get(key)
        if reply is not None:
            self.noted[key] = reply
        return reply

    def put(self, key: str, reply: Reply) -> None:
        self.store.put(key, reply)

    def note_failure(self, model: str, reason: str) -> None:
        self.store.note_failure(model, reason)

    def note_adjustment(self, model: str, what: str) -> None:
        self.store.note_adjustment(model, what)
