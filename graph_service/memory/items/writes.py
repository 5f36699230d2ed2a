"""Check writes of items, decide their outcome, and derive the searched text and the index tokens. Pure."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from graph_service.memory.argument_checks import (
    content_problem,
    expiry_of,
    expiry_problem,
    is_unicode,
    raise_problems,
)
from schema.errors import ConflictError, InputError
from schema.filters import Filter, equality_text, required_values
from schema.ids import MemoryId, memory_id, scope_token
from schema.timespan import millis, moment_of

LABELS_MAX: Final = 20
LABEL_CHARS_MAX: Final = 200
KEY_CHARS_MAX: Final = 1_000
VALUE_BYTES_MAX: Final = 1_048_576
# Deeper JSON cannot be written by every JSON library.
VALUE_DEPTH_MAX: Final = 100
WRITES_MAX: Final = 1_000
# Characters of a value that are searched; the rest is stored only.
SEARCHED_CHARS_MAX: Final = 20_000
# Number of fields of a value that narrow a search inside the index. An item with more has a token that says so.
NARROWING_FIELDS_MAX: Final = 100
_INDEX_PATHS_MAX: Final = 100
# Matches any label in `itemNamespaces`.
ANY_LABEL: Final = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemWrite:
    """A request to put or delete one item.

    Attributes:
        namespace: 1 to 20 labels of 1 to 200 characters; case and every sign count.
        key: 1 to 1,000 characters; case and every sign count.
        value: up to 1 MB of JSON; null deletes the item.
        user_id: the user who owns it; an item of the tenant if omitted.
        index: fields of the value that `query` searches, with dots into objects and lists; default: all text.
        expires_at: from then on it is gone.
        ttl_s: seconds until it is gone; see `refreshTtl`.
        if_version: store only if this version is stored, 0 for none; else the error CONFLICT.
    """

    namespace: tuple[str, ...]
    key: str
    value: Any
    user_id: str | None = None
    index: tuple[str, ...] | None = None
    expires_at: datetime | None = None
    ttl_s: float | None = None
    if_version: int | None = None

    @property
    def id(self) -> MemoryId:
        """Return the id of the item, unique within a tenant."""
        return item_id(self.user_id, self.namespace, self.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A JSON value, stored by namespace and key.

    Attributes:
        namespace: its namespace.
        key: its key, unique within the owner and namespace.
        value: its value.
        version: 1 for a new item, one more with each put.
        created_at: when it was first stored.
        updated_at: when it was last stored.
        expires_at: from then on it is gone; None for never.
        score: relevance for `query`, 0 to 1; None without a query.
    """

    namespace: tuple[str, ...]
    key: str
    value: Any
    version: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    score: float | None = None


def item_id(user_id: str | None, namespace: Sequence[str], key: str) -> MemoryId:
    """Return the id of an item; it does not contain the tenant, so that exports keep it."""
    return memory_id(f"item:{json.dumps([user_id or '', *namespace, key])}")


def check_writes(writes: Sequence[ItemWrite]) -> None:
    """Raise for writes that cannot be stored.

    Raises:
        InputError: lists the problems of all of them.
    """
    if not 1 <= len(writes) <= WRITES_MAX:
        raise InputError(f"items has {len(writes)} entries; send 1 to {WRITES_MAX:,}")
    problems = [f"items[{place}].{problem}" for place, write in enumerate(writes) for problem in _problems(write)]
    raise_problems(problems)


def check_namespace(namespace: Sequence[str], *, name: str = "namespace", least: int = 0) -> None:
    """Raise for a namespace, or the beginning or end of one, that no item can have.

    Raises:
        InputError: it has too many labels, or an invalid one.
    """
    raise_problems(_namespace_problems(namespace, name, least))


def check_key(key: str) -> None:
    """Raise for a key that no item can have.

    Raises:
        InputError: it is empty, too long or cannot be stored.
    """
    if problem := _opaque_problem(key, KEY_CHARS_MAX):
        raise InputError(f"key {problem}")


