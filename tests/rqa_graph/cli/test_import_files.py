"""`rqa import` of documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.cli import Cli


@pytest.mark.parametrize(("lang", "words"), [("en", "2 documents were taken over"), ("ja", "文書 2 件")])
def test_a_folder_comes_in_and_what_cannot_be_read_is_named(cli: Cli, tmp_path: Path, lang: str, words: str) -> None:
    folder = tmp_path / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.md").write_text("The mill is old.", "utf-8")
    (folder / "deep" / "b.txt").write_bytes("水車小屋は古い。".encode("cp932"))
    (folder / "bad.txt").write_bytes(b"\x89PNG\x00")
    (folder / "c.py").write_text("print()", "utf-8")
    (folder / ".hidden.md").write_text("secret", "utf-8")
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    (tmp_path / "outside.md").write_text("outside", "utf-8")
    with cli.unchanged():
        assert cli("import", str(folder), "--dry-run", "--json").json["counts"] == {"external": 2}
    ran = cli("import", str(folder), "--lang", lang)
    assert (ran.code, words in ran.out, "bad.txt" in ran.err) == (0, True, True)
    items = cli("memory", "list", "--json").json["items"]
    assert [(item["text"], item["source"]) for item in items] == [
        ("水車小屋は古い。", "external"),
        ("The mill is old.", "external"),
    ]
    assert items[1]["locator"] == f"{folder}/a.md:1"
    assert cli("import", str(folder), "--json").json["counts"]["known"] == 2


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_what_is_no_document_is_refused_and_nothing_is_written(cli: Cli, tmp_path: Path, lang: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.md").write_bytes(b"\x89PNG\x00")
    for path, code in (("missing.md", "missing_file"), ("empty", "empty_input"), ("bad.md", "not_text")):
        with cli.unchanged():
            ran = cli("import", str(tmp_path / path), "--json", "--lang", lang)
        assert (ran.code, ran.json["error"]["code"]) == (2, code)
