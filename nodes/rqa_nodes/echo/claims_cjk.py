"""Which wordings of the rules in `lexicon/ja_talk.yaml` and `lexicon/zh_talk.yaml` stand in a sentence?

The rules are data: a wording leads back to an earlier talk by itself, or it only makes something the user's or
common ground (`weak`), which claims no more than what an assistant message or item carries. The words either stand
beside the statement and can be cut, or are what the sentence says.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rqa_nodes.echo.agents_ja import acts_for_others, clause_start, names_living
from rqa_nodes.echo.claim import Claim, Speaker
from rqa_nodes.echo.grammar import Found, find_rules
from rqa_nodes.echo.lazily import lazily

__all__ = ["ruled_claims"]

_HEAD: Final = lazily(r"[\s>*_#・•-]*(?:\d{1,3}[.)]\s+)?")
_ASKED: Final = lazily(r"(?:[?？]|か。?|吗。?|嗎。?)[\s」）)]*$")
_OWNED_UP: Final = lazily(
    r"未確認|未検証|裏付けはな|裏づけはな|確かめては|確かめたわけでは|確認は取れて|仮説にすぎ|推測にすぎ|推測に過ぎ|推測です|推測だ|推測で、"
    r"|未经(?:确认|證實|证实|核实)|未經|只是猜测|我的猜测|我的推测|仅供参考"
)
"""Words that own up to a guess."""


def ruled_claims(lang: str, text: str) -> Iterator[Claim]:
    """The claims that the rules of a language find in a folded sentence.

    Args:
        lang: "ja" or "zh".
        text: The sentence.
    """
    for found in find_rules(f"{lang}_talk", text):
        start, end = found.inner or (found.start, found.end)
        if lang == "ja" and "own" not in found.rule and _is_of_others(text, start, end):
            continue
        if "weak" in found.rule and (_OWNED_UP.search(text) or _ASKED.search(text) or _is_mine(text, start, found)):
            continue
        yield _claim(text, found, start, end)._replace(event="event" in found.rule)


def _is_of_others(text: str, start: int, end: int) -> bool:
    """Does somebody else act, or somebody who is named behind the words ("the senior who once taught me")?"""
    return acts_for_others(text, clause_start(text, start), start) or names_living(text, end, or_place=True)


_OF_ME: Final = lazily(r"(?:私|僕|俺|当方|弊社|わたし|我)(?:から|より)?の?$")


def _is_mine(text: str, start: int, found: Found) -> bool:
    """Does the noun belong to the assistant, which the words before it name?"""
    return found.rule["speaker"] != "i" and bool(_OF_ME.search(text, max(0, start - 8), start))


def _claim(text: str, found: Found, start: int, end: int) -> Claim:
    speaker: Speaker = found.rule["speaker"]
    strong = "weak" not in found.rule
    if found.rule["at"] == "aside":
        return Claim(start, end, (start, end), (0, 0), speaker, speaker != "we", True, strong)
    head = _HEAD.match(text)
    first = head.end() if head else 0
    stop = _stop(text, end)
    content = (first, start) if start > first + 1 else (end, stop) if stop > end + 1 else (first, end)
    return Claim(start, end, (first, max(end, stop)), content, speaker, speaker != "we", False, strong)


_END: Final = lazily(r"[。！!?？]|$")


def _stop(text: str, at: int) -> int:
    match = _END.search(text, at)
    return match.start() if match else len(text)
