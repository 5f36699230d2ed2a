"""Tools of mem0's MCP server; a memory is a fact or a message."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import Field, TypeAdapter, ValidationError

from graph_service.mcp.caller import Caller
from graph_service.mcp.tool import CompatResult, Effect, Result, ToolContext, about, compat_tool, known
from graph_service.mcp.tools.remember import Forgettable, correct_fact, delete_element, session_of_today
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.mindmap.graph_queries import FactOfNode
from graph_service.memory.recall.query import HitKind, QueryFilters, Question
from schema.errors import InputError, NotFoundError

_LISTED_MAX: Final = 1_000
_FACTS_EACH: Final = 100
_MOMENT: Final[TypeAdapter[datetime]] = TypeAdapter(datetime)
GivenFilters = Annotated[
    dict[str, Any] | None, about('Like {"AND": [{"user_id": "john"}]}: user_id, agent_id, run_id, created_at.')
]


class Turn(Result):
    """One message."""

    role: Literal["user", "assistant", "system", "tool"]
    content: str


@compat_tool(Effect.ADDS)
async def add_memory(
    context: ToolContext,
    caller: Caller,
    text: Annotated[str, about("The text to remember; ignored if `messages` are given.")],
    messages: Annotated[tuple[Turn, ...], about("The messages of a conversation.")] = (),
    user_id: str | None = None,
    agent_id: str | None = None,
    run_id: Annotated[str | None, about("Your id of the conversation.")] = None,
) -> CompatResult:
    """Store a sentence or a conversation."""
    owner = caller.user_of(user_id)
    turns = messages or (Turn(role="user", content=text),)
    incoming = RememberRequest(
        user_id=owner,
        session_id=run_id or session_of_today(context),
        agent_id=agent_id,
        messages=tuple(IncomingMessage(role=turn.role, text=turn.content) for turn in turns),
    )
    receipt = await context.memory.remember(caller.tenant, incoming)
    pairs = zip(receipt.message_ids, turns, strict=True)
    return CompatResult(
        results=[known(id=name, memory=turn.content, user_id=owner, event="ADD") for name, turn in pairs]
    )


@compat_tool(Effect.READS)
async def search_memories(
    context: ToolContext,
    caller: Caller,
    query: str,
    filters: GivenFilters = None,
    limit: Annotated[int, about("1 to 100.")] = 10,
) -> CompatResult:
    """Search facts and messages that answer a question, best first."""
    wanted = filters_in(filters or {})
    user_id = caller.user_of(wanted.get("user_id"))
    question = Question(
        user_id=user_id,
        text=query,
        limit=limit,
        kinds=(HitKind.FACT, HitKind.MESSAGE),
        start=wanted.get("start"),
        end=wanted.get("end"),
        filters=QueryFilters(agent_id=wanted.get("agent_id"), session_id=wanted.get("run_id")),
    )
    answer = await context.memory.recall(caller.tenant, question, asker=caller.asker)
    return CompatResult(
        results=[
            known(
                id=hit.candidate.id,
                memory=hit.candidate.text,
                user_id=user_id,
                score=round(hit.score, 3),
                created_at=hit.candidate.said_at,
            )
            for hit in answer.hits
        ]
    )


@compat_tool(Effect.READS)
async def get_memories(
    context: ToolContext,
    caller: Caller,
    filters: GivenFilters = None,
    page: Annotated[int, Field(ge=1)] = 1,
    page_size: Annotated[int, Field(ge=1, le=100)] = 10,
) -> CompatResult:
    """List the current facts about a user, then what was said, each latest first, paged."""
    wanted = filters_in(filters or {})
    if wanted.keys() - {"user_id"}:
        raise InputError("get_memories filters by user_id only; use search_memories for the others")
    user_id = caller.user_of(wanted.get("user_id"))
    nodes = await context.memory.nodes.named(caller.tenant, user_id, None, limit=_LISTED_MAX, facts=_FACTS_EACH)
    # A fact is listed with each of its two nodes.
    facts = {fact.id: fact for node in nodes for fact in node.facts}
    ordered = sorted(facts.values(), key=lambda fact: (fact.valid_at, fact.id), reverse=True)
    first, last = (page - 1) * page_size, page * page_size
    listed = [_listed(fact, user_id) for fact in ordered]
    if len(listed) < last:
        most = min(last - len(listed), _LISTED_MAX)
        listed += [
            known(id=said.id, memory=said.text, user_id=user_id, created_at=said.said_at)
            for said in await context.memory.messages.latest(caller.tenant, user_id, limit=most)
        ]
    return CompatResult(results=listed[first:last])


def _listed(fact: FactOfNode, user_id: str) -> dict[str, Any]:
    text = fact.statement or f"{fact.subject} {fact.relation or fact.predicate} {fact.object}"
    return known(id=fact.id, memory=text, user_id=user_id, created_at=fact.valid_at)


@compat_tool(Effect.ADDS)
async def update_memory(context: ToolContext, caller: Caller, memory_id: str, text: str) -> CompatResult:
    """Correct a fact by id."""
    await correct_fact(context, caller, memory_id, text)
    return CompatResult(message="Memory updated successfully!")


@compat_tool(Effect.DELETES)
async def delete_memory(context: ToolContext, caller: Caller, memory_id: str) -> CompatResult:
    """Delete a fact or message by id."""
    try:
        await delete_element(context, caller, Forgettable.FACT, memory_id, None)
    except NotFoundError:
        await delete_element(context, caller, Forgettable.MESSAGE, memory_id, None)
    return CompatResult(message="Memory deleted successfully!")


def filters_in(given: Mapping[str, Any]) -> dict[str, Any]:
    """Parse filters, each with a single value; others are refused, because ignoring one would widen the search.

    Raises:
        InputError: names the first unsupported filter.
    """
    found: dict[str, Any] = {}
    for name, value in _conditions(given):
        if found.setdefault(name, value) != value:
            raise InputError(f"the filter {name!r} occurs twice with different values; send two requests")
    return found


def _conditions(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield user_id, agent_id, run_id, start and end, as far as filters set them."""
    for name, value in given.items():
        match name, value:
            case "AND", [*parts]:
                for part in parts:
                    yield from _conditions(part) if isinstance(part, Mapping) else ()
            case (("user_id" | "agent_id" | "run_id"), str()):
                yield name, value
            case "created_at", Mapping() if set(value) <= {"gte", "gt", "lte", "lt"}:
                bounds = {"start": value.get("gte", value.get("gt")), "end": value.get("lte", value.get("lt"))}
                yield from ((bound, _moment(at)) for bound, at in bounds.items() if at is not None)
            case _:
                raise InputError(
                    f"the filter {name!r} is not supported: use user_id, agent_id, run_id (one string each) and"
                    " created_at (gte, lte), alone or in AND"
                )


def _moment(value: Any) -> datetime:
    try:
        return _MOMENT.validate_python(value)
    except ValidationError as error:
        raise InputError(f"created_at is {value!r}: use an ISO 8601 date or time") from error


MEM0: Final = (add_memory, search_memories, get_memories, update_memory, delete_memory)
