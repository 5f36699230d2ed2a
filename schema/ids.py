"""URIs and ids: every element has a URI and its id is a hash of the URI, so writes are idempotent."""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NewType
from urllib.parse import quote, unquote
from uuid import UUID, uuid5

from schema.errors import InputError, InvalidUriError

TenantId = NewType("TenantId", str)
UserId = NewType("UserId", str)
SessionId = NewType("SessionId", str)
MemoryId = NewType("MemoryId", str)
Uri = NewType("Uri", str)

DEFAULT_TENANT = TenantId("default")
TENANT_CHARS_MAX: Final = 64


def tenant_named(text: str) -> TenantId:
    """Return the tenant id for a name.

    Raises:
        InputError: not 1 to 64 letters or digits of any script, `.`, `_` and `-`.
    """
    # Combining marks (M) are part of letters in many scripts.
    allowed = (char in "._-" or unicodedata.category(char)[0] in "LNM" for char in text)
    if 1 <= len(text) <= TENANT_CHARS_MAX and all(allowed):
        return TenantId(text)
    raise InputError(
        f"the tenant {text[:TENANT_CHARS_MAX]!r} is not a name: use 1 to {TENANT_CHARS_MAX} letters, digits, '.', '_'"
        " and '-'"
    )


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


# Namespace of the items that hold judged questions.
RECALL_CASES: Final = ("mnemoscene", "recall cases")
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


def memory_id(uri: str) -> MemoryId:
    """Return the id of a memory: UUIDv5 of its URI."""
    return MemoryId(str(uuid5(_NAMESPACE, uri)))


_SCHEME: Final = "memory://"
_FRAGMENT: Final = re.compile(r"(?P<layer>L[012])|char=(?P<start>\d{1,9}),(?P<end>\d{1,9})")
_PERIOD: Final = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?")
UUID_FORM: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_FORMS: Final = (
    "memory://TENANT/user/ID, …/user/ID/agent/ID, …/user/ID/entity/NAME, …/user/ID/profile/CATEGORY,"
    " …/user/ID/timeline/2026-05 or 2026-05-03,"
    " memory://TENANT/session/USER/ID, …/timeline/MESSAGE, …/scene/ID; at the end #L0, #L1, #L2 or #char=START,END"
)


class UriKind(StrEnum):
    USER = "user"
    AGENT = "agent"
    ENTITY = "entity"
    SESSION = "session"
    MESSAGE = "message"
    SCENE = "scene"
    PERIOD = "period"  # a month or day of a user
    CATEGORY = "category"  # of a profile
    FACT = "fact"


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementUri:
    """The parts of a URI.

    Attributes:
        base: the URI without fragment, each part percent-encoded once.
        user_id, session_id: the owner and the conversation, if the URI contains one.
        key: last part: the caller's id, an entity's normalised name, a scene's or fact's id, a category or a period.
        layer: `L0`, `L1` or `L2`, if it names one.
        chars: characters of a message's text that it names, as RFC 5147 does: start and end, counted from 0.
    """

    base: Uri
    kind: UriKind
    tenant: str
    user_id: str
    key: str
    session_id: str | None = None
    layer: str | None = None
    chars: tuple[int, int] | None = None

    @property
    def element_id(self) -> MemoryId:
        """Return the id of the element; a fact in a profile has the id in its URI."""
        in_profile = self.kind is UriKind.FACT and UUID_FORM.fullmatch(self.key)
        return MemoryId(self.key) if in_profile else memory_id(self.base)


def parse_uri(uri: str) -> ElementUri:
    """Return the parts of a URI; `memory://default/user/王芳` and over-encoded parts are read, too.

    Raises:
        InvalidUriError: it names no element; the message says which forms exist.
    """
    base, has_fragment, fragment = uri.partition("#")
    parts = [unquote(part) for part in base[len(_SCHEME) :].rstrip("/").split("/")]
    named = _named(parts) if base[: len(_SCHEME)].lower() == _SCHEME and all(parts) else None
    part = _FRAGMENT.fullmatch(fragment)
    if named is None or (has_fragment and part is None):
        raise InvalidUriError(f"{uri!r:.300} is not a URI of a memory; use {_FORMS}")
    kind, key = named
    if part and part["start"] and (kind is not UriKind.MESSAGE or int(part["start"]) >= int(part["end"])):
        raise InvalidUriError(f"#{fragment} must name characters of a message, the first before the last")
    return ElementUri(
        base=Uri(_SCHEME + "/".join(map(_part, parts))),
        kind=kind,
        tenant=parts[0],
        user_id=parts[2],
        key=key,
        session_id=parts[3] if parts[1] == "session" else None,
        layer=part["layer"] if part else None,
        chars=(int(part["start"]), int(part["end"])) if part and part["start"] else None,
    )


def _named(parts: Sequence[str]) -> tuple[UriKind, str] | None:
    """Return the kind and key of the element that the decoded parts of a URI name; None for any other text."""
    match parts:
        case [_, "user", key]:
            return UriKind.USER, key
        case [_, "user", _, "timeline", key] if _PERIOD.fullmatch(key):
            return UriKind.PERIOD, key
        case [_, "user", _, ("agent" | "entity") as kind, key]:
            return UriKind(kind), key
        case [_, "session", _, key]:
            return UriKind.SESSION, key
        case [_, "session", _, _, "timeline", key]:
            return UriKind.MESSAGE, key
        case [_, "session", _, _, "scene", key]:
            return UriKind.SCENE, key
        case [*subject, "profile", _, _, _, slot] if slot.isdecimal() and _named(subject):
            return UriKind.FACT, slot
        case [*subject, "profile", _, key] if UUID_FORM.fullmatch(key) and _named(subject):
            return UriKind.FACT, key
        case [*subject, "profile", key] if _named(subject):
            return UriKind.CATEGORY, key
    return None


def char_uri(message: str, start: int, end: int) -> Uri:
    """Return the address of some characters of a message's text, as RFC 5147 writes it."""
    return Uri(f"{message}#char={start},{end}")


def to_element_id(reference: str) -> str:
    """Return the id of an element given by its id or by any of its URIs: its own, of a layer (`#L0`), in a profile.

    Raises:
        InvalidUriError: the reference is a URI, but names no element.
    """
    return parse_uri(reference).element_id if "://" in reference else reference


def scope_token(*parts: str) -> str:
    """Return a token for a tenant, or tenant and user, in a full-text index.

    An analyzer would split names with dashes or Chinese characters; it does not split hexadecimal digits.
    """
    return "s" + hashlib.blake2b("\x1f".join(parts).encode(), digest_size=12).hexdigest()


def content_hash(*parts: str) -> str:
    """Return a 128-bit hash of the parts."""
    return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()


def name_key(name: str) -> str:
    """Return the normalised form of a name: NFKC (unifies full and half width), case-folded, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
