"""What proves an entry to somebody who has nothing but it and a public key?

A receipt holds what was attested and the signed event as it stands in the chain. Checked are the hash of the payload,
the hash of the event and the signature over both; a log at hand also says whether it holds that very event.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from rqa_checkpoints.cache.ledger import statement_of
from rqa_checkpoints.cache.rows import ATTEST
from rqa_checkpoints.cache.signing import PublicKeys, payload_digest
from rqa_checkpoints.cache.store import CacheStore
from rqa_checkpoints.chain import Event, event_hash
from rqa_checkpoints.errors import ReceiptError

__all__ = ["RECEIPT_SCHEMA", "check_receipt", "receipt_of"]

RECEIPT_SCHEMA: Final = "rqa.receipt/1"
_EVENT: Final = ("seq", "at", "op", "tenant", "user", "body", "private_hash", "prev", "hash")


def receipt_of(store: CacheStore, entry: str, *, tenant: str) -> dict[str, Any]:
    """The receipt of an entry. Raises UnknownEntryError, ChainBrokenError."""
    found = store.get(entry, tenant=tenant)
    with store.reading() as view:
        events = store.ledger.about(view, tenant, entry)
    event = next(event for event in events if event.seq == found.attestation)
    return {
        "schema": RECEIPT_SCHEMA,
        "entry": entry,
        "payload": dict(found.payload),
        "payload_hash": found.payload_hash,
        "event": {name: value for name, value in asdict(event).items() if name in _EVENT},
        "keys": store.ledger.ring.trusted.exported(),
    }


def check_receipt(receipt: Any, keys: PublicKeys) -> Mapping[str, Any]:
    """Check a receipt with keys that are believed; those that it brings along are not.

    Returns:
        The payload that holds.

    Raises:
        ReceiptError: it is none, or does not hold; says which check failed.
    """
    try:
        payload, event = receipt["payload"], Event(**{name: receipt["event"][name] for name in _EVENT})
        public = event.public()
        signature = public["sig"]
        checks = {
            "schema": receipt["schema"] == RECEIPT_SCHEMA and event.op == ATTEST,
            "payload": payload_digest(payload) == receipt["payload_hash"] == public["payload_hash"],
            "entry": payload["id"] == receipt["entry"] == public["entry"] and payload["tenant"] == event.tenant,
            "event": event.hash == event_hash(event),
            "signature": keys.holds(statement_of(event), key=signature["key"], signature=signature["value"]),
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReceiptError(
            f"this is no receipt (`{type(error).__name__}`)", hint="Use the output of `rqa cache show ENTRY --receipt`."
        ) from error
    failed = [name for name, holds in checks.items() if not holds]
    if failed:
        raise ReceiptError(
            f"the receipt of {json.dumps(receipt['entry'])} does not hold: {', '.join(failed)}",
            hint="Ask for it again from the log that it comes from.",
        )
    found: Mapping[str, Any] = payload
    return found
