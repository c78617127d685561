"""How far is it? A bar on standard error for a person who watches, and nothing for anybody else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rqa_graph.cli.output import Output

__all__ = ["progress_bar", "tracked"]

T = TypeVar("T")


@contextmanager
def progress_bar(output: Output, words: str) -> Iterator[Callable[[int, int | None], None]]:
    """A bar as long as the block runs; what it gives is called with how many are done, and of how many (None: unknown).

    Args:
        output: Where the result goes; beside a JSON object there is no bar.
        words: What goes on.
    """
    if output.as_json or not sys.stderr.isatty():
        yield lambda _done, _of: None
        return
    from rich.console import Console  # only where a terminal shows it
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(words, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def tracked(items: Iterable[T], output: Output, words: str) -> Iterator[T]:
    """The same items, with a bar while they are taken."""
    of = len(items) if isinstance(items, list) else None
    with progress_bar(output, words) as report:
        for done, item in enumerate(items):
            report(done, of)
            yield item
