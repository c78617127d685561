"""Every example that is a program runs as it stands there, without a key, a server or a home."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_EXAMPLES = Path(__file__).parents[1] / "examples"
_SHOWN = {
    "embed/agent_middleware.py": [
        "shown:  I suggested earlier (unverified): you are afraid of failing at the half-marathon.",
        "shown:  以前私が提案しました(未確認): 上司の佐伯さんの評価を恐れているのが理由です。",
        "kept as assistant: Maybe you are afraid of failing at the half-marathon.",
        "kept as user: 発表の準備が進みません。",
    ],
    "embed/guard_any_graph.py": [
        "asks:   In which language shall I answer?",
        "shown:  As we confirmed, the mill at Lund stands dry. You hate winter.",
        "You told me you keep bees [m:k3v9xq]. You also have a boat.",
        "shown:  あなたは冬が嫌いです。ルンドの水車は止まっています。",
    ],
    "embed/subgraph.py": [
        "said:  We are there day and night.",
        "I keep bees near Lund.",
        "6 messages in the outer thread",
    ],
    "embed/agent_tool.py": [
        "tool:   - On ",
        "you said “I keep bees near Lund and harvest honey in August”",
        "agent:  Honey in August, then: book September.",
    ],
    "embed/memory_store.py": [
        "found: Nothing noted on that yet.",
        "found: Probably matters: The ferry to Ven leaves at noon.",
        "user: I get seasick.",
        "assistant: Probably matters: The ferry to Ven leaves at noon.",
    ],
    "embed/qdrant_saver.py": ["asks:    Order 'ten frames'?", "waits:   order", "says:    Ordered.", "history: 3"],
}
"""What each program must print."""
_BY_OTHERS = {
    "echo_layer.py": "tests/rqa_graph/test_echo_test.py",
    "embed/remote_graph.py": "tests/integration/test_langgraph_dev.py",
}
"""Examples that another test runs."""


@pytest.mark.parametrize("name", _SHOWN)
def test_an_example_runs_and_shows_what_it_promises(name: str, tmp_path: Path, programs: Path) -> None:
    env = {"PATH": os.environ["PATH"], "RQA_HOME": str(tmp_path / "home"), "PYTHONIOENCODING": "utf-8"}
    env["PYTHONPATH"] = os.pathsep.join(sys.path)  # the code under test, not what is installed beside it
    done = subprocess.run(
        [programs / "python", _EXAMPLES / name], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    for line in _SHOWN[name]:
        assert line in done.stdout
    assert not (tmp_path / "home").exists()


def test_no_example_is_left_out() -> None:
    there = {path.relative_to(_EXAMPLES).as_posix() for path in _EXAMPLES.rglob("*.py")}
    assert there == {*_SHOWN, *_BY_OTHERS}
    for example, test in _BY_OTHERS.items():
        assert Path(example).stem in (_EXAMPLES.parent / test).read_text("utf-8")
