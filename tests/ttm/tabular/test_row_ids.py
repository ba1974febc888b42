"""Which column identifies the rows, and how to name another one or none."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ttm.tabular.data.dataset import Dataset, dataset_from_csv

ROWS = 40


def dataset(folder: Path, name: str, values: list[Any], columns: list[str] | None = None, **stated: Any) -> Dataset:
    path = folder / "rows.csv"
    pd.DataFrame({name: values, "x": [row * 7 % 11 for row in range(ROWS)], "y": [0, 1] * (ROWS // 2)}).to_csv(
        path, index=False
    )
    return dataset_from_csv(path, "y", columns=columns, stated=stated)


@pytest.mark.parametrize(
    "name", ["Customer No.", "customer_id", "CustomerID", "Kundennummer", "order number", "Nr.", "part code", "ticket #"]
)
def test_whole_numbers_under_such_a_name_are_the_ids(tmp_path: Path, name: str) -> None:
    made = dataset(tmp_path, name, list(range(10001, 10001 + ROWS)))
    assert made.schema.id_name == name
    assert made.frame.index.tolist()[:2] == [10001, 10002]
    assert any(name in note and "row ids" in note for note in made.schema.notes)


@pytest.mark.parametrize("name", ["zip code", "Postal Code", "number of rooms", "income"])
def test_other_names_are_features(tmp_path: Path, name: str) -> None:
    assert dataset(tmp_path, name, list(range(10001, 10001 + ROWS))).schema.id_name is None


def test_numbers_that_come_twice_are_no_ids(tmp_path: Path) -> None:
    assert dataset(tmp_path, "Customer No.", [5, 5, *range(10, 8 + ROWS)]).schema.id_name is None


def test_ids_can_be_named_or_unset(tmp_path: Path) -> None:
    values = list(range(500, 500 + ROWS))
    assert dataset(tmp_path, "batch", values, id="batch").frame.index[0] == 500
    unset = dataset(tmp_path, "Customer No.", values, id=False)
    assert unset.schema.id_name is None
    assert "Customer No." in unset.schema.by_name


def test_a_column_that_the_model_reads_stays_a_feature(tmp_path: Path) -> None:
    made = dataset(tmp_path, "Customer No.", list(range(ROWS)), columns=["Customer No.", "x"])
    assert [feature.name for feature in made.schema.features] == ["Customer No.", "x"]
