"""A process that asks one question many times at once, over a log on a server, and prints what it was answered.

Run as `python -m tests.support.ask_together ADDRESS DOCUMENTS TIMES [turn]`; with `turn`, in turns of the graph.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from langchain_core.messages import HumanMessage

from rqa_checkpoints.memory import ProvenanceMemory
from rqa_graph.clock import new_id
from rqa_graph.graph import build_graph
from rqa_graph.integrity import answer_with_integrity
from rqa_graph.services import AppServices
from tests.support.caches import SetClock
from tests.support.deliberations import ANSWERS, Sage, answering, deliberating_services

FUJI: Final = "How tall is Mount Fuji?"


def _slowly(_parts: object) -> str:
    time.sleep(1)
    return ANSWERS["a"]


def _in_library(services: AppServices) -> str:
    found = answer_with_integrity(FUJI, services=services)
    return f"{found['status']} {found['ledgerTx']} {found['answer']}\n"


def _in_turn(services: AppServices) -> str:
    given: Any = {"messages": [HumanMessage(FUJI)], "cacheable": True, "domain": "facts"}
    found = build_graph(services=services).invoke(given, output_keys=["messages"])
    return f"{found['messages'][-1].content}\n"


def main(address: str, documents: str, times: str, way: str = "library") -> None:
    sages = {**answering(), "alpha:1": Sage("scripted:alpha1", _slowly)}
    services = deliberating_services(Path(documents), sages, ids=new_id)
    services._open_memory = lambda: ProvenanceMemory.open(
        ":memory:", log=address, clock=SetClock(), ids=new_id, embedder="hash", index=":memory:"
    )
    _ = services.answer_library
    with ThreadPoolExecutor(int(times)) as pool:
        ask = _in_turn if way == "turn" else _in_library
        sys.stdout.writelines(pool.map(lambda _: ask(services), range(int(times))))
    services.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
