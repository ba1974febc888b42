"""`annotation.Study`: a study from Python. Items in, the pages served, answers out."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from annotation.studies.callers import Role
from annotation.studies.figures.results import AnswerFilter, results
from annotation.studies.files.archive import write_archive
from annotation.studies.files.dataset_folder import write_dataset_folder
from annotation.studies.files.export import export_kinds, flat_rows, write_export
from annotation.studies.item_files import ItemKind, prepared, read_items, read_row_items
from annotation.studies.people.workers import Credentials, enrol
from annotation.studies.plan import STUDY_FILE, StudyPlan
from annotation.studies.study import EXAMPLE, Study, add_items, count_items, open_study
from annotation.tasks.task_type import TaskType
from annotation.tasks.task_types import TASK_TYPES
from backend.errors import AnnotationError
from backend.program.settings import Settings, read_settings
from backend.storage.database import Database
from backend.storage.memory_rows import as_dataset, rows_of

if TYPE_CHECKING:
    import pandas as pd

# Named and not imported: the screens take seconds to import.
SCREENS = "annotation.ui.served"
ARCHIVE, DATASET = "archive", "dataset"
BYTES = (ARCHIVE, "parquet")


class StudyApp(Protocol):
    """A `gr.Blocks`, named by what is done with it, since only screens import Gradio."""

    def launch(self, *args: Any, **options: Any) -> Any: ...

    def close(self, verbose: bool = True) -> None: ...


class OpenedStudy:
    """Open a study: its plan in a folder, what is collected in a database. Safe to use from several threads.

    The database is that of the app and of `parley study`, so that either sees what the other has done.

    Source:
        INSPIRED (Mo et al.), section 3.2 and Table 1: the phases of a study; TalkToModel (Slack et al.), section 3 and A.5:
        gold parses.
    """

    def __init__(self, path: str | Path, *, data_dir: str | Path | None = None, database_url: str | None = None) -> None:
        """Open the study in a folder, or that of a `study.toml`; it is made if it is new, and brought up to date if not.

        Args:
            path: The folder, or the `study.toml` in it.
            data_dir: The folder of the database; as in the app if None.
            database_url: SQLAlchemy URL of a database, in place of the one in `data_dir`.

        Raises:
            AnnotationError: There is no such study, or it has mistakes; the message names file, line and field.
        """
        named = {"data_dir": data_dir, "database_url": database_url}
        self.settings: Settings = read_settings({name: value for name, value in named.items() if value is not None})
        folder = Path(path).parent if Path(path).name == STUDY_FILE else Path(path)
        if not (folder / STUDY_FILE).is_file():
            raise AnnotationError(f"There is no {STUDY_FILE} in {folder}; annotation.example({str(folder)!r}) begins one.")
        self.study: Study = open_study(Database(self.settings.database_address), folder)

    @property
    def name(self) -> str:
        """The name of its folder, by which the database and `parley study` know it."""
        return self.study.name

    @property
    def plan(self) -> StudyPlan:
        """What `study.toml` and its files say."""
        return self.study.plan

    @property
    def items(self) -> dict[str, int]:
        """How many items there are, by what they are for: work, trial, attention."""
        return {kind.value: count for kind, count in count_items(self.study).items()}

    def add(self, items: Any, kind: Literal["work", "trial", "attention"] = "work") -> int:
        """Add items, all or none.

        Args:
            items: A file (.jsonl, .json, .csv, each also .gz), or rows in memory: n mappings, a DataFrame (n, fields), a
                `datasets.Dataset` (n, fields), with the fields of the task type.
            kind: What they are for.

        Returns:
            How many of them are new.

        Raises:
            AnnotationError: Items cannot be used; the message names row and field.
        """
        if kind not in (kinds := [each.value for each in ItemKind]):
            raise AnnotationError(f"There are no {kind!r} items; choose {', '.join(kinds)}.")
        chosen = ItemKind(kind)
        if isinstance(items, str | Path):
            read = read_items(self.plan, Path(items), chosen)
        else:
            read = read_row_items(self.plan, rows_of(items, AnnotationError), chosen)
        return add_items(self.study, prepared(self.plan, read) if chosen is ItemKind.WORK else read)

    def enrol(self, name: str, lead: bool = False) -> Credentials:
        """Let a worker or a lead in.

        Args:
            name: What leads see; no two people have the same.
            lead: With the rights of a lead.

        Returns:
            Their code and link, which can be read only now.

        Raises:
            AnnotationError: The name is taken.

        Source:
            INSPIRED (Mo et al.), Table 1: workers pass all phases in turn.
        """
        return enrol(self.study, name, Role.LEAD if lead else Role.WORKER)

    def serve(self, host: str | None = None, port: int | None = None) -> None:
        """Open the study in browsers, and nothing else of Parley, until interrupted.

        Args:
            host: Where to listen; as the settings say if None.
            port: The port; as the settings say if None.

        Raises:
            SettingsError: The port is taken.
        """
        chosen = {name: value for name, value in {"host": host, "port": port}.items() if value is not None}
        import_module(SCREENS).serve(self.study, self.settings.model_copy(update=chosen))

    def app(self) -> StudyApp:
        """Make a Gradio app of the pages.

        Returns:
            A `gr.Blocks` that is not yet launched.
        """
        app: StudyApp = import_module(SCREENS).build(self.study)
        return app

    def results(self, accepted: bool = False, names: bool = False) -> "pd.DataFrame":
        """Read what was collected.

        Args:
            accepted: Leave out what no lead has accepted.
            names: Put names in place of pseudonyms.

        Returns:
            A DataFrame (results, fields of the task type); lists and objects are JSON text, times are seconds.
        """
        import pandas as pd

        return pd.DataFrame(flat_rows(self.study, AnswerFilter(accepted, names=names)))

    def export(
        self, kind: str = "jsonl", path: str | Path | None = None, *, accepted: bool = False, names: bool = False
    ) -> str | bytes | Path:
        """Give what was collected as a file.

        Args:
            kind: jsonl, csv, parquet, answers, log, payment, a file of the task type ("inspired" for dialogues), archive, or
                dataset (a folder for the Hugging Face hub, with a card and Croissant metadata; needs a `path`).
            path: Where to write it; if None it is returned.
            accepted: Leave out what no lead has accepted.
            names: Put names in place of pseudonyms.

        Returns:
            The text (bytes for parquet and archive), or the `path` if it was written there.

        Raises:
            AnnotationError: There is no such kind, or it cannot be written.
        """
        choice = AnswerFilter(accepted, names=names)
        if kind == DATASET:
            if path is None:
                raise AnnotationError("A dataset is a folder; say where: export('dataset', 'FOLDER').")
            write_dataset_folder(self.study, Path(path), choice)
            return Path(path)
        kinds = [*export_kinds(self.study), ARCHIVE]
        kind = _whole_name(kind, kinds)
        if kind not in kinds:
            raise AnnotationError(
                f"There is no export {kind!r} of {self.plan.file.task}; choose {', '.join([*kinds, DATASET])}."
            )
        content = write_archive(self.study, names) if kind == ARCHIVE else write_export(self.study, kind, choice)
        if path is None:
            return content if kind in BYTES else content.decode("utf-8")
        with _writing(Path(path)):
            Path(path).write_bytes(content)
        return Path(path)

    def to_dataset(self, accepted: bool = False) -> Any:
        """Give `results` as a data set of the library `datasets`, which has to be installed.

        Args:
            accepted: Leave out what no lead has accepted.

        Returns:
            A `datasets.Dataset` (results, fields of the task type).

        Raises:
            SettingsError: The library is not installed.
        """
        return as_dataset(flat_rows(self.study, AnswerFilter(accepted)))

    def __len__(self) -> int:
        """How many answers stand."""
        return len(results(self.study))

    def __repr__(self) -> str:
        return f"<Study {self.name} ({self.plan.file.task}): {self.items['work']} items, {len(self)} answers>"

    def __bool__(self) -> bool:
        return True

    def __reduce__(self) -> Any:
        raise TypeError("A study is not pickled; its folder and its database hold all of it. study.export('archive', 'FILE').")


def _whole_name(kind: str, kinds: list[str]) -> str:
    """The one of the kinds that is named without its ending: "inspired" is `inspired.jsonl`."""
    meant = [each for each in kinds if each.partition(".")[0] == kind]
    return meant[0] if len(meant) == 1 else kind


def example(folder: str | Path) -> Path:
    """Begin a study: copy the example to a folder that is not there yet.

    Args:
        folder: The new folder.

    Returns:
        The folder, with its `study.toml`.

    Raises:
        AnnotationError: The folder is there already, or cannot be written.
    """
    if Path(folder).exists():
        raise AnnotationError(f"{folder} is there already; name a new folder.")
    with _writing(Path(folder)):
        shutil.copytree(EXAMPLE, folder)
    return Path(folder)


def add_task_type(name: str, task: TaskType) -> None:
    """Add a kind of task, before a study of it is opened. Its pages show the parts one below the other.

    Args:
        name: What `task = "..."` of a `study.toml` names.
        task: What an item holds, what is shown and asked, what is exported.

    Raises:
        AnnotationError: There is a task type of that name already.

    Source:
        INSPIRED (Mo et al.), section 3.2; TalkToModel (Slack et al.), section 3: the tasks that there are.
    """
    if name in TASK_TYPES:
        raise AnnotationError(f"There is a task type {name!r} already; there are {', '.join(TASK_TYPES)}.")
    TASK_TYPES[name] = task


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise AnnotationError(f"Cannot write {path}: {error.strerror or error}.") from error
