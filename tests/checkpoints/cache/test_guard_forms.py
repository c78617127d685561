"""One question in the forms in which people ask it: each is the same as the first, and none is of another kind."""

from __future__ import annotations

from itertools import combinations

import pytest

from rqa_checkpoints.cache.guard import compare, sign

_FORMS = {
    "what": """
        日本の国鳥は何
        日本の国鳥は何ですか
        日本の国鳥は何でしょうか
        日本の国鳥は何でしょう
        日本の国鳥は何なの
        日本の国鳥は何なんですか
        日本の国鳥って何
        日本の国鳥って何だっけ
        日本の国鳥って何なんだろう
        日本の国鳥は？
        日本の国鳥を教えて
        日本の国鳥を教えてください
        日本の国鳥を教えていただけますか
        日本の国鳥が知りたい
        日本の国鳥を知りたいです
        日本の国鳥って何でしたっけ
        日本の国鳥は何になりますか
        日本の国鳥とは何ですか
        日本の国鳥は何か教えて
        日本の国鳥が何か知りたいです
    """,
    "where": """
        国連の本部はどこ
        国連の本部はどこですか
        国連の本部はどこでしょうか
        国連の本部はどちらですか
        国連の本部はどこにありますか
        国連の本部はどこにあるの
        国連の本部ってどこ
        国連の本部ってどこにあるんですか
        国連の本部はどこにあるのでしょうか
        国連の本部の場所は
        国連の本部の場所を教えて
        国連の本部はどちらにございますか
        国連の本部がある場所は
        国連の本部の所在地は
    """,
    "how": """
        梅干しの漬け方
        梅干しの漬け方は
        梅干しの漬け方を教えて
        梅干しはどうやって漬ける
        梅干しはどうやって漬けるの
        梅干しを漬けるには
        梅干しを漬ける方法
        梅干しを漬ける方法は何ですか
        梅干しを漬けるにはどうすればいいですか
        梅干しはどのように漬けますか
        梅干しの漬け方が知りたいです
        梅干しの漬け方について教えてください
        梅干しってどう漬けるの
        梅干しを漬けるやり方
        梅干しはどうやって漬けたらいいですか
        梅干しを漬ける手順
    """,
    "why": """
        空はなぜ青い
        空はなぜ青いのですか
        なぜ空は青いのか
        どうして空は青いの
        空が青い理由
        空が青い理由は何ですか
        空が青いのはなぜ
        空が青いのはどうしてですか
        空が青いのはなんで
        なんで空は青いんですか
        空が青いわけ
        空が青い原因
        なぜ空が青いのか教えて
        空ってなんで青いんだろう
        空が青いのは何でですか
        空が青いのは何故でしょうか
        空が青いのはどういう理由ですか
    """,
    "howmuch": """
        金閣寺の拝観料はいくら
        金閣寺の拝観料はいくらですか
        金閣寺の拝観料はおいくらですか
        金閣寺の拝観料は
        金閣寺の拝観料を教えて
        金閣寺の拝観料は何円
        金閣寺の拝観料は何円ですか
        金閣寺の拝観料っていくらくらい
        金閣寺の拝観料はどのくらい
        金閣寺の拝観料はいくらになりますか
        金閣寺の拝観料はいくらかかりますか
        金閣寺の拝観料はいかほどですか
    """,
    "when": """
        海の日はいつ
        海の日はいつですか
        海の日っていつ
        海の日はいつでしょうか
        海の日は何月何日
        海の日は何月何日ですか
        海の日はいつになりますか
        海の日の日付は
        海の日はいつなの
        海の日がいつか教えて
        海の日っていつだっけ
        海の日はいつ頃ですか
    """,
    "who": """
        電話を発明したのは誰
        電話を発明したのは誰ですか
        電話を発明した人は誰ですか
        電話を発明した人は
        電話を発明した人を教えて
        電話は誰が発明した
        電話は誰が発明しましたか
        誰が電話を発明したのですか
        電話の発明者は
        電話の発明者は誰
        電話を発明したのはどなたですか
        電話って誰が発明したの
        電話は誰によって発明されましたか
        電話を発明した人物は
        電話を発明したのは誰でしょうか
    """,
    "howmany": """
        日本に県はいくつある
        日本に県はいくつありますか
        日本に県はいくつあるの
        日本に県っていくつあるんですか
        日本の県の数
        日本の県の数は
        日本の県の数はいくつですか
        日本の県は何個
        日本の県の数を教えて
        日本には県がいくつありますか
        日本の県はいくつ
    """,
    "yesno": """
        納豆は冷凍できる
        納豆は冷凍できますか
        納豆は冷凍できるの
        納豆って冷凍できますか
        納豆って冷凍できるんですか
        納豆は冷凍できるのでしょうか
        納豆は冷凍可能ですか
        納豆を冷凍することはできますか
        納豆は冷凍しても大丈夫ですか
        納豆を冷凍してもいいですか
        納豆は冷凍OK？
        納豆は冷凍できるか
        納豆は冷凍できるかどうか教えて
        納豆は冷凍が可能？
    """,
    "howlong": """
        盲腸の入院期間は
        盲腸の入院期間はどのくらい
        盲腸の入院期間は何日
        盲腸の入院期間はどれくらいですか
        盲腸の入院は何日間
    """,
    "degree": """
        富士山の高さは
        富士山の高さはどのくらい
        富士山の高さはどれくらいですか
        富士山の高さは何メートル
        富士山の高さは何mですか
        富士山はどのくらい高い
        富士山の標高は
        富士山の標高を教えて
        富士山の高さってどれぐらい？
    """,
}
_ENGLISH = {
    "what": """
        What is the capital of Mongolia?
        what's the capital of mongolia
        Whats the capital of Mongolia
        Can you tell me the capital of Mongolia?
        Tell me the capital of Mongolia
        Could you please tell me what the capital of Mongolia is?
        Which city is the capital of Mongolia?
        capital of Mongolia
        What city is the capital of Mongolia?
        I'd like to know the capital of Mongolia
        Do you know what the capital of Mongolia is?
        What would be the capital of Mongolia?
        Mongolia's capital?
        What is Mongolia's capital city?
        Name the capital of Mongolia
        hey, what is the capital of Mongolia again?
        Any idea what the capital of Mongolia is?
    """,
    "how": """
        How do you clean a cast iron pan?
        How do I clean a cast iron pan?
        How to clean a cast iron pan
        What is the best way to clean a cast iron pan?
        How can I clean a cast iron pan?
        How should a cast iron pan be cleaned?
        How do you go about cleaning a cast iron pan?
        What's the way to clean a cast iron pan
        Please explain how to clean a cast iron pan
        how does one clean a cast iron pan
        How is a cast iron pan cleaned?
        Can you show me how to clean a cast iron pan?
        What do I do to clean a cast iron pan?
        Steps to clean a cast iron pan
    """,
    "why": """
        Why is the sky blue?
        why's the sky blue
        What makes the sky blue?
        What is the reason the sky is blue?
        How come the sky is blue?
        For what reason is the sky blue?
        Can you explain why the sky is blue?
        What causes the sky to be blue?
        why the sky is blue
        Why is it that the sky is blue?
        Could someone tell me why the sky is blue?
    """,
    "when": """
        When was the Eiffel Tower built?
        In what year was the Eiffel Tower built?
        What year was the Eiffel Tower built?
        When was the Eiffel Tower constructed?
        Which year was the Eiffel Tower built in?
        eiffel tower when was it built
        On what date was the Eiffel Tower built?
    """,
    "who": """
        Who invented the telephone?
        Who was the inventor of the telephone?
        Who is the inventor of the telephone?
        The telephone was invented by whom?
        By whom was the telephone invented?
        Who was it that invented the telephone?
        Which person invented the telephone?
        Who came up with the telephone?
        Who's the inventor of the telephone
    """,
    "many": """
        How many bones are in the human body?
        How many bones does the human body have?
        What is the number of bones in the human body?
        How many bones are there in the human body?
        number of bones in the human body
        How many bones has the human body got?
        What's the total number of bones in the human body?
        The human body has how many bones?
        how many bones in the human body
        How many bones do humans have in the body?
    """,
    "much": """
        How much does a passport cost?
        What does a passport cost?
        What is the cost of a passport?
        What is the price of a passport?
        How much is a passport?
        passport cost
        How expensive is a passport?
        What's the fee for a passport?
        How much money does a passport cost?
        How much will a passport cost me?
    """,
    "yesno": """
        Can you freeze tofu?
        Can I freeze tofu?
        Is it possible to freeze tofu?
        Can tofu be frozen?
        Could you freeze tofu?
        Is freezing tofu possible?
        Am I able to freeze tofu?
        Are you able to freeze tofu?
        can we freeze tofu
    """,
    "where": """
        Where is Mount Kilimanjaro located?
        Where is Mount Kilimanjaro?
        Where's Mount Kilimanjaro
        In which country is Mount Kilimanjaro?
        What is the location of Mount Kilimanjaro?
        Where can Mount Kilimanjaro be found?
        Where do you find Mount Kilimanjaro?
        Where is Mt Kilimanjaro?
        where is mt. kilimanjaro situated
    """,
    "degree": """
        How tall is the Burj Khalifa?
        What is the height of the Burj Khalifa?
        How high is the Burj Khalifa?
        What's the Burj Khalifa's height?
        height of the burj khalifa
        What height is the Burj Khalifa?
    """,
    "far": """
        How long does it take to boil an egg?
        How long should I boil an egg?
        How many minutes do you boil an egg?
        How much time does it take to boil an egg?
        How long do you boil an egg for?
    """,
    "does": """
        Does Iceland have an army?
        Is there an army in Iceland?
        Has Iceland got an army?
        Does an army exist in Iceland?
        does iceland have a army
    """,
}


