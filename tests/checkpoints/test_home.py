from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from rqa_checkpoints.errors import HomeLockedError, HomeNotWritableError
from rqa_checkpoints.home import Home
from tests.support.memories import ANN, Clock, open_memory, take_turn

_HOLD = textwrap.dedent(
    """
    import sys
    from tests.support.memories import ANN, open_memory, take_turn
    memory = open_memory(sys.argv[1])
    take_turn(memory, "I keep bees.", "Good.", turn="t1")
    print("held", flush=True)
    sys.stdin.readline()
    """
)


@pytest.fixture
def holder(tmp_path: Path) -> subprocess.Popen[str]:
    """Another process that holds the home until it is told to go."""
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path / "home")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_process_hears_who_holds_the_home_where_and_the_way_out(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    home = tmp_path / "home"
    try:
        with pytest.raises(HomeLockedError) as caught:
            open_memory(home)
        assert str(home) in caught.value.message
        assert f"process {holder.pid} (" in caught.value.message
        assert "--home" in caught.value.hint
        found = Home(home).holder()
        assert found is not None
        assert found.pid == holder.pid
        with open_memory(home, read_only=True) as memory:
            assert [node.text for node in memory.list(scope=ANN)] == ["Good.", "I keep bees."]
            assert memory.verify_chain() is None
            recalled = memory.recall("bees", scope=ANN)
            assert recalled.mode == "lexical"
            assert [item.node.text for item in recalled.items] == ["I keep bees."]
    finally:
        holder.communicate("go\n")
    with open_memory(home) as memory:
        take_turn(memory, "Next.", turn="t2")


def test_the_lock_ends_with_a_killed_holder(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    holder.kill()
    holder.communicate()
    home = Home(tmp_path / "home")
    assert home.holder() is None
    with home.acquire(clock=Clock()):
        found = home.holder()
        assert found is not None
        assert found.pid == os.getpid()
    home.release()
    assert home.holder() is None


def test_a_home_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(HomeNotWritableError, match="file/home"):
        Home(tmp_path / "file" / "home").acquire(clock=Clock())
    with pytest.raises(HomeNotWritableError):
        Home(tmp_path / "file").acquire(clock=Clock())


def test_a_failed_opening_gives_the_home_back(tmp_path: Path) -> None:
    (tmp_path / "log.sqlite").mkdir()
    with pytest.raises(HomeNotWritableError):
        open_memory(tmp_path)
    assert Home(tmp_path).holder() is None


def test_the_home_says_where_things_lie(tmp_path: Path) -> None:
    home = Home(tmp_path)
    names = [path.name for path in (home.log, home.index, home.checkpoints, home.lock)]
    assert names == ["log.sqlite", "index", "checkpoints", "lock"]
