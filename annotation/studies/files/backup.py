"""A copy of the whole database while people work on it, and the way back.

SQLite copies itself; PostgreSQL is asked for a dump with its own programs, `pg_dump` and `pg_restore`.
"""

import contextlib
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from backend.errors import DatabaseError
from backend.storage.migrations import MIGRATIONS

ONLY_OWNER = 0o600
LONGEST = 3600  # seconds that a dump may take


def backup(url: str, target: Path) -> None:
    """Write the database at `url` to a file that only its owner can read; one that exists is replaced once the copy is whole.

    Raises DatabaseError if the database cannot be read, the file not be written, or a program is missing.
    """
    address = _address(url)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(part, os.O_CREAT | os.O_EXCL, ONLY_OWNER))  # it holds names, and hashes of codes
        if address.get_backend_name() == "sqlite":
            used = Path(str(address.database))
            _copy(used, f"{used.absolute().as_uri()}?mode=ro", part)
        else:
            _run(address, ["pg_dump", "--format=custom", "--no-owner", "--file", str(part)])
        part.replace(target)
    except OSError as error:
        raise DatabaseError(f"Cannot write {target}: {error.strerror or error}.") from error
    finally:
        part.unlink(missing_ok=True)


def restore(url: str, source: Path, overwrite: bool = False) -> None:
    """Make the database at `url` what it was when `source` was written; nobody should be at work on it.

    Raises DatabaseError if `source` is no backup, or was made by a later Parley, or, unless `overwrite`, if there is
    something in the database already.
    """
    address = _address(url)
    if not source.is_file():
        raise DatabaseError(f"There is no file {source}.")
    if address.get_backend_name() != "sqlite":
        more = ["--clean", "--if-exists"] if overwrite else []
        _run(address, ["pg_restore", "--single-transaction", "--no-owner", *more, str(source)])
        return
    _check(source)
    target = Path(str(address.database))
    if target.exists() and not overwrite:
        raise DatabaseError(f"There is a database {target} already; to replace it, say so (--overwrite).")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DatabaseError(f"Cannot write {target}: {error.strerror or error}.") from error
    _copy(source, _to_read(source), target)


def _address(url: str) -> URL:
    try:
        address = make_url(url)
    except ArgumentError as error:
        raise DatabaseError("The database URL is malformed.") from error
    if address.get_backend_name() not in ("sqlite", "postgresql"):
        raise DatabaseError(f"Only SQLite and PostgreSQL can be backed up from here, not {address.get_backend_name()}.")
    return address


def _copy(source: Path, address: str, target: Path) -> None:
    try:
        with _opened(address, uri=True) as there, _opened(str(target)) as here:
            there.backup(here)
    except sqlite3.Error as error:
        raise DatabaseError(f"Cannot copy {source} to {target}: {error}.") from error
    _check(target)


def _check(path: Path) -> None:
    """Raises DatabaseError unless the file is a sound database of a Parley that is not later than this one."""
    try:
        with _opened(_to_read(path), uri=True) as connection:
            sound = connection.execute("PRAGMA quick_check").fetchone()[0]
            version = connection.execute("SELECT max(number) FROM schema_version").fetchone()[0]
    except sqlite3.Error as error:
        raise DatabaseError(f"{path} is no database of Parley: {error}.") from error
    if sound != "ok":
        raise DatabaseError(f"{path} is damaged: {sound}.")
    if version is not None and version > len(MIGRATIONS):
        raise DatabaseError(f"{path} is at version {version}, made by a later Parley; this one knows up to {len(MIGRATIONS)}.")


def _to_read(path: Path) -> str:
    """The address by which SQLite reads a database that nobody changes meanwhile, and leaves nothing beside it.

    To read one of the mode WAL it makes the files `-wal` and `-shm`, and in `mode=ro` does not remove them; `immutable` does
    without, and would pass over what such a `-wal` holds already.
    """
    used = path.with_name(f"{path.name}-wal").exists()
    return f"{path.absolute().as_uri()}?{'mode=ro' if used else 'mode=ro&immutable=1'}"


@contextlib.contextmanager
def _opened(address: str, uri: bool = False) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(address, uri=uri, timeout=30)) as connection:
        yield connection


def _run(address: URL, command: Sequence[str]) -> None:
    if shutil.which(command[0]) is None:
        raise DatabaseError(f"{command[0]} is not installed; it comes with PostgreSQL.")
    plain = address.set(drivername="postgresql", password=None).render_as_string()
    password = {"PGPASSWORD": str(address.password)} if address.password is not None else {}
    done = subprocess.run(
        [*command, "--dbname", plain], env=os.environ | password, capture_output=True, text=True, timeout=LONGEST, check=False
    )
    if done.returncode:
        messages = done.stderr.strip().splitlines()
        raise DatabaseError(f"{command[0]} failed: {messages[0] if messages else f'exit code {done.returncode}'}.")
