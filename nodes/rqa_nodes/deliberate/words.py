"""How does a deliberation speak where nothing was verified? In English and Japanese: the same keys in both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["WORDS"]

WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "pending": "Unverified, and waiting for a person ({item}):",
        "unkept": "Not kept, because the ledger could not be written ({reason}):",
        "abstained": "No verified answer: {reason}.",
        "asked": "A person was asked to look at it: {item}.",
        "no_source": "no source on the list bears on the question",
        "no_answer": "no engine gave an answer",
        "not_keepable": "the answer is not certain enough, and may not be written down for a person to check",
        "sensitive": "in this domain a person looks at every answer first",
        "low_gi": "the answer is not certain enough",
        "no_second_opinion": "the sources carry an answer, but nobody of another family has confirmed it",
        "important": "the answer is not certain enough, and the question is asked often",
        "below_band": "the answer is not certain enough",
        "contested": "a later look at the sources contradicts what was answered before",
        "source_changed": "a source changed while the question was being answered; ask again",
        "busy": "many ask this at this moment, and the answer is not there yet; ask again",
        "not_verified": "the answer claims what its sources do not show",
        "queue_full": "the answer is not certain enough, and too many wait for a person already",
        "not_queued": "the answer is not certain enough, and could not be written down for a person to check",
    },
    "ja": {
        "pending": "未確認です。人の確認を待っています（{item}）:",
        "unkept": "台帳に書き込めなかったため、保存していません（{reason}）:",
        "abstained": "確認済みの答えはありません: {reason}。",
        "asked": "人に確認を依頼しました: {item}。",
        "no_source": "登録された出典の中に、この質問に関わるものがありません",
        "no_answer": "どのエンジンからも答えが得られませんでした",
        "not_keepable": "答えが十分に確かではなく、人が確認するために書き残すこともできません",
        "sensitive": "この分野では、どの答えもまず人が確認します",
        "low_gi": "答えが十分に確かではありません",
        "no_second_opinion": "出典は答えを支えていますが、別系統のモデルによる確認がまだありません",
        "important": "答えが十分に確かではなく、よく尋ねられる質問です",
        "below_band": "答えが十分に確かではありません",
        "contested": "出典を見直した結果、以前の答えと食い違っています",
        "source_changed": "回答中に出典が変わりました。もう一度お尋ねください",
        "busy": "同じ質問が集中していて、まだ答えが出ていません。少し後でもう一度お尋ねください",
        "not_verified": "答えに、出典にない内容が含まれています",
        "queue_full": "答えが十分に確かではなく、確認待ちもすでに多すぎます",
        "not_queued": "答えが十分に確かではなく、人が確認するための書き込みもできませんでした",
    },
}
