"""Who signs the ledger, and whose signatures are believed?

One Ed25519 key a home (RFC 8032), in a file that only its owner may read. A rotation signs for its successor in the
log; the retired public keys stay in the file, because what they signed stands. Believed are the keys of the file and no
others: whoever can write to the database cannot make himself trusted there.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from rqa_checkpoints.errors import LedgerKeyError

__all__ = ["KEY_SCHEMA", "KeyRing", "PublicKeys", "canonical_bytes", "key_id", "payload_digest"]

KEY_SCHEMA: Final = "rqa.ledger.key/1"
_PAYLOAD_DOMAIN: Final = b"rqa.cache.payload/1\n"
_SIGNED_DOMAIN: Final = b"rqa.ledger.statement/1\n"
"""What is hashed or signed for one purpose can stand for nothing else."""
_PLAIN: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_MAX_INTEGER: Final = 2**53 - 1
"""RFC 8785, section 3.2.2.3: JSON numbers are doubles."""


def canonical_bytes(value: object) -> bytes:
    """JSON by RFC 8785. Raises ValueError for what has no such form: floats that are no numbers, huge integers.

    Of a statement and a payload, which have no floats and ASCII names, the encoder of the standard library makes the
    same bytes (a test compares them) in a tenth of the time, and each look-up needs three.
    """
    if _is_plain(value):
        return _PLAIN.encode(value).encode("utf-8")
    return rfc8785.dumps(value)  # type: ignore[arg-type]  # it checks the type itself


def _is_plain(value: object) -> bool:
    """Is there nothing in it of which the two encoders could make different bytes?"""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if isinstance(value, dict):
        return all(type(name) is str and name.isascii() and _is_plain(inner) for name, inner in value.items())
    if isinstance(value, list):
        return all(_is_plain(inner) for inner in value)
    return isinstance(value, int) and kind is int and abs(value) <= _MAX_INTEGER


def payload_digest(payload: Mapping[str, Any]) -> str:
    """SHA-256 of what is attested, with its purpose before it."""
    return hashlib.sha256(_PAYLOAD_DOMAIN + canonical_bytes(payload)).hexdigest()


def key_id(public: bytes) -> str:
    """The name of a public key: the first 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(public).hexdigest()[:16]


@lru_cache(maxsize=64)
def _loaded(public: bytes) -> Ed25519PublicKey:
    """A home has one key and those before it; each look-up checks two signatures."""
    return Ed25519PublicKey.from_public_bytes(public)


@dataclass(frozen=True, slots=True)
class PublicKeys:
    """Keys whose signatures are believed, by name."""

    keys: Mapping[str, bytes]

    def holds(self, statement: Mapping[str, Any], *, key: str, signature: str) -> bool:
        """Did this key sign this statement? False for an unknown key and for what is no signature."""
        public = self.keys.get(key)
        if public is None:
            return False
        try:
            raw = base64.b64decode(signature, validate=True)
            _loaded(public).verify(raw, _SIGNED_DOMAIN + canonical_bytes(statement))
        except (InvalidSignature, ValueError):
            return False
        return True

    def exported(self) -> dict[str, Any]:
        """Plain JSON, for whoever checks receipts elsewhere."""
        return {"schema": KEY_SCHEMA, "keys": {name: _text(public) for name, public in sorted(self.keys.items())}}

    @classmethod
    def parsed(cls, value: object) -> PublicKeys:
        """What `exported` gave. Raises LedgerKeyError."""
        rows = value.get("keys") if isinstance(value, Mapping) else None
        if not isinstance(rows, Mapping) or not rows:
            raise LedgerKeyError("there are no public keys in it", hint="Use the output of `rqa ledger key --json`.")
        try:
            keys = [base64.b64decode(str(text), validate=True) for text in rows.values()]
            for public in keys:
                Ed25519PublicKey.from_public_bytes(public)
        except ValueError as error:
            raise LedgerKeyError(f"a public key cannot be read: {error}", hint="Export it again.") from error
        return cls({key_id(public): public for public in keys})


