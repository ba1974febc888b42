"""A file that takes too much memory or time to read ends a process of its own, and is refused with what would fit."""

from pathlib import Path

import pandas as pd
import pytest
import skops.io
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from backend.errors import DatasetError, FaithfulnessError, ModelError
from backend.storage import trial_reading
from backend.storage.trial_reading import try_reading
from faithfulness.ui.visitor_runs import usable_rows
from tests.backend.storage.readers import crash, read_well, refuse, take_memory, take_time, wrap_no_memory, write_beside
from ttm.tabular import brought_files
from ttm.tabular.brought_files import check_brought, check_brought_model

pytestmark = pytest.mark.slow


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(trial_reading, "SMALL", 10)
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "1,2\n" * 100)
    return path


def test_what_takes_too_much_memory_or_time_is_refused(large: Path) -> None:
    for read in (take_memory, take_time, wrap_no_memory, crash):
        with pytest.raises(DatasetError, match=r"rows.csv takes more than 500 MB of memory or 2 s"):
            try_reading(read, large, DatasetError, megabytes=500, seconds=2)


def test_what_is_read_well_or_refused_by_its_reader_goes_on(large: Path) -> None:
    for read in (read_well, refuse, write_beside):
        try_reading(read, large, DatasetError)
    written = large.with_suffix(".new")
    assert not written.exists() or written.stat().st_size == 0


def test_small_files_are_read_at_once(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    try_reading(take_time, tmp_path / "rows.csv", DatasetError)


def test_a_table_with_too_many_columns_rows_or_words_about_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide, long, toml = tmp_path / "wide.csv", tmp_path / "long.csv", tmp_path / "dataset.toml"
    wide.write_text(",".join(f"c{number}" for number in range(1_001)) + "\n" + ",".join("1" * 1_001) + "\n")
    long.write_text("a,b\n" + "1,2\n" * 50)
    toml.write_text("x" * 1_000_001)
    with pytest.raises(DatasetError, match="1,001 columns; bring at most 1,000"):
        check_brought(wide)
    with pytest.raises(DatasetError, match="a description may have 1,000,000"):
        check_brought(long, toml)
    check_brought(long)
    monkeypatch.setattr(brought_files, "MOST_CELLS", 40)
    with pytest.raises(DatasetError, match="51 lines; with 2 columns bring at most 20"):
        check_brought(long)


def test_rows_and_tables_are_tried_before_they_are_read(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_reading, "_CHILD", "import sys; sys.exit(70)")
    with pytest.raises(DatasetError, match="takes more than"):
        check_brought(large)
    with pytest.raises(FaithfulnessError, match="takes more than"):
        usable_rows(large, None, 0, True)


def test_a_small_model_that_takes_all_memory_to_predict_is_refused(tmp_path: Path) -> None:
    """Of two columns it makes 5,151, which is 2.5 GB for these rows."""
    model = make_pipeline(PolynomialFeatures(100), LinearRegression())
    rows = pd.DataFrame({"a": range(60_000), "b": range(60_000), "y": [number / 7 for number in range(60_000)]})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    skops.io.dump(model.fit(rows[["a", "b"]][:20], rows["y"][:20]), tmp_path / "model.skops")
    with pytest.raises(ModelError, match=r"model\.skops takes more than 2,000 MB"):
        check_brought_model(tmp_path / "model.skops", tmp_path / "rows.csv", "y", None, (), 200)
