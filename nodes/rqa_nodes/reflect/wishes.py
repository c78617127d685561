"""Does a message say that its author wants no questions, wants them again, or wants a topic left alone?

A wish is said to the assistant: quoted words are nobody's, and what is told of others ("my son will not stop asking",
「部下に質問しないで」) is none. An English wish is a whole clause, apart from what may stand around it ("please", "from
now on"); a Japanese one begins a clause. Chinese has the plainest forms. The patterns are RE2, whose time is linear,
over a bounded beginning of the message: whoever has such a wish says so early.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import re2

from rqa_nodes.structure.text import clean

__all__ = ["closed_topic", "question_budget"]

_READ_CHARS: Final = 4000

_SENTENCE: Final = re2.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_CLAUSE: Final = re2.compile(r"[^,;:—–；]+")
_QUOTED: Final = re2.compile(r'"[^"\n]*"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』')
_REPORTED_JA: Final = re2.compile(r"^[\s、,]*(?:と|って)(?:言|い[わうっ]|書|聞い|頼|怒|注意|思|店長|先生|母|父)?")
"""What follows reported words in Japanese: they are somebody's, not a wish said here."""

_GAP: Final = r"[\s\p{P}\p{S}]"
"""Between words of any script; RE2's own non-word class counts every Japanese letter in."""

_LEAD: Final = re2.compile(
    r"(?i)^(?:please|ok(?:ay)?|just|and|but|now|so|yes|hey|thanks?(?: you)?|for now|well|look|listen|sorry"
    r"|honestly|from now on|in (?:the )?future|also|kindly|next time|by the way|really)\s+"
)
_TAIL: Final = re2.compile(
    r"(?i)\s+(?:again|any ?more|any longer|please|for now|today|now|if you like|whenever you like|freely|from now on"
    r"|thanks?(?: you)?|in (?:the )?future|going forward|at all|at the end(?: of (?:your|every|each) (?:answers?"
    r"|repl(?:y|ies)))?|(?:with|after) (?:every|each) (?:answer|reply)|all the time|so often|in this chat|further"
    r"|already|before|in detail|until i say so)$"
)
_AROUND: Final = 4
"""At most so many words of courtesy are taken off either end."""

_ASKED: Final = (
    r"(?:(?:could|can|would|will) (?:you|we) (?:please |kindly |just )?|i(?: want|'d like| would like| need) you to "
    r"|i wish you(?:'d| would) |you (?:should|must|can|may|need to|have to) |let's |try to )?"
)
_MANY: Final = r"(?:(?:the|your|any|all|these|those|so|many|more|such|further|follow-?up|side|counter|extra|of) ){0,4}"
_NEVER: Final = r"(?:do not|don't|never|try not to|you (?:need not|needn't|don't (?:need|have) to)|please don't)"
_WANT_NOT: Final = r"i (?:do not|don't) (?:want|need|like|wish)"

_STOP_EN: Final = (
    _ASKED + r"(?:stop|quit|cease|avoid|refrain from|give up) (?:asking|questioning)(?: me)?(?: back)?"
    r"(?: (?:so |any |many |all |these |those |your |more |follow-up |side )*(?:questions?|things?|stuff|anything))?",
    _ASKED + r"(?:stop|quit) (?:with )?(?:the|your|all the|all your) (?:follow-?up )?questions",
    _ASKED + r"(?:stop|quit|avoid) (?:ending|finishing|closing|adding) (?:(?:with|on) )?(?:a |your )?"
    r"(?:follow-?up )?questions?",
    _ASKED + r"(?:drop|skip|omit|leave out|leave off|cut|cut out|spare me|lose|hold|save) " + _MANY + r"questions?",
    _NEVER + r" ask(?: me)?(?: " + _MANY + r"(?:questions?|things|stuff))?(?: anything)?(?: (?:else|more))?(?: back)?",
    _NEVER + r" (?:add|append|include|end with|finish with|close with|put in) (?:a |any )?" + _MANY + r"questions?",
    (
        r"i(?:'d| would) (?:rather|prefer(?: it)?(?: if)?) you (?:did not|didn't|would not|wouldn't|not) ask(?: me)?"
        r"(?: (?:any |so many |more )*(?:questions?|things|anything))?"
    ),
    r"i(?:'d| would) (?:rather have|prefer|like) no (?:more |further )?questions",
    _WANT_NOT + r" (?:you to ask(?: me)?(?: (?:anything|questions))?|to be (?:asked|questioned)"
    r"(?: (?:anything|things|back|questions))?|(?:to answer )?" + _MANY + "questions?)",
    r"(?:there(?: is|'s) |you have )?no need (?:to ask(?: me)?(?: questions?| back)?|for " + _MANY + "questions?)",
    r"no (?:more|further|follow-?up|side|counter) ?questions?",
    r"no questions|just (?:the )?answers?|answers? only|only (?:the )?answers?",
    r"without " + _MANY + r"questions",
    r"(?:that's |that is )?enough (?:of |with )?" + _MANY + r"(?:questions|asking)",
    r"you(?:'re| are)? ask(?:ing)?(?: me)? (?:way |far )?(?:too|so) many questions",
    (
        r"i(?:'m| am) (?:so )?(?:tired|sick|weary|fed up) (?:of|with) (?:all )?(?:(?:your|the|these|those) questions"
        r"|being (?:asked|questioned)(?: things| questions)?)"
    ),
)
_BARE_EN: Final = re2.compile(r"(?i)^(?:no questions|just (?:the )?answers?|answers? only|only (?:the )?answers?)$")
"""Wishes only with something beside them: "no questions, please" is one, "No questions." says that there are none."""