def _problems(write: ItemWrite) -> Iterator[str]:
    yield from _namespace_problems(write.namespace, "namespace", 1)
    if problem := _opaque_problem(write.key, KEY_CHARS_MAX):
        yield f"key {problem}"
    if problem := value_problem(write.value):
        yield f"value {problem}"
    if write.index is not None:
        if len(write.index) > _INDEX_PATHS_MAX:
            yield f"index has {len(write.index)} paths; use at most {_INDEX_PATHS_MAX}"
        if any(not 1 <= len(path) <= KEY_CHARS_MAX for path in write.index):
            yield f"index has a path that is empty or longer than {KEY_CHARS_MAX:,} characters"
    if problem := expiry_problem(write.expires_at, write.ttl_s):
        yield problem
    if write.if_version is not None and write.if_version < 0:
        yield f"ifVersion is {write.if_version}; use 0 for an item that must not exist, or its version"


def _namespace_problems(namespace: Sequence[str], name: str, least: int) -> Iterator[str]:
    if not least <= len(namespace) <= LABELS_MAX:
        yield f"{name} has {len(namespace)} labels; use {least} to {LABELS_MAX}"
        return
    for place, label in enumerate(namespace):
        if problem := _opaque_problem(label, LABEL_CHARS_MAX):
            yield f"{name}[{place}] {problem}"


def _opaque_problem(text: str, chars_max: int) -> str | None:
    """Return why a label or key cannot be stored, as the end of a sentence; spaces and signs are allowed."""
    return content_problem(text, chars_max) if text else "is empty"


def value_problem(value: Any) -> str | None:
    """Return why a value cannot be stored, as the end of a sentence; None if it can."""
    waiting = [(value, 1)]
    while waiting:
        one, depth = waiting.pop()
        if depth > VALUE_DEPTH_MAX:
            return f"is nested more than {VALUE_DEPTH_MAX} levels deep"
        match one:
            case float() if not math.isfinite(one):
                return "contains NaN or Infinity, which JSON has not"
            case Mapping():
                waiting += [(inner, depth + 1) for inner in one.values()]
            case list():
                waiting += [(inner, depth + 1) for inner in one]
    size = len(value_text(value).encode())
    return None if size <= VALUE_BYTES_MAX else f"has {size:,} bytes as JSON; at most {VALUE_BYTES_MAX:,} are accepted"


def value_text(value: Any) -> str:
    """Return a value as JSON text that the database can store; halves of surrogate pairs are escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if is_unicode(text) else json.dumps(value, separators=(",", ":"))


# The state of one item while writes are decided: what is stored, then what each write makes of it.


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVersion:
    """The part of a stored item that matters for a write."""

    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of some writes.

    Attributes:
        final: the last write of each item by id, and what is stored then; None if it is deleted.
        answers: what is stored after each write, in order.
    """

    final: Mapping[str, tuple[ItemWrite, Item | None]]
    answers: tuple[Item | None, ...]


def decide_writes(writes: Sequence[ItemWrite], stored: Mapping[str, StoredVersion], *, now: datetime) -> Outcome:
    """Return what writes store, applied in order.

    Args:
        stored: the items that exist and have not expired, by id.

    Raises:
        ConflictError: another version is stored than a write requires; nothing may be written.
    """
    state: dict[str, StoredVersion | Item | None] = dict(stored)
    final: dict[str, tuple[ItemWrite, Item | None]] = {}
    answers: list[Item | None] = []
    for place, write in enumerate(writes):
        before = state.get(write.id)
        version = before.version if before else 0
        if write.if_version is not None and write.if_version != version:
            found = f"version {version} is stored" if before else "there is no such item"
            raise ConflictError(
                f"items[{place}] ({write.key!r:.80}) requires version {write.if_version}, but {found}; nothing was"
                " written. Read it and decide again"
            )
        item = None if write.value is None else _put(write, before, now=now + timedelta(microseconds=place))
        state[write.id] = item
        final[write.id] = (write, item)
        answers.append(item)
    return Outcome(final, tuple(answers))


def _put(write: ItemWrite, before: StoredVersion | Item | None, *, now: datetime) -> Item:
    # Later than before even if two processes' clocks differ.
    at = now if before is None else max(now, before.updated_at + timedelta(microseconds=1))
    expires_at = expiry_of(write.expires_at, write.ttl_s, now=now)
    return Item(
        namespace=write.namespace,
        key=write.key,
        value=write.value,
        version=before.version + 1 if before else 1,
        created_at=before.created_at if before else at,
        updated_at=at,
        expires_at=None if expires_at is None else moment_of(millis(expires_at)),
    )


