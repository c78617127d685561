"""How is a whole home put into one file, and how does it come back from a file that anybody may have made?

A backup holds what is true and nothing derived: the log (by SQLite's online backup), the points of the checkpoints as
JSON lines, the files of figures, typed lines and configuration; the index is built anew from the log. A file is hostile
until it is checked: only members with known names, plain files, no longer than the manifest says and than the disk can
hold. Everything is unpacked beside the home and verified there - the chain, the state that it adds up to, the layouts -
and takes the home's place in one rename, or not at all.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import sqlite3
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from rqa_checkpoints import tables
from rqa_checkpoints.errors import CheckpointError, HomeNotWritableError
from rqa_checkpoints.log import EventLog
from rqa_checkpoints.saver import QdrantSaver
from rqa_checkpoints.saver.records import LAYOUT
from rqa_checkpoints.space import FOR_NEW_SHARD_BYTES, require_space
from rqa_graph.clock import new_id, utc_now
from rqa_graph.erasing import CHAT_HISTORY
from rqa_graph.errors import BadBackupError, UsageFaultError
from rqa_graph.telemetry import TELEMETRY_FILE
from rqa_graph.turn_saver import AnyTurnSaver

__all__ = ["Summary", "restore", "write_backup"]

SCHEMA: Final = "rqa.backup/1"
_MANIFEST: Final = "manifest.json"
_LOG: Final = "log.sqlite"
_POINTS: Final = "checkpoints.jsonl"
_BESIDE: Final = (TELEMETRY_FILE, CHAT_HISTORY)
_CONFIG: Final = "config"

_MANIFEST_BYTES: Final = 1024 * 1024
_CHUNK_BYTES: Final = 1024 * 1024
_POINTS_AT_ONCE: Final = 128
_MOST_RATIO: Final = 500
"""Unpacked to packed bytes. Text and database pages pack ten to one, a page of zeros a thousand to one."""
_FREE_RATIO_BYTES: Final = 64 * 1024 * 1024
"""Up to here any ratio will do: a log of a few turns is mostly empty pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a backup holds."""

    events: int
    head: str
    """Hash of the last event."""
    points: int
    files: tuple[str, ...]


def write_backup(target: BinaryIO, *, home: Path, log: EventLog, saver: AnyTurnSaver | None) -> Summary:
    """Write a home that this process holds into a gzipped tar file.

    Raises:
        UsageFaultError: log or checkpoints lie on a database server, which has backups of its own.
    """
    if log.place != str(home / _LOG):
        raise UsageFaultError("backup.server", place=log.place)
    if saver is not None and not isinstance(saver, QdrantSaver):
        raise UsageFaultError("backup.threads", place=saver.place)
    folder = home / f".backup-{new_id()}"
    folder.mkdir()
    try:
        with closing(sqlite3.connect(home / _LOG)) as source, closing(sqlite3.connect(folder / _LOG)) as copy:
            source.backup(copy)
        points = _write_points(folder / _POINTS, saver)
        files = {_LOG: folder / _LOG, _POINTS: folder / _POINTS, **_plain_files(home)}
        head = log.head()
        manifest = {
            "schema": SCHEMA,
            "made_at": utc_now().isoformat(timespec="seconds"),
            "log": {"format": tables.FORMAT, "events": head.seq, "head": head.hash},
            "checkpoints": {"layout": LAYOUT["version"], "points": points},
            "files": {name: {"bytes": path.stat().st_size, "sha256": _digest(path)} for name, path in files.items()},
        }
        _pack(target, manifest, files)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Summary(events=head.seq, head=head.hash, points=points, files=tuple(files))


def _plain_files(home: Path) -> dict[str, Path]:
    """Files of a home that are taken as they are."""
    names = [name for name in _BESIDE if (home / name).is_file()]
    config = sorted(path for path in (home / _CONFIG).glob("*.yaml") if path.is_file())
    return {**{name: home / name for name in names}, **{f"{_CONFIG}/{path.name}": path for path in config}}


def _write_points(path: Path, saver: QdrantSaver | None) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for key, payload in saver.points() if saver is not None else ():
            file.write(json.dumps({"id": key, "payload": payload}) + "\n")
            count += 1
    return count


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _pack(target: BinaryIO, manifest: Mapping[str, Any], files: Mapping[str, Path]) -> None:
    with tarfile.open(fileobj=target, mode="w:gz", compresslevel=6) as archive:
        text = json.dumps(manifest, indent=1).encode()
        archive.addfile(_member(_MANIFEST, len(text)), io.BytesIO(text))
        for name, path in files.items():
            with path.open("rb") as file:
                archive.addfile(_member(name, path.stat().st_size), file)


def _member(name: str, size: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    return info


def restore(path: Path, home: Path) -> Summary:
    """Unpack a backup into a home that is not there, or empty.

    Raises:
        UsageFaultError: the home holds something.
        BadBackupError: the file is no backup, or not as it was written; nothing was put in place.
        HomeNotWritableError: there is no room for it.
    """
    if home.exists() and (not home.is_dir() or any(one.name != "lock" for one in home.iterdir())):
        raise UsageFaultError("restore.not_empty", path=str(home))
    home.parent.mkdir(parents=True, exist_ok=True)
    folder = home.with_name(f"{home.name}.restoring-{new_id()}")
    folder.mkdir(mode=0o700)
    try:
        with _refusing(path):
            summary = _check(folder, _unpack(path, folder))
        (home / "lock").unlink(missing_ok=True)
        folder.rename(home)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return summary


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Whatever a hostile file makes go wrong is a refusal of that file; a full disk is not its fault."""
    try:
        yield
    except HomeNotWritableError:
        raise
    except (CheckpointError, tarfile.TarError, gzip.BadGzipFile, zlib.error, sqlite3.Error, EOFError) as error:
        raise BadBackupError("restore.bad", path=str(path), reason=error) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadBackupError("restore.bad", path=str(path), reason=f"{type(error).__name__}: {error}") from error


