"""A process that asks one question many times at once, over a log on a server, and prints what it was answered.

Run as `python -m tests.support.ask_together ADDRESS DOCUMENTS TIMES`.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rqa_checkpoints.memory import ProvenanceMemory
from rqa_graph.clock import new_id
from rqa_graph.integrity import answer_with_integrity
from tests.support.caches import SetClock
from tests.support.deliberations import ANSWERS, Sage, answering, deliberating_services


def _slowly(_parts: object) -> str:
    time.sleep(1)
    return ANSWERS["a"]


def main(address: str, documents: str, times: str) -> None:
    sages = {**answering(), "alpha:1": Sage("scripted:alpha1", _slowly)}
    services = deliberating_services(Path(documents), sages, ids=new_id)
    services._open_memory = lambda: ProvenanceMemory.open(
        ":memory:", log=address, clock=SetClock(), ids=new_id, embedder="hash", index=":memory:"
    )
    _ = services.answer_library
    with ThreadPoolExecutor(int(times)) as pool:
        asked = pool.map(
            lambda _: answer_with_integrity("How tall is Mount Fuji?", services=services), range(int(times))
        )
        sys.stdout.writelines(f"{found['status']} {found['ledgerTx']} {found['answer']}\n" for found in asked)
    services.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
