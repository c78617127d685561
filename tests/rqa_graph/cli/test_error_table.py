"""No error is missing from the table, in either language, and no row is about an error that cannot happen."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import rqa_checkpoints
import rqa_graph
import rqa_nodes
from rqa_checkpoints.errors import CheckpointError
from rqa_graph.error_table import WITHOUT_CLASS, error_rows
from rqa_graph.errors import AppError, ExitCode
from rqa_graph.messages import error_codes, error_words
from rqa_nodes.errors import RuleError
from tests.support.cli import Cli

ROOTS = (CheckpointError, RuleError, AppError)


def _codes_of_all_classes() -> set[str]:
    """Of every class in every module, so that one outside the errors modules is found too."""
    found = set()
    for package in (rqa_checkpoints, rqa_nodes, rqa_graph):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith(("__main__", ".mounted")):
                members = vars(importlib.import_module(module.name)).values()
                found |= {kind.code for kind in members if inspect.isclass(kind) and issubclass(kind, ROOTS)}
    return found


def test_every_error_is_in_the_table_and_nothing_else_is() -> None:
    codes = _codes_of_all_classes() | set(WITHOUT_CLASS)
    assert len(codes) > 50
    assert {row.code for row in error_rows()} == codes == set(error_codes())


def test_both_languages_say_cause_and_fix_of_each() -> None:
    seen: set[str] = set()
    for code in error_codes():
        for lang in ("en", "ja"):
            cause, fix = error_words(code, lang)
            assert cause.endswith((".", "。")), code
            assert fix.endswith((".", "。")), code
            assert (lang == "ja") == any("\u3040" <= letter <= "\u30ff" for letter in cause), code
            assert cause not in seen, code
            seen.add(cause)


def test_each_has_the_exit_code_that_a_command_ends_with() -> None:
    exits = {row.code: row.exit for row in error_rows()}
    assert (exits["home_locked"], exits["usage"], exits["model_unavailable"], exits["chain_broken"]) == (6, 2, 5, 4)
    assert {code for code in exits.values() if code is not None} <= {int(code) for code in ExitCode}


@pytest.mark.parametrize(("lang", "word"), [("en", "Another process holds the home"), ("ja", "別のプロセスがホーム")])
def test_the_command_shows_one_or_all(cli: Cli, lang: str, word: str) -> None:
    one = cli("errors", "home_locked", "--lang", lang)
    assert (one.code, word in one.out, len(one.out.splitlines())) == (0, True, 2)
    every = cli("errors", "--json", "--lang", lang).json["errors"]
    assert {row["code"] for row in every} == set(error_codes())
    table = cli("errors", "--lang", lang).out.splitlines()
    assert len(table) == len(every) + 1
    assert {line.count("\t") for line in table} == {3}
    unknown = cli("errors", "nothing_like_it", "--lang", lang)
    assert (unknown.code, "nothing_like_it" in unknown.err) == (2, True)
