"""GraphQL: the log of messages, single messages, whether they are read; sessions and their last turns."""

from datetime import datetime
from operator import itemgetter
from typing import Annotated, Any

import strawberry
from strawberry.scalars import JSON
from strawberry.types.nodes import FragmentSpread, InlineFragment, SelectedField

from graph_service.api.graphql.fields import (
    AfterCursor,
    AnyUserId,
    Call,
    Connection,
    FirstArgument,
    SessionId,
    TagsArgument,
    UserId,
    WhereArgument,
    argument,
    expose,
    field,
    mutation,
    output,
    page_of,
)
from graph_service.memory.facts.reconciliation import FactEventKind
from graph_service.memory.facts.stored import StoredFactEvent
from graph_service.memory.forgetting.service import Replacement
from graph_service.memory.messages.log import MessageFact, MessageFilter, MessagePage, StoredMessage
from graph_service.memory.sessions.lifecycle import IndexReport, session_cursor
from graph_service.memory.sessions.short_term_window import RecentTurns, Source, Turn
from schema.errors import NotFoundError
from schema.filters import parse_filter
from schema.labels import Role
from schema.session import CloseReason, SessionState, SessionView

_MessageId = Annotated[str, argument("Your id of the message, our id, or its URI.")]
_ConversationId = Annotated[str, argument("Your id of the conversation.")]


def chars(root: StoredMessage) -> int:
    """Length of the text in characters."""
    return len(root.text)


def text(
    root: StoredMessage, max_chars: Annotated[int | None, argument("Cut it after so many characters.")] = None
) -> str:
    """The whole text."""
    return root.text if max_chars is None else root.text[: max(max_chars, 0)]


expose(MessageFact, fields="id statement predicate source_id=source target_id=target invalid_at")
expose(
    StoredMessage,
    None,
    "id uri external_id session_id user_id role speaker chars raw metadata tags time=said_at created_at updated_at"
    " expires_at version is_read scene_id facts closed text",
    ids=["id"],
    types={"role": Role, "raw": JSON | None, "metadata": JSON},
    resolved=[chars, text],
)


@output()
class StoredMessageConnection(Connection[StoredMessage]):
    """A page of messages. It may be shorter than `first` before the end of the list."""


