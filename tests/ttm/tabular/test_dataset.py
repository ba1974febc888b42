"""A person brings a CSV file as it is: what is read from it, what is left out, and what is said about that."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from backend.errors import DatasetError
from ttm.tabular.data.dataset import UNKNOWN_CLASS, Dataset, dataset_from_csv, load_dataset
from ttm.tabular.data.schema import FeatureKind


def write(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "rows.csv"
    path.write_bytes(text.encode(encoding))
    return path


def columns(**values: list[object]) -> str:
    return pd.DataFrame(values).to_csv(index=False)


def kinds(dataset: Dataset) -> dict[str, FeatureKind]:
    return {feature.name: feature.kind for feature in dataset.schema.features}


def test_a_spreadsheet_export_with_semicolons_decimal_commas_and_umlauts(tmp_path: Path) -> None:
    text = "Größe;Einkommen;Stadt;y\n1,75;1.200,50;Köln;ja\n1,80;900,00;Bonn;nein\n1,62;2.000,25;Köln;ja\n"
    dataset = dataset_from_csv(write(tmp_path, text, "latin-1"), "y")
    assert dataset.frame["Größe"].tolist() == [1.75, 1.80, 1.62]
    assert dataset.frame["Einkommen"].tolist() == [1200.5, 900.0, 2000.25]
    assert dataset.schema.by_name["Stadt"].values == ("Bonn", "Köln")
    assert any("decimal commas" in note for note in dataset.schema.notes)


def test_tabs_and_a_byte_order_mark(tmp_path: Path) -> None:
    dataset = dataset_from_csv(write(tmp_path, "\ufeffa\tb\ty\n1\t2\t0\n3\t4\t1\n"), "y")
    assert list(dataset.frame.columns) == ["a", "b"]


def test_kinds_are_found_out(tmp_path: Path) -> None:
    text = columns(
        count=[1, 2, 3, 4],
        flag=[0, 1, 1, 0],
        truth=[True, False, True, True],
        answer=["yes", "no", "no", None],
        colour=["red", "blue", "red", "red"],
        day=["2024-01-31", "2023-12-01", None, "2024-02-29"],
        german=["31.01.2024", "01.12.2023", "05.05.2024", "29.02.2024"],
        y=["a", "b", "c", "a"],
    )
    dataset = dataset_from_csv(write(tmp_path, text), "y")
    assert kinds(dataset) == {
        "count": FeatureKind.NUMERIC,
        "flag": FeatureKind.BOOLEAN,
        "truth": FeatureKind.BOOLEAN,
        "answer": FeatureKind.BOOLEAN,
        "colour": FeatureKind.CATEGORICAL,
        "day": FeatureKind.DATE,
        "german": FeatureKind.DATE,
    }
    assert dataset.schema.by_name["answer"].values == ("no", "yes")
    assert dataset.schema.by_name["flag"].values == (0, 1)
    assert dataset.frame["german"].iloc[0] == pd.Timestamp("2024-01-31")
    assert dataset.schema.by_name["day"].low == pd.Timestamp("2023-12-01").toordinal()
    assert dataset.schema.target.classes == ("a", "b", "c")


def test_what_nobody_stated_is_called_inferred(tmp_path: Path) -> None:
    config = tmp_path / "dataset.toml"
    config.write_text('data = "x"\ntarget = "x"\n[features.weight]\ndefinition = "how heavy"\nmutable = true\n')
    text = columns(weight=[1.5, 2.25, 3.0], age=[1, 2, 3], y=[0, 1, 0])
    dataset = dataset_from_csv(write(tmp_path, text), "y", config)
    weight, age = dataset.schema.features
    assert weight.inferred == {"kind", "precision", "direction"}
    assert age.inferred == {"kind", "precision", "direction", "mutable", "definition"}
    assert weight.definition == "how heavy"
    assert age.definition
    assert not age.mutable


@pytest.mark.parametrize(
    ("values", "precision"),
    [([1, 2, 3], 0), ([1.5, 2.0, 9.0], 1), ([0.123, 0.456, 0.9], 3), ([10234.123, 90234.456, 50234.789], 0)],
)
def test_precision_shows_what_matters(tmp_path: Path, values: list[float], precision: int) -> None:
    dataset = dataset_from_csv(write(tmp_path, columns(x=list(values), y=[0, 1, 0])), "y")
    assert dataset.schema.features[0].precision == precision


def test_columns_that_are_no_features_are_left_out_and_named(tmp_path: Path) -> None:
    rows = 150
    text = columns(
        x=list(range(rows)),
        same=["a"] * rows,
        empty=[None] * rows,
        name=[f"person {i}" for i in range(rows)],
        word=[f"w{i % 120}" for i in range(rows)],
        y=[0, 1] * (rows // 2),
    )
    dataset = dataset_from_csv(write(tmp_path, text), "y")
    assert list(dataset.frame.columns) == ["x"]
    notes = " ".join(dataset.schema.notes)
    assert all(name in notes for name in ("same", "empty", "name", "word"))


def test_a_stray_index_becomes_the_ids(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    pd.DataFrame({"x": [1, 2, 3], "y": [0, 1, 0]}, index=[51, 378, 7]).to_csv(path)
    dataset = dataset_from_csv(path, "y")
    assert dataset.frame.index.tolist() == [51, 378, 7]
    assert list(dataset.frame.columns) == ["x"]
    assert any("ids" in note for note in dataset.schema.notes)


def test_rows_are_numbered_from_zero_without_ids(tmp_path: Path) -> None:
    dataset = dataset_from_csv(write(tmp_path, columns(x=[5, 6], y=[0, 1])), "y")
    assert dataset.frame.index.tolist() == [0, 1]
    assert dataset.frame.index.name == "id"


def test_rows_without_a_label_stay_but_are_not_trained_on(tmp_path: Path) -> None:
    dataset = dataset_from_csv(write(tmp_path, columns(x=[1, 2, 3, 4], y=["a", None, "b", "a"])), "y")
    assert dataset.labels is not None
    assert dataset.labels.tolist() == [0, UNKNOWN_CLASS, 1, 0]
    assert len(dataset.frame) == 4
    assert dataset.train_frame["x"].tolist() == [1, 3, 4]
    assert any("1 of 4 rows have no label" in note for note in dataset.schema.notes)


def test_classes_keep_their_values_despite_missing_ones(tmp_path: Path) -> None:
    dataset = dataset_from_csv(write(tmp_path, columns(x=[1, 2, 3], y=[1, None, 2])), "y")
    assert dataset.schema.target.class_values == (1, 2)


@pytest.mark.parametrize(
    ("target", "is_classification"),
    [
        ([0, 1] * 20, True),
        (["x", "y"] * 20, True),
        ([True, False] * 20, True),
        ([1, 2, 3, 4] * 10, True),
        ([i * 0.25 for i in range(40)], False),
        (list(range(40)), False),
    ],
)
def test_classes_or_a_quantity(tmp_path: Path, target: list[object], is_classification: bool) -> None:
    dataset = dataset_from_csv(write(tmp_path, columns(x=list(range(40)), y=target)), "y")
    assert dataset.schema.target.is_classification is is_classification


def test_the_task_can_be_stated(tmp_path: Path) -> None:
    config = tmp_path / "dataset.toml"
    config.write_text('data = "x"\ntarget = "x"\ntask = "regression"\n')
    dataset = dataset_from_csv(write(tmp_path, columns(x=[1, 2, 3, 4], y=[1, 2, 3, 1])), "y", config)
    assert not dataset.schema.target.is_classification
    assert (dataset.schema.target.low, dataset.schema.target.high) == (1.0, 3.0)


def test_doubled_names_are_told_apart_and_mentioned(tmp_path: Path) -> None:
    dataset = dataset_from_csv(write(tmp_path, "a,a,y\n1,5,0\n2,6,1\n3,7,0\n"), "y")
    assert list(dataset.frame.columns) == ["a", "a.1"]
    assert len({feature.token for feature in dataset.schema.features}) == 2
    assert any("several columns named a" in note for note in dataset.schema.notes)


def test_infinity_is_missing(tmp_path: Path) -> None:
    dataset = dataset_from_csv(write(tmp_path, "a,y\n1.5,0\ninf,1\n2.5,0\n"), "y")
    assert np.isnan(dataset.frame["a"].iloc[1])


@pytest.mark.slow
def test_five_hundred_columns(tmp_path: Path) -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 500)), columns=[f"x{i}" for i in range(500)])
    path = tmp_path / "wide.csv"
    frame.assign(y=[0, 1] * 30).to_csv(path, index=False)
    dataset = dataset_from_csv(path, "y")
    assert len({feature.token for feature in dataset.schema.features}) == 500


def test_same_content_same_fingerprint(tmp_path: Path) -> None:
    text = columns(x=[1, 2, 3], y=[0, 1, 0])
    first, second = (dataset_from_csv(write(tmp_path, text), "y").fingerprint for _ in range(2))
    other = dataset_from_csv(write(tmp_path, columns(x=[1, 2, 4], y=[0, 1, 0])), "y").fingerprint
    assert first == second != other


@pytest.mark.parametrize(
    ("text", "target", "said"),
    [
        ("a,y\n1,0\n2,1\n", "z", "no column 'z'; the columns are a, y"),
        ("a,y\n1,0\n2,0\n", "y", "one value only"),
        ("a,y\n", "y", "no rows"),
        ("", "y", "is empty"),
        ("just one\n1\n", "y", "one column only"),
        ("a,y\nx,0\nx,1\n", "y", "No usable feature"),
        ("a,y\n" + "".join(f"1{i},w{i}\n" for i in range(30)), "y", "30 different values; at most 20"),
        ("a,y\n1,0\n2,1,3,4\n", "y", "cannot be read as a table"),
        ("a,y\n1,0,7\n2,1,8\n", "y", "more fields than the header"),
    ],
)
def test_one_clear_error(tmp_path: Path, text: str, target: str, said: str) -> None:
    with pytest.raises(DatasetError, match=said):
        dataset_from_csv(write(tmp_path, text), target)


def test_a_spreadsheet_file_is_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "rows.xlsx"
    path.write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(DatasetError, match="save it as CSV"):
        dataset_from_csv(path, "y")


def test_an_unknown_name_lists_the_demos() -> None:
    with pytest.raises(DatasetError, match=r"diabetes.*german.*compas"):
        load_dataset("diabetis")


def test_names_that_read_alike_are_told_apart(tmp_path: Path) -> None:
    dataset = dataset_from_csv(write(tmp_path, "Value,value ,VALUE,value_2,Y_,y\n1,5,8,3,1,0\n2,6,9,4,3,1\n3,7,7,5,2,0\n"), "y")
    assert [feature.label for feature in dataset.schema.features] == ["value", "value 3", "VALUE 4", "value 2", "y 2"]
    assert any('"value " is called "value 3"' in note for note in dataset.schema.notes)
    assert list(dataset.frame.columns) == ["Value", "value ", "VALUE", "value_2", "Y_"]


@pytest.mark.parametrize(
    ("name", "values", "is_year"),
    [
        ("Year Built", [1905, 1936, 2022], True),
        ("Baujahr", [1905, 1936, 2022], True),
        ("year", [1905, 1936, 12022], False),
        ("years employed", [1905, 1936, 2022], False),
        ("income", [1905, 1936, 2022], False),
    ],
)
def test_years_are_known_by_name_and_values(tmp_path: Path, name: str, values: list[float], is_year: bool) -> None:
    dataset = dataset_from_csv(write(tmp_path, columns(**{name: list(values), "y": [0, 1, 0]})), "y")
    assert dataset.schema.features[0].is_year is is_year
