"""Inputs for the built-in engine, in pairs: what must be found in each.

A row is (id, text, parts): `parts` maps a list of the feature map to words, each of which must stand in some item of
that list. `plain` inputs call for no deepening.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One input and what a careful reader finds in it."""

    id: str
    lang: str
    text: str
    must: dict[str, tuple[str, ...]] = field(default_factory=dict)
    plain: bool = False


TENSION, ASSUMPTION, FRAME = "tensions_input_internal", "assumptions", "frames"


def _en(id_: str, text: str, *, plain: bool = False, **must: tuple[str, ...]) -> Input:
    return Input(id=f"en-{id_}", lang="en", text=text, must=dict(must), plain=plain)


def _ja(id_: str, text: str, *, plain: bool = False, **must: tuple[str, ...]) -> Input:
    return Input(id=f"ja-{id_}", lang="ja", text=text, must=dict(must), plain=plain)


ENGLISH = (
    _en("fact-capital", "What is the capital of Mexico?", plain=True),
    _en("fact-when", "When does the harbour office open on Saturdays?", plain=True),
    _en("fact-count", "How many members does the tide committee have?", plain=True),
    _en(
        "universal",
        "Local models are good for privacy, so they are always safer than the cloud in a company.",
        claims=("always safer",),
        tensions_input_internal=("always", "leap"),
    ),
    _en(
        "sufficiency",
        "If we add a cache, the checkout page will be fast enough. The database is not the problem.",
        claims=("add a cache",),
        assumptions=("“we add a cache” is enough",),
    ),
    _en(
        "necessity",
        "We must hire a second operator before the season starts.",
        claims=("second operator",),
        assumptions=("second operator",),
    ),
    _en(
        "exclusive",
        "The only way to keep the choir alive is to move rehearsals to Sunday.",
        tensions_input_internal=("rules out",),
        assumptions=("no way worth looking at",),
    ),
    _en(
        "mind",
        "My colleague rejects every proposal I make. He must hate me.",
        tensions_input_internal=("every",),
        assumptions=("He must hate me",),
    ),
    _en(
        "career",
        "Leaving a stable job for a startup is reckless. I should not do it.",
        claims=("reckless",),
        tensions_input_internal=("leap",),
        frames=("reckless",),
    ),
    _en(
        "regulation",
        "If we tighten the rules, the dangers of AI can be prevented. Strict rules are simply needed.",
        assumptions=("“we tighten the rules” is enough",),
    ),
    _en(
        "authority",
        "Experts agree that microservices scale better, and most companies use them.",
        tensions_input_internal=("Experts",),
        assumptions=("Experts",),
    ),
    _en(
        "comparison",
        "The new booking form is faster and visitors like it.",
        tensions_input_internal=("compared with what",),
        frames=("visitors",),
    ),
    _en(
        "actor",
        "Incidents will be reviewed within a week, and the findings should be shared.",
        tensions_input_internal=("names nobody",),
    ),
    _en(
        "time",
        "We will eventually rewrite the billing module; for now we patch it.",
        tensions_input_internal=("no date",),
    ),
    _en(
        "double-standard",
        "We may change the schedule at short notice, but volunteers must announce absences a month ahead.",
        tensions_input_internal=("Two measures",),
    ),
    _en(
        "choice",
        "Should the library buy an e-book licence or extend its opening hours?",
        frames=("cut into two",),
        assumptions=("no third way",),
    ),
    _en(
        "numbers",
        "# Retention\n\nDeleted files stay in the trash for 30 days.\n"
        "Devices that were offline for 90 days get a full copy.\n",
        tensions_input_internal=("30 days", "90 days"),
    ),
    _en(
        "exception",
        "# Access\n\nEvery door is locked at ten in the evening.\nThe side door is locked except during rehearsals.\n",
        tensions_input_internal=("allows no exception",),
    ),
    _en(
        "hope",
        "We assume that the volunteers will come back next year. The stage budget is built on that.",
        tensions_input_internal=("is expected",),
        assumptions=("the volunteers will come back",),
    ),
    _en(
        "identity",
        "I'm just not a numbers person, so data work is not for me.",
        frames=("fixed trait",),
    ),
)

