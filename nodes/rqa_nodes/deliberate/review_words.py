"""How is an answer put before a person who decides on it? In English and Japanese: the same keys in both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["WORDS"]

WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "question": "question",
        "scope": "domain / locale / jurisdiction",
        "why": "why a person is asked",
        "gi": "score",
        "caps": "held below 0.950 by",
        "edited": "written by {by}; the score was computed anew, and no reviewer has seen this wording",
        "answer": "answer",
        "sources": "sources",
        "other": "another engine answered",
        "entry": "entry",
        "flagged": "flagged by {by}",
        "flag_choice": "Approve: the answer is wrong and ends. Reject: it is right and is served again.",
        "support": "claims carried by sources",
        "agreement": "agreement",
        "reviewer": "reviewer",
        "unsupported_claim": "a claim that no source carries",
        "contradiction": "a contradiction",
        "one_family": "engines of one family only",
        "no_reviewer": "no independent reviewer",
        "veto": "a veto of the reviewer",
        "sensitive": "the domain is sensitive",
        "low_gi": "the score is below what may be kept",
        "no_second_opinion": "the sources carry it, but nobody of another family confirmed it",
        "important": "the score is low, and it is asked often",
        "contested": "a later deliberation says something else",
    },
    "ja": {
        "question": "質問",
        "scope": "分野 / 言語 / 法域",
        "why": "人に尋ねる理由",
        "gi": "点数",
        "caps": "0.950 未満に抑えた理由",
        "edited": "{by} が書いた文です。点数は計算し直しました。この文を見た審査役はいません",
        "answer": "答え",
        "sources": "出典",
        "other": "別のエンジンの答え",
        "entry": "項目",
        "flagged": "{by} からの指摘",
        "flag_choice": "承認すると、答えは誤りとして終わります。却下すると、正しいものとして再び使われます。",
        "support": "出典に支えられた主張",
        "agreement": "一致",
        "reviewer": "審査役",
        "unsupported_claim": "出典に支えられていない主張がある",
        "contradiction": "矛盾がある",
        "one_family": "エンジンが一系統だけ",
        "no_reviewer": "独立した審査役がいない",
        "veto": "審査役の拒否",
        "sensitive": "慎重を要する分野",
        "low_gi": "点数が保存できる基準に達していない",
        "no_second_opinion": "出典は支えているが、別系統による確認がない",
        "important": "点数は低いが、よく尋ねられる",
        "contested": "後の検討が別のことを述べている",
    },
}
