"""The tool `remember`: store messages, optionally with facts and a summary from the agent."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from graph_service.mcp.caller import Caller
from graph_service.mcp.tool import Effect, Tool, ToolContext
from graph_service.mcp.tool_schemas import Arguments, Result
from graph_service.memory.ingest.episode_writer import Receipt
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest, provided_fact
from schema.entity import entity_type_choice
from schema.fact import FactKind
from schema.importance import GivenImportance
from schema.predicates import predicate_choice

UserId = Annotated[str | None, Field(description="The user's id. Default: the connection's user.")]


class MessageInput(Result):
    """One message."""

    role: Literal["user", "assistant", "system", "tool", "event"]
    text: str = Field(description="The message, word for word.")
    time: datetime | None = Field(None, description="When it was said, ISO 8601 with time zone. Default: now.")
    speaker: str | None = Field(None, description="The speaker's name.")
    id: str | None = Field(None, description="Your id; messages with an id or a time can be sent again without effect.")
    importance: GivenImportance = Field(None, description="1 to 10.")
    zone: str | None = Field(None, description="Time zone: Asia/Shanghai or +08:00.")
    tags: list[str] = Field([])


class FactInput(Result):
    """A fact extracted by the agent."""

    subject: str = Field(description="`user`, `assistant`, or a name.")
    predicate: str = Field(description=f"{predicate_choice()}.")
    object: str = Field(description="`user`, `assistant`, or the short name of a person, place, thing or idea.")
    statement: str = Field(description="The fact as one sentence, in the language of the conversation.")
    relation: str | None = Field(None, description="The relation in free text: lives in, works at, sister, 住在.")
    subject_type: str | None = Field(None, description=f"{entity_type_choice()}.")
    object_type: str | None = Field(None, description=f"{entity_type_choice()}.")
    strength: float = Field(0.7, description="0 to 1: how important it is to the subject.")
    confidence: float = Field(0.9, description="0 to 1. Uncertain facts are not stored.")
    valid_at: datetime | None = Field(None, description="When it became true. Default: when it was said.")
    invalid_at: datetime | None = Field(None, description="When it stopped being true.")
    message_indexes: list[int] = Field(
        [], description="Indexes (from 0) of the messages that are its evidence. Default: all."
    )
    importance: GivenImportance = Field(None, description="1 to 10.")
    kind: FactKind = Field(FactKind.FACT, description="Decisions have a rationale, procedures have steps.")
    rationale: str | None = Field(None, description="The reason.")
    steps: list[str] = Field([], description="Steps of a procedure, in order: `action → result`.")
    trigger_emotion: str | None = Field(None, description="A lasting emotion that it triggers.")
    replaces: list[str] = Field(
        [], description="Known facts of the subject that it replaces: ids, statements or objects."
    )


class ClosedFact(Result):
    """A known fact that was closed by a fact of this call."""

    fact_index: int = Field(description="Index of the fact in the call.")
    id: str = Field(description="Id of the known fact.")
    statement: str = Field(description="Statement of the known fact.")


class FactConflict(ClosedFact):
    """A known fact that a fact of this call may contradict; both stay valid."""

    why: str = Field(description="Why they may contradict each other.")


class RememberArguments(Arguments):
    """Arguments of `remember`."""

    messages: list[MessageInput] = Field(description="1 to 1,000 messages, oldest first.")
    user_id: UserId = None
    session_id: str | None = Field(None, description="Your id of this conversation. Default: one per day.")
    facts: list[FactInput] = Field([], description="Facts you extracted; these messages are then not extracted again.")
    summary: str | None = Field(None, description="Your summary of these messages in one or two sentences.")
    user_name: str | None = Field(None, description="The user's name.")
    agent_id: str | None = Field(None, description="The id of the agent.")
    request_id: str | None = Field(None, description="Idempotency key for messages without id and time.")
    strict: bool = Field(False, description="Refuse the call if a fact is invalid.")


class RememberAnswer(Result):
    """The result of `remember`."""

    stored: int = Field(description="Number of new messages.")
    repeated: int = Field(description="Number of messages that were already stored.")
    session_uri: str = Field(description="The conversation's URI, for read_memory.")
    message_ids: list[str] = Field(description="Message ids in the order of the call, for forget.")
    dropped: list[str] = Field([], description="Reasons why facts were rejected.")
    spooled: bool = Field(False, description="The database is unavailable: the messages are stored on disk.")
    closes: list[ClosedFact] = Field([], description="Known facts that become history because of facts of the call.")
    conflicts: list[FactConflict] = Field([], description="Known facts that facts of the call may contradict.")
    notes: list[str] = Field(
        [], description="Facts that were not stored, and entries of `replaces` that match no known fact."
    )


def receipt_answer(receipt: Receipt) -> RememberAnswer:
    """Convert a receipt to its MCP type."""
    return RememberAnswer(
        stored=receipt.stored,
        repeated=receipt.repeated,
        session_uri=receipt.session_uri,
        message_ids=list(receipt.message_ids),
        dropped=list(receipt.dropped),
        spooled=receipt.spooled,
        closes=[ClosedFact(**asdict(one)) for one in receipt.outcome.closes],
        conflicts=[FactConflict(**asdict(one)) for one in receipt.outcome.conflicts],
        notes=list(receipt.notes),
    )


def session_of_today(context: ToolContext) -> str:
    """Return the default session id, one per day."""
    return f"mcp-{context.clock():%Y-%m-%d}"


async def _remember(context: ToolContext, caller: Caller, given: RememberArguments) -> RememberAnswer:
    incoming = RememberRequest(
        user_id=caller.user_of(given.user_id),
        session_id=given.session_id or session_of_today(context),
        messages=tuple(IncomingMessage(**{**dict(said), "tags": tuple(said.tags)}) for said in given.messages),
        user_name=given.user_name,
        agent_id=given.agent_id,
        facts=tuple(provided_fact(dict(fact)) for fact in given.facts),
        summary=given.summary,
        request_id=given.request_id,
        strict=given.strict,
    )
    return receipt_answer(await context.memory.remember(caller.tenant, incoming))


REMEMBER = Tool(
    name="remember",
    title="Remember what was said",
    description=(
        "Store messages of a conversation in long-term memory. Call it after each exchange, with the user's original"
        " words and your reply. Pass `facts` worth keeping (preferences, relationships, plans, decisions,"
        " who, where, since when) and a `summary` if you can: you extract better than rules do. When something changed,"
        " just pass the new fact; the old one becomes history. If the answer lists `conflicts` and a fact replaces one,"
        " pass the fact again in your next call with its id in `replaces`. Messages are durable and searchable when it"
        " returns."
    ),
    arguments=RememberArguments,
    answer=RememberAnswer,
    effect=Effect.ADDS,
    act=_remember,
)
