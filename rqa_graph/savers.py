"""Where do the checkpoints of a home lie, and who opens them?

A server opens the checkpointer of its home once, however many of its threads ask for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from rqa_graph.settings import Settings
from rqa_graph.turn_saver import AnyTurnSaver, open_turn_saver

__all__ = ["checkpoint_location", "held_saver", "open_saver", "shared_saver"]

_savers: dict[str, AnyTurnSaver] = {}
_lock = Lock()


def shared_saver(settings: Settings | None = None) -> AnyTurnSaver:
    """The checkpointer of this process for a home. A server that enters it once a thread opens it once all the same."""
    location = checkpoint_location(settings)
    with _lock:
        if location not in _savers:
            _savers[location] = open_turn_saver(location)
        return _savers[location]


def checkpoint_location(settings: Settings | None = None) -> str:
    """Where checkpoints lie: a folder of the home, or the server that the settings name."""
    settings = settings or Settings.load()
    named = settings.memory.checkpointer
    return named if "://" in named else str(settings.home / "checkpoints")


def held_saver(settings: Settings) -> AnyTurnSaver | None:
    """The checkpointer that `shared_saver` made for a home; None where this process has none."""
    return _savers.get(checkpoint_location(settings))


@contextmanager
def open_saver(settings: Settings) -> Iterator[AnyTurnSaver | None]:
    """The checkpointer of a home that is held; None where no checkpoint was ever stored."""
    location = checkpoint_location(settings)
    if "://" in location or Path(location).exists() or Path(location + ".old").exists():
        with open_turn_saver(location) as saver:
            yield saver
    else:
        yield None
