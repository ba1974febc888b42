"""Reading the CSV files that people have: other separators, encodings, decimal commas, doubled column names."""

import csv
import re
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from backend.errors import DatasetError
from ttm.tabular.data.number_columns import Written, codes, read_numbers
from ttm.tabular.data.schema import FeatureKind

SEPARATORS = (",", ";", "\t", "|")
SAMPLE_BYTES = 200_000
NO_KINDS: Mapping[str, FeatureKind] = MappingProxyType({})
_PADDED = re.compile(rb'(?:^|[\s,;|"])0\d', re.MULTILINE)


@dataclass(frozen=True)
class CsvTable:
    """The columns of one file as read, and what was unusual about it in whole sentences.

    `units` are those that values of a column carried, by its name.
    """

    frame: pd.DataFrame
    notes: tuple[str, ...]
    units: Mapping[str, str] = field(default_factory=dict)


def read_table(path: Path, kinds: Mapping[str, FeatureKind] = NO_KINDS, plain: bool = False) -> CsvTable:
    """Read a CSV file; separator, encoding and how numbers are written are found out.

    Empty fields, `NA` and `?` are missing values, and in a column of numbers also `-`, `none` and the like; whole numbers of
    which some begin with 0 are texts. `kinds` are stated: numbers in a column of another kind keep their texts. With `plain`,
    for a model that was made elsewhere, codes, units, brackets and marks for missing stay as pandas reads them, except where
    the kind is stated.
    Raises DatasetError if the file cannot be read, has no rows, or a line has more fields than the header.
    """
    sample = _sample(path)
    encoding = _encoding(path, sample)
    header, separator = _header(path, sample.decode(encoding, errors="replace"))
    frame = _parse(path, separator, encoding)
    if frame.empty:
        raise DatasetError(f"{path} holds a header but no rows.")
    notes = [f"{path.name} was read as {encoding} text."] if encoding not in ("utf-8", "utf-8-sig") else []
    notes += _doubled(header, path)

    def written(names: list[str], rows: int | None = None) -> pd.DataFrame:
        positions = [index for index, name in enumerate(frame.columns) if name in names]
        texts = _parse(path, separator, encoding, usecols=positions, dtype="str", nrows=rows)
        return texts.set_axis([str(frame.columns[index]) for index in positions], axis=1)

    as_text = {name for name, kind in kinds.items() if kind is not FeatureKind.NUMERIC}
    notes += _codes(frame, as_text if plain else set(map(str, frame.columns)), path, written)
    cleaned = kinds if plain else frame.columns
    numbers = read_numbers(frame, separator, written, as_text, set(map(str, cleaned)))
    return CsvTable(without_infinity(frame, notes), (*notes, *numbers.notes), numbers.units)


def column_names(path: Path) -> list[str]:
    """The columns that the header names. Raises DatasetError if the file is no table."""
    sample = _sample(path)
    return _header(path, sample.decode(_encoding(path, sample), errors="replace"))[0]


def _sample(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            sample = file.read(SAMPLE_BYTES)
    except OSError as error:
        raise DatasetError(f"Cannot read {path}: {error.strerror or error}.") from error
    if not sample.strip():
        raise DatasetError(f"{path} is empty; a CSV file with a header line is needed.")
    if sample.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"PAR1", b"\x1f\x8b")):
        raise DatasetError(f"{path} is not a CSV file; save it as CSV (comma-separated text) first.")
    return sample


def _encoding(path: Path, sample: bytes) -> str:
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\x00" in sample:
        raise DatasetError(f"{path} is not a text file; a CSV file is needed.")
    try:
        with path.open(encoding="utf-8") as file:
            while file.read(1 << 20):
                pass
    except UnicodeDecodeError:
        return "cp1252" if not any(byte in sample for byte in b"\x81\x8d\x8f\x90\x9d") else "latin-1"
    return "utf-8-sig" if sample.startswith(b"\xef\xbb\xbf") else "utf-8"


def _header(path: Path, text: str) -> tuple[list[str], str]:
    """The header's fields and the separator: the one that splits most of the first lines into as many fields."""
    lines = text.removeprefix("\ufeff").splitlines()
    try:
        rows = {separator: list(csv.reader(lines[:20], delimiter=separator)) for separator in SEPARATORS}
    except csv.Error as error:
        most = csv.field_size_limit()
        raise DatasetError(f"{path} has a field of over {most:,} characters among its first lines; is it a table?") from error

    def fit(separator: str) -> tuple[int, int]:
        widths = [len(row) for row in rows[separator] if row]
        agreeing = sum(width == widths[0] for width in widths) if widths[0] > 1 else 0
        return agreeing, widths[0]

    best = max(SEPARATORS, key=fit)
    header = rows[best][0]
    if len(header) < 2:
        raise DatasetError(f"{path} has one column only ({header[0][:60]!r}); features and a target are needed.")
    return header, best


def _parse(path: Path, separator: str, encoding: str, **options: Any) -> pd.DataFrame:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # otherwise fields would be dropped in silence
            frame: pd.DataFrame = pd.read_csv(
                path,
                sep=separator,
                encoding=encoding,
                low_memory=False,
                na_values=["?"],
                skipinitialspace=True,
                index_col=False,
                **options,
            )
            return frame
    except pd.errors.ParserError as error:
        detail = str(error).removeprefix("Error tokenizing data. ").removeprefix("C error: ").strip()
        raise DatasetError(f"{path} cannot be read as a table: {detail}") from error
    except pd.errors.ParserWarning as error:
        raise DatasetError(f"{path}: some line has more fields than the header.") from error


def _doubled(header: list[str], path: Path) -> list[str]:
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if not twice:
        return []
    return [f"{path.name} has several columns named {', '.join(twice)}; later ones got a number ({twice[0]}.1, ...)."]


def _codes(frame: pd.DataFrame, names: Collection[str], path: Path, written: Written) -> list[str]:
    """Put the texts back in columns of codes such as "01105", in place, and say so."""
    whole = [name for name in map(str, frame.columns) if name in names and _is_whole(frame[name])]
    if not whole or not _PADDED.search(path.read_bytes().replace(b"\x00", b"")):
        return []
    source = written(whole, None)
    padded = codes(source)
    for name in padded:
        frame[name] = source[name].str.strip()
    return [f"{', '.join(padded)}: numbers that begin with 0 were taken as codes, not as amounts."] if padded else []


def _is_whole(series: pd.Series) -> bool:
    if is_bool_dtype(series.dtype) or not is_numeric_dtype(series.dtype):
        return False
    known = series.dropna()
    return bool((known == known.round()).all())


def without_infinity(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """Take infinite values as missing, in place, and say so in `notes`."""
    names = [name for name in frame.columns[frame.dtypes == "float64"] if np.isinf(frame[name].to_numpy()).any()]
    for name in names:
        frame[name] = frame[name].where(np.isfinite(frame[name]))
    if names:
        notes.append(f"Infinite values in {', '.join(map(str, names))} were taken as missing.")
    return frame
