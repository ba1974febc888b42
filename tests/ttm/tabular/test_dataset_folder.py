"""A data set folder: what `dataset.toml` may say, and what is said when it is wrong."""

from pathlib import Path

import pandas as pd
import pytest

from backend.errors import DatasetError
from ttm.tabular.data.dataset import load_dataset
from ttm.tabular.data.schema import Direction, FeatureKind

MINIMAL = 'data = "data.csv"\ntarget = "y"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pd.DataFrame({"key": ["p", "q", "r"], "grade": [1, 3, 2], "size": [1.5, 2.5, 9.0], "y": [1, 0, 1]}).to_csv(
        tmp_path / "data.csv", index=False
    )
    return tmp_path


def state(folder: Path, text: str) -> Path:
    (folder / "dataset.toml").write_text(MINIMAL + text, "utf-8")
    return folder


def test_everything_that_can_be_stated(folder: Path) -> None:
    dataset = load_dataset(
        state(
            folder,
            """
title = "Parcels"
objective = "whether a parcel arrives"
entity = "parcels"
id = "key"
classes = ["lost", "arrived"]
precision = 3
[features.grade]
kind = "categorical"
synonyms = ["class"]
[features.size]
definition = "how long it is"
unit = "m"
precision = 1
mutable = false
range = [0, 10]
direction = "increase"
""",
        )
    )
    grade, size = dataset.schema.features
    assert (dataset.schema.title, dataset.schema.entity) == ("Parcels", "parcels")
    assert dataset.frame.index.tolist() == ["p", "q", "r"]
    assert dataset.schema.target.classes == ("lost", "arrived")
    assert (grade.kind, grade.values, grade.synonyms) == (FeatureKind.CATEGORICAL, (1, 2, 3), ("class",))
    assert (size.unit, size.precision, size.mutable, size.range) == ("m", 1, False, (0.0, 10.0))
    assert size.direction is Direction.INCREASE
    assert size.inferred == {"kind"}


def test_rows_to_talk_about_and_rows_to_train_on_share_one_schema(folder: Path) -> None:
    pd.DataFrame({"key": ["s", "t"], "grade": [7, 8], "size": [0.5, 99.0], "y": [0, 2]}).to_csv(
        folder / "train.csv", index=False
    )
    dataset = load_dataset(state(folder, 'train = "train.csv"\nid = "key"\n'))
    assert dataset.schema.target.class_values == (0, 1, 2)
    assert (dataset.schema.by_name["size"].low, dataset.schema.by_name["size"].high) == (0.5, 99.0)
    assert len(dataset.frame) == 3
    assert len(dataset.train_frame) == 2


def test_data_without_labels_beside_labelled_train_rows(folder: Path) -> None:
    pd.read_csv(folder / "data.csv").to_csv(folder / "train.csv", index=False)
    pd.read_csv(folder / "data.csv").drop(columns="y").to_csv(folder / "data.csv", index=False)
    dataset = load_dataset(state(folder, 'train = "train.csv"\nid = "key"\n'))
    assert dataset.labels is None
    assert dataset.train_labels is not None
    assert any("3 of 3 rows have no label" in note for note in dataset.schema.notes)


def test_columns_to_ignore(folder: Path) -> None:
    dataset = load_dataset(state(folder, 'ignore = ["key", "size"]\n'))
    assert list(dataset.frame.columns) == ["grade"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('titel = "x"\n', "unknown key `titel`; did you mean `title`"),
        ('[features.size]\nunits = "m"\n', "unknown key `features.size.units`; did you mean `unit`"),
        ('[features.wize]\nunit = "m"\n', "no feature column 'wize'"),
        ("[features.size]\nrange = [3, 1]\n", "low below high"),
        ('[features.size]\nkind = "number"\n', "numeric"),
        ('id = "grades"\n', "no column 'grades'"),
        ('id = "y"\n', "not unique: 1"),
        ('classes = ["only one"]\n', "must give 2 different names"),
        ('train = "nowhere.csv"\n', "Cannot read"),
        ('classes = ["a", "b"\n', "not valid TOML"),
        ('[features.key]\nkind = "numeric"\n', "stated to be numeric but holds 'p'"),
        ('[features.key]\nkind = "date"\n', "reads as none"),
    ],
)
def test_one_clear_error(folder: Path, text: str, said: str) -> None:
    with pytest.raises(DatasetError, match=said):
        load_dataset(state(folder, text))


def test_required_keys(folder: Path) -> None:
    (folder / "dataset.toml").write_text('data = "data.csv"\n')
    with pytest.raises(DatasetError, match="required key `target`"):
        load_dataset(folder)


def test_a_folder_without_description(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"holds no dataset\.toml"):
        load_dataset(tmp_path)
