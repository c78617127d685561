"""Who may speak to the server, and for whom?

`RQA_HOME/tokens.json` holds names and SHA-256 digests: a token is 256 random bits, so its digest tells nothing and a
slow hash would protect nothing more. The token itself is shown once, when it is made.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

from rqa_checkpoints.provenance import Scope
from rqa_graph.errors import ConfigError, UsageFaultError

__all__ = ["TOKENS_FILE", "Token", "TokenFile"]

TOKENS_FILE: Final = "tokens.json"
_MARK: Final = "rqa_"
"""Begins every token, so that scanners of leaked secrets can find one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One token, without its secret."""

    name: str
    tenant: str
    user: str
    sha256: str
    created_at: str

    @property
    def scope(self) -> Scope:
        """Whose memory it opens."""
        return Scope(self.tenant, self.user)


class TokenFile:
    """The tokens of a home. Changes by another process are seen at the next look."""

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], datetime],
        secret: Callable[[], str] = lambda: secrets.token_urlsafe(32),
    ) -> None:
        self._path = path
        self._clock = clock
        self._secret = secret
        self._stamp: tuple[int, int] = (0, 0)
        self._tokens: tuple[Token, ...] = ()

    def all(self) -> tuple[Token, ...]:
        """All tokens, in the order of their making. Raises ConfigError for a file that is not ours."""
        try:
            stat = self._path.stat()
        except FileNotFoundError:
            self._stamp, self._tokens = (0, 0), ()
            return ()
        stamp = (stat.st_mtime_ns, stat.st_size)
        if stamp != self._stamp:
            self._tokens, self._stamp = self._read(), stamp
        return self._tokens

    def add(self, name: str, scope: Scope) -> str:
        """Make a token; return it, for the only time.

        Raises:
            UsageFaultError: It has no name, or there is a token of that name.
        """
        if not name.strip():
            raise UsageFaultError("token.unnamed")
        token = _MARK + self._secret()
        row = Token(
            name=name,
            tenant=scope.tenant,
            user=scope.user,
            sha256=_digest(token),
            created_at=self._clock().isoformat(timespec="seconds"),
        )
        with self._alone() as there:
            if any(one.name == name for one in there):
                raise UsageFaultError("token.exists", name=name)
            self._write((*there, row))
        return token

    def revoke(self, name: str) -> None:
        """Take a token back. Raises UsageFaultError if there is none of that name."""
        with self._alone() as there:
            left = tuple(token for token in there if token.name != name)
            if len(left) == len(there):
                raise UsageFaultError("token.unknown", name=name)
            self._write(left)

    def find(self, token: str) -> Token | None:
        """Whose token it is; None for one that nobody has."""
        digest = _digest(token)
        return next((row for row in self.all() if hmac.compare_digest(row.sha256, digest)), None)

    def _read(self) -> tuple[Token, ...]:
        try:
            return tuple(Token(**row) for row in json.loads(self._path.read_text("utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise ConfigError(
                f"{str(self._path)!r} is no list of tokens (`{type(error).__name__}`)",
                hint="Remove the file, and make the tokens anew with `rqa token add`.",
            ) from error

    @contextmanager
    def _alone(self) -> Iterator[tuple[Token, ...]]:
        """The tokens as they are now, which nobody else changes until the block ends.

        The lock is on the folder, since the file itself is replaced, and apart from that of the home, which a server
        holds all the time.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield self._read() if self._path.exists() else ()
        finally:
            os.close(folder)

    def _write(self, tokens: tuple[Token, ...]) -> None:
        with NamedTemporaryFile(  # a name of its own, for the owner's eyes: two processes must not write into one file
            "w", encoding="utf-8", dir=self._path.parent, prefix=f"{self._path.name}.", delete=False
        ) as file:
            beside = Path(file.name)
            try:
                json.dump([asdict(token) for token in tokens], file, ensure_ascii=False, indent=1)
                file.flush()
                os.fsync(file.fileno())
                beside.replace(self._path)
            finally:
                beside.unlink(missing_ok=True)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
