"""Would the stored answer have been right?

Where the rollout does not serve yet, the question is deliberated on as if nothing had been kept, and the answer that
would have been served is held against the fresh one. Neither tells the other anything.
"""

from __future__ import annotations

from rqa_nodes.deliberate.agreement import contradictions
from rqa_nodes.deliberate.claims import Guard, claims_of, same_claim

__all__ = ["agrees"]


def agrees(stored: str, fresh: str, guard: Guard, lang: str) -> bool:
    """Does one of the answers say all that the other one says, and nothing against it?

    An answer that claims nothing agrees with none: silence confirms no hit.
    """
    mine, theirs = ([claim.text for claim in claims_of(answer)] for answer in (stored, fresh))
    if not mine or not theirs or contradictions(mine, theirs, guard, lang):
        return False
    return _within(mine, theirs, guard, lang) or _within(theirs, mine, guard, lang)


def _within(claims: list[str], said: list[str], guard: Guard, lang: str) -> bool:
    return all(any(same_claim(claim, other, guard, lang) for other in said) for claim in claims)
