"""Nothing is served that a gate or a person held back, and what is served can be taken back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rqa_graph.promotion import PROMOTIONS, promoted_model, read_promotions
from rqa_graph.settings import Settings
from training.cli import run
from training.corpus import file_hash

_ARM: dict[str, Any] = {
    "inputs": 20,
    "parsed": 20,
    "kept": 60,
    "search_mismatch": 1,
    "fabricated": 0,
    "restraint": 5,
    "answers": 20,
    "diverse": 12,
    "layer_bits": 1.8,
    "stance_bits": 1.5,
    "deep": 15,
    "asked": 60,
    "plain": 5,
    "answered": 20,
    "median_seconds": 1.0,
}
_ADAPTER = "0123abcd" + "0" * 56


def _files(folder: Path, **adapter: Any) -> list[str]:
    folder.mkdir(exist_ok=True)
    report = {"adapter": _ADAPTER, "arms": {"base": _ARM, "adapter": {**_ARM, **adapter}}}
    (folder / "report.json").write_text(json.dumps(report))
    (folder / "training.json").write_text(json.dumps({"adapter": _ADAPTER, "corpus": "c", "config": {"base": "b"}}))
    return ["--report", str(folder / "report.json"), "--training", str(folder / "training.json")]


def _promote(home: Path, files: list[str], *, model: str = "ollama:rqa-gemma4", more: tuple[str, ...] = ()) -> int:
    yes = more or ("--approved-by", "Ilse", "--confirm", "0123abcd")
    return run(["promote", "--home", str(home), *files, "--model", model, *yes])


def _chat(home: Path) -> str:
    return str(Settings.load(home=home).models.chat)


def test_the_served_model_comes_from_the_record_and_goes_with_one_command(tmp_path: Path) -> None:
    files = _files(tmp_path / "run")
    before = _chat(tmp_path)
    assert _promote(tmp_path, files) == 0
    assert _chat(tmp_path) == "ollama:rqa-gemma4"
    origin = next(row for row in Settings.load(home=tmp_path).provenance() if row.name == "models.chat")
    assert origin.source == str(tmp_path / PROMOTIONS)
    assert _promote(tmp_path, files, model="ollama:second") == 0
    for expected in ("ollama:rqa-gemma4", before):
        assert run(["rollback", "--home", str(tmp_path), "--approved-by", "Ilse"]) == 0
        assert _chat(tmp_path) == expected
    assert run(["rollback", "--home", str(tmp_path), "--approved-by", "Ilse"]) == 4
    assert [row["action"] for row in read_promotions(tmp_path)] == ["promote", "promote", "rollback", "rollback"]


def test_a_name_with_a_line_separator_in_it_does_not_lock_the_home(tmp_path: Path) -> None:
    files = _files(tmp_path / "run")
    for _ in range(2):
        assert _promote(tmp_path, files, more=("--approved-by", "Ilse\u2028Berg", "--confirm", "0123abcd")) == 0
    assert [row["approved_by"] for row in read_promotions(tmp_path)] == ["Ilse\u2028Berg"] * 2


def test_the_record_has_the_hashes_of_what_led_to_it(tmp_path: Path) -> None:
    files = _files(tmp_path / "run")
    assert _promote(tmp_path, files) == 0
    (decision,) = read_promotions(tmp_path)
    assert (decision["adapter"], decision["corpus"], decision["base"]) == (_ADAPTER, "c", "b")
    assert decision["report"] == file_hash(tmp_path / "run" / "report.json")
    assert decision["training"] == file_hash(tmp_path / "run" / "training.json")
    assert (decision["approved_by"], decision["before"]) == ("Ilse", "")
    assert all(gate["passed"] for gate in decision["gates"])


def test_a_persons_own_setting_outranks_the_record(tmp_path: Path) -> None:
    assert _promote(tmp_path, _files(tmp_path / "run")) == 0
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "models.yaml").write_text("models:\n  chat: builtin\n")
    assert _chat(tmp_path) == "builtin"


@pytest.mark.parametrize(
    ("worse", "gate"),
    [
        ({"parsed": 18}, "A schema"),
        ({"inputs": 9, "parsed": 9}, "A inputs"),
        ({"fabricated": 1}, "A memory"),
        ({"restraint": 4}, "B restraint"),
        ({"answers": 19}, "B answers"),
        ({"diverse": 11}, "C diversity"),
        ({"stance_bits": 1.4}, "C stances"),
    ],
)
def test_one_shut_gate_is_enough(
    tmp_path: Path, worse: dict[str, Any], gate: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _promote(tmp_path, _files(tmp_path / "run", **worse)) == 4
    assert gate in capsys.readouterr().err
    assert not (tmp_path / PROMOTIONS).exists()


@pytest.mark.parametrize("more", [("--approved-by", "Ilse"), ("--confirm", "0123abcd"), ("--confirm", "ffffffff")])
def test_without_a_person_nothing_is_served(
    tmp_path: Path, more: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert _promote(tmp_path, _files(tmp_path / "run"), more=more) == 4
    assert "gate D" in capsys.readouterr().err
    assert promoted_model(tmp_path) == ""


def test_a_report_about_another_adapter_is_refused(tmp_path: Path) -> None:
    files = _files(tmp_path / "run")
    (tmp_path / "run" / "training.json").write_text(json.dumps({"adapter": "f" * 64}))
    assert _promote(tmp_path, files) == 4
    assert not (tmp_path / PROMOTIONS).exists()


@pytest.mark.parametrize(
    "content", ["not json\n", "{}\n", '{"schema": "rqa.promotion/1", "model": "x", "before": "y"}\n']
)
def test_a_record_that_was_changed_serves_nothing(tmp_path: Path, content: str) -> None:
    from rqa_graph.errors import ConfigError

    files = _files(tmp_path / "run")
    (tmp_path / PROMOTIONS).write_text(content)
    with pytest.raises(ConfigError, match="line 1"):
        _chat(tmp_path)
    assert _promote(tmp_path, files) == 2
    assert (tmp_path / PROMOTIONS).read_text() == content


def test_an_edited_line_breaks_the_one_after_it(tmp_path: Path) -> None:
    files = _files(tmp_path / "run")
    assert _promote(tmp_path, files) == _promote(tmp_path, files, model="ollama:second") == 0
    path = tmp_path / PROMOTIONS
    path.write_text(path.read_text().replace("Ilse", "Otto", 1))
    assert run(["rollback", "--home", str(tmp_path), "--approved-by", "Ilse"]) == 2


def test_a_home_that_is_not_there_and_files_that_are_no_reports_are_named(tmp_path: Path) -> None:
    files = _files(tmp_path / "run")
    assert _promote(tmp_path / "gone", files) == 2
    (tmp_path / "run" / "report.json").write_text("[1]")
    assert _promote(tmp_path, files) == 2
    (tmp_path / "run" / "report.json").write_text("{}")
    assert _promote(tmp_path, files) == 2
