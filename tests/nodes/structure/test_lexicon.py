"""The rule files: every row is well-formed, spoken of in both languages, and reached by a sentence."""

from __future__ import annotations

import pytest

from rqa_nodes.structure.features import find
from rqa_nodes.structure.lexicon import Language, language, noun, patterns, phrases, sign, wording
from rqa_nodes.structure.segment import segment
from rqa_nodes.structure.template import Template

LANGUAGES: tuple[Language, ...] = ("en", "ja")

EXAMPLES = {
    "en.ask.compare": "Is democracy better than a wise king?",
    "en.concession.previous": "I want a sabbatical next year. But my team depends on me.",
    "ja.ask.compare": "民主主義は賢い王より優れているのか。",
    "ja.concession.previous": "来年は休職したい。でもチームは私に頼っている。",
    "ja.causal.sei": "本を読まなくなったのはスマホのせいだ。",
    "en.hearsay": "Everyone knows that the mill pays for itself.",
    "en.comparison.end": "I cannot afford to work less.",
    "en.concession": "Health comes first, but the bills are due.",
    "en.ask.whether": "Should personal answers be cached at all?",
    "ja.hearsay": "製粉所は元が取れると皆言っている。",
    "ja.concession.copula": "健康が一番だが、家賃も払わなければ困る。",
    "ja.concession": "早く寝ると言うが、三日と続かない。",
    "ja.despite": "毎朝走ると決めているのに三日と続かない。",
    "ja.causal.seide": "雨のせいで、売り上げが落ちた。",
    "ja.inference.mid": "店が暗い、だから客が入らない。",
    "ja.authority.quote": "店長は「朝は早く開けるべきだ」と言う。",
    "ja.causal.tame": "本番を止めた。検証が終わっていないためだ。",
    "ja.regret": "もっと早く病院に行くべきだった。",
    "en.actor.somebody": "Somebody should sweep the stairs.",
    "ja.actor.somebody": "誰かが水道屋に電話する。",
    "en.regret": "I should have called her.",
    "ja.undecided": "引っ越すかどうか、まだ決めかねている。",
    "en.causal.hence": "Writes race at night, hence the lock.",
    "en.posthoc.trend": "Sales are down since the redesign.",
    "en.posthoc.since": "Since we introduced the new rubric, students complain less.",
    "en.universal.of": "Every coach I know shouts.",
    "en.studies.literature": "The literature is divided on sleep.",
    "en.authority.that": "My boss says the plan is fine.",
    "en.undecided": "I'm not sure whether I should move.",
    "en.enough": "One pump is enough to drain the field.",
    "en.sufficiency.we": "If we sell 200 boxes, the shop pays for itself.",
    "en.sufficiency.bare": "If I leave now I will regret it.",
    "en.requirement.without": "Without a permit you cannot park here.",
    "en.requirement.unless": "Unless it rains, the crop is lost.",
    "en.requirement.need": "To run the stall we need a permit.",
    "en.requirement.requires": "Growth requires trust.",
    "en.double.when": "When I am late it is traffic; when she is late it is carelessness.",
    "en.double.different": "I forgot hers too, but that was different.",
    "en.double.ours": "Their delay was laziness, ours was bad luck.",
    "en.causal.due": "The errors are mostly due to old cables.",
    "en.inference.mid": "The team is strong. The plan therefore works.",
    "en.inference.as": "Big models reason well, as the scores are high.",
    "en.effect.that": "It is known that tea protects the heart.",
    "en.posthoc.after": "After we painted the fence, thefts stopped.",
    "en.posthoc.improved": "Sales improved after the new sign.",
    "en.posthoc.when": "Scores have fallen, exactly when phones came.",
    "en.reduction": "Love is nothing but chemistry.",
    "en.permission": "The bot may freely use old replies.",
    "en.dismissal": "Those who complain are afraid of change.",
    "en.minimise.easy": "The migration is easy.",
    "en.authority.as": "Pain is good, as my coach always says.",
    "en.authority.says": "My boss says no.",
    "en.assent.board": "The board agrees.",
    "en.assent.all": "Everyone in the family thinks I should go.",
    "en.received": "It is common knowledge that cats hate water.",
    "en.precedent": "Our competitor lowered prices.",
    "en.precedent.as": "Sales will rise, as they did in spring.",
    "en.sample": "Our survey of 40 friends was positive.",
    "en.actor.decided": "It has been decided to close the pool.",
    "ja.enough": "ポンプは一台で十分だ。",
    "ja.sufficiency.dake": "会費だけでまかなえる。",
    "ja.requirement.nakereba": "免許がなければ店は出せない。",
    "ja.requirement.niha": "収穫にはよい土が必要だ。",
    "ja.requirement.naito": "宣伝しないと誰も来ない。",
    "ja.double.baai": "彼が忘れたのは許せないが、私の場合は事情が違う。",
    "ja.double.noha": "私が遅れるのは渋滞のせいだが、彼女が遅れるのは不注意だ。",
    "ja.double.noha_aite": "相手の遅れは怠慢だが、こちらの遅れは不運だ。",
    "ja.double.danjo": "男が怒鳴れば力強く、女が怒鳴れば感情的だ。",
    "ja.causal.kara": "誰も知らないからバスは空いている。",
    "ja.causal.ga": "遅れはストライキが原因だ。",
    "ja.effect": "砂糖は子どもを興奮させる。",
    "ja.posthoc.tara": "夜食をやめたら三キロ痩せた。",
    "ja.minimise.dake": "本当のことを言っただけだ。",
    "ja.reduction": "愛は化学反応にすぎない。",
    "ja.permission": "古い返事は自由に使ってよい。",
    "ja.dismissal": "反対する人は変化が怖いだけだ。",
    "ja.authority.iu": "医師は昼寝を勧めている。",
    "ja.assent": "理事会も賛成している。",
    "ja.received": "猫が水を嫌うのは常識だ。",
    "ja.precedent": "隣町でもうまくいった。",
    "ja.sample": "参加者は希望者の中から集めた。",
    "ja.comparison.hou": "新しい道のほうが短い。",
    "ja.actor.sareru": "古いデータは六月に移行される。",
    "en.dichotomy.either": "Either we raise the fee or the choir closes.",
    "en.dichotomy.ask": "Should we rent a van or buy a trailer?",
    "en.dichotomy.choose": "We have to choose between lower prices and better service.",
    "en.double.we_they": "We may come late, but they must be on time.",
    "en.double.they_we": "Customers must answer within a day, while we can take a week.",
    "en.double.must_may": "Pupils must lock up their phones; teachers may keep theirs.",
    "en.sufficiency.if": "If the roof holds, the fair can open.",
    "en.rule": "If two people edit a page, the last edit wins.",
    "en.sufficiency.all_need": "All we need is a bigger hall.",
    "en.reason.because": "We should move the server because the room is damp.",
    "en.reason.so": "The room is damp, so we should move the server.",
    "en.inference.because": "The plan will work because the team is strong.",
    "en.inference.because.first": "Because the team is strong, the plan works.",
    "en.causal.because": "The build broke because the disk filled up.",
    "en.inference.so": "The team is strong, so the plan works.",
    "en.causal.verb": "Long meetings lead to tired people.",
    "en.inference.previous": "The team is strong. Therefore the plan works.",
    "en.inference.bare": "The job is dull. I must quit it.",
    "en.effect": "The new lock prevents double bookings.",
    "en.posthoc": "Since we moved downtown, sales have dropped.",
    "en.universal": "Nobody reads the manual.",
    "en.certain": "It will definitely rain on the parade.",
    "en.certain.must": "She must be tired.",
    "en.advice": "You suggested that I should move out.",
    "en.advice.noun": "Your advice was that we should split the bills.",
    "en.advice.bare": "You suggested that I ask for a raise.",
    "en.exclusive": "This is the only path to the beach.",
    "en.exclusive.only": "The gate opens only for members.",
    "en.necessity": "We must repair the pier.",
    "en.minimise": "We can just copy the table.",
    "en.noissue": "There is no need to test the backup.",
    "en.hope.that": "We assume that the sponsor will pay.",
    "en.hope.assuming": "Assuming that the sponsor pays, we start in May.",
    "en.hope.expected": "The crowd is expected to double.",
    "en.hope.should": "Costs should be about the same.",
    "en.hedge": "It probably rains tomorrow.",
    "en.authority": "Experts recommend a second opinion.",
    "en.authority.studies": "Research shows that phones distract.",
    "en.majority": "Most companies use this tool.",
    "en.comparison": "The new form is faster.",
    "en.value.predicate": "The plan is reckless.",
    "en.value": "We want a modern kitchen.",
    "en.actor.passive": "The keys will be returned on Monday.",
    "en.actor.someone": "The stakeholders meet on Mondays.",
    "en.open": "The date is not decided.",
    "en.time": "We will fix it eventually.",
    "en.prediction": "Prices will fall.",
    "en.goal": "We close the road so that children can play.",
    "en.goal.named": "The goal is to double the membership.",
    "en.goal.success": "The pilot is successful if the teams are happy.",
    "en.problem": "The problem is our slow printer.",
    "en.problem.whose": "That he was hurt is his problem.",
    "en.identity": "I'm not a numbers person.",
    "en.mind": "Customers want discounts.",
    "en.group": "Residents complain about noise.",
    "en.ask.should": "Should we hire a cook?",
    "en.ask.should.other": "Should the town hire a cook?",
    "en.ask.isit": "Is it worth keeping the old piano?",
    "en.ask.why": "Why do visitors leave early?",
    "en.ask.how": "How can we keep visitors longer?",
    "en.ask.what": "What is a fair price?",
    "ja.dichotomy.ka": "会費を上げるか、合唱団をやめるか。",
    "ja.dichotomy.soretomo": "車を借りる、それとも買う。",
    "ja.dichotomy.dochira": "値下げとサービス向上のどちらを選ぶか。",
    "ja.double.jibun": "私たちは遅れてもよいが、彼らは時間を守るべきだ。",
    "ja.double.aite": "社員は残業を申請しなければならないが、役員は自由だ。",
    "ja.double.must_may": "生徒は電話を預けなければならないが、教員は持っていてよい。",
    "ja.proportion": "会議が長ければ長いほど、決定の質は上がる。",
    "ja.sufficiency.sae": "屋根さえ持てば、市は開ける。",
    "ja.sufficiency.ba": "屋根を直せば、市は開ける。",
    "ja.rule": "二人が同じ頁を直した場合は、後の版を優先する。",
    "ja.reason.node": "部屋が湿っているので、サーバーを移すべきだ。",
    "ja.causal.node": "ディスクがいっぱいになったので、ビルドが止まった。",
    "ja.inference.node": "経験豊富な人がそろっているので、計画は成功する。",
    "ja.causal.riyuu": "ビルドが止まったのは、ディスクがいっぱいになったからだ。",
    "ja.causal.genin": "遅れの原因は会議の多さだ。",
    "ja.inference.previous": "部屋が湿っている。したがって、機材は傷む。",
    "ja.inference.bare": "仕事が退屈だ。辞めるべきだ。",
    "ja.inference.reason": "やめたら後悔する。やめた人が後悔しているからだ。",
    "ja.posthoc": "町へ引っ越して以来、売り上げが落ちている。",
    "ja.universal": "説明書は誰も読まない。",
    "ja.universal.once": "この店は一度も休んだことがない。",
    "ja.advice": "引っ越したほうがいいと言われました。",
    "ja.certain": "明日は間違いなく雨が降る。",
    "ja.exclusive": "浜へ行く道はこれしかない。",
    "ja.necessity": "桟橋を直さなければならない。",
    "ja.minimise": "これは表を写すだけのことだ。",
    "ja.noissue": "バックアップを試す必要はない。",
    "ja.hope": "協賛金は集まるはずだ。",
    "ja.hedge": "明日はおそらく雨だ。",
    "ja.authority": "専門家は別の見方を勧める。",
    "ja.authority.study": "研究によれば、電話は気を散らす。",
    "ja.majority": "多くの人がこの道具を使う。",
    "ja.comparison": "満足度が向上した。",
    "ja.value.predicate": "この計画は無謀だ。",
    "ja.value": "使いやすい台所にしたい。",
    "ja.actor.passive": "結果は来週周知される。",
    "ja.actor.dareka": "その都度、関係者で話し合う。",
    "ja.open": "会場は未定だ。",
    "ja.time": "それはいずれ直す。",
    "ja.goal": "子どもを守るために道を閉める。",
    "ja.goal.named": "目的は会員を増やすことだ。",
    "ja.goal.success": "現場が満足すれば、試行は成功とする。",
    "ja.problem": "問題は印刷機の遅さだ。",
    "ja.problem.whose": "傷ついたのは相手の問題だ。",
    "ja.notbut": "祭りは見せ物ではなく、祈りの場だ。",
    "ja.identity": "私は数字が苦手な人間だ。",
    "ja.mind": "顧客は値引きを求めている。",
    "ja.mind.only": "反対する人は、ただ目立ちたいだけだ。",
    "ja.group": "住民は騒音に悩む。",
    "ja.ask.should": "料理人を雇うべきでしょうか。",
    "ja.ask.why": "なぜ来場者は早く帰るのか？",
    "ja.ask.how": "どうすれば来場者を引き止められますか？",
    "ja.ask.what": "公正な値段とは何か。",
    "ja.ask.negative": "市場をやめてもよいのではないか。",
}

