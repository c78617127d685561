"""Which nouns of a Japanese sentence name an earlier talk, or what the assistant has kept of one?

A talk with a word of time or of "we" before it grounds the statement ("by our last talk, ..."), is what the sentence is
about ("we spoke of it last month"), or the place where something was done. A habit of the reader, and a fact about him
that the sentence only recalls ("your budget was ten, wasn't it"), can be known from earlier talks alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from rqa_nodes.echo.agents_ja import acts_for_others, clause_start, earlier
from rqa_nodes.echo.claim import Claim, Speaker, any_of
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.screen import Screen, Screened
from rqa_nodes.echo.verbs_ja import Verbs

__all__ = ["earlier_talks", "screen_of_talks"]

_ASK: Final = r"(?:よ?ね|よな|っけ|じゃない(?:です)?か|じゃん|でしょう?)"
_STOP: Final = rf"(?:よ|{_ASK})*(?=[。!！?？」』)\s]|$)"
_LATER: Final = r"(?:に|は|も|から|、)*"
"""What may follow a word of time."""
_GOT: Final = r"(?:いただ[いき]|頂[いき]|頂戴し|うかが[いっ]|伺[いっ]|承[りっ])"
_DONE: Final = r"(?:て(?:い|おり)?)?(?:まし)?(?:た|ます)"
_YOU: Final = r"(?:あなた|貴方|君|お客様|ご自身|ご本人)"
_KEPT: Final = r"(?:記憶|記録|メモ|控え|履歴|ノート|覚え書き|覚書き?|備忘録|認識|把握)"
_KEEPER: Final = r"(?:(?:私|こちら|手元|当方|僕|お手元|私たち|二人)の|(?:会話|相談|対話|過去|これまで|以前)の?)"
_BY_WHAT_IS_KEPT: Final = (
    r"(?:では|上は|によると|によれば|によりますと|が(?:正しければ|確かなら(?:ば)?|間違っていなければ|確かであれば)|"
    r"に(?:は)?(?:ある|残る|残っている|書いた)(?:とおり|通り|ように|限りでは)|の限り(?:では)?|の範囲では|"
    r"を(?:見る|たどる|見返す|確かめる|振り返る|確認する)(?:限り(?:では)?|と)|"
    r"(?:して|に残って)いる(?:限り|範囲)(?:では)?)"
)
_STORED: Final = (
    r"(?:(?:お?(?:保存|登録|記録|共有|お預かり|保管|蓄積|記憶|メモ)(?:されている|されています|済みの|した|している|してある)|残っている|"
    r"手元の|手元にある|過去の|以前の|これまでの|現在の|こちらの|私の|当方の|お客様の|あなたの))"
)
_SEEN: Final = (
    r"(?:では|上|上は|によると|によれば|によりますと|だと|に(?:は)?(?:ある|残る)(?:とおり|通り|ように)|に基づ(?:き|いて|くと|けば)|から(?:すると|見ると)|"
    r"を(?:見る|拝見する|参照する|確認する|見返す|振り返る|たどる)(?:と|限り(?:では)?)|をたどれば|を(?:見た|拝見した|参照した|確認した|見返した)ところ)"
)
_OF_READER: Final = (
    r"(?=[^。]{{0,60}}?(?:あなた|貴方|お客様|{things}|ご(?!覧|注意|確認|了承|参照|利用|案内|紹介|飯|存|自由|活用|質問|先祖)[\u3400-\u9fff]{{2}}|おあり|いらっしゃ|"
    r"てはる|とのこと|(?:です|ます|でした|ました|だそうです)よ?[ねな]|(?:選び|決め|組み|用意し|提案し|避け|外し)ました))"
)
"""What follows is about the reader."""
_LAST: Final = r"(?:前回|前々回|先日|この前|この間|昨日|以前|先週|先月)"
_SAME: Final = (
    r"(?:同様|と同じく|と同様に?|と同じように|に続きまして|に続いて|に続き|に引き続き|の続きで(?:すが)?|"
    r"の続きになりますが)"
)
_OPENS: Final = r"(?:^|(?<=[。、\n>]))[\s*・•-]*"
_PLACED: Final = r"(?:の|における|で(?:の|行った|交わした)?|から(?:の)?|に(?:行った|交わした|した)|中の|まで(?:の)?)+"
_SETTLED: Final = r"(?:共有|合意|相談|了承|承認|確認|案内|通知|説明|お?伝え|お知らせ|ご?連絡|決定|約束)"
_NOUN: Final = r"(?=[\u3400-\u9fff\u30a1-\u30fc「])"


class _Form(NamedTuple):
    """One way to name an earlier talk."""

    pattern: re.Pattern[str]
    speaker: Speaker = "we"


class _Words(NamedTuple):
    time: str
    we: str
    talk: str
    grounds: str
    named: str
    """A talk with a word of time or of "we" before it."""


class _Rules(NamedTuple):
    aside: tuple[_Form, ...]
    whole: tuple[_Form, ...]
    weak: tuple[_Form, ...]
    closing: re.Pattern[str]
    """What calls the sentence before it settled."""
    about_words: re.Pattern[str]


def _form(pattern: str, speaker: Speaker = "we") -> _Form:
    return _Form(lazily(pattern), speaker)


@cache
def _rules() -> Screened[_Rules]:
    words = load("ja")
    time, we, talk = earlier(), any_of(words["we"]), any_of(words["talks"])
    ours = rf"(?:{_YOU}と?の)?(?:{time}|過去|{we}|双方|お二人|あなたと私|私とあなた)(?:の間)?{_PLACED}"
    parts = r"(?:で?の?(?:内容|流れ|続き|経緯|結果|中|途中|要点|お話|話))*"
    named = rf"{ours}(?:[^、。「」\s]{{1,8}}の)?(?:{talk}){parts}"
    given = _Words(time, we, talk, any_of(words["grounds"]), named)
    rules = _Rules(
        aside=_asides(given, asked=any_of(words["asked_things"])),
        whole=(*_talks(given), *_deeds(given), *_habits()),
        weak=_weak(given),
        closing=_closing(),
        about_words=lazily(any_of(words["metalinguistic"])),
    )
    return Screened(rules)


def _asides(words: _Words, *, asked: str) -> tuple[_Form, ...]:
    """What can be cut out of its sentence."""
    time, talk, named, grounds = words.time, words.talk, words.named, words.grounds
    shown = r"[^、。「」]{1,14}?(?:た|る)(?:とおり|通り|ように|ところ(?:では|によると)?)(?:に|で)?"
    mine = (
        r"(?:私(?:の|が))?(?:覚えて(?:いる|おります)|覚えとる|記憶して(?:いる|おります))(?:限り|範囲)(?:では|で)?"
        rf"|(?:私の)?{_KEPT}を見る限り(?:では|で)?|記憶をたど(?:ると|れば)"
    )
    readers = _OF_READER.format(things=any_of(load("ja")["readers_things"]))
    files = r"(?:会話ログ|チャットログ|ログ|プロフィール|登録情報|ユーザー情報|お客様情報|メモリー?)"
    return (
        _form(rf"{named}(?:{grounds}|では|でも|からも?|なら|だと|として(?:は)?)、? *(?<=[、 ])"),
        _form(rf"{named}(?:で|に|から|の中で|でも|にも){shown}、 *"),
        _form(rf"{_OPENS}(?P<it>{_LAST}(?:まで)?{_SAME})、 *"),
        _form(rf"{_KEEPER}(?:持つ|残る)?{_KEPT}{_BY_WHAT_IS_KEPT}、? *"),
        _form(rf"^[\s*・•>-]*(?P<it>(?:{mine}))、 *"),
        _form(rf"{_OPENS}(?P<it>{_STORED}?(?:{_KEPT}|{files}){_SEEN})、? *(?<=[、 ]){readers}"),
        _form(rf"{_OPENS}(?P<it>{_STORED}(?:情報|データ|内容){_SEEN})、? *(?<=[、 ]){readers}"),
        _form(
            rf"(?<![^\s、。「(*・-])(?:{_YOU}|ご自身|ご本人)(?:から)?の(?:ご|お)?(?:{talk}|言葉|説|申告)"
            r"(?:では(?!あり|ござ|な[いくかん])|によると|によれば|によりますと|を借りれば|"
            r"に(?:ある|あった)(?:とおり|通り|ように))、? *",
            "you",
        ),
        _form(rf"{_SETTLED}(?:済み|ずみ)の(?=[^、。「」]{{1,14}}(?:{grounds}))"),
        _form(
            rf"{time}{_LATER}(?:いただ|頂)(?:いた|いていた|いております)(?=(?:ご|お)?(?:{talk}))"
            rf"(?:(?:ご|お)?(?:{talk})(?:{grounds})、? *)?",
            "you",
        ),
        _form(
            rf"{time}{_LATER}[おご](?:{asked})(?:の(?:あった|ありました|件の?)?|だった|でした)(?=[\u3400-\u9fff\u30a1-\u30fc])",
            "you",
        ),
        _form(rf"(?P<it>{time}の(?:{_YOU}|あんた)の)(?=(?:ご|お)?(?:{talk}))", "you"),
        _form(
            rf"{time}{_LATER}(?:{_YOU}|あんた)(?:が|から|に)"
            rf"(?:くれた|くださった|もらった|もろた|いただいた|頂いた){_NOUN}",
            "you",
        ),
        _form(rf"{time}の(?:お申し越し|お申し出|ご所望|お尋ね|お問い合わせ|ご用命|仰せ)(?:{grounds})、? *", "you"),
    )


def _talks(words: _Words) -> tuple[_Form, ...]:
    """Sentences about a talk, and about what came out of it."""
    time, talk = words.time, words.talk
    held = r"(?:見解|結論|合意|方針|認識|話|お話|到達点|立場|判断|答え|意見|理解)(?:です|でした|だった|だ)"
    count = r"[一二三四五六七八九十何\d]+(?:度|回)目の"
    well = r"(?:ちゃんと|よく|しっかり|はっきり|今も|今でも|まだ|もちろん|きちんと)*"
    known = r"(?:覚えて(?:います|おります|る)|覚えとる|(?:記憶して|存じて|存じ上げて|承知して)(?:います|おります))"
    written = r"(?:残って|記録されて|メモされて|記されて|書かれて|登録されて)"
    kept = rf"(?:と(?:は)?(?:あり|ござい|{written})|が{written})"
    return (
        _form(rf"というのが、?(?:{time}|{words.we}|双方|これまで)(?:の|まで|における|で)*[^。]{{0,12}}?{held}{_STOP}"),
        _form(rf"(?:だ|です|た|る|い|、)と(?:は)?、?{well}{known}{_STOP}", "you"),
        _form(
            rf"^[\s*・•>-]*(?!(?!{_YOU})[^、。]{{1,10}}は)[^。]{{2,60}}?(?<=[たるいだす])(?P<own>と)、?{well}{known}{_STOP}",
            "you",
        ),
        _form(
            rf"(?P<own>(?<=[たるいだてん])(?:という)?(?:こと|の|件|話)|(?<=な)の)(?:は|も|、){well}{known}(?:よ|ね|で|わ|から|ので)*(?=[。!！、]|$)",
            "you",
        ),
        _form(
            rf"(?:(?:あなた|貴方|君|{any_of(load('ja')['readers_things'])})(?:が|は|の)|先日|おっしゃ|前に)[^。]{{1,40}}?"
            rf"(?P<own>(?:こと|の)を{well}{known})(?:よ|ね|で|わ|から|ので)*(?=[。!！、]|$)",
            "you",
        ),
        _form(
            rf"^[\s*・•>-]*(?P<own>(?:私|こちら|当方)の(?:{_KEPT}|メモリー?)に(?:は|も)?、?)[^。]{{1,40}}?{kept}[^、。]{{0,6}}{_STOP}",
            "you",
        ),
        _form(rf"(?:だ|です|た|る|い|、)との?(?P<own>お話し?|仰せ|ご説明|ご相談|ご申告)(?:です|でした){_STOP}", "you"),
        _form(rf"(?:という|との)(?P<own>(?:ご|お)?(?:{talk}))[をはもが](?:{time}{_LATER})?{_GOT}{_DONE}{_STOP}", "you"),
        _form(rf"(?:{talk})[をはもが、]{time}{_LATER}(?:し|{_GOT}|もら[いっ]|交わし|重ね|あり){_DONE}{_STOP}", "you"),
        _form(rf"{time}[^。「」]{{0,40}}?(?:{talk})(?:を|も){_GOT}{_DONE}{_STOP}", "you"),
        _form(
            rf"{time}{_LATER}(?:ご?同じ|似た)[^。「」]{{0,12}}(?:を|も)(?:{_GOT}|受け|もら[いっ]|され){_DONE}{_STOP}",
            "you",
        ),
        _form(
            rf"(?:これで{count}[ごお]?(?:{talk})|{count}ご(?:質問|相談))(?:です|でした|になりま(?:す|した)){_STOP}",
            "you",
        ),
        _form(
            rf"{words.named}(?:で|にて|の結果|により)[^。、|]{{0,6}}?(?:済み|ずみ|解決|決定|確認|合意|了承|決着)(?=\s*(?:\||$))"
        ),
    )


def _deeds(words: _Words) -> tuple[_Form, ...]:
    """Sentences about what the two did together."""
    deeds, time = load("ja")["deeds"], words.time
    session, state = any_of(load("ja")["sessions"]), any_of(load("ja")["readers_state"])
    verb, said = Verbs.of(deeds["together"], deeds["settle"], deeds["talk"]).past(), Verbs.of(deeds["say"]).past()
    when = r"(?:前回|前々回|先日|昨日|この前|この間|先週|先月|前|初回|一昨日)"
    span = r"(?:ぶり|か月|ヶ月|カ月|週間|日|年)(?:ほど|くらい|ぐらい|以上)?"
    made = (
        r"(?:出|解|練習|やっ|読ん|扱|学|進め|見|書い|作|直|直し|考え|まとめ|仕上げ|翻訳|添削|計算|練|選)[^、。「」]{0,3}"
        r"(?=(?:宿題|課題|問題|章|単元|曲|フレーズ|文章|原稿|表|リスト|案|計画|下書き|資料|図|コード|続き|ところ|範囲|話題|テーマ|手順|献立))"
    )
    since = r"(?:[春夏秋冬]|先週|先月|昨年|去年|前回|初回|最初|\d{1,2}月)"
    ours = r"(?:私たち|私達|我々|二人|僕ら|僕たち|俺ら|俺たち|うちら)"
    return (
        _form(rf"{ours}(?:は|で){time}{_LATER}[^。「」]{{0,30}}?(?:{verb}){_STOP}"),
        _form(
            rf"(?:この|その|同じ)(?:話題?|件|質問|問い|テーマ|議論)(?:は|が|も|、)?{time}{_LATER}[^。]{{0,10}}?"
            rf"(?:出|上が|触れ|され|あり|し)[^。]{{0,4}}?ました{_STOP}"
        ),
        _form(
            rf"{ours}の間では?、?[^。]{{1,24}}?(?:決ま|話がつ|合意|了解|約束|解決|結論|済ん|片づ|確認)"
            r"[^。]{0,12}(?=[。!！]|$)"
        ),
        _form(
            rf"{ours}の(?:約束|合意|取り決め|決定|結論|計画|目標)(?:は|を|が|、)[^。]{{0,20}}?(?:忘れて|覚えて|守)"
            r"[^。]{0,10}(?:よ?ね|な|か)(?=[。!！?？]|$)"
        ),
        _form(
            rf"(?:{any_of(load('ja')['frequency'])}|前に|以前)(?:も)?(?:聞い|伺っ|話し|出|議論し|説明し)た"
            r"(?:お?話|こと|内容|質問|話題)(?:です|だ|や|でした)(?:よ|ね|な|わ|し)+(?=[。!！]|$)"
        ),
        _form(
            rf"(?:前回|先日|この前|この間|こないだ)(?:は|も)、?[^。]{{2,30}}?(?:ので|から|けど|が)、[^。]{{0,10}}?"
            rf"(?:心配して|気にして|気になって|案じて|安心し)[^。]{{0,8}}?(?:ました|でした){_STOP}"
        ),
        _form(
            rf"(?:私たち|私達|我々|二人|僕ら|俺たち|うちら)(?:が|で){since}から[^。、「」]{{1,10}}てきた[^。、]{{1,12}}(?:です|でした|だ)(?:よ|ね)*{_STOP}"
        ),
        _form(rf"(?P<it>(?:前回|この前|前々回|先日|こないだ|この間)(?:は|の(?:{session})で)?{made})"),
        _form(rf"{when}の(?P<own>お?話の)?続き(?:です|でした|になります|だ)(?:よ|ね|な)*{_STOP}"),
        _form(
            rf"{when}の(?P<own>君|あなた|貴方)(?:は|も|って)[^。]{{1,30}}?(?:た|でし|まし)[^。]{{0,4}}{_STOP}", "you"
        ),
        _form(
            rf"{when}の(?:{session})(?:で(?:は|も)?|は|の(?:中|途中)で)、?[^。]{{1,40}}?(?:を|まで|から)[^。、]{{1,24}}?ました"
            rf"{_STOP}"
        ),
        _form(rf"(?:前回|この前|先日|昨日|この間)(?:は)?(?:たしか|確か)、?[^。]{{2,50}}?(?:まし|でし)た{_STOP}"),
        _form(
            rf"{time}[^。「」]{{0,40}}?(?:一緒に|二人で|私と)[^。「」]{{1,20}}?た(?:ん|の)?(?:です)?(?:よ|{_ASK})+{_STOP}"
        ),
        _form(rf"{time}[^。「」]{{0,40}}?[ただ](?:こと|覚え)があり(?:まし)?た(?:よ|{_ASK})+{_STOP}"),
        _form(rf"{time}[^。「」]{{0,40}}?(?P<verb>{verb})(?:ん|の)?(?:です)?(?:よ|{_ASK})+{_STOP}"),
        _form(rf"{time}[^。「」]{{0,40}}?(?P<verb>{said})(?:ん|の)?(?:です)?(?:よ|{_ASK})+{_STOP}", "you"),
        _form(
            rf"前回(?:から|以来)(?:もう|ちょうど|およそ|約)?[^。、の]{{1,8}}?{span}(?:です|になります|経ちま(?:す|した)){_STOP}"
        ),
        _form(
            rf"(?:前回|先日|この前|この間|先週)より(?:も)?、?[^。]{{0,6}}?(?:{state})"
            rf"[^。]{{1,20}}?(?:ました|です)(?:よ|ね)*{_STOP}"
        ),
    )


def _habits() -> tuple[_Form, ...]:
    """Sentences about the reader that only earlier talks can tell."""
    often, things = any_of(load("ja")["frequency"]), any_of(load("ja")["readers_things"])
    likes = (
        r"(?:苦手|好き|嫌い|得意|アレルギー|猫舌|派|型|予定|出身|生まれ|持ち|住まい|暮らし|"
        r"専攻|担当|希望|ダメ|だめ|駄目|無理)"
    )
    yours = r"お(?:好き|嫌い|得意|苦手|忙しい|疲れ|住まい|勤め|持ち|悩み|考え|望み)"
    does = r"(?:ます|まし|ませ)(?:た|ん(?:でした)?)?"
    again = r"(?:結論|話|質問|不安|心配|悩み|相談|理由|主張|口に|お悩み|ところ)"
    return (
        _form(rf"{_YOU}は[^。「」、]{{0,20}}?(?:{often})[^。]{{0,40}}?{does}{_STOP}", "you"),
        _form(rf"(?:一貫して|いつも|毎回|昔から|常に|ずっと){_YOU}(?:は|が)[^。]{{0,40}}?{does}{_STOP}", "you"),
        _form(
            rf"(?:毎回|いつも|毎度|最後は|結局)、?[^。]{{0,40}}?{again}[^。]{{0,14}}?(?:ます|ました|ています)よ?ね{_STOP}",
            "you",
        ),
        _form(
            rf"^[\s>*_#・•-]*(?P<own>{_YOU}の[^。「」はが]{{1,12}}|(?:{things})(?:の[^。、はが]{{1,10}})?)(?:は|が|も|とは|には|、)"
            rf"[^。]{{1,30}}?(?:でした|ました|だった)(?:よ?ね|っけ){_STOP}",
            "you",
        ),
        _form(
            rf"^[\s>*_#・•-]*(?P<own>(?:たしか|確か|そういえば|そう言えば)、?)[^。]{{0,24}}?{likes}"
            rf"(?:だった|でした|やった)(?:よ?ね|よな|っけ){_STOP}",
            "you",
        ),
        _form(
            r"(?P<own>(?:なさって|されて|していらっしゃ|てらっしゃ|お(?:持ち|住まい|勤め|好き))[^。、]{0,6}?)"
            rf"(?:ん|の)でした(?:よ?ね|っけ){_STOP}",
            "you",
        ),
        _form(
            rf"いつも[^。、]{{1,16}}(?P<own>お[^。、]{{1,6}}(?:になります|くださいます)|なさいます|いらっしゃいます)よ?ね{_STOP}",
            "you",
        ),
        _form(
            rf"^[\s>*_#・•-]*(?=[^。]{{0,40}}?(?:{_YOU}|{things}|{yours}))[^。]{{2,40}}?(?P<own>と(?:は|も)?)"
            rf"聞いて(?:います|おります|いました|おりました){_STOP}",
            "you",
        ),
    )


def _weak(words: _Words) -> tuple[_Form, ...]:
    """What calls its statement settled, and claims nothing where nobody spoke of it."""
    sure = r"(?:確立|確定|確認|判明|証明|周知|既定|自明|決定|合意)(?:した|された|済みの|の)"
    fact = rf"{sure}(?:事実|前提|方針|結論|こと|事柄)"
    deal = rf"(?:合意|決定|取り決め|申し合わせ|約束|結論|確認)(?:内容|事項)?(?:{words.grounds})"
    return (
        _form(rf"{_OPENS}(?P<it>{fact}(?:として|であり))、? *"),
        _form(rf"{_OPENS}(?P<it>{deal})、? *"),
        _form(rf"(?:決定|確定|合意|了承|承認|確認|決着)(?:済み|ずみ)の{_NOUN}"),
        _form(rf"お(?:決め|選び|定め)(?:になった|いただいた|くださった){_NOUN}"),
    )


def _closing() -> re.Pattern[str]:
    that = r"(?:これ|それ|以上|この線|ここ)[でがをに](?:は|、)?(?:もう|最終)?"
    agreed = r"(?:決着|結論|決定|確定|合意|解決|落着|一致|決まり|手を打|まとま|落ち着)"
    done = rf"{agreed}[^。]{{0,8}}?(?:です|でした|ました|います|済み)"
    nobody = r"(?:異議|異論|反対|異存)(?:は|も)(?:出|あり)ませんでした"
    return lazily(rf"^[\s>*・-]*(?P<it>(?:{that}{done}|{nobody})(?:ね|よ)*)(?=[。!！]|$)")


def screen_of_talks() -> tuple[Screen, frozenset[int]]:
    """Which of these patterns could match, and the numbers of those that make no claim by themselves."""
    return _rules().screen, _rules().numbers("about_words")


def earlier_talks(text: str) -> Iterator[Claim]:
    """The claims of a folded sentence that rest on the name of an earlier talk or on what was kept of it."""
    rules = _rules().on(text)
    if not (rules.whole or rules.aside or rules.weak or rules.closing.search(text)) or rules.about_words.search(text):
        return
    for form in rules.whole:
        for match in form.pattern.finditer(text):
            if not _by_others(text, match):
                yield _whole(text, match, form.speaker)
    yield from _cut_out(text, rules)
    for match in rules.closing.finditer(text):
        place = match.span("it")
        yield Claim(*place, place, (place[0], place[0]), "we", False, False, False)


def _cut_out(text: str, rules: _Rules) -> Iterator[Claim]:
    """What stands beside the statement."""
    for form in rules.aside:
        for match in form.pattern.finditer(text):
            start = _start(match)
            if not _by_others(text, match) and not _JOINED.search(text, max(0, start - 1), start):
                yield _aside(match, _speaker(match[0]) if form.speaker == "we" else form.speaker, strong=True)
    for form in rules.weak:
        for match in form.pattern.finditer(text):
            yield _aside(match, form.speaker, strong=False)


_JOINED: Final = lazily(r"[\u3400-\u9fff\u30a1-\u30fcの]$")
"""The match is only the end of a longer word."""
_MINE: Final = lazily(r"(?<![ご指])(?:ご(?:説明|助言|注意|提案|案内|回答)|説明|助言|注意|案内|回答|アドバイス)")
_YOURS: Final = lazily(r"ご(?:発言|要望|希望|質問|意見|指摘|相談|依頼|連絡|報告)|お申し|お尋ね")


def _speaker(words: str) -> Speaker:
    """Whose talk the noun names."""
    return "you" if _YOURS.search(words) else "i" if _MINE.search(words) else "we"


def _by_others(text: str, match: re.Match[str]) -> bool:
    if "own" in match.re.groupindex:
        return False
    stop = match.start("verb") if "verb" in match.re.groupindex else match.end()
    return acts_for_others(text, clause_start(text, match.start()), stop)


def _start(match: re.Match[str]) -> int:
    return match.start("it") if "it" in match.re.groupindex else match.start()


def _aside(match: re.Match[str], speaker: Speaker, *, strong: bool) -> Claim:
    place = (_start(match), match.end())
    return Claim(*place, place, (0, 0), speaker, speaker != "we", True, strong)


def _whole(text: str, match: re.Match[str], speaker: Speaker) -> Claim:
    """A claim that is the clause itself: the sentence, what stands in brackets, or the cell of a table."""
    opened = max(text.rfind("(", 0, match.start()), text.rfind("|", 0, match.start())) + 1
    if opened and ")" in text[opened : match.start()]:
        opened = 0
    first = opened + len(text[opened:]) - len(text[opened:].lstrip(" \t>*_#・•-"))
    end = match.end()
    content = (first, match.start() if match.start() > first + 1 else end)
    return Claim(match.start(), end, (first, end), content, speaker, speaker == "you", False, True)
