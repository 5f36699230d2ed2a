"""GraphQL: the log of messages, single messages, and whether they are read."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.scalars import JSON
from strawberry.types import Info
from strawberry.types.nodes import FragmentSpread, InlineFragment, SelectedField

import graph_service.api.graphql.remember_recall  # noqa: F401  registers Role
from graph_service.api.graphql.arguments import (
    AfterCursor,
    Connection,
    Edge,
    PageInfo,
    WhereArgument,
    memory_of,
    view_of,
)
from graph_service.memory.forgetting.replacement import Replacement
from graph_service.memory.messages.log import MessageFact, MessageFilter, MessagePage, StoredMessage
from graph_service.memory.messages.metadata_filter import where_text
from schema.errors import NotFoundError
from schema.labels import Role

_MessageId = Annotated[str, strawberry.argument(description="Your id of the message, our id, or its URI.")]
_SessionId = Annotated[str, strawberry.argument(description="Your id of the conversation.")]


@strawberry.type(name="MessageFact", description="A fact that a message proves or closed.")
class MessageFactView:
    """A fact that a message proves or closed."""

    id: str
    statement: str
    predicate: str
    source_id: str = strawberry.field(description="Id of its subject.")
    target_id: str = strawberry.field(description="Id of its object.")
    invalid_at: datetime | None = strawberry.field(description="When it stopped being true; null while it is valid.")


@strawberry.type(name="StoredMessage", description="A message as it was stored, with what the memory made of it.")
class StoredMessageView:
    """A message as it was stored, with what the memory made of it."""

    message: strawberry.Private[StoredMessage]
    id: strawberry.ID
    uri: str
    external_id: str | None = strawberry.field(description="Your id of the message, if you gave one.")
    session_id: str = strawberry.field(description="Your id of the conversation.")
    user_id: str
    role: Role
    speaker: str | None
    chars: int = strawberry.field(description="Length of the text in characters.")
    raw: JSON | None = strawberry.field(description="Its payload.")
    metadata: JSON = strawberry.field(description="Your properties of the message; an empty object if it has none.")
    tags: list[str]
    time: datetime = strawberry.field(description="When it was said.")
    created_at: datetime = strawberry.field(description="When it was stored.")
    updated_at: datetime = strawberry.field(description="When it was last replaced.")
    expires_at: datetime | None = strawberry.field(description="When it expires; null for never.")
    version: int = strawberry.field(description="1, and one more after each replacement.")
    is_read: bool = strawberry.field(description="Nothing of it waits to be read; true if it is never read.")
    scene_id: str | None = strawberry.field(description="Id of its scene; null until it is read.")
    facts: list[MessageFactView] = strawberry.field(description="Facts for which it is evidence, at most 20.")
    closed: list[MessageFactView] = strawberry.field(description="Facts that it closed, at most 20.")

    @strawberry.field(description="The whole text.")
    def text(
        self,
        max_chars: Annotated[int | None, strawberry.argument(description="Cut it after so many characters.")] = None,
    ) -> str:
        """Return the text, cut if asked."""
        return self.message.text if max_chars is None else self.message.text[: max(max_chars, 0)]


@strawberry.type(description="A page of messages. It may be shorter than `first` before the end of the list.")
class StoredMessageConnection(Connection[StoredMessageView]):
    """A page of messages."""


@strawberry.type
class MessagesQuery:
    """Queries for stored messages."""

    @strawberry.field(
        description="Messages in the order they were said, and of the same time in the order they were stored; of a "
        "session, a user, or all users of the tenant; with more than 1,000 users, `BAD_INPUT` asks for one."
    )
    async def messages(
        self,
        info: Info[Any, None],
        user_id: Annotated[str | None, strawberry.argument(description="The user's id; all users if omitted.")] = None,
        session_id: Annotated[
            str | None, strawberry.argument(description="Only this conversation; needs `userId`.")
        ] = None,
        tags: Annotated[
            list[str] | None, strawberry.argument(description="Only messages with one of these tags.")
        ] = None,
        where: WhereArgument = None,
        newest_first: Annotated[bool, strawberry.argument(description="Begin with the latest message.")] = False,
        first: Annotated[int, strawberry.argument(description="Page size, 1 to 1,000.")] = 100,
        after: AfterCursor = None,
    ) -> StoredMessageConnection:
        """Return a page of messages."""
        selected = selected_names(info, "edges", "node") | selected_names(info, "nodes")
        wanted = MessageFilter(user_id=user_id, session_id=session_id, tags=tuple(tags or ()), where=where_text(where))
        page = await _page(info, wanted, selected, first=first, after=after, newest_first=newest_first)
        return _connection(page, after)

    @strawberry.field(
        description="The latest messages, oldest first.", deprecation_reason="`messages` has pages and conditions."
    )
    async def conversation(
        self,
        info: Info[Any, None],
        user_id: Annotated[str | None, strawberry.argument(description="The user's id; all users if omitted.")] = None,
        limit: Annotated[int, strawberry.argument(description="Maximum number of messages, 1 to 1,000.")] = 30,
    ) -> list[StoredMessageView]:
        """Return the latest messages."""
        wanted = MessageFilter(user_id=user_id)
        page = await _page(info, wanted, selected_names(info), first=limit, newest_first=True)
        return [message_view(message) for message in reversed(page.messages)]

    @strawberry.field(description="A message of a session, by your id, our id or its URI; null if there is none.")
    async def message(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="The user's id.")],
        session_id: _SessionId,
        id: _MessageId,  # noqa: A002  the API's word
    ) -> StoredMessageView | None:
        """Return a message."""
        message = await memory_of(info).messages.message(info.context["tenant"], user_id, session_id, id)
        return None if message is None else message_view(message)

    @strawberry.field(
        description="Whether everything that was stored so far is read, or never will be. With `waitS`, answers as "
        "soon as that is true, and false after that time."
    )
    async def is_read(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="The user's id.")],
        session_id: Annotated[str | None, strawberry.argument(description="Only this conversation.")] = None,
        wait_s: Annotated[float, strawberry.argument(description="Seconds to wait at most, 0 to 60.")] = 0.0,
    ) -> bool:
        """Return whether all messages are read."""
        return await memory_of(info).messages.is_read(info.context["tenant"], user_id, session_id, wait_s=wait_s)


@strawberry.type
class MessagesMutation:
    """Replace stored messages."""

    @strawberry.mutation(
        description="Replace text, metadata, payload, tags or expiry of a message, which keeps its id, time and place. "
        "With a new text, what was derived from the former one is forgotten, and the new one is read. Omitted or null "
        "arguments change nothing."
    )
    async def set_message(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="The user's id.")],
        session_id: _SessionId,
        id: _MessageId,  # noqa: A002  the API's word
        text: Annotated[str | None, strawberry.argument(description="The new text.")] = None,
        metadata: Annotated[
            JSON | None, strawberry.argument(description="The new properties, instead of all others; {} for none.")
        ] = None,
        raw: Annotated[JSON | None, strawberry.argument(description="The new payload.")] = None,
        tags: Annotated[list[str] | None, strawberry.argument(description="The new tags; [] for none.")] = None,
        expires_at: Annotated[datetime | None, strawberry.argument(description="When it expires.")] = None,
        ttl_s: Annotated[
            float | None, strawberry.argument(description="Seconds until it expires; excludes `expiresAt`.")
        ] = None,
        never_expires: Annotated[bool, strawberry.argument(description="Remove its expiry.")] = False,
        if_version: Annotated[
            int | None, strawberry.argument(description="Refuse with `CONFLICT` unless this is the stored version.")
        ] = None,
    ) -> StoredMessageView:
        """Replace a message."""
        memory, tenant = memory_of(info), info.context["tenant"]
        new = Replacement(
            text=text,
            metadata=metadata,
            raw=raw,
            tags=None if tags is None else tuple(tags),
            expires_at=expires_at,
            ttl_s=ttl_s,
            never_expires=never_expires,
            if_version=if_version,
        )
        stored_id = await memory.forgetting.replace_message(tenant, user_id, session_id, id, new)
        message = await memory.messages.message(tenant, user_id, session_id, stored_id)
        if message is None:
            raise NotFoundError("the message was forgotten meanwhile")
        return message_view(message)


async def _page(
    info: Info[Any, None],
    wanted: MessageFilter,
    selected: set[str],
    *,
    first: int,
    newest_first: bool,
    after: str | None = None,
) -> MessagePage:
    """Return a page of messages, reading payloads and facts only if these fields are selected."""
    return await memory_of(info).messages.page(
        info.context["tenant"],
        wanted,
        first=first,
        after=after,
        newest_first=newest_first,
        with_raw="raw" in selected,
        with_facts=not selected.isdisjoint(("facts", "closed")),
    )


def selected_names(info: Info[Any, None], *path: str) -> set[str]:
    """Return the names of the fields that are selected below a path of fields of the answer."""
    selections = [selection for field in info.selected_fields for selection in field.selections]
    for name in path:
        selections = [below for field in _fields(selections) if field.name == name for below in field.selections]
    return {field.name for field in _fields(selections)}


def _fields(selections: list[Any]) -> list[SelectedField]:
    found, waiting = list[SelectedField](), list(selections)
    while waiting:
        match waiting.pop():
            case SelectedField() as field:
                found.append(field)
            case FragmentSpread() | InlineFragment() as fragment:
                waiting += fragment.selections
    return found


def _connection(page: MessagePage, after: str | None) -> StoredMessageConnection:
    edges: list[Edge[Any]] = [
        Edge(cursor=cursor, node=message_view(message))
        for cursor, message in zip(page.cursors, page.messages, strict=True)
    ]
    info = PageInfo(
        has_next_page=page.next is not None,
        has_previous_page=after is not None,
        start_cursor=edges[0].cursor if edges else None,
        end_cursor=page.next or (edges[-1].cursor if edges else None),
    )
    return StoredMessageConnection(edges=edges, nodes=[edge.node for edge in edges], page_info=info)


def message_view(message: StoredMessage) -> StoredMessageView:
    """Convert a message to its API type."""
    facts, closed = ([_fact_view(fact) for fact in facts] for facts in (message.facts, message.closed))
    own = {"message": message, "role": Role(message.role), "chars": len(message.text), "time": message.said_at}
    return view_of(StoredMessageView, message, facts=facts, closed=closed, **own)


def _fact_view(fact: MessageFact) -> MessageFactView:
    return view_of(MessageFactView, fact, source_id=fact.source, target_id=fact.target)