_HEAD_JA: Final = (
    r"(?:^|[、,\s]|もう|これ以上|いちいち|(?:今後|これから)(?:は|も)?|以後|次から(?:は)?|最後に|毎回|逆に|私に|僕に"
    r"|こちらに|お願いだから)"
)
"""The head of a Japanese clause: what is said of somebody else ("部下に質問しないで") stands behind their name."""
_START_JA: Final = "^" + _GAP + "*(?:もう|今後は|これからは|ちょっと)?"
_QUESTION_JA: Final = (
    r"(?:(?:追加|余計|余分|最後|逆|無駄|そういう|その手|これ以上)(?:の|な)?)?"
    r"(?:質問攻め|逆質問|質問|問い返し|問いかけ|聞き返し|反問)"
)
_WITH_JA: Final = (
    r"(?:(?:を|の)?(?:する|される|付ける|つける|添える|返す|投げる|足す|入れる)(?:の|こと)(?:は|を|も)?"
    r"|は|を|も|なんて|ばかり)?、?(?:もう|これ以上|いちいち|毎回|最後に)?、?"
)
_END_JA: Final = r"(?:ください|下さい|ほしい|欲しい|くれ|もらえ|もらい|いただ|頂|ちょうだい|ね|よ|" + _GAP + "|$)"
_NO_JA: Final = (
    r"(?:(?:し|付け|つけ|添え|返さ|投げ|足さ|入れ|挟ま)ない(?:で|ように)|(?:やめ|止め|よし|控え|省い|なくし|遠慮し|勘弁し"
    r"|やめにし)て|要らない|いらない|要りません|いりません|しなくて(?:も)?(?:いい|良い|よい|結構)"
    r"|(?:不要|結構|うんざり|嫌|いや)(?:です|だ|なので|$)|(?:なし|無し|抜き)(?:で|に)|お断り)"
)

_STOP_JA: Final = (
    _HEAD_JA + _QUESTION_JA + _WITH_JA + _NO_JA,
    _HEAD_JA + r"(?:何も|もう|私に|僕に)*(?:聞か|訊か|尋ね|たずね|聞き返さ|問い返さ|問わ|聞いてこ|訊いてこ|聞いて来)"
    r"ない(?:で|ように)(?:おいて)?" + _END_JA,
    _START_JA + r"質問は(?:もう)?(?:いい(?:です|よ|から|" + _GAP + "|$)|結構|たくさん|十分)",
    _START_JA + r"質問(?:が|の数が)(?:多すぎ|多過ぎ)(?:ます|る|です|だ)?(?:よ|ね)*" + _GAP + "*$",
    _START_JA + r"答えだけ(?:で(?:いい|十分|結構|お願い)|ください|下さい|(?:を)?(?:教えて|返して|言って|お願い))",
    "^" + _GAP + r"*(?:请|請)?(?:不要|别|別|不用)再?(?:问|問|提问|提問|反问|追问)",
)

