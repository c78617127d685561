"""A Tab in a shell: the commands, the commands of a group, and the options come back; a script is all that it takes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from rqa_graph.cli.completion import complete
from tests.support.cli import Cli


@pytest.mark.parametrize(
    ("line", "there", "absent"),
    [
        ("rqa ", {"ask", "memory", "completion"}, {"--port"}),
        ("rqa re", {"review", "review-queue", "restore", "reindex"}, {"ask"}),
        ("rqa review", {"review", "review-queue"}, {"ask"}),
        ("rqa --lang ja mem", {"memory"}, {"ask"}),
        ("rqa memory re", {"recall", "restore", "relate"}, {"reindex"}),
        ("rqa serve --", {"--host", "--port", "--home"}, {"--k"}),
        ("rqa ask 'half a", set(), {"ask"}),
    ],
)
def test_what_may_come_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, there: set[str], absent: set[str]
) -> None:
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
    assert complete("complete_bash") == 0
    found = set(capsys.readouterr().out.split())
    assert there <= found
    assert not absent & found


def test_fish_and_zsh_are_told_what_each_is_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "rqa doc")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    for shell in ("fish", "zsh"):
        assert complete(f"complete_{shell}") == 0
        assert "Say what is wrong here" in capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_one_that_the_shell_can_read(cli: Cli, tmp_path: Path, shell: str) -> None:
    script = cli("completion", shell)
    assert script.code == 0
    assert cli("completion", shell, "--json").json["script"] == script.out.rstrip("\n")
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed here")
    path = tmp_path / "script"
    path.write_text(script.out, "utf-8")
    subprocess.run([program, "-n", str(path)], check=True)


def test_bash_completes_by_the_script(cli: Cli, tmp_path: Path) -> None:
    program = shutil.which("bash")
    if program is None:
        pytest.skip("bash is not installed here")
    rqa = tmp_path / "rqa"
    rqa.write_text('#!/bin/sh\n[ "$_RQA_COMPLETE" = complete_bash ] && echo "for:$COMP_WORDS"\n', "utf-8")
    rqa.chmod(0o755)
    lines = [cli("completion", "bash").out, "COMP_WORDS=(rqa me)", "COMP_CWORD=1", f"_rqa_completion {rqa}"]
    asked = "\n".join([*lines, 'printf "%s" "${COMPREPLY[*]}"'])
    done = subprocess.run([program, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout == "for:rqa me"


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_another_shell_is_refused(cli: Cli, lang: str) -> None:
    done = cli("completion", "tcsh", "--lang", lang)
    assert done.code == 2
    assert "'tcsh'" in done.err
    assert "bash, zsh, fish" in done.err
