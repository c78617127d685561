"""What did the model mean to return?

Tolerant of form (fences, prose around, control characters, trailing commas, "L4 Assumption", a stance said otherwise),
strict about substance: no object, or one that was cut off, is an error with a reason and never half an analysis.
Nothing is ever invented: what is missing stays empty, and later checks drop it. Small models and servers without
constrained decoding force this shape; any text whatever gives an analysis or `ModelOutputError`, nothing else.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from rqa_nodes.errors import ModelOutputError
from rqa_nodes.fault_words import worded
from rqa_nodes.reflect._json_text import find_object, fold_key
from rqa_nodes.reflect.schema import ELEMENT_LISTS, LAYERS, MAX_ITEMS, Analysis, validate_analysis
from rqa_nodes.structure.text import clean

__all__ = ["MAX_TEXT_CHARS", "parse_analysis", "read_layer", "read_stance"]

MAX_TEXT_CHARS: Final = 600
"""A longer string in an analysis is no claim or question any more; it is cut, with an ellipsis."""

_MAX_READ: Final = 4 * MAX_ITEMS
"""Items of a list that are looked at, so that empty ones do not use up the places."""

_LAYER: Final = re.compile(r"(?:^|[^0-9a-z])(?:l|layer|層|层|レイヤー?)[\s:_#.-]{0,3}([0-9])(?![0-9])")
_LAYER_WORDS: Final = (
    ("L3", ("tension", "緊張", "矛盾", "张力")),
    ("L4", ("assumption", "premise", "前提", "仮定", "假设")),
    ("L5", ("frame", "framing", "枠", "フレーム", "框架")),
    ("L7", ("next", "次の問", "下一个")),
)
_STANCE_WORDS: Final = (
    ("steelman", ("steel", "strongest", "擁護", "最善", "好意的", "最强")),
    ("frame_skeptic", ("frame", "framing", "枠", "フレーム", "框架")),
    ("claim_skeptic", ("claim", "skeptic", "sceptic", "doubt", "主張", "懐疑", "疑", "主张")),
)
"""The first row with a word in the text wins: a "frame skeptic" names the frame before the doubt."""

_NOTHING: Final = frozenset(("", "none", "null", "n/a", "na", "nil", "-", "–", "—", "なし", "無し", "无", "該当なし"))
"""How a model says "no citation" or "no proposal" in a text field."""

_KEYS: Final = {
    "featuremap": ("特徴マップ", "特徴", "特徴一覧", "特征图", "特征"),
    "questioncandidates": ("問いの候補", "質問候補", "問い候補", "候補", "候选问题", "问题候选", "候选"),
    "searchdecision": ("検索判断", "検索の判断", "检索决定"),
    "selfranking": ("自己順位", "自己評価順", "順位", "自我排序"),
    "surfaceterms": ("表層語", "表層の語", "表层词"),
    "claims": ("主張", "主张"),
    "evidence": ("根拠", "証拠", "证据"),
    "tensionsinputinternal": ("緊張", "内部の緊張", "入力内の緊張", "张力"),
    "assumptions": ("前提", "隠れた前提", "仮定", "假设"),
    "frames": ("枠組み", "枠", "フレーム", "框架"),
    "question": ("問い", "質問", "问题"),
    "targetlayer": ("対象層", "対象の層", "層", "目标层", "层"),
    "targetelement": ("対象要素", "対象の要素", "対象", "目标元素", "目标"),
    "stance": ("姿勢", "立場", "立场"),
}
"""What models that think in Japanese or Chinese make of the keys, though they are told the English ones."""
_FOREIGN: Final = {fold_key(word): key for key, words in _KEYS.items() for word in words}

_TRUE: Final = frozenset(("true", "yes", "1", "needed", "はい", "必要", "是", "需要"))
_CONFIDENCE: Final = {
    "high": "high",
    "高": "high",
    "高い": "high",
    "medium": "medium",
    "中": "medium",
    "moderate": "medium",
}
_PROPOSAL: Final = ("allowed_area", "update_type", "observation", "proposed_adjustment", "rollback")
_TOOL: Final = ("tool", "reason", "query", "expected_use")


def parse_analysis(text: str, candidates: int) -> Analysis:
    """Read a generator's answer.

    Args:
        text: Everything that the model returned.
        candidates: K; further candidates are left out.

    Raises:
        ModelOutputError: `empty_content`, `not_an_object`, `cut_off` or `invalid`; nothing of the text is used.
    """
    wanted = ("feature_map", "question_candidates", *_KEYS["featuremap"], *_KEYS["questioncandidates"])
    found = _by_folded_key(find_object(text, wanted=wanted))
    features = found.get("featuremap")
    if not isinstance(features, Mapping):
        features = found if fold_key("claims") in found else None
    drafts = found.get("questioncandidates", found.get("candidates", found.get("questions")))
    if features is None or not isinstance(drafts, list):
        missing = "feature_map" if features is None else "question_candidates"
        words = worded("field_missing", "tried_once_more", field=missing, others=len(found))
        raise ModelOutputError(**words, reason="invalid")
    questions = [_candidate(draft) for draft in drafts[:candidates] if isinstance(draft, Mapping)]
    return validate_analysis(
        {
            "feature_map": _feature_map(_by_folded_key(features)),
            "search_decision": _search_decision(found.get("searchdecision")),
            "question_candidates": questions,
            "self_ranking": _ranking(found.get("selfranking"), len(questions)),
            "self_update_proposal": _record(found.get("selfupdateproposal"), _PROPOSAL),
            "tool_request": _record(found.get("toolrequest"), _TOOL),
        }
    )


def _by_folded_key(value: Mapping[Any, Any]) -> dict[str, Any]:
    folded: dict[str, Any] = {}
    for key, item in value.items():
        own = fold_key(str(key))
        folded.setdefault(_FOREIGN.get(own, own), item)
    return folded


def _text(value: Any) -> str:
    """One clean line: numbers become text, other structures their JSON, control characters spaces."""
    if value is None or isinstance(value, bool):
        return ""
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, default=str)
    line = " ".join(clean(value[: 4 * MAX_TEXT_CHARS]).split())
    return line if len(line) <= MAX_TEXT_CHARS else line[: MAX_TEXT_CHARS - 1] + "…"


def _texts(value: Any) -> list[str]:
    items = value[:_MAX_READ] if isinstance(value, list) else [value]
    texts = (_element(item) for item in items)
    return [text for text in texts if text][:MAX_ITEMS]


def _element(item: Any) -> str:
    """An element is a string; some models wrap it in an object of one text."""
    if isinstance(item, Mapping):
        item = next((part for part in item.values() if isinstance(part, str)), None)
    return _text(item)


def _feature_map(features: Mapping[str, Any]) -> dict[str, Any]:
    built: dict[str, Any] = {name: _texts(features.get(fold_key(name))) for name in ELEMENT_LISTS}
    crossings = features.get(fold_key("tensions_memory_cross"))
    items = crossings[:_MAX_READ] if isinstance(crossings, list) else []
    built["tensions_memory_cross"] = [t for t in map(_memory_tension, items) if t["tension"]][:MAX_ITEMS]
    return built


def _memory_tension(item: Any) -> dict[str, str]:
    fields = _by_folded_key(item) if isinstance(item, Mapping) else {"tension": item}
    reference = _text(fields.get("memoryref"))
    return {
        "tension": _text(fields.get("tension")),
        "memory_ref": "" if reference.casefold() in _NOTHING else reference,
        "recorded_at": _text(fields.get("recordedat")),
        "confidence": _CONFIDENCE.get(_text(fields.get("confidence")).casefold(), "low"),
    }


def _search_decision(value: Any) -> dict[str, Any]:
    fields = _by_folded_key(value) if isinstance(value, Mapping) else {}
    needed = fields.get("searchneeded")
    return {
        "search_needed": needed is True or _text(needed).casefold() in _TRUE,
        "reason": _text(fields.get("reason")),
        "queries": _texts(fields.get("queries")),
    }


def _candidate(draft: Mapping[Any, Any]) -> dict[str, str]:
    fields = _by_folded_key(draft)
    layer, stance = fields.get("targetlayer", fields.get("layer")), fields.get("stance")
    return {
        "question": _text(fields.get("question")),
        "target_layer": read_layer(layer),
        "target_element": _text(fields.get("targetelement", fields.get("target"))),
        "stance": read_stance(stance) if _text(stance) else read_stance(layer, hint=True),
    }


def read_layer(value: Any) -> str:
    """L3, L4, L5 or L7 from "L4 Assumption", "layer 4", 4 or "前提"; else the text as it is (to be dropped)."""
    text = _text(value)
    folded = unicodedata.normalize("NFKC", text).casefold()
    number = _LAYER.search(folded)
    if number or folded.isdigit():
        layer = f"L{number[1] if number else folded}"
        return layer if layer in LAYERS else text
    return next((name for name, words in _LAYER_WORDS if any(word in folded for word in words)), text)


def read_stance(value: Any, *, hint: bool = False) -> str:
    """One of the stances from "Steel-man", "doubts the claim" or "主張を疑う"; else the text as it is (to be dropped).

    With `hint` the text is another field in which a stance may be named in full, and nothing less counts.
    """
    text = _text(value)
    folded = unicodedata.normalize("NFKC", text).casefold().replace("-", "_").replace(" ", "_")
    if hint:
        return next((name for name, _ in _STANCE_WORDS if name in folded), "")
    return next((name for name, words in _STANCE_WORDS if any(word in folded for word in words)), text)


def _ranking(value: Any, count: int) -> list[int]:
    """A permutation of the candidates: the model's order where it is usable, the rest in the order written."""
    given = [number for item in (value if isinstance(value, list) else []) if (number := _index(item)) is not None]
    if given and 0 not in given and max(given) == count and min(given) == 1:
        given = [number - 1 for number in given]
    return list(dict.fromkeys([number for number in given if number < count] + list(range(count))))


def _index(item: Any) -> int | None:
    if isinstance(item, str) and item.strip().isascii() and item.strip().isdigit():
        item = int(item.strip()[:4])
    return item if isinstance(item, int) and not isinstance(item, bool) and item >= 0 else None


def _record(value: Any, names: tuple[str, ...]) -> dict[str, str] | None:
    """The named text fields of an object; None for null, for words that mean it, and for an object without any."""
    if not isinstance(value, Mapping):
        return None
    fields = _by_folded_key(value)
    record = {name: _text(fields.get(fold_key(name))) for name in names}
    return record if any(text.casefold() not in _NOTHING for text in record.values()) else None
