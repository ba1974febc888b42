"""Where a command reads and writes: the database of the app, the folder of a study, a file."""

import argparse
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend.errors import AnnotationError
from backend.program.settings import Settings, add_options, read_settings

if TYPE_CHECKING:
    from annotation.studies.study import Study
    from backend.storage.database import Database

PLACE = ("data_dir", "database_url")


def add_place(parser: argparse.ArgumentParser) -> None:
    add_options(parser, PLACE)


def add_study(parser: argparse.ArgumentParser, required: bool = True, about: str = "") -> None:
    help_text = about or "folder of the study, with study.toml"
    parser.add_argument("--study", type=Path, required=required, metavar="FOLDER", help=help_text)


def settings_of(args: argparse.Namespace, **more: Any) -> Settings:
    return read_settings({name: getattr(args, name) for name in PLACE if hasattr(args, name)} | more)


def database_of(args: argparse.Namespace) -> "Database":
    from backend.storage.database import Database

    return Database(settings_of(args).database_address)


def study_of(args: argparse.Namespace) -> "Study":
    """The study of `--study`, as the database has it; only the name of the folder counts, `init` reads what is in it."""
    from annotation.studies.study import load_study

    return load_study(database_of(args), args.study.resolve().name)


def read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise AnnotationError(f"Cannot read {path}: {error.strerror or error}.") from error


def write_file(path: Path, pieces: Iterable[bytes]) -> int:
    """Write all of it or nothing and return how many bytes: a file that was there stays as it was if the disk is full."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            written = sum(file.write(piece) for piece in pieces)
        part.replace(path)
    except OSError as error:
        raise AnnotationError(f"Cannot write {path}: {error.strerror or error}.") from error
    finally:
        part.unlink(missing_ok=True)
    return written
