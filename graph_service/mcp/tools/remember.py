"""The tool `remember`: what was said, with the facts and the summary that the agent read itself."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from graph_service.mcp.caller import Caller
from graph_service.mcp.tool import Effect, Tool, ToolContext
from graph_service.mcp.tool_schemas import Arguments, Result
from graph_service.memory.ingest.episode_writer import Receipt
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from schema.fact import FactKind
from schema.message import ProvidedFact

UserId = Annotated[str | None, Field(description="Whose memory; that of the connection's user if left out.")]


class Said(Result):
    """One message."""

    role: Literal["user", "assistant", "system", "tool"]
    text: str = Field(description="What was said, word for word.")
    time: datetime | None = Field(None, description="When it was said, ISO 8601 with zone; now if left out.")
    speaker: str | None = Field(None, description="The speaker's name.")
    id: str | None = Field(None, description="Your id of it: with an id or a time, a repetition changes nothing.")
    importance: int | None = Field(None, description="1 to 10.")
    zone: str | None = Field(None, description="Where it was said: Asia/Shanghai or +08:00.")


class ReadFact(Result):
    """A fact that the agent read itself."""

    subject: str = Field(description="`user`, `assistant`, or a name.")
    predicate: str = Field(description="PREFERS, DISLIKES, CARES_ABOUT, RELATES_TO or CAUSED_BY.")
    object: str = Field(description="`user`, `assistant`, or the short name of a person, place, thing or idea.")
    statement: str = Field(description="The fact as one sentence, in the language of the conversation.")
    relation: str | None = Field(None, description="How, in free words: lives in, works at, sister, 住在.")
    subject_type: str | None = Field(None, description="person, place, organization, food, …")
    object_type: str | None = Field(None, description="person, place, organization, food, …")
    strength: float = Field(0.7, description="0 to 1: how much it matters to the subject.")
    confidence: float = Field(0.9, description="0 to 1: how sure you are.")
    valid_at: datetime | None = Field(None, description="When it began to hold; when it was said if left out.")
    invalid_at: datetime | None = Field(None, description="When it ceased to hold.")
    message_indexes: list[int] = Field([], description="Which messages prove it, from 0; all if left out.")
    importance: int | None = Field(None, description="1 to 10.")
    kind: FactKind = Field(FactKind.FACT, description="A decision has a rationale, a procedure steps.")
    rationale: str | None = Field(None, description="Why it was decided, or is so.")
    steps: list[str] = Field([], description="Of a procedure, in order: `action → result`.")
    trigger_emotion: str | None = Field(None, description="A lasting feeling it triggers.")


class RememberArguments(Arguments):
    """What `remember` takes."""

    messages: list[Said] = Field(description="1 to 1,000 messages, oldest first.")
    user_id: UserId = None
    session_id: str | None = Field(None, description="Your id of this conversation; one for each day if left out.")
    facts: list[ReadFact] = Field([], description="Facts you read in these messages; they are then not read again.")
    summary: str | None = Field(None, description="Your summary of these messages in one or two sentences.")
    user_name: str | None = Field(None, description="How the user is called.")
    agent_id: str | None = Field(None, description="The agent that speaks with the user.")
    request_id: str | None = Field(None, description="Makes a repetition of messages without id and time harmless.")


class RememberAnswer(Result):
    """What became of the messages."""

    stored: int = Field(description="How many messages were new.")
    repeated: int = Field(description="How many had been stored before.")
    session_uri: str = Field(description="Where the conversation lives; read_memory tells its texts.")
    message_ids: list[str] = Field(description="In the order of the call; forget takes them.")
    dropped: list[str] = Field([], description="Why facts you handed in were left out.")
    spooled: bool = Field(False, description="The database is away: they wait, durable, on disk.")


def receipt_answer(receipt: Receipt) -> RememberAnswer:
    """Return a receipt as MCP tells it."""
    return RememberAnswer(
        stored=receipt.stored,
        repeated=receipt.repeated,
        session_uri=receipt.session_uri,
        message_ids=list(receipt.message_ids),
        dropped=list(receipt.dropped),
        spooled=receipt.spooled,
    )


def session_of_today(context: ToolContext) -> str:
    """Return the conversation that messages belong to when nobody says which."""
    return f"mcp-{context.clock():%Y-%m-%d}"


async def _remember(context: ToolContext, caller: Caller, given: RememberArguments) -> RememberAnswer:
    incoming = RememberRequest(
        user_id=caller.user_of(given.user_id),
        session_id=given.session_id or session_of_today(context),
        messages=tuple(IncomingMessage(**dict(said)) for said in given.messages),
        user_name=given.user_name,
        agent_id=given.agent_id,
        facts=tuple(_brought(fact) for fact in given.facts),
        summary=given.summary,
        request_id=given.request_id,
    )
    return receipt_answer(await context.memory.remember(caller.tenant, incoming))


def _brought(fact: ReadFact) -> ProvidedFact:
    lists = {"message_indexes": tuple(fact.message_indexes), "steps": tuple(fact.steps)}
    return ProvidedFact(**{**dict(fact), **lists})


REMEMBER = Tool(
    name="remember",
    title="Remember what was said",
    description=(
        "Store messages of a conversation in long-term memory. Call it after each exchange, with the user's words as"
        " they were said and your reply. Hand in `facts` worth keeping (preferences, relationships, plans, decisions,"
        " who, where, since when) and a `summary` if you can: you read better than rules do. When something changed,"
        " just say the new fact; the old one is kept as history. Stored before the answer, searchable at once."
    ),
    arguments=RememberArguments,
    answer=RememberAnswer,
    effect=Effect.ADDS,
    act=_remember,
)
