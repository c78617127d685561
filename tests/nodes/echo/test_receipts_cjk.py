"""Japanese and Chinese receipts: by verb, by place of memory, by what of the reader's is stored."""

from __future__ import annotations

import pytest

from rqa_nodes.echo import VerdictKind, verify

RECEIPTS_JA = [
    "記録いたしました。",
    "ご希望のデータは削除しました。",
    "あなたの連絡先は消去しておきました。",
    "このことは決して忘れません。",
    "お母様のお誕生日は忘れません。",
    "その件は忘れないようにします。",
    "以後、記憶にとどめておきます。",
    "心に留めておきますね。",
    "しっかり胸に刻んでおきます。",
    "・単位：ヤード（設定を記憶済み）",
    "- 呼び名：ミナさん（登録済み）",
    "あなたの好みとして「辛口」を追加しました。",
    "お名前は「千尋」さんで登録しておきました。",
    "該当する記憶を破棄しました。",
    "ご指定のメモはすべて捨てました。",
    "お話しくださった日付をメモ帳に書き込んでおきました。",
    "ただいまの内容を長期記憶へ移しました。",
    "承知しました、次回のために控えておきます。",
    "はい、ちゃんと覚えときます！",
    "ご連絡先を控えました。",
    "この件は備忘録に書き加えておきました。",
    "プロフィールから職業を外しました。",
    "履歴からきれいに消しておきました。",
    "今のお話はもう忘れました。",
    "アレルギーの情報を記憶しておきますので、ご安心ください。",
    "いただいたご住所を台帳に転記しました。",
    "その記録は抹消いたしました。",
    "記憶をリセットしました。",
]
OTHERS_JA = [
    "電子で受け取った請求書は電子のまま保存します。",
    "ゼッケンは27番で登録します。",
    "この設定は端末に保存されます。",
    "小麦粉を三回に分けて加えます。",
    "最後に塩をひとつまみ入れました。",
    "写真は別のフォルダーに移しました。",
    "表から三列目を消しました。",
    "彼は約束を忘れました。",
    "電源を切ると、メモリの内容は消えます。",
    "漢字は書いて覚えます。",
    "一度覚えた泳ぎは忘れません。",
    "心に残る一冊です。",
    "会員登録は無料です。",
    "記録を更新しました。",
    "火を止めて、灰汁を取り除きました。",
    "二行目の読点を外しました。",
    "不要な語を削除し、文を短くしました。",
    "段落の順を入れ替えました。",
    "手元に本を置いておきます。",
    "箱に荷物を詰めておきました。",
]
RECEIPTS_ZH = [
    "已经记下了。",
    "好的，我会记住的。",
    "已为您保存过敏信息，以后的菜单会避开虾。",
    "生日已登记：五月三日。",
    "您的地址已更新。",
    "我把您的口味写进档案了。",
    "这件事我会一直记得。",
    "放心，我不会忘记您的要求。",
    "好的，已帮你删除那条记录。",
    "您说的内容已全部清除。",
    "我已經記住您的生日了。",
    "那段對話已經刪除。",
    "我刚把这段记忆抹掉了。",
    "偏好已保存。",
    "我这就替您记录下来。",
    "相关资料都已删掉了。",
]
OTHERS_ZH = [
    "照片会自动保存到相册。",
    "系统每五分钟保存一次。",
    "文件已删除。",
    "她已经忘记了那件事。",
    "单词放在句子里更容易记住。",
    "记得带伞。",
    "我记得那年很冷。",
    "请把血压记录下来。",
    "日志已更新到第三版。",
    "他把地址写在了信封上。",
    "如果删除了，就无法恢复。",
    "病历至少保存十五年。",
]


@pytest.mark.parametrize(("lang", "reply"), [("ja", one) for one in RECEIPTS_JA] + [("zh", one) for one in RECEIPTS_ZH])
def test_a_receipt_needs_something_written(lang: str, reply: str) -> None:
    report = verify(reply, lang=lang)
    assert VerdictKind.false_receipt in report.counts
    assert "できませんでした" in report.text or "我未能" in report.text
    assert verify(report.text, lang=lang).text == report.text
    assert verify(reply, lang=lang, written=["n_1", "hide:n_2"]).text == reply


@pytest.mark.parametrize(("lang", "reply"), [("ja", one) for one in OTHERS_JA] + [("zh", one) for one in OTHERS_ZH])
def test_what_happens_to_other_things_is_none(lang: str, reply: str) -> None:
    assert verify(reply, lang=lang).text == reply


def test_a_receipt_in_brackets_goes_alone() -> None:
    assert verify("・単位：ヤード（設定を記憶済み）", lang="ja").text == "・単位：ヤード（それは保存できませんでした）"
