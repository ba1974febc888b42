"""Everything that is loaded in one process: data sets with their models, engines and parsers, shared by all conversations."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from backend.errors import DatasetError
from backend.jobs import Job, Jobs
from backend.network.shares.spending import SPENDING
from backend.program.additions import load_additions
from backend.program.settings import NUMBERED_ROWS, Settings
from backend.storage.accepted_pairs import accepted_pairs, decisions_so_far
from backend.storage.cache import Cache
from backend.storage.database import Database
from ttm.chat.remembered.remembered_corrections import PairSource, RememberingParser
from ttm.explain.explainer import Explainer
from ttm.language.grammar import grammar_of
from ttm.operations.execution_engine import ExecutionEngine
from ttm.parsers import DEFAULT, Parser
from ttm.parsers.opening import is_for_any_data, open_parser
from ttm.parsers.templates.added_phrases import with_added_phrases
from ttm.tabular.brought_files import check_brought, check_brought_model, check_other_model
from ttm.tabular.brought_room import BroughtRoom
from ttm.tabular.data.dataset import CONFIG_FILE, DEMOS, dataset_folder
from ttm.tabular.data.dataset_config import read_config
from ttm.tabular.data.schema import Schema, readable
from ttm.tabular.data.second_table import SecondTable, second_table
from ttm.tabular.subject import Subject, load_subject, other_model, subject_from_csv

Progress = Callable[[float, str], None]

OWN = "own"  # the name of the table that the command line brought
OWN_AT_ONCE = 8  # uploaded data sets that are kept in case the same is uploaded again
WARM_UP_PARSE = "important all"
MOST_ROWS_AHEAD = 1_500  # of a data set, up to which all rows are explained before anybody asks
LONGEST_REST = 5.0


@dataclass(frozen=True)
class Loaded:
    """A data set and a model with what answers questions about them. Safe to share between conversations."""

    subject: Subject
    engine: ExecutionEngine
    parser: Parser

    @property
    def schema(self) -> Schema:
        return self.subject.schema


class SubjectCatalogue:
    """Everything that is loaded in this process: each data set with its model once, for all sessions.

    `names` are the data sets that may be asked for by name, with their titles: the demos and what the settings say.
    With `ready`, which somebody has loaded themselves, there is that one alone, and nothing is kept on disk.
    `database`: where corrections are kept; those that a reviewer accepted are then understood. Raises CacheError if the cache
    folder cannot be used, SettingsError if what is to be added to the language cannot be.
    """

    def __init__(self, settings: Settings, database: Database | None = None, ready: Loaded | None = None) -> None:
        load_additions(settings.operations)
        self._settings = settings
        self._database = database
        self._cache = Cache(settings.cache_dir) if ready is None else None
        self._lock = threading.Lock()
        self._turns: dict[str, threading.Lock] = {}
        self._warm: set[str] = set()
        self._prepared: set[str] = set()
        self._ahead = Jobs(at_once=1)
        self._groups: dict[str, Job[None]] = {}
        self._named: dict[str, Loaded] = {}
        # By hand and no LRUCache: the work that goes on for what is dropped has to be stopped.
        self._own: OrderedDict[str, Loaded] = OrderedDict()
        self._room = BroughtRoom()
        if ready is not None:
            self.default, self.names, self._named = OWN, {OWN: ready.schema.title}, {OWN: ready}
            return
        self.default = OWN if settings.data is not None else settings.dataset
        self.names = {name: _title(name) for name in DEMOS}
        if self.default not in self.names:
            title = readable(settings.data.stem).capitalize() if settings.data is not None else _title(self.default)
            self.names = {self.default: title} | self.names

    def load(self, name: str = "", progress: Progress | None = None) -> Loaded:
        """What is loaded under a name, the default if it is empty; who asks meanwhile waits.

        Raises DatasetError for an unknown name, and whatever is wrong with the data or the model.
        """
        name = name or self.default
        if name not in self.names:
            raise DatasetError(f"There is no data set {name!r} here. Known are {', '.join(self.names)}.")
        with self._lock:
            turn = self._turns.setdefault(name, threading.Lock())
        with turn:
            if name not in self._named:
                self._named[name] = self._with_engine(self._read(name, progress), name)
            return self._named[name]

    def bring(
        self,
        data: Path,
        target: str,
        model: Path | None,
        config: Path | None,
        progress: Progress | None = None,
        stated: Mapping[str, Any] | None = None,
    ) -> Loaded:
        """Load somebody's own table; without a model one is trained. A pickle is refused, whatever the settings say.

        `stated` are further keys of a `dataset.toml`, such as `task` and `id`. Raises DatasetError or ModelError.
        """
        settings = self._settings
        self._check_room()
        check_brought(data, config)
        if model is not None:
            check_brought_model(model, data, target, config, settings.trusted_types, settings.largest_unpacked, stated)
        subject = subject_from_csv(
            data, target, model, config, stated=stated, trusted=settings.trusted_types, megabytes=settings.largest_unpacked,
            seed=settings.seed, progress=progress,
        )  # fmt: skip
        with self._lock:
            known = self._own.get(subject.fingerprint)
        if known is None:
            self._room.keep(SPENDING.working_for(), subject.dataset, subject.dataset.frame, subject.dataset.train_frame)
        loaded = known or self._with_engine(subject)
        with self._lock:
            self._own[subject.fingerprint] = loaded
            self._own.move_to_end(subject.fingerprint)
            while len(self._own) > OWN_AT_ONCE:
                dropped, _ = self._own.popitem(last=False)
                self._stop_groups(dropped)
        return loaded

    def with_other(self, loaded: Loaded, model: Path) -> Loaded:
        """The same data set and model, with somebody's own model beside it; a pickle is refused, whatever the settings say.

        Raises ModelError.
        """
        settings, dataset = self._settings, loaded.subject.dataset
        check_other_model(model, dataset, settings.trusted_types, settings.largest_unpacked)
        other = other_model(model, dataset, settings.trusted_types, settings.largest_unpacked)
        subject = loaded.subject.beside(other)
        return replace(loaded, subject=subject, engine=ExecutionEngine(subject, loaded.engine.explainer, settings.seed))

    def bring_second(self, data: Path, loaded: Loaded) -> SecondTable:
        """Read somebody's second table with the columns of what is loaded. Raises DatasetError."""
        self._check_room()
        check_brought(data)
        second = second_table(data, loaded.schema, loaded.subject.dataset.train_frame)
        self._room.keep(SPENDING.working_for(), second, second.frame)
        return second

    def _check_room(self) -> None:
        """Raise DatasetError where strangers have brought too much already."""
        if self._settings.open_to_strangers:
            self._room.check(SPENDING.working_for(), self._drop_own)

    def _drop_own(self) -> None:
        """Keep no table in case it is brought again."""
        with self._lock:
            dropped, self._own = list(self._own), OrderedDict()
            for fingerprint in dropped:
                self._stop_groups(fingerprint)

    def warm_up(self, loaded: Loaded) -> None:
        """Do in the background, once, what somebody's first question about reasons would wait for; then explain all rows.

        Importance of features over any group is a sample before all rows are explained, and exact after.
        """
        key = loaded.subject.fingerprint
        with self._lock:
            if key in self._warm:
                return
            self._warm.add(key)
        threading.Thread(target=self._prepare, args=(loaded,), name="warm up", daemon=True).start()

    def groups_job(self, loaded: Loaded) -> Job[None] | None:
        """The work of explaining all rows, to watch or to cancel; None before it begins, and for large data sets."""
        with self._lock:
            return self._groups.get(loaded.subject.fingerprint)

    def is_preparing(self, loaded: Loaded) -> bool:
        """Whether the work of `groups_job` may be about to begin."""
        with self._lock:
            return loaded.subject.fingerprint in self._warm - self._prepared

    def _prepare(self, loaded: Loaded) -> None:
        try:
            self._prepare_groups(loaded)
        finally:
            with self._lock:
                self._prepared.add(loaded.subject.fingerprint)

    def _prepare_groups(self, loaded: Loaded) -> None:
        loaded.engine.execute(grammar_of(loaded.schema).read(WARM_UP_PARSE))
        frame, explainer = loaded.subject.dataset.frame, loaded.engine.explainer
        if len(frame) > MOST_ROWS_AHEAD:
            return
        with self._lock:
            self._groups[loaded.subject.fingerprint] = self._ahead.start(
                lambda report: explainer.explain_all(frame, _resting(report))
            )

    def _stop_groups(self, key: str) -> None:
        job = self._groups.pop(key, None)
        self._warm.discard(key)
        self._prepared.discard(key)
        if job is not None:
            job.cancel()

    def _read(self, name: str, progress: Progress | None) -> Subject:
        settings = self._settings
        subject = self._read_table(name, progress)
        if settings.second is None or name != self.default:
            return subject
        return subject.with_second(second_table(settings.second, subject.schema, subject.dataset.train_frame))

    def _read_table(self, name: str, progress: Progress | None) -> Subject:
        settings = self._settings
        if name != OWN or settings.data is None:
            return load_subject(
                name,
                trusted=settings.trusted_types,
                allow_pickle=settings.allow_pickle,
                seed=settings.seed,
                progress=progress,
            )
        target = settings.target or read_config(settings.config, data=settings.data.name).target  # type: ignore[arg-type]
        return subject_from_csv(
            settings.data,
            target,
            settings.model,
            settings.config,
            stated=_stated(settings),
            trusted=settings.trusted_types,
            allow_pickle=settings.allow_pickle,
            seed=settings.seed,
            progress=progress,
        )

    def _with_engine(self, subject: Subject, name: str | None = None) -> Loaded:
        """A model that was trained for one data set, the default, does not understand questions about another."""
        seed, wanted = self._settings.seed, self._settings.parser
        chosen = wanted if name == self.default or is_for_any_data(wanted) else DEFAULT
        loaded = loaded_from(subject, chosen, self._cache, seed)
        return replace(loaded, parser=self._remembering(loaded.parser, subject))

    def _remembering(self, parser: Parser, subject: Subject) -> Parser:
        """With the corrections that reviewers accepted, where there is a database that keeps them."""
        database, name = self._database, subject.dataset.name
        if database is None:
            return parser
        source = PairSource(lambda: decisions_so_far(database), lambda: accepted_pairs(database, name))
        return RememberingParser(parser, subject.schema, source)