@pytest.mark.parametrize("kind", _FORMS)
def test_every_form_asks_the_same(kind: str) -> None:
    first, *others = _FORMS[kind].split()
    apart = {other: compare(sign(first, "ja"), sign(other, "ja")).facets for other in others}
    assert {other: facets for other, facets in apart.items() if facets} == {}


@pytest.mark.parametrize("topic", ["国連の本部は", "桜まつりは", "古い写真は"])
def test_no_two_kinds_are_the_same(topic: str) -> None:
    asked = """
        何ですか どこですか いつですか 誰ですか なぜですか いくらですか いくつですか どうやりますか どちらがいいですか
        何年間ですか 必要ですか できますか できませんか でしたか
    """
    questions = [topic + form for form in asked.split()]
    same = [pair for pair in combinations(questions, 2) if not compare(*(sign(text, "ja") for text in pair)).facets]
    assert same == []


@pytest.mark.parametrize("kind", _ENGLISH)
def test_every_english_form_asks_the_same(kind: str) -> None:
    first, *others = map(str.strip, _ENGLISH[kind].strip().splitlines())
    apart = {other: compare(sign(first, "en"), sign(other, "en")).facets for other in others}
    assert {other: facets for other, facets in apart.items() if facets} == {}


@pytest.mark.parametrize(
    "pair",
    [
        "Who beat Ali?|Who did Ali beat?",
        "Who taught Plato?|Who did Plato teach?",
        "What eats sharks?|What do sharks eat?",
        "What kills bees?|What do bees kill?",
        "Which team beat Spain?|Which team did Spain beat?",
        "Which country invaded Poland?|Which country did Poland invade?",
        "What causes rust?|What does rust cause?",
        "Which animals hunt lions?|Which animals do lions hunt?",
        "Who did Brutus kill?|Who killed Brutus?",
        "Whom did Caesar marry?|Who married Caesar?",
        "How many countries invaded Russia?|How many countries did Russia invade?",
    ],
)
def test_who_acts_is_not_on_whom_it_acts(pair: str) -> None:
    one, two = pair.split("|")
    assert compare(sign(one, "en"), sign(two, "en")).facets
