"""Numbers as people write them: one convention a file, marks for missing values, currencies, percent, brackets, codes."""

from pathlib import Path

import pandas as pd
import pytest

from backend.errors import DatasetError
from ttm.tabular.data.csv_table import CsvTable, read_table
from ttm.tabular.data.dataset import dataset_from_csv, load_dataset
from ttm.tabular.data.schema import FeatureKind
from ttm.tabular.data.second_table import second_table


def table(folder: Path, *lines: str) -> CsvTable:
    path = folder / "rows.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return read_table(path)


def test_a_column_that_proves_decimal_commas_decides_for_the_others(tmp_path: Path) -> None:
    read = table(tmp_path, "Betrag;Menge;y", "2.763,54;10.549;a", "2.800,54;10.760;b", "37,5;395;a")
    assert read.frame["Betrag"].tolist() == [2763.54, 2800.54, 37.5]
    assert read.frame["Menge"].tolist() == [10549, 10760, 395]
    assert any("points between thousands" in note and "Menge" in note for note in read.notes)


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_a_column_that_proves_decimal_points_decides_for_the_others(tmp_path: Path, separator: str) -> None:
    lines = (["Amount", "Units", "y"], ["2,763.54", "10,549", "a"], ["2,800.54", "10,760", "b"])
    read = table(tmp_path, *map(separator.join, lines))
    assert read.frame["Amount"].tolist() == [2763.54, 2800.54]
    assert read.frame["Units"].tolist() == [10549, 10760]
    assert not any("decimal commas" in note for note in read.notes)


@pytest.mark.parametrize(
    ("lines", "values", "words"),
    [
        (("x;y", "10.549;a", "10.760;b"), [10.549, 10.760], "10.549 (decimals)"),
        (("x;y", "10,549;a", "10,760;b"), [10.549, 10.760], "10.549 (decimals)"),
        (("x,y", "10.549,a", "10.760,b"), [10.549, 10.760], "10.549 (decimals)"),
    ],
)
def test_what_nothing_proves_is_noted_with_how_it_was_read(
    tmp_path: Path, lines: tuple[str, ...], values: list[float], words: str
) -> None:
    read = table(tmp_path, *lines)
    assert read.frame["x"].tolist() == values
    assert any("does not show" in note and words in note for note in read.notes)


@pytest.mark.parametrize("more", ["0.125", "1250.125", "7.25"])
def test_decimals_that_thousands_cannot_make_need_no_note(tmp_path: Path, more: str) -> None:
    read = table(tmp_path, "x;y", "10.549;a", f"{more};b")
    assert read.frame["x"].tolist() == [10.549, float(more)]
    assert read.notes == ()


def test_commas_between_thousands_among_commas_need_no_proof(tmp_path: Path) -> None:
    read = table(tmp_path, "x,y", '"10,549",a', '"7,012",b')
    assert read.frame["x"].tolist() == [10549, 7012]
    assert read.notes == ("Numbers with commas between thousands were read in x.",)


def test_apostrophes_and_narrow_spaces_between_thousands(tmp_path: Path) -> None:
    read = table(tmp_path, "a;b;y", "12'345.60;1\u202f234,5;x", "7'000.10;20,25;z")
    assert read.frame["a"].tolist() == [12345.60, 7000.10]
    assert read.frame["b"].tolist() == [1234.5, 20.25]


@pytest.mark.parametrize("mark", ["-", "--", "\u2013", ".", "n.a.", "Unknown", "none", "#VALUE!", " ? "])
def test_marks_among_numbers_are_missing_and_noted(tmp_path: Path, mark: str) -> None:
    read = table(tmp_path, "score,age,y", f"{mark},1,a", "3,2,b", "7,3,a")
    assert read.frame["score"].isna().tolist() == [True, False, False]
    assert read.frame["score"].sum() == 10
    assert any("missing" in note and mark.strip() in note and "score" in note for note in read.notes)


def test_marks_among_words_are_values(tmp_path: Path) -> None:
    read = table(tmp_path, "grade,flag,y", "-,-,a", "good,1,b", "-,1,a", "7,-,b")
    assert read.frame["grade"].tolist() == ["-", "good", "-", "7"]
    assert read.frame["flag"].tolist() == ["-", "1", "1", "-"], "one number beside a mark is no amount"
    assert read.notes == ()


def test_currencies_percent_and_brackets_are_numbers_and_keep_their_unit(tmp_path: Path) -> None:
    lines = ("money,share,delta,euro,y", '"$1,489.50",17%,(415),12.5 €,a', "-$3.25,8%,24,-3 €,b", '($1.00),91%,"(1,322)",0 €,a')
    read = table(tmp_path, *lines)
    assert read.frame["money"].tolist() == [1489.5, -3.25, -1.0]
    assert read.frame["share"].tolist() == [17, 8, 91]
    assert read.frame["delta"].tolist() == [-415, 24, -1322]
    assert read.frame["euro"].tolist() == [12.5, -3, 0]
    assert read.units == {"money": "$", "share": "%", "euro": "€"}
    assert any("brackets" in note and "delta" in note for note in read.notes)