SILENT = {
    "en": (
        "The ferry leaves at eight.",
        "Ken waters the plants on Mondays.",
        "The meeting room is on the second floor.",
        "I have not only read it but also copied it.",
    ),
    "ja": ("フェリーは八時に出る。", "健は月曜に花に水をやる。", "会議室は二階にある。", "昨日から雪が降っている。"),
}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_rule_ids_are_unique_and_spoken_of_in_both_languages(lang: Language) -> None:
    rows = patterns(lang)
    assert len({row.id for row in rows}) == len(rows)
    features = {row.feature for row in rows}
    own = wording(lang)
    assert features <= set(own), features - set(own)


def test_both_languages_know_the_same_features_but_for_their_grammar() -> None:
    # 「ば…ほど」, 「のに」 and a leading negative question have no English form of their own; the others no Japanese.
    only_one = set(wording("en")) ^ set(wording("ja"))
    assert only_one == {"proportion", "despite", "ask_leading", "ask_worth", "ask_whether", "prediction"}


@pytest.mark.parametrize("rule", [row.id for lang in LANGUAGES for row in patterns(lang)])
def test_every_rule_is_reached(rule: str) -> None:
    lang = language(rule.split(".")[0])
    assert rule in [finding.rule for finding in find(segment(EXAMPLES[rule]), lang)]


