"""URIs and ids: every element has a URI and its id is a hash of the URI, so writes are idempotent."""

import hashlib
import re
import unicodedata
from typing import Final, NewType
from urllib.parse import quote, unquote
from uuid import UUID, uuid5

TenantId = NewType("TenantId", str)
UserId = NewType("UserId", str)
SessionId = NewType("SessionId", str)
MemoryId = NewType("MemoryId", str)
Uri = NewType("Uri", str)

DEFAULT_TENANT = TenantId("default")

# uuid5(NAMESPACE_URL, "memory://"): must never change, because every stored id depends on it.
_NAMESPACE = UUID("75539550-badf-5ab8-ac00-458f182502a7")


def _part(value: str) -> str:
    return quote(value, safe="")


def user_uri(tenant: str, user_id: str) -> Uri:
    """Return the URI of a user: `memory://{tenant}/user/{id}`."""
    return Uri(f"memory://{_part(tenant)}/user/{_part(user_id)}")


def agent_uri(tenant: str, user_id: str, agent_id: str) -> Uri:
    """Return the URI of an agent, under its user, so that each user's graph is complete."""
    return Uri(f"{user_uri(tenant, user_id)}/agent/{_part(agent_id)}")


def session_uri(tenant: str, user_id: str, session_id: str) -> Uri:
    """Return the URI of a session. It contains the user, so two users may use the same session id."""
    return Uri(f"memory://{_part(tenant)}/session/{_part(user_id)}/{_part(session_id)}")


# Prefix of the ids of sessions that hold one correction by a person each.
CORRECTION_SESSION: Final = "by-hand:"


def is_of_correction(uri: str) -> bool:
    """Return whether a session, or the session of a message or scene, holds a correction by a person."""
    parts = uri.split("/", 6)
    return len(parts) > 5 and parts[3] == "session" and parts[5].startswith(_part(CORRECTION_SESSION))


def correction_kind(uri: str) -> str:
    """Return the kind of the correction that a message belongs to: `add`, `update`, `confirm`, `reject` or `pin`.

    Args:
        uri: URI of a message for which `is_of_correction` is true; of any other text the result has no meaning.
    """
    return unquote("".join(uri.split("/", 6)[5:6])).removeprefix(CORRECTION_SESSION).split(":", 1)[0]


def message_uri(session: str, message_key: str) -> Uri:
    """Return the URI of a message, under its session."""
    return Uri(f"{session}/timeline/{_part(message_key)}")


def scene_uri(session: str, first_message_id: str) -> Uri:
    """Return the URI of a scene, under its session, by the id of its first message."""
    return Uri(f"{session}/scene/{_part(first_message_id)}")


def entity_uri(tenant: str, user_id: str, name_key: str) -> Uri:
    """Return the URI of an entity, under its user: entities are never shared between users."""
    return Uri(f"{user_uri(tenant, user_id)}/entity/{_part(name_key)}")


def fact_uri(subject: str, predicate: str, relation: str | None, obj: str, slot: int) -> Uri:
    """Return the URI of a fact, under its subject.

    Args:
        subject: URI of the subject.
        obj: id of the object.
        slot: number of the validity period, from 0.
    """
    return Uri(f"{subject}/profile/{predicate}/{_part(relation or '-')}/{obj}/{slot}")


def memory_id(uri: str, layer: str = "") -> MemoryId:
    """Return the id of a memory, or of one of its layers (`L0`, `L1`, `L2`): UUIDv5 of URI and layer."""
    return MemoryId(str(uuid5(_NAMESPACE, f"{uri}#{layer}" if layer else uri)))


# The fact in a profile: memory://{tenant}/user/{id}/profile/{category}/{fact id}; that of an agent likewise.
_PROFILE_URI = re.compile(r"/profile/[a-z]+/(?P<fact>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$")


_SCHEME: Final = "memory://"


def normalized_uri(uri: str) -> Uri:
    """Return a URI as this package writes it: each part percent-encoded once, a lower-case scheme, no final slash.

    People and models write `memory://default/user/王芳`, and encode what needs no encoding.
    """
    scheme, rest = uri[: len(_SCHEME)].lower(), uri[len(_SCHEME) :].rstrip("/")
    return Uri(scheme + "/".join(_part(unquote(part)) for part in rest.split("/")))


def to_element_id(reference: str) -> str:
    """Return the id of an element given by its id or by any of its URIs: its own, of a layer (`#L0`), in a profile."""
    if reference[: len(_SCHEME)].lower() != _SCHEME:
        return reference
    base = normalized_uri(reference.partition("#")[0])
    in_profile = _PROFILE_URI.search(base)
    return in_profile["fact"] if in_profile else memory_id(base)


def scope_token(*parts: str) -> str:
    """Return a token for a tenant, or tenant and user, in a full-text index.

    An analyzer would split names with dashes or Chinese characters; it does not split hexadecimal digits.
    """
    return "s" + hashlib.blake2b("\x1f".join(parts).encode(), digest_size=12).hexdigest()


def content_hash(*parts: str) -> str:
    """Return a 128-bit hash of the parts."""
    return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()


class PrefixHash:
    """A `content_hash` with a fixed prefix of at least one part, hashed once for many suffixes."""

    def __init__(self, *parts: str) -> None:
        self._begun = hashlib.blake2b("\x1f".join(parts).encode(), digest_size=16)

    def with_suffix(self, *parts: str) -> str:
        """Return the `content_hash` of all parts."""
        whole = self._begun.copy()
        for part in parts:
            whole.update(f"\x1f{part}".encode())
        return whole.hexdigest()


def name_key(name: str) -> str:
    """Return the normalised form of a name: NFKC (unifies full and half width), case-folded, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
