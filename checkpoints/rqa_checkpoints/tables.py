"""How the log lies in a database.

`event` and `content` are the truth; the other tables are what the events add up to, written in the same transaction
and built again from them at any time. Column types are those that SQLite and PostgreSQL share. Words lie in `content`
alone (bytes, because PostgreSQL text refuses NUL), so that erasing means clearing one row and what is derived from it.
"""

from __future__ import annotations

from sqlalchemy import (
    DDL,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)
from sqlalchemy import event as schema_event

__all__ = [
    "FORMAT",
    "STATE",
    "adopted",
    "blob",
    "cache_audit",
    "cache_entry",
    "cache_event",
    "cache_rollout",
    "content",
    "credit",
    "edge",
    "erasure",
    "event",
    "meta",
    "metadata",
    "near",
    "node",
    "part",
    "queue",
    "seen",
    "validity",
]

FORMAT = "4"
"""Raised when a stored log of the version before cannot be read as it lies."""

_SEQ = BigInteger().with_variant(Integer, "sqlite")
"""SQLite's integers have 64 bits, and only a column called INTEGER is the key of the row itself."""

metadata = MetaData()

meta = Table("meta", metadata, Column("name", String(40), primary_key=True), Column("value", Text, nullable=False))

event = Table(
    "event",
    metadata,
    Column("seq", _SEQ, primary_key=True, autoincrement=False),
    Column("at", String(40), nullable=False),
    Column("op", String(16), nullable=False),
    Column("tenant", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("private_hash", String(64), nullable=False),
    Column("prev", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
)

content = Table(
    "content",
    metadata,
    Column("seq", _SEQ, primary_key=True, autoincrement=False),
    Column("salt", LargeBinary),
    Column("private", LargeBinary),
)

node = Table(
    "node",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("user", Text, primary_key=True),
    Column("id", String(64), primary_key=True),
    Column("handle", String(64), nullable=False),
    Column("thread", Text, nullable=False),
    Column("turn_id", Text, nullable=False),
    Column("source", String(16), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("seen", Integer, nullable=False),
    Column("hidden", Boolean, nullable=False),
    Column("expires_at", String(40), nullable=False),
    Column("ttl_minutes", Float, nullable=False),
    Column("recorded_at", String(40), nullable=False),
    Column("derived_from", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("echo_of", String(64), nullable=False),
    Column("statement", String(64), nullable=False),
    Column("slot", String(64), nullable=False),
    Column("account", String(64), nullable=False),
    Column("mass", Float, nullable=False),
    Column("last_used", String(40), nullable=False),
    Column("born", _SEQ, nullable=False),
    Column("changed", _SEQ, nullable=False),
    Index("node_handle", "tenant", "user", "handle", unique=True),
    Index("node_statement", "tenant", "user", "statement"),
    Index("node_slot", "tenant", "user", "slot"),
    Index("node_account", "tenant", "user", "account"),
    Index("node_expires", "tenant", "user", "hidden", "expires_at"),
    Index("node_said", "tenant", "user", "thread", "source", "born"),
    Index("node_born", "tenant", "user", "born"),
    Index("node_owner_changed", "tenant", "user", "changed"),
    Index("node_changed", "changed"),
)

part = Table(
    "part",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("user", Text, primary_key=True),
    Column("turn_id", Text, primary_key=True),
    Column("part", String(40), primary_key=True),
    Column("thread", Text, nullable=False),
    Column("forked_from", Text, nullable=False),
    Column("recorded_at", String(40), nullable=False),
    Column("outcome", Text, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("user_mark", String(64), nullable=False),
    Column("reply_mark", String(64), nullable=False),
    Column("written", Text, nullable=False),
    Column("cited", Text, nullable=False),
    Column("seq", _SEQ, nullable=False),
    Index("part_thread", "tenant", "user", "thread", "seq"),
    Index("part_user_mark", "tenant", "user", "user_mark"),
    Index("part_reply_mark", "tenant", "user", "reply_mark"),
)

seen = Table(
    "seen",
    metadata,
    Column("node", String(64), primary_key=True),
    Column("thread", Text, primary_key=True),
)

near = Table(
    "near",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("user", Text, primary_key=True),
    Column("band", String(16), primary_key=True),
    Column("node", String(64), primary_key=True),
)

edge = Table(
    "edge",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("user", Text, primary_key=True),
    Column("src", String(64), primary_key=True),
    Column("dst", String(64), primary_key=True),
    Column("kind", String(16), primary_key=True),
    Column("seq", _SEQ, nullable=False),
    Index("edge_dst", "tenant", "user", "dst", "kind", "src"),
)

validity = Table(
    "validity",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("user", Text, primary_key=True),
    Column("node", String(64), primary_key=True),
    Column("at", String(40), nullable=False),
    Column("seq", _SEQ, nullable=False),
)
"""When a person last said that an item still holds."""

credit = Table(
    "credit",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("user", Text, primary_key=True),
    Column("node", String(64), primary_key=True),
    Column("seq", _SEQ, primary_key=True, autoincrement=False),
    Column("actor", String(16), nullable=False),
    Column("how", String(16), nullable=False),
    Column("session", Text, nullable=False),
    Column("day", String(10), nullable=False),
)
"""Each gain of mass, so that the next one can be discounted."""

blob = Table(
    "blob",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("user", Text, primary_key=True),
    Column("digest", String(64), primary_key=True),
    Column("seq", _SEQ, nullable=False),
)

queue = Table(
    "queue",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("user", Text, primary_key=True),
    Column("id", String(64), primary_key=True),
    Column("kind", String(40), nullable=False),
    Column("requester", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("status", String(16), nullable=False),
    Column("asked_at", String(40), nullable=False),
    Column("edited_by", Text, nullable=False),
    Column("decided_by", Text, nullable=False),
    Column("decided_at", String(40), nullable=False),
    Column("mark", String(64), nullable=False),
    Column("born", _SEQ, nullable=False),
    Column("payload", _SEQ, nullable=False),
    Column("decision", _SEQ, nullable=False),
    Index("queue_status", "tenant", "user", "status", "born"),
)
"""`payload` and `decision` are the numbers of the events that hold the words."""

adopted = Table(
    "adopted",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("user", Text, primary_key=True),
    Column("area", String(64), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("item", String(64), nullable=False),
    Column("by", Text, nullable=False),
    Column("at", String(40), nullable=False),
    Column("restores", Integer, nullable=False),
    Column("seq", _SEQ, nullable=False),
)

erasure = Table(
    "erasure",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("tenant", Text, primary_key=True),
    Column("user", Text, primary_key=True),
    Column("seq", _SEQ, nullable=False),
    Column("done", _SEQ, nullable=False),
)
"""`done` is the number of the event that holds the receipt; 0 until every place is cleared."""

cache_entry = Table(
    "cache_entry",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("id", String(36), primary_key=True),
    Column("scope_key", String(64), nullable=False),
    Column("domain", Text, nullable=False),
    Column("locale", String(16), nullable=False),
    Column("jurisdiction", String(16), nullable=False),
    Column("canon_version", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("servable", Boolean, nullable=False),
    Column("quarantined", Boolean, nullable=False),
    Column("gi", Integer, nullable=False),
    Column("human_override", Boolean, nullable=False),
    Column("freshness_tag", String(16), nullable=False),
    Column("verified_at", String(40), nullable=False),
    Column("valid_until", String(40), nullable=False),
    Column("embedding_model", Text, nullable=False),
    Column("policy_version", Text, nullable=False),
    Column("supersedes", String(36), nullable=False),
    Column("payload_hash", String(64), nullable=False),
    Column("attestation", _SEQ, nullable=False),
    Column("born", _SEQ, nullable=False),
    Column("changed", _SEQ, nullable=False),
    CheckConstraint(
        "status <> 'active' OR (valid_until <> '' AND payload_hash <> '' AND attestation > 0)",
        name="cache_entry_active",
    ),
    Index("cache_entry_key", "tenant", "scope_key", "born"),
    Index("cache_entry_changed", "changed"),
    Index("cache_entry_scope", "tenant", "domain", "locale", "status"),
)
"""One answer of the Integrity Cache: what is asked about it. Its words lie in `content` of the event `attestation`."""

cache_event = Table(
    "cache_event",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("entry", String(36), primary_key=True),
    Column("seq", _SEQ, primary_key=True, autoincrement=False),
    Column("op", String(16), nullable=False),
)
"""Which events of the ledger are about an entry: without it the latest one is found by reading the whole log."""

cache_rollout = Table(
    "cache_rollout",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("domain", Text, primary_key=True),
    Column("locale", String(16), primary_key=True),
    Column("phase", Integer, nullable=False),
    Column("since", String(40), nullable=False),
    Column("by", Text, nullable=False),
    Column("seq", _SEQ, nullable=False),
)

cache_audit = Table(
    "cache_audit",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("entry", String(36), primary_key=True),
    Column("by", Text, primary_key=True),
    Column("right", Boolean, nullable=False),
    Column("at", String(40), nullable=False),
    Column("seq", _SEQ, nullable=False),
)

for _column in (column for table in metadata.tables.values() for column in table.columns):
    if isinstance(_column.type, String):
        # SQLite compares text byte by byte and ignores lengths; PostgreSQL does so only where it is told to.
        _column.type = _column.type.with_variant(Text(collation="C"), "postgresql")

_NO_SAMPLES = DDL(  # type: ignore[no-untyped-call]  # SQLAlchemy gives it no annotation
    "ALTER TABLE content ALTER COLUMN private SET STATISTICS 0, ALTER COLUMN salt SET STATISTICS 0"
)
schema_event.listen(
    content,
    "after_create",
    # What ANALYZE samples, it copies into tables of the server's own, where no erasure of ours reaches it.
    _NO_SAMPLES.execute_if(dialect="postgresql"),
)

schema_event.listen(
    cache_entry,
    "after_create",
    # An `Index` with a condition for PostgreSQL would load its three drivers wherever the tables are named.
    DDL(  # type: ignore[no-untyped-call]  # as above
        "CREATE UNIQUE INDEX cache_entry_one_active ON cache_entry (tenant, scope_key) WHERE status = 'active'"
    ),
)

STATE = (
    node,
    part,
    seen,
    near,
    edge,
    validity,
    credit,
    blob,
    queue,
    adopted,
    erasure,
    cache_entry,
    cache_event,
    cache_rollout,
    cache_audit,
)
"""What the events add up to."""
