"""GraphQL: nodes, their neighbours and paths between them; lists of facts and users; Cypher of administrators."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.scalars import JSON

from graph_service.api.graphql.fields import (
    AfterCursor,
    AnyUserId,
    AsOfArgument,
    Call,
    ClosedArgument,
    Connection,
    FirstArgument,
    OnlySession,
    UserId,
    ValidAtArgument,
    about,
    argument,
    field,
    output,
    page_of,
    view_of,
)
from graph_service.api.graphql.nodes import FactConnection, MemoryNode, connection_of, loaders_of, node_answer
from graph_service.memory.analyst_queries import AnalystStatement, json_ready
from graph_service.memory.facts.bitemporal import AsOf, resolve_as_of, resolve_time_filter
from graph_service.memory.mindmap.graph_queries import FactPageRequest, FactSelection, user_cursor
from schema.fact import told_begin
from schema.frames import EdgeView
from schema.ids import to_element_id
from schema.parts import GraphPart
from schema.predicates import whitelist
from schema.profile import Category

_Id = Annotated[str, argument("Its id or URI.")]


@output()
class GraphEdge:
    """An edge of the mind map."""

    id: strawberry.ID = about("Its id.")
    source_id: strawberry.ID = about("Id of the source node.")
    target_id: strawberry.ID = about("Id of the target node.")
    predicate: str = about(f"Relation type: {', '.join(whitelist())}.")
    relation: str | None = about("The relation in free text.")
    strength: float = about("0 to 1.")
    confidence: float = about("0 to 1.")
    valid_at: datetime | None = about("When it became true; null if unknown.")
    invalid_at: datetime | None = about("When it stopped being true.")


@output()
class Subgraph:
    """A subgraph: some nodes and all edges between them."""

    epoch: str = about("Epoch of the change log; sequence numbers of different epochs are not comparable.")
    seq: float = about("Sequence number of the last included change; changesSince and graphChanged continue there.")
    total: int = about("Total number of nodes, included or not.")
    nodes: list[MemoryNode] = about("The nodes.")
    edges: list[GraphEdge] = about("The edges between them.")
    paths: list[list[strawberry.ID]] = about("For `path`: node ids from source to target.")


@output()
class ListedUser:
    """A user with a memory."""

    user_id: str = about("The user's id.")
    name: str = about("The user's name; the id if it is unknown.")
    first_seen: datetime = about("When the user first said something.")
    last_seen: datetime = about("When the user was last heard or mentioned.")


@field
async def node(
    info: Call,
    id: Annotated[strawberry.ID, argument("Its id or URI.")],
    valid_at: ValidAtArgument = None,
    as_of: AsOfArgument = None,
) -> MemoryNode:
    """A node of the mind map by id or URI."""
    return node_answer(await info.memory.reads.node(info.tenant, id), _moments(info, valid_at, as_of))


@field
async def entity(info: Call, id: _Id, valid_at: ValidAtArgument = None, as_of: AsOfArgument = None) -> MemoryNode:
    """An entity with its facts."""
    return node_answer(await info.memory.reads.node(info.tenant, id, "Entity"), _moments(info, valid_at, as_of))


@field
async def scene(info: Call, id: _Id, valid_at: ValidAtArgument = None, as_of: AsOfArgument = None) -> MemoryNode:
    """A scene with its facts."""
    return node_answer(await info.memory.reads.node(info.tenant, id, "Scene"), _moments(info, valid_at, as_of))


@field
async def user(info: Call, user_id: UserId, valid_at: ValidAtArgument = None, as_of: AsOfArgument = None) -> MemoryNode:
    """A user with their facts."""
    return node_answer(await info.memory.reads.user(info.tenant, user_id), _moments(info, valid_at, as_of))


@field
async def neighbors(
    info: Call,
    id: _Id,
    user_id: AnyUserId = None,
    limit: Annotated[int, argument("Maximum number of neighbours, 1 to 100.")] = 20,
    valid_at: ValidAtArgument = None,
    as_of: AsOfArgument = None,
    include_closed: ClosedArgument = True,
) -> Subgraph:
    """A node, its most strongly connected neighbours, and all edges between them."""
    time_filter = resolve_time_filter(valid_at=valid_at, as_of=as_of, closed=include_closed, now=info.now)
    found = await info.memory.reads.explorer.around(
        info.tenant, user_id, to_element_id(id), limit=max(1, min(limit, 100)), time_filter=time_filter
    )
    return _slice(found, _moments(info, valid_at, as_of))


@field
async def path(
    info: Call,
    source: Annotated[str, argument("Id or URI of the source node.")],
    target: Annotated[str, argument("Id or URI of the target node.")],
    user_id: AnyUserId = None,
    valid_at: ValidAtArgument = None,
    as_of: AsOfArgument = None,
    include_closed: ClosedArgument = True,
) -> Subgraph:
    """The shortest paths between two nodes; empty if there is none."""
    time_filter = resolve_time_filter(valid_at=valid_at, as_of=as_of, closed=include_closed, now=info.now)
    found = await info.memory.reads.explorer.between(
        info.tenant, user_id, to_element_id(source), to_element_id(target), time_filter=time_filter
    )
    return _slice(found, _moments(info, valid_at, as_of))


@field
async def graph(
    info: Call,
    user_id: AnyUserId = None,
    limit: Annotated[int, argument("Maximum number of facts, 1 to 1,000.")] = 200,
    valid_at: ValidAtArgument = None,
    as_of: AsOfArgument = None,
    include_closed: ClosedArgument = True,
) -> Subgraph:
    """The most relevant facts of a memory at a point in valid and transaction time."""
    moments = resolve_as_of(valid_at=valid_at, as_of=as_of, now=info.now)
    found = await info.memory.reads.explorer.at(
        info.tenant, user_id, moments, limit=max(1, min(limit, 1000)), closed=include_closed
    )
    return _slice(found, _moments(info, valid_at, as_of))


@field
async def facts(
    info: Call,
    user_id: UserId,
    session_id: Annotated[str | None, argument("Only facts with evidence in this session.")] = None,
    agent_id: Annotated[str | None, argument("Only facts with evidence in sessions with this agent.")] = None,
    tags: Annotated[list[str] | None, argument("Only facts with evidence that has one of these tags.")] = None,
    category: Annotated[
        Category | None, argument("Only facts about the user or an agent, of this part of the profile.")
    ] = None,
    text: Annotated[str | None, argument("Only facts with it in the statement or a name, in any case.")] = None,
    where: Annotated[
        JSON | None, argument("A filter on the metadata of the messages that are evidence; see `items`.")
    ] = None,
    valid_at: ValidAtArgument = None,
    as_of: AsOfArgument = None,
    include_closed: ClosedArgument = False,
    first: FirstArgument = 50,
    after: AfterCursor = None,
) -> FactConnection:
    """All facts in a user's memory that match, latest `validAt` first."""
    selection = FactSelection(
        session_id=session_id, agent_id=agent_id, tags=tuple(tags or ()), category=category, text=text, where=where
    )
    moments = resolve_as_of(valid_at=valid_at, as_of=as_of, now=info.now)
    page = FactPageRequest(moments=moments, first=first, after=after, closed=include_closed)
    return connection_of(await loaders_of(info).facts_of_user(user_id, selection, page), page)


