"""The site builds without a warning; what its pages show runs here, or is run by a test that is named here."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from docsgen.pages import BUILT, PAGES, write
from rqa_graph.settings import Settings
from tests.support.shown import ROOT, Block, blocks, run_shown, run_steps, steps

_DOCS = sorted((ROOT / "docs").rglob("*.md"))
_WRITTEN = [page for page in _DOCS if page.relative_to(ROOT / "docs").as_posix() not in {**PAGES, **BUILT}]
"""The pages that are not generated: what a reference page shows is no example."""
_STORIES = {"docs/quick-start.md": [], "docs/quick-start.ja.md": [pytest.mark.full]}
"""Pages whose blocks are one story in one home. One command costs two seconds, so most pages wait for `--full`."""
_BY_OTHERS = {
    **{
        f"export {name}='postgresql://rqa:PASSWORD@db.example.org/rqa'": "tests/rqa_graph/cli/test_postgres_home.py"
        for name in ("RQA_LOG_URL", "RQA_CHECKPOINTER")
    },
    'eval "$(rqa completion bash)"': "tests/rqa_graph/cli/test_completion.py",
    "rqa completion fish > ~/.config/fish/completions/rqa.fish": "tests/rqa_graph/cli/test_completion.py",
    "make demo": "tests/rqa_graph/cli/test_demo.py",
    "make test": "the run of these tests",
    "make docs": ".ci/run",
    "make wheel": ".ci/run",
    "pip install dist/rqa_graph-*.whl": ".ci/run",
    "rqa inspect": "tests/rqa_graph/cli/test_serve.py",
    "rqa serve": "tests/rqa_graph/cli/test_serve.py",
    "langgraph dev --no-browser --n-jobs-per-worker 4": "tests/integration/test_langgraph_dev.py",
}
"""Commands of `sh` blocks, and what runs them; a `curl` is run by the test of the server, `python -m training` by
the tests of the training."""


_LINK = re.compile(r"\]\((?!https?:|mailto:|m:)([^)#\s]+)(?:#[^)\s]*)?\)")
"""A link to a file, without the place in it."""


def _marked(kind: str) -> list[object]:
    found = [block for page in _WRITTEN for block in blocks(page, kind) if block.page not in _STORIES]
    return [pytest.param(block, id=str(block), marks=[pytest.mark.full]) for block in found]


def _all(*kinds: str) -> list[Block]:
    return [block for page in [*_WRITTEN, ROOT / "README.md", ROOT / "README.ja.md"] for block in blocks(page, *kinds)]


@pytest.mark.parametrize("page", [pytest.param(page, marks=marks) for page, marks in _STORIES.items()])
def test_a_story_runs_from_its_beginning(page: str, tmp_path: Path, programs: Path) -> None:
    for block in blocks(ROOT / page, "console"):
        run_steps(block, tmp_path, programs)


@pytest.mark.parametrize("block", _marked("console"))
def test_a_console_block_runs(block: Block, tmp_path: Path, programs: Path) -> None:
    run_steps(block, tmp_path, programs)


@pytest.mark.parametrize("block", _marked("python"))
def test_a_python_block_runs(block: Block, tmp_path: Path, programs: Path) -> None:
    done = run_shown([str(programs / "python"), "-c", block.body], tmp_path, programs)
    assert done.returncode == 0, done.stderr


def test_every_python_block_compiles() -> None:
    for block in _all("python"):
        compile(block.body, str(block), "exec")


def test_other_commands_are_run_by_the_tests_that_are_named_here() -> None:
    lines = (line.split("#")[0].strip() for block in _all("sh") for line in block.body.splitlines())
    commands = {line for line in lines if line and not line.startswith(("curl ", "python -m training "))}
    assert commands <= set(_BY_OTHERS), commands - set(_BY_OTHERS)
    assert set(_BY_OTHERS) <= commands, "no page shows these any more"
    for test in _BY_OTHERS.values():
        assert not test.endswith(".py") or (ROOT / test).is_file()


def test_configuration_that_is_shown_is_accepted(tmp_path: Path) -> None:
    shown = [block for block in _all("yaml") if block.body.startswith("# ~/.rqa/config/")]
    assert shown
    for number, block in enumerate(shown):
        name = block.body.splitlines()[0].rpartition("/")[2]
        config = tmp_path / str(number) / "config"
        config.mkdir(parents=True)
        (config / name).write_text(block.body, "utf-8")
        assert yaml.safe_load(block.body), block
        Settings.load(home=config.parent, folder=tmp_path)


def test_every_link_leads_to_a_file_of_the_checkout() -> None:
    """Whoever reads the pages where the code lies has no page that only a build of the site makes."""
    built = {ROOT / "docs" / page for page in BUILT}
    for page in [*_WRITTEN, ROOT / "README.md", ROOT / "README.ja.md"]:
        for target in _LINK.findall(page.read_text("utf-8")):
            place = (page.parent / target).resolve()
            assert place.exists() and place not in built, f"{page.name}: {target}"  # noqa: PT018  # one sentence


def test_json_that_is_shown_is_json() -> None:
    for block in _all("json"):
        json.loads(block.body)


def test_every_command_that_is_shown_exists() -> None:
    from docsgen.commands import options_of

    known = options_of()
    for words in _shown_commands():
        name = " ".join(words[1:3]) if len(words) > 2 and " ".join(words[1:3]) in known else words[1]
        assert name in known, " ".join(words)
        used = {word.split("=")[0] for word in words if word.startswith("-") and len(word) > 1}
        assert used <= known[name], f"{' '.join(words)}: {used - known[name]}"


def _shown_commands() -> Iterator[list[str]]:
    """Every call of `rqa` in a block that a shell reads, with the words after it."""
    for block in _all("console"):
        for step in steps(block):
            plain = step.command.replace("$(", " ; ").replace(")", " ; ")
            lexer = shlex.shlex(plain, posix=True, punctuation_chars=True)
            lexer.whitespace_split = True
            call: list[str] = []
            for word in [*lexer, ";"]:
                if word and set(word) <= set("();<>|&"):
                    if len(call) > 1 and call[0] == "rqa":
                        yield call
                    call = []
                else:
                    call.append(word)


@pytest.mark.skipif(importlib.util.find_spec("zensical") is None, reason="zensical is not installed")
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    config = (ROOT / "zensical.toml").read_text("utf-8")
    assert 'site_dir = "site"' in config
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    write(tmp_path / "docs", BUILT)
    (tmp_path / "zensical.toml").write_text(config, "utf-8")
    built = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--clean"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert built.returncode == 0, f"{built.stdout}\n{built.stderr}"
    assert "issue" not in built.stdout.replace("No issues found", ""), built.stdout
    for page in _DOCS:
        inner = page.relative_to(ROOT / "docs").with_suffix("")
        place = tmp_path / "site" / ("" if inner.name == "index" else inner) / "index.html"
        assert place.is_file(), place
        _assert_needs_no_network(place.read_text("utf-8"), diagrams=page.read_text("utf-8").count("```mermaid"))


def _assert_needs_no_network(shown: str, *, diagrams: int) -> None:
    assert shown.count('<div class="diagram"') == diagrams, "drawn already"
    assert 'class="mermaid"' not in shown, "for which the theme would load a script of somebody else's"
    assert not re.search(r"""<(script|img|iframe)\b[^>]*\bsrc=["']?(https?:)?//""", shown)
    assert not re.search(r"""<link\b[^>]*\bhref=["']?(https?:)?//""", shown)


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "zensical.toml").read_text("utf-8")
    for page in _DOCS:
        assert f'"{page.relative_to(ROOT / "docs").as_posix()}"' in navigation, page
