"""Each row of the corpora: what is wrong goes, what is right stays, plain prose is untouched."""

from __future__ import annotations

from pathlib import Path

import pytest

from rqa_nodes.echo import Injected, verify

HERE = Path(__file__).parent
ITEMS = (
    Injected(
        handle="k3v9xq",
        source="user",
        text="Tea is at four. お茶は四時です。",
        id="n_K3V9XQ77AB12CD34EF56",
        author="mika",
    ),
    Injected(
        handle="ab0l1x",
        source="user",
        text="The lamp is blue. 灯りは青です。",
        id="n_AB01XX77AB12CD34EF56",
        author="mika",
    ),
    Injected(
        handle="zz11yy",
        source="assistant",
        text="The gasket may be worn. ガスケットの摩耗かもしれません。",
        id="n_ZZ11YY77AB12CD34EF56",
        author="model",
    ),
    Injected(
        handle="ee22ff", source="external", text="The pump needs oil.", id="n_EE22FF77AB12CD34EF56", author="manual.pdf"
    ),
)
KNOWN = (("st00le", "n_ST00LE77AB12CD34EF56"),)
TALK = (("assistant:Orla", "Good morning. おはようございます。"),)


def rows(lang: str) -> list[tuple[str, str, str, str, str]]:
    lines = (HERE / f"rows_{lang}.tsv").read_text(encoding="utf-8").splitlines()
    return [(lang, *line.split("\t")) for line in lines if not line.startswith("#")]  # type: ignore[misc]  # four columns


def plain(lang: str) -> list[str]:
    return (HERE / f"plain_{lang}.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("lang", "kind", "reply", "gone", "stands"), [*rows("en"), *rows("ja")])
def test_a_row_gets_its_verdict_and_its_repair(lang: str, kind: str, reply: str, gone: str, stands: str) -> None:
    report = verify(reply, injected=ITEMS, known=KNOWN, transcript=TALK, lang=lang)
    assert kind in report.counts
    assert stands in report.text
    for words in filter(None, gone.split("|")):
        assert words not in report.text
    assert verify(report.text, injected=ITEMS, known=KNOWN, transcript=TALK, lang=lang).text == report.text


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_corpora_are_as_large_as_promised(lang: str) -> None:
    assert len(rows(lang)) >= 60
    assert len(set(plain(lang))) >= 150


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_plain_sentences_are_untouched(lang: str) -> None:
    changed = {line: report.text for line in plain(lang) if (report := verify(line, lang=lang)).text != line}
    assert not changed


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_plain_sentences_are_untouched_beside_items_and_in_one_text(lang: str) -> None:
    text = (" " if lang == "en" else "").join(plain(lang)[:120])
    report = verify(text, injected=ITEMS, known=KNOWN, transcript=TALK, lang=lang)
    assert report.text == text
    assert not report.verdicts
