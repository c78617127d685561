"""Japanese attributions: who is said to have said it, held against what the item and its text say."""

from __future__ import annotations

import pytest

from rqa_nodes.echo import Injected, VerdictKind, verify

WRONG = [
    ("お姉さまがおっしゃっていた奈良の宿を調べました", "user", "奈良の宿に泊まってみたい"),
    ("奥さまが、早くから水泳を習わせたいと話されていましたね", "user", "子どもには早くから水泳を習わせたい"),
    ("先生がお話しになったように、膝の水は抜かないほうがよいのですね", "user", "膝の水は抜かないほうがいいと思う"),
    ("旦那さまのお話では、車は白がいいそうです", "user", "車は白がいい"),
    ("おばあさまが言われたとおり、梅は六月に漬けます", "user", "梅は六月に漬ける"),
    ("お父様のお言葉では、畑は手放したくないとのことでした", "user", "畑は手放したくない"),
    ("ご主人によると、朝はパンだそうです", "user", "朝はパンを食べる"),
    ("主治医の先生がおっしゃったとおり、塩分は六グラムまでです", "user", "塩分は六グラムまでにしている"),
    ("お義母さまが望まれているのは和室です", "user", "和室が欲しい"),
    ("妹さんの話だと、駅前の店は月曜休みらしいね", "user", "駅前の店は月曜休み"),
    ("同僚の方が言うてはった通り、朝会はいらんのやろ", "user", "朝会は廃止したい"),
    ("店長が言っていたように、木曜は空いています", "user", "木曜は空いている"),
    ("お医者さんに聞いた話では、運動は週三回だそうです", "user", "運動は週三回している"),
    ("お子さんから伺った話では、算数が苦手だとか", "user", "算数が嫌いだ"),
    ("弟さんの希望は海の近くでしたね", "user", "海の近くに住みたい"),
    ("部長からは、見積もりを急ぐようにとの指示でした", "user", "見積もりを急いでいる"),
    ("社内文書に「朝会は廃止したい」とあるそうです", "user", "朝会は廃止したい"),
    ("ニュースで、橋の工事は三月までと報じられていました", "user", "橋の工事は三月までらしい"),
    ("取説には、フィルターは月一回洗うと書いてあるよ", "user", "フィルターは月一回洗っている"),
    ("議事録を見ると、値上げは見送りです", "user", "値上げは見送りにしたい"),
    ("山田さんのメールに、駐車場は十台分あると書かれていました", "assistant", "駐車場は十台分ほどあると思われます"),
    ("契約書には、解約は一か月前までとあります", "assistant", "解約は一か月前まででしょう"),
    ("税理士さんの見解では、経費に入るそうです", "assistant", "経費に入ると考えられます"),
    ("メーカーの公式サイトによれば、電池は十時間もちます", "assistant", "電池は十時間ほどもつと思います"),
]
RIGHT = [
    ("お姉さまは奈良の宿に泊まったのですね", "user", "姉は奈良の宿に泊まった"),
    ("奥さまが、早くから水泳を習わせたいと話されていたのですね", "user", "妻が早くから水泳を習わせたいと言っていた"),
    ("主治医の先生は塩分を六グラムまでとおっしゃったのですね", "user", "主治医に塩分は六グラムまでと言われた"),
    ("お子さんは算数が苦手なんですね", "user", "子どもは算数が苦手"),
    ("お母様は減塩中とのことでしたね", "user", "母は減塩中だ"),
    ("店長が木曜は空いていると言っていたそうですね", "user", "店長が木曜は空いていると言っていた"),
    ("契約書には解約は一か月前までとあるのですね", "user", "契約書に解約は一か月前までとあった"),
    ("ご主人のお誕生日は五月ですね", "user", "夫の誕生日は五月"),
]


def item(source: str, text: str, author: str = "") -> Injected:
    return Injected(handle="k1nw0r", source=source, text=text, author=author, id="n_k1nw0r77ab12cd34ef56")


@pytest.mark.parametrize(("words", "source", "text"), WRONG)
def test_a_wrong_attribution_becomes_the_true_one(words: str, source: str, text: str) -> None:
    given = [item(source, text)]
    report = verify(f"{words} [m:k1nw0r]。", injected=given, lang="ja")
    assert VerdictKind.wrong_speaker in report.counts
    assert report.text.startswith("ご本人の発言: " if source == "user" else "以前私が提案しました(未確認): ")
    assert len(report.text) > 23  # the statement is still there
    assert verify(report.text, injected=given, lang="ja").text == report.text


@pytest.mark.parametrize(("words", "source", "text"), RIGHT)
def test_what_the_reader_told_of_somebody_stays(words: str, source: str, text: str) -> None:
    reply = f"{words} [m:k1nw0r]。"
    assert verify(reply, injected=[item(source, text)], lang="ja").text == reply


def test_a_paper_is_no_other_paper() -> None:
    reply = "契約書によると、休みは二十日です [m:k1nw0r]。"
    rules = [item("external", "休みは二十日とする", "就業規則")]
    assert verify(reply, injected=rules, lang="ja").text == "就業規則によると: 休みは二十日です [m:k1nw0r]。"
    for author in ("契約書", "contract.pdf", ""):
        assert verify(reply, injected=[item("external", "休みは二十日とする", author)], lang="ja").text == reply


@pytest.mark.parametrize(
    ("lang", "reply", "left", "text"),
    [
        ("ja", "お姉さまがおっしゃっていた奈良の宿を調べました。", "奈良の宿を調べました。", "奈良の宿に泊まりたい"),
        (
            "ja",
            "お父様のお言葉では、畑は手放したくないとのことでした。",
            "ご本人の発言: 畑は手放したくないとのことでした。",
            "畑は手放したくない",
        ),
        ("zh", "您姐姐说想住苏州的老宅，我查了。", "你说过：想住苏州的老宅，我查了。", "我想住苏州的老宅"),
    ],
)
def test_without_a_reference_too_the_readers_words_are_his_own(lang: str, reply: str, left: str, text: str) -> None:
    given = [item("user", text)]
    report = verify(reply, injected=given, lang=lang)
    assert report.text == left
    assert verify(left, injected=given, lang=lang).text == left
    named = [item("user", f"{text}。姉と父が、と姐姐")]
    assert verify(reply, injected=named, lang=lang).text == reply
