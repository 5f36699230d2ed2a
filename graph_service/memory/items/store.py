"""Read, write and search items."""

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from extraction.embeddings.embedder import CROSS_LANGUAGE_SCALE, EmbeddedQuestion, Embedder, embed_question
from extraction.text.fulltext_words import words_in
from graph_service.graph.lucene import items_query
from graph_service.graph.rows import from_row
from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.argument_checks import check_ids, check_limit, text_problem
from graph_service.memory.items.writes import (
    ANY_LABEL,
    LABELS_MAX,
    Item,
    ItemWrite,
    Outcome,
    StoredVersion,
    check_key,
    check_namespace,
    check_writes,
    decide_writes,
    item_id,
    namespace_token,
    narrowing_tokens,
    stored_properties,
    with_score,
)
from schema.errors import InputError, TooCostlyError, UnavailableError
from schema.filters import EVERYTHING, Filter, matches, parse_filter
from schema.ids import TenantId, memory_id, user_uri
from schema.limits import LIMITS
from schema.timespan import millis, moment_of

FIRST_MAX: Final = 1_000
OFFSET_MAX: Final = 1_000_000
# Bytes of all values that one request may return.
ANSWER_BYTES_MAX: Final = 16 * 2**20
# Items compared with a question, those with its words first.
_CANDIDATES_MAX: Final = 20_000
# Ids per page while a filter is applied; each page is sorted anew, so they grow.
_SCAN_ROWS: Final = (1_000, 10_000, 100_000)
# Bytes of values that are read at once while a filter is applied.
_BATCH_BYTES_MAX: Final = 4 * 2**20
_BATCH_ROWS_MAX: Final = 1_000
# Words count at most as much as this difference of similarities, half of it for this score of Lucene.
_WORDS_WEIGHT: Final = 0.1
_WORDS_HALF: Final = 2.0
# Of a text without a vector yet, which counts if it has a word of the question: that of unrelated texts.
_UNKNOWN_SIMILARITY: Final = 0.55
_FORGETTING_RETRY_S: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemSearch:
    """A request for a page of items.

    Attributes:
        user_id: the owner; None for items of the tenant.
        namespace: beginning of their namespaces; empty for all.
        query: searched by meaning and words, best first; None lists the last updated first.
        where: a filter on the values, see `schema/filters.py`; applied before `first` and `offset`.
        refresh_ttl: let the found items with a time to live expire that much later than now.
    """

    user_id: str | None = None
    namespace: tuple[str, ...] = ()
    query: str | None = None
    where: object = None
    first: int = 10
    offset: int = 0
    refresh_ttl: bool = False


