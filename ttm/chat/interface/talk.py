"""`ttm.talk`: a chat about a model and a table that are in memory, or about a data set by name."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from backend.errors import DatasetError
from backend.storage.cache import Cache
from backend.text.progress_bars import progress_bar
from ttm.chat.catalogue import loaded_from
from ttm.chat.interface.chat import ModelChat
from ttm.chat.interface.loading import trusted_estimator
from ttm.parsers import DEFAULT
from ttm.tabular.data.dataset import build_dataset
from ttm.tabular.data.dataset_config import DatasetConfig, checked_config
from ttm.tabular.data.frame_table import FrameTable, frame_table
from ttm.tabular.model.class_map import check_class_map
from ttm.tabular.model.model_file import model_from_estimator
from ttm.tabular.model.own_model import columns_read, model_in_memory
from ttm.tabular.model.train import Progress, train_model
from ttm.tabular.subject import Subject, load_subject

OUTCOME = "outcome"  # what a target is called that was given as values without a name
CALL = "ttm.talk"


def talk(
    model: Any = None,
    frame: Any = None,
    *,
    target: str | Sequence[Any] | pd.Series | np.ndarray | None = None,
    train: Any = None,
    task: Literal["classification", "regression"] | None = None,
    classes: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    id: str | Literal[False] | None = None,
    title: str | None = None,
    entity: str | None = None,
    objective: str | None = None,
    features: Mapping[str, Mapping[str, Any]] | None = None,
    trusted_types: Sequence[str] = (),
    parser: str = DEFAULT,
    seed: int = 0,
    cache: str | Path | None = None,
    progress: bool = False,
) -> ModelChat:
    """Begin a chat about a model: `chat.ask("who is the model wrong about?")`.

    Args:
        model: Any object with `predict_proba` or `predict`; a function that takes a DataFrame and returns probabilities (n, k),
            those of the second of two classes (n,), classes (n,) or quantities (n,); a skops file; None to have one trained. Or
            the name of a data set ("german"), or a folder with a `dataset.toml`, if there is no `frame`.
        frame: The rows (n, columns) to talk about, with the target among the columns: a DataFrame or what has `to_pandas()`. An
            index of its own becomes the ids of the rows.
        target: The column that is predicted, or its values (n,), in the order of the rows.
        train: The rows that the model was trained on, with the target, if they are others than `frame`.
        task: Whether `target` holds classes or a quantity, where its values leave that open.
        classes: What the classes are called, in the order of their values.
        columns: The columns to talk about. If None, those that the model remembers to read, else all but the target. With
            names beside those that it reads there can be questions about these too, such as its errors by their groups.
        id: The column that holds the ids of the rows. False numbers them, also where a column is called an id.
        title: What the data set is called.
        entity: What the rows are, in the plural: "people".
        objective: What completes "The model predicts ...".
        features: What is known of columns, each as in a `dataset.toml`: definition, unit, synonyms, precision, mutable, ...
        trusted_types: Types that a skops file may hold beside the known ones.
        parser: How questions are understood: learned, linker, nearest, ...
        seed: Start of every random draw. Equal seeds give equal answers.
        cache: A folder in which explanations are kept for the next time. None keeps them in memory.
        progress: Show a bar while a model is trained.

    Returns:
        A chat. Any number of threads may use it.

    Raises:
        DatasetError: The rows or the target cannot be used.
        ModelError: The model does not fit the rows, or fails on them.
        SettingsError: There is no such parser.

    Source:
        TalkToModel (Slack et al.), section 2: "any tabular model and dataset".
    """
    store = Cache(Path(cache)) if cache is not None else None
    with _bar(progress) as report:
        if frame is None:
            subject = _named(model, target, trusted_types, seed, report)
        else:
            described = {
                "task": task, "classes": None if classes is None else list(classes), "id": id, "title": title,
                "entity": entity, "objective": objective,
                "features": {name: dict(one) for name, one in (features or {}).items()},
            }  # fmt: skip
            subject = _from_frames(model, frame, train, target, columns, described, trusted_types, seed, report)
    return ModelChat(loaded_from(subject, parser, store, seed))


def _named(name: Any, target: Any, trusted: Sequence[str], seed: int, report: Progress | None) -> Subject:
    if not isinstance(name, str | Path):
        raise DatasetError(
            "There are no rows to talk about: give them as the second argument, ttm.talk(model, frame, target=...), or "
            "name a data set, ttm.talk('german')."
        )
    if target is not None:
        raise DatasetError(f"The data set {str(name)!r} says itself what its target is; leave target out.")
    return load_subject(name, trusted=trusted, seed=seed, progress=report)


def _from_frames(
    model: Any, frame: Any, train: Any, target: Any, columns: Sequence[str] | None, described: dict[str, Any],
    trusted: Sequence[str], seed: int, report: Progress | None,
) -> Subject:  # fmt: skip
    table = frame_table(frame)
    name, table = _with_target(table, target)
    more = None if train is None else frame_table(train).table
    config = _config(name, table, described, train is not None)
    estimator = trusted_estimator(Path(model), trusted) if isinstance(model, str | Path) else model
    features = [one for one in table.labels if one not in (name, config.id)]
    known = None if estimator is None else columns_read(estimator, features)
    wanted = list(columns) if columns is not None else known or (None if estimator is None else features)
    dataset = build_dataset(config.data, config, table.table, more, wanted)
    if estimator is None:
        return Subject(dataset, train_model(dataset, seed=seed, progress=report))
    if isinstance(model, str | Path):
        made = model_from_estimator(estimator, Path(model), dataset.schema)
    else:
        made = model_in_memory(estimator, dataset, table)
    check_class_map(made, dataset)
    return Subject(dataset, made)


def _config(target: str, table: FrameTable, described: dict[str, Any], train: bool) -> DatasetConfig:
    stated = {key: value for key, value in described.items() if value is not None}
    known = {"data": "frame", "target": target, **({"train": "frame"} if train else {})}
    named = {"id": table.id} if table.id is not None and "id" not in stated else {}
    return checked_config({"title": "Your data"} | named | stated | known, CALL)


def _with_target(table: FrameTable, target: Any) -> tuple[str, FrameTable]:
    """The name of the target and the table with it."""
    frame = table.table.frame
    if target is None:
        raise DatasetError(f"Say which column is predicted: target={str(frame.columns[-1])!r}, for example.")
    if isinstance(target, str) or (np.isscalar(target) and target in table.labels.values()):
        return str(target), table
    values = np.asarray(target)
    if values.shape != (len(frame),):
        raise DatasetError(f"The target has the shape {values.shape}; for {len(frame)} rows it has to be ({len(frame)},).")
    name = str(getattr(target, "name", None) or OUTCOME)
    if name in frame.columns:
        raise DatasetError(f"The frame has a column {name!r} too; give target={name!r}, or name the values otherwise.")
    added = frame_table(pd.DataFrame({name: values})).table.frame[name]
    frame.insert(len(frame.columns), name, added)
    return name, FrameTable(table.table, {**table.labels, name: name}, {**table.types, name: added.dtype}, table.id)


class _bar:
    """A bar of tqdm for as long as something is trained, if one is wanted."""

    def __init__(self, shown: bool) -> None:
        self._shown = shown

    def __enter__(self) -> Progress | None:
        if not self._shown:
            return None
        self._tqdm = progress_bar(total=100, unit="%", leave=False)
        return self._report

    def _report(self, share: float, words: str) -> None:
        self._tqdm.set_description(words)
        self._tqdm.update(round(100 * share) - self._tqdm.n)

    def __exit__(self, *error: object) -> None:
        if self._shown:
            self._tqdm.close()
