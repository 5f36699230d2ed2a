"""API keys: format, and verification against a stored hash. Pure."""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graph_service.auth.access import Access, Role
from schema.ids import TenantId

PREFIX: Final = "mnk"
KEY_CHARS_MAX: Final = 200
# Maximum length of a key or a signed token.
CREDENTIAL_CHARS_MAX: Final = 8_192
# Used for comparison if there is no such key, so that both cases take equally long.
_NO_HASH: Final = "0" * 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A stored key, without its secret.

    Attributes:
        tenant: None means every tenant.
        hash: SHA-256, hexadecimal; without salt, because the key has 256 random bits.
        requests_per_s: rate limit of this key; None means the default.
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
        """Return whether it is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    def access(self) -> Access:
        """Return the access that the key grants."""
        return Access(
            who=f"key:{self.id}",
            tenant=self.tenant,
            role=self.role,
            key_id=self.id,
            until_s=self.expires_at.timestamp() if self.expires_at else None,
            requests_per_s=self.requests_per_s,
        )


def format_key(key_id: str, secret: str) -> str:
    """Return the text of a key."""
    return f"{PREFIX}_{key_id}_{secret}"


def looks_like_key(text: str) -> bool:
    """Return whether a credential has the format of our keys."""
    return text.startswith(f"{PREFIX}_") and len(text) <= KEY_CHARS_MAX


def key_id_of(text: str) -> str:
    """Return the id in a key's text."""
    return text.split("_", 2)[1] if text.count("_") >= 2 else ""


def key_hash(text: str) -> str:
    """Return the hash to store for a key."""
    return hashlib.sha256(text.encode()).hexdigest()


def matches_key(text: str, key: Key | None) -> bool:
    """Return whether the text is that of the key, compared in constant time; False without a key."""
    return hmac.compare_digest(key_hash(text), key.hash if key else _NO_HASH)
