"""GraphQL: the log of messages, single messages, and whether they are read."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.scalars import JSON
from strawberry.types import Info
from strawberry.types.nodes import FragmentSpread, InlineFragment, SelectedField

import graph_service.api.graphql.remember_recall  # noqa: F401  registers Role
from graph_service.api.descriptions import about, argument, field, mutation, output
from graph_service.api.graphql.arguments import (
    AfterCursor,
    Connection,
    Edge,
    WhereArgument,
    memory_of,
    page_info,
    view_of,
)
from graph_service.memory.forgetting.replacement import Replacement
from graph_service.memory.messages.log import MessageFact, MessageFilter, MessagePage, StoredMessage
from schema.errors import NotFoundError
from schema.filters import parse_filter
from schema.labels import Role

_MessageId = Annotated[str, argument("Your id of the message, our id, or its URI.")]
_SessionId = Annotated[str, argument("Your id of the conversation.")]


@output(name="MessageFact")
class MessageFactView:
    """A fact that a message proves or closed."""

    id: str
    statement: str
    predicate: str
    source_id: str = about("Id of its subject.")
    target_id: str = about("Id of its object.")
    invalid_at: datetime | None = about("When it stopped being true; null while it is valid.")


@output(name="StoredMessage")
class StoredMessageView:
    """A message as it was stored, with what the memory made of it."""

    message: strawberry.Private[StoredMessage]
    id: strawberry.ID
    uri: str
    external_id: str | None = about("Your id of the message, if you gave one.")
    session_id: str = about("Your id of the conversation.")
    user_id: str
    role: Role
    speaker: str | None
    chars: int = about("Length of the text in characters.")
    raw: JSON | None = about("Its payload.")
    metadata: JSON = about("Your properties of the message; an empty object if it has none.")
    tags: list[str]
    time: datetime = about("When it was said.")
    created_at: datetime = about("When it was stored.")
    updated_at: datetime = about("When it was last replaced.")
    expires_at: datetime | None = about("When it expires; null for never.")
    version: int = about("1, and one more after each replacement.")
    is_read: bool = about("Nothing of it waits to be read; true if it is never read.")
    scene_id: str | None = about("Id of its scene; null until it is read.")
    facts: list[MessageFactView] = about("Facts for which it is evidence, at most 20.")
    closed: list[MessageFactView] = about("Facts that it closed, at most 20.")

    @field
    def text(self, max_chars: Annotated[int | None, argument("Cut it after so many characters.")] = None) -> str:
        """The whole text."""
        return self.message.text if max_chars is None else self.message.text[: max(max_chars, 0)]


@output()
class StoredMessageConnection(Connection[StoredMessageView]):
    """A page of messages. It may be shorter than `first` before the end of the list."""


@field
async def messages(
    info: Info[Any, None],
    user_id: Annotated[str | None, argument("The user's id; all users if omitted.")] = None,
    session_id: Annotated[str | None, argument("Only this conversation; needs `userId`.")] = None,
    tags: Annotated[list[str] | None, argument("Only messages with one of these tags.")] = None,
    where: WhereArgument = None,
    newest_first: Annotated[bool, argument("Begin with the latest message.")] = False,
    first: Annotated[int, argument("Page size, 1 to 1,000.")] = 100,
    after: AfterCursor = None,
) -> StoredMessageConnection:
    """Messages in the order they were said, and of the same time in the order they were stored; of a session, a
    user, or all users of the tenant; with more than 1,000 users, `BAD_INPUT` asks for one.
    """
    selected = selected_names(info, "edges", "node") | selected_names(info, "nodes")
    wanted = MessageFilter(user_id=user_id, session_id=session_id, tags=tuple(tags or ()), where=parse_filter(where))
    page = await _page(info, wanted, selected, first=first, after=after, newest_first=newest_first)
    return _connection(page, after)


@strawberry.field(
    description="The latest messages, oldest first.", deprecation_reason="`messages` has pages and conditions."
)
async def conversation(
    info: Info[Any, None],
    user_id: Annotated[str | None, argument("The user's id; all users if omitted.")] = None,
    limit: Annotated[int, argument("Maximum number of messages, 1 to 1,000.")] = 30,
) -> list[StoredMessageView]:
    """Return the latest messages."""
    wanted = MessageFilter(user_id=user_id)
    page = await _page(info, wanted, selected_names(info), first=limit, newest_first=True)
    return [message_view(message) for message in reversed(page.messages)]


@field
async def message(
    info: Info[Any, None], user_id: Annotated[str, argument("The user's id.")], session_id: _SessionId, id: _MessageId
) -> StoredMessageView | None:
    """A message of a session, by your id, our id or its URI; null if there is none."""
    message = await memory_of(info).messages.message(info.context["tenant"], user_id, session_id, id)
    return None if message is None else message_view(message)


@field
async def is_read(
    info: Info[Any, None],
    user_id: Annotated[str, argument("The user's id.")],
    session_id: Annotated[str | None, argument("Only this conversation.")] = None,
    wait_s: Annotated[float, argument("Seconds to wait at most, 0 to 60.")] = 0.0,
) -> bool:
    """True if everything that was stored so far is read, or never will be. With `waitS`, answers as soon as that is
    so, and false after that time.
    """
    return await memory_of(info).messages.is_read(info.context["tenant"], user_id, session_id, wait_s=wait_s)


@mutation
async def set_message(
    info: Info[Any, None],
    user_id: Annotated[str, argument("The user's id.")],
    session_id: _SessionId,
    id: _MessageId,
    text: Annotated[str | None, argument("The new text.")] = None,
    metadata: Annotated[JSON | None, argument("The new properties, instead of all others; {} for none.")] = None,
    raw: Annotated[JSON | None, argument("The new payload.")] = None,
    tags: Annotated[list[str] | None, argument("The new tags; [] for none.")] = None,
    expires_at: Annotated[datetime | None, argument("When it expires.")] = None,
    ttl_s: Annotated[float | None, argument("Seconds until it expires; excludes `expiresAt`.")] = None,
    never_expires: Annotated[bool, argument("Remove its expiry.")] = False,
    if_version: Annotated[int | None, argument("Refuse with `CONFLICT` unless this is the stored version.")] = None,
) -> StoredMessageView:
    """Replace text, metadata, payload, tags or expiry of a message, which keeps its id, time and place. With a new
    text, what was derived from the former one is forgotten, and the new one is read. Omitted or null arguments
    change nothing.
    """
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
    info = page_info(page.cursors, more=page.next is not None, after=after)
    info.end_cursor = page.next or info.end_cursor
    return StoredMessageConnection(edges=edges, nodes=[edge.node for edge in edges], page_info=info)


def message_view(message: StoredMessage) -> StoredMessageView:
    """Convert a message to its API type."""
    facts, closed = ([_fact_view(fact) for fact in facts] for facts in (message.facts, message.closed))
    own = {"message": message, "role": Role(message.role), "chars": len(message.text), "time": message.said_at}
    return view_of(StoredMessageView, message, facts=facts, closed=closed, **own)


def _fact_view(fact: MessageFact) -> MessageFactView:
    return view_of(MessageFactView, fact, source_id=fact.source, target_id=fact.target)
