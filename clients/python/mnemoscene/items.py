"""Items: JSON values by namespace and key, as `Memory.items`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from mnemoscene.documents import Operation
from mnemoscene.faces import AwaitingFace, BlockingFace, awaiting, blocking
from mnemoscene.models import Item
from mnemoscene.transport import AwaitingTransport, BlockingTransport, Steps, ask

GET: Final = Operation[Item | None](
    "query",
    "item",
    Item | None,
    {"userId": "String", "namespace": "[String!]!", "key": "String!", "refreshTtl": "Boolean"},
)
SEARCH: Final = Operation[list[Item]](
    "query",
    "items",
    list[Item],
    {
        "userId": "String",
        "namespace": "[String!]",
        "query": "String",
        "where": "JSON",
        "first": "Int",
        "offset": "Int",
        "refreshTtl": "Boolean",
    },
)
NAMESPACES: Final = Operation[list[list[str]]](
    "query",
    "itemNamespaces",
    list[list[str]],
    {
        "userId": "String",
        "prefix": "[String!]",
        "suffix": "[String!]",
        "maxDepth": "Int",
        "first": "Int",
        "offset": "Int",
    },
)
# Sent twice it stores the same values, or reports a conflict of versions.
PUT: Final = Operation[list[Item | None]]("mutation", "putItems", list[Item | None], {"items": "[ItemInput!]!"})


def item_input(
    user_id: str | None,
    namespace: Sequence[str] | str,
    key: str,
    value: Any,
    *,
    index: Sequence[str] | None = None,
    ttl: float | timedelta | None = None,
    expires_at: datetime | str | None = None,
    if_version: int | None = None,
) -> dict[str, Any]:
    """Return one write of `putItems`; a value of None deletes."""
    given = {
        "userId": user_id,
        "namespace": labels(namespace),
        "key": key,
        "value": value,
        "index": None if index is None else list(index),
        **expiry_input(ttl, expires_at),
        "ifVersion": if_version,
    }
    return {name: one for name, one in given.items() if one is not None}


def expiry_input(ttl: float | timedelta | None, expires_at: datetime | str | None) -> dict[str, Any]:
    """Return an expiry by the names of the schema."""
    return {"ttlS": ttl.total_seconds() if isinstance(ttl, timedelta) else ttl, "expiresAt": expires_at}


def labels(namespace: Sequence[str] | str) -> list[str]:
    """Return a namespace as a list; a text is its only label."""
    return [namespace] if isinstance(namespace, str) else list(namespace)


@dataclass(frozen=True)
class ItemOperations:
    """Operations on the items of a user, or of the tenant without one."""

    user_id: str | None

    def put(
        self,
        namespace: Sequence[str] | str,
        key: str,
        value: Any,
        *,
        index: Sequence[str] | None = None,
        ttl: float | timedelta | None = None,
        expires_at: datetime | str | None = None,
        if_version: int | None = None,
    ) -> Steps[Item]:
        """Store a value, in place of the one that the key had.

        Args:
            value: any JSON but None.
            index: fields of the value that `search` reads; all text by default, none for `[]`.
            ttl: seconds after which it is gone.
            if_version: store only if this is the version of the stored item; 0 if there must be none.

        Raises:
            Conflict: another version is stored.

        Example:
            memory.items.put(["notes"], "tea", {"text": "green tea from Uji", "stars": 5}).version
        """
        write = item_input(
            self.user_id, namespace, key, value, index=index, ttl=ttl, expires_at=expires_at, if_version=if_version
        )
        (stored,) = yield from ask(PUT, {"items": [write]})
        assert stored is not None
        return stored

    def get(self, namespace: Sequence[str] | str, key: str, *, refresh_ttl: bool = False) -> Steps[Item | None]:
        """Return an item; None if there is none.

        Example:
            item = memory.items.get(["notes"], "tea")
        """
        return ask(GET, {"userId": self.user_id, "namespace": labels(namespace), "key": key, "refreshTtl": refresh_ttl})

    def delete(self, namespace: Sequence[str] | str, key: str, *, if_version: int | None = None) -> Steps[None]:
        """Delete an item, if there is one.

        Example:
            memory.items.delete(["notes"], "tea")
        """
        write = item_input(self.user_id, namespace, key, None, if_version=if_version)
        yield from ask(PUT, {"items": [write]})

    def search(
        self,
        namespace: Sequence[str] | str = (),
        query: str | None = None,
        *,
        where: Mapping[str, Any] | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> Steps[list[Item]]:
        """Return items whose namespace begins with these labels: the last updated first, or the best for a query.

        Args:
            where: a filter on the values, such as `{"kind": "a", "n": {"gt": 5}}`, applied before the limit.

        Example:
            memory.items.search(["notes"], "something to drink", where={"stars": {"gte": 4}}, limit=3)
        """
        return ask(
            SEARCH,
            {
                "userId": self.user_id,
                "namespace": labels(namespace),
                "query": query,
                "where": where,
                "first": limit,
                "offset": offset,
            },
        )

    def namespaces(
        self,
        prefix: Sequence[str] | str = (),
        *,
        suffix: Sequence[str] | str = (),
        max_depth: int | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> Steps[list[list[str]]]:
        """Return the namespaces that have items, sorted; the label `*` matches any.

        Example:
            memory.items.namespaces(["notes"], max_depth=2)
        """
        return ask(
            NAMESPACES,
            {
                "userId": self.user_id,
                "prefix": labels(prefix),
                "suffix": labels(suffix),
                "maxDepth": max_depth,
                "first": limit,
                "offset": offset,
            },
        )


class Items(BlockingFace):
    """The items of a memory."""

    def __init__(self, transport: BlockingTransport, user_id: str | None) -> None:
        self._transport, self._operations = transport, ItemOperations(user_id)

    put = blocking(ItemOperations.put)
    get = blocking(ItemOperations.get)
    delete = blocking(ItemOperations.delete)
    search = blocking(ItemOperations.search)
    namespaces = blocking(ItemOperations.namespaces)


class AsyncItems(AwaitingFace):
    """The items of a memory; await each call."""

    def __init__(self, transport: AwaitingTransport, user_id: str | None) -> None:
        self._transport, self._operations = transport, ItemOperations(user_id)

    put = awaiting(ItemOperations.put)
    get = awaiting(ItemOperations.get)
    delete = awaiting(ItemOperations.delete)
    search = awaiting(ItemOperations.search)
    namespaces = awaiting(ItemOperations.namespaces)
