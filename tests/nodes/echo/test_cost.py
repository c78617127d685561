"""The verifier is cheap to import and cheap to run."""

from __future__ import annotations

import subprocess
import sys
from time import process_time

from rqa_nodes.echo import Injected, verify

ITEMS = [Injected(handle=f"k3v9x{n}", source="user", text=f"I like tea number {n}.") for n in range(8)]
TALK = [("user", "The pump leaks."), ("assistant", "My guess is that the gasket is worn.")] * 6
REPLY = (
    "The ferry leaves at 9:40 and takes 25 minutes [m:k3v9x1]. You said that you like tea [m:k3v9x2]. "
    "In 2019 the council moved to a new building near the old bridge, which is 237 metres long. "
    "As we established, the gasket is worn. See also [m:qq77rr]. "
)


def cost(text: str, *, times: int) -> float:
    """The least processor time of several runs, in seconds: other processes disturb only the larger ones."""
    best = float("inf")
    for _ in range(times):
        begin = process_time()
        verify(text, injected=ITEMS, transcript=TALK)
        best = min(best, process_time() - begin)
    return best


def test_a_reply_of_two_kilobytes_is_checked_in_milliseconds() -> None:
    plain = "It would help to know how often the pump runs at night, and whether the noise is the same. "
    text = (REPLY * 2 + plain * 20)[:2048]
    cost(text, times=3)
    # The goal is 2 ms on a quiet machine; the bound leaves room for a slow one.
    assert cost(text, times=20) < 0.006


def test_cost_grows_with_the_length_and_not_faster() -> None:
    small = cost(REPLY * 30, times=5)
    large = cost(REPLY * 240, times=2)
    assert large < small * 8 * 2.5


def test_importing_the_verifier_loads_no_framework() -> None:
    program = (
        "import sys, rqa_nodes.echo as e; e.verify('As we agreed, x.');"
        "print([m for m in ('langgraph','langchain_core','pydantic','sqlalchemy','qdrant_client') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
