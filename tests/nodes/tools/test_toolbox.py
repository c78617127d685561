"""Whatever a tool does, the turn gets sources or an error of ours, in time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future

import pytest

from rqa_checkpoints.provenance import Scope
from rqa_nodes.errors import ForeignTurnError, ToolError
from rqa_nodes.scripted import ScriptedTool
from rqa_nodes.tools.toolbox import Source, Toolbox, ToolCall

CALL = ToolCall(query="q", scope=Scope("local", "ann"))
_PATIENCE_SECONDS = 15
"""What a busy machine may add to a time limit of less than a second."""
FOUND = Source(text="The mill is old.", locator="note.md:1", digest="0" * 64)


def _sync(tools: Toolbox, seconds: float) -> Sequence[Source]:
    return tools.run("web_search", CALL, seconds=seconds)


def _async(tools: Toolbox, seconds: float) -> Sequence[Source]:
    return asyncio.run(tools.arun("web_search", CALL, seconds=seconds))


both = pytest.mark.parametrize("run", [_sync, _async])
Run = Callable[[Toolbox, float], Sequence[Source]]


@both
def test_what_it_finds_is_returned(run: Run) -> None:
    tool = ScriptedTool("web_search", [[FOUND], []])
    tools = Toolbox([tool])
    assert (list(run(tools, 5)), list(run(tools, 5))) == ([FOUND], [])
    assert tool.asked == ["q", "q"]
    assert tools.enabled == {"web_search"}


@both
@pytest.mark.parametrize("raised", [ValueError("zqzqz9"), SystemExit("zqzqz9"), KeyboardInterrupt("zqzqz9")])
def test_of_what_it_raises_only_the_class_is_told(run: Run, raised: BaseException) -> None:
    with pytest.raises(ToolError) as found:
        run(Toolbox([ScriptedTool("web_search", [raised])]), 5)
    assert found.value.reason == "failed"
    assert found.value.message == f"it raised `{type(raised).__name__}`"


@both
def test_its_own_refusal_is_passed_on(run: Run) -> None:
    refusal = ToolError("10.0.0.1 is private", reason="refused")
    with pytest.raises(ToolError) as found:
        run(Toolbox([ScriptedTool("web_search", [refusal])]), 5)
    assert found.value is refusal


@both
def test_a_tool_that_hangs_is_left_behind_and_not_called_again_meanwhile(run: Run) -> None:
    go_on = threading.Event()
    tool = ScriptedTool("web_search", [go_on, [FOUND]])
    tools, others = Toolbox([tool]), set(threading.enumerate())
    began = time.monotonic()
    for reason in ("timed_out", "busy", "busy"):
        with pytest.raises(ToolError) as found:
            run(tools, 0.2)
        assert found.value.reason == reason
    assert time.monotonic() - began < _PATIENCE_SECONDS
    assert len(tool.asked) == 1
    go_on.set()
    for thread in set(threading.enumerate()) - others:
        if thread.name == "rqa-web_search":
            thread.join(5)
    assert list(run(tools, 5)) == [FOUND]


def test_a_call_that_is_over_holds_up_no_other() -> None:
    go_on, second = threading.Event(), Future[Sequence[Source]]()
    tools = Toolbox([ScriptedTool("web_search", [go_on, [FOUND]])])
    first = tools._start("web_search", CALL)
    first.add_done_callback(lambda _: second.set_result(tools.run("web_search", CALL, seconds=5)))
    go_on.set()
    assert list(second.result(5)) == [FOUND]


@both
def test_an_error_that_is_not_of_tools_is_one_of_the_tool(run: Run) -> None:
    with pytest.raises(ToolError) as found:
        run(Toolbox([ScriptedTool("web_search", [ForeignTurnError("zqzqz9")])]), 5)
    assert found.value.message == "it raised `ForeignTurnError`"


def test_a_cancelled_wait_ends_at_once() -> None:
    go_on = threading.Event()
    tools = Toolbox([ScriptedTool("web_search", [go_on])])

    async def wait() -> float:
        began = time.monotonic()
        task = asyncio.create_task(tools.arun("web_search", CALL, seconds=60))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - began

    assert asyncio.run(wait()) < _PATIENCE_SECONDS
    go_on.set()


def test_closing_closes_every_tool() -> None:
    tool = ScriptedTool("web_search", [])
    Toolbox([tool]).close()
    assert tool.is_closed
