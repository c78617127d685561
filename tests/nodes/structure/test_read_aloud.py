"""What a person stumbled over when questions and answers were read aloud, by kind: each stays as it was put right."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rqa_nodes.prompt_parts import PromptParts
from rqa_nodes.structure.analyse import analyse
from rqa_nodes.structure.answer import reply


def questions(text: str, lang: str) -> str:
    analysis = analyse(PromptParts(task="analyse", lang=lang, user_text=text, candidates=6))
    return "\n".join(draft["question"] for draft in analysis["question_candidates"])


def answer(text: str, lang: str) -> str:
    return "".join(reply(PromptParts(task="answer", lang=lang, user_text=text)))


QUESTIONS = [
    # A choice is between what can be done, and a subject in front of it is part of neither.
    (
        "en",
        "Should the verifier delete sentences, or should it only mark them?",
        "neither “delete sentences” nor “only mark them”",
        "“the verifier delete sentences”",
    ),
    (
        "en",
        "Should personal answers be cached at all?",
        "your answer to “Should personal answers be cached at all?” right",
        "“personal answers be",
    ),
    (
        "en",
        "Is democracy better than a wise king?",
        "By which yardstick would “democracy” be “better” than “a wise king”",
        "as of today",
    ),
    ("ja", "民主主義は賢い王より優れているのか。", "「民主主義」が「賢い王」より「優れている」かどうか", "今日の時点"),
    # The end of a question is no conclusion.
    ("ja", "なぜ人は隣人よりも他人を信じるのでしょうか。", "信じるのでしょうか」と問う前に", "「しょうか」"),
    # A number is no way that was shut out.
    (
        "en",
        "I'd like to start a podcast. There are only two others, and both are boring.",
        "“I'd like to start a podcast” goes ahead",
        "“only” in",
    ),
    (
        "ja",
        "ポッドキャストを始めたい。似たものは二つしかないし、どちらも退屈だ。",
        "「ポッドキャストを始めたい」を進めるとして",
        "外した案",
    ),
    # What happens to somebody is no claim that could be right, nor a plan.
    (
        "en",
        "I keep missing my run this month. I should get up earlier.",
        "Granted that “I keep missing my run this month”",
        "“I keep missing my run this month” is right",
    ),
    (
        "ja",
        "毎朝走ろうと思っているのに続かない。意志が弱いからだと思う。",
        "「毎朝走ろうと思っているのに続かない」とありますが、次に",
        "を進めるとして",
    ),
    (
        "ja",
        "本を読まなくなったのはスマホのせいだ。",
        "「スマホ」のほかに「本を読まなくなった」を説明できる",
        "「スマホの」",
    ),
    # The words compared are whole words.
    (
        "ja",
        "記憶があれば、利用者はもっと信頼してくれるはずだ。",
        "「もっと信頼」は何と比べて",
        "してくれるはずだ」は何と",
    ),
    ("ja", "健康が一番だが、仕事を減らす余裕はない。", "「健康が一番」を「仕事を減らす余裕はない」と", "「一番だが」"),
    (
        "en",
        "Health comes first, but I can't afford to work less.",
        "“Health comes first” counted for as much as",
        "calls for",
    ),
    # A reason for what can be done is no cause of it.
    (
        "en",
        "We can cut the call since nobody has complained about the emails.",
        "to “We can cut the call”: what else could be done",
        "could account for",
    ),
    # Talk is not the same as what the many do, and a rival who is cheaper does nothing.
    (
        "en",
        "Everyone knows that the old mill pays for itself.",
        "Who in “Everyone knows that the old mill pays for itself” has looked",
        "Which aim",
    ),
    ("ja", "うちの製粉所は元が取れていると皆言っています。", "その中で自分で確かめた人は誰で", "目的のうち"),
    ("ja", "お客様は皆気に入っている。先月の苦情は二件だけだ。", "「お客様は皆気に入っている」", "外した案"),
    (
        "ja",
        "来年は休職したい。でもチームは私に頼っている。",
        "「来年は休職したい」と「チームは私に頼っている」の",
        "「でも",
    ),
    ("ja", "彼女に電話すべきだった。もう遅すぎる。", "「もう遅すぎる」を遅さ以外の物差しで", "そうしなかった場合に"),
    ("en", "I should have called her. Now it is too late.", "“too late”", "nobody acts on"),
    # A step that starts from what was seen is argued with, and not asked how much of it was seen.
    (
        "en",
        "I keep missing my run this month, so I lack discipline.",
        "somebody who denies “I keep missing my run this month, so I lack discipline”",
        "have you seen",
    ),
    (
        "ja",
        "先週4msと測定したので、キャッシュは効いている。",
        "「先週4msと測定したので、キャッシュは効いている」を認めない人が",
        "自分で見聞きした",
    ),
    ("en", "Our competitor is cheaper, so we must cut our price.", "“we must cut our price”", "how it turned out"),
    ("ja", "母が嫌がっている。でも一人暮らしはもう無理だと思う。", "「一人暮らしはもう無理だと思う」", "「でも"),
    ("ja", "英語は子どものうちに始めないと身につかない。", "が厳しすぎると分かる例", "深める"),
    # Two phrases of different kinds are no choice, and a piece of a predicate is nothing that could be dealt with.
    (
        "ja",
        "営業時間か、明らかに食パンを目当てに来ているか、迷っている。",
        "一方へ引くものと他方へ引くもの",
        "「営業時間」とも",
    ),
    ("en", "Writing the form wrong is their problem.", "in “Writing the form wrong is their problem”", "“is their"),
    # A colloquial "so", in front of a sentence and within it, takes a step like any other.
    ("ja", "コーチは気持ちの問題だと言う、だからキャプテンを外すべきだ。", "間に一文を補って", "、だから」"),
    ("ja", "そのあと二人も採用してた。ってことは予算あるじゃん。", "「予算あるじゃん」という点は誤り", "「ってことは"),
    ("en", "The sign says no pets. So they are afraid.", "“The sign says no pets” be true", "“no pets”"),
    ("en", "The bill went up, which proves that people waste water.", "“people waste water” still be wrong", "“proves"),
    # Everybody of a kind is everybody; who says it is told apart from what is said.
    ("en", "Everyone in the trade tells me the same thing.", "take back “everyone in the trade”", "“Everyone” in"),
    ("ja", "業界の誰もが同じことを言う。", "の「業界の誰もが」を取り下げる", "の「誰もが」"),
    ("en", "My boss says the plan is fine.", "which reason is there for “the plan is fine”", "opposite"),
    # What somebody regrets or cannot decide is asked about as that.
    ("en", "I should have called her.", "what did you know at the time", "nobody acts on"),
    ("en", "I can't decide whether to tell her.", "what pulls you the one way", "which decision of yours"),
    # Speakers and labels are no part of what is said.
    ("en", "Me: we can ship on the first.\nPriya: not without the migration.", "“we can ship on the first”", "“Me:"),
    (
        "ja",
        "私「一日に出せます」\n田中「移行が先だ」\n私「移行は一週間でできる」\n今回はできると思う。",
        "「一日に出せます」",
        "「私『",
    ),
    # A quotation is a whole clause: no predicate without its subject, no speech cut open.
    (
        "en",
        "My brother lives in Cork, knows what he wants, and never asks me.",
        "“never” in “My brother lives in Cork, knows what he wants, and never asks me”",
        "“never asks me”",
    ),
    (
        "en",
        "My partner says he wants, lives in Cork, knows what he wants.",
        "which reason is there for “he wants, lives in Cork, knows what he wants”",
        "“he wants”",
    ),
    (
        "en",
        'She says "you never make room for me", but half the wardrobe is already hers.',
        "“She says ‘you never make room for me’” and “half the wardrobe is already hers”",
        "everything is in place",
    ),
    (
        "en",
        "My aunt, who never married, says that we talk too much, that money was never the point, and that we waste it.",
        "Granted that “My aunt, who never married, says that we talk too much, that money",
        "take back",
    ),
    (
        "en",
        "Although the trial was small, and although two dropped out, the authors say that the drug is safe.",
        "“safe” in “Although the trial was small, and although two dropped out, the authors",
        "“two dropped out, the authors",
    ),
    (
        "en",
        "The doctor says it's nothing, my mother says it's the thyroid, and the internet says I'm dying.",
        "which reason is there for “it's nothing”",
        "“it's nothing, my mother",
    ),
    (
        "ja",
        "祖母は、私たちが文句を言いすぎる、お金が大事だったことはない、もっと電話しろと言います。",
        "「祖母は、私たちが文句を言いすぎる、お金が大事だったことはない、もっと電話しろと言います」",
        "「お金が",
    ),
    (
        "ja",
        "弟に貸している。「ボーナスが出たら返す」と言うけど、ボーナスは五月に出た。",
        "「『ボーナスが出たら返す』と言う」と「ボーナスは五月に出た」",
        "同じことをしても",
    ),
    (
        "ja",
        "パンをやめたら頭痛が消えたので、原因は小麦に違いない。",
        "「パンをやめたら頭痛が消えた」と「原因は小麦に違いない」の間に",
        "「頭痛が消えたので",
    ),
    # How to get out of something that is not named is no way to a goal.
    ("ja", "部長は数字を出せと言い、最後は自分で決めます。どうすればいいですか？", "明日までに答える", "妨げ"),
    ("ja", "彼が何を考えているのか、どうすればいいですか。", "明日までに答える", "「どうすればいい」"),
    # Advice is somebody else's; what must be so is no duty.
    (
        "en",
        "You suggested that I should move out. I cannot afford it.",
        "The advice reads “I should move out”",
        "nobody acts on",
    ),
    (
        "ja",
        "前に引っ越したほうがいいと提案されました。でもお金がありません。",
        "「引っ越したほうがいい」という助言",
        "を進めるとして",
    ),
    ("en", "She must be tired. I saw her yawn.", "“must be” in “She must be tired”", "nobody acts on"),
    # What is said never to happen, and a case of it; who says that there is no exception names none.
    (
        "en",
        "The club has never lost a member. Three members left in June.",
        "Is “Three members left in June” a case of what is ruled out by “The club has never lost a member”",
        "nobody acts on",
    ),
    (
        "ja",
        "この会は会員を一人も失ったことがない。六月に三人が退会した。",
        "「六月に三人が退会した」は「この会は会員を一人も失ったことがない」の例外に当たりますか",
        "どう両立",
    ),
    (
        "ja",
        "村の全員が風車に反対だった。水車のそばの四軒は賛成に署名した。",
        "「水車のそばの四軒は賛成に署名した」は「村の全員が風車に反対だった」の例外に当たりますか",
        "どう両立",
    ),
    ("ja", "祭りをやめた町は例外なく寂れた。うちの町も必ずそうなる。", "「例外なく」を取り下げる", "どう両立"),
    # A clause ends where another subject begins; what hangs on what stands before it is not quoted without that.
    (
        "en",
        "HR advised me to keep a diary, my union says I should sue, and my wife wants me to quit.",
        "The advice reads “I should sue”:",
        "“I should sue, and",
    ),
    (
        "en",
        "We can't afford it unless my parents help, and they will only help if they can live in the basement.",
        "“only” in “they will only help if they can live in the basement”",
        "“unless my parents",
    ),
    (
        "en",
        "When the river rises, when the road is closed, and when the phones are dead, the village depends on one man.",
        "Granted that “When the river rises, when the road is closed, and when the phones are dead, the village",
        "although “the river",
    ),
    (
        "en",
        "The helper swallows the exception and returns None, which the caller treats as a success.",
        "Granted that “The helper swallows the exception and returns None, which the caller treats as a success”",
        "“the caller treats",
    ),
    (
        "ja",
        "人事は記録をつけるように勧め、組合は訴えたほうがいいと言い、妻は辞めてほしいと言います。",
        "「訴えたほうがいい」という助言",
        "「記録をつける",
    ),
    (
        "ja",
        "彼女は歯ブラシを置いていき、猫は連れていき、今は距離を置いているだけだと言う。",
        "「彼女は歯ブラシを置いていき、猫は連れていき、今は距離を置いているだけだと言う」の「だけだ」",
        "「今は",
    ),
    (
        "ja",
        "配送は早かったのですが、机はがたつくし、ねじは二本足りないし、説明書は英語でした。",
        "「配送は早かったのですが、机は",
        "「配送は早かった」",
    ),
    (
        "ja",
        "この関数は二度呼ばれる。一度はフックから、もう一度はタイマーからだ。",
        "「この関数は二度",
        "「一度はフック」",
    ),
    ("ja", "母「ご飯食べた？」私「もう四十だよ」母「そんなこと聞いてない」", "「もう四十だよ」とありますが", "「私『"),
    # What is told in passing, wished for or said in a set phrase is no claim about every case.
    ("en", "The mayor promises to open it for good, and nobody had asked him.", "“The mayor promises", "“good” in"),
    (
        "en",
        "I feel dizzy when I stand up, my blood test was normal, and the doctor only shrugged.",
        "“I feel dizzy when I stand up",
        "rule out",
    ),
    (
        "en",
        "I was told to speak, so I spoke up at every meeting, and now they complain of it.",
        "Granted that “I was told to speak",
        "be wrong",
    ),
    (
        "ja",
        "週三日出社しろと言われている。契約書には在宅でよいと書いてある。上司は譲らない。",
        "「週三日出社しろと言われている」とありますが",
        "通例",
    ),
    ("ja", "あとは動きますが、二つ目のキューがなぜ要るのかまだ分かりません。", "「あとは動きますが", "と問う前に"),
    ("ja", "同じ週末に約束するのは二度としない。先月は困った。", "「二度と」を取り下げる", "「二度」"),
    # A choice keeps its condition; who hands a text over has said nothing yet.
    (
        "en",
        "Should I pay off the loan first, or keep the savings in case the roof leaks?",
        "nor “keep the savings in case the roof leaks”",
        "“keep the savings”",
    ),
    ("en", "Please analyse the following text. Everybody in the trade knows it.", "“Everybody", "Please"),
    ("ja", "次の文章を分析してください。業界の誰もが同じことを言う。", "「業界の誰もが", "分析して"),
    (
        "en",
        "No dog has ever bitten anyone here. Two walkers were bitten in May.",
        "“No dog has ever bitten",
        "“no dog has ever”",
    ),
    (
        "en",
        "Your advice was that we should split the bills, but I earn half of it.",
        "The advice reads “we should split the bills”",
        "nobody acts on",
    ),
    (
        "en",
        "This test is flaky because it depends on the clock, the network and, I think, the moon.",
        "“I think” in “it depends on the clock, the network and, I think, the moon”",
        "“because",
    ),
    (
        "ja",
        "生活費は半分ずつにしたほうがいいと助言をもらいました。",
        "「生活費は半分ずつにしたほうがいい」という助言",
        "「半分",
    ),
    (
        "ja",
        "オーブンを消し忘れたに違いない、そうでなければ台所がこんなに臭うはずがない。",
        "「オーブンを消し忘れたに違いない、そうでなければ台所がこんなに臭うはずがない」",
        "「そうでなければ",
    ),
]


ANSWERS = [
    # What an answer turns on is said in whole words, and a question in front of a remark is one.
    (
        "en",
        "Should we cache it, or is the real problem elsewhere? We think so.",
        "to know to drop “We think”",
        "is the real problem elsewhere” in your case",
    ),
    (
        "ja",
        "待つべきでしょうか。たぶん待つほうがよいと思います。",
        "「たぶん」を取って言い切るには何が要るか",
        "承知しました",
    ),
    (
        "ja",
        "利用者はもっと機能を欲しがると考えています。正しいでしょうか？",
        "「もっと機能を欲しがる」は何と比べて",
        "「利用者はもっと機能を欲しがると考え」",
    ),
]


@pytest.mark.parametrize(
    ("say", "lang", "text", "there", "gone"),
    [*((questions, *row) for row in QUESTIONS), *((answer, *row) for row in ANSWERS)],
)
def test_it_reads_as_a_person_would_put_it(
    say: Callable[[str, str], str], lang: str, text: str, there: str, gone: str
) -> None:
    said = say(text, lang)
    assert there in said
    assert gone not in said