_LIFT_EN: Final = (
    (
        r"(?:you(?:'re| are)? (?:may|can|could|should|allowed to|welcome to|free to) (?:now )?|feel free to "
        r"|go (?:ahead|on) and |it(?:'s| is) (?:fine|ok|okay|alright|all right|good) (?:if you|to|for you to) (?:now )?"
        r"|i(?:'d like| would like| want) you to |i(?:'m| am) (?:fine|ok|okay|happy) (?:with you|for you to|if you) )?"
        r"(?:start |resume |continue |go back to |keep )?ask(?:ing)? (?:me )?"
        r"(?:away|(?:(?:your|more) )?(?:follow-?up |side )?(?:questions?|things?|anything))"
    ),
    r"you(?:'re| are)? (?:may|can|allowed to|welcome to|free to) (?:now )?ask(?: me)?",
    r"(?:go ahead and|feel free to|start|resume|keep) ask(?:ing)?(?: me)?|ask me again|ask again",
    r"questions are (?:fine|ok|okay|welcome|allowed|good)(?: now| again)?",
    (
        r"i (?:do not|don't) mind (?:(?:your |the |being asked |follow-?up |answering )*questions|you asking"
        r"(?: me)?(?: questions)?|being asked)"
    ),
)
_LIFT_JA: Final = (
    _HEAD_JA + r"(?:また|再び|いつでも|遠慮なく|遠慮せず(?:に)?|自由に)?(?:質問|問い返し|問いかけ)(?:を|は|も)?"
    r"(?:再開|解禁|して(?:くれて)?(?:も)?(?:いい|良い|よい|構わ|構い|かまわ|かまい|大丈夫|ください|下さい|くれ|ほしい|欲しい))",
    _HEAD_JA + r"(?:また|いつでも|遠慮なく|遠慮せず(?:に)?|自由に)(?:聞いて|訊いて|尋ねて|問いかけて)(?:くれて)?(?:も)?"
    r"(?:いい|良い|よい|構わ|構い|大丈夫|" + _END_JA + ")",
    "^" + _GAP + r"*(?:你)?(?:可以|请|請)(?:再|继续|繼續)(?:问|問|提问|提問)",
)

_TOPIC: Final = r"(?P<topic>.{2,80})"
_TOPIC_JA: Final = r"(?P<topic>[^、。,.!?\s]{1,40}?)"
_ABOUT_JA: Final = (
    r"(?:のこと|の話題?|の件|の問題|話題?|件|についての(?:質問|話)|に関する(?:質問|話)|について|に関して)"
    r"(?:は|を|も|に)?"
)
_MORE_JA: Final = r"(?:もう|これ以上|二度と|今後は?)*"

_CLOSE_EN: Final = (
    _ASKED + r"(?:stop|quit|do not|don't|never|no need to|avoid) (?:ask(?:ing)?|talk(?:ing)?|go(?:ing)? on"
    r"|question(?:ing)?) (?:me )?(?:(?:any|more|again|so many|further) ){0,2}(?:questions )?about " + _TOPIC,
    _ASKED + r"(?:stop|quit|do not|don't|never|avoid) (?:bring(?:ing)? up|mention(?:ing)?) " + _TOPIC,
    r"(?:no more|no further|enough|that's enough)(?: questions| talk)? about " + _TOPIC,
    r"(?:" + _WANT_NOT + r" to|i(?:'d| would) (?:rather|prefer) not(?: to)?|let's not|let us not) "
    r"(?:(?:talk|speak|hear|be asked|think)(?: any ?more)? about|discuss|go into|reopen|get into) " + _TOPIC,
    r"(?:let's|let us|can we|could we|we should|i'd like to) (?:move|step) (?:on|away) from " + _TOPIC,
    r"(?:we(?:'re| are)|i(?:'m| am)) (?:done|finished|through) (?:with|talking about) " + _TOPIC,
    r"the (?:matter|issue|question|subject|topic|story) of " + _TOPIC + r" is (?:closed|settled|done|resolved|over)",
    _ASKED + r"(?:drop|leave|change|end|close|skip|abandon) (?P<topic>the|this|that|it)"
    r"(?: (?:subject|topic|matter|question))?(?: (?:alone|there|at that))?",
    (
        r"(?P<topic>that|this|it|the)(?: (?:topic|subject|matter|question|issue))?(?:'s| is) "
        r"(?:closed|settled|resolved|off the table)"
    ),
    r"i(?:'ve| have)? (?:already )?(?:answered|told you|said) (?P<topic>that|this|it)",
)
_CLOSE_JA: Final = (
    r"(?:^|[、,\s])"
    + _TOPIC_JA
    + _ABOUT_JA
    + _MORE_JA
    + r"(?:何も)?(?:聞か|訊か|尋ね|質問し|触れ|話さ|話題にし|蒸し返さ|言わ)ない(?:で|ように)"
    + _END_JA,
    r"(?:^|[、,\s])"
    + _TOPIC_JA
    + _ABOUT_JA
    + _MORE_JA
    + r"(?:話し|し|言い|触れ|考え|答え)たく(?:ない|ありません|は?ないです)",
    r"(?:^|[、,\s])"
    + _TOPIC_JA
    + _ABOUT_JA
    + _MORE_JA
    + r"(?:やめ(?:て|よう|ましょう|にし)|終わり(?:だ|です|に|ました)|終わっ(?:た|て)|(?:十分|たくさん|結構)(?:です|だ)"
    r"|ここまで|おしまい|解決(?:済み|し(?:た|ました))|決着|変え(?:よう|ましょう|て|たい|させて))",
    "^" + _GAP + r"*(?P<topic>それ|その質問|その件)(?:は|に(?:は)?)?(?:もう|さっき|すでに|既に)"
    r"(?:答え|言い|話し|伝え|お答えし)(?:た|ました)",
    "^" + _GAP + r"*(?P<topic>話題)を(?:変え|替え|換え)(?:よう|ましょう|て|たい|させて)",
)
_UNNAMED_EN: Final = frozenset({"that", "this", "it", "the", "them"})
_UNNAMED_JA: Final = frozenset({"これ", "それ", "その", "この", "あの", "そ", "こ", "あ", "その質問", "その件", "話題"})
"""What points at a topic instead of naming it; "その話" is cut after its first letter at most."""
_POLITE_JA: Final = re2.compile(
    r"(?:もらえ|いただけ|頂け|くれ|くださ)(?:ます|ません|る|ない|います|いません)(?:でしょう)?か" + _GAP + "*$"
)


