"""Which words of a Chinese sentence claim shared history? The commonest forms.

A word of time stands beside "we" or "you" and a verb of talking: set off by a comma it is an adverbial, before "的" it
belongs to a noun, elsewhere it is the sentence itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rqa_nodes.echo.claim import Claim, Speaker

__all__ = ["chinese_claims"]

_ZH_ADVERBIAL: Final = re.compile(
    r"(?:正如|如|像|按照|根据|基于|就像)?(?:我们|咱们|你|您|我|大家)?(?:之前|以前|上次|先前|早些时候|已经|刚才|"
    r"此前|昨天|共同|一起)*(?:所|"
    r"都)?(?P<verb>讨论|商量|同意|确认|决定|确定|达成|约定|说|提到|提|告诉|得出|聊|谈)(?:过|好|了|到|"
    r"一致)?的?(?:那样|一样|结论|共识|内容|讨论|约定|"
    r"决定)?[，,] *"
)
_ZH_MAIN: Final = re.compile(
    r"(?P<who>我们|咱们|你|您)(?:之前|以前|上次|先前|已经|都|刚才|此前|昨天|一起|共同|也|就)*(?P<verb>讨论|商量|"
    r"同意|确认|决定|确定|达成一致|达成共识|"
    r"约定|说过|提到过|提到|提过|告诉过我|告诉我|得出结论|得出的结论是|的结论是|知道|说)(?:过|了|好了)?(?:是|"
    r"[：:，,])?"
)
_TIME: Final = (
    r"(?:之前|以前|上次|上回|先前|早前|此前|刚才|昨天|前天|前几天|上周|上星期|上个月|去年|曾经?|多次|反复|好几次|"
    r"第[一二三四五\d]次(?:聊天|对话|见面|交谈)时|(?:前面|之前|以往|最近)的?(?:几次|那次)?的?(?:聊天|对话|讨论|"
    r"交谈)(?:中|里|时))"
)
_ZH_TIMED: Final = re.compile(
    rf"(?P<first>{_TIME}(?:的时候)?[，,]? ?)?(?P<who>我们|咱们|你|您|我)(?P<when>(?:{_TIME}|已经|也|都|就|一起|"
    rf"共同|跟我|和我|对我|向我)*)"
    r"(?P<verb>说过?|提到过?|提过|提起过?|讲过?|告诉过?我|问过?|强调过?|表示过?|主张过?|聊过?|聊到过?|谈过?|"
    r"谈到过?|讨论过?|商量过?|"
    r"约好|约定|制定|定下|商定|建议过?)(?P<end>(?:了|的)?[，,] *|的(?=[\u4e00-\u9fff])|)"
)
_AS: Final = re.compile(r"(?:正如|如|像|按照|根据|基于|就像)$")
_OPEN: Final = re.compile(r"(?:如果|要是|是否|当|等|若|假如|没有?|[^，,。]*吗)$")


def chinese_claims(text: str) -> Iterator[Claim]:
    """The claims of a folded Chinese sentence."""
    yield from _timed(text)
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
        if _OPEN.search(text[: match.start()]) or _asks(text):
            continue
        stop = _clause_end(text, match.end())
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


def _timed(text: str) -> Iterator[Claim]:
    """Claims with a word of time: what was said, asked or made before."""
    for match in _ZH_TIMED.finditer(text):
        if not re.search(_TIME, (match["first"] or "") + match["when"]) and not _counted(match, text):
            continue
        beside = bool(match["end"])
        if _AS.search(text[: match.start()]):
            continue
        mine = match["who"] == "我"
        own = not mine or (beside and re.match(r"说过|提过|提到过|建议|讲过", match["verb"]))
        if not own or _OPEN.search(text[: match.start()]) or (not beside and _asks(text)):
            continue
        stop = match.end() if beside else _clause_end(text, match.end())
        speaker: Speaker = "we" if match["who"] in ("我们", "咱们") else "i" if mine else "you"
        content = (0, 0) if beside else (match.end(), stop)
        yield Claim(*match.span(), (match.start(), stop), content, speaker, speaker != "we", beside, True)


def _counted(match: re.Match[str], text: str) -> bool:
    """Counted talk (we have been over it three times) is earlier talk."""
    return match["who"] in ("我们", "咱们") and bool(
        re.match(r"过?[一二两三四五六七八九十几\d]+[次遍回]", text[match.end() :])
    )


def _asks(text: str) -> bool:
    return text.rstrip().endswith(("?", "？"))


def _clause_end(text: str, at: int) -> int:
    end = re.search(r"[。！!；;]|$", text[at:])
    return at + (end.start() if end else 0)
