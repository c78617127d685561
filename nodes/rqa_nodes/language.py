"""Which language is this text in: English, Japanese or Chinese?

The answer decides the language of everything the user reads, so it must never depend on a model, on the clock or on
the length of the text: only the first thousand characters are looked at.
Kana exist in Japanese alone; Han characters are shared, so a text without kana is Japanese unless characters or
particles say that it is Chinese. A foreign word that is only quoted does not change the language of a sentence.
"""

from __future__ import annotations

import re
from typing import Final, Literal

__all__ = ["Lang", "detect"]

Lang = Literal["en", "ja", "zh"]

_HEAD_CHARS: Final = 1000
"""More text does not change the answer; a bounded look keeps a 2 MB paste cheap."""

_KANA_RANGE: Final = "\u3041-\u30fa\u30fc-\u30ff\uff66-\uff9d"
"""Without the middle dot, which also stands in Chinese names."""
_HAN_RANGE: Final = "\u3005\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_LATIN_RANGE: Final = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"
_KANA: Final = re.compile(f"[{_KANA_RANGE}]+")
_HAN: Final = re.compile(f"[{_HAN_RANGE}]+")
_LATIN: Final = re.compile(f"[{_LATIN_RANGE}]+")
_LETTER: Final = re.compile(f"[{_KANA_RANGE}{_HAN_RANGE}{_LATIN_RANGE}]")

_LATIN_PER_CJK: Final = 2
"""An English word has about five letters where Japanese has two characters."""

_CHINESE_ONLY: Final = frozenset(
    # Simplified forms that Japanese does not use.
    "业东丝两严个丰临为丽举么义乐习书买亿仅们价众优伟传伤华单卖卫厂厅历压厌县发变吓吗启员响哑团园围图圆场"
    "坏块坚坛对报择损换掷摇时显晓术杀权极构标样桥检毁毕气汉沟泽洁测济渐满灭灵热爱爷玛环现电畅疗监盖盘码确"
    "离种积穷窝竞笔简类粮红约级纪纯纳纸线练组细终经结绕绘给络统继绩绪续维编缘网罗职联肤脏脑艺节药获营萨蓝"
    "虑虽补观规视览觉计订认讨让议记讲许论设访证评识诉词译试诗话询该详语误说请读课谁调谈谢财责败货质购贵费"
    "资赛趋车转轮软轻载较输边达过运还这进远连迟选递针钟钱铁银错键长门闭问闲间闻阅队阳阴阶际陆险难雾韩页顶"
    "项顺须顾预领频题颜风飞饭饮馆马驱验鱼鲜鸟鸡齐龙"
    # Words of spoken Chinese, traditional and simplified, without a Japanese use.
    "這們麼嗎呢吧啊你您她它哪怎啥咱妳咗嘅"
)
"""One of these is enough: they are not written in Japanese."""

_CHINESE_PARTICLES: Final = frozenset("的是了我")
"""Each occurs in some Japanese compound (目的, 是非, 終了, 自我); two different ones hardly ever do."""


def detect(text: str) -> Lang:
    """Return the language of a text, from its first 1,000 characters.

    Args:
        text: Any string, lone surrogates and control characters included.

    Returns:
        "ja" where kana carry the sentence, "zh" for Han characters with signs of Chinese, "ja" for other Han
        characters, else "en" (also for an empty text and for languages that the product does not speak).
    """
    head = text[:_HEAD_CHARS]
    if head.isascii():
        return "en"
    kana = _KANA.search(head)
    if (not kana and not _HAN.search(head)) or _is_latin_with_quotes(head):
        return "en"
    return "zh" if not kana and _is_chinese(head) else "ja"


def _is_latin_with_quotes(head: str) -> bool:
    """Does it end in a Latin letter, and are most letters Latin? Japanese with foreign names ends in Japanese."""
    last = _LETTER.search(head[::-1])
    if not last or not _LATIN.match(last[0]):
        return False
    return _count(_LATIN, head) > _LATIN_PER_CJK * (_count(_KANA, head) + _count(_HAN, head))


def _count(script: re.Pattern[str], text: str) -> int:
    return sum(map(len, script.findall(text)))


def _is_chinese(head: str) -> bool:
    chars = frozenset(head)
    return bool(chars & _CHINESE_ONLY) or len(chars & _CHINESE_PARTICLES) > 1
