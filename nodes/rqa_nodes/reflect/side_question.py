"""May the assistant ask something of its own accord?

At most one question a turn, only if a judge found it deep, sharp and answerable, never on a topic that the user has
answered, and never after "stop asking" until the user lifts that. Silence is the normal outcome. The pages of users
who were asked the same thing 23 times in one turn are the reason for the closed topics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import re2

from rqa_nodes.reflect.budgets import Thresholds
from rqa_nodes.structure.text import clean, content_terms, coverage

__all__ = ["Ruling", "is_closed", "may_surface", "question_budget", "spend", "topic_key"]

_SAME_TOPIC: Final = 0.6
"""Share of the smaller topic's terms found in the other, from which two topics are one."""
_KEY_TERMS: Final = 24
_READ_CHARS: Final = 4000
"""A wish not to be asked stands at the beginning of a message, if anywhere."""

_SENTENCE: Final = re2.compile(r"[^.!?。！？\n;；]+[.!?。！？]*")
_QUOTED: Final = re2.compile(r'"[^"\n]*"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』')

_LEAD: Final = r"^\W*(?:(?:please|ok(?:ay)?|just|and|but|now|so|yes|no|hey|thanks?|thank you|for now|well)\W+){0,4}"
_ASKED: Final = r"(?:(?:could|can|would|will) you (?:please )?|i(?: want|'d like|’d like) you to )?"
_ADDED: Final = r"(?:\W+(?:again|anymore|any more|please|for now|today|now|if you like|whenever you like|freely))*\W*$"

_HEAD_JA: Final = r"(?:^|[、,\s]|もう|これ以上|いちいち|今後は?|以後|私に|僕に|こちらに)"
"""The head of a Japanese clause: what is said of somebody else ("部下に質問しないで") stands behind their name."""
_NO_JA: Final = (
    r"(?:しないで|やめて|止めて|要らない|いらない|要りません|いりません|しなくて(?:いい|良い|よい|結構)"
    r"|不要(?:です|だ|。|$)|結構です|控えて|なしで)"
)

_STOP: Final = re2.compile(
    "(?i)"
    + "|".join(
        (
            _LEAD
            + _ASKED
            + r"(?:stop|quit|cease) (?:(?:asking|questioning)(?: me)?(?: (?:so |any |many |all |these |those "
            r"|your |more |follow-up )*(?:questions?|things?|stuff))?|(?:with )?(?:the|your|all the) questions)"
            r"(?:\s*[,;:—–-]|" + _ADDED + ")",
            _LEAD + r"(?:do not|don't|don’t|never) ask (?:me )?(?:(?:any|so many|more|such|further|these|those|your"
            r"|follow-up|side|back)\W+){0,3}(?:questions?|anything|things|back|again)?" + _ADDED,
            _LEAD + r"(?:there is |there's |there’s |you have )?no need to ask(?: me)?(?: questions?| back)?" + _ADDED,
            _LEAD + r"no (?:more|further|follow-up|side|counter) ?questions?\b",
            _LEAD + r"(?:that's |that’s |that is )?enough (?:of |with )?(?:the |your )?questions\b",
            _HEAD_JA
            + r"(?:質問|問い返し|問いかけ|聞き返し|逆質問)(?:は|を|するのは|するのを|も)?、?(?:もう|これ以上)?、?"
            + _NO_JA,
            _HEAD_JA + r"(?:何も)?(?:聞か|訊か|聞き返さ|問い返さ|問わ)ないで(?:ください|下さい|ほしい|くれ|ね|よ|\W|$)",
            r"^\W*質問はもう(?:いい|結構|たくさん|十分)",
            r"^\W*(?:请|請)?(?:不要|别|別|不用)再?(?:问|問|提问|提問|反问|追问)",
        )
    )
)
"""A wish, said to the assistant, not to be asked: in English and Chinese only at the head of a sentence."""

