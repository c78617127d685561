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
├── UnknownFolderError     no indexed folder of that name for this tenant and user
├── UnknownKindError       a kind outside the closed set
├── RuleBrokenError        a change that the rules of the question graph do not allow
├── UnknownProposalError   no such item in this person's review queue (a foreign id looks the same)
├── AlreadyDecidedError    a person decided on the item before
├── StaleVersionError      the item or area has changed since the person looked
├── QueueFullError         too many undecided items, or one that is too large
├── CachePolicyError       a policy of the Integrity Cache that cannot be read, or that loosens what is fixed
├── EntryRefusedError      an answer that must not become an entry of the Integrity Cache
├── UnknownEntryError      no such entry of this tenant (a foreign id looks the same)
├── LedgerKeyError         the signing key is missing, unreadable, or may be read by others
└── ReceiptError           a receipt that is none, or that does not hold
"""

from typing import ClassVar

__all__ = [
    "AlreadyDecidedError",
    "CachePolicyError",
    "ChainBrokenError",
    "CheckpointError",
    "CheckpointNeededError",
    "EmbedderUnavailableError",
    "EntryRefusedError",
    "FormatMismatchError",
    "HomeLockedError",
    "HomeNotWritableError",
    "LedgerKeyError",
    "MissingScopeError",
    "QueueFullError",
    "ReceiptError",
    "RefusedTextError",
    "RuleBrokenError",
    "StaleVersionError",
    "StoreUnavailableError",
    "UnknownEntryError",
    "UnknownFolderError",
    "UnknownKindError",
    "UnknownNodeError",
    "UnknownProposalError",
]


class CheckpointError(Exception):
    """Root of the layer. `code` is stable, `hint` says what to do next."""

    code: ClassVar[str] = "checkpoint"

    def __init__(self, message: str, *, hint: str = "", ja: tuple[str, str] | None = None) -> None:
        """`ja`: message and hint in Japanese, where a person meets this error in a command."""
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.ja = ja

    def said(self, lang: str) -> tuple[str, str]:
        """Message and hint in a language; in English where there is no translation."""
        return self.ja if lang == "ja" and self.ja else (self.message, self.hint)


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


class UnknownFolderError(CheckpointError):
    """No indexed folder of that name for this tenant and user."""

    code = "unknown_folder"


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


class CachePolicyError(CheckpointError):
    """A policy of the Integrity Cache that cannot be read, or that loosens what is fixed."""

    code = "cache_policy"


class EntryRefusedError(CheckpointError):
    """An answer that must not become an entry of the Integrity Cache.

    Args:
        reason: Which precondition failed: a name of a closed set (`cache.entries`).
        message: What was found.
        hint: What to do next.
    """

    code = "entry_refused"

    def __init__(self, reason: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class UnknownEntryError(CheckpointError):
    """No such entry of this tenant."""

    code = "unknown_entry"


class LedgerKeyError(CheckpointError):
    """The signing key is missing, unreadable, or may be read by others."""

    code = "ledger_key"


class ReceiptError(CheckpointError):
    """A receipt that is none, or that does not hold."""

    code = "bad_receipt"
