"""The commands of the guide on training are those that there are."""

from __future__ import annotations

import shlex

from typer.main import get_command

from tests.support.shown import ROOT, blocks
from tests.training.support import seed
from training.cli import build_app
from training.lint import statistics

_GUIDE = ROOT / "docs" / "guides" / "training.md"
_COMMAND = "python -m training "
_LINES = [
    line.removeprefix(_COMMAND)
    for block in blocks(_GUIDE, "sh")
    for line in block.body.splitlines()
    if line.startswith(_COMMAND)
]


def test_every_command_is_shown_and_every_option_exists() -> None:
    commands = getattr(get_command(build_app()), "commands")  # noqa: B009  # typer's own class of groups does not declare it
    shown = [shlex.split(line) for line in _LINES]
    assert {words[0] for words in shown} == set(commands)
    for name, *words in shown:
        assert commands[name].make_context(name, words).params


def test_the_counts_are_those_of_the_seed() -> None:
    found, text = statistics(seed()), _GUIDE.read_text("utf-8")
    said = f"{found['examples']} examples of our own in English and Japanese ({found['with_memory']} with memory, "
    assert f"{said}{found['not_deepening']} that do not deepen)" in text
