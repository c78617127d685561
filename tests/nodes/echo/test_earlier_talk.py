"""Japanese and Chinese wordings that lead back to an earlier talk, and those that only look like it.

In the file of claims the words in double brackets are what must go; what stands beside them must stay. They were
written for a kind of wording (verb, honorific, place in the sentence), not taken from a corpus that is measured.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rqa_nodes.echo import VerdictKind, verify

HERE = Path(__file__).parent
_CLAIM = re.compile(r"⟦(.*?)⟧")


def claims(lang: str) -> list[tuple[str, str]]:
    lines = (HERE / f"earlier_{lang}.txt").read_text(encoding="utf-8").splitlines()
    return [(lang, line) for line in lines if "⟦" in line]


def unclaimed(lang: str) -> list[tuple[str, str]]:
    return [(lang, line) for line in (HERE / f"unclaimed_{lang}.txt").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(("lang", "line"), [*claims("ja"), *claims("zh")])
def test_a_claim_goes_and_what_stands_beside_it_stays(lang: str, line: str) -> None:
    reply = _CLAIM.sub(r"\1", line)
    report = verify(reply, lang=lang)
    assert VerdictKind.unbacked_history in report.counts
    assert all(claim not in report.text for claim in _CLAIM.findall(line))
    assert all(words.strip("。 ") in report.text for words in _CLAIM.split(line)[::2])
    assert verify(report.text, lang=lang).text == report.text


@pytest.mark.parametrize(("lang", "line"), [*unclaimed("ja"), *unclaimed("zh")])
def test_a_sentence_of_somebody_else_or_of_nobody_stays(lang: str, line: str) -> None:
    assert verify(line, lang=lang).text == line
