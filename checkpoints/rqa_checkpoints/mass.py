"""Who earns mass, how much, and how does it fade?

Mass is what use has left on an item: 1 for one that nobody used, 50 at most. It moves only when an item is *used* - a
person cites, repeats or confirms it, or the assistant cites it in a reply that passed the verifier - and never because
it was found or looked at. What goes back to the assistant's own words earns nothing from the assistant, and from a
person only by an explicit confirmation, and then on the person's new item. So no echo gains weight by being repeated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from rqa_checkpoints.breakdown import TrainingDelta
from rqa_checkpoints.provenance import MemoryNode, SourceClass, confirmed_by

__all__ = [
    "MAX_MASS",
    "UNUSED",
    "Credit",
    "Holding",
    "How",
    "Root",
    "Use",
    "account_of",
    "apply",
    "faded",
    "gain_of",
    "moment",
    "plan_uses",
    "root_of",
    "strongest",
]

UNUSED: Final = 1.0
MAX_MASS: Final = 50.0
_PER_CONFIRMATION: Final = 1.0
"""Gain of a first confirmation of an unused item, before the bound. Our own scale: mass counts confirmations."""
_HALF_LIFE_DAYS: Final = 180.0
"""Excess over 1 halves in so many days without use, by default, so that nothing stays heavy for ever."""
_SECONDS_A_DAY: Final = 86_400.0


class How(StrEnum):
    """In which way an item was used."""

    cited = "cited"
    repeated = "repeated"
    confirmed = "confirmed"


class Root(StrEnum):
    """Whose words an item goes back to."""

    user = "user"
    external = "external"
    assistant = "assistant"
    """The assistant's own, what was made of them, and what a person repeated of them without confirming it."""
    confirmation = "confirmation"
    """A person's own confirmation of what the assistant had said."""
    system = "system"


_USER, _ASSISTANT = SourceClass.user, SourceClass.assistant
WEIGHTS: Mapping[tuple[SourceClass, How, Root], float] = MappingProxyType(
    {
        (_USER, How.confirmed, Root.user): 1.0,
        (_USER, How.cited, Root.user): 0.5,
        (_USER, How.repeated, Root.user): 0.5,
        (_USER, How.confirmed, Root.external): 0.5,
        (_USER, How.cited, Root.external): 0.5,
        (_USER, How.repeated, Root.external): 0.5,
        (_USER, How.confirmed, Root.confirmation): 1.0,
        (_ASSISTANT, How.cited, Root.user): 0.1,
        (_ASSISTANT, How.cited, Root.external): 0.1,
    }
)
"""Actor, way and root; whatever is not named here earns nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One item, used."""

    id: str
    actor: SourceClass
    how: How


@dataclass(frozen=True, slots=True, kw_only=True)
class Credit:
    """A gain that was given before."""

    actor: SourceClass
    how: How
    session: str
    day: str
    """ISO date, UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """What must be known of an item to say what a use of it earns."""

    root: Root
    account: str
    mass: float
    """As it stands now, faded."""
    account_mass: float
    """1 and the excess of all items of its account: the chunks of one document, the confirmations of one guess."""
    opposed: bool = False
    """Something contradicts or supersedes it."""
    credits: Sequence[Credit] = ()


def root_of(node: MemoryNode) -> Root:
    """Whose words an item goes back to; lineage decides, not the last speaker."""
    if SourceClass.system in node.origin or node.source is SourceClass.system:
        return Root.system
    if confirmed_by(node):
        return Root.confirmation
    if SourceClass.assistant in node.origin or node.source is SourceClass.assistant or node.echo_of:
        return Root.assistant
    return Root.external if SourceClass.external in (*node.origin, node.source) else Root.user


def account_of(node: MemoryNode) -> str:
    """Name of the account that an item shares: of a document's chunks, of the confirmations of one guess, its own."""
    if node.source is SourceClass.external and node.locator:
        return f"document {node.locator}"
    return f"guess {min(confirmed)}" if (confirmed := confirmed_by(node)) else f"item {node.id}"


def moment(text: str) -> datetime:
    """A time as it is stored; one without a zone is UTC. Raises ValueError."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def faded(mass: float, *, used_at: str, now: datetime) -> float:
    """The mass that is left; fading in two steps is fading in one. A time before the last use fades nothing."""
    if mass <= UNUSED or not used_at:
        return max(mass, UNUSED)
    days = (now - moment(used_at)).total_seconds() / _SECONDS_A_DAY
    return float(UNUSED + (mass - UNUSED) * 0.5 ** (max(days, 0.0) / _HALF_LIFE_DAYS))


def gain_of(use: Use, held: Holding, *, session: str, day: str) -> float:
    """What one use earns: `w * 2**-k * (1 - M/50)`, never more than is missing to 50.

    `w` is the weight of actor, way and root; `k` how often the same actor was credited for the item in this session;
    `M` the mass of its account. 0 for what is contradicted or superseded, and for a second credit of the same actor
    and way on one day.
    """
    weight = WEIGHTS.get((use.actor, use.how, held.root), 0.0)
    earlier = [credit for credit in held.credits if credit.actor is use.actor]
    again = any(credit.how is use.how and credit.day == day for credit in earlier)
    if not weight or held.opposed or again:
        return 0.0
    same_session = sum(credit.session == session for credit in earlier)
    missing = max(0.0, 1 - held.account_mass / MAX_MASS)
    return float(min(_PER_CONFIRMATION * weight * 0.5**same_session * missing, MAX_MASS - held.mass))


def strongest(uses: Collection[Use], holdings: Mapping[str, Holding]) -> list[Use]:
    """One use an item: of several in one message, the one that weighs the most counts; ids ascending."""

    def weighed(use: Use) -> tuple[float, str, str]:
        return WEIGHTS.get((use.actor, use.how, holdings[use.id].root), 0.0), use.actor.value, use.how.value

    best: dict[str, Use] = {}
    for use in sorted((use for use in uses if use.id in holdings), key=weighed):
        best[use.id] = use
    return [best[name] for name in sorted(best)]


def plan_uses(
    uses: Collection[Use], holdings: Mapping[str, Holding], *, session: str, day: str
) -> tuple[list[Use], TrainingDelta]:
    """What these uses earn together. Pure: the same arguments give the same delta, to the last bit.

    Each gain is worked out from the masses as they were before, so that it is the same whatever else is used; only
    where the items of one account would together pass the bound does the rest get what is left of it.

    Returns:
        The uses that earn something, and what each item gains.
    """
    given: dict[str, float] = {}
    by_account: dict[str, float] = defaultdict(float)
    effective = []
    for use in strongest(uses, holdings):
        held = holdings[use.id]
        room = max(0.0, MAX_MASS - held.account_mass - by_account[held.account])
        gain = min(gain_of(use, held, session=session, day=day), room)
        if gain > 0:
            given[use.id] = gain
            by_account[held.account] += gain
            effective.append(use)
    return effective, TrainingDelta(mass_changes=given, passive=False, considered=len(holdings))


def apply(delta: TrainingDelta, masses: Mapping[str, float]) -> dict[str, float]:
    """The masses after a delta: each gain on top of what the item has now, within 1 and 50."""
    return {name: min(MAX_MASS, masses[name] + gain) for name, gain in delta.mass_changes.items()}
