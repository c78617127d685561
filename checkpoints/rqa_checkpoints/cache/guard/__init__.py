"""Are two questions the same question? Asked of every pair before an answer is given for a question it was not asked.

Vectors cannot say it: "turn on" and "turn off" lie nearer than many true paraphrases. The guard reads what a question
turns on - polarity, modality, quantifiers, comparators, numbers, units, dates, kind of question, case, order - and
demands that all of it is equal, and that every word that carries content has its counterpart. Doubt counts as
difference: a lost hit costs a deliberation, a wrong one costs trust.
"""

from __future__ import annotations

from rqa_checkpoints.cache.guard.compare import Comparison, compare, is_self_contained, sign
from rqa_checkpoints.cache.guard.signature import GUARD_VERSION, Signature

__all__ = ["GUARD_VERSION", "Comparison", "Signature", "compare", "is_self_contained", "sign"]
