"""How are tools and what came of them called? In English and Japanese: the same keys in both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["offer", "status_words"]

_OFFERS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "local_rag": "local_rag: passages of the folders that the person had indexed; query: a few words",
        "document_fetch": "document_fetch: one document; query: its path in an allowed folder, or an address (http, "
        "https) that stands in [input], [document ...] or a search result",
        "web_search": "web_search: the web, for current facts, specifications that change, prior work, named things; "
        "query: a few words, none of them from memory",
    },
    "ja": {
        "local_rag": "local_rag: 相手が索引に入れたフォルダーの一節。query は数語",
        "document_fetch": "document_fetch: 文書一つ。query は許可されたフォルダー内のパスか、[input]、[document ...]、"
        "検索結果にあるアドレス(http, https)",
        "web_search": "web_search: ウェブ。最新の事実、変わりうる仕様、先行事例、固有名のため。query は数語で、"
        "記憶の言葉は使わない",
    },
}
"""What the generator is told of a tool that it may ask for."""

_STATUS: Final[Mapping[str, tuple[str, str]]] = {
    "ok": ("found", "見つかった"),
    "nothing": ("found nothing", "何も見つからなかった"),
    "not_enabled": ("not enabled in the settings", "設定で有効になっていない"),
    "limit": ("not run: no call of it is left in this turn", "実行せず: この回の上限に達した"),
    "bad_query": ("not run: empty or too long", "実行せず: 空か長すぎる"),
    "private_words": (
        "not run: words of memory or of your files would have left",
        "実行せず: 記憶や手元の文書の言葉が外へ出てしまう",
    ),
    "unnamed_address": ("not run: nobody named this address", "実行せず: 誰も示していないアドレス"),
    "out_of_time": ("not run: no time left", "実行せず: 時間切れ"),
    "refused": ("refused", "拒否"),
    "stale": (
        "files have changed since they were indexed; `rqa folder update` indexes them again",
        "索引を作ったあとにファイルが変わりました。`rqa folder update` で作り直せます",
    ),
    "timed_out": ("took too long", "時間がかかりすぎた"),
    "busy": ("not run: an earlier call still hangs", "実行せず: 前の呼び出しが終わらない"),
    "failed": ("failed", "失敗"),
}


def offer(tool: str, lang: str) -> str:
    """What the generator is told of a tool."""
    return _OFFERS["ja" if lang == "ja" else "en"][tool]


def status_words(status: str, lang: str) -> str:
    """What came of a request, in a person's language."""
    return _STATUS[status][lang == "ja"]
