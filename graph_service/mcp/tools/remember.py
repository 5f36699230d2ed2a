"""The tools `remember`, `update_fact` and `forget`."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from graph_service.mcp.caller import Caller
from graph_service.mcp.tool import Effect, Result, ToolContext, about, rare, tool
from graph_service.memory.curation.statements import FactEdit
from graph_service.memory.forgetting.commit import ForgetResult
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest, provided_fact
from schema.entity import entity_type_choice
from schema.errors import InputError
from schema.fact import FactKind
from schema.importance import GivenImportance
from schema.message import ClosedFact, FactConflict
from schema.predicates import predicate_choice

UserId = Annotated[str | None, about("Default: the connection's user.")]


class MessageGiven(Result):
    """One message."""

    role: Literal["user", "assistant", "system", "tool", "event"]
    text: Annotated[str, about("Word for word.")]
    time: Annotated[datetime | None, about("With time zone. Default: now.")] = None
    speaker: str | None = None
    id: Annotated[str | None, about("Your id; sent again with an id or a time, it changes nothing.")] = None
    importance: Annotated[GivenImportance, rare("1 to 10.")] = None
    zone: Annotated[str | None, rare("Time zone: Asia/Shanghai or +08:00.")] = None
    tags: list[str] = Field([])
    metadata: Annotated[dict[str, Any] | None, rare("Flat properties, for `where` of recall and get_context.")] = None


class FactGiven(Result):
    """A fact extracted by the agent."""

    subject: Annotated[str, about("`user`, `assistant`, or a name.")]
    predicate: Annotated[str, about(f"{predicate_choice()}.")]
    object: Annotated[str, about("`user`, `assistant`, or a short name.")]
    statement: Annotated[str, about("A sentence in the language of the conversation.")]
    relation: Annotated[str | None, about("In free text: lives in, works at, sister, 住在.")] = None
    subject_type: Annotated[str | None, rare(f"{entity_type_choice()}.")] = None
    object_type: Annotated[str | None, rare(f"{entity_type_choice()}.")] = None
    strength: Annotated[float, rare("0 to 1: how important it is to the subject.")] = 0.7
    confidence: Annotated[float, rare("0 to 1. Uncertain facts are not stored.")] = 0.9
    valid_at: Annotated[datetime | None, about("When it became true. Default: when it was said.")] = None
    invalid_at: Annotated[datetime | None, about("When it stopped being true.")] = None
    message_indexes: Annotated[
        list[int], rare("Indexes (from 0) of the messages that are its evidence. Default: all.")
    ] = Field([])
    importance: Annotated[GivenImportance, rare("1 to 10.")] = None
    kind: Annotated[FactKind, about("Decisions have a rationale, procedures have steps.")] = FactKind.FACT
    rationale: Annotated[str | None, about("The reason.")] = None
    steps: Annotated[list[str], about("In order: `action → result`.")] = Field([])
    trigger_emotion: Annotated[str | None, rare("A lasting emotion that it triggers.")] = None
    replaces: Annotated[list[str], about("Known facts that it replaces: ids, statements or objects.")] = Field([])


class RememberAnswer(Result):
    """The result of `remember`."""

    stored: Annotated[int, about("Number of new messages.")]
    repeated: Annotated[int, about("Number of messages that were already stored.")]
    session_uri: Annotated[str, about("The conversation's URI, for read_memory.")]
    message_ids: Annotated[list[str], about("Message ids in the order of the call, for forget.")]
    dropped: Annotated[list[str], about("Reasons why facts were rejected.")] = Field([])
    spooled: Annotated[bool, about("The database is unavailable: the messages are stored on disk.")] = False
    closes: Annotated[list[ClosedFact], about("Known facts that facts of the call make history.")] = Field([])
    conflicts: Annotated[list[FactConflict], about("Known facts that facts of the call may contradict.")] = Field([])
    notes: Annotated[
        list[str], about("Facts that were not stored, and entries of `replaces` that match no known fact.")
    ] = Field([])


def session_of_today(context: ToolContext) -> str:
    """Return the default session id, one per day."""
    return f"mcp-{context.clock():%Y-%m-%d}"


@tool(Effect.ADDS, "Remember what was said")
async def remember(
    context: ToolContext,
    caller: Caller,
    messages: Annotated[list[MessageGiven], about("Oldest first.")],
    user_id: UserId = None,
    session_id: Annotated[str | None, about("Your id of this conversation. Default: one per day.")] = None,
    facts: Annotated[tuple[FactGiven, ...], about("Facts you extracted; these messages are then not read again.")] = (),
    summary: Annotated[str | None, about("Of these messages, in one or two sentences.")] = None,
    user_name: Annotated[str | None, rare("The user's name.")] = None,
    agent_id: Annotated[str | None, rare("The id of the agent.")] = None,
    request_id: Annotated[str | None, rare("Idempotency key for messages without id and time.")] = None,
    strict: Annotated[bool, rare("Refuse the call if a fact is invalid.")] = False,
) -> RememberAnswer:
    """Store messages of a conversation. Call it after each exchange, with the user's original words and your reply.
    Pass `facts` worth keeping (preferences, relationships, plans, decisions; who, where, since when) and a `summary`
    if you can: you extract better than rules. When something changed, just pass the new fact; the old one becomes
    history. If the answer lists `conflicts` that a fact replaces, pass it again with their ids in `replaces`.
    """
    incoming = RememberRequest(
        user_id=caller.user_of(user_id),
        session_id=session_id or session_of_today(context),
        messages=tuple(IncomingMessage(**{**dict(said), "tags": tuple(said.tags)}) for said in messages),
        user_name=user_name,
        agent_id=agent_id,
        facts=tuple(provided_fact(dict(fact)) for fact in facts),
        summary=summary,
        request_id=request_id,
        strict=strict,
    )
    receipt = await context.memory.remember(caller.tenant, incoming)
    return RememberAnswer.of(receipt, closes=receipt.outcome.closes, conflicts=receipt.outcome.conflicts)


class Forgettable(StrEnum):
    """Kinds of elements that can be deleted."""

    MESSAGE = "message"
    SCENE = "scene"
    SESSION = "session"
    FACT = "fact"
    ENTITY = "entity"
    USER = "user"


class UpdateFactAnswer(Result):
    """The result of a correction."""

    fact_id: Annotated[str | None, about("The fact as corrected; absent while it is being stored.")] = None
    replaced_id: Annotated[str | None, about("The wrong fact.")] = None


async def delete_element(
    context: ToolContext, caller: Caller, kind: Forgettable, name: str, user_id: str | None
) -> ForgetResult:
    """Delete one element by kind and id."""
    forgetting, tenant = context.memory.forgetting, caller.tenant
    match kind:
        case Forgettable.MESSAGE:
            return await forgetting.message(tenant, name)
        case Forgettable.SCENE:
            return await forgetting.scene(tenant, name)
        case Forgettable.SESSION:
            return await forgetting.session(tenant, caller.user_of(user_id), name)
        case Forgettable.FACT:
            return await forgetting.fact(tenant, name)
        case Forgettable.ENTITY:
            return await forgetting.entity(tenant, name)
        case Forgettable.USER:
            return await forgetting.user(tenant, name)


async def correct_fact(context: ToolContext, caller: Caller, fact_id: str, words: str) -> UpdateFactAnswer:
    """Correct a fact as the person says it, which outranks everything that was extracted."""
    return UpdateFactAnswer.of(
        await context.memory.statements.update(caller.tenant, fact_id, FactEdit(statement=words))
    )


@tool(Effect.DELETES, administers=lambda given: given.kind is Forgettable.USER)
async def forget(
    context: ToolContext,
    caller: Caller,
    kind: Annotated[
        Forgettable,
        about("message, scene, session: deleted as if never said. fact, entity: messages stay. user: everything."),
    ],
    id: Annotated[str, about("Its id or URI from recall; for sessions and users your own id.")],
    user_id: UserId = None,
    confirm: Annotated[bool, about("For kind `user`: true, after a person has agreed.")] = False,
) -> ForgetResult:
    """Delete something permanently, with everything derived from it alone, when the user asks to forget it. Find the id
    with recall first.
    """
    if kind is Forgettable.USER and not confirm:
        raise InputError(
            f"this deletes all data of user {id!r} and is irreversible: ask the person, then call again with confirm"
            " = true"
        )
    return await delete_element(context, caller, kind, id, user_id)


@tool(Effect.ADDS, "Correct a fact")
async def update_fact(
    context: ToolContext, caller: Caller, id: Annotated[str, about("From recall.")], statement: str
) -> UpdateFactAnswer:
    """Correct a wrong fact. If it was true before, remember the new one instead."""
    return await correct_fact(context, caller, id, statement)