@field
async def messages(
    info: Call,
    user_id: AnyUserId = None,
    session_id: Annotated[str | None, argument("Only this conversation; needs `userId`.")] = None,
    tags: TagsArgument = None,
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
    rows = list(zip(page.cursors, page.messages, strict=True))
    found = page_of(rows, len(rows), after, cursor=itemgetter(0), view=itemgetter(1))
    found.page_info.has_next_page = page.next is not None
    found.page_info.end_cursor = page.next or found.page_info.end_cursor
    return StoredMessageConnection(**vars(found))


@strawberry.field(
    description="The latest messages, oldest first.", deprecation_reason="`messages` has pages and conditions."
)
async def conversation(
    info: Call,
    user_id: AnyUserId = None,
    limit: Annotated[int, argument("Maximum number of messages, 1 to 1,000.")] = 30,
) -> list[StoredMessage]:
    wanted = MessageFilter(user_id=user_id)
    page = await _page(info, wanted, selected_names(info), first=limit, newest_first=True)
    return list(reversed(page.messages))


@field
async def message(info: Call, user_id: UserId, session_id: _ConversationId, id: _MessageId) -> StoredMessage | None:
    """A message of a session, by your id, our id or its URI; null if there is none."""
    return await info.memory.messages.message(info.tenant, user_id, session_id, id)


@field
async def is_read(
    info: Call,
    user_id: UserId,
    session_id: Annotated[str | None, argument("Only this conversation.")] = None,
    wait_s: Annotated[float, argument("Seconds to wait at most, 0 to 60.")] = 0.0,
) -> bool:
    """True if everything that was stored so far is read, or never will be. With `waitS`, answers as soon as that is
    so, and false after that time.
    """
    return await info.memory.messages.is_read(info.tenant, user_id, session_id, wait_s=wait_s)


@mutation
async def set_message(
    info: Call,
    user_id: UserId,
    session_id: _ConversationId,
    id: _MessageId,
    text: Annotated[str | None, argument("The new text.")] = None,
    metadata: Annotated[JSON | None, argument("The new properties, instead of all others; {} for none.")] = None,
    raw: Annotated[JSON | None, argument("The new payload.")] = None,
    tags: Annotated[list[str] | None, argument("The new tags; [] for none.")] = None,
    expires_at: Annotated[datetime | None, argument("When it expires.")] = None,
    ttl_s: Annotated[float | None, argument("Seconds until it expires; excludes `expiresAt`.")] = None,
    never_expires: Annotated[bool, argument("Remove its expiry.")] = False,
    if_version: Annotated[int | None, argument("Refuse with `CONFLICT` unless this is the stored version.")] = None,
) -> StoredMessage:
    """Replace text, metadata, payload, tags or expiry of a message, which keeps its id, time and place. With a new
    text, what was derived from the former one is forgotten, and the new one is read. Omitted or null arguments
    change nothing.
    """
    memory, tenant = info.memory, info.tenant
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
    return message


async def _page(
    info: Call, wanted: MessageFilter, selected: set[str], *, first: int, newest_first: bool, after: str | None = None
) -> MessagePage:
    """Return a page of messages, reading payloads and facts only if these fields are selected."""
    return await info.memory.messages.page(
        info.tenant,
        wanted,
        first=first,
        after=after,
        newest_first=newest_first,
        with_raw="raw" in selected,
        with_facts=not selected.isdisjoint(("facts", "closed")),
    )


def selected_names(info: Call, *path: str) -> set[str]:
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


strawberry.enum(Source, name="TurnSource", description="Where turns of the short-term window come from.")
strawberry.enum(SessionState, name="SessionState", description="The state of a session.")
strawberry.enum(CloseReason, name="SessionCloseReason", description="Why a session was closed.")
strawberry.enum(FactEventKind, name="FactEventKind", description="What became of a fact.")
expose(SessionView, "Session")
expose(StoredFactEvent, "FactEvent")
expose(IndexReport, "IndexResult")


expose(Turn, fields="message_id=id role speaker text said_at truncated")
expose(RecentTurns, "ShortTerm")


@field
async def sessions(
    info: Call, user_id: UserId, first: FirstArgument = 50, after: AfterCursor = None
) -> Connection[SessionView]:
    """Sessions of a user, latest first."""
    rows = await info.memory.sessions.page(info.tenant, user_id, first=first, after=after)
    return page_of(rows, first, after, cursor=session_cursor)


@field
async def session(info: Call, user_id: UserId, session_id: SessionId) -> SessionView:
    """A session and its state."""
    return await info.memory.sessions.one(info.tenant, user_id, session_id)


@field
async def fact_events(
    info: Call,
    user_id: UserId,
    session_id: SessionId,
    first: Annotated[int, argument("Maximum number, 1 to 1,000.")] = 100,
) -> list[StoredFactEvent]:
    """The outcomes of the extracted facts of a session, latest scene first."""
    return await info.memory.fact_events(info.tenant, user_id, session_id, first=first)


@field
async def short_term(
    info: Call,
    user_id: UserId,
    session_id: SessionId,
    turns: Annotated[int, argument("Maximum number of turns, 1 to 200.")] = 20,
) -> RecentTurns:
    """The last turns of a session, from Redis or memory, completed from the database."""
    return await info.memory.short_term(info.tenant, user_id, session_id, turns=turns)


@mutation
async def close_session(info: Call, user_id: UserId, session_id: SessionId) -> SessionView:
    """Close a session: compute missing vectors, then extract all pending messages. Idempotent."""
    return await info.memory.sessions.close(info.tenant, user_id, session_id)


@mutation
async def index_memories(info: Call, user_id: UserId, session_id: SessionId) -> IndexReport:
    """Index a session now: extract pending messages, also if automatic extraction is off, update its layers, and
    compute missing vectors. Idempotent.
    """
    return await info.memory.sessions.index(info.tenant, user_id, session_id)
