"""What happens when there is no judge?

The turn goes on with the generator's own ranking, says so and why, and no side question surfaces. The reasons are a
closed set, so that people read them in their language and the degradation rate can be counted by cause.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from rqa_nodes.errors import (
    BindingRefusedError,
    CircuitOpenError,
    ModelOutputError,
    ModelUnavailableError,
    OutOfTimeError,
    PromptTooLargeError,
    RuleError,
)

__all__ = ["DegradeReason", "reason_of", "reason_text"]


class DegradeReason(StrEnum):
    """Why the selection had no judge."""

    evaluator_off = "evaluator_off"
    no_key = "no_key"
    binding_refused = "binding_refused"
    circuit_open = "circuit_open"
    out_of_time = "out_of_time"
    unavailable = "unavailable"
    bad_answer = "bad_answer"
    prompt_too_large = "prompt_too_large"
    only_memory = "only_memory"
    failed = "failed"


_WORDS: Final[dict[DegradeReason, tuple[str, str, str]]] = {
    DegradeReason.evaluator_off: ("the evaluator is switched off", "評価器が無効です", "评估器已关闭"),
    DegradeReason.no_key: ("no key for the evaluator", "評価器の鍵がありません", "没有评估器的密钥"),
    DegradeReason.binding_refused: (
        "the evaluator binding is not the approved one",
        "評価器の設定が承認された内容と異なります",
        "评估器的绑定未经批准",
    ),
    DegradeReason.circuit_open: (
        "the evaluator failed three times and rests for a minute",
        "評価器が3回続けて失敗したため、1分間休止しています",
        "评估器连续三次失败，暂停一分钟",
    ),
    DegradeReason.out_of_time: (
        "the turn had no time left for the evaluator",
        "評価器に尋ねる時間が残っていませんでした",
        "本轮没有剩余时间询问评估器",
    ),
    DegradeReason.unavailable: ("the evaluator cannot be reached", "評価器に接続できません", "无法连接评估器"),
    DegradeReason.bad_answer: (
        "the evaluator's answer has no usable scores",
        "評価器の応答に使える点数がありません",
        "评估器的回答没有可用的分数",
    ),
    DegradeReason.prompt_too_large: (
        "the evaluator's prompt does not fit its context",
        "評価器の文脈に収まりません",
        "评估器的提示超出其上下文",
    ),
    DegradeReason.only_memory: (
        "every candidate rests on memory, which no remote evaluator may see",
        "どの候補も記憶に基づくため、外部の評価器には見せません",
        "所有候选都依赖记忆，不能交给外部评估器",
    ),
    DegradeReason.failed: ("the evaluator failed", "評価器が失敗しました", "评估器失败"),
}
_ERRORS: Final[tuple[tuple[type[RuleError], DegradeReason], ...]] = (
    (BindingRefusedError, DegradeReason.binding_refused),
    (OutOfTimeError, DegradeReason.out_of_time),
    (CircuitOpenError, DegradeReason.circuit_open),
    (ModelUnavailableError, DegradeReason.unavailable),
    (ModelOutputError, DegradeReason.bad_answer),
    (PromptTooLargeError, DegradeReason.prompt_too_large),
    (RuleError, DegradeReason.failed),
)


def reason_of(cause: RuleError | str) -> DegradeReason:
    """The reason that an error, or the word of `Evaluator.unusable()`, stands for; an unknown word is `failed`."""
    if isinstance(cause, str):
        return DegradeReason(cause) if cause in DegradeReason.__members__ else DegradeReason.failed
    return next(reason for error, reason in _ERRORS if isinstance(cause, error))


def reason_text(reason: str, lang: str) -> str:
    """The reason in a person's language; an unknown one as it is."""
    if reason not in DegradeReason.__members__:
        return reason
    english, japanese, chinese = _WORDS[DegradeReason(reason)]
    return {"ja": japanese, "zh": chinese}.get(lang, english)
