"""Many threads at one memory: what each of them did, so that nothing of it can be missed afterwards.

Run as `python -m tests.support.crowd HOME LOG NAME THREADS OPERATIONS` to be one of several processes at one log; it
prints what was done as one JSON object.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from threading import Barrier

from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Proposal, SourceClass
from tests.support.memories import ANN, AT, Clock, Ids, take_turn

__all__ = ["SHARED", "Done", "crowd"]

SHARED = "I keep bees near Lund."
"""Said by everybody: how often, the item counts."""

_TURNS = 40
"""Turns that everybody tries to write: each is written once."""


@dataclass(slots=True, kw_only=True)
class Done:
    """What one crowd did."""

    added: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    said: int = 0
    written: list[str] = field(default_factory=list)
    """Turns whose commit said that it was the one that wrote."""
    operations: int = 0

    @classmethod
    def together(cls, parts: Sequence[Done]) -> Done:
        return cls(
            added=[one for part in parts for one in part.added],
            hidden=[one for part in parts for one in part.hidden],
            said=sum(part.said for part in parts),
            written=[one for part in parts for one in part.written],
            operations=sum(part.operations for part in parts),
        )


def _work(memory: ProvenanceMemory, name: str, operations: int, start: Barrier) -> Done:
    chance, numbers, done = random.Random(name), count(), Done()
    start.wait()
    while done.operations < operations:
        match chance.randrange(8):
            case 0 | 1 | 2:
                text = f"Thread {name} painted fence number {next(numbers)}."
                done.added.append(memory.add(text, scope=ANN, source=SourceClass.user, author="ann").id)
            case 3:
                memory.add(SHARED, scope=ANN, source=SourceClass.user, author="ann")
                done.said += 1
            case 4:
                number = chance.randrange(_TURNS)
                said = f"Turn {number} is about kiln {number}."
                if take_turn(memory, said, f"Kiln {number} is hot.", turn=f"t{number}").state == "written":
                    done.written.append(f"t{number}")
            case 5 if done.added:
                item = chance.choice(done.added)
                memory.forget(item, scope=ANN)
                if item in done.hidden:
                    memory.restore(item, scope=ANN)
                    done.hidden.remove(item)
                else:
                    done.hidden.append(item)
            case 6:
                memory.queue.put(
                    Proposal(kind="habit", payload={"line": name}, requester="m", key="k"), scope=ANN, at=AT
                )
            case _:
                assert memory.counts(scope=ANN)["total"]["visible"] >= len(done.added) - len(done.hidden)
        done.operations += 1
    return done


def crowd(memory: ProvenanceMemory, name: str, *, threads: int, operations: int) -> Done:
    """Let threads work at once, so many operations together; raises what one of them raised."""
    start = Barrier(threads)
    with ThreadPoolExecutor(threads) as pool:
        share = operations // threads
        begun = [pool.submit(_work, memory, f"{name}{number}", share, start) for number in range(threads)]
        return Done.together([one.result() for one in begun])


def main(home: str, log: str, name: str, threads: str, operations: str) -> None:
    with ProvenanceMemory.open(Path(home), clock=Clock(), ids=Ids(name), embedder="hash", log=log) as memory:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        done = crowd(memory, name, threads=int(threads), operations=int(operations))
    sys.stdout.write(json.dumps(asdict(done)) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
