"""Many wordings of the same few faults, beside as many sentences that only look like one: what is missed is listed.

The rows were written in three batches before the rules for them. A row that is missed stands in `known_misses.txt`;
that list may only get shorter, and no row of an innocent sentence may join it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import pytest

from evals.suites.guard import Item, load
from rqa_nodes.echo import verify

_FORMS: Final = ("_worded", "in_talk", "later")


@cache
def _items() -> tuple[Item, ...]:
    return tuple(item for item in load() if item.form.endswith(_FORMS))


def _misses() -> set[str]:
    return set((Path(__file__).parent / "known_misses.txt").read_text("utf-8").split())


@pytest.mark.parametrize("lang", ["en", "ja", "zh"])
def test_each_wording_is_judged_right_or_listed_as_missed(lang: str) -> None:
    wrong = set()
    for item in _items():
        if item.lang == lang:
            text = verify(item.reply, **item.facts).text
            wrong |= set() if item.right(text) else {item.id}
            assert text == item.reply or verify(text, **item.facts).text == text, item.id
    assert wrong == {name for name in _misses() if name.startswith(lang)}


def test_there_are_as_many_innocent_and_backed_rows_as_of_each_fault() -> None:
    for lang, least in (("en", 120), ("ja", 120), ("zh", 35)):
        for form in ("planted_worded", "history_worded", "wrong_speaker_worded", "backed_worded", "in_talk"):
            assert sum(item.lang == lang and item.form == form for item in _items()) >= least, (lang, form)
