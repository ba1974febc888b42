"""`faithfulness.run`: the method over many rows and models, into a folder that a later call takes up again."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend.errors import FaithfulnessError
from backend.models.language_models import PACKAGED_MODEL, LanguageModel
from backend.storage.memory_rows import as_dataset, rows_of
from backend.text.progress_bars import progress_bar
from faithfulness.baselines.methods import METHODS, Method
from faithfulness.interface.evidence_answer import EvidenceAnswer, evidence_answer
from faithfulness.interface.models import ChosenModel, Model, chosen_model, plan_of
from faithfulness.method.correctness import hybrid_metric
from faithfulness.reports.outcomes import outcome_of
from faithfulness.reports.page import report_html, save_html
from faithfulness.reports.tables import Tables, markdown_report, tables_of
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import Profile
from faithfulness.runs.run import RunProgress, RunSpecification, run_study

if TYPE_CHECKING:
    import pandas as pd

ROWS = "rows.jsonl"  # of a run whose rows came from memory


@dataclass(frozen=True)
class MeasuredRun:
    """Read a run in its folder.

    Attributes:
        folder: Where it is.

    Source:
        Fragkathoulas and Chlapanis, section 4 and Table 1.
    """

    folder: Path

    @property
    def tables(self) -> Tables:
        """All that the report shows, read from the folder."""
        return tables_of(RunFolder(self.folder))

    @property
    def summary(self) -> "pd.DataFrame":
        """A row for each of the m models, by name (m, columns): samples that reached each stage, F (0 to 1), calls.

        F has an interval, and F by chance and of each control beside it.
        """
        import pandas as pd

        rows = {name: one.as_json() for name, one in self.tables.summaries.items()}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("model")

    @property
    def table(self) -> "pd.DataFrame":
        """A row for each sample of each model (rows, columns): id, stage, f (0 to 1) and its parts, keywords, calls."""
        import pandas as pd

        return pd.DataFrame(self._rows())

    def answers(self, model: str) -> dict[str, EvidenceAnswer]:
        """Read what was found out about each sample of one model.

        Args:
            model: Its name, as in `summary`.

        Returns:
            The answers by the id of their sample.

        Raises:
            FaithfulnessError: The folder holds nothing of such a model, or cannot be read.
        """
        folder = RunFolder(self.folder)
        if model not in (named := folder.settings()["models"]):
            raise FaithfulnessError(f"The run has no model {model!r}; there are {', '.join(named)}.")
        return {row.id: evidence_answer(report) for row, report in folder.reports(model)}

    def report(self, path: str | Path) -> Path:
        """Write the report as one page of HTML that needs no server.

        Args:
            path: The file; one that is there is replaced.

        Returns:
            The path.

        Raises:
            FaithfulnessError: It cannot be written.
        """
        save_html(Path(path), report_html(self.tables))
        return Path(path)

    def to_dataset(self) -> Any:
        """Give `table` as a data set of the library `datasets`, which has to be installed.

        Returns:
            A `datasets.Dataset` (rows, columns), a row for each sample of each model.

        Raises:
            SettingsError: The library is not installed.
        """
        return as_dataset(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        folder = RunFolder(self.folder)
        named = folder.settings()["models"]
        return [{"model": name} | asdict(outcome_of(row, report)) for name in named for row, report in folder.reports(name)]

    def __str__(self) -> str:
        return markdown_report(self.tables)

    def _repr_html_(self) -> str:
        html: str = self.summary.to_html()
        return html

    def __reduce__(self) -> Any:
        raise TypeError("A run is not pickled; its folder holds all of it: faithfulness.load(folder).")


def run(
    rows: Any, *, model: Model | Sequence[Model] = PACKAGED_MODEL, out: str | Path, base_url: str | None = None,
    key: str | None = None, protocol: str | None = None, parts: int = 3, groups: int = 5, splitter: str = "sentences",
    limit: int | None = None, seed: int = 0, paper: bool = False, skip_bad: bool = False, progress: bool = True,
) -> MeasuredRun:  # fmt: skip
    """Measure models over many rows. The same call again goes on where it ended, and repeats no call to a model.

    Args:
        rows: Rows with question, context and answers: a file, `hf:OWNER/NAME`, a list of n mappings, a DataFrame (n, columns)
            or a `datasets.Dataset` (n, columns).
        model: One or several, as in `explain`. A function is asked one call at a time.
        out: The folder of the run; made if missing.
        base_url: The server of the models.
        key: The environment variable that holds the key.
        protocol: "chat" or "continuation"; if None, what suits each model.
        parts: Into how many regions a passage is cut (p).
        groups: Into how many groups of words a region is cut (q).
        splitter: "sentences" or "words": where regions end.
        limit: Only so many rows, drawn at random by the seed.
        seed: Start of every random draw.
        paper: All by the letter of the paper: prompt, cuts at words, metric, keywords as strings.
        skip_bad: Leave out rows that cannot be used, instead of stopping at the first.
        progress: Show a bar for each model.

    Returns:
        The run: `summary`, `table`, `report("page.html")`.

    Raises:
        FaithfulnessError: Rows or models cannot be used, or the folder holds a run with other settings.
        ModelUnusable: A model could not be asked; the others have run.

    Source:
        Fragkathoulas and Chlapanis, section 4; Table 1 is `summary`.
    """
    folder = Path(out)
    several: list[Any] = list(model) if isinstance(model, list | tuple) else [model]
    asked = protocol or ("paper" if paper else None)
    chosen = {one.profile.name: one for one in (chosen_model(each, base_url, key, asked) for each in several)}
    if len(chosen) < len(several):
        raise FaithfulnessError("Two models have the same name; give each a name of its own.")
    plan = plan_of(parts, groups, splitter, seed, paper)
    data = _kept_rows(rows, folder)
    profiles = tuple(_alone(one) for one in chosen.values())
    study = RunSpecification(data, profiles, plan, limit, skip_bad, paper)

    def open_model(profile: Profile) -> LanguageModel:
        return chosen[profile.name].open()

    _follow(run_study(study, RunFolder(folder), open_model=open_model, metric=hybrid_metric(paper)), progress)
    return MeasuredRun(folder)


async def run_async(rows: Any, **options: Any) -> MeasuredRun:
    """Do what `run` does, without holding up other tasks of an event loop.

    Args:
        rows: As in `run`.
        options: All other arguments of `run`.

    Returns:
        The run: `summary`, `table`, `report("page.html")`.

    Raises:
        FaithfulnessError: Rows or models cannot be used, or the folder holds a run with other settings.
        ModelUnusable: A model could not be asked; the others have run.

    Source:
        Fragkathoulas and Chlapanis, section 4.
    """
    return await asyncio.to_thread(run, rows, **options)


def load(folder: str | Path) -> MeasuredRun:
    """Open the folder of a run.

    Args:
        folder: What `run` or `parley faithfulness run` wrote.

    Returns:
        The run, as `run` returned it.

    Raises:
        FaithfulnessError: The folder holds no run.
    """
    RunFolder(Path(folder)).settings()
    return MeasuredRun(Path(folder))


def _alone(chosen: ChosenModel) -> Profile:
    """A function may not bear several calls at once."""
    return chosen.profile if chosen.brought is None else chosen.profile.model_copy(update={"in_flight": 1})


def _kept_rows(rows: Any, folder: Path) -> str:
    """The file or data set that is named; rows in memory are written into the folder first."""
    if isinstance(rows, str | Path):
        return str(rows)
    lines = [json.dumps(_plain(row), ensure_ascii=False, default=str) for row in rows_of(rows, FaithfulnessError)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ROWS).write_text("\n".join(lines) + "\n", "utf-8")
    except OSError as error:
        raise FaithfulnessError(f"The folder {folder} cannot be used: {error.strerror or error}.") from error
    return str(folder / ROWS)


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays, as parquet and data frames hold lists, as lists."""
    return {name: value.tolist() if hasattr(value, "tolist") else value for name, value in row.items()}


def _follow(steps: Any, progress: bool) -> None:
    bar: Any = None
    last: RunProgress | None = None
    for step in steps:
        if last is None or step.model != last.model:
            bar = progress_bar(
                total=step.samples, initial=step.finished, desc=step.model, unit=" samples", disable=not progress
            )
        bar.update(step.finished - bar.n)
        last = step
    if bar is not None:
        bar.close()


def add_baseline(name: str, method: Method) -> None:
    """Add another way to find the words that an answer rests on, for `parley faithfulness baselines`.

    Args:
        name: What it is called in tables.
        method: From an ablation (the passage's words, and `value(keep)` for a mask of them, each a call) and a seed: a weight
            for every word (n,), the higher the more the answer rests on it.

    Raises:
        FaithfulnessError: There is a baseline of that name already.

    Source:
        Fragkathoulas and Chlapanis, section 3.5: leave-one-out, with which baselines are compared.
    """
    if name in METHODS:
        raise FaithfulnessError(f"There is a baseline {name!r} already; there are {', '.join(METHODS)}.")
    METHODS[name] = method