@dataclass(slots=True)
class AnswerBytes:
    """Bytes of values that one request may still return, of all its fields together."""

    left: int = ANSWER_BYTES_MAX

    def take(self, size: int) -> None:
        """Count values.

        Raises:
            TooCostlyError: they exceed what is left.
        """
        self.left -= size
        if self.left < 0:
            raise TooCostlyError(
                f"the values exceed {ANSWER_BYTES_MAX // 2**20} MB in one answer: use a smaller `first`, and `offset`"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """The items of all tenants.

    Args:
        embedder: None means search by words only.
        written: called after items were stored; must not block.
    """

    graph: Graph
    embedder: Embedder | None
    clock: Callable[[], datetime]
    written: Callable[[], None] = lambda: None

    async def put(self, tenant: TenantId, writes: Sequence[ItemWrite]) -> tuple[Item | None, ...]:
        """Store and delete items in one transaction, in order; return what is stored after each write.

        Raises:
            InputError: lists every mistake; nothing was written.
            ConflictError: another version is stored than a write requires; nothing was written.
            UnavailableError: Neo4j does not answer, or a user is being forgotten; repeat the call.
        """
        check_writes(writes)
        users = sorted({write.user_id for write in writes if write.user_id is not None})
        for user_id in users:
            check_ids(userId=user_id)
        now, call = self.clock(), secrets.token_hex(8)
        parameters = {
            "tenant": tenant,
            "epoch": secrets.token_hex(4),
            "now": now,
            "ids": sorted({write.id for write in writes}),
            "user_node_ids": [memory_id(user_uri(tenant, user_id)) for user_id in users],
        }
        decided: list[Outcome] = []

        async def steps(writing: Writing) -> Outcome:
            rows = await writing.run(statement("items/lock_items"), parameters)
            if rows[0]["forgetting"]:
                problem = f"a user ({', '.join(map(repr, users)):.200}) is being forgotten; store items in a moment"
                raise UnavailableError(problem, _FORGETTING_RETRY_S)
            if decided and any(row["call"] == call for row in rows):
                # The commit of an attempt whose answer was lost has arrived.
                return decided[-1]
            outcome = decide_writes(writes, _stored_versions(rows, millis(now)), now=now)
            decided.append(outcome)
            written = [_row(tenant, name, *outcome.final[name], call=call) for name in sorted(outcome.final)]
            await writing.run(statement("items/write_items"), {"tenant": tenant, "rows": written})
            return outcome

        outcome = await self.graph.write(steps)
        if any(item is not None for item in outcome.answers):
            self.written()
        return outcome.answers

    async def get(
        self, tenant: TenantId, user_id: str | None, namespace: Sequence[str], key: str, *, refresh_ttl: bool = False
    ) -> Item | None:
        """Return an item; None if there is none."""
        check_namespace(namespace, least=1)
        check_key(key)
        check_ids(userId=user_id)
        found = await self._read(tenant, [item_id(user_id, namespace, key)], refresh_ttl=refresh_ttl)
        return next(iter(found.values()), None)

    async def search(self, tenant: TenantId, search: ItemSearch, budget: AnswerBytes | None = None) -> list[Item]:
        """Return a page of the items that match.

        Raises:
            TooCostlyError: the values are too large, or too many items were read for a rare filter.
        """
        _check_search(search)
        tree = parse_filter(search.where)
        page, parameters = await self._candidates(tenant, search, tree)
        if tree == EVERYTHING:
            rows = await self.graph.read(page, {**parameters, "skip": search.offset, "rows_max": search.first})
        else:
            rows = await self._filtered(tenant, search, tree, page, parameters)
        (budget or AnswerBytes()).take(sum(row["value_bytes"] for row in rows))
        items = await self._read(tenant, [row["id"] for row in rows], refresh_ttl=search.refresh_ttl)
        return [with_score(items[row["id"]], row["score"]) for row in rows if row["id"] in items]

    async def namespaces(
        self,
        tenant: TenantId,
        user_id: str | None,
        *,
        prefix: Sequence[str] = (),
        suffix: Sequence[str] = (),
        max_depth: int | None = None,
        first: int = 100,
        offset: int = 0,
    ) -> list[tuple[str, ...]]:
        """Return a page of the namespaces that have items, sorted.

        Args:
            prefix, suffix: labels at the start and the end; `*` matches any label.
            max_depth: cut longer namespaces to so many labels, each result once.
        """
        check_ids(userId=user_id)
        check_namespace(prefix, name="prefix")
        check_namespace(suffix, name="suffix")
        _check_page(first, offset)
        if max_depth is not None and max_depth < 1:
            raise InputError(f"maxDepth is {max_depth}; use 1 or more")
        known = prefix[: prefix.index(ANY_LABEL)] if ANY_LABEL in prefix else prefix
        parameters = {
            "tenant": tenant,
            "user_id": user_id or "",
            "query": items_query([[namespace_token(tenant, user_id or "", known)]]),
            "prefix": list(prefix),
            "suffix": list(suffix),
            "max_depth": min(max_depth or LABELS_MAX, LABELS_MAX),
            "now_ms": millis(self.clock()),
            "skip": offset,
            "rows_max": first,
        }
        rows = await self.graph.read(statement("items/namespaces"), parameters)
        return [tuple(row["namespace"]) for row in rows]

    async def _candidates(
        self, tenant: TenantId, search: ItemSearch, tree: Filter
    ) -> tuple[Statement, Mapping[str, Any]]:
        """Return the statement that lists what may match, and its parameters without those of a page."""
        owner = search.user_id or ""
        tokens = [[namespace_token(tenant, owner, search.namespace)], *narrowing_tokens(tenant, owner, tree)]
        parameters = {"tenant": tenant, "user_id": owner, "now_ms": millis(self.clock())}
        if search.query is None:
            return statement("items/list_items"), {**parameters, "query": items_query(tokens)}
        question = await self._embedded(search.query)
        return statement("items/search_items"), {
            **parameters,
            "query": items_query(tokens, words_in(search.query)),
            "candidates_max": _CANDIDATES_MAX,
            "vector": question.vector if question else None,
            "cross_language": question.cross_language_vector if question else None,
            "cross_language_scale": CROSS_LANGUAGE_SCALE,
            "unknown_similarity": _UNKNOWN_SIMILARITY,
            "words_weight": _WORDS_WEIGHT,
            "words_half": _WORDS_HALF,
        }

    async def _embedded(self, query: str) -> EmbeddedQuestion | None:
        """Return the vectors of a question; None without an embedder, or while it is unavailable."""
        if self.embedder is None:
            return None
        try:
            return await embed_question(self.embedder, query)
        except UnavailableError:
            return None

    async def _filtered(
        self, tenant: TenantId, search: ItemSearch, tree: Filter, page: Statement, parameters: Mapping[str, Any]
    ) -> list[Row]:
        """Return the rows of a page that match a filter on their values.

        Raises:
            TooCostlyError: the page is not full after as many items as may be read.
        """
        found: list[Row] = []
        skip = 0
        for rows_max in _SCAN_ROWS:
            rows = await self.graph.read(page, {**parameters, "skip": skip, "rows_max": rows_max})
            for batch in _batches(rows):
                ids = {"tenant": tenant, "ids": [row["id"] for row in batch]}
                values = await self.graph.read(statement("items/read_values"), ids)
                matching = {row["id"] for row in values if _matches(tree, json.loads(row["value"]))}
                found += [row for row in batch if row["id"] in matching]
                if len(found) >= search.offset + search.first:
                    return found[search.offset : search.offset + search.first]
            if len(rows) < rows_max:
                return found[search.offset :]
            skip += rows_max
        raise TooCostlyError(
            f"the filter was applied to {skip:,} items without filling the page: narrow it with a longer `namespace`,"
            " or an equality on a field of the value"
        )

    async def _read(self, tenant: TenantId, ids: Sequence[str], *, refresh_ttl: bool = False) -> dict[str, Item]:
        if not ids:
            return {}
        now_ms = millis(self.clock())
        rows = await self.graph.read(
            statement("items/read_items"), {"tenant": tenant, "ids": list(ids), "now_ms": now_ms}
        )
        expiring = sorted(row["id"] for row in rows if refresh_ttl and row["ttl_ms"] is not None)
        refreshed: dict[str, int] = {}
        if expiring:
            parameters = {"tenant": tenant, "ids": expiring, "now_ms": now_ms}
            written = await self.graph.run(statement("items/refresh_ttl"), parameters)
            refreshed = {row["id"]: row["expires_ms"] for row in written}
        return {row["id"]: _item({**row, "expires_ms": refreshed.get(row["id"], row["expires_ms"])}) for row in rows}


def _check_page(first: int, offset: int) -> None:
    check_limit(first, FIRST_MAX, name="first")
    check_limit(offset, OFFSET_MAX, least=0, name="offset")


def _check_search(search: ItemSearch) -> None:
    check_ids(userId=search.user_id)
    check_namespace(search.namespace)
    _check_page(search.first, search.offset)
    if search.query is not None and (problem := text_problem(search.query, LIMITS.query_chars)):
        raise InputError(f"query {problem}")


def _stored_versions(rows: Sequence[Row], now_ms: int) -> dict[str, StoredVersion]:
    """Return what is stored of the locked items; an expired one is none."""
    return {
        row["id"]: from_row(StoredVersion, row)
        for row in rows
        if row["version"] is not None and (row["expires_ms"] is None or row["expires_ms"] > now_ms)
    }


def _row(tenant: TenantId, name: str, write: ItemWrite, item: Item | None, *, call: str) -> Row:
    if item is None:
        return {"id": name, "properties": None}
    return {"id": name, "properties": {**stored_properties(tenant, write, item), "id": name, "call": call}}


def _item(row: Mapping[str, Any]) -> Item:
    expires_at = None if row["expires_ms"] is None else moment_of(row["expires_ms"])
    return from_row(Item, row, value=json.loads(row["value"]), expires_at=expires_at)


def _matches(tree: Filter, value: Any) -> bool:
    return matches(tree, value if isinstance(value, Mapping) else {})


def _batches(rows: Sequence[Row]) -> list[list[Row]]:
    """Split rows so that the values of each batch fit in memory."""
    batches: list[list[Row]] = []
    size = 0
    for row in rows:
        size += row["value_bytes"]
        if not batches or size > _BATCH_BYTES_MAX or len(batches[-1]) >= _BATCH_ROWS_MAX:
            batches.append([])
            size = row["value_bytes"]
        batches[-1].append(row)
    return batches
