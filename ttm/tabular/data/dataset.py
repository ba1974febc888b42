"""A data set: the rows that one talks about, what the model was trained on, and the schema of both."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype

from backend.errors import DatasetError
from ttm.tabular.data.csv_table import CsvTable, read_table
from ttm.tabular.data.dataset_config import DatasetConfig, checked_config, read_config
from ttm.tabular.data.infer_schema import Labels, infer_features, infer_target
from ttm.tabular.data.row_ids import no_column, row_ids, stray_index
from ttm.tabular.data.schema import Schema, readable

_DEMO_FOLDER = Path(__file__).parents[1] / "demos"
DEMOS: dict[str, Path] = {
    "diabetes": _DEMO_FOLDER / "diabetes",
    "german": _DEMO_FOLDER / "german",
    "compas": _DEMO_FOLDER / "compas",
}
CONFIG_FILE = "dataset.toml"
UNKNOWN_CLASS = -1


@dataclass(frozen=True)
class Dataset:
    """Rows with their true labels where these are known.

    `frame` (n, features) has the feature columns in schema order and unique ids as index; `labels` (n,) are class
    numbers (UNKNOWN_CLASS where unknown) or, for a regression target, floats (NaN where unknown); None without any.
    `train_frame` and `train_labels` have known labels only; they are the labelled rows of `frame` if there is no train
    file. `fingerprint` is a SHA-256 over all of it.
    """

    name: str
    schema: Schema
    frame: pd.DataFrame
    labels: np.ndarray | None
    train_frame: pd.DataFrame
    train_labels: np.ndarray | None
    fingerprint: str


def dataset_folder(name_or_folder: str | Path) -> Path:
    """The folder of a demo or of one's own data set; raises DatasetError if there is none."""
    folder = DEMOS.get(str(name_or_folder), Path(name_or_folder))
    if (folder / CONFIG_FILE).is_file():
        return folder
    if folder.is_dir():
        raise DatasetError(f"The folder {folder} holds no {CONFIG_FILE}.")
    raise DatasetError(
        f"There is no data set {str(name_or_folder)!r}: give {', '.join(DEMOS)}, or a folder that holds a {CONFIG_FILE}."
    )


def load_dataset(name_or_folder: str | Path, columns: Sequence[str] | None = None) -> Dataset:
    """Load a demo by name, or a folder holding `dataset.toml`.

    `columns` limits the features to those a given model reads. Raises DatasetError saying what is wrong in which file.
    """
    folder = dataset_folder(name_or_folder)
    config = read_config(folder / CONFIG_FILE)
    data = _read(folder / config.data, config, columns)
    train = _read(folder / config.train, config, columns) if config.train else None
    name = folder.resolve().name
    return build_dataset(name, config, data, train, columns)


def dataset_from_csv(
    path: str | Path,
    target: str,
    config: str | Path | None = None,
    columns: Sequence[str] | None = None,
    stated: Mapping[str, Any] | None = None,
) -> Dataset:
    """Make a data set of one CSV file; `config` is an optional `dataset.toml`, overruled in its `data` and `target`.

    `stated` are further keys of such a file (`task`, `id`), which overrule it too.
    """
    path = Path(path)
    known = {"data": path.name, "target": target, **(stated or {})}
    described = read_config(Path(config), **known) if config else checked_config(known, "What was stated")
    train = _read(Path(config).parent / described.train, described, columns) if config and described.train else None
    return build_dataset(path.stem, described, _read(path, described, columns), train, columns)


def _read(path: Path, config: DatasetConfig, columns: Sequence[str] | None) -> CsvTable:
    """Read a file: for a model that was made elsewhere as pandas would, since its maker may have."""
    kinds = {name: feature.kind for name, feature in config.features.items() if feature.kind is not None}
    return read_table(path, kinds, plain=columns is not None)


