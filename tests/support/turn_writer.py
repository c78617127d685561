"""A process that takes turns until it is killed; it prints each turn once its commit has returned.

Run as `python -m tests.support.turn_writer HOME ROUND`.
"""

from __future__ import annotations

import sys
from itertools import count

from tests.support.memories import ANN, open_memory, take_turn


def main(home: str, round_: str) -> None:
    with open_memory(home, ids=f"r{round_}x") as memory:
        memory.recall("anything", scope=ANN)
        for number in count():
            turn = f"{round_}-{number}"
            said = f"Fact {turn} is about topic{turn}. 事実{turn}について。"
            result = take_turn(memory, said, f"Noted topic{turn} then.", turn=turn, thread=f"th{number % 3}")
            sys.stdout.write(" ".join([turn, *result.written]) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
