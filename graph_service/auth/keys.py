"""API keys: what they look like, and how one is recognised without being stored. Pure."""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graph_service.auth.access import Access, Role
from schema.ids import TenantId

PREFIX: Final = "mnk"
KEY_CHARS_MAX: Final = 200
# Of a key or a signed token.
CREDENTIAL_CHARS_MAX: Final = 8_192
# Compared with when there is no such key, so that the answer takes as long.
_NO_HASH: Final = "0" * 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key as it is kept: never the key itself.

    Attributes:
        tenant: None opens every tenant.
        hash: SHA-256, hexadecimal. The key holds 256 random bits, so guessing is hopeless and salt adds nothing.
        requests_per_s: a rate of its own; None means the usual one.
    """

    id: str
    name: str
    tenant: TenantId | None
    role: Role
    hash: str
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    requests_per_s: float | None = None

    def is_valid(self, now: datetime) -> bool:
        """Return whether it is good for anything now."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    def access(self) -> Access:
        """Return what it lets its holder do."""
        return Access(
            who=f"key:{self.id}",
            tenant=self.tenant,
            role=self.role,
            key_id=self.id,
            until_s=self.expires_at.timestamp() if self.expires_at else None,
            requests_per_s=self.requests_per_s,
        )


def format_key(key_id: str, secret: str) -> str:
    """Return the key as its holder keeps it."""
    return f"{PREFIX}_{key_id}_{secret}"


def looks_like_key(text: str) -> bool:
    """Return whether this is meant to be one of our keys."""
    return text.startswith(f"{PREFIX}_") and len(text) <= KEY_CHARS_MAX


def key_id_of(text: str) -> str:
    """Return the id in a key."""
    return text.split("_", 2)[1] if text.count("_") >= 2 else ""


def key_hash(text: str) -> str:
    """Return what is kept of a key."""
    return hashlib.sha256(text.encode()).hexdigest()


def matches_key(text: str, key: Key | None) -> bool:
    """Return whether the text is that very key; takes as long whatever is wrong with it."""
    return hmac.compare_digest(key_hash(text), key.hash if key else _NO_HASH)