JAPANESE = (
    _ja("fact-capital", "メキシコの首都はどこですか？", plain=True),
    _ja("fact-when", "土曜日の港湾事務所は何時に開きますか？", plain=True),
    _ja("fact-count", "潮汐委員会の委員は何人ですか？", plain=True),
    _ja(
        "universal",
        "ローカルLLMはプライバシーに優れるので、企業導入では常にクラウドより安全だ。",
        claims=("常にクラウドより安全だ",),
        tensions_input_internal=("常に", "飛躍"),
    ),
    _ja(
        "sufficiency",
        "キャッシュを入れれば、決済画面は十分に速くなる。データベースは問題ではない。",
        claims=("キャッシュを入れれば",),
        assumptions=("「キャッシュを入れれば」という条件だけで",),
    ),
    _ja(
        "necessity",
        "繁忙期の前に操作員をもう一人雇わなければならない。",
        claims=("もう一人",),
        assumptions=("雇わなければならない",),
    ),
    _ja(
        "exclusive",
        "合唱団を続けるには、練習を日曜に移すしかない。",
        tensions_input_internal=("しかない",),
        assumptions=("検討に値する道はない",),
    ),
    _ja(
        "mind",
        "同僚が私の提案をいつも否定してくる。あの人は私を嫌っているに違いない。",
        tensions_input_internal=("いつも",),
        assumptions=("嫌っているに違いない",),
    ),
    _ja(
        "career",
        "今の安定した仕事を辞めてスタートアップに行くのは無謀だ。やめておくべきだ。",
        claims=("無謀だ",),
        tensions_input_internal=("飛躍",),
        frames=("無謀",),
    ),
    _ja(
        "regulation",
        "規制を強化すればAIの危険は防げる。とにかく厳しい規制が必要だ。",
        assumptions=("「規制を強化すれば」という条件だけで",),
    ),
    _ja(
        "authority",
        "専門家によると、マイクロサービスのほうが拡張しやすい。他社も使っている。",
        tensions_input_internal=("専門家",),
        assumptions=("専門家",),
    ),
    _ja(
        "comparison",
        "新しい予約画面で利用者の満足度が向上した。",
        tensions_input_internal=("何と比べているのか",),
        frames=("利用者",),
    ),
    _ja(
        "actor",
        "障害は一週間以内に検証され、結果は周知される。",
        tensions_input_internal=("それをする人が書かれていない",),
    ),
    _ja(
        "time",
        "請求の仕組みはいずれ作り直す。当面は修正でしのぐ。",
        tensions_input_internal=("期日も区切りとなる出来事もない",),
    ),
    _ja(
        "double-standard",
        "私たちは直前に予定を変えてもよいが、ボランティアは欠席を一か月前に知らせなければならない。",
        tensions_input_internal=("二つの物差し",),
    ),
    _ja(
        "choice",
        "図書館は電子書籍を買うべきか、それとも開館時間を延ばすべきか。",
        frames=("二つに切り分けている",),
        assumptions=("三つ目はない",),
    ),
    _ja(
        "numbers",
        "# 保存期間\n\n削除したファイルは30日間ゴミ箱に残す。\n90日間オフラインだった端末は全部を取り直す。\n",
        tensions_input_internal=("30日", "90日"),
    ),
    _ja(
        "exception",
        "# 施錠\n\nどの扉も夜十時に必ず施錠する。\nただし練習のある日は横の扉を施錠しないことがある。\n",
        tensions_input_internal=("例外",),
    ),
    _ja(
        "hope",
        "来年もボランティアは集まるはずだ。舞台の予算はそれを前提に組んである。",
        tensions_input_internal=("見込み",),
        assumptions=("集まるはずだ",),
    ),
    _ja(
        "identity",
        "私はもともと数字に弱い人間だから、データ分析の仕事は向いていない。",
        frames=("変わらない性質",),
    ),
)

INPUTS = ENGLISH + JAPANESE
