"""Who holds this home directory?

One process at a time writes a home: the embedded index cannot be shared. The lock is the operating system's (flock),
so it ends with its holder, however that one ends; what is written in the file only tells people who it is. Opening for
reading takes no lock, so lists and checks work while another process holds the home.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from rqa_checkpoints.errors import HomeLockedError, HomeNotWritableError
from rqa_checkpoints.space import require_space

__all__ = ["Holder", "Home"]

_COMMAND_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """The process that holds a home, in its own words."""

    pid: int
    command: str
    since: str


class Home:
    """One directory with everything that is remembered on this machine."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser().absolute()
        self._lock: IO[str] | None = None

    @property
    def log(self) -> Path:
        """The event log."""
        return self.path / "log.sqlite"

    @property
    def index(self) -> Path:
        """The folder of the embedded memory index."""
        return self.path / "index"

    @property
    def checkpoints(self) -> Path:
        """The folder of the embedded checkpoint store."""
        return self.path / "checkpoints"

    @property
    def lock(self) -> Path:
        """The lock file; it stays when nobody holds it."""
        return self.path / "lock"

    def acquire(self, *, clock: Callable[[], datetime], command: str = "") -> Self:
        """Make the directory if need be and hold it until `release`.

        Raises:
            HomeLockedError: another process holds it; the message names it, the directory and the way out.
            HomeNotWritableError: the directory cannot be made or written, or its disk is full.
        """
        handle = self._open_lock()
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            handle.close()
            raise self._locked() from error
        try:
            require_space(self.path)
        except HomeNotWritableError:
            handle.close()
            raise
        since = clock().isoformat(timespec="seconds")
        self._sign(handle, Holder(pid=os.getpid(), command=command or _command(), since=since))
        self._lock = handle
        return self

    def holder(self) -> Holder | None:
        """Who holds the directory now; None when it is free, or when the holder left no name."""
        if not self._is_held():
            return None
        try:
            return Holder(**json.loads(self.lock.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def release(self) -> None:
        """Let another process have it. May be called twice."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _open_lock(self) -> IO[str]:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            return self.lock.open("a+", encoding="utf-8")
        except OSError as error:
            raise HomeNotWritableError(
                f"the home {str(self.path)!r} cannot be written: {error.strerror}",
                hint="Choose another folder with `--home` or RQA_HOME.",
            ) from error

    def _sign(self, handle: IO[str], holder: Holder) -> None:
        try:
            handle.truncate(0)
            json.dump({"pid": holder.pid, "command": holder.command, "since": holder.since}, handle)
            handle.flush()
        except OSError as error:
            handle.close()
            raise HomeNotWritableError(
                f"the home {str(self.path)!r} cannot be written: {error.strerror}", hint="Free some space there."
            ) from error

    def _is_held(self) -> bool:
        try:
            with self.lock.open(encoding="utf-8") as handle:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def _locked(self) -> HomeLockedError:
        holder = self.holder()
        who = f"process {holder.pid} ({holder.command}, since {holder.since})" if holder else "another process"
        return HomeLockedError(
            f"{str(self.path)!r} is held by {who}",
            hint="End it, or choose another folder with `--home`. Lists, `show`, `graph` and `log verify` work anyway.",
        )


def _command() -> str:
    """The program and its command: what follows may be somebody's private words."""
    return " ".join([Path(sys.argv[0]).name, *sys.argv[1:2]])[:_COMMAND_CHARACTERS]