def build_dataset(
    name: str, config: DatasetConfig, data: CsvTable, train: CsvTable | None, columns: Sequence[str] | None = None
) -> Dataset:
    """Put together what was read: ids, labels and features, inferred over both files at once."""
    notes = list(data.notes) + list(train.notes if train else ())
    if config.target not in data.frame.columns and not config.train:
        raise no_column(config.target, data.frame)
    index, id_name = row_ids(data.frame, config, frozenset((*config.features, *(columns or ()))), notes)
    units = {**(train.units if train else {}), **data.units}
    unused = {config.target, id_name, *stray_index(data.frame), *stray_index(train.frame if train else None)}
    rows = len(data.frame)
    table = _joined(data.frame, train.frame if train else None, unused - {config.target, None})
    labels = _labels(table, config, units)
    table = table.drop(columns=config.target)
    features = infer_features(table, config, columns, units)
    schema = Schema(
        title=config.title or readable(name).capitalize(),
        objective=config.objective or readable(config.target),
        features=features.features,
        target=labels.target,
        id_name=id_name if id_name in data.frame.columns else None,
        entity=config.entity or "instances",
        notes=(*notes, *features.notes, *_label_notes(labels.numbers, rows)),
    )
    frame = features.frame.iloc[:rows].set_axis(index)
    known = _known(labels.numbers)
    own = labels.numbers[:rows] if known[:rows].any() else None
    training = known.copy()
    if train is not None:
        training[:rows] = False
    train_frame = features.frame.iloc[rows:][training[rows:]] if train is not None else frame[known]
    if train_frame.empty:
        raise DatasetError(f"No row to train on has a value of {config.target!r}.")
    train_labels = labels.numbers[training]
    return Dataset(
        name, schema, frame, own, train_frame, train_labels, _fingerprint(schema, frame, own, train_frame, train_labels)
    )


def _joined(data: pd.DataFrame, train: pd.DataFrame | None, unused: set[str | None]) -> pd.DataFrame:
    """Rows to talk about, then rows to train on, without ids; both files need the same columns."""
    data = data.drop(columns=[name for name in unused if name in data.columns])
    if train is None:
        return data
    train = train.drop(columns=[name for name in unused if name in train.columns])
    missing = [str(name) for name in data.columns if name not in train.columns]
    if missing:
        raise DatasetError(f"The train file lacks the columns {', '.join(missing)} of the data file.")
    for name in data.columns:  # codes such as 01105 of one file, and whole numbers of the other where none begins with 0
        if data[name].dtype == "str" and is_integer_dtype(train[name].dtype):
            train[name] = train[name].astype("str")
        elif train[name].dtype == "str" and is_integer_dtype(data[name].dtype):
            data[name] = data[name].astype("str")
    return pd.concat([data, train], ignore_index=True)


def _labels(table: pd.DataFrame, config: DatasetConfig, units: Mapping[str, str]) -> Labels:
    if config.target not in table.columns:
        raise no_column(config.target, table)
    return infer_target(table[config.target], config, units.get(config.target, ""))


def python_value(value: Any) -> Any:
    """A value of a frame or its index as Python's own, not NumPy's."""
    return value.item() if isinstance(value, np.generic) else value


def _known(numbers: np.ndarray) -> np.ndarray:
    return np.asarray(~np.isnan(numbers) if numbers.dtype.kind == "f" else numbers != UNKNOWN_CLASS)


def _label_notes(numbers: np.ndarray, rows: int) -> list[str]:
    missing, of_train = (int((~_known(part)).sum()) for part in (numbers[:rows], numbers[rows:]))
    notes = [f"{missing:,} of {rows:,} rows have no label; scores and errors leave them out."] if missing else []
    return notes + ([f"{of_train:,} rows to train on have no label and were left out."] if of_train else [])


def _fingerprint(schema: Schema, *parts: pd.DataFrame | np.ndarray | None) -> str:
    ordered = replace(schema, features=tuple(replace(feature, inferred=frozenset()) for feature in schema.features))
    digest = hashlib.sha256(repr(ordered).encode())  # a set's repr differs from one process to the next
    for part in parts:
        if isinstance(part, pd.DataFrame):
            digest.update(pd.util.hash_pandas_object(part, index=True).to_numpy().tobytes())
        elif part is not None:
            digest.update(part.tobytes())
    return digest.hexdigest()
