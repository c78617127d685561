"""A process that writes turns into a log file which others write into at the same time, and says what failed.

Run as `python -m tests.support.write_turns LOG NAME TURNS`.
"""

from __future__ import annotations

import sys

from rqa_checkpoints.errors import CheckpointError
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_graph.clock import new_id
from tests.support.memories import Clock, take_turn


def main(log: str, name: str, turns: str) -> None:
    memory = ProvenanceMemory.open(":memory:", log=log, clock=Clock(), ids=new_id, embedder="hash", index=":memory:")
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    for number in range(int(turns)):
        try:
            take_turn(memory, f"Fence {name} {number} is green.", "Noted.", turn=f"{name}-{number}", thread=name)
        except CheckpointError as error:
            sys.stdout.write(f"{type(error).__name__}: {error}\n")
    memory.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
