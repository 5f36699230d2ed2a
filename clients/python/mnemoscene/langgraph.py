"""LangGraph: a `BaseStore` whose items the memory keeps. Needs langgraph-checkpoint, a part of langgraph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from mnemoscene import models
from mnemoscene.items import GET, NAMESPACES, PUT, SEARCH, item_input
from mnemoscene.transport import Address, AwaitingTransport, BlockingTransport, Steps, ask

WRITES_PER_CALL: Final = 1_000
SECONDS_PER_MINUTE: Final = 60.0
WHOLE_VALUE: Final = "$"


class MnemosceneStore(BaseStore):
    """A store for `graph.compile(store=…)`, persistent and searchable by meaning.

    Args:
        url, key, tenant: as of `mnemoscene.Memory`.
        index: `fields` names the parts of values that are searched, all text by default; the service embeds them.
        ttl: default lifetime in minutes, and whether reading prolongs it.
        user_id: keep the items in the memory of this user; without it they belong to the tenant, which needs a key for
            all of it.

    Example:
        store = MnemosceneStore("http://127.0.0.1:7780", index={"fields": ["text"]})
        store.put(("users", "ana"), "drink", {"text": "Ana likes green tea."})
        store.search(("users", "ana"), query="What does she drink?")[0].value
    """

    supports_ttl = True

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        index: IndexConfig | Mapping[str, Any] | None = None,
        ttl: TTLConfig | None = None,
        user_id: str | None = None,
        tenant: str | None = None,
    ) -> None:
        address = Address.of(url, key, tenant)
        self._blocking, self._awaiting = BlockingTransport(address), AwaitingTransport(address)
        self._fields: list[str] = list((index or {}).get("fields") or [WHOLE_VALUE])
        self._user_id = user_id
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations: all reads in order, then all writes in one transaction; results are in the order of `ops`."""
        return self._blocking.run(self._steps(list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, without blocking the event loop."""
        return await self._awaiting.run(self._steps(list(ops)))

    def close(self) -> None:
        """Close the connections of the blocking methods."""
        self._blocking.close()

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self._awaiting.close()

    def _steps(self, ops: list[Op]) -> Steps[list[Result]]:
        for op in ops:
            validate_op_namespace(op)
        results: list[Result] = []
        for op in ops:
            results.append((yield from self._read(op)))
        writes = [self._write(op) for op in ops if isinstance(op, PutOp)]
        for start in range(0, len(writes), WRITES_PER_CALL):
            yield from ask(PUT, {"items": writes[start : start + WRITES_PER_CALL]})
        return results

    def _read(self, op: Op) -> Steps[Result]:
        match op:
            case GetOp():
                asked = {"userId": self._user_id, "namespace": list(op.namespace), "key": op.key}
                item = yield from ask(GET, {**asked, "refreshTtl": op.refresh_ttl})
                return None if item is None else Item(**_fields(item))
            case SearchOp():
                items = yield from ask(
                    SEARCH,
                    {
                        "userId": self._user_id,
                        "namespace": list(op.namespace_prefix),
                        "query": op.query or None,
                        "where": _where(op.filter),
                        "first": op.limit,
                        "offset": op.offset,
                        "refreshTtl": op.refresh_ttl,
                    },
                )
                return [SearchItem(**_fields(item), score=item.score) for item in items]
            case ListNamespacesOp():
                paths: dict[str, Any] = {one.match_type: list(one.path) for one in op.match_conditions or ()}
                found = yield from ask(
                    NAMESPACES,
                    {
                        "userId": self._user_id,
                        **paths,
                        "maxDepth": op.max_depth,
                        "first": op.limit,
                        "offset": op.offset,
                    },
                )
                return [tuple(namespace) for namespace in found]
        return None

    def _write(self, op: PutOp) -> dict[str, Any]:
        fields = [] if op.index is False else list(op.index or self._fields)
        return item_input(
            self._user_id,
            op.namespace,
            op.key,
            None if op.value is None else dict(op.value),
            index=None if WHOLE_VALUE in fields else [_path(field) for field in fields],
            ttl=None if op.ttl is None else op.ttl * SECONDS_PER_MINUTE,
        )


def _fields(item: models.Item) -> dict[str, Any]:
    return {
        "namespace": tuple(item.namespace),
        "key": item.key,
        "value": item.value,
        "created_at": item.created_at,
        "updated_at": item.updated_at,
    }


def _path(field: str) -> str:
    """Return a field's path in the words of the service, which reaches into all elements of lists by itself."""
    return ".".join(part.partition("[")[0] for part in field.split(".") if part.partition("[")[0])


def _where(conditions: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the filter in the words of the service: `$gt` is `gt`, and an object that is no operator is compared."""
    if not conditions:
        return None
    return {key: _condition(value) for key, value in conditions.items()}


def _condition(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    if value and all(isinstance(name, str) and name.startswith("$") for name in value):
        return {name[1:]: one for name, one in value.items()}
    return {"eq": dict(value)}
