"""What is a model told, before it sees any data?

Fixed instructions per task and language, as package data; nothing in them depends on memory, documents or the user.
Each sentence about remembered text names whose words they are, because a small model takes any sentence of a system
message for the truth. Chinese input gets the English text with Chinese as the language of the reply: the models that
we target follow English instructions at least as well.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Literal

from rqa_checkpoints.provenance import SourceClass, Stance, answered_phrase, speaker_phrase

__all__ = ["instructions"]


@cache
def instructions(task: Literal["answer", "analyse", "agent", "deliberate", "judge"], lang: str) -> str:
    """The fixed system text of a task; a language other than en, ja and zh gets the English one.

    "agent" is what stands behind the system text of somebody else's agent. The wordings by class come from where the
    data block takes them, so that the two always agree.
    """
    written = "ja" if lang == "ja" else "en"
    path = resources.files("rqa_nodes").joinpath("texts", f"{task}.{written}.md")
    text = path.read_text(encoding="utf-8").replace("{language}", "Chinese" if lang == "zh" else "English")
    for source in SourceClass:
        text = text.replace(f"{{{source.value}}}", speaker_phrase(source, lang, locator="..."))
    for stance in Stance:
        text = text.replace(f"{{{stance.value}}}", answered_phrase(stance, lang, date="..."))
    return text