def _whole(patterns: Sequence[str]) -> Any:
    return re2.compile("(?i)^(?:" + "|".join(f"(?:{pattern})" for pattern in patterns) + ")$")


def _anywhere(patterns: Sequence[str]) -> Any:
    return re2.compile("|".join(f"(?:{pattern})" for pattern in patterns))


_STOP: Final = (_whole(_STOP_EN), _anywhere(_STOP_JA))
"""No questions, please: of a bare English clause, and of any text."""
_LIFT: Final = (_whole(_LIFT_EN), _anywhere(_LIFT_JA))
"""The same wish taken back."""
_CLOSE: Final = (
    tuple(re2.compile(f"(?i)^(?:{pattern})$") for pattern in _CLOSE_EN),
    tuple(re2.compile(pattern) for pattern in _CLOSE_JA),
)
"""A topic is to be left alone: the one that is named, or, with "that", the one that was just talked of."""


def question_budget(text: str, budget: int | None) -> int | None:
    """The thread's budget after a message of the user: 0 after "stop asking", None after lifting it, else as it was.

    The later of two wishes in one message counts. A wish that names a topic is about that topic alone.
    """
    for sentence in _sentences(text):
        if _closing(sentence):
            continue
        asks = sentence.rstrip('」』"” \n').endswith(("?", "？", "か", "か。"))
        if _wishes(_STOP, sentence) and not _asks_in_japanese(sentence, asks=asks):
            budget = 0
        elif not asks and _wishes(_LIFT, sentence):
            budget = None
    return budget


def closed_topic(text: str, before: str) -> str:
    """Words of the topic that a message wants left alone; "" if it wants nothing of the kind.

    Args:
        text: The message.
        before: What was talked of before it: meant by a wish that names nothing ("drop the subject").
    """
    topics = [match["topic"].strip() for match in map(_closing, _sentences(text)) if match]
    named = [topic for topic in topics if topic.casefold() not in _UNNAMED_EN | _UNNAMED_JA]
    return "\n".join([*named, *([before] if len(named) < len(topics) else [])])


def _sentences(text: str) -> Iterator[str]:
    yield from _SENTENCE.findall(_QUOTED.sub(" ", clean(text)[:_READ_CHARS].replace("’", "'")))


def _clauses(sentence: str) -> Iterator[str]:
    """The clauses of a sentence without their courtesies."""
    for clause in _CLAUSE.findall(sentence):
        bare = clause.strip(" \t\"'.!?…)(-")
        for _ in range(_AROUND):
            bare = _TAIL.sub("", _LEAD.sub("", bare)).strip()
        yield bare


def _wishes(wish: tuple[Any, Any], sentence: str) -> bool:
    whole, anywhere = wish
    alone = sentence.strip(" .!")
    said = [clause for clause in _clauses(sentence) if whole.search(clause)]
    return any(clause != alone or not _BARE_EN.search(clause) for clause in said) or _is_said(
        anywhere.search(sentence), sentence
    )


def _closing(sentence: str) -> Any:
    english, japanese = _CLOSE
    of_clauses = (pattern.search(clause) for clause in _clauses(sentence) for pattern in english)
    found = next((match for match in of_clauses if match), None)
    if found:
        return found
    matches = (pattern.search(sentence) for pattern in japanese)
    return next((match for match in matches if _is_said(match, sentence)), None)


def _is_said(match: Any, sentence: str) -> bool:
    """Is it said here, and not reported of somebody?"""
    return match is not None and _REPORTED_JA.search(sentence[match.end() :]) is None


def _asks_in_japanese(sentence: str, *, asks: bool) -> bool:
    """A Japanese question about asking is no wish; a wish put as a polite question is one."""
    return asks and "か" in sentence[-3:] and _POLITE_JA.search(sentence) is None
