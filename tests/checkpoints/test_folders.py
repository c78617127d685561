"""An index of a folder says what its files say now, to the person whose folder it is, and holds no word of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from rqa_checkpoints.embedding import Encoder, HashEmbedder
from rqa_checkpoints.errors import UnknownFolderError
from rqa_checkpoints.folders import Folder, FolderChanges, FolderIndex
from rqa_checkpoints.provenance import Scope
from tests.support.memories import ANN, AT, BOB

FILES = {"bees.md": "Four hives stand at the wall.", "mill/水車.txt": "水車の修理費は四十二万円だ。"}


class _Other(HashEmbedder):
    name = "other"


def _opened(home: Path, encoder: type[HashEmbedder] = HashEmbedder) -> FolderIndex:
    def made() -> Encoder:
        return encoder()

    return FolderIndex(home / "folders", encoder=made)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[FolderIndex]:
    with closing(_opened(tmp_path)) as opened:
        yield opened


def _read(name: str, data: bytes) -> str:
    if data.startswith(b"\0"):
        raise ValueError(f"{name} is binary")
    return data.decode()


def _indexed(index: FolderIndex, files: dict[str, str], *, scope: Scope = ANN, name: str = "notes") -> FolderChanges:
    try:
        folder = index.find(name, scope)
    except UnknownFolderError:
        folder = Folder(scope=scope, name=name, path="/notes", embedder="")
    return index.index(folder, ((file, text.encode()) for file, text in files.items()), read=_read, at=AT)


def _found(index: FolderIndex, query: str, scope: Scope = ANN) -> list[str]:
    return [found.file for found in index.search(query, scope=scope)]


def test_the_nearest_passage_comes_first_in_both_languages(index: FolderIndex) -> None:
    changes = _indexed(index, FILES)
    assert (changes.added, changes.changed, changes.removed) == (tuple(FILES), (), ())
    assert _found(index, "Where do the four hives stand?")[0] == "bees.md"
    assert _found(index, "水車の修理費はいくらですか")[0] == "mill/水車.txt"


def test_indexing_again_takes_up_what_is_new_changed_or_gone(index: FolderIndex) -> None:
    _indexed(index, FILES)
    assert _indexed(index, FILES).added == ()
    changes = _indexed(index, {"bees.md": "The queen is green.", "new.md": "The pond is deep."})
    assert (changes.added, changes.changed, changes.removed) == (("new.md",), ("bees.md",), ("mill/水車.txt",))
    assert "mill/水車.txt" not in _found(index, "水車の修理費")
    assert _found(index, "The queen is green.")[0] == "bees.md"
    assert _found(index, "Four hives stand at the wall.").count("bees.md") == 1


def test_nobody_finds_another_persons_folder(index: FolderIndex) -> None:
    _indexed(index, FILES)
    _indexed(index, {"own.md": "Four hives stand in Oban."}, scope=BOB)
    assert _found(index, "Four hives stand", BOB) == ["own.md"]
    assert "own.md" not in _found(index, "Four hives stand")
    assert _found(index, "Four hives stand", Scope("elsewhere", "ann")) == []
    with pytest.raises(UnknownFolderError):
        index.drop("notes", Scope("local", "eve"))
    assert index.drop_person(BOB) == 1
    assert _found(index, "Four hives stand", BOB) == []
    assert _found(index, "Four hives stand")[0] == "bees.md"


def test_a_dropped_folder_leaves_nothing(index: FolderIndex, tmp_path: Path) -> None:
    _indexed(index, FILES)
    index.drop("notes", ANN)
    assert _found(index, "hives") == []
    assert [path for path in (tmp_path / "folders").rglob("*") if path.is_file()] == []


def test_no_word_of_a_file_lies_in_the_home(index: FolderIndex, tmp_path: Path) -> None:
    _indexed(index, {"a.md": "zanzibarquagga 北浜織物"})
    index.close()
    data = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"a.md" in data
    assert "北浜".encode() not in data
    assert b"zanzibarquagga" not in data


def test_what_cannot_be_read_is_skipped_with_the_reason_and_no_longer_found(index: FolderIndex) -> None:
    _indexed(index, FILES)
    folder = index.find("notes", ANN)
    files: list[tuple[str, bytes | str]] = [("bees.md", b"\0"), ("mill/水車.txt", "locked")]
    changes = index.index(folder, files, read=_read, at=AT)
    assert changes.skipped == {"bees.md": "bees.md is binary", "mill/水車.txt": "locked"}
    assert changes.removed == tuple(FILES)
    assert _found(index, "hives") == []


def test_a_killed_indexing_goes_on_where_it_stood(index: FolderIndex, tmp_path: Path) -> None:
    class _KilledError(Exception):
        pass

    def read(name: str, data: bytes) -> str:
        if name == "45.md":
            raise _KilledError
        return data.decode()

    folder = Folder(scope=ANN, name="notes", path="/notes", embedder="")
    files = [(f"{number}.md", f"Hive number {number} is green.".encode()) for number in range(60)]
    with pytest.raises(_KilledError):
        index.index(folder, files, read=read, at=AT)
    index.close()
    with closing(_opened(tmp_path)) as again:
        found = again.find("notes", ANN)
        assert len(found.files) == 40
        changes = again.index(found, files, read=_read, at=AT)
        assert (len(changes.added), len(changes.folder.files)) == (20, 60)
        assert _found(again, "Hive number 59 is green.")[0] == "59.md"


def test_the_vectors_of_another_embedder_are_never_compared(index: FolderIndex, tmp_path: Path) -> None:
    _indexed(index, FILES)
    index.close()
    with closing(_opened(tmp_path, _Other)) as other:
        assert _found(other, "hives") == []
        assert _indexed(other, FILES).folder.embedder == "other"
        assert "bees.md" in _found(other, "Four hives stand")


def test_a_manifest_that_is_none_is_no_folder(index: FolderIndex, tmp_path: Path) -> None:
    _indexed(index, FILES)
    for name, text in {
        "a": "{",
        "b": "[]",
        "c": '{"schema": "rqa.folder/1"}',
        "d": '{"schema": "rqa.folder/9"}',
    }.items():
        (tmp_path / "folders" / f"{name}.json").write_text(text, "utf-8")
    with closing(_opened(tmp_path)) as again:
        assert [folder.name for folder in again.folders(ANN)] == ["notes"]
