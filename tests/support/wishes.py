"""A change that an assistant wishes to make to its own asking, one a language, as a model would propose it."""

from __future__ import annotations

__all__ = ["WISH"]

WISH = {
    "en": {
        "allowed_area": "question_generation_bias",
        "update_type": "add",
        "observation": "The questions missed who pays.",
        "proposed_adjustment": "Ask who pays before asking why.",
        "rollback": "Drop the line.",
    },
    "ja": {
        "allowed_area": "question_generation_bias",
        "update_type": "追加",
        "observation": "費用を払う人への問いが抜けていた。",
        "proposed_adjustment": "理由より先に、誰が払うかを問う。",
        "rollback": "その行を外す。",
    },
}
