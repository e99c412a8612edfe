"""A Postgres server in a temporary folder, for as long as the tests run."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest


class Server:
    """A running server. It listens on a socket in its folder, and nowhere else."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._numbers = folder, count()

    def new_database(self) -> str:
        """The URL of a database that nobody has used."""
        import psycopg

        name = f"store_{next(self._numbers)}"
        with psycopg.connect(f"host={self.folder} user=tests dbname=postgres", autocommit=True) as connection:
            connection.execute(f"create database {name} template template0")
        return f"postgresql://tests@/{name}?host={self.folder}"


@contextmanager
def running_server() -> Iterator[Server]:
    pytest.importorskip("psycopg", reason="needs psycopg: pip install -e '.[postgres]'")
    programs = _programs()
    # Not under pytest's folders: those are root's alone, and root may not run the server. A socket's path is short.
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    data = folder / "data"
    who = _somebody_else(folder)
    try:
        _run(who, programs / "initdb", "-D", data, "-U", "tests", "-A", "trust", "-N", "-E", "UTF8", "--locale=C")
        options = f"-k {folder} -c listen_addresses= -c fsync=off -c max_connections=50"
        _run(who, programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
        try:
            yield Server(folder)
        finally:
            _run(who, programs / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def _programs() -> Path:
    found = [Path(path).resolve().parent for name in ("initdb",) if (path := shutil.which(name))]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in found:
        if (folder / "initdb").exists() and (folder / "pg_ctl").exists():
            return folder
    pytest.skip("no Postgres server is installed here")


def _somebody_else(folder: Path) -> dict[str, int]:
    """Who runs the server: Postgres refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        os.chown(folder, entry.pw_uid, entry.pw_gid)
        return {"user": entry.pw_uid, "group": entry.pw_gid}
    pytest.skip("Postgres refuses to run as root, and there is no other user")


def _run(who: dict[str, int], *command: object) -> None:
    finished = subprocess.run(
        [str(part) for part in command],
        **who,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if "start" not in command else subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout
