"""`rqa backup`, `rqa restore` and `rqa memory export`: what leaves a home comes back whole, or not at all."""

from __future__ import annotations

import copy
import gzip
import hashlib
import io
import json
import sqlite3
import tarfile
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rqa_checkpoints import tables
from rqa_checkpoints.saver.records import LAYOUT
from tests.support.cli import Cli
from tests.support.memories import open_memory

SAID = {"en": "My locker is number 41.", "ja": "ロッカーは41番です。"}
ASKED = {"en": "What is the number of my locker?", "ja": "私のロッカーは何番ですか？"}


@pytest.fixture
def saved(cli: Cli, tmp_path: Path) -> Path:
    """A backup of a home in which a turn was taken."""
    cli.set(RQA_MEMORY__EMBEDDER="hash")
    assert cli("ask", SAID["en"]).code == 0
    file = tmp_path / "home.tar.gz"
    assert cli("backup", str(file)).code == 0
    return file


@pytest.mark.parametrize(("lang", "words"), [("en", "chain is intact"), ("ja", "連鎖は無傷")])
def test_a_home_comes_back_with_its_log_its_threads_and_its_figures(
    cli: Cli, tmp_path: Path, lang: str, words: str
) -> None:
    cli.set(RQA_MEMORY__EMBEDDER="hash")
    thread = cli("ask", SAID[lang], "--json").json["thread"]
    (cli.home / "config").mkdir()
    (cli.home / "config" / "models.yaml").write_text("models:\n  chat: builtin\n", "utf-8")
    state = cli.state()
    file, other = str(tmp_path / "b.tar.gz"), str(tmp_path / "other")
    made = cli("backup", file, "--lang", lang)
    assert (made.code, cli.state()) == (0, state), "a backup changes nothing"
    assert Path(file).stat().st_mode & 0o077 == 0
    done = cli("restore", file, "--home", other, "--lang", lang)
    assert (done.code, words in done.out) == (0, True), done.err
    cli.set(RQA_HOME=other)
    assert cli.state() == state
    assert (Path(other) / "config" / "models.yaml").is_file()
    assert (Path(other) / "telemetry.jsonl").read_bytes() == (cli.home / "telemetry.jsonl").read_bytes()
    [first] = cli("memory", "recall", ASKED[lang], "--json").json["items"]
    assert first["text"] == SAID[lang]
    rows = cli("chat", ASKED[lang], "--thread", thread, "--json").rows
    assert rows[0]["stored"] is True


def test_an_erased_item_is_in_no_later_backup_and_the_chain_of_it_holds(cli: Cli, saved: Path, tmp_path: Path) -> None:
    [item] = cli("memory", "list", "--json").json["items"]
    assert cli("memory", "erase", item["handle"], "--yes").code == 0
    later, other = tmp_path / "later.tar.gz", str(tmp_path / "other")
    assert cli("backup", str(later)).code == 0
    assert b"locker" not in gzip.decompress(later.read_bytes())
    assert b"locker" in gzip.decompress(saved.read_bytes())
    assert cli("restore", str(later), "--home", other).code == 0
    assert cli("log", "verify", "--home", other).code == 0


def test_nothing_is_written_over_and_nothing_into_the_home(cli: Cli, saved: Path, tmp_path: Path) -> None:
    before = saved.read_bytes()
    assert cli("backup", str(saved)).code == 2
    assert saved.read_bytes() == before
    assert cli("backup", str(cli.home / "x.tar.gz")).code == 2
    assert cli("backup", str(tmp_path / "none" / "x.tar.gz")).code == 2
    assert cli("backup", str(tmp_path / "y.tar.gz"), "--home", str(tmp_path / "nowhere")).code == 2
    with cli.unchanged():
        assert cli("restore", str(saved)).code == 2
    assert cli("restore", str(tmp_path / "none.tar.gz"), "--home", str(tmp_path / "new")).code == 2
    with open_memory(cli.home):
        assert cli("backup", str(tmp_path / "z.tar.gz")).code == 6
    assert not list(tmp_path.glob("*.part"))


Members = list[tuple[tarfile.TarInfo, bytes]]


def _member(name: str, data: bytes = b"x", kind: bytes = tarfile.REGTYPE, link: str = "") -> tuple[Any, bytes]:
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = len(data) if kind == tarfile.REGTYPE else 0, kind, link
    return info, data


def _claim(members: Members, name: str, size: int) -> Members:
    """Let the manifest name one more file."""
    manifest = json.loads(members[0][1])
    manifest["files"][name] = {"bytes": size, "sha256": "0" * 64}
    return [_member("manifest.json", json.dumps(manifest).encode()), *members[1:]]


def _bitten(members: Members, name: str, old: bytes, new: bytes) -> Members:
    """Change a file, and let the manifest vouch for the change."""
    return _vouched(members, name, lambda data: data.replace(old, new))


def _edited(members: Members, sql: str) -> Members:
    """Change the log as a database, and let the manifest vouch for the change."""

    def edit(data: bytes) -> bytes:
        with tempfile.NamedTemporaryFile() as file:
            Path(file.name).write_bytes(data)
            with closing(sqlite3.connect(file.name)) as database:
                database.execute("PRAGMA journal_mode=DELETE")
                database.executescript(sql)
            return Path(file.name).read_bytes()

    return _vouched(members, "log.sqlite", edit)


