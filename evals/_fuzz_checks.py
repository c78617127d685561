"""What is wrong with the verifier's answer to a reply? Checks that know nothing of its rules."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Final

from evals._fuzz_detector import folded_id, ids_in, undisguised
from evals._fuzz_replies import Reply
from rqa_graph import IncrementalVerifier, VerificationReport, verify

__all__ = ["failures", "foreign_ids"]

_CHUNKS: Final = (1, 3, 8, 25, 80, 300)
_CODE: Final = re.compile(r"[`~]")
"""Nothing in code is a reference, and only the verifier itself knows what is code."""
_REPORT_MODE_SHARE: Final = 1 / 16


def foreign_ids(text: str, reply: Reply) -> list[str]:
    """Ids in our forms that name no item that was given and stand in no text of this turn."""
    if _CODE.search(text):
        return []
    facts = reply.facts
    given = {folded_id(name) for item in facts["injected"] for name in (item.handle, item.id)}
    texts = [item.text for item in facts["injected"]] + [words for _, words in facts["transcript"]]
    said = undisguised("\n".join([*texts, facts["user_text"] or "", *facts["documents"]]))
    return [name for name in ids_in(undisguised(text)) if folded_id(name) not in given and name not in said]


def failures(reply: Reply, draw: random.Random) -> Iterator[str]:
    """What is wrong, in words; nothing if all is well."""
    try:
        report = verify(reply.text, **reply.facts)
        yield from _left(reply, report)
        if verify(report.text, **reply.facts).text != report.text:
            yield "changed at a second look"
        if _streamed(reply, draw) != report:
            yield "the stream and the whole differ"
        if draw.random() < _REPORT_MODE_SHARE and verify(reply.text, mode="report", **reply.facts).text != reply.text:
            yield "mode report changed the text"
    except Exception as error:  # noqa: BLE001  # whatever it is, it is what we look for
        yield f"crashed: {error!r}"


def _left(reply: Reply, report: VerificationReport) -> Iterator[str]:
    if foreign := foreign_ids(report.text, reply):
        yield f"an id that was not given is left: {foreign[0]!r}"
    shown = undisguised(report.text)
    for part in reply.gone:
        if undisguised(part) in shown:
            yield f"a false claim is left: {part!r}"


def _streamed(reply: Reply, draw: random.Random) -> VerificationReport | str:
    """The report of a stream in random chunks, or what it showed if that is not the report's text."""
    verifier, shown, at = IncrementalVerifier(**reply.facts), "", 0
    while at < len(reply.text):
        size = draw.choice(_CHUNKS)
        shown += verifier.feed(reply.text[at : at + size])
        at += size
    tail, report = verifier.finish()
    return report if shown + tail == report.text else shown + tail
