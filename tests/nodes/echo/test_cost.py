"""The verifier is cheap to import and cheap to run."""

from __future__ import annotations

import subprocess
import sys

from rqa_nodes.echo import Injected, verify
from tests.support.growth import assert_linear, assert_no_more_than

ITEMS = [Injected(handle=f"k3v9x{n}", source="user", text=f"I like tea number {n}.") for n in range(8)]
PLAIN = "It would help to know how often the pump runs at night, and whether the noise is the same. "
TALK = [("user", "The pump leaks."), ("assistant", "My guess is that the gasket is worn.")] * 6
REPLY = (
    "The ferry leaves at 9:40 and takes 25 minutes [m:k3v9x1]. You said that you like tea [m:k3v9x2]. "
    "In 2019 the council moved to a new building near the old bridge, which is 237 metres long. "
    "As we established, the gasket is worn. See also [m:qq77rr]. "
)


def checked(text: str) -> None:
    verify(text, injected=ITEMS, transcript=TALK)


def test_a_short_reply_pays_for_its_own_length_and_not_for_a_long_one() -> None:
    # What two kilobytes cost in milliseconds is measured by `python -m evals.bench verify`.
    assert_no_more_than(0.5, lambda at: checked(PLAIN * (300 - at)), lambda at: checked(PLAIN * (22 - at)))


def test_cost_grows_with_the_length_and_not_faster() -> None:
    assert_linear(checked, lambda times: REPLY * times, largest=240)


def test_importing_the_verifier_loads_no_framework() -> None:
    program = (
        "import sys, rqa_nodes.echo as e; e.verify('As we agreed, x.');"
        "print([m for m in ('langgraph','langchain_core','pydantic','sqlalchemy','qdrant_client') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