def _vouched(members: Members, name: str, change: Callable[[bytes], bytes]) -> Members:
    manifest = json.loads(members[0][1])
    changed = [_member(info.name, change(data) if info.name == name else data) for info, data in members[1:]]
    for info, data in changed:
        manifest["files"][info.name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    assert changed != members[1:]
    return [_member("manifest.json", json.dumps(manifest).encode()), *changed]


HOSTILE: dict[str, Callable[[Members], Members]] = {
    "above": lambda members: [*members, _member("../evil")],
    "absolute": lambda members: [*members, _member("/tmp/evil")],
    "claimed above": lambda members: [*_claim(members, "../evil", 1), _member("../evil")],
    "symbolic link": lambda members: [*members, _member("config/a.yaml", kind=tarfile.SYMTYPE, link="/etc/passwd")],
    "hard link": lambda members: [*members, _member("config/a.yaml", kind=tarfile.LNKTYPE, link="log.sqlite")],
    "device": lambda members: [*members, _member("config/a.yaml", kind=tarfile.CHRTYPE)],
    "twice": lambda members: [*members, members[-1]],
    "unknown": lambda members: [*_claim(members, "run.sh", 1), _member("run.sh")],
    "too large a claim": lambda members: _claim(members, "chat_history", 10**13),
    "longer than told": lambda members: [*_claim(members, "chat_history", 1), _member("chat_history", b"xx")],
    "missing": lambda members: members[:-1],
    "no manifest": lambda members: members[1:],
    "other layout": lambda members: [
        _member("manifest.json", members[0][1].replace(b"rqa.backup/1", b"rqa.backup/9")),
        *members[1:],
    ],
    "changed words": lambda members: _bitten(members, "log.sqlite", b"number 41", b"number 42"),
    "changed state": lambda members: _edited(members, "UPDATE node SET seen = 5"),
    "a trigger": lambda members: _edited(
        members, "CREATE TRIGGER t AFTER INSERT ON event BEGIN DELETE FROM content; END"
    ),
    "a view": lambda members: _edited(members, "CREATE VIEW v AS SELECT * FROM content"),
    "moved point": lambda members: _bitten(members, "checkpoints.jsonl", b'"thread": "', b'"thread": "z'),
    "no database": lambda members: _bitten(members, "log.sqlite", b"SQLite format 3", b"SQLite format 9"),
}


def test_a_hostile_file_puts_nothing_in_place(cli: Cli, saved: Path, tmp_path: Path) -> None:
    with tarfile.open(saved) as archive:
        members: Members = [(info, _read(archive, info)) for info in archive]
    hostile = tmp_path / "hostile.tar.gz"
    hostile.touch()
    before = sorted(path.name for path in tmp_path.iterdir())
    for name, changed in HOSTILE.items():
        with tarfile.open(hostile, "w:gz") as archive:
            for info, data in changed(copy.deepcopy(members)):
                archive.addfile(info, io.BytesIO(data) if info.isreg() else None)
        for lang, words in (("en", "no backup that can be trusted"), ("ja", "信頼できるバックアップではありません")):
            done = cli("restore", str(hostile), "--home", str(tmp_path / "new"), "--lang", lang)
            assert (done.code, words in done.err) == (2, True), (name, done.err)
            assert "Traceback" not in done.err, name
        assert sorted(path.name for path in tmp_path.iterdir()) == before, name
        assert not Path("/tmp/evil").exists()


def _read(archive: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(info)
    assert file is not None
    return file.read()


def test_a_bomb_is_refused_by_its_size_before_it_is_unpacked(cli: Cli, tmp_path: Path) -> None:
    size = 256 * 1024 * 1024
    manifest = {
        "schema": "rqa.backup/1",
        "log": {"format": tables.FORMAT, "events": 0, "head": ""},
        "checkpoints": {"layout": LAYOUT["version"], "points": 0},
        "files": {"log.sqlite": {"bytes": size, "sha256": ""}},
    }
    bomb = tmp_path / "bomb.tar.gz"
    with tarfile.open(bomb, "w:gz") as archive:
        for info, data in (_member("manifest.json", json.dumps(manifest).encode()), _member("log.sqlite", bytes(size))):
            archive.addfile(info, io.BytesIO(data))
    done = cli("restore", str(bomb), "--home", str(tmp_path / "new"))
    assert (done.code, "packed bytes" in done.err) == (2, True)


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_an_export_is_taken_over_by_another_home_with_who_said_it(cli: Cli, tmp_path: Path, lang: str) -> None:
    cli.set(RQA_MEMORY__EMBEDDER="hash")
    item = cli("memory", "add", SAID[lang], "--json").json
    cli("memory", "add", "Not mine.", "--user", "mara")
    cli("memory", "forget", item["handle"])
    file, other = str(tmp_path / "mine.jsonl"), str(tmp_path / "other")
    assert cli("memory", "export", file, "--json").json["items"] == 1
    assert cli("memory", "export", file).code == 2
    assert cli("memory", "export", "-", "--json").code == 2
    streamed = [json.loads(line) for line in cli("memory", "export", "-").out.splitlines()]
    assert [row.get("text") for row in streamed] == [None, SAID[lang]]
    with cli.unchanged():
        assert cli("import", file, "--dry-run", "--json").json["counts"] == {"user": 1}
    done = cli("import", file, "--home", other, "--json").json
    assert (done["format"], done["counts"]) == ("rqa", {"user": 1, "relations": 0})
    [got] = cli("memory", "list", "--hidden", "--home", other, "--json").json["items"]
    assert got == {**{name: item[name] for name in got}, "hidden": True}
    assert cli("audit", file).code in {0, 3}
