"""Which words of a Chinese sentence claim shared history? The commonest forms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rqa_nodes.echo.claim import Claim

__all__ = ["chinese_claims"]

_ZH_ADVERBIAL: Final = re.compile(
    r"(?:正如|如|像|按照|根据|基于|就像)?(?:我们|咱们|你|您|我|大家)?(?:之前|以前|上次|先前|早些时候|已经|刚才|此前|昨天|共同|一起)*(?:所|"
    r"都)?(?P<verb>讨论|商量|同意|确认|决定|确定|达成|约定|说|提到|提|告诉|得出|聊|谈)(?:过|好|了|到|一致)?的?(?:那样|一样|结论|共识|内容|讨论|约定|"
    r"决定)?[，,] *"
)
_ZH_MAIN: Final = re.compile(
    r"(?P<who>我们|咱们|你|您)(?:之前|以前|上次|先前|已经|都|刚才|此前|昨天|一起|共同|也|就)*(?P<verb>讨论|商量|同意|确认|决定|确定|达成一致|达成共识|"
    r"约定|说过|提到过|提到|提过|告诉过我|告诉我|得出结论|得出的结论是|的结论是|知道|说)(?:过|了|好了)?(?:是|[：:，,])?"
)


def chinese_claims(text: str) -> Iterator[Claim]:
    """The claims of a folded Chinese sentence."""
    for match in _ZH_ADVERBIAL.finditer(text):
        if re.match(r"正如|如|像|按照|根据|基于|就像|我们|咱们|你|您", match[0]):
            saying = match["verb"] in ("说", "提到", "提", "告诉")
            yield Claim(
                *match.span(),
                match.span(),
                (0, 0),
                "you" if saying and "我们" not in match[0] else "we",
                saying,
                True,
                True,
            )
    for match in _ZH_MAIN.finditer(text):
        if re.search(r"(?:如果|要是|是否|当|等|若|假如|[^，,。]*吗)$", text[: match.start()]) or text.rstrip().endswith(
            ("?", "？")
        ):
            continue
        end = re.search(r"[。！!；;]|$", text[match.end() :])
        stop = match.end() + (end.start() if end else 0)
        saying = match["verb"][0] in "说提告"
        strong = match["verb"] != "知道" and (match["who"] not in ("你", "您") or match["verb"] != "说")
        yield Claim(
            *match.span(),
            (match.start(), stop),
            (match.end(), stop),
            "we" if match["who"] in ("我们", "咱们") else "you",
            saying,
            False,
            strong,
        )
