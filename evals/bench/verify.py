"""What does a check of a reply cost, does it grow with the length and no faster, and can a reply be made to cost more?

Three parts. Replies of 2 KB that cite the 8 items they were given, English and Japanese in turns, no two alike: wall
time, and the processor time of this process, which others on the machine disturb less. Growth: replies of ordinary
sentences and of claims, none twice, at sizes up to 1 MB, with a line fitted to the logarithms (its slope is the
exponent of growth; r2 is the share of the variance that it explains). Replies of 1 MB that repeat what is hard to read.
Two baselines stand beside the first two parts: a bare RE2 scan for `[m:...]`, and a check of structured reference
fields alone, which reads no prose. Prints one JSON object in milliseconds.

Run: python -m evals.bench.verify [--replies 1000] [--smallest 16384] [--largest 1048576] [--seed 7]
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import re2

from evals.bench._verify_texts import (
    PATHOLOGICAL,
    Shape,
    draw_claims,
    draw_items,
    draw_plain,
    fill,
    write_reply,
)
from evals.bench.saver import summary
from rqa_nodes.echo import Injected, verify, verify_fields

__all__ = ["Fit", "fit", "main", "measure"]

_ITEMS: Final = 8
_REPLY_BYTES: Final = 2048
_WARM_REPLIES: Final = 20
_LANGS: Final[tuple[Shape, ...]] = ("en", "ja")
_DRAWN: Final = {"plain": draw_plain, "claims": draw_claims}
_MARKER: Final = re2.compile(r"\[m:([0-9a-z]+)\]")
_TALK: Final = (
    ("user", "The harbour pump leaks. 港のポンプが水漏れします。"),
    ("assistant", "My guess is that the gasket is worn. ガスケットの摩耗が原因かもしれません。"),
    ("user", "What do you know about it? 何が分かっていますか？"),
)


class Fit(NamedTuple):
    """A line through the logarithms of sizes and times."""

    exponent: float
    """1: the time grows as the size does."""
    r2: float


def fit(sizes: Sequence[float], times: Sequence[float]) -> Fit:
    """Least squares on logarithms: log time = exponent * log size + constant.

    Args:
        sizes: At least two, all different, above 0.
        times: As many, above 0.
    """
    xs, ys = [math.log(size) for size in sizes], [math.log(spent) for spent in times]
    r2 = statistics.correlation(xs, ys) ** 2 if len({*ys}) > 1 else 1.0
    return Fit(statistics.linear_regression(xs, ys).slope, r2)


def _check(text: str, items: Sequence[Injected], lang: str | None = None) -> None:
    verify(text, injected=items, transcript=_TALK, written=True, lang=lang)


def _replies(count: int, *, source: random.Random) -> dict[str, Any]:
    """Replies of 2 KB, each with items of its own."""
    wall: dict[str, list[float]] = {}
    for number in range(count + _WARM_REPLIES):
        lang = _LANGS[number % len(_LANGS)]
        items = draw_items(_ITEMS, source=source)
        text = write_reply(items, lang=lang, size=_REPLY_BYTES, source=source)
        fields = [{"text": "", "memory_ref": item.handle} for item in items]
        spent = {
            f"verifier_{lang}": _timed(lambda: _check(text, items, lang)),  # noqa: B023  # called at once
            f"verifier_{lang}_cpu": _timed(lambda: _check(text, items, lang), time.process_time),  # noqa: B023
            f"bare_re2_scan_{lang}": _timed(lambda: _MARKER.findall(text)),  # noqa: B023
            "structured_fields_alone": _timed(lambda: verify_fields(fields, injected=items)),  # noqa: B023
        }
        for name, seconds in spent.items() if number >= _WARM_REPLIES else ():
            wall.setdefault(name, []).append(seconds)
    return {name: summary(times) for name, times in sorted(wall.items())}


def _timed(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    call()
    return clock() - start


def _growth(smallest: int, largest: int, *, source: random.Random) -> dict[str, Any]:
    """Processor time by size: the least of several runs, of which the large ones need fewer."""
    items = draw_items(_ITEMS, source=source)
    sizes = [smallest << step for step in range(0, (largest // smallest).bit_length(), 2)]
    found = {}
    for kind, draw, lang in [(k, d, lang) for k, d in _DRAWN.items() for lang in _LANGS]:
        name, sentences = f"{kind}_{lang}", draw(lang, source=source)
        texts = [fill(lambda: next(sentences), size=size) for size in sizes]  # noqa: B023  # called at once
        found[name] = _grown(sizes, texts, lambda text: _check(text, items))
        found[f"{name}_bare_re2_scan"] = _grown(sizes, texts, _MARKER.findall)
    return found


def _grown(sizes: Sequence[int], texts: Sequence[str], call: Callable[[str], object]) -> dict[str, Any]:
    times = []
    for text in texts:
        runs = 1 + (1 << 16) // len(text)
        times.append(min(_timed(lambda: call(text), time.process_time) for _ in range(runs)))  # noqa: B023
    line = fit(sizes, [max(seconds, 1e-9) for seconds in times])
    return {
        "bytes": list(sizes),
        "ms": [round(1000 * seconds, 3) for seconds in times],
        "exponent": round(line.exponent, 4),
        "r2": round(line.r2, 4),
    }


def _pathological(size: int, *, source: random.Random) -> dict[str, float]:
    """Milliseconds of a reply of so many bytes of each kind."""
    items = draw_items(_ITEMS, source=source)
    texts: Mapping[str, str] = {name: fill(lambda: part, size=size) for name, part in PATHOLOGICAL.items()}  # noqa: B023
    return {name: round(1000 * _timed(lambda: _check(text, items)), 1) for name, text in texts.items()}  # noqa: B023


def measure(*, replies: int, smallest: int, largest: int, seed: int) -> dict[str, Any]:
    """Measure all parts; see the module for what is compared.

    Args:
        replies: How many of 2 KB are counted.
        smallest: Bytes of the shortest reply of the growing ones; each next one is four times as long.
        largest: Bytes of the longest at most, at least four times the shortest.
        seed: Of the texts.
    """
    source = random.Random(seed)
    return {
        "reply_2kb_8_injected": _replies(replies, source=source),
        "growth": _growth(smallest, largest, source=source),
        "pathological": _pathological(largest, source=source),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark and print its result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--replies", type=int, default=1000, help="counted replies of 2 KB")
    parser.add_argument("--smallest", type=int, default=1 << 14, help="bytes of the shortest growing reply")
    parser.add_argument("--largest", type=int, default=1 << 20, help="bytes of the longest reply")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(arguments)
    made = {"bench": "verify", "unit": "ms", **vars(options), "results": measure(**vars(options))}
    print(json.dumps(made, indent=1))


if __name__ == "__main__":
    main()
