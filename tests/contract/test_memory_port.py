"""The memory keeps the promise that the nodes declare, without knowing of it."""

from __future__ import annotations

import inspect

from rqa_checkpoints.memory import ProvenanceMemory
from rqa_nodes.ports import Memory
from tests.support.memories import open_memory


def _as_port(memory: ProvenanceMemory) -> Memory:
    return memory


def test_the_memory_has_every_verb_of_the_port_with_its_parameters() -> None:
    with open_memory() as memory:
        port = _as_port(memory)
        verbs = [name for name, _ in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")]
        assert {"recall", "plan", "commit"} <= set(verbs)
        for name in verbs:
            wanted = inspect.signature(getattr(Memory, name)).parameters
            found = inspect.signature(getattr(type(port), name)).parameters
            assert set(wanted) <= set(found)
            assert all(found[extra].default is not inspect.Parameter.empty for extra in set(found) - set(wanted))
