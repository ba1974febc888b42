"""What a table and a model of a visitor may be like: they are looked at before anything is made of them.

Of a model file, `ttm.tabular.model.model_file` looks at what it holds once it is unpacked.
"""

import pickle
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from backend.errors import DatasetError, ModelError
from backend.storage.trial_reading import try_call, try_reading
from ttm.tabular.data.csv_table import column_names, read_table
from ttm.tabular.data.dataset import Dataset
from ttm.tabular.data.dataset_config import read_config
from ttm.tabular.subject import other_model, subject_from_csv

MOST_COLUMNS = 1_000
MOST_ROWS = 500_000
MOST_CELLS = 10_000_000
LARGEST_DESCRIPTION = 1_000_000  # bytes of a dataset.toml
PIECE = 1 << 20


def check_brought(data: Path, description: Path | None = None) -> None:
    """Raise DatasetError for a table or a description that is larger than what visitors may bring, with what would fit."""
    if description is not None and (size := description.stat().st_size) > LARGEST_DESCRIPTION:
        raise DatasetError(f"{description.name} has {size:,} bytes; a description may have {LARGEST_DESCRIPTION:,}.")
    if description is not None:
        _refuse_files(description)
    columns, rows = len(column_names(data)), _lines(data)
    if columns > MOST_COLUMNS:
        raise DatasetError(f"{data.name} has {columns:,} columns; bring at most {MOST_COLUMNS:,} of them.")
    most = min(MOST_ROWS, MOST_CELLS // max(columns, 1))
    if rows > most:
        raise DatasetError(f"{data.name} has {rows:,} lines; with {columns:,} columns bring at most {most:,} of them.")
    try_reading(read_table, data, DatasetError)


def _refuse_files(description: Path) -> None:
    """Raise DatasetError if a visitor's description names a file: it would be one of the server, which is not theirs."""
    stated = read_config(description, data="as brought", target="as chosen")
    named = [key for key in ("train", "model") if getattr(stated, key) is not None]
    if named:
        raise DatasetError(f"{description.name} names a file under {' and '.join(named)}; leave that out of what you bring.")


def check_brought_model(
    model: Path, data: Path, target: str, config: Path | None, trusted: Sequence[str], megabytes: int,
    stated: Mapping[str, Any] | None = None,
) -> None:  # fmt: skip
    """Raise ModelError if reading a model and predicting the table with it takes too much memory or time, or crashes.

    What is wrong with one that reads well is for the reader to say. A small file can ask for much: an estimator compares all
    rows with all that it has kept, and native code follows what the file holds.
    """
    others = (str(data), target, None if config is None else str(config), list(trusted), megabytes, dict(stated or {}))
    try_call(predict_with_model, model, others, ModelError)


def predict_with_model(
    model: Path, data: str, target: str, config: str | None, trusted: Sequence[str], megabytes: int, stated: Mapping[str, Any]
) -> None:
    """Read a model and have it predict each row of a table."""
    subject = subject_from_csv(data, target, model, config, stated=stated, trusted=trusted, megabytes=megabytes)
    subject.model.predict(subject.dataset.frame)


def check_other_model(model: Path, dataset: Dataset, trusted: Sequence[str], megabytes: int) -> None:
    """Raise ModelError if another model of a table takes too much memory or time to be read and to predict it, or crashes."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table"
        table.write_bytes(pickle.dumps(dataset))
        try_call(predict_with_other, model, (str(table), list(trusted), megabytes), ModelError)


def predict_with_other(model: Path, table: str, trusted: Sequence[str], megabytes: int) -> None:
    """Read a model and have it predict each row of a table, which this program wrote a moment ago."""
    dataset = pickle.loads(Path(table).read_bytes())
    other_model(model, dataset, trusted, megabytes).predict(dataset.frame)


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(PIECE), b""))
