"""How far can an answer be trusted, by what was counted about it?

The GI is a pure function of integers that are attested with the answer, so that anybody can compute it again. What a
model says of its own confidence has no weight, and no word of the question or the answer enters. A score is no
probability. Thousandths are rounded down: 0.9695 is 969, and no threshold is reached by rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Final

from rqa_nodes.errors import ScoreInputError

__all__ = ["CAP", "GI_VERSION", "WEIGHTS", "Counted", "caps", "gi", "parts"]

GI_VERSION: Final = "gi-1"

WEIGHTS: Final[Mapping[str, int]] = {"support": 40, "agreement": 25, "sources": 20, "reviewer": 15}
"""In hundredths."""

CAP: Final = 949
"""One below the floor for what may be kept: with a cap in force only a person can approve."""

_WHOLE: Final = 1000
_FAMILIES: Final = 2
_TWO_VOICES: Final = 1000
_ONE_AUTHORITY: Final = 850
_ONE_VOICE: Final = 500
"""What a claim gains by its sources: two independent voices, one that is the authority on it, or one that is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Everything that the score depends on. Counts, but for `agreement` and `reviewer`, which are thousandths."""

    claims: int
    """Material claims of the answer."""
    supported: int
    """Of these: those that a quoted span of a verified source carries."""
    two_voices: int
    """Of the supported ones: those that sources of at least two families carry."""
    authority: int
    """Of the supported ones with a single voice: those whose source is the authority."""
    contradictions: int
    """Claims of other engines or sources that say something else about the same."""
    agreement: int
    """How far engines of other families say the same, claim by claim."""
    families: int
    """Model families of the engines that answered."""
    reviewers: int
    """Reviewers of a further family whose verdict could be used."""
    vetoes: int
    reviewer: int
    """What the reviewer gave the answer."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise ScoreInputError(f"`{field.name}` is {value!r}; a count from 0 on was expected")
        if not self.two_voices + self.authority <= self.supported <= self.claims:
            raise ScoreInputError(f"{self.supported} of {self.claims} claims cannot be supported so")
        if max(self.agreement, self.reviewer) > _WHOLE:
            raise ScoreInputError(f"a share is above {_WHOLE} thousandths")

    @classmethod
    def read(cls, components: Mapping[str, int]) -> Counted:
        """What was attested with an answer, read back. Raises ScoreInputError."""
        try:
            return cls(**{field.name: components[field.name] for field in fields(cls)})
        except KeyError as error:
            raise ScoreInputError(f"the component {error.args[0]!r} is missing") from error

    def attested(self) -> dict[str, int]:
        """What is attested with the answer: the counts, and the four parts that follow from them."""
        return {**asdict(self), **{f"part_{name}": value for name, value in parts(self).items()}}


def parts(counted: Counted) -> dict[str, int]:
    """The four parts of the score in thousandths; what is missing is 0."""
    claims = counted.claims
    single = counted.supported - counted.two_voices - counted.authority
    voiced = counted.two_voices * _TWO_VOICES + counted.authority * _ONE_AUTHORITY + single * _ONE_VOICE
    return {
        "support": counted.supported * _WHOLE // claims if claims else 0,
        "agreement": counted.agreement if claims else 0,
        "sources": voiced // claims if claims else 0,
        "reviewer": counted.reviewer if counted.reviewers else 0,
    }


def caps(counted: Counted) -> tuple[str, ...]:
    """Why the score may not reach the floor, whatever its parts add up to; empty if nothing speaks against it."""
    rules = (
        ("unsupported_claim", counted.supported < counted.claims or not counted.claims),
        ("contradiction", counted.contradictions > 0),
        ("one_family", counted.families < _FAMILIES),
        ("no_reviewer", counted.reviewers == 0),
        ("veto", counted.vetoes > 0),
    )
    return tuple(name for name, holds in rules if holds)


def gi(counted: Counted) -> int:
    """The score in thousandths, 0 to 1000.

    floor(1000 * (0.40 support + 0.25 agreement + 0.20 sources + 0.15 reviewer)), and at most `CAP` where a cap holds.
    """
    weighted = sum(WEIGHTS[name] * value for name, value in parts(counted).items()) // 100
    return min(weighted, CAP) if caps(counted) else weighted