def _unpack(path: Path, folder: Path) -> Mapping[str, Any]:
    """Write the members that the manifest names, and no others, below the folder."""
    with path.open("rb") as file, tarfile.open(fileobj=file, mode="r:gz") as archive:
        manifest = _manifest(archive)
        wanted: Mapping[str, Mapping[str, Any]] = manifest["files"]
        _check_sizes(wanted, packed=path.stat().st_size, folder=folder)
        found: set[str] = set()
        for member in islice(archive, 1, None):
            tarfile.data_filter(member, str(folder))  # refuses absolute names, links and devices
            if member.name not in wanted or member.name in found or not _is_ours(member):
                raise ValueError(f"unexpected member {member.name!r}")
            _write(archive, member, folder, wanted[member.name])
            found.add(member.name)
    if missing := wanted.keys() - found:
        raise ValueError(f"missing member {min(missing)!r}")
    return manifest


def _manifest(archive: tarfile.TarFile) -> Mapping[str, Any]:
    first = archive.next()
    if first is None or first.name != _MANIFEST or not first.isreg() or first.size > _MANIFEST_BYTES:
        raise ValueError(f"it does not begin with {_MANIFEST!r}")
    reader = archive.extractfile(first)
    manifest: Mapping[str, Any] = json.loads(reader.read()) if reader else {}
    expected = (SCHEMA, tables.FORMAT, LAYOUT["version"])
    found = (manifest["schema"], manifest["log"]["format"], manifest["checkpoints"]["layout"])
    if found != expected:
        raise ValueError(f"layout {found!r}, this program reads {expected!r}")
    return manifest


def _is_ours(member: tarfile.TarInfo) -> bool:
    folder, _, name = member.name.rpartition("/")
    known = member.name in {_LOG, _POINTS, *_BESIDE} or (folder == _CONFIG and name.endswith(".yaml"))
    return member.isreg() and known


def _check_sizes(wanted: Mapping[str, Mapping[str, Any]], *, packed: int, folder: Path) -> None:
    sizes = [int(one["bytes"]) for one in wanted.values()]
    if min(sizes, default=-1) < 0 or sum(sizes) > max(_FREE_RATIO_BYTES, _MOST_RATIO * packed):
        raise ValueError(f"{packed} packed bytes claim to be {sum(sizes)}")
    require_space(folder, least=2 * sum(sizes) + FOR_NEW_SHARD_BYTES)


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path, told: Mapping[str, Any]) -> None:
    """Copy one member, as long as the manifest says and not a byte longer, and compare its digest."""
    reader = archive.extractfile(member)
    if reader is None or member.size != int(told["bytes"]):
        raise ValueError(f"{member.name!r} is not as long as the manifest says")
    target = folder / member.name
    target.parent.mkdir(exist_ok=True)
    digest = hashlib.sha256()
    with target.open("xb") as file:
        while chunk := reader.read(_CHUNK_BYTES):
            digest.update(chunk)
            file.write(chunk)
    if digest.hexdigest() != told["sha256"]:
        raise ValueError(f"{member.name!r} is not what the manifest says")


def _check(folder: Path, manifest: Mapping[str, Any]) -> Summary:
    """Verify what was unpacked, and turn the points into a store of checkpoints."""
    _check_schema(folder / _LOG)
    log = EventLog.open(folder / _LOG, clock=utc_now, ids=new_id)
    try:
        head, told = log.head(), manifest["log"]
        if (head.seq, head.hash) != (told["events"], told["head"]):
            raise ValueError("the log does not end where the manifest says")
        if (broken := log.verify_chain()) is not None:
            raise ValueError(f"the chain of the log is broken at event {broken}")
        if log.state_hash() != log.replayed_hash():
            raise ValueError("the log does not add up to the state that is stored with it")
    finally:
        log.close()
    points = _put_points_back(folder)
    if points != manifest["checkpoints"]["points"]:
        raise ValueError("there are not as many points of checkpoints as the manifest says")
    return Summary(events=head.seq, head=head.hash, points=points, files=tuple(manifest["files"]))


def _check_schema(path: Path) -> None:
    """Nothing but tables and indexes of ours: a trigger or a view is code that runs when the log is used."""
    with closing(sqlite3.connect(path)) as database:
        found = database.execute("SELECT type, name FROM sqlite_master").fetchall()
        intact = database.execute("PRAGMA quick_check").fetchone()
    names = {table.name for table in tables.metadata.sorted_tables}
    foreign = [
        name for kind, name in found if kind not in {"table", "index"} or (kind == "table" and name not in names)
    ]
    if foreign or intact != ("ok",):
        raise ValueError(f"the log is no log of ours: {(foreign or intact)!r}")


def _put_points_back(folder: Path) -> int:
    path, count = folder / _POINTS, 0
    with path.open(encoding="utf-8") as file, QdrantSaver.from_location(str(folder / "checkpoints")) as saver:
        while lines := list(islice(file, _POINTS_AT_ONCE)):
            rows = [json.loads(line) for line in lines]
            saver.put_back([(row["id"], row["payload"]) for row in rows])
            count += len(rows)
    path.unlink()
    return count