@strawberry.field(
    description="The facts of the user's own node, including closed ones, latest `validAt` first.",
    deprecation_reason="`facts` lists all facts of the memory.",
)
async def timeline(
    info: Call,
    user_id: UserId,
    first: FirstArgument = 50,
    after: AfterCursor = None,
    valid_at: ValidAtArgument = None,
    as_of: AsOfArgument = None,
    include_closed: ClosedArgument = True,
) -> FactConnection:
    node = node_answer(await info.memory.reads.user(info.tenant, user_id))
    found: FactConnection = await node.facts(
        info, first=first, after=after, valid_at=valid_at, as_of=as_of, include_closed=include_closed
    )
    return found


@field
async def users(
    info: Call,
    prefix: Annotated[str, argument("The beginning of their ids, in this case.")] = "",
    first: FirstArgument = 50,
    after: AfterCursor = None,
) -> Connection[ListedUser]:
    """The users of the tenant, by id; an agent's own memory has the id `agent:ID`."""
    rows = await info.memory.reads.users(info.tenant, prefix, first=first, after=after)
    return page_of(rows, first, after, cursor=user_cursor, view=lambda row: ListedUser(**row))


def _moments(info: Call, valid_at: datetime | None, as_of: datetime | None) -> AsOf | None:
    """Return the requested point in valid and transaction time, or None."""
    if valid_at is None and as_of is None:
        return None
    return resolve_as_of(valid_at=valid_at, as_of=as_of, now=info.now)