def loaded_from(subject: Subject, parser: str, cache: Cache | None = None, seed: int = 0) -> Loaded:
    """A subject with an engine and the parser of that name. Raises SettingsError if there is no such parser."""
    engine = ExecutionEngine(subject, Explainer(subject, cache, seed), seed)
    return Loaded(subject, engine, with_added_phrases(open_parser(parser, subject.dataset, cache, seed), subject.schema))


def with_second(loaded: Loaded, second: SecondTable) -> Loaded:
    """The same with a second table; what was explained stays known."""
    subject = loaded.subject.with_second(second)
    engine = ExecutionEngine(subject, loaded.engine.explainer, loaded.engine.seed)
    return replace(loaded, subject=subject, engine=engine)


def _stated(settings: Settings) -> dict[str, Any]:
    """The keys of a `dataset.toml` that the settings state."""
    stated: dict[str, Any] = {} if settings.task is None else {"task": settings.task}
    if settings.id_column is not None:
        stated["id"] = False if settings.id_column == NUMBERED_ROWS else settings.id_column
    return stated


def _resting(report: Progress) -> Progress:
    """Reports, and then rests as long as was worked since the last time, so that questions are answered meanwhile."""
    worked_from = time.monotonic()

    def reported(fraction: float, message: str) -> None:
        nonlocal worked_from
        report(fraction, message)
        time.sleep(min(time.monotonic() - worked_from, LONGEST_REST))
        worked_from = time.monotonic()

    return reported


def _title(name: str) -> str:
    config = read_config(dataset_folder(name) / CONFIG_FILE)
    return config.title or readable(Path(name).name).capitalize()
