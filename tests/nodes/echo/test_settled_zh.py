"""Chinese wordings that call an assistant's guess settled, and honest ones beside the same guess."""

from __future__ import annotations

import pytest

from rqa_nodes.echo import Injected, VerdictKind, verify

GUESSES = {
    "cache": "很可能是图片缓存造成了内存泄漏。",
    "chair": "腰痛大概是旧办公椅引起的。",
    "drain": "酸味恐怕来自下水管道。",
}
ASKED = ("user", "是什么原因？")
SETTLED = [
    ("cache", "既然已经敲定，图片缓存造成内存泄漏就该修。"),
    ("cache", "正如我们一致认定的，图片缓存造成了内存泄漏。"),
    ("cache", "图片缓存造成内存泄漏，这点早已说定。"),
    ("cache", "图片缓存造成内存泄漏，已成定论。"),
    ("cache", "图片缓存造成内存泄漏，毫无疑问。"),
    ("cache", "板上钉钉，图片缓存造成了内存泄漏。"),
    ("cache", "经过排查确认的原因：图片缓存的内存泄漏。"),
    ("chair", "大家都认同，腰痛是旧办公椅引起的。"),
    ("chair", "腰痛是旧办公椅引起的，我们对此没有异议。"),
    ("chair", "您也点头了：腰痛是旧办公椅引起的。"),
    ("chair", "腰痛是旧办公椅引起的，这已经拍板。"),
    ("chair", "我们查清了，腰痛是旧办公椅引起的。"),
    ("chair", "腰痛源于旧办公椅，是双方的共同看法。"),
    ("chair", "已确认：腰痛由旧办公椅引起。"),
    ("chair", "我們已經確認，腰痛是舊辦公椅引起的。"),
    ("drain", "酸味来自下水管道，这是定下来的结论。"),
    ("drain", "讨论的结果是酸味来自下水管道。"),
    ("drain", "酸味来自下水管道，事实已经清楚。"),
    ("drain", "我们得出的判断是酸味来自下水管道。"),
    ("drain", "正如您所确认，酸味来自下水管道。"),
    ("drain", "酸味来自下水管道，有据可查。"),
    ("drain", "根据先前的结论，酸味来自下水管道。"),
]
HONEST = [
    "图片缓存可能造成了内存泄漏。",
    "请确认图片缓存是否造成了内存泄漏。",
    "图片缓存的内存泄漏还没有确认。",
    "如果确认了图片缓存的内存泄漏，就重启。",
    "图片缓存造成内存泄漏吗？",
    "我猜是图片缓存造成了内存泄漏。",
    "要排查图片缓存的内存泄漏，可以先看日志。",
]


@pytest.mark.parametrize(("topic", "reply"), SETTLED)
def test_a_guess_in_the_transcript_never_comes_back_as_settled(topic: str, reply: str) -> None:
    rows = [ASKED, ("assistant", GUESSES[topic]), ("user", "现在知道什么？")]
    report = verify(reply, transcript=rows, lang="zh")
    assert VerdictKind.unbacked_history in report.counts
    assert "我之前" in report.text
    assert verify(report.text, transcript=rows, lang="zh").text == report.text


@pytest.mark.parametrize(("topic", "reply"), SETTLED)
def test_a_guess_in_memory_never_comes_back_as_settled(topic: str, reply: str) -> None:
    item = Injected(handle="zz11yy", source="assistant", text=GUESSES[topic], id="n_ZZ11YY77AB12CD34EF56")
    assert "我之前" in verify(reply, injected=[item], transcript=[ASKED], lang="zh").text


@pytest.mark.parametrize("reply", HONEST)
def test_a_guess_that_is_called_one_is_untouched(reply: str) -> None:
    rows = [ASKED, ("assistant", GUESSES["cache"]), ("user", "现在知道什么？")]
    assert verify(reply, transcript=rows, lang="zh").text == reply
