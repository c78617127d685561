"""Words in hiragana count as words: two questions that differ in one of them alone are not the same."""

from __future__ import annotations

import pytest

from rqa_checkpoints.cache.guard import compare, sign
from rqa_checkpoints.cache.guard.kana import kana_words


@pytest.mark.parametrize(
    "pair",
    [
        "たまごをゆでる時間は|たまごをむす時間は",
        "米をとぐ時間は何分|米をたく時間は何分",
        "子供がすきな野菜は何|子供がきらいな野菜は何",
        "ねこがなく理由は|ねこがねる理由は",
        "赤ちゃんがなくのはなぜ|赤ちゃんがわらうのはなぜ",
        "カレーをさます方法|カレーをひやす方法",
        "魚をおろす方法|魚をさばく方法",
        "壁をぬる方法|壁をはがす方法",
        "ズボンのすそをあげる方法|ズボンのすそをさげる方法",
        "髪をのばす方法|髪をそる方法",
        "窓をあける方法|窓をしめる方法",
        "猫にあげてもいいえさ|猫にみせてもいいえさ",
        "電気をつける方法|電気をけす方法",
        "水をわかす時間は|水をこおらす時間は",
        "りんごのかわをむくには|りんごのたねをぬくには",
        "ふくろうの寿命は|ふくろうの食べ物は",
        "肉をやく時間は何分|肉をにる時間は何分",
        "日本でとれるさかな|日本でとれるむし",
        "みそしるに入れるきのこは|みそしるに入れるやさいは",
        "切手をはる場所は|切手をはがす場所は",
        "お腹がすく原因は|お腹がはる原因は",
        "目がかゆい原因は|目がいたい原因は",
        "肩がこる原因は|肩がいたい原因は",
        "布がちぢむ原因は|布がのびる原因は",
        "犬がほえる理由は|犬がかむ理由は",
        "庭にまく種は|庭にうえる種は",
        "手をあらう時間は|手をふく時間は",
        "歯がしみる原因は|歯がぐらつく原因は",
        "ご飯がかたい原因は|ご飯がやわらかい原因は",
        "スープがこい原因は|スープがうすい原因は",
        "味がからい料理は|味があまい料理は",
        "色があかい花は|色があおい花は",
        "あついお茶に合う菓子|つめたいお茶に合う菓子",
    ],
)
def test_another_word_in_hiragana_is_another_question(pair: str) -> None:
    one, two = pair.split("|")
    assert compare(sign(one, "ja"), sign(two, "ja")).facets


@pytest.mark.parametrize(
    "pair",
    [
        "窓をあける方法|窓を開ける方法",
        "米をとぐ時間は何分|米を研ぐ時間は何分",
        "ご飯がやわらかい原因は|ご飯が柔らかい原因は",
        "すずめは何を食べますか|雀は何をたべますか",
    ],
)
def test_the_writing_of_a_word_makes_no_other_question(pair: str) -> None:
    one, two = pair.split("|")
    assert compare(sign(one, "ja"), sign(two, "ja")).facets == ()


@pytest.mark.parametrize(
    "grammar",
    [
        "地震が起きるのはなぜですか",
        "料金はいくらですか",
        "何でできていますか",
        "本を買うにはどうすればいいですか",
        "汚れを落とせるのはどれ",
        "気温が上がったのはいつ",
    ],
)
def test_grammar_is_no_word(grammar: str) -> None:
    assert list(kana_words(grammar)) == []


@pytest.mark.parametrize(
    "pair",
    [
        "サメを食べる魚は|サメが食べる魚は",
        "先生に褒められる生徒の特徴|先生を褒める生徒の特徴",
        "決勝で日本に勝った国は|決勝で日本が勝った国は",
    ],
)
def test_who_acts_and_who_is_acted_upon_are_told_apart(pair: str) -> None:
    one, two = pair.split("|")
    assert "role" in compare(sign(one, "ja"), sign(two, "ja")).facets


@pytest.mark.parametrize(
    "pair",
    [
        "消費税が導入されたのはいつですか|消費税を導入したのはいつですか",
        "会議は午後3時半に始まりますか|会議は15時30分に始まりますか",
        "給料の3割は何円|給料の30%はいくら",
        "シミュレーションの語源は|シュミレーションの語源は",
    ],
)
def test_the_form_of_a_number_a_voice_or_a_spelling_is_no_difference(pair: str) -> None:
    one, two = pair.split("|")
    assert compare(sign(one, "ja"), sign(two, "ja")).facets == ()
