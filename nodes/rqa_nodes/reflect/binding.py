"""Is the evaluator the one that a person approved?

A binding is where and by which rubric questions are judged. Invariant: it judges only if its fingerprint is the last
one approved, and its rubric hash is the hash of the rubric in use; whatever differs is refused, and the selection goes
on without a judge. Otherwise whoever edits a file could change the yardstick by which the assistant is measured.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from rqa_nodes.errors import BindingRefusedError
from rqa_nodes.reflect.rubric import rubric_hash

__all__ = ["Binding", "check_approved"]

_APPROVE = "An evaluator swap needs a person: `rqa evaluator propose`, then `rqa evaluator approve`."


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """The pinned evaluator."""

    release: str
    endpoint: str
    model: str
    key_variable: str
    """Name of the environment variable that holds the key; empty for a server that wants none."""
    rubric_hash: str

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> Binding:
        """Read a binding. Raises BindingRefusedError for a missing, unknown or non-text field."""
        names = [field.name for field in fields(cls)]
        given = {str(key): value for key, value in mapping.items()}
        wrong = sorted(set(given) ^ set(names)) or [name for name in names if not isinstance(given[name], str)]
        if wrong:
            raise BindingRefusedError(
                f"the evaluator binding is not usable at `{wrong[0]}`: {given.get(wrong[0])!r}; "
                f"expected texts for {names!r}",
                hint="Compare `evaluator_binding.yaml` with the one that ships.",
            )
        return cls(**given)

    @property
    def fingerprint(self) -> str:
        """`sha256:` and the hex digest of the canonical JSON of all fields: what an approval names."""
        canonical = json.dumps(asdict(self), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return "sha256:" + hashlib.sha256(canonical.encode("ascii")).hexdigest()


def check_approved(binding: Binding, approvals: Mapping[str, Any], *, rubric: str | None = None) -> None:
    """Let the binding pass, or refuse it.

    Args:
        binding: The binding in use.
        approvals: `{"evaluator_binding": [{"who", "when", "hash"}, ...]}`, the latest last.
        rubric: The rubric in use; default: the one that ships.

    Raises:
        BindingRefusedError: The rubric or the binding is not the approved one, or nobody approved any.
    """
    in_use = rubric_hash(rubric)
    if binding.rubric_hash != in_use:
        raise BindingRefusedError(
            f"the rubric in use is {in_use!r}; the evaluator binding was made for {binding.rubric_hash!r}",
            hint=_APPROVE,
        )
    rows = approvals.get("evaluator_binding")
    last = rows[-1] if isinstance(rows, list) and rows else {}
    if not isinstance(last, Mapping) or not all(str(last.get(name) or "").strip() for name in ("who", "when", "hash")):
        raise BindingRefusedError("no complete approval of an evaluator binding was found", hint=_APPROVE)
    if last["hash"] != binding.fingerprint:
        raise BindingRefusedError(
            f"the evaluator binding has the hash {binding.fingerprint!r}; approved is {last['hash']!r}", hint=_APPROVE
        )