class KeyRing:
    """The signing key of a home and the public keys before it."""

    def __init__(self, private: Ed25519PrivateKey, retired: Mapping[str, bytes], *, path: Path | None) -> None:
        self._path = path
        self._take(private, retired)

    def _take(self, private: Ed25519PrivateKey, retired: Mapping[str, bytes]) -> None:
        self._private = private
        self._retired = dict(retired)
        self._public = private.public_key().public_bytes_raw()
        self._current = key_id(self._public)

    @classmethod
    def open(cls, path: Path) -> KeyRing:
        """Read the key file, or make one with a new key.

        Raises:
            LedgerKeyError: it cannot be read or written, is no key file, or others may read it.
        """
        if path.exists():
            return cls._read(path)
        ring = cls(Ed25519PrivateKey.generate(), {}, path=path)
        ring._write(new=True)
        return ring

    @classmethod
    def in_memory(cls, seed: bytes = b"\0" * 32) -> KeyRing:
        """A key of 32 bytes that lies nowhere: for tests and for stores in memory."""
        return cls(Ed25519PrivateKey.from_private_bytes(seed), {}, path=None)

    @classmethod
    def _read(cls, path: Path) -> KeyRing:
        try:
            if stat.S_IMODE(path.stat().st_mode) & 0o077:
                raise LedgerKeyError(f"others may read {str(path)!r}", hint=f"Run `chmod 600 {path}`.")
            value = json.loads(path.read_text("utf-8"))
            private = Ed25519PrivateKey.from_private_bytes(base64.b64decode(value["private"], validate=True))
            retired = {name: base64.b64decode(text, validate=True) for name, text in value["retired"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise LedgerKeyError(
                f"the signing key in {str(path)!r} cannot be read (`{type(error).__name__}`)",
                hint="Restore it from a backup; without it nothing can be attested or believed.",
            ) from None  # a cause might show the key
        if any(key_id(public) != name for name, public in retired.items()):
            raise LedgerKeyError(f"a retired key in {str(path)!r} has a wrong name", hint="Restore it from a backup.")
        return cls(private, retired, path=path)

    @property
    def public(self) -> bytes:
        """The public key that signs now, 32 bytes."""
        return self._public

    @property
    def current(self) -> str:
        """Its name."""
        return self._current

    @property
    def trusted(self) -> PublicKeys:
        """The current key and those before it."""
        return PublicKeys({**self._retired, self.current: self.public})

    @property
    def log_secret(self) -> bytes:
        """A secret derived from the key, for the keyed hashes of questions in logs."""
        return hashlib.sha256(b"rqa.cache.mark/1" + self._private.private_bytes_raw()).digest()

    def sign(self, statement: Mapping[str, Any]) -> dict[str, str]:
        """The name of the key, and its signature of the statement in base64."""
        return {"key": self.current, "value": _text(self._private.sign(_SIGNED_DOMAIN + canonical_bytes(statement)))}

    def successor(self) -> KeyRing:
        """A ring with a new key, in which this one is retired; nothing is stored yet."""
        retired = {**self._retired, self.current: self.public}
        return KeyRing(Ed25519PrivateKey.generate(), retired, path=self._path)

    def save(self) -> None:
        """Put the ring in the place of what the file held."""
        self._write(new=False)

    def _write(self, *, new: bool) -> None:
        if self._path is None:
            return
        value = {
            "schema": KEY_SCHEMA,
            "private": _text(self._private.private_bytes_raw()),
            "retired": {name: _text(public) for name, public in sorted(self._retired.items())},
        }
        try:
            with NamedTemporaryFile(  # a name of its own: two processes at once must not write into one file
                "w", encoding="utf-8", dir=self._path.parent, prefix=f"{self._path.name}.", delete=False
            ) as out:
                beside = Path(out.name)
                try:
                    json.dump(value, out, indent=1)
                    out.flush()
                    os.fsync(out.fileno())
                    if new:
                        os.link(beside, self._path)  # fails if another process was quicker: its key stands
                    else:
                        beside.replace(self._path)
                finally:
                    beside.unlink(missing_ok=True)
        except FileExistsError:
            other = KeyRing._read(self._path)
            self._take(other._private, other._retired)
        except OSError as error:
            raise LedgerKeyError(f"{str(self._path)!r} cannot be written: {error}", hint="Fix its rights.") from error


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")