def stored_properties(tenant: str, write: ItemWrite, item: Item) -> dict[str, Any]:
    """Return the properties of the node of an item, without its id."""
    value, text = value_text(item.value), searched_text(item.value, write.index)
    return {
        "tenant": tenant,
        "user_id": write.user_id or "",
        "namespace": list(item.namespace),
        "key": item.key,
        "value": value,
        "value_bytes": len(value.encode()),
        "version": item.version,
        "created_at": item.created_at,
        "updated_at": item.updated_at,
        "expires_ms": None if item.expires_at is None else millis(item.expires_at),
        "ttl_ms": None if write.ttl_s is None else max(round(write.ttl_s * 1000), 1),
        "text": text,
        "unembedded": True if text else None,
        "scopes": item_tokens(tenant, write.user_id or "", item.namespace, item.value),
    }


def with_score(item: Item, score: float | None) -> Item:
    """Return an item with its relevance for a query."""
    return item if score is None else replace(item, score=round(score, 4))


# What is searched


def searched_text(value: Any, index: Sequence[str] | None) -> str | None:
    """Return the text of a value that is searched, cut to `SEARCHED_CHARS_MAX`; None if there is none.

    Args:
        index: paths such as `title` or `chapters.text`, which reach into each element of a list; None for all text.
    """
    found = _texts(value) if index is None else (text for path in index for text in _texts_at(value, path.split(".")))
    parts, left = [], SEARCHED_CHARS_MAX
    for text in found:
        clean = text if is_unicode(text) else "".join(char for char in text if not "\ud800" <= char <= "\udfff")
        clean = clean.replace("\x00", " ").strip()[:left]
        if clean:
            parts.append(clean)
            left -= len(clean) + 1
        if left <= 0:
            break
    return "\n".join(parts) or None


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for inner in value.values():
                yield from _texts(inner)
        case list():
            for inner in value:
                yield from _texts(inner)


def _texts_at(value: Any, path: Sequence[str]) -> Iterator[str]:
    if not path:
        yield from _texts(value)
    elif isinstance(value, Mapping) and ".".join(path) in value:
        yield from _texts(value[".".join(path)])
    elif isinstance(value, Mapping) and path[0] in value:
        yield from _texts_at(value[path[0]], path[1:])
    elif isinstance(value, list):
        for inner in value:
            yield from _texts_at(inner, path)


# Tokens of the full-text index: the owner with each prefix of the namespace, and fields with their values


def item_tokens(tenant: str, user_id: str, namespace: Sequence[str], value: Any) -> list[str]:
    """Return the tokens by which an item is found in its owner's namespaces, and by the fields of its value."""
    scopes = [namespace_token(tenant, user_id, namespace[:length]) for length in range(len(namespace) + 1)]
    fields = [
        (name, one)
        for name, one in (value.items() if isinstance(value, Mapping) else ())
        if isinstance(one, str | int | float)
    ]
    if len(fields) > NARROWING_FIELDS_MAX:
        return [*scopes, _token(tenant, user_id, "many fields")]
    return [*scopes, *(field_token(tenant, user_id, name, one) for name, one in fields)]


def namespace_token(tenant: str, user_id: str, prefix: Sequence[str]) -> str:
    """Return the token of all items of an owner whose namespace begins with a prefix."""
    return _token(tenant, user_id, "namespace", *prefix)


def field_token(tenant: str, user_id: str, name: str, value: str | float | bool) -> str:
    """Return the token of all items of an owner with a field of this value; 1 and 1.0 have the same."""
    return _token(tenant, user_id, "field", name, equality_text(value))


def narrowing_tokens(tenant: str, user_id: str, tree: Filter) -> Iterable[tuple[str, str]]:
    """Return pairs of tokens, of each of which every item that matches a filter has one."""
    many = _token(tenant, user_id, "many fields")
    return [
        (field_token(tenant, user_id, name, value), many)
        for name, value in required_values(tree).items()
        # A name with a dot may also be a path.
        if "." not in name
    ]


def _token(tenant: str, user_id: str, *parts: str) -> str:
    # JSON separates the parts whatever they contain.
    return scope_token(tenant, user_id, "item", json.dumps(parts))
