"""How large a packed file is once it is unpacked, measured before anything is made of it.

A few kilobytes of gzip, of a zip archive or of Parquet can stand for gigabytes. Nothing here holds more of a file than a piece,
or, of Parquet, a column with each of its values once.
"""

import gzip
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from backend.errors import ParleyError
from backend.program.extras import require
from backend.program.settings import LARGEST_UNPACKED

MEGABYTE = 1_000_000
PIECE = 1 << 20
ZIP_MAGIC = b"PK\x03\x04"
MOST_NESTED = 3
# Beyond this size, a model whose parts are this much smaller when packed holds hardly anything but repetition.
SUSPECT, RATIO = 20 * MEGABYTE, 100


def check_unpacked(path: Path, error: type[ParleyError], megabytes: int = LARGEST_UNPACKED) -> None:
    """Raise `error` if a file of rows (gzip, Excel, Parquet, or plain) is larger than so many megabytes once it is unpacked.

    Also if a gzip file cannot be unpacked; what else is wrong with a file is for its reader to say.
    """
    most = megabytes * MEGABYTE
    size = path.stat().st_size
    if size <= most and path.suffix.lower() == ".gz":
        try:
            size = _gzip_size(path, most)
        except (OSError, EOFError, zlib.error) as problem:
            raise error(f"The file {path.name} cannot be unpacked: {problem}.") from problem
    elif size <= most and path.suffix.lower() == ".xlsx":
        with path.open("rb") as file, suppress(zipfile.BadZipFile):
            check_archive(file, path.name, error, megabytes)
    elif size <= most and path.suffix.lower() == ".parquet":
        size = _parquet_size(path, most)
    if size > most:
        raise error(f"{path.name} has more than {megabytes} MB when it is unpacked, which is the limit here; split it.")


def check_archive(file: IO[bytes], name: str, error: type[ParleyError], megabytes: int = LARGEST_UNPACKED) -> None:
    """Raise `error` if the files in a zip archive, and in archives inside it, have more than so many megabytes together.

    Also if they are mostly repetition. Raises zipfile.BadZipFile if it is no archive.
    """
    packed = file.seek(0, 2)
    size = _zip_size(file, megabytes * MEGABYTE, MOST_NESTED)
    if size > megabytes * MEGABYTE:
        raise error(f"{name} has more than {megabytes} MB when it is unpacked, which is the limit here.")
    if size > max(SUSPECT, RATIO * packed):
        raise error(f"{name} is refused: its {packed:,} bytes unpack to {size:,}, more than {RATIO} times as many.")


def _zip_size(file: IO[bytes], most: int, nested: int) -> int:
    """The stated sizes, which the reader of archives keeps to: it gives no more of a part than its entry says."""
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        size = sum(entry.file_size for entry in entries)
        for entry in entries:
            if size > most:
                break
            with archive.open(entry) as part:
                inside = part.read(len(ZIP_MAGIC)) == ZIP_MAGIC
                if inside and not nested:
                    return most + 1
                if inside:
                    part.seek(0)
                    size += _zip_size(part, most - size, nested - 1)
    return size


def _gzip_size(path: Path, most: int) -> int:
    size = 0
    with gzip.open(path) as packed:
        while size <= most and (piece := packed.read(PIECE)):
            size += len(piece)
    return size


def _parquet_size(path: Path, most: int) -> int:
    """Texts are read as numbers of distinct values, so that one that is repeated a million times is held once."""
    require("pyarrow")
    import pyarrow
    import pyarrow.parquet

    try:
        columns = _columns(pyarrow.parquet.read_metadata(path))
        texts = [name for name, (kind, _) in columns.items() if kind == "BYTE_ARRAY"]
        file = pyarrow.parquet.ParquetFile(path, read_dictionary=texts)
        size = 0
        for number in range(file.metadata.num_row_groups):
            group = file.metadata.row_group(number)
            parts = [group.column(index) for index in range(group.num_columns)]
            packed = sum(part.total_uncompressed_size for part in parts)
            size += int(sum(part.num_values * columns[part.path_in_schema][1] for part in parts))
            if max(packed, size) > most:
                return most + 1
            for name in texts:
                size += _text_size(file.read_row_group(number, columns=[name]))
                if size > most:
                    return size
    except pyarrow.ArrowNotImplementedError:
        return most + 1  # what cannot be measured may be read all the same
    except (pyarrow.ArrowException, OSError):
        return 0
    return size


def _columns(metadata: Any) -> dict[str, tuple[str, int]]:
    """For each leaf its physical type, and the bytes that a value takes whatever it is."""
    leaves = [metadata.schema.column(index) for index in range(len(metadata.schema))]
    return {leaf.path: (leaf.physical_type, max(leaf.length, 8)) for leaf in leaves}


def _text_size(table: Any) -> int:
    import pyarrow.compute

    size = 0
    for column in table.columns:
        for chunk in column.chunks:
            leaf = _leaf(chunk)
            lengths = pyarrow.compute.binary_length(leaf.dictionary)
            size += int(pyarrow.compute.sum(lengths.take(leaf.indices)).as_py() or 0)
    return size


def _leaf(array: Any) -> Any:
    """The texts inside lists, structures and maps."""
    import pyarrow

    while not pyarrow.types.is_dictionary(array.type):
        flat = array.flatten()
        array = flat[0] if isinstance(flat, list) else flat
    return array
