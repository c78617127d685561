"""Write the generated pages, or say which of the committed ones are out of date.

Run: python -m docsgen [--check]
"""

from __future__ import annotations

import argparse
import sys

from docsgen.pages import BUILT, PAGES, stale, write

__all__ = ["main"]


def main() -> int:
    """Write what has changed; with --check write nothing, and return 1 if something would be."""
    parser = argparse.ArgumentParser(prog="python -m docsgen", description="Make the generated pages of docs/.")
    parser.add_argument("--check", action="store_true", help="Write nothing; exit with 1 if a page is out of date.")
    args = parser.parse_args()
    names = stale() if args.check else write(pages={**PAGES, **BUILT})
    for name in names:
        print(f"{name} is out of date" if args.check else f"{name} is written")
    return int(args.check and bool(names))


if __name__ == "__main__":
    sys.exit(main())
