"""Chinese attributions: each is held against the class and the author of the item that the sentence refers to."""

from __future__ import annotations

import pytest

from rqa_nodes.echo import Injected, VerdictKind, verify

ITEMS = (
    Injected(handle="k3v9xq", source="user", text="茶在四点喝。", id="n_K3V9XQ77AB12CD34EF56", author="小林"),
    Injected(handle="zz11yy", source="assistant", text="垫圈可能磨损了。", id="n_ZZ11YY77AB12CD34EF56"),
    Injected(handle="ee22ff", source="external", text="水泵需要油。", id="n_EE22FF77AB12CD34EF56", author="说明书.pdf"),
)
WRONG = [
    "王老师认为茶在四点喝[m:k3v9xq]。",
    "张医生说过，茶在四点喝[m:k3v9xq]。",
    "您太太说茶在四点喝[m:k3v9xq]。",
    "说明书上写着，茶在四点喝[m:k3v9xq]。",
    "合同规定，茶在四点喝[m:k3v9xq]。",
    "根据官网的说明，茶在四点喝[m:k3v9xq]。",
    "根据手册，垫圈磨损了[m:zz11yy]。",
    "按您的说法，垫圈磨损了[m:zz11yy]。",
    "用您的话说，垫圈磨损了[m:zz11yy]。",
    "据您所述，垫圈磨损了[m:zz11yy]。",
    "您的看法是垫圈磨损了[m:zz11yy]。",
    "正如您所说，垫圈磨损了[m:zz11yy]。",
    "我之前建议的茶点[m:k3v9xq]如何？",
]
RIGHT = [
    "按您的说法，茶在四点喝[m:k3v9xq]。",
    "说明书上写着，水泵需要油[m:ee22ff]。",
    "根据手册，水泵需要油[m:ee22ff]。",
    "正如您所说，茶在四点喝[m:k3v9xq]。",
    "我之前建议的垫圈[m:zz11yy]如何？",
    "小林说茶在四点喝[m:k3v9xq]。",
]


@pytest.mark.parametrize("reply", WRONG)
def test_a_wrong_attribution_becomes_the_true_one(reply: str) -> None:
    report = verify(reply, injected=ITEMS, lang="zh")
    assert VerdictKind.wrong_speaker in report.counts
    assert report.text.startswith(("你说过：", "我之前提议过（未经确认）："))
    assert verify(report.text, injected=ITEMS, lang="zh").text == report.text


@pytest.mark.parametrize("reply", RIGHT)
def test_a_true_attribution_stays(reply: str) -> None:
    assert verify(reply, injected=ITEMS, lang="zh").text == reply
