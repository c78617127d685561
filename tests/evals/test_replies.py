"""A reply that was kept is not asked for again."""

from __future__ import annotations

from pathlib import Path

from evals.replies import remembered
from evals.suite import read_rows


def test_replies_are_kept_and_asked_for_once(tmp_path: Path) -> None:
    path, asked = tmp_path / "replies.jsonl", []

    def ask(number: int) -> str:
        asked.append(number)
        return f"樫\u2028{number}"

    for _ in range(2):  # the second time from the file alone
        once = remembered(ask, path, key=str)
        assert [once(1), once(2), once(1)] == ["樫\u20281", "樫\u20282", "樫\u20281"]
    assert asked == [1, 2]
    assert len(read_rows(path)) == 2
