"""A PostgreSQL server of one's own, on loopback, in a folder that is deleted at the end: for tests and measurements."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

from backend.errors import DatabaseError
from benchmarks.ports import free_port

FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)  # where Debian puts what is not on the path


def program(name: str) -> str | None:
    """Where a program of PostgreSQL is, if it is installed."""
    return shutil.which(name) or next((str(folder / name) for folder in FOLDERS if (folder / name).exists()), None)


class PostgresqlServer:
    """Started at once, for one user at a time. `durable`: wait for the disk at every commit, as a real one does.

    Raises DatabaseError if it is not installed or does not start.
    """

    def __init__(self, durable: bool = False) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="parley-postgresql-"))
        self._port = free_port()
        # The server refuses to run as root; Debian's package brings a user for it.
        self._user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        if self._user:
            os.chown(self._folder, self._user.pw_uid, self._user.pw_gid)
        data = str(self._folder / "data")
        self._run("initdb", "-D", data, "-U", "parley", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8")
        options = f"-p {self._port} -k {self._folder} -c listen_addresses=127.0.0.1 -c max_connections=200"
        options += "" if durable else " -c fsync=off"
        self._run("pg_ctl", "-D", data, "-w", "-o", options, "-l", str(self._folder / "log"), "start")

    def empty_database(self, script: str = "") -> str:
        """The SQLAlchemy URL of the one database, after everything in it is gone and the statements of a script were run."""
        import psycopg

        address = f"parley@127.0.0.1:{self._port}/postgres"
        with psycopg.connect(f"postgresql://{address}", autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public; {script}".encode())
        return f"postgresql+psycopg://{address}"

    def close(self) -> None:
        self._run("pg_ctl", "-D", str(self._folder / "data"), "-m", "immediate", "stop")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, name: str, *arguments: str) -> None:
        path = program(name)
        if path is None:
            raise DatabaseError(f"PostgreSQL is not installed: there is no {name}.")
        done = subprocess.run(
            [path, *arguments], cwd=self._folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
            user=self._user.pw_uid if self._user else None, group=self._user.pw_gid if self._user else None,
        )  # fmt: skip
        if done.returncode:
            raise DatabaseError(f"PostgreSQL: {name} failed: {done.stderr.strip()}.")
