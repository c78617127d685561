"""Is what is remembered what it claims to be?

Four questions to a store that nobody tuned for them: how much comes from whom, what is there twice, what carries the
marks of a prompt, and what a model wrote that was only a copy of what it had been shown in that very turn.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from rqa_checkpoints.likeness import BANDS_SHARED, contained, fingerprint, has_block_markers, restates, sketch
from rqa_checkpoints.provenance import MemoryNode, SourceClass

__all__ = ["AuditReport", "audit", "duplicates"]

_LARGEST_BUCKET = 50
"""Items of one sketch band that are compared pairwise; more share a stock phrase and are no duplicates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What an audit found; items by id, pairs oldest first."""

    total: int
    by_source: Mapping[str, int]
    exact_duplicates: tuple[tuple[str, str], ...]
    """Same words, two items: other source, author or kind, or from before this rule."""
    near_duplicates: tuple[tuple[str, str], ...]
    quarantined: tuple[str, ...]
    """Never recalled, because they carry our own block markers."""
    from_own_prompt: tuple[str, ...]
    """Written by a model or tool, and contained in what it was given in that turn."""

    @property
    def clean(self) -> bool:
        """Whether nothing that should not be there was found (duplicates are no fault)."""
        return not self.quarantined and not self.from_own_prompt


def audit(nodes: Iterable[MemoryNode], prompts: Mapping[str, Sequence[str]]) -> AuditReport:
    """Audit one person's items. `prompts`: by turn id, the texts that the model was given in that turn."""
    items = list(nodes)
    exact, near = _duplicates(items)
    marks = {turn: [fingerprint(text) for text in texts] for turn, texts in prompts.items()}
    return AuditReport(
        total=len(items),
        by_source={source.value: n for source, n in sorted(Counter(node.source for node in items).items())},
        exact_duplicates=tuple(exact),
        near_duplicates=tuple(near),
        quarantined=tuple(node.id for node in items if has_block_markers(node.text)),
        from_own_prompt=tuple(node.id for node in items if _copied(node, marks)),
    )


def duplicates(nodes: Iterable[MemoryNode]) -> list[tuple[str, str]]:
    """Ids of the pairs that say the same, word for word or nearly so, and that the same kind of speaker said."""
    items = {node.id: node for node in nodes}
    exact, near = _duplicates(list(items.values()))
    return [(old, new) for old, new in (*exact, *near) if items[old].source is items[new].source]


def _copied(node: MemoryNode, marks: Mapping[str, Sequence[str]]) -> bool:
    written_by_tool = node.source in {SourceClass.assistant, SourceClass.external}
    return written_by_tool and contained(node.text, marks.get(node.turn_id, ()))


def _duplicates(items: Sequence[MemoryNode]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    place = {node.id: at for at, node in enumerate(items)}
    exact: list[tuple[str, str]] = []
    near: list[tuple[str, str]] = []
    for one, two in sorted(_candidates(items), key=lambda pair: (place[pair[0]], place[pair[1]])):
        first, second = items[place[one]], items[place[two]]
        if restates(second.text, first.text):
            same = fingerprint(first.text) == fingerprint(second.text)
            (exact if same else near).append((one, two))
    return exact, near


def _candidates(items: Sequence[MemoryNode]) -> Iterator[tuple[str, str]]:
    """Pairs that share enough sketch bands; linear in the number of items for texts that are not alike."""
    buckets: dict[str, list[str]] = defaultdict(list)
    for node in items:
        for band in sketch(node.text):
            buckets[band].append(node.id)
    shared: Counter[tuple[str, str]] = Counter()
    for ids in buckets.values():
        shared.update(combinations(ids[:_LARGEST_BUCKET], 2))
    return (pair for pair, bands in shared.items() if bands >= BANDS_SHARED)