_LIFT: Final = re2.compile(
    "(?i)"
    + "|".join(
        (
            _LEAD + r"(?:you (?:may|can|could|should) )?(?:feel free to )?(?:start |resume |go back to )?ask(?:ing)? "
            r"(?:me )?(?:again|away|(?:your )?(?:follow-up |side )?(?:questions?|things?))" + _ADDED,
            _LEAD + r"(?:questions are (?:fine|ok|okay|welcome)|you (?:may|can) ask)" + _ADDED,
            _HEAD_JA + r"(?:また|再び|いつでも|遠慮なく|自由に)?(?:質問|問い返し|問いかけ)(?:を|は|も)?"
            r"(?:再開|して(?:も)?(?:いい|良い|よい|構わない|かまわない|大丈夫|ください|くれ|ほしい))",
            _HEAD_JA + r"(?:また|いつでも|遠慮なく|自由に)(?:聞いて|訊いて|問いかけて)(?:も)?"
            r"(?:いい|良い|よい|ください|くれ|ほしい|構わ|\W|$|ね|よ)",
            r"^\W*(?:你)?(?:可以|请|請)(?:再|继续|繼續)(?:问|問|提问|提問)",
        )
    )
)
"""The same wish taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """May the question surface, and if not, why not?"""

    surfaces: bool
    reason: str
    """"earned", or the first that failed: none, degraded, already_asked, stop_asking, topic_closed, score, depth,
    sharpness, actionability."""


def may_surface(
    best: Mapping[str, Any] | None,
    *,
    thresholds: Thresholds,
    budget: int | None = None,
    closed_topics: Sequence[str] = (),
    asked: int = 0,
) -> Ruling:
    """Rule on the best question of a side reflection.

    Args:
        best: `choice.Choice`; None or empty if there is none.
        thresholds: What its scores must reach.
        budget: Side questions left in the thread; None is unlimited.
        closed_topics: Keys of topics that the user has answered.
        asked: Side questions already asked this turn.
    """
    if not best or not best["question"]:
        return Ruling(surfaces=False, reason="none")
    if best["degraded"] or best["score"] is None:
        return Ruling(surfaces=False, reason="degraded")
    scores: Mapping[str, int] = best["scores"]
    failures = (
        ("already_asked", asked > 0),
        ("stop_asking", budget is not None and budget <= 0),
        ("topic_closed", is_closed(f"{best['question']}\n{best['target_text']}", closed_topics)),
        ("score", best["score"] < thresholds.total),
        ("depth", scores["depth"] < thresholds.depth),
        ("sharpness", scores["sharpness"] < thresholds.sharpness),
        ("actionability", scores["actionability"] < thresholds.actionability),
    )
    reason = next((reason for reason, failed in failures if failed), "earned")
    return Ruling(surfaces=reason == "earned", reason=reason)


def topic_key(text: str) -> str:
    """What a question is about, as a line of terms: kept in the thread, compared by `is_closed`."""
    terms = sorted(content_terms(text), key=lambda term: (-len(term), term))
    return " ".join(sorted(terms[:_KEY_TERMS]))


def is_closed(text: str, closed_topics: Sequence[str]) -> bool:
    """Is the text about a topic that the user has answered?"""
    own = content_terms(text)
    return bool(own) and any(_same(own, frozenset(key.split())) for key in closed_topics)


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    smaller, larger = sorted((one, other), key=len)
    return coverage(smaller, larger) >= _SAME_TOPIC


def question_budget(text: str, budget: int | None) -> int | None:
    """The thread's budget after a message of the user: 0 after "stop asking", None after lifting it, else as it was.

    The later of two wishes in one message counts. Quoted words are nobody's wish.
    """
    for sentence in _SENTENCE.findall(_QUOTED.sub(" ", clean(text)[:_READ_CHARS])):
        asks = sentence.rstrip('」』"” \n').endswith(("?", "？", "か", "か。"))
        if _STOP.search(sentence) and not (asks and "か" in sentence[-3:]):
            budget = 0
        elif _LIFT.search(sentence) and not asks:
            budget = None
    return budget


def spend(budget: int | None) -> int | None:
    """The budget after one side question was asked; never below zero."""
    return None if budget is None else max(0, budget - 1)
