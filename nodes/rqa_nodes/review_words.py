"""How does the review graph speak? Its fixed words, in English and Japanese: the same keys in both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["REVIEW_WORDS"]

REVIEW_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "approved": "{item}: version {version} is approved by {by}.",
        "rejected": "{item}: version {version} is rejected by {by}.",
        "unknown": "There is no item {item} in this queue.",
        "unknown_kind": "{item} is of the kind {kind}, which this version cannot decide on.",
        "already_decided": "{item} is already {status}, by {by} on {at}. Nothing was changed.",
        "stale": "{item} is at version {version} now, and another one was meant. Nothing was changed.",
        "refused": "{item} was not changed: {reason}",
        "status_approved": "approved",
        "status_rejected": "rejected",
    },
    "ja": {
        "approved": "{item}: 版 {version} を {by} が承認しました。",
        "rejected": "{item}: 版 {version} を {by} が却下しました。",
        "unknown": "この待ち行列に {item} はありません。",
        "unknown_kind": "{item} の種類 {kind} は、この版のプログラムでは決定できません。",
        "already_decided": "{item} は {at} に {by} が{status}済みです。何も変更していません。",
        "stale": "{item} は現在、版 {version} です。指定された版と異なるため、何も変更していません。",
        "refused": "{item} は変更していません: {reason}",
        "status_approved": "承認",
        "status_rejected": "却下",
    },
}
