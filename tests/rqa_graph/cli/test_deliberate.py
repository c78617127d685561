"""`rqa deliberate`: the honest way without a model server, in both languages, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from rqa_nodes.deliberate.body import body
from tests.support.cli import ENVELOPE, Cli

DOCUMENTS = {
    "en": ("The server listens on port 8765 by default.", "Which port does the server listen on?"),
    "ja": ("サーバーの待ち受けポートは8765です。", "サーバーの待ち受けポートは何番ですか？"),
}


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    home = tmp_path / "home"
    (home / "config").mkdir(parents=True)
    (home / "manual").mkdir()
    for lang, (text, _) in DOCUMENTS.items():
        (home / "manual" / f"{lang}.md").write_text(text, "utf-8")
    (home / "config" / "deliberation.yaml").write_text(
        "deliberation:\n  sources:\n    - {folder: manual, publisher: Us, authority: true}\n", "utf-8"
    )
    (home / "config" / "cache_policies.yaml").write_text(
        "version: 1\ndomains:\n  docs: {tag: static}\nrollout:\n  - {phase: 2}\n", "utf-8"
    )
    return Cli(home, monkeypatch, capsys)


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_person_approves_and_the_second_time_it_is_served(cli: Cli, lang: str) -> None:
    question = DOCUMENTS[lang][1]
    first = cli("deliberate", question, "--domain", "docs", "--lang", lang)
    assert first.code == 0
    assert {"en": "No verified answer", "ja": "確認済みの答えはありません"}[lang] in first.out
    item = cli("review-queue", "list").out.splitlines()[-1].split("\t")[0]
    assert item in first.out
    assert cli("review-queue", "approve", item, "--lang", lang).code == 0
    again = cli("deliberate", question, "--domain", "docs", "--json").json
    assert (again["status"], again["source"], again["humanOverride"]) == ("ok", "integrity_cache_exact", True)
    assert set(again) == ENVELOPE | set(body())
    assert "8765" in cli("deliberate", question, "--domain", "docs", "--lang", lang).out
    twice = cli("review-queue", "approve", item)
    assert (twice.code, "already" in twice.err) == (4, True)


def test_a_japanese_question_is_answered_in_japanese_where_nothing_names_a_language(cli: Cli) -> None:
    assert "確認済みの答えはありません" in cli("deliberate", DOCUMENTS["ja"][1], "--domain", "docs").out
    assert "No verified answer" in cli("deliberate", DOCUMENTS["ja"][1], "--domain", "docs", "--locale", "en").out


def test_who_edits_an_answer_is_told_that_somebody_else_approves_it(cli: Cli) -> None:
    cli("deliberate", DOCUMENTS["en"][1], "--domain", "docs")
    item = cli("review-queue", "list").out.splitlines()[-1].split("\t")[0]
    edited = cli("review-queue", "edit", item, "--set", "answer=The server listens on port 8765.")
    assert "manual/en.md" in edited.out
    refused = cli("review-queue", "approve", item)
    assert (refused.code, "somebody else must approve it" in refused.err) == (2, True)
    unknown = cli("review-queue", "edit", item, "--add-source", "manual/none.md")
    assert (unknown.code, "not among those that may be cited" in unknown.err) == (2, True)


@pytest.mark.parametrize(
    "args",
    [
        ("",),
        ("?",),
        ("x" * 2500,),
        ("Why?", "--domain", "docs", "--tighten", "speed=1"),
        ("Why?", "--tighten", "exact_gi=high"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(cli: Cli, args: tuple[str, ...]) -> None:
    with cli.unchanged():
        done = cli("deliberate", *args, "--lang", "ja")
        assert (done.code, done.out) == (2, "")
        assert done.err
