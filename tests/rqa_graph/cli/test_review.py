"""`rqa review`: a document on the instrument panel."""

from __future__ import annotations

from pathlib import Path

import pytest

from rqa_graph.resources import example_path
from tests.support.cli import ENVELOPE, TURN_FIELDS, Cli

NOTES = {
    "en": "Everybody wants the new gate.\nWe must build it in May, because the old one is ugly.\nThere is no money.\n",
    "ja": "新しい門は誰もが望んでいる。\n古い門は見苦しいので、5月に建てるべきだ。\nしかし予算はない。\n",
}


@pytest.mark.parametrize(("lang", "encoding"), [("en", "utf-8"), ("ja", "utf-8"), ("ja", "cp932"), ("ja", "utf-16")])
def test_a_document_is_taken_apart_in_its_language(cli: Cli, tmp_path: Path, lang: str, encoding: str) -> None:
    path = tmp_path / "note.md"
    path.write_text(NOTES[lang], encoding)
    found = cli("review", str(path), "--json")
    assert found.code == 0
    review = found.json
    assert set(review) >= ENVELOPE | TURN_FIELDS
    assert (review["schema"], review["lang"], review["level"]) == ("rqa.review/1", lang, 3)
    panel = review["panel"]
    assert panel["claims"]
    assert all(claim.rstrip("。.") in NOTES[lang] for claim in panel["claims"]), "claims are the document's own words"
    assert review["question"]
    assert panel["question"]["question"] == review["question"]


def test_the_shipped_note_gives_a_whole_panel_and_a_short_one(cli: Cli) -> None:
    path = str(example_path("design_note.md"))
    whole, brief = cli("review", path), cli("review", path, "--brief")
    for heading in ("1. Claims", "2. Tensions", "3. Hidden assumptions", "5. The deeper question", "7. Boundary check"):
        assert f"### {heading}" in whole.out
    assert len(brief.out) < len(whole.out) / 3
    assert brief.code == whole.code == 0


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_review_leaves_nothing_as_the_users_words(cli: Cli, tmp_path: Path, lang: str) -> None:
    path = tmp_path / "note.md"
    path.write_text(NOTES[lang], "utf-8")
    cli("review", str(path))
    items = cli("memory", "list", "--json").json["items"]
    assert {item["source"] for item in items} == {"assistant"}
    assert "question" in {item["kind"] for item in items}
    assert not any(item["text"] in NOTES[lang] for item in items)


@pytest.mark.parametrize(
    ("lang", "text"), [("en", "Review ./note.md, please."), ("ja", "「./note.md」 をレビューして")]
)
def test_a_file_that_a_question_names_is_read(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lang: str, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "note.md").write_text(NOTES[lang], "utf-8")
    asked = cli("ask", text, "--json").json
    assert (asked["schema"], asked["level"]) == ("rqa.ask/1", 3)
    assert any(claim.rstrip("。.") in NOTES[lang] for claim in asked["panel"]["claims"])
