"""The generated pages say what the code and the committed results say now."""

from __future__ import annotations

from pathlib import Path

from docsgen.configuration import undescribed
from docsgen.pages import PAGES, stale, write


def test_the_generated_pages_are_up_to_date() -> None:
    assert stale() == [], "python -m docsgen writes them"


def test_a_page_that_was_changed_by_hand_is_found_and_written_anew(tmp_path: Path) -> None:
    name = "reference/configuration.md"
    pages = {name: PAGES[name]}
    assert write(tmp_path, pages) == [name]
    (tmp_path / name).write_text("something else", "utf-8")
    assert stale(tmp_path, pages) == [name]
    assert write(tmp_path, pages) == [name]
    assert stale(tmp_path, pages) == []


def test_every_setting_says_what_it_is() -> None:
    assert undescribed() == []
