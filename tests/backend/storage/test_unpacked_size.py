"""A small file that would be large is refused before anything is made of it."""

import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from backend.errors import DatasetError
from backend.storage.row_files import file_rows
from backend.storage.unpacked_size import check_archive, check_unpacked

TEXT = "x" * 1_000_000


def _repeated() -> pyarrow.Array:
    return pyarrow.array([TEXT] * 40)


# Made when a test asks, since they are large.
TABLES: dict[str, Callable[[], dict[str, pyarrow.Array]]] = {
    "texts": lambda: {"question": _repeated()},
    "lists": lambda: {"answers": pyarrow.array([[TEXT, TEXT]] * 20)},
    "structures": lambda: {"ctxs": pyarrow.array([[{"text": TEXT, "gold": True}]] * 40)},
    "maps": lambda: {"meta": pyarrow.array([[("k", TEXT)]] * 40, pyarrow.map_(pyarrow.string(), pyarrow.string()))},
    "coded": lambda: {"question": _repeated().dictionary_encode()},
    "numbers": lambda: {"number": pyarrow.array([0] * 4_000_000)},
}


def _archive(parts: dict[str, bytes]) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file


@pytest.mark.parametrize("name", TABLES)
def test_parquet_that_repeats_a_value_counts_it_each_time(name: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pyarrow.parquet.write_table(pyarrow.table(TABLES[name]()), path, compression="zstd")
    assert path.stat().st_size < 100_000
    with pytest.raises(DatasetError, match=r"rows\.parquet has more than 30 MB when it is unpacked"):
        check_unpacked(path, DatasetError, 30)
    check_unpacked(path, DatasetError, 50)


def test_parquet_is_read_in_rows_with_nothing_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    rows = [{"id": number, "answers": [str(number)], "ctxs": [{"text": "t", "n": None}]} for number in range(200)]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    assert [row.value for row in file_rows(path, DatasetError, (".parquet",), 1_000_000)] == rows
    assert list(tmp_path.iterdir()) == [path]
    path.write_bytes(b"PAR1 and nothing else")
    check_unpacked(path, DatasetError)
    with pytest.raises(DatasetError, match="cannot be read as Parquet"):
        list(file_rows(path, DatasetError, (".parquet",)))


def test_gzip_is_measured_and_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(TEXT.encode() * 3))
    check_unpacked(path, DatasetError, 3)
    with pytest.raises(DatasetError, match="more than 2 MB"):
        check_unpacked(path, DatasetError, 2)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(DatasetError, match="cannot be unpacked"):
        check_unpacked(path, DatasetError, 2)


def test_an_archive_counts_what_its_parts_hold_together_and_one_inside_another() -> None:
    part = TEXT.encode()
    check_archive(_archive({"a": part, "b": part}), "model.skops", DatasetError, 2)
    with pytest.raises(DatasetError, match=r"model\.skops has more than 2 MB"):
        check_archive(_archive({"a": part, "b": part, "c": b"1"}), "model.skops", DatasetError, 2)
    inside = _archive({"matrix.npy": part * 3}).getvalue()
    with pytest.raises(DatasetError, match="more than 2 MB"):
        check_archive(_archive({"sparse.npz": inside}), "model.skops", DatasetError, 2)
    deep = part
    for _ in range(6):
        deep = _archive({"a": deep}).getvalue()
    with pytest.raises(DatasetError, match="more than 2 MB"):
        check_archive(io.BytesIO(deep), "model.skops", DatasetError, 2)


def test_an_archive_of_repetition_is_refused_below_the_limit_too() -> None:
    with pytest.raises(DatasetError, match="more than 100 times as many"):
        check_archive(_archive({"zeros.npy": bytes(30_000_000)}), "model.skops", DatasetError)
