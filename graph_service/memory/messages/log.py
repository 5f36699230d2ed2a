"""List messages in the order they were said, read single ones, filter them, and wait until they are read."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from graph_service.graph.lucene import all_tags_query
from graph_service.graph.rows import from_row
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row
from graph_service.memory.argument_checks import check_ids, check_limit
from graph_service.memory.ingest.spool import Spool
from graph_service.memory.list_cursors import ListName, decode_cursor, encode_cursor
from graph_service.memory.sessions.lifecycle import session_node_id, users_of_tenant
from graph_service.memory.tags import metadata_marker, metadata_tokens, normalized_tags
from schema.assertion import Closing, parse_assertion
from schema.errors import InputError
from schema.filters import EVERYTHING, Filter, matches, required_values
from schema.ids import (
    CORRECTION_SESSION,
    SessionId,
    TenantId,
    UserId,
    memory_id,
    message_uri,
    session_uri,
    to_element_id,
)
from schema.json_text import read_json
from schema.timespan import as_utc, millis, moment_of

# Messages with metadata that one filter compares; the others of a larger memory are left out.
COMPARED_MAX: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchingMessages:
    """The messages that match a filter.

    Attributes:
        ids: the latest first.
        excludes: `ids` are those that do not match, because messages without metadata do.
    """

    ids: tuple[str, ...] = ()
    excludes: bool = True


ALL_MESSAGES: Final = MatchingMessages()


def metadata_of(text: str | None) -> dict[str, Any]:
    """Return stored metadata; empty for damaged text."""
    values = _json(text)
    return values if isinstance(values, dict) else {}


async def matching_messages(graph: Graph, tenant: TenantId, user_id: str, where: Filter) -> MatchingMessages:
    """Return the messages of a user that match a filter."""
    if where == EVERYTHING:
        return ALL_MESSAGES
    excludes = matches(where, {})
    required = {} if excludes else required_values(where)
    tokens = [metadata_marker(tenant, user_id), *metadata_tokens(tenant, user_id, required)]
    parameters = {
        "tenant": tenant,
        "user_id": user_id,
        "token_query": all_tags_query(tokens),
        "rows_max": COMPARED_MAX,
    }
    rows = await graph.read(statement("messages/with_metadata"), parameters)
    ids = tuple(row["id"] for row in rows if matches(where, metadata_of(row["metadata"])) != excludes)
    return MatchingMessages(ids=ids, excludes=excludes)


PAGE_MAX: Final = 1_000
# Characters of texts and payloads of one page; the message that exceeds it is the first of the next page.
_PAGE_CHARS_MAX: Final = 8_000_000
# Keys that one call reads to fill a page with messages that pass its filters.
_KEYS_MAX: Final = 20_000
_KEYS_PER_READ: Final = 2_000
_USERS_MAX: Final = 1_000
_LATEST_CHARS_MAX: Final = 4_000
_FACTS_MAX: Final = 2_000
_FACTS_OF_MESSAGE_MAX: Final = 20
# Beyond all times that a message may have, in milliseconds since 1970.
_TIME_MAX_MS: Final = 2**53
WAIT_MAX_S: Final = 60.0
_POLL_S: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFact:
    """A fact that a message proves or closed.

    Attributes:
        source: id of its subject.
        target: id of its object.
        invalid_at: when it stopped being true; None while it is valid.
    """

    id: str
    statement: str
    predicate: str
    source: str
    target: str
    invalid_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """A message as it was stored, with what the memory made of it.

    Attributes:
        external_id: your id of the message, if you gave one.
        session_id: your id of the conversation.
        text: the whole text, of all parts.
        raw: its payload.
        metadata: your properties of the message; an empty object if it has none.
        said_at: when it was said.
        created_at: when it was stored.
        updated_at: when it was last replaced.
        expires_at: when it expires; None for never.
        version: 1, and one more after each replacement.
        scene_id: id of its scene; None until it is read.
        is_read: nothing of it waits to be read; true if it is never read.
        facts: facts for which it is evidence, at most 20.
        closed: facts that it closed, at most 20.
    """

    id: str
    uri: str
    external_id: str | None
    user_id: str
    session_id: str
    role: str
    speaker: str | None
    text: str
    raw: Any
    metadata: dict[str, Any]
    tags: tuple[str, ...]
    said_at: datetime
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    version: int
    scene_id: str | None
    is_read: bool
    facts: tuple[MessageFact, ...] = ()
    closed: tuple[MessageFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFilter:
    """Conditions on the messages of a page.

    Attributes:
        user_id: None for all users of the tenant, of which there may be 1,000.
        session_id: only this session; needs a user.
        tags: only messages with one of these tags.
        where: only messages whose metadata match this filter.
    """

    user_id: str | None = None
    session_id: str | None = None
    tags: tuple[str, ...] = ()
    where: Filter = EVERYTHING

    def row_condition(self) -> Callable[[Row], bool]:
        """Return the condition on rows of `messages/page`: the filters on tags and metadata."""
        wanted = set(normalized_tags(self.tags))

        def passes(row: Row) -> bool:
            if wanted and wanted.isdisjoint(row["tags"] or ()):
                return False
            return self.where == EVERYTHING or matches(self.where, metadata_of(row["metadata"]))

        return passes


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePage:
    """Messages with their cursors.

    Attributes:
        next: cursor from which the next page continues; None at the end. The page may have fewer messages than asked
            for, even none, if the texts are long or few messages pass the filters.
    """

    messages: tuple[StoredMessage, ...]
    cursors: tuple[str, ...]
    next: str | None


class MessageLog:
    """Read the messages of any tenant."""

    def __init__(self, graph: Graph, *, spool: Spool) -> None:
        self._graph = graph
        self._spool = spool

    async def page(
        self,
        tenant: TenantId,
        wanted: MessageFilter,
        *,
        first: int,
        after: str | None = None,
        newest_first: bool = False,
        with_raw: bool = False,
        with_facts: bool = False,
    ) -> MessagePage:
        """Return messages in the order they were said, and of the same time in the order they were stored.

        Args:
            first: 1 to 1,000.
            after: cursor of a message or the `next` of a page in the same order.
        """
        check_limit(first, PAGE_MAX, name="first")
        order = ListName.NEWEST_MESSAGES if newest_first else ListName.MESSAGES
        key: list[Any] | None = None if after is None else list(decode_cursor(order, after))
        parameters = await self._scope(tenant, wanted) | {"newest_first": newest_first}
        is_filtered, rows, chars, read_n, more = wanted.tags or wanted.where != EVERYTHING, list[Row](), 0, 0, True
        if wanted.tags and not normalized_tags(wanted.tags):
            raise InputError("tags contain no letter or digit; leave them out to list all messages")
        keys_max = _KEYS_PER_READ if is_filtered else first + 1
        passes = wanted.row_condition()
        while more and read_n < _KEYS_MAX:
            edge_ms = key[0] if key else _TIME_MAX_MS if newest_first else -_TIME_MAX_MS
            found = await self._graph.read(
                statement("messages/page"), parameters | {"after": key, "edge_ms": edge_ms, "rows_max": keys_max}
            )
            read_n, more = read_n + len(found), len(found) == keys_max
            for row in found:
                if passes(row):
                    chars += row["chars"]
                    if len(rows) == first or (rows and chars > _PAGE_CHARS_MAX):
                        more = True
                        break
                    rows.append(row)
                key = row["key"]
            else:
                continue
            break
        messages = await self._messages(tenant, [row["id"] for row in rows], raw=with_raw, facts=with_facts)
        cursors = {row["id"]: encode_cursor(order, *row["key"]) for row in rows}
        return MessagePage(
            messages=tuple(messages),
            cursors=tuple(cursors[message.id] for message in messages),
            next=encode_cursor(order, *key) if more and key else None,
        )

    async def ids(self, tenant: TenantId, wanted: MessageFilter, *, before: datetime | None = None) -> list[str]:
        """Return the ids of all messages that pass a filter, oldest first.

        Args:
            before: only messages said before this time.
        """
        parameters = await self._scope(tenant, wanted) | {"newest_first": False, "rows_max": _KEYS_PER_READ}
        until_ms = _TIME_MAX_MS if before is None else millis(as_utc(before))
        ids, passes = list[str](), wanted.row_condition()
        key: list[Any] | None = None
        while True:
            position = {"after": key, "edge_ms": key[0] if key else -_TIME_MAX_MS}
            rows = await self._graph.read(statement("messages/page"), parameters | position)
            ids += [row["id"] for row in rows if row["key"][0] < until_ms and passes(row)]
            if len(rows) < _KEYS_PER_READ or rows[-1]["key"][0] >= until_ms:
                return ids
            key = rows[-1]["key"]

    async def latest(self, tenant: TenantId, user_id: str, *, limit: int) -> list[StoredMessage]:
        """Return the latest messages of one user, newest first; of long ones the first 4,000 characters."""
        page = await self.page(tenant, MessageFilter(user_id=user_id), first=limit, newest_first=True)
        return [replace(message, text=message.text[:_LATEST_CHARS_MAX]) for message in page.messages]

    async def message(
        self,
        tenant: TenantId,
        user_id: str,
        session_id: str,
        message_id: str,
    ) -> StoredMessage | None:
        """Return a message of a session; None if there is none.

        Args:
            message_id: the caller's id, our id, or the URI.
        """
        stored_id = await find_message(self._graph, tenant, user_id, session_id, message_id)
        if stored_id is None:
            return None
        found = await self._messages(tenant, [stored_id], raw=True, facts=True)
        return found[0] if found else None

    async def metadata(self, tenant: TenantId, hits: Sequence[tuple[str, Sequence[str]]]) -> list[dict[str, Any]]:
        """Return the metadata of each element: a message's own, or those of its evidence, of which later ones win.

        Args:
            hits: id and evidence of each element; a message has no evidence.
        """
        ids = sorted({name for hit, evidence in hits for name in (hit, *evidence)})
        rows = await self._graph.read(statement("messages/metadata"), {"tenant": tenant, "ids": ids}) if ids else []
        found = {row["id"]: metadata_of(row["metadata"]) for row in rows}
        return [
            {key: value for name, values in found.items() if name in {hit, *evidence} for key, value in values.items()}
            for hit, evidence in hits
        ]

    async def is_read(self, tenant: TenantId, user_id: str, session_id: str | None, *, wait_s: float) -> bool:
        """Return whether all messages stored so far are read, waiting for it up to `wait_s` seconds."""
        check_ids(userId=user_id, sessionId=session_id)
        if not 0 <= wait_s <= WAIT_MAX_S:
            raise InputError(f"waitS is {wait_s:g}; use 0 to {WAIT_MAX_S:g} seconds")
        parameters = {"tenant": tenant, "user_id": user_id, "session_id": session_id}
        loop = asyncio.get_running_loop()
        until = loop.time() + wait_s
        while True:
            waiting = await self._spool.seems_waiting(tenant, user_id)
            if not waiting:
                waiting = (await self._graph.read(statement("messages/waiting"), parameters))[0]["waiting"]
            left_s = until - loop.time()
            if not waiting or left_s <= 0:
                return not waiting
            await asyncio.sleep(min(_POLL_S, left_s))

    async def _scope(self, tenant: TenantId, wanted: MessageFilter) -> dict[str, Any]:
        if wanted.session_id is not None and wanted.user_id is None:
            raise InputError("sessionId needs userId: a session belongs to a user")
        session, users = "", []
        if wanted.user_id is None:
            users = [row["user_id"] for row in await users_of_tenant(self._graph, tenant, users_max=_USERS_MAX + 1)]
            if len(users) > _USERS_MAX:
                raise InputError(f"the tenant has more than {_USERS_MAX:,} users: name a userId; `users` lists them")
        elif wanted.session_id is None:
            check_ids(userId=wanted.user_id)
            users = [wanted.user_id]
        else:
            check_ids(userId=wanted.user_id, sessionId=wanted.session_id)
            session = session_node_id(tenant, UserId(wanted.user_id), SessionId(wanted.session_id))
        return {"tenant": tenant, "users": users, "session": session, "prefix": CORRECTION_SESSION}

    async def _messages(self, tenant: TenantId, ids: Sequence[str], *, raw: bool, facts: bool) -> list[StoredMessage]:
        """Return the messages with these ids, in that order, without those that no longer exist."""
        if not ids:
            return []
        parameters = {"tenant": tenant, "ids": list(ids), "with_raw": raw}
        rows = await self._graph.read(statement("messages/by_id"), parameters)
        made, closed = await self._facts(tenant, rows) if facts else ({}, {})
        by_id = {row["id"]: _message(row, made, closed) for row in rows}
        return [by_id[name] for name in ids if name in by_id]

    async def _facts(
        self, tenant: TenantId, rows: Sequence[Row]
    ) -> tuple[dict[str, list[MessageFact]], dict[str, list[MessageFact]]]:
        scenes = sorted({scene for row in rows for scene in row["scene_ids"]})
        if not scenes:
            return {}, {}
        parameters = {
            "tenant": tenant,
            "scenes": scenes,
            "ids": [part for row in rows for part in row["part_ids"]],
            "since": min(row["received_at"] for row in rows),
            "rows_max": _FACTS_MAX,
        }
        return facts_by_message(await self._graph.read(statement("messages/facts"), parameters))


async def find_message(graph: Graph, tenant: TenantId, user_id: str, session_id: str, message_id: str) -> str | None:
    """Return our id of a message of a session, given the caller's id, ours or its URI; None if there is none."""
    check_ids(userId=user_id, sessionId=session_id, id=message_id)
    session = session_uri(tenant, user_id, session_id)
    ids = dict.fromkeys([memory_id(message_uri(session, message_id)), to_element_id(message_id)])
    parameters = {"tenant": tenant, "session": memory_id(session), "ids": list(ids)}
    rows = await graph.read(statement("messages/find"), parameters)
    return rows[0]["id"] if rows else None


