"""Is there room to write?

The embedded engine maps sparse files into memory. When the disk cannot give the page behind an address, the operating
system ends the process with SIGBUS, without a word and at any instruction; so room is asked for before anything is
written, and refused in words. Whoever fills the disk between the question and the write still wins.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from rqa_checkpoints.errors import HomeNotWritableError

__all__ = ["FOR_NEW_SHARD_BYTES", "FOR_WRITING_BYTES", "require_space"]

FOR_WRITING_BYTES = 16 * 2**20
"""A turn writes well under 1 MB and a batch of a rebuild a few; the rest is for the neighbours."""

FOR_NEW_SHARD_BYTES = 128 * 2**20
"""A new shard is 2 MB on a disk that keeps holes as holes, and 70 MB where reading a hole fills it (tmpfs)."""


def require_space(path: Path, *, least: int = FOR_WRITING_BYTES) -> None:
    """Raise HomeNotWritableError unless the disk of an existing folder has `least` bytes free."""
    disk = shutil.disk_usage(path)
    if disk.total and disk.free < least:  # some network folders report nothing at all
        raise HomeNotWritableError(
            f"the disk of {str(path)!r} is full: {disk.free // 2**20} MB are free, {least // 2**20} MB are needed",
            hint="Free some space there, or choose another folder with `--home` or RQA_HOME.",
        )
