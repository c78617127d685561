"""What can go wrong in what is remembered.

CheckpointError
├── HomeLockedError        another process holds the embedded store
├── HomeNotWritableError   the directory cannot be written (read-only, full, not a directory)
├── CheckpointNeededError  a thread checkpoint must stay: another one is rebuilt from it
├── ChainBrokenError       the log's hash chain does not verify
├── FormatMismatchError    stored by another layout version or another embedder
├── StoreUnavailableError  a server (Qdrant, PostgreSQL) does not answer
├── EmbedderUnavailableError  an embedder is unknown, not installed, not reachable, or makes unusable vectors
├── RefusedTextError       a text that must not become memory (our own block markers, system text)
├── MissingScopeError      tenant or user is missing; never read as "all"
├── UnknownNodeError       no such item for this tenant and user (a foreign id looks the same)
├── UnknownKindError       a kind outside the closed set
├── RuleBrokenError        a change that the rules of the question graph do not allow
├── UnknownProposalError   no such item in this person's review queue (a foreign id looks the same)
├── AlreadyDecidedError    a person decided on the item before
├── StaleVersionError      the item or area has changed since the person looked
└── QueueFullError         too many undecided items, or one that is too large
"""

from typing import ClassVar

__all__ = [
    "AlreadyDecidedError",
    "ChainBrokenError",
    "CheckpointError",
    "CheckpointNeededError",
    "EmbedderUnavailableError",
    "FormatMismatchError",
    "HomeLockedError",
    "HomeNotWritableError",
    "MissingScopeError",
    "QueueFullError",
    "RefusedTextError",
    "RuleBrokenError",
    "StaleVersionError",
    "StoreUnavailableError",
    "UnknownKindError",
    "UnknownNodeError",
    "UnknownProposalError",
]


class CheckpointError(Exception):
    """Root of the layer. `code` is stable, `hint` says what to do next."""

    code: ClassVar[str] = "checkpoint"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class HomeLockedError(CheckpointError):
    """Another process holds the embedded store."""

    code = "home_locked"


class HomeNotWritableError(CheckpointError):
    """The directory cannot be written."""

    code = "home_not_writable"


class CheckpointNeededError(CheckpointError):
    """A thread checkpoint must stay: another one is rebuilt from it."""

    code = "checkpoint_needed"


class ChainBrokenError(CheckpointError):
    """The log's hash chain does not verify."""

    code = "chain_broken"


class FormatMismatchError(CheckpointError):
    """Stored by another layout version or another embedder."""

    code = "format_mismatch"


class StoreUnavailableError(CheckpointError):
    """A server that holds our data does not answer."""

    code = "store_unavailable"


class EmbedderUnavailableError(CheckpointError):
    """An embedder is unknown, not installed, not reachable, or makes unusable vectors."""

    code = "embedder_unavailable"


class RefusedTextError(CheckpointError):
    """A text that must not become memory."""

    code = "refused_text"


class MissingScopeError(CheckpointError):
    """Tenant or user is missing."""

    code = "missing_scope"


class UnknownNodeError(CheckpointError):
    """No such item for this tenant and user."""

    code = "unknown_node"


class UnknownKindError(CheckpointError):
    """A kind that is not in the closed set."""

    code = "unknown_kind"


class RuleBrokenError(CheckpointError):
    """A change that the rules of the question graph do not allow."""

    code = "rule_broken"


class UnknownProposalError(CheckpointError):
    """No such item in the review queue of this tenant and user."""

    code = "unknown_proposal"


class AlreadyDecidedError(CheckpointError):
    """A person decided on this item before."""

    code = "already_decided"


class StaleVersionError(CheckpointError):
    """What is decided on has changed since the person looked."""

    code = "stale_version"


class QueueFullError(CheckpointError):
    """Too many undecided items, or one that is too large."""

    code = "queue_full"
