"""A bar for a person who watches: how far it is, of how much; nothing in a pipe or beside JSON."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from rqa_graph.cli.bars import progress_bar, tracked
from rqa_graph.cli.output import Output


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@contextmanager
def _watched() -> Iterator[_Terminal]:
    with pytest.MonkeyPatch.context() as patched, _Terminal() as shown:
        patched.setattr(sys, "stderr", shown)
        patched.setenv("TERM", "xterm")
        yield shown


def test_who_watches_sees_how_far_it_is() -> None:
    with _watched() as terminal:
        assert list(tracked([1, 2, 3, 4], Output("import"), "Importing")) == [1, 2, 3, 4]
        assert "Importing" in terminal.getvalue()
        assert "75%" in terminal.getvalue()


def test_how_many_need_not_be_known() -> None:
    with _watched() as terminal:
        assert list(tracked(iter("ab"), Output("import"), "Reading")) == ["a", "b"]
        assert "Reading" in terminal.getvalue()
        assert "%" not in terminal.getvalue()


@pytest.mark.parametrize("as_json", [False, True])
def test_nobody_else_sees_anything(capsys: pytest.CaptureFixture[str], as_json: bool) -> None:
    with progress_bar(Output("reindex", as_json=as_json), "Indexing") as report:
        report(1, 2)
    assert list(tracked([1], Output("import", as_json=as_json), "Importing")) == [1]
    assert capsys.readouterr() == ("", "")
