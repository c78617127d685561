"""What does the generator learn from the last round?

The verdict in a few lines, in the language of the input. It travels as data in the human message: a judge's rationale
is model output, and model output is never an instruction to a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

__all__ = ["feedback", "issue_feedback"]

_BELOW: Final = {"L3": "L4", "L4": "L5", "L5": "L7", "L7": "L7"}
"""One layer below: a tension rests on an assumption, an assumption on a frame; below a frame is what to ask next."""

_WORDS: Final = {
    "en": {
        "best": "Best candidate of round {round}: {question}",
        "place": "It targeted {layer}: {target}",
        "score": "Score {score} of 40 (depth {depth}, sharpness {sharpness}, novelty {novelty}, "
        "actionability {actionability}). Weakest: {weakest}.",
        "rationale": "The evaluator wrote: {rationale}",
        "unscored": "No evaluator scored it.",
        "deeper": "This round digs one layer below it, towards {below}: what would have to be so for that question to "
        "arise at all? Do not ask it again in other words.",
        "issues": "The last drafts were too alike: {issues}.",
        "few_candidates": "too few usable candidates",
        "few_layers": "all on one layer",
        "few_stances": "all with one stance",
    },
    "ja": {
        "best": "第{round}回の最良の候補: {question}",
        "place": "狙った層は{layer}、対象は「{target}」",
        "score": "40点中{score}点(深さ{depth}、鋭さ{sharpness}、新しさ{novelty}、"
        "答えやすさ{actionability})。最も弱いのは{weakest}。",
        "rationale": "評価器の記述: {rationale}",
        "unscored": "評価器による採点はない。",
        "deeper": "今回はその一段下、{below}を掘る。"
        "その問いがそもそも生じるには、何がそうでなければならないか。言い換えて繰り返さない。",
        "issues": "前回の候補は似すぎていた: {issues}。",
        "few_candidates": "使える候補が少ない",
        "few_layers": "すべて同じ層",
        "few_stances": "すべて同じ姿勢",
    },
}
_AXES: Final = {
    "en": {"depth": "depth", "sharpness": "sharpness", "novelty": "novelty", "actionability": "actionability"},
    "ja": {"depth": "深さ", "sharpness": "鋭さ", "novelty": "新しさ", "actionability": "答えやすさ"},
}


def _language(lang: str) -> str:
    return "ja" if lang == "ja" else "en"


def feedback(best: Mapping[str, Any] | None, lang: str) -> str:
    """What the next round is told about the best question so far (`choice.Choice`): it digs one layer below it.

    Empty if no round has brought one.
    """
    if not best:
        return ""
    words = _WORDS[_language(lang)]
    lines = [words["best"].format_map(best), words["place"].format(layer=best["layer"], target=best["target_text"])]
    if best["score"] is None:
        lines.append(words["unscored"])
    else:
        scores: Mapping[str, int] = best["scores"]
        weakest = _AXES[_language(lang)][min(scores, key=lambda axis: scores[axis])]
        lines.append(words["score"].format(score=best["score"], weakest=weakest, **scores))
    if best["rationale"]:
        lines.append(words["rationale"].format_map(best))
    lines.append(words["deeper"].format(below=_BELOW.get(best["layer"], "L7")))
    return "\n".join(lines)


def issue_feedback(issues: Sequence[str], lang: str) -> str:
    """What a regeneration is told about the set that it replaces; empty without issues."""
    if not issues:
        return ""
    words = _WORDS[_language(lang)]
    named = ("、" if _language(lang) == "ja" else ", ").join(words[issue] for issue in issues)
    return words["issues"].format(issues=named)
