"""A real PostgreSQL server in a folder of its own, and new databases on it; None where there is no server program."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from rqa_checkpoints import tables
from tests.support.ports import free_port

__all__ = ["PASSWORD", "Addresses", "Server", "programs", "running"]

PASSWORD = "s3cret-p@ss/word"
"""With marks that an address has to escape."""

_ESCAPED = "s3cret-p%40ss%2Fword"
_QUICK = ("fsync=off", "full_page_writes=off", "autovacuum=off", "shared_buffers=32MB", "max_connections=60")
"""Nothing here outlives a power cut; autovacuum would come at times that no test chooses."""


def programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`."""
    found = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    places = [*([Path(found).resolve().parent] if found else []), *folders]
    return next((place for place in places if (place / "initdb").exists() and (place / "pg_ctl").exists()), None)


class Server:
    """One server; `start` and `stop` may be called again and again."""

    def __init__(self, folder: Path, port: int) -> None:
        self.data = folder / "data"
        self.port = port
        self._folder = folder
        self._bin = programs()
        self._numbers = count(1)

    def make(self) -> None:
        """Make the cluster, with a password asked for on every connection."""
        secret = self._folder / "secret"
        secret.write_text(PASSWORD)
        _own(self._folder, secret)
        self._run("initdb", "-D", self.data, "-U", "rqa", "-A", "scram-sha-256", "--pwfile", secret, "--no-sync",
                  "-E", "UTF8", "--locale=C.UTF-8", "--no-instructions")  # fmt: skip

    def start(self) -> None:
        options = " ".join(f"-c {one}" for one in _QUICK)
        options += f" -c listen_addresses=127.0.0.1 -c unix_socket_directories={self._folder} -p {self.port}"
        self._run("pg_ctl", "-D", self.data, "-o", options, "-l", self._folder / "server.log", "-w", "-s", "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stop it; "immediate" is what a crash is."""
        self._run("pg_ctl", "-D", self.data, "-m", mode, "-w", "-s", "stop")

    def address(self, database: str = "postgres", *, password: str = _ESCAPED) -> str:
        return f"postgresql://rqa:{password}@127.0.0.1:{self.port}/{database}"

    def new_database(self, *, more: str = "") -> str:
        """The address of an empty database. `more` is SQL for CREATE DATABASE."""
        name = f"log{next(self._numbers)}"
        self.execute(f'CREATE DATABASE "{name}" {more}')
        return self.address(name)

    def execute(self, sql: str, database: str = "postgres") -> list[Any]:
        """Run statements outside a transaction, as the owner of the server."""
        import psycopg

        with psycopg.connect(self.address(database), autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def _run(self, program: str, *arguments: object) -> None:
        assert self._bin is not None
        command = [str(self._bin / program), *map(str, arguments)]
        user = _other_user().pw_name if os.geteuid() == 0 else None
        # The server keeps what it inherits open: a pipe would never end.
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
            cwd=self._folder, env={**os.environ, "LC_ALL": "C.UTF-8"}, user=user,
        )  # fmt: skip
        assert done.returncode == 0, (command, (self._folder / "server.log").read_text("utf-8", "replace")[-2000:])


class Addresses:
    """Databases that are used again, since making one takes ten times as long as emptying one."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._free: list[str] = []

    @contextmanager
    def lent(self) -> Iterator[Callable[[str], str]]:
        """Gives the address for a home, always the same one; for `:memory:` always another one."""
        given: dict[str, str] = {}
        passing: list[str] = []

        def place_of(home: str) -> str:
            if home == ":memory:":
                passing.append(self._empty())
                return passing[-1]
            if home not in given:
                given[home] = self._empty()
            return given[home]

        try:
            yield place_of
        finally:
            self._free += [*given.values(), *passing]

    def _empty(self) -> str:
        if not self._free:
            return self._server.new_database()
        address = self._free.pop()
        names = [name for name in tables.metadata.tables if name != "meta"]
        there = self._server.execute("SELECT to_regclass('public.meta')", address.rsplit("/", 1)[1])[0][0]
        if there:
            quoted = ", ".join(f'"{name}"' for name in names)
            wipe = (
                f"TRUNCATE {quoted}; DELETE FROM meta WHERE name <> 'format'; UPDATE meta SET value = '{tables.FORMAT}'"
            )
            self._server.execute(wipe, address.rsplit("/", 1)[1])
        return address


def _other_user() -> pwd.struct_passwd:
    """Whom the server runs as where the tests run as root, which it refuses."""
    names = {one.pw_name: one for one in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


def _own(*paths: Path) -> None:
    if os.geteuid() == 0:
        user = _other_user()
        for path in paths:
            os.chown(path, user.pw_uid, user.pw_gid)


@contextmanager
def running() -> Iterator[Server]:
    """A server that is gone afterwards, with its folder."""
    # Not under pytest's folders: root's cannot be entered by the user that the server runs as.
    folder = Path(tempfile.mkdtemp(prefix="rqa-pg-"))
    server = Server(folder, free_port())
    try:
        (folder / "server.log").touch()
        _own(folder, folder / "server.log")
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
