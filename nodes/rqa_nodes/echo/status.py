"""Does a sentence present its content as settled between the parties, or as known from them?

Wordings of shared history have no end, so this net is wide: any participle of settling, any noun of agreement, any "we"
or "you" with a past verb. It is read only for sentences whose content an assistant message carries and nobody else
affirms; there, what looks like a settled matter is one that nobody settled. Denials, conditions, plans and third
parties settle nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from rqa_nodes.echo.agents_ja import THIRD_PARTY
from rqa_nodes.echo.claim import any_of
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import LANGUAGES, load
from rqa_nodes.echo.mood import is_hedged
from rqa_nodes.echo.screen import Screened
from rqa_nodes.echo.sentence import Sentence
from rqa_nodes.echo.typos_en import misspelled

__all__ = ["Status", "find_status", "is_conditional"]


class Status(NamedTuple):
    """The words that present something as settled, in the folded sentence."""

    start: int
    end: int
    saying: bool
    """They only say that the user said it: a message of the user backs that."""
    own: bool = False
    """The assistant calls the words its own, or what everybody knows: that settles nothing, if they were no guess."""
    firm: bool = False
    """They name an act of settling, and not only the parties."""


_ASKED: Final = lazily(
    r"(?<!やろ)(?<!でしょ)(?<!でしょう)(?<!だろ)(?<!だろう)(?<!じゃん)(?<!やん)(?<!よね)(?<!たっけ)(?<!よな)[?？]\W*$|か。?\s*$|吗。?\s*$"
)
"""A question, and no appeal to what the reader is said to know."""
_NOT_SETTLED_EN: Final = lazily(
    r"(?:(?<![a-z])(?:if|whether|once|when|until|unless|not|never|nothing|nobody|should|could|would|might|may|"
    r"must|can|"
    r"far from|"
    r"will|cannot|to be|to have been|yet|assuming|suppose|without|hardly|whenever|let|before|after you|asked|ask|"
    r"wonder|as if|as though|takes)|n['’]t)(?: [a-z]+){0,2} ?$"
)
_OPEN_CLAUSE: Final = lazily(
    r"(?:^|[,;:.(—–\n])[\s>*_-]*(?:(?:and|but|so|then|even|only|or)\s+)*(?:if|without|lacking|once|when|whenever|until|unless|"
    r"whether|in case|"
    r"provided|before|as soon as|assuming|suppose|supposing|imagine|should)(?![a-z])[^,;:.(—–]*$"
)
"""The clause is a condition from its first word on."""

_NOT_SETTLED_JA: Final = lazily(
    r"^(?:[^、。]{0,4}(?:たら|れば|なら|(?<!たじゃ)(?<!だじゃ)ない|ません|なかっ|わけ(?:では|じゃ)|たい|たく|ましょう|てくださ|て下さ|た後|たあと|"
    r"てから|かどうか|"
    r"か[、。]|かは|のは(?:まだ|誰)))"
)
_IF_JA: Final = lazily(r"もし|仮に|まだ[^、。]{0,12}(?:ない|ません)")
_NOT_SETTLED_ZH: Final = lazily(
    r"(?:如果|要是|是否|假如|没有?|沒有?|不|未|尚未|等|由[你您]|请|請|需要|应该|應該|可能|如何|怎么|想要)[^，,。]{0,6}$"
)


class _Net(NamedTuple):
    settled: re.Pattern[str]
    said: re.Pattern[str]
    wide: re.Pattern[str]
    """What only names the parties, or any past act of theirs."""


_NEVER: Final = lazily(r"(?!)")


_SAYS_THAT: Final = lazily(r"^(?P<lead>[^,;:.]{4,120}?|.*[,;:] [^,;:.]{4,80}?) that (?!is |was |are |were |has |much )")
_TOLD_BETWEEN_US: Final = lazily(r"(?<![a-z])(?:i|my|you|your|we|us|our|it|this|that|there)(?![a-z])")
_SAID_QUOTE: Final = lazily(
    r"(?P<quote>(?:だ|である|だった|です|でした|原因|せい|[\u30a1-\u30fc\u3400-\u9fff])(?:、?(?<!落)と(?!は|同[じ様]|[\u3400-\u9fff\u30a1-\u30fc]{1,10}[はをがのもにで])(?:いう)?|との|"
    r"ということ)、?)(?P<tail>[^。!！?？]{2,60})$"
)
_HONEST_EN: Final = lazily(
    r"(?<![a-z])(?:guess|guessed|suggest|suggests|suggested|suggestion|propose|proposed|hypothes[ie]s|"
    r"assum[a-z]+|suppos[a-z]+|theory|idea|hunch|(?<!no )(?<!without )(?<!to )doubts?|"
    r"suspect|suspicion|believe|think|wonder|possib[a-z]+|likel[a-z]+|chance|maybe|perhaps|may|might|could|"
    r"would|should|can|if|whether|"
    r"far from|reasons? to doubt|"
    r"unless|until|seems?|appears?|indicates?|means?|hints?|not|never|nothing|no evidence|verify|check|confirm|"
    r"test|see|show|note|"
    r"imagine|say|so|such|problem|trouble|issue|catch|risk|question|thing|(?:reason|answer|explanation) is|"
    r"given|cannot|unverified|unconfirmed|"
    r"to be|find out|claims?|says|reports?|reported|argues?|writes?|wrote|warns?|he|she|they|people|experts|"
    r"critics)(?![a-z])|n['’]t"
)
"""Words that own up to a guess, ask, plan, or leave it to somebody else."""
_HONEST_JA: Final = lazily(
    r"推測|仮説|仮定|可能性|かもしれ|思[いうっわ]|考え(?:て|られ|る)|見られ|見込|疑[いうっわ]|言え|言われ|呼[びばん]|"
    r"すると|すれば|なら|たら|わけ(?:では|じゃ)|とは限|提案|懸念|場合|"
    r"限[らり]|よい|いけ|か$|どうか|(?:確認|検証|判断|結論|断定)(?:する|でき|しま?す|しない|して(?:くだ|から|"
    r"下)|が必要|づけるのは)|調べ|示唆|決めつけ|"
    r"は(?:まだ|早)|(?<!変わり)(?<!異論はあり)(?<!異論はござい)(?:ません|ない)(?:でした)?$|必要|未"
)


@cache
def _english() -> Screened[_Net]:
    words = load("en")
    status = words["status"]
    verb = any_of([*words["establishing"], *words["establishing_weak"], *words["saying"], *status["verbs"]])
    accept, part = any_of([*words["establishing"], *status["accepting"]]), any_of(status["participles"])
    say = any_of([*words["saying"], *words["establishing_weak"], *status["you_verbs"]])
    noun, thing = any_of(status["nouns"]), any_of(status["things"])
    adverb = rf"(?:[a-z]+ly|{any_of(status['adverbs'])})"
    aux = rf"(?:['’]?(?:ve|d|re))?(?: (?:{adverb}|have|had|are|were|did))*"
    net = _Net(
        settled=lazily(
            rf"(?<![a-z])(?:(?:we|you and i){aux} (?:{verb})(?![a-z])|you{aux} (?:{accept})(?![a-z])"
            rf"|(?:we|you)(?:['’]re| are| were)(?: {adverb})* (?:sure|certain|clear|convinced|right|correct|"
            rf"spot on|dead right|bang on|on point|on to it|"
            rf"in agreement|"
            r"on the same page|of one mind|settled|agreed|aware|satisfied|done)(?![a-z])"
            rf"|(?:(?:ha(?:s|ve|d)|is|was|are|were|been|got|now|as|what|already|having|both|previously|earlier|"
            rf"so far|"
            rf"jointly|mutually)|(?:it|that|this)['’]s)(?: {adverb}| been| was| were|"
            rf" got)* (?:{part})(?![a-z])(?! (?:by (?!us|you|both)|"
            r"to (?!us|be(?![a-z]))))"
            r"|(?:been|was|is|got|it['’]s) (?:traced|attributed|narrowed(?: down)?|pinned(?: down)?|"
            r"put down|tracked(?: down)?|"
            r"chalked up) (?:back )?to(?![a-z])|(?:turned up|came up|emerged|surfaced|"
            r"came to light) in (?:our|this)(?![a-z])"
            r"|you got it right|as (?:is now|is|became|was) (?:now )?(?:certain|clear|evident|plain|obvious|"
            r"apparent)(?![a-z])"
            r"|you (?:heard|saw|felt|noticed) (?:it|this|that) (?:too|yourself|as well)(?![a-z])"
            r"|[(\[]\s*(?:final|proven|done|agreed|fixed|settled|decided|confirmed|done deal|validated)[!.]?\s*[)\]]"
            r"|(?:as|for) (?:read|given|granted)(?= *(?:[.,;!)]|$))|or so you (?:claim|say)|you called it"
            r"|(?:great|good|smart|wise|excellent|solid|nice|perfect|lovely|sensible|brilliant|superb) "
            r"(?:choice|decision|call|pick|move)(?: (?:going|to go|picking|choosing|opting|of yours|you made|"
            r"on your part))(?![a-z])|knowing (?:that )?(?:it|this|that)(?:['’]s)?(?![a-z])"
            rf"|(?:[a-z]+ly )?(?:{part})(?:[ -][a-z]+){{0,2}} (?:{thing})(?![a-z])"
            rf"|(?:our|your|shared|mutual|joint|common|the earlier|"
            rf"the previous)(?: [a-z]+){{0,2}} (?:{noun})(?![a-z])"
            r"|(?:between|with|among|by|for) (?:us|you and me|you and i|the two of us|both of us)(?![a-z])"
            r"|you and i(?![a-z])|both of us|the two of us|we both|you and me both"
            r"|(?:you(?:['’]ll| will| may| might| surely| do)* |i )?(?:recall|remember)(?=,| that| how| when|"
            r" the| we| you)"
            r"|you(?:['’]ll| will) (?:recall|remember)|as you (?:know|recall|remember|saw|see|heard|are aware)"
            rf"|(?:there (?:is|was|['’]s)|reached|had|have|has)(?: [a-z]+){{0,2}} (?:agreement|consensus)"
            r"|done deal|common ground|same page|put to (?:bed|rest)|no (?:longer (?:in|up for)|more) (?:doubt|"
            r"debate)"
            r"|(?:beyond|no|past) (?:any |further )?(?:doubt|dispute|question)(?: [a-z]+)? (?:between|among)"
            r"|(?:matter|issue|question|case|point)(?: [a-z]+){0,8} (?:is|was) (?:now )?(?:closed|settled|done))"
            rf"|(?:^[\W\d]*|[*_]{{1,3}})(?:[a-z]+ly )?(?:{part})(?: [a-z]+)?[*_]{{0,3}}\s*[:—–-]"
            r"|(?<![a-z])(?:it was|it is|it['’]s) you (?:who|that)|(?<![a-z])you (?:yourself |both )?(?:were|"
            r"are) the one|(?<![a-z])you(?:['’]ve| have|"
            r" had) been [a-z]+ing|when (?:we|you) [a-z]+(?:ed|nd)"
            rf"|(?<![a-z])(?:the|this|that|an?) (?:[a-z]+ly )?(?:{part})(?= [a-z])"
            r"|(?<![a-z])you (?:did not|didn['’]t|never) (?:object|doubt|deny|dispute|disagree|contest|question|"
            r"protest)(?![a-z])"
            r"|,? (?:end of (?:story|discussion|debate)|full stop|period|no question|beyond (?:dispute|doubt|"
            r"question)|without a doubt|"
            r"on (?:the )?record|on file)(?![a-z])"
            rf"|with [^,;:.]{{3,60}}? (?:{part})(?![a-z])|by (?:common |mutual |our )?(?:agreement|consent|"
            rf"consensus)(?![a-z])"
            r"|(?:last|previous|prior|earlier in|in) (?:this |our |the |that |a )?(?:previous |last |"
            r"earlier )?(?:session|thread|chat|conversation|"
            r"talk|exchange|discussion)(?![a-z])"
            r"|^[^:]{0,40}(?<![a-z])(?:stands|sum up|recap|result|results|upshot|outcome|takeaway|so far|"
            r"bottom line)(?![a-z])[^:]{0,20}:"
            r"|(?:we can |can )?(?:take|taken|took) (?:it |that )?(?:as|for) (?:read|granted|given)|case closed|"
            r"cased? is closed|by (?:common|mutual|joint|general) "
            r"|(?:thanks|thank you|grateful|glad|good|great|happy)(?: [a-z]+){0,3} (?:confirm|agree|accept|"
            r"establish|settl|acknowledg|recogni|verif|clear)[a-z]*"
            rf"|[(\[|:—–-]\s*(?:[a-z]+ly )?(?:{part})(?: (?:with|by|between) (?:you|us)| [a-z]+ly| earlier|"
            rf" before)?\s*"
            r"(?:[)\]|.]|$)"
        ),
        said=lazily(
            rf"(?<![a-z])(?:you{aux} (?:{say})(?![a-z])|in your (?:own )?(?:words|view|opinion|account)"
            r"|according to you|by your (?:own )?account)(?![a-z])"
        ),
        wide=lazily(
            r"(?<![a-z])(?:we|us|our)(?:['’](?:ve|d|re))?(?![a-z'’])(?! (?:[a-z]+ly |both |all |also |then |"
            r"now |still |just )*(?:can|could|should|"
            r"shall|would|will|may|might|must|need|want|do not|did not|have not|are not|have to|ought|try|start|"
            r"begin|test|look|check|"
            r"measure|assume|suppose|wait|see if|ask|rule out|go with|call|say|write))"
            r"|(?<![a-z])you(?: yourself| both| also| then| once| already| just| have| had)* (?!need|asked|"
            r"wanted|tried|requested|pasted|posted|"
            r"provided|listed|indeed|speed|feed|proceed|succeed|embed)[a-z]{2,}ed(?![a-z])"
            r"|^[^:]{0,40}(?<![a-z])(?:you|your|our|done|closed|ok|checked|fixed|ticked)(?![a-z])[^:]{0,12}:"
        ),
    )
    return Screened(net)


@cache
def _japanese() -> Screened[_Net]:
    status = load("ja")["status"]
    verb, noun, time = any_of(status["verbs"]), any_of(status["nouns"]), any_of(load("ja")["time"] + status["back"])
    we, like = any_of(load("ja")["we"] + status["we"]), "(?:通り|とおり|とうり|どおり|どうり)"
    past = (
        r"(?:(?:され|でき|し|っ|れ|き|い|つ|いて|えて|って|んだ|め|わっ)?(?:た|て(?:い|お|あ)[るりまた]|てる|ている)|"
        r"まし(?:た|て)|済|ずみ)"
    )
    net = _Net(
        settled=lazily(
            rf"(?:{verb})[^、。!！?？\s「」]{{0,10}}?{past}"
            rf"|(?:{noun})[^、。!！?？\s「」]{{0,2}}{like}"
            rf"|(?:{noun})(?:済|ずみ)|(?:確認|合意|決定|結論|了承)(?:事項|内容)"
            rf"|(?:{we})(?:で|の|が|は|に|も|と|、|とも)"
            rf"|(?:{time})(?:の|に|で|も|から|は|まで)*[^。、\s]{{0,8}}?(?:{noun})"
            r"|共通の?(?:認識|理解|見解)|疑いの余地(?:は|が)|言うまでもなく?|自明"
            r"|という(?:ご?)(?:話|前提|認識|結論|理解|判断|見解|見立て)(?:で|に|が|です|でし|だっ)"
            rf"|(?:{noun})は(?:もう|すでに|既に)?(?:出|つい|付い|着い)|^\W*(?:{noun})(?:として|: )"
            rf"|[^、。\s「」]{{1,14}}(?:{like}|ように)[、で]|のもと(?:で|、)|^[\W\d]*(?:{verb}|"
            rf"{noun})[済み]{{0,2}}[*_]{{0,3}}\s*: ?"
            r"|(?:事項|事実|既定|周知|自明|異論|定説|了解|暗黙)(?:です|で|の|は|が|だ|、|。|$)"
            r"|(?:という|との)(?:ご)?(?:見方|合意|共通|同意|線|立場|点|方向|お話|指摘|意見|ところ|流れ|整理|"
            r"認定|位置づけ)"
            r"|(?:だ|である|だった|の|い|る|た)と(?:ご)?[^、。\s「」]{1,8}(?:され|いただ|くださ|わり|りました|"
            r"えました|りまし)(?:た|て|ました|まし)?"
            r"|お(?:聞|話|伝|知)[^、。\s]{0,6}(?:いただ|くださ|せ)"
            rf"|(?:{noun}|納得|了解|推測|理解|賛成|快諾|記録|メモ)(?:{like}|ずみ|済|を(?:得|受|繰り返|踏まえ)|"
            rf"の(?:上|うえ|もと)|ですが|ですけど|だが|に残|に(?:あ[りる]|書))"
            r"|あなたの[^、。\s]{1,6}(?:通り|とおり|どおり|では|によ|に基づ|を(?:得|受|踏ま))"
            r"|(?:ご|お)[\u3400-\u9fff]{1,3}(?:付き|き|り)?(?:でし|(?:を|と|も)?(?:いただ|頂|くださ|得|受け)|"
            r"どおり|の(?:とおり|通り|うえ|上|件|もと))"
            r"|あなた(?:が|から|も|に)[^。、]{1,14}(?:、|には|れば)|あなたの(?:言葉|話|説|弁|言い分|見方)"
            r"|\((?![^()]*[未要待不か予])[^()]{0,6}(?:確定|合意|決定|確認|了承|承認|済|解決|納得|検証|"
            r"特定)[^()]{0,4}\)"
            r"|で?決まり(?:で|だ(?!から選)|や|よ)|(?:で|に)確定(?:だ|です|や|し)|(?:間違い|まちがい)ない(?:という|って)|"
            r"(?:ok|おk|オーケー|オッケー|ゴーサイン|了解|承諾|許可|快諾|同意|お墨付き)(?:を|が|も|は)?(?:もら[いっ]|いただ|頂|得|取れ|出|くれ)|"
            r"診断(?:が|は)(?:つ[いき]|付[いき]|下[っり]|出)|既定(?:の)?方針|"
            r"(?:行く|いく|する|進める)ことに(?:なっ|なりまし|し|しまし)た|お(?:気に召し|気に入り|好みでし)(?:に)?(?:なっ)?た?|疑いよう(?:が|も)な|"
            r"疑い(?:の余地)?(?:は|も|が)?(?:あり|な)|片付|既[知出定決]の|共通[理認]"
            r"|^[^:。、]{0,8}(?:点|事項|結論|まとめ|済み?|決定|確認(?!する|事項)|合意)[^:。、]{0,4}: ?"
            rf"|{any_of(status['idioms'])}"
            r"|覚えて(?:い|お)|思い出し(?:て|ま)|(?:でし|まし|だっ|やっ)た(?:ん|の)?(?:です|だ|や)?よ?[ねな]|例の|前述の"
            r"|(?:だっ|でし|まし|し|め|い|なっ|言っ|分かっ|わかっ)た(?:じゃん|やん|じゃない|でしょう?|やろ)(?![かの])"
            rf"|(?:{noun}|話|答え?|結果|原因|犯人|白黒|けり|ケリ|片|目星|見当)(?:は|が|も)?(?:もう|すでに|既に)?(?:つい|ついと|付い|出|でて|割れ|絞れ|見え|固ま|落ち着)[^、。\s]{{0,6}}?{past}"
            r"|(?:って|という|ちゅう|いう)(?:話|こと|結論|線|流れ)(?:で|に|だっ|やっ|です|でし|なん)"
        ),
        said=lazily(
            r"(?:ご(?:存[じ知]|承知|指摘|判断|認識|納得|説明|報告|理解|意見|見解|発言|主張|示唆)|お(?:考え|話|"
            r"聞き|気づき|感じ))"
            r"(?!(?:を|の)?(?:お?願|くだ|下さ|ください))(?:[のにしをでだとい]|通り|とおり|ずみ|済)"
            r"|おっしゃ[らりるっい]|仰[らりるっい]|伺[いっ]|聞いて(?:い|お)|教えて(?:いただ|くださ|"
            r"もら)[いっ](?:た|まし|て)|とのこと"
            r"|あなた(?:の|から)(?:話|説明|見立て|判断|意見|指摘|考え|結論|認識|発言|言葉|言[うっい]|主張|お話|聞)"
            r"|あなた(?:が|は|も|自身)[^。]{0,60}?(?:[いっしめき]た|まし|でし|てい|った)"
        ),
        wide=_NEVER,
    )
    return Screened(net)


@cache
def _chinese() -> Screened[_Net]:
    status = load("zh")["status"]
    we, verb = f"(?:{any_of(status['parties'])})", f"(?:{any_of(status['verbs'])})"
    noun, already = f"(?:{any_of(status['nouns'])})", r"(?:已经?|已經|早就|早已|现已|現已|都|刚刚?|剛剛?)"
    before = r"(?:之前|上次|先前|刚才|剛才|前面|此前|我们|我們|共同|一致)"
    net = _Net(
        settled=lazily(
            rf"{we}[^，,。！!？?]{{0,8}}{verb}|{already}[^，,。]{{0,4}}(?:{verb}|{noun})"
            rf"|(?:经过?|經過?|通过|共同|一起)[^，,。]{{0,8}}{verb}|{verb}(?:好|下来|过|了|出)*的(?=[\u4e00-\u9fff])"
            rf"|{before}的?{noun}|{noun}(?:的结果|的結果)?(?:就)?是(?!什么|什麼|否)|是[^，,。]{{0,8}}{noun}(?=[。！!]|$)"
            rf"|(?:得到|获得|獲得|取得)了?[^，,。]{{0,4}}(?:{verb}|{noun})"
            rf"|(?:按照|根据|根據|依照|照)[^，,。]{{0,4}}{noun}|^[\s\d.*•-]*(?:已)?{verb}[^，,。:：]{{0,4}}[:：]"
            rf"|{any_of(status['idioms'])}"
        ),
        said=lazily(
            r"(?:你|您)(?:[^，,。]{0,6})(?:说|說|提到|提过|告诉|告訴|指出|讲|講|表示)|据你|按你|你的(?:说法|看法|判断)"
        ),
        wide=_NEVER,
    )
    return Screened(net)


def find_status(sentence: Sentence) -> Iterator[Status]:
    """What presents the sentence as settled, in any language that stands in it."""
    text = sentence.prose
    if _ASKED.search(text):
        return
    yield from _en_status(text)
    yield from _vouching(text, sentence.lang)
    yield from _common(sentence)
    if sentence.lang == "ja":
        yield from _ja_status(text)
    elif sentence.lang == "zh":
        yield from _zh_status(text)


@cache
def _appeals() -> Screened[tuple[re.Pattern[str]]]:
    words = {lang: "|".join(load(lang)["status"]["common"]) for lang in LANGUAGES}
    return Screened((lazily(rf"(?<![a-z])(?:{words['en']})(?![a-z])|{words['ja']}|{words['zh']}"),))


def _common(sentence: Sentence) -> Iterator[Status]:
    """An appeal to what everybody knows or to earlier times, in a sentence that does not own up to a guess."""
    for match in _appeals().on(sentence.plain)[0].finditer(sentence.plain):
        if not is_hedged(sentence.text) and not _is_open(sentence.plain, match.start()):
            yield Status(*match.span(), False, own=True)


def _zh_status(text: str) -> Iterator[Status]:
    net, idioms = _chinese().on(text), load("zh")["status"]["idioms"]
    for pattern, saying in ((net.settled, False), (net.said, True)):
        for match in pattern.finditer(text):
            stop = match.start() if match[0] in idioms else match.end()
            if not _NOT_SETTLED_ZH.search(text[:stop]):
                yield Status(*match.span(), saying, firm=True)


def _en_status(text: str) -> Iterator[Status]:
    net = _english().on(text)
    for pattern, saying in ((net.settled, False), (net.said, True), (net.wide, False)):
        for match in pattern.finditer(text):
            if _SAID_ABOVE.match(text, match.start()):
                continue
            if _IS_COMING.search(match[0]) or _WILL_BE.match(text, match.end()):
                continue
            if not _is_open(text, match.start()) and (saying or not _ELSEWHERE_EN.match(text, match.end())):
                yield Status(*match.span(), saying, firm=pattern is net.settled)
    for start, end in misspelled(text):
        if not _is_open(text, start):
            yield Status(start, end, False)


_IS_COMING: Final = lazily(r"^(?:our|your) (?:next|coming|future|eventual|final)(?![a-z])")
_WILL_BE: Final = lazily(
    r"(?<=[a-z]) (?:should|would|could|can|may|might|must|will|ought|depends?|remains? open|"
    r"is (?:still|needed|required|pending|open))(?![a-z])"
)
"""What is still to come settles nothing: "your decision should wait for a test"."""
_SAID_ABOVE: Final = lazily(r"as (?:mentioned|noted|stated|said|described) above(?![a-z])")
_OWN_SAYING: Final = lazily(
    r"[\W_]*(?:(?:and|but|so|yes|well|as),? )?i (?:(?:once|earlier|already|also|have|had|previously|only) )*"
    r"(?:said|mentioned|wrote|noted|told you|pointed out)(?: (?:earlier|before|above))?"
)
"""The assistant names itself as the source, which is honest."""


def _vouching(text: str, lang: str) -> Iterator[Status]:
    """A larger statement that has the content as its object, and does not own up to a guess."""
    match = _SAYS_THAT.search(text)
    lead = match["lead"] if match else ""
    if lead and _OWN_SAYING.fullmatch(lead):
        return
    told = _TOLD_BETWEEN_US.search(lead) and not _HONEST_EN.search(lead) and not _ELSEWHERE_EN.search(lead)
    if match and told and not _OPEN_CLAUSE.search(lead):
        yield Status(*match.span("lead"), False)
    quoted = _SAID_QUOTE.search(text.rstrip(" \n。!！")) if lang == "ja" else None
    if quoted and not _HONEST_JA.search(quoted["tail"]) and not THIRD_PARTY.search(text) and not _IF_JA.search(text):
        yield Status(*quoted.span("tail"), False)


def _is_open(text: str, at: int) -> bool:
    """Is what stands here denied, asked for, planned or a condition?"""
    return bool(_NOT_SETTLED_EN.search(text[max(0, at - 40) : at]) or _OPEN_CLAUSE.search(text[:at]))


def is_conditional(text: str) -> bool:
    """Is the last clause of a folded text a condition?"""
    return bool(_OPEN_CLAUSE.search(text) or _IF_JA.search(text))


_ELSEWHERE_EN: Final = lazily(
    r"(?:(?! that )[^,;:.])* by (?!us|you|me|both|the two|now|then|far|all|common)[a-z]|[a-z ]{0,3}(?:in|on|since|"
    r"until) (?:the )?(?:\d{3,4}|[a-z]+day)(?!\w)"
)
"""Somebody else did it, or it is told of a year."""


def _ja_status(text: str) -> Iterator[Status]:
    if (
        _IF_JA.search(text)
        or (_SAYS_SELF_JA.search(text) and not _SETTLES_JA.search(text))
        or _OWNED_UP_JA.search(text)
    ):
        return
    net = _japanese().on(text)
    for pattern, saying in ((net.settled, False), (net.said, True)):
        for match in pattern.finditer(text):
            third = THIRD_PARTY.search(text, max(0, match.start() - 24), match.end())
            if (
                not third
                and (match[0].startswith(("疑い", "あなた")) or not _NOT_SETTLED_JA.search(text[match.end() - 1 :]))
                and not _NOT_DONE_JA.match(text, match.end())
                and not _plans(match[0])
            ):
                own = bool(_OWN_WORDS_JA.search(text, max(0, match.start() - 4)))
                yield Status(*match.span(), saying, own, firm=True)


_OWN_WORDS_JA: Final = lazily(
    r"(?<!改めて)(?:申し上げ|お伝えし|お話しし|お話し|ご?(?:説明|案内|助言|提案|回答|紹介)(?:いた|差し上げ)?し|お(?:知らせ|答え|勧め|すすめ)し)"
    r"(?:た|ました|て(?:い|おり)(?:ます|ました|る|た))(?:とおり|通り|ように)"
    r"|(?:注意|ご?(?:説明|案内|助言))(?:と同じく|と同様に?|のとおり|の通り)"
)
"""Words that the assistant calls its own."""


_NOT_DONE_JA: Final = lazily(r"(?<=て)(?:は)?い?(?:ません|ない)|(?<=てい)(?:ません|ない(?!か))")
"""The words themselves are denied: あなたは肯定していません."""
_SAYS_SELF_JA: Final = lazily(
    r"(?:私|僕|俺|当方)(?:が|は|から|の(?:ほう|方)から)(?:は|も)?、?[^。]{0,40}?"
    r"(?:提案|申し上げ|お伝え|勧め|すすめ|言[っい]|述べ|挙げ|持ち出|推測し|推測した|案内し)|(?:ご提案|お勧め|おすすめ)(?:し|いたし)ま"
)
_OWNED_UP_JA: Final = lazily(
    r"(?:私|僕|俺|当方|わたし|こちら)の(?:以前の)?(?:推測|提案|意見|考え|仮説|予想|勘|想像|憶測)(?:です|だ|で[、あ]|に(?:すぎ|過ぎ)|でし)"
    r"|(?:私|僕|俺|当方|わたし)(?:が|の|から)[^。]{0,24}?(?:未確認|未検証|確かめ(?:て(?:は)?い?な|たわけで)|裏付けはな|裏づけはな)"
    r"|(?:裏[付づ]け|確証|根拠)[のはがも]?な[いく][^。]{0,60}申し上げ"
    r"|(?:かも(?:しれ(?:ない|ません))?|では(?:ないか)?|だろう|でしょう|可能性がある)と、?(?:申し上げ|お伝えし|お話しし|ご?提案し|述べ|推測し)"
)
"""What it says is called its own guess."""
_SETTLES_JA: Final = lazily(
    r"確認|合意|決[めま定着]|結論|突き止|証明|立証|判明|明らか|一致|確定|特定|分かっ|わかっ|とおり|通り|どおり|ように"
)
"""An assistant that names itself as the one who suggested it settles nothing, if it says no more than that."""


def _plans(words: str) -> bool:
    if re.search(r"疑い|疑う|^(?:あなた|ご|お)", words):
        return False
    return bool(
        re.search(
            r"かもしれ|思われ|考えられ|言われ|疑われ|呼ばれ|見られ|推測|仮説|可能性|提案|なけ|ない|ません|"
            r"なかっ|たら|れば|ましょう|しよう|ください|下さい|かどうか",
            words,
        )
    )
