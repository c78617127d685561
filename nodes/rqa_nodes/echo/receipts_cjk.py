"""In which Japanese and Chinese words does an assistant say that it stored or deleted something?

The verb stands in a form of what was just done or is promised, and beside it a place of memory, something of the
reader's, or nothing but words of manner. A general truth ("what is practised is not forgotten") is no receipt, and
neither is what happened to a file or what somebody else does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, Literal, NamedTuple

from rqa_nodes.echo.claim import any_of
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.screen import Screened
from rqa_nodes.echo.verbs_ja import Verbs

__all__ = ["OTHER_THINGS", "Deed", "is_other_deed", "receipt_forms"]

Deed = Literal["save", "delete"]
_DEEDS: Final[tuple[Deed, ...]] = ("save", "delete")


class _Form(NamedTuple):
    pattern: re.Pattern[str]
    deed: Deed
    alone: bool = False
    """It is a label: what follows it stays."""


_STOP: Final = r"(?:ね|よ|わ|な|で|さ|ぜ)*(?=[。!！\s)\]」]|、(?!と)|ので|から|が、|$)"
_ACKNOWLEDGED: Final = (
    r"(?:(?:はい|ええ|承知(?:しました|いたしました)|了解(?:です|しました)?|かしこまりました|わかりました|分かりました|もちろん|では|"
    r"それでは|お任せください|ご安心ください|安心してください|ありがとうございます|OK|ok)[、。!！ ]*)*"
)
_BEGINS: Final = r"(?:^|(?<=[。、!！:(\[\n]))[\s>*_・•✅✔📝💾-]*"


_STATE: Final = lazily(r"(?:覚え|記憶し)て(?:い|おり)ます")
_LATER: Final = lazily(r"次|今後|今度|以後|以降|これから|この先|ずっと|いつ(?:でも|まで)|必ず|決して|一生|忘れ|とき|時")
_PLANNED: Final = lazily(r"(?:たら|れば|なら|場合(?:は|に)?|ときは|てから|まず|次に|最後に|と(?=、))[^。]*$")
_NOT_YET: Final = lazily(r"ます(?:ね|よ)*$")


def is_other_deed(text: str, start: int, end: int) -> bool:
    """Is a Japanese form of storing or deleting none that was done: what the speaker has in mind, or a step of a plan?

    Args:
        text: The folded sentence.
        start: Where the form begins in it.
        end: Where it ends.
    """
    form = text[start:end]
    if _STATE.search(form):
        return not _LATER.search(text, 0, end)
    return bool(_NOT_YET.search(form) and _PLANNED.search(text, 0, start)) and "おき" not in form


def receipt_forms(lang: str, text: str) -> tuple[_Form, ...]:
    """The patterns of a language that could match in this text, with what each says was done."""
    return _screened(lang).on(text)[0]


@cache
def _screened(lang: str) -> Screened[tuple[tuple[_Form, ...]]]:
    return Screened((_japanese() if lang == "ja" else _chinese(),))


def _japanese() -> tuple[_Form, ...]:
    words = load("ja")["receipts"]
    places, manner = any_of(words["places"]), rf"(?:(?:{any_of(words['adverbs'])})、?)*"
    anywhere = any_of([*words["places"], *words["inside"]])
    about = r"(?:については|につきましては|を|は|も)、?(?:[^。、をは]{0,12})?"
    owned = rf"(?:{any_of(words['owned'])})[^。、をはもが\s]{{1,14}}?{about}"
    kinds = (
        r"(?:(?:苦手|好み|アレルギー|お気に入り|嫌い)[^。、は]{0,8}リストに|"
        r"(?:好み|希望|要望|情報|条件|予定|設定|前提|名前|呼び名)(?:として|に))"
    )
    forms: list[_Form] = []
    for deed in _DEEDS:
        verbs, alone = Verbs.of(words[deed]), Verbs.of(words[f"alone_{deed}"]).promised()
        done, sino = verbs.promised(), Verbs(suru=verbs.suru).promised()
        aim = r"(?:に|へ)(?:は|も)?" if deed == "save" else r"(?:から|を|は|も)"
        forms += [
            _form(rf"(?:{anywhere}){aim}{manner}[^。、!！?？をは]{{0,10}}?(?:{done}){_STOP}", deed),
            _form(rf"(?:{places}){aim}[^。、!！?？をは]{{1,12}}を(?:{done}){_STOP}", deed),
            _form(rf"{_BEGINS}{owned}{manner}(?<!と)(?:{done}){_STOP}", deed),
            _form(rf"{_BEGINS}{_ACKNOWLEDGED}{manner}(?:{alone}){_STOP}", deed),
            _form(rf"(?:[、」日時番だ]|です|[てで]い[るた])と(?:{alone})(?<=ました){_STOP}", deed),
            _form(rf"(?<!と)(?:{sino})(?:(?<=ました)|(?<!した)){_STOP}(?<!します)(?<!いたします)(?<!しますね)", deed),
            _form(rf"{kinds}[^。、は]{{0,14}}を(?:{done}){_STOP}", deed),
        ]
    return (*forms, *_set_phrases(manner))


def _set_phrases(manner: str) -> Iterator[_Form]:
    """Japanese wordings that the verbs alone do not give."""
    told = r"(?:お|ご|その|この|今の|あなたの|いただいた)[^。、はを]{0,12}(?:は|を|も|のこと(?:は|を|も)?)、?"
    never = r"忘れ(?:ませ[んぬ]|ないように(?:し|いたし)ます|ないで(?:おき|い)ます)"
    later = r"(?:お会いする|話す|いらっしゃる)(?:とき|時)(?:も|まで)?覚えて(?:います|おります)"
    data = r"(?:プロフィール|記憶|メモリー?|ユーザー情報|ご登録情報|あなたの(?:情報|記録)|ご?(?:連絡先|住所))"
    renewed = (
        r"を(?:(?:最新|新し[いく]|今|現在)の?(?:もの|内容|情報|ほう)に)?"
        r"(?:(?:更新|修正|上書き|変更)(?:しました|しておきました|いたしました)|(?:差し替え|書き換え|改め)(?:ました|ておきました))"
    )
    thing = r"(?:(?:その|この|ご)?(?:内容|情報|件|要望|好み|設定|これ|それ)は?、?)?"
    yield _form(rf"(?:{_BEGINS}(?:私は)?{_ACKNOWLEDGED}|{told}|もう二度と|もう){manner}{never}{_STOP}", "save")
    yield _form(rf"(?:覚えておきます|覚えておきました|{later}|メモを取りました){_STOP}", "save")
    yield _form(rf"(?:設定|好み|呼び方|希望)を記憶(?:済み|しました|しておきました){_STOP}", "save")
    yield _form(rf"{data}{renewed}{_STOP}", "save")
    yield _form(rf"{_BEGINS}{_ACKNOWLEDGED}{thing}(?:記録|保存|登録)(?:されました|されています)(?=[。!！\s]|$)", "save")
    yield from _labels()
    yield _form(rf"と、?(?:登録|メモ|記録|記憶)して(?:おきました|おきます|おくね|おきますね){_STOP}", "save")
    yield _form(
        rf"(?:さっき|先ほど|さきほど|その|今の|あの)の?(?:話|件|こと|情報|内容|お話)(?:は|を|も)、?{manner}"
        rf"(?:忘れ|消し|削除し)(?:ました|ておきました|ます|ておきます){_STOP}",
        "delete",
    )
    yield _form(r"(?:を|は|も)(?:きれいに|全部|すべて)?忘れることにしました", "delete")
    yield _form(r"(?:記憶|記録|メモ|メモリー?|履歴)(?:が|は)(?:すべて|全部)?消えました", "delete")


def _labels() -> Iterator[_Form]:
    """What stands as a label or in brackets: 記憶に追加：…, 【メモリ更新】."""
    place, done = (
        r"(?:記憶|メモリー?|プロフィール|ユーザー情報|メモ|好み|ご?希望)",
        r"(?:完了|済み?|しました|しておきました)?",
    )
    kept = rf"{place}(?:を|に|へ)?(?:更新|追加|保存|記録|登録|反映|書き込み){done}"
    gone = rf"{place}(?:を|から)?(?:削除|消去|クリア|リセット){done}"
    sure = rf"(?:記憶|プロフィール|メモ)(?:を|に|へ)?(?:更新|追加|反映|書き込み){done}"
    sure += rf"|{place}(?:を|に|へ)(?:更新|追加|保存|記録|登録|反映){done}"
    yield _form(rf"(?<=\[){kept}(?=\])", "save", alone=True)
    yield _form(rf"(?<=\[){gone}(?=\])", "delete", alone=True)
    yield _form(rf"{_BEGINS}(?:{sure})(?= ?:)", "save", alone=True)
    yield _form(
        rf"{_BEGINS}(?:記憶|記録|保存|登録|メモ)(?:完了|済み|しました|しておきました|しときました)(?= ?:)",
        "save",
        alone=True,
    )


def _form(pattern: str, deed: Deed, *, alone: bool = False) -> _Form:
    return _Form(lazily(pattern), deed, alone)


OTHER_THINGS: Final = {
    "ja": lazily(
        r"ファイル|バックアップ|画像|下書き|文書|コード|写真|フォルダ|設定を|動画|音声|カレンダー|端末|パソコン|本棚|"
        r"(?<!希望の)(?<!指定の)(?<!なたの)(?<!あなたに関する)(?<!該当の)(?<!その)データ|"
        r"(?<!私)が[^、]{0,20}$|[彼者社官庁省館台員方](?:女|ら|たち)?は|(?:表|一覧|式|鍋|箱|棚|袋|列|行|欄)(?:に|を)[^、]{0,8}$|"
        r"(?<!私)(?<!今回)(?<!今日)(?<!ここで)(?<!確か)(?<!それで)(?<!のこと)(?<!内容)(?<!情報)(?<!今後)(?<!以後)(?<!次回)(?<!これから)は[^、。]{1,16}を[^、。]{0,8}$"
    ),
    "zh": lazily(r"文件|图片|圖片|文档|文檔|照片|视频|代码|程序|系统|系統|设置|备份|[他她它]们?[^，,。]{0,6}$"),
}
"""What stands before a verb that stores or deletes something else than memory."""


def _chinese() -> tuple[_Form, ...]:
    words = load("zh")["receipts"]
    thing = rf"(?:{any_of(words['things'])})"
    mine = rf"(?:{any_of(words['owned'])})[^，,。!！:：]{{0,10}}?"
    when = rf"(?:{any_of(words['adverbs'])})*"
    to = (
        r"(?:(?:到|在|进|進|至)[^，,。]{0,8}?(?:记忆|記憶|档案|檔案|笔记|筆記|资料|資料|记录|記錄|心里|心裡)"
        r"(?:里|裡|中|库|庫)?(?:了)?)?"
    )
    end, for_you = r"(?=[。！!，,：:；;\s\])）]|$)", r"(?:为您|替您|帮您|帮你|为你|替你|為您|幫您|幫你)?"
    yes = r"(?:^|(?<=[，,。!！\s]))(?:好的?|没问题|沒問題|收到|明白|了解|放心|当然|當然)?[，,]?"
    kept = r"(?:记忆|記憶|档案|檔案|笔记|筆記)(?:里|裡|中|库|庫)?"
    forms: list[_Form] = []
    for deed in _DEEDS:
        verb = rf"(?:{any_of(words[deed])})"
        done = rf"{verb}(?:了|好了|下来|下來|下|掉|完毕|完畢|成功|完成)*"
        forms += [
            _form(rf"我{when}(?:(?:把|将|將)[^，,。]{{0,14}}?)?{when}{done}{to}(?!时|的时候|过)", deed),
            _form(rf"{yes}(?:已经?|已經|都已?){for_you}{done}{to}(?:了)?(?!的)[^，,。]{{0,8}}?{end}", deed),
            _form(rf"(?:{mine}|{thing}){when}(?:已经?|已經|都)(?:被)?{for_you}{when}{done}{to}(?:了)?{end}", deed),
            _form(rf"(?:^|(?<=[，,。]))(?:好的?[，,])?{done}{to}了?(?<=了)(?:[。！!\s]*$|(?=[，,]))", deed),
            _form(rf"(?:(?:把|将|將)(?:{mine}|{thing})[^，,。]{{0,8}}?){when}{done}{to}(?:了)?{end}", deed),
            _form(
                rf"(?:已经?|已經|都|刚|剛)(?:把|将|將)[^，,。]{{0,14}}?{done}[^，,。]{{0,4}}(?:{kept})(?:了)?{end}",
                deed,
            ),
        ]
    keep = r"(?:会|會|都会|都會)(?:一直|永远|永遠|牢牢|好好|始终)*(?:记得|記得|记住|記住|记在心|記在心)"
    never = r"(?:不会|不會|绝不会|絕不會|绝不|不再会?)(?:忘记|忘記|忘掉|忘)"
    forms += [
        _form(
            rf"(?:我|下次|以后|以後|今后|今後)[^，,。]{{0,8}}?(?:{keep}|{never})[^，,。]{{0,8}}(?=[。！!，,\s]|$)",
            "save",
        )
    ]
    about_you = r"(?:偏好|喜好|档案|檔案|资料|資料|信息|資訊|画像)"
    forms += [
        _form(
            rf"(?:已经?|已經)(?:把|将|將)[您你]的{about_you}[^，,。]{{0,6}}?(?:更新|设置?|改|調整|调整)(?:为|為|成|到)",
            "save",
        ),
        _form(
            rf"提醒(?:已经?|已經)设(?:置|好|定)好?了?{end}|"
            rf"(?:已经?|已經){for_you}设(?:置|好|定)好?了?[^，,。]{{0,8}}提醒{end}",
            "save",
        ),
    ]
    return tuple(forms)
