"""Shipped files, those of a home, and the sentences of the command line."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from rqa_checkpoints.errors import ChainBrokenError, HomeLockedError, HomeNotWritableError
from rqa_graph.errors import ConfigError, ExitCode, UnknownResourceError, exit_code
from rqa_graph.messages import _table, keys, language, say
from rqa_graph.resources import config_text, example_path, home_path, load_config
from rqa_nodes.errors import ModelUnavailableError


def test_a_shipped_file_is_found_and_the_homes_replaces_it(tmp_path: Path) -> None:
    shipped = config_text("router")
    assert config_text("router", tmp_path) == shipped
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "router.yaml").write_text("rules: []", "utf-8")
    assert config_text("router", tmp_path) == "rules: []"
    assert load_config("router", tmp_path) == {"rules": []}


@pytest.mark.parametrize("name", ["nothing", "../pyproject", "", "router.yaml", "a/b"])
def test_what_is_not_shipped_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UnknownResourceError):
        config_text(name, tmp_path)
    with pytest.raises(UnknownResourceError):
        example_path(f"{name}/../../LICENSE")


@pytest.mark.parametrize("content", [b"\xff\xfe\xfa", b"a: [", b"- 1", b""])
def test_a_broken_file_of_the_home_is_named(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "router.yaml").write_bytes(content)
    with pytest.raises(ConfigError, match=r"router\.yaml"):
        load_config("router", tmp_path)


def test_examples_are_found() -> None:
    assert example_path("design_note.md").is_file()


def test_the_home_is_the_argument_then_the_variable_then_the_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RQA_HOME", str(tmp_path))
    assert home_path("/elsewhere") == Path("/elsewhere")
    assert home_path() == tmp_path
    monkeypatch.delenv("RQA_HOME")
    assert home_path() == Path("~/.rqa").expanduser()


@pytest.mark.parametrize("key", keys())
def test_each_sentence_exists_in_both_languages_with_the_same_values(key: str) -> None:
    row = _table()[key]
    assert set(row) >= {"en", "ja"}
    fields = [{name for _, name, _, _ in string.Formatter().parse(row[lang]) if name} for lang in ("en", "ja")]
    assert fields[0] == fields[1]
    words = "".join(text for text, *_ in string.Formatter().parse(row["en"]))
    if re.search("[a-z]{2}", words.replace("rqa", "")):
        assert re.search("[ぁ-んァ-ヶ一-龯]", row["ja"])


def test_another_language_is_answered_in_english() -> None:
    assert say("input.empty", "zh") == say("input.empty", "en")
    assert say("input.empty", "ja") != say("input.empty", "en")


@pytest.mark.parametrize(
    ("wanted", "environ", "lang"),
    [
        ("ja", {"LANG": "en_US.UTF-8"}, "ja"),
        ("zh", {"LANG": "ja_JP.UTF-8"}, "en"),
        ("", {"LANG": "ja_JP.UTF-8"}, "ja"),
        ("", {"LC_ALL": "C", "LANG": "ja_JP.UTF-8"}, "en"),
        ("", {"LANG": "fr_FR.UTF-8"}, "en"),
        ("", {}, "en"),
    ],
)
def test_the_language_of_messages(wanted: str, environ: dict[str, str], lang: str) -> None:
    assert language(wanted, environ) == lang


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (HomeLockedError("x"), ExitCode.home),
        (HomeNotWritableError("x"), ExitCode.home),
        (PermissionError(13, "x"), ExitCode.home),
        (ModelUnavailableError("x"), ExitCode.model_unavailable),
        (ChainBrokenError("x"), ExitCode.check_failed),
        (ConfigError("x"), ExitCode.usage),
        (KeyboardInterrupt(), ExitCode.interrupted),
        (ValueError("x"), ExitCode.internal),
    ],
)
def test_each_error_has_its_exit_code(error: BaseException, code: ExitCode) -> None:
    assert exit_code(error) is code