def facts_by_message(rows: Sequence[Row]) -> tuple[dict[str, list[MessageFact]], dict[str, list[MessageFact]]]:
    """Return the facts that each message proves, and those that it closed, from rows of `messages/facts`. Pure."""
    made: dict[str, list[MessageFact]] = {}
    closed: dict[str, list[MessageFact]] = {}
    makers = {row["id"]: list(row["made_by"]) for row in rows}
    for row in rows:
        fact = from_row(MessageFact, row)
        for message_id in dict.fromkeys(row["made_by"]):
            made.setdefault(message_id, []).append(fact)
        if row["invalid_at"] is None or row["closing_reason"] == Closing.MERGED:
            continue
        assertions = [parse_assertion(text) for text in row["told_by"]]
        enders = [assertion.message_id for assertion in assertions if assertion.ends]
        for message_id in dict.fromkeys((*enders, *makers.get(row["closed_by"], ()))):
            closed.setdefault(message_id, []).append(fact)
    return made, closed


def _message(row: Row, made: dict[str, list[MessageFact]], closed: dict[str, list[MessageFact]]) -> StoredMessage:
    return from_row(
        StoredMessage,
        row,
        text="".join(row["texts"]),
        raw=_json(row["raw"]),
        metadata=metadata_of(row["metadata"]),
        tags=tuple(row["tags"] or ()),
        expires_at=None if row["expires_ms"] is None else moment_of(row["expires_ms"]),
        scene_id=row["scene_ids"][0] if row["scene_ids"] else None,
        facts=_of_parts(row, made),
        closed=_of_parts(row, closed),
    )


def _json(text: str | None) -> Any:
    """Return a stored JSON value; None for damaged text."""
    try:
        return None if text is None else read_json(text)
    except ValueError:
        return None


def _of_parts(row: Row, facts: dict[str, list[MessageFact]]) -> tuple[MessageFact, ...]:
    found = {fact.id: fact for part in row["part_ids"] for fact in facts.get(part, ())}
    return tuple(found.values())[:_FACTS_OF_MESSAGE_MAX]
