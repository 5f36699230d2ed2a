"""Addresses and ids: every memory has a URI, every id derives from a URI, so repeating a write changes nothing."""

import hashlib
import unicodedata
from typing import NewType
from urllib.parse import quote
from uuid import UUID, uuid5

TenantId = NewType("TenantId", str)
UserId = NewType("UserId", str)
SessionId = NewType("SessionId", str)
MemoryId = NewType("MemoryId", str)
Uri = NewType("Uri", str)

DEFAULT_TENANT = TenantId("default")

# uuid5(NAMESPACE_URL, "memory://"): fixed for ever, since every stored id depends on it.
_NAMESPACE = UUID("75539550-badf-5ab8-ac00-458f182502a7")


def _part(value: str) -> str:
    return quote(value, safe="")


def user_uri(tenant: str, user_id: str) -> Uri:
    """Return where a user lives: `memory://{tenant}/user/{id}`."""
    return Uri(f"memory://{_part(tenant)}/user/{_part(user_id)}")


def agent_uri(tenant: str, user_id: str, agent_id: str) -> Uri:
    """Return where an agent lives, beside the user it serves: each user's graph is complete in itself."""
    return Uri(f"{user_uri(tenant, user_id)}/agent/{_part(agent_id)}")


def session_uri(tenant: str, user_id: str, session_id: str) -> Uri:
    """Return where a session lives. The user is part of it, so two users may use the same session id."""
    return Uri(f"memory://{_part(tenant)}/session/{_part(user_id)}/{_part(session_id)}")


def message_uri(session: str, message_key: str) -> Uri:
    """Return where a message lives, under its session's URI."""
    return Uri(f"{session}/timeline/{_part(message_key)}")


def scene_uri(session: str, first_message_id: str) -> Uri:
    """Return where a scene lives, under its session's URI; named by the message that opened it."""
    return Uri(f"{session}/scene/{_part(first_message_id)}")


def entity_uri(tenant: str, user_id: str, name_key: str) -> Uri:
    """Return where an entity lives: entities belong to one user's memory, so one user's Tom is never another's."""
    return Uri(f"{user_uri(tenant, user_id)}/entity/{_part(name_key)}")


def fact_uri(subject: str, predicate: str, relation: str | None, obj: str, slot: int) -> Uri:
    """Return where a fact lives, under its subject's URI.

    Args:
        subject: URI of the subject.
        obj: id of the object.
        slot: 0 for the first time the fact holds, 1 when it holds again after having been closed, and so on.
    """
    return Uri(f"{subject}/profile/{predicate}/{_part(relation or '-')}/{obj}/{slot}")


def memory_id(uri: str, layer: str = "") -> MemoryId:
    """Return the id of a memory, or of one of its layers (`L0`, `L1`, `L2`): UUIDv5 of URI and layer."""
    return MemoryId(str(uuid5(_NAMESPACE, f"{uri}#{layer}" if layer else uri)))


def scope_token(*parts: str) -> str:
    """Return one lower-case word that stands for tenant, or tenant and user, in a full-text index.

    Names with dashes or Chinese would be cut into words by the analyzer; 24 hexadecimal digits are not.
    """
    return "s" + hashlib.blake2b("\x1f".join(parts).encode(), digest_size=12).hexdigest()


def content_hash(*parts: str) -> str:
    """Return a fingerprint of text: equal if and only if the parts are equal (128 bits)."""
    return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()


class BegunHash:
    """A `content_hash` of which the first parts, at least one, are known: the rest is added without them anew."""

    def __init__(self, *parts: str) -> None:
        self._begun = hashlib.blake2b("\x1f".join(parts).encode(), digest_size=16)

    def with_rest(self, *parts: str) -> str:
        """Return the `content_hash` of all parts."""
        whole = self._begun.copy()
        for part in parts:
            whole.update(f"\x1f{part}".encode())
        return whole.hexdigest()


def name_key(name: str) -> str:
    """Return what two spellings of one name share: NFKC (full and half width), case folded, inner space single.

    Source: design.md 2, "NFKC, case, width folding, CJK safe".
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
