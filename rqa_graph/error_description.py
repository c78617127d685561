"""What does a person or a program read of an error, in their language?"""

from __future__ import annotations

from collections.abc import Mapping

from rqa_checkpoints.errors import CheckpointError
from rqa_graph.errors import ExitCode, InputError, exit_code
from rqa_graph.messages import keys, say
from rqa_nodes.errors import RuleError

__all__ = ["describe_error", "sentences"]


def describe_error(error: BaseException, lang: str) -> dict[str, str]:
    """An error as `{"code", "message", "hint"}`, in words for a person."""
    if isinstance(error, InputError):
        message, hint = say(error.key, lang, **error.values), say(f"{error.key}_hint", lang, **error.values)
        return {"code": error.code, "message": message, "hint": hint}
    if isinstance(error, KeyboardInterrupt):
        return {"code": "interrupted", "message": say("error.interrupted", lang), "hint": ""}
    if isinstance(error, (RuleError, CheckpointError)):
        return {"code": error.code, **_fault_words(error.code, *error.said(lang), lang)}
    code, words = getattr(error, "code", None), getattr(error, "message", None)
    if isinstance(code, str) and isinstance(words, str):
        return {"code": code, **_fault_words(code, words, str(getattr(error, "hint", "")), lang)}
    if isinstance(error, OSError) and exit_code(error) is ExitCode.home:
        message = say("fault.home_not_writable", lang, message=error)
        return {"code": "home_not_writable", "message": message, "hint": say("error.home_hint", lang)}
    text = say("error.internal", lang, kind=type(error).__name__, message=str(error))
    return {"code": "internal", "message": text, "hint": say("error.internal_hint", lang)}


def sentences(words: Mapping[str, str], lang: str) -> str:
    """What an error is and what to do, each closed as the language does it."""
    stop, gap = ("。", "") if lang == "ja" else (".", " ")
    return gap.join(part.rstrip(".。") + stop for part in (words["message"], words["hint"]) if part)


def _fault_words(code: str, message: str, hint: str, lang: str) -> dict[str, str]:
    """The words of an error of a lower layer, which speaks English: in another language, what happened stands before.

    Where one way out fits every case of a code, that is said in the language too.
    """
    if lang == "en":
        return {"message": message, "hint": hint}
    key, known = f"fault.{code}", keys()
    return {
        "message": say(key if key in known else "fault.app", lang, message=message),
        "hint": say(f"{key}_hint", lang) if f"{key}_hint" in known else hint,
    }
