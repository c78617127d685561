"""Which answers may be kept, and from which score, age and likeness on may one be given again?

One versioned policy a domain, from `config/cache_policies.yaml`. The floors of the product are fixed here: a domain may
only raise them, and a request may only raise its domain's. The version covers the whole file, and stands in every entry
and every decision.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from rqa_checkpoints.cache.records import FreshnessTag
from rqa_checkpoints.chain import canonical
from rqa_checkpoints.errors import CachePolicyError

__all__ = ["FLOORS", "MAX_PHASE", "Policy", "PolicyBook", "Rollout"]

FLOORS: Final[Mapping[str, int]] = {"exact_gi": 970, "baseline_gi": 950, "similarity": 900}
"""In thousandths: a score of at least `exact_gi` serves the same question, `baseline_gi` may be written and serve a
similar one, and `similarity` makes a candidate, never a proof of sameness."""

MAX_PHASE: Final = 4
_ANY: Final = "*"
_FIELDS: Final = frozenset({"tag", "jurisdiction", "sensitive", *FLOORS})
_WITH_JURISDICTION: Final = ("required", "optional")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What holds in one domain."""

    domain: str
    version: str
    tag: FreshnessTag
    """Answers of this domain age at least so fast."""
    needs_jurisdiction: bool
    """Without a named one there is no hit: what is law in one place is none in another."""
    sensitive: bool
    """A person looks at every answer before it is kept, whatever its score."""
    exact_gi: int
    baseline_gi: int
    similarity: int

    def tightened(self, wanted: Mapping[str, int]) -> Policy:
        """The policy of one request: what it asks to raise is raised; what it asks to lower stays.

        Raises:
            CachePolicyError: a name or a value that is none.
        """
        for name, value in wanted.items():
            if name not in FLOORS or isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 1000:
                raise CachePolicyError(
                    f"a request cannot set `{name}` to {value!r}",
                    hint=f"Name {', '.join(FLOORS)} with thousandths from 0 to 1000.",
                )
        return replace(self, **{name: max(value, getattr(self, name)) for name, value in wanted.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """The phase in which a tenant, domain and locale begin; `*` stands for all."""

    tenant: str
    domain: str
    locale: str
    phase: int

    def covers(self, tenant: str, domain: str, locale: str) -> bool:
        """Is it about these?"""
        asked = zip((self.tenant, self.domain, self.locale), (tenant, domain, locale), strict=True)
        return all(own in (_ANY, other) for own, other in asked)


class PolicyBook:
    """The policies of one home. A domain that is not in it is not cached."""

    def __init__(self, policies: Mapping[str, Policy], rollouts: tuple[Rollout, ...], *, version: str) -> None:
        self.version = version
        self.rollouts = rollouts
        self._policies = dict(policies)

    @classmethod
    def from_mapping(cls, config: Mapping[str, Any]) -> PolicyBook:
        """Read the content of `cache_policies.yaml`.

        Raises:
            CachePolicyError: an unknown field, a wrong value, or one below the product's floor.
        """
        _known(config, {"version", "domains", "rollout"}, "the file")
        if not isinstance(config.get("domains"), Mapping):
            raise _fault("`domains`", config.get("domains"), "a mapping of names to policies")
        version = f"{config.get('version', 1)}-{_digest(config)}"
        policies = {str(name): _policy(str(name), row or {}, version) for name, row in config["domains"].items()}
        rollouts = config.get("rollout") or []
        if not isinstance(rollouts, list):
            raise _fault("`rollout`", rollouts, "a list of rows")
        return cls(policies, tuple(_rollout(row) for row in rollouts), version=version)

    @property
    def domains(self) -> tuple[str, ...]:
        """Names of the allow-listed domains, sorted."""
        return tuple(sorted(self._policies))

    def of(self, domain: str) -> Policy | None:
        """The policy of a domain; None where it is not on the list. Names are compared whole, never in part."""
        return self._policies.get(domain)

    def first_phase(self, tenant: str, domain: str, locale: str) -> int:
        """The phase that the file begins with: the first row that covers them, 0 where there is none."""
        return next((row.phase for row in self.rollouts if row.covers(tenant, domain, locale)), 0)


def _digest(config: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(config).encode("ascii")).hexdigest()[:12]


def _policy(domain: str, row: Mapping[str, Any], version: str) -> Policy:
    where = f"the domain {domain!r}"
    if not isinstance(row, Mapping):
        raise _fault(where, row, "a mapping")
    _known(row, _FIELDS, where)
    if row.get("jurisdiction", "optional") not in _WITH_JURISDICTION:
        raise _fault(f"`jurisdiction` of {where}", row["jurisdiction"], " or ".join(_WITH_JURISDICTION))
    try:
        tag = FreshnessTag(row["tag"])
    except (KeyError, ValueError) as error:
        raise _fault(f"`tag` of {where}", row.get("tag"), ", ".join(FreshnessTag)) from error
    return Policy(
        domain=domain,
        version=version,
        tag=tag,
        needs_jurisdiction=row.get("jurisdiction") == "required",
        sensitive=bool(row.get("sensitive", False)),
        **{name: _threshold(row, name, where) for name in FLOORS},
    )


def _threshold(row: Mapping[str, Any], name: str, where: str) -> int:
    value = row.get(name, FLOORS[name])
    if isinstance(value, bool) or not isinstance(value, int) or not FLOORS[name] <= value <= 1000:
        raise _fault(f"`{name}` of {where}", value, f"thousandths from {FLOORS[name]} (the floor) to 1000")
    return value


def _rollout(row: Any) -> Rollout:
    if not isinstance(row, Mapping):
        raise _fault("a row of `rollout`", row, "a mapping")
    _known(row, {"tenant", "domain", "locale", "phase"}, "`rollout`")
    phase = row.get("phase")
    if isinstance(phase, bool) or not isinstance(phase, int) or not 0 <= phase <= MAX_PHASE:
        raise _fault("`phase` of `rollout`", phase, f"0 to {MAX_PHASE}")
    return Rollout(phase=phase, **{name: str(row.get(name, _ANY)) for name in ("tenant", "domain", "locale")})


def _known(row: Mapping[str, Any], names: frozenset[str] | set[str], where: str) -> None:
    unknown = sorted(str(name) for name in row if name not in names)
    if unknown:
        raise _fault(where, unknown[0], f"one of {', '.join(sorted(names))}")


def _fault(where: str, value: object, wanted: str) -> CachePolicyError:
    return CachePolicyError(
        f"{where} in `cache_policies.yaml` is {value!r}; expected {wanted}",
        hint="Compare with the shipped `cache_policies.yaml`.",
    )