@pytest.mark.parametrize(("lang", "sentence"), [("en", s) for s in SILENT["en"]] + [("ja", s) for s in SILENT["ja"]])
def test_a_plain_sentence_shows_no_feature(lang: str, sentence: str) -> None:
    assert find(segment(sentence), language(lang)) == ()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_wording_names_known_slots_and_every_question_digs_at_something(lang: Language) -> None:
    for feature, row in wording(lang).items():
        for said in (row.tension, row.assumption, row.frame, row.turn, *(form.text for form in row.questions)):
            assert set(said.kinds) <= set("cqabwn"), feature
        assert row.questions, feature
        for form in row.questions:
            assert form.target == "claim" or getattr(row, form.target).source, (feature, form.target)
            assert form.text.source.endswith(("?", "？"))


def test_the_languages_have_the_same_phrases() -> None:
    assert set(phrases("en")) == set(phrases("ja"))
    for name, text in phrases("en").items():
        assert Template(text).kinds == Template(phrases("ja")[name]).kinds, name


@pytest.mark.parametrize("lang", ["en", "ja", "zh"])
def test_answer_phrases_exist_in_all_three_languages(lang: str) -> None:
    assert set(phrases("zh")) <= set(phrases(lang))


def test_a_sign_is_found_in_folded_text() -> None:
    assert sign("negation").search("it is not so")
    assert sign("open").search("日程は未定")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("速い", "速さ"),
        ("速く", "速さ"),
        ("安全", "安全性"),
        ("良くない", "良さ"),
        ("合理的", "合理性"),
        ("楽しい", "楽しさ"),
    ],
)
def test_a_telling_word_becomes_a_noun(word: str, expected: str) -> None:
    assert noun(word) == expected


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_assumption_reads_as_a_claim_of_ours(lang: Language) -> None:
    sign_of_it = {"en": "takes for granted", "ja": "前提"}[lang]
    texts = [row.assumption.text for row in wording(lang).values() if row.assumption.source]
    texts += [text for name, text in phrases(lang).items() if name.endswith("_assume") and not name.startswith("q_")]
    assert [text for text in texts if sign_of_it not in text] == []
