"""Is somebody of the reader's given the reader's own words, where no reference stands beside them?

What the reader told is his own word. A sentence that has his sister or his doctor say it, though no text of his speaks
of her, names the wrong speaker.
"""

from __future__ import annotations

from typing import Final

from rqa_nodes.echo.claim import Claim
from rqa_nodes.echo.content import content_words
from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.repair import credit
from rqa_nodes.echo.sentence import Sentence
from rqa_nodes.echo.speakers_ja import Attribution, is_kin, names_person, read_attributions
from rqa_nodes.echo.speakers_zh import read_chinese_attributions
from rqa_nodes.echo.support import Support
from rqa_nodes.echo.types import VerdictKind

__all__ = ["given_to_kin"]

_NOUN: Final = lazily(r"(?<![、，,:： ])[\u3400-\u9fff\u30a1-\u30fcごお]")
_CLAUSE: Final = lazily(r"[^、。，,!！?？;；]*")
_REASON: Final = "the reader said it"


def given_to_kin(sentence: Sentence, support: Support) -> Finding | None:
    """A statement of the reader's under somebody else's name."""
    if sentence.lang == "en" or not support.told:
        return None
    read = read_attributions if sentence.lang == "ja" else read_chinese_attributions
    for told in read(sentence.plain):
        if told.who != "name" or not is_kin(told.name) or names_person(told.name, support.told):
            continue
        body = told.body or _CLAUSE.match(sentence.plain, told.end).span()  # type: ignore[union-attr]  # matches always
        if support.said_by_user(content_words(sentence.plain[slice(*body)])):
            return _restored(sentence, told)
    return None


def _restored(sentence: Sentence, told: Attribution) -> Finding:
    """Without the name where it describes a noun, else under the reader's own."""
    start, end = sentence.folded.span(told.start, told.end)
    if sentence.lang == "ja" and told.body is None and _NOUN.match(sentence.plain, told.end):
        return Finding(
            kind=VerdictKind.wrong_speaker, start=start, end=end, reason=_REASON, action="cut", cut=(start, end)
        )
    around = (told.start, told.end)
    claim = Claim(*around, around, told.body or (told.end, told.end), "", True, told.body is None, True)
    prefix = load(sentence.lang)["wording"]["you_said"]
    return credit(sentence, claim, prefix=prefix, kind=VerdictKind.wrong_speaker, reason=_REASON)
