"""What a table of a visitor may be like: its size is looked at before anything is made of it.

Of a model file, `ttm.tabular.model.model_file` looks at what it holds once it is unpacked.
"""

from pathlib import Path

from backend.errors import DatasetError
from backend.storage.trial_reading import try_reading
from ttm.tabular.data.csv_table import column_names, read_table

MOST_COLUMNS = 1_000
MOST_ROWS = 500_000
MOST_CELLS = 10_000_000
LARGEST_DESCRIPTION = 1_000_000  # bytes of a dataset.toml
PIECE = 1 << 20


def check_brought(data: Path, description: Path | None = None) -> None:
    """Raise DatasetError for a table or a description that is larger than what visitors may bring, with what would fit."""
    if description is not None and (size := description.stat().st_size) > LARGEST_DESCRIPTION:
        raise DatasetError(f"{description.name} has {size:,} bytes; a description may have {LARGEST_DESCRIPTION:,}.")
    columns, rows = len(column_names(data)), _lines(data)
    if columns > MOST_COLUMNS:
        raise DatasetError(f"{data.name} has {columns:,} columns; bring at most {MOST_COLUMNS:,} of them.")
    most = min(MOST_ROWS, MOST_CELLS // max(columns, 1))
    if rows > most:
        raise DatasetError(f"{data.name} has {rows:,} lines; with {columns:,} columns bring at most {most:,} of them.")
    try_reading(read_table, data, DatasetError)


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(PIECE), b""))