@pytest.mark.parametrize(
    "texts",
    [
        ("$5", "€7"),
        ("5%", "7"),
        ("(1)", "(2)"),
        ("1.2.3", "1.2.4"),
        ("5 (a)", "7 (b)"),
        ("--5", "7"),
        ("3 rooms", "4"),
        ("1-2", "3"),
    ],
)
def test_other_texts_stay_texts(tmp_path: Path, texts: tuple[str, str]) -> None:
    assert table(tmp_path, "x,y", f"{texts[0]},a", f"{texts[1]},b").frame["x"].tolist() == list(texts)


def test_a_unit_is_that_of_the_feature_and_of_the_target(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("share,money\n" + "".join(f"{row % 37}%,$1{row:03}.50\n" for row in range(60)))
    dataset = dataset_from_csv(path, "money")
    assert (dataset.schema.features[0].kind, dataset.schema.features[0].unit) == (FeatureKind.NUMERIC, "%")
    assert (dataset.schema.target.is_classification, dataset.schema.target.unit) == (False, "$")


def test_a_target_of_many_texts_names_one_that_is_no_number(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n" + "".join(f"{row},{row} kg\n" for row in range(30)))
    with pytest.raises(DatasetError, match="'0 kg' is no number"):
        dataset_from_csv(path, "y")
    path.write_text("x,y\n" + "".join(f"{row},{'$€'[row % 2]}{row + 1}\n" for row in range(30)))
    with pytest.raises(DatasetError, match="Not all have the same unit"):
        dataset_from_csv(path, "y")


def test_numbers_that_begin_with_zero_are_codes(tmp_path: Path) -> None:
    read = table(tmp_path, "zip,n,day,y", "01105,1,01.02.2020,a", "94301,2,03.02.2020,b", ",0,04.02.2020,a")
    assert read.frame["zip"].tolist()[:2] == ["01105", "94301"]
    assert read.frame["n"].tolist() == [1, 2, 0]
    assert any("codes" in note and "zip" in note for note in read.notes)


def test_codes_of_one_file_fit_the_whole_numbers_of_the_other(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("zip,x,y\n94301,1,a\n94302,2,b\n")
    (tmp_path / "train.csv").write_text("zip,x,y\n01105,1,a\n94301,2,b\n")
    (tmp_path / "dataset.toml").write_text('data = "data.csv"\ntrain = "train.csv"\ntarget = "y"\n')
    assert load_dataset(tmp_path).schema.by_name["zip"].values == ("01105", "94301", "94302")


def test_a_stated_kind_goes_before_what_texts_look_like(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("share,zip,y\n17%,01105,a\n8%,94301,b\n17%,94301,a\n")
    (tmp_path / "dataset.toml").write_text(
        'data = "data.csv"\ntarget = "y"\n[features.share]\nkind = "categorical"\n[features.zip]\nkind = "numeric"\n'
    )
    schema = load_dataset(tmp_path).schema
    assert schema.by_name["share"].values == ("17%", "8%")
    assert (schema.by_name["zip"].low, schema.by_name["zip"].high) == (1105, 94301)


def test_a_model_made_elsewhere_reads_codes_as_the_numbers_they_were(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("zip,x,y\n01105,1,a\n94301,2,b\n")
    assert pd.api.types.is_integer_dtype(dataset_from_csv(path, "y", columns=["zip", "x"]).frame["zip"].dtype)


def test_a_model_made_elsewhere_reads_marks_and_units_as_the_texts_they_were(tmp_path: Path) -> None:
    path, config = tmp_path / "rows.csv", tmp_path / "dataset.toml"
    path.write_text("score,share,x,y\n-,5%,1,a\n3,7%,2,b\n4,5%,3,a\n")
    config.write_text('data = "x"\ntarget = "y"\n[features.score]\nkind = "numeric"\n')
    columns = ["score", "share", "x"]
    assert dataset_from_csv(path, "y", columns=columns).frame["score"].tolist() == ["-", "3", "4"]
    stated = dataset_from_csv(path, "y", config, columns)
    assert stated.frame["score"].tolist()[1:] == [3, 4]
    assert stated.frame["share"].tolist() == ["5%", "7%", "5%"]


def test_a_second_table_keeps_the_texts_of_categories(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("share,y\n17%,a\n8%,b\n17%,a\n")
    (tmp_path / "dataset.toml").write_text('data = "data.csv"\ntarget = "y"\n[features.share]\nkind = "categorical"\n')
    dataset = load_dataset(tmp_path)
    (tmp_path / "later.csv").write_text("share,y\n8%,a\n17%,b\n")
    later = second_table(tmp_path / "later.csv", dataset.schema, dataset.frame)
    assert later.frame["share"].tolist() == ["8%", "17%"]
    assert later.unseen == {}