def _slice(part: GraphPart, moments: AsOf | None) -> Subgraph:
    edges = [_edge(edge, moments.known_at if moments else None) for edge in part.edges]
    return view_of(Subgraph, part, nodes=[node_answer(node, moments) for node in part.nodes], edges=edges)


def _edge(edge: EdgeView, known_at: datetime | None) -> GraphEdge:
    begin = _moment(told_begin(edge.valid_at, edge.invalid_at, edge.known_at, edge.closing_known_at))
    ends = {"source_id": edge.source, "target_id": edge.target}
    return view_of(GraphEdge, edge, **ends, valid_at=begin, invalid_at=_end(edge, known_at))


def _end(edge: EdgeView, known_at: datetime | None) -> datetime | None:
    """Return when an edge stopped being true, if that was known at `known_at`."""
    recorded = _moment(edge.closing_known_at or edge.known_at)
    return None if known_at is not None and recorded is not None and recorded > known_at else _moment(edge.invalid_at)


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


@output()
class MemoryStats:
    """Counts of the elements of a memory."""

    messages: int = about("Messages.")
    sessions: int = about("Sessions.")
    scenes: int = about("Scenes.")
    entities: int = about("Entities.")
    users: int = about("Users.")
    agents: int = about("Agents.")
    facts: int = about("Valid facts.")
    closed_facts: int = about("Facts that are no longer valid.")
    items: int = about("Items that have not expired, of the tenant and of users.")


@field
async def scenes(
    info: Call,
    user_id: UserId,
    session_id: OnlySession = None,
    tags: Annotated[list[str] | None, argument("Only scenes with a message that has one of these tags.")] = None,
    first: FirstArgument = 20,
    after: AfterCursor = None,
) -> Connection[MemoryNode]:
    """The scenes of a user or session, latest first."""
    rows = await info.memory.reads.scenes(info.tenant, user_id, session_id, first=first, after=after, tags=tags or ())
    return page_of(rows, first, after, cursor=lambda row: row[1], view=lambda row: node_answer(row[0]))


@field
async def stats(info: Call, user_id: AnyUserId = None) -> MemoryStats:
    """Counts of the elements in the memory of the tenant, or of one user."""
    return MemoryStats(**await info.memory.reads.stats(info.tenant, user_id))


@output()
class CypherAnswer:
    """The result of a Cypher statement."""

    columns: list[str] = about("Column names, in order.")
    rows: JSON = about("A list of rows, each a list of values in column order.")
    truncated: str | None = about("Why rows are missing; null if the result is complete.")
    took_ms: float = about("Duration in milliseconds.")


@field
async def cypher(
    info: Call,
    statement: Annotated[str, argument("The Cypher text; pass values as parameters.")],
    parameters: Annotated[JSON | None, argument("Parameter values by name.")] = None,
    timeout_s: Annotated[float | None, argument("A shorter time limit than the configured one.")] = None,
    rows: Annotated[int | None, argument("Maximum number of rows.")] = None,
) -> CypherAnswer:
    """Run one read-only Cypher statement, bounded in time, memory and rows. It sees all tenants, so it needs an
    admin credential for every tenant.
    """
    given: Any = {} if parameters is None else parameters
    question = AnalystStatement(statement=statement, parameters=given, timeout_s=timeout_s, rows=rows)
    answer = await info.memory.analyst.ask(question)
    return view_of(CypherAnswer, answer, rows=json_ready(answer.rows))
