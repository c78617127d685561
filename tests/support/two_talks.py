"""Two persons who talk at once, one in English and one in Japanese, and how to see that nothing crosses over."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

__all__ = ["TALKS", "Lang", "Talk"]

Lang = Literal["en", "ja"]


class Talk(NamedTuple):
    """What a person tells and asks in turn."""

    told: str
    asked: str
    own: str
    """Words that only this person says."""
    first: int
    """The first of the numbers that only this person tells."""

    def words(self, turns: int) -> list[str]:
        """What is said in so many turns."""
        return [self.asked if number % 2 else self.told.format(self.first + number) for number in range(turns)]

    def is_in(self, text: str, turns: int) -> bool:
        """Is anything of this person's in a text?"""
        return self.own in text or any(str(self.first + number) in text for number in range(turns))


TALKS: Final[dict[Lang, Talk]] = {
    "en": Talk(
        "My locker code is {} and it lies in the blue drawer.", "What do you know about my locker code?", "drawer", 4100
    ),
    "ja": Talk(
        "私の倉庫の番号は{}で、鍵は赤い箱にあります。", "私の倉庫の番号について何を知っていますか？", "赤い箱", 7700
    ),
}
