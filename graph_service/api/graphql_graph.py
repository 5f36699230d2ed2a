"""GraphQL: nodes by id, what is around and between them, their time line, changes, work and numbers."""

from datetime import UTC, datetime
from enum import Enum
from typing import Annotated, Any

import strawberry
from strawberry.scalars import JSON
from strawberry.types import Info

from graph_service.api.graphql_nodes import (
    AfterCursor,
    AsOfArgument,
    ClosedArgument,
    FactConnection,
    FirstArgument,
    MemoryNode,
    ValidAtArgument,
    node_answer,
)
from graph_service.memory.holding import moments_asked
from graph_service.memory.service import Memory
from schema.change import NumberedChange
from schema.frames import EdgeView
from schema.parts import GraphPart

_Id = Annotated[str, strawberry.argument(description="Its id or URI, as hits and the map tell it.")]
_UserId = Annotated[str, strawberry.argument(description="Whose memory.")]
_Whose = Annotated[str | None, strawberry.argument(description="Whose memory; everybody's without it.")]


@strawberry.type(description="A line of the mind map between two nodes.")
class GraphEdge:
    """A line of the mind map."""

    id: strawberry.ID = strawberry.field(description="Its id.")
    source_id: strawberry.ID = strawberry.field(description="Where it begins.")
    target_id: strawberry.ID = strawberry.field(description="Where it leads.")
    predicate: str = strawberry.field(description="PREFERS, RELATES_TO, MENTIONED and so on.")
    relation: str | None = strawberry.field(description="How, in free words.")
    strength: float = strawberry.field(description="0 to 1.")
    confidence: float = strawberry.field(description="0 to 1.")
    valid_at: datetime | None = strawberry.field(description="When it began to hold.")
    invalid_at: datetime | None = strawberry.field(description="When it ceased to hold.")


@strawberry.type(description="Some nodes and every line between them.")
class GraphSlice:
    """Some nodes and every line between them."""

    epoch: str = strawberry.field(description="The life of the change log; numbers of two epochs do not compare.")
    seq: float = strawberry.field(description="The last change it holds; changesSince and graphChanged go on there.")
    total: int = strawberry.field(description="How many nodes there are to show, shown or not.")
    nodes: list[MemoryNode] = strawberry.field(description="The nodes.")
    edges: list[GraphEdge] = strawberry.field(description="The lines between them.")
    paths: list[list[strawberry.ID]] = strawberry.field(description="Of path: ids from one end to the other.")


@strawberry.type(description="One change of the graph.")
class GraphChange:
    """One change of the graph."""

    seq: float = strawberry.field(description="Its number; numbers have no gaps within a tenant.")
    at: datetime = strawberry.field(description="When it was written.")
    user_id: str = strawberry.field(description="Whose memory.")
    op: str = strawberry.field(description="`node+`, `edge+`, `node-` or `edge-`.")
    element_id: strawberry.ID = strawberry.field(description="The node or line.")
    reason: str = strawberry.field(description="Why, for people.")
    body: JSON | None = strawberry.field(description="The element as it is since; null when it went.")


@strawberry.type(description="Changes after a number, the lowest first.")
class ChangePage:
    """Changes after a number."""

    epoch: str = strawberry.field(description="The life of the log; when it is another, fetch the graph anew.")
    head: float = strawberry.field(description="The number of the last change there is.")
    complete: bool = strawberry.field(description="False: the log reaches not back so far; fetch the graph anew.")
    changes: list[GraphChange] = strawberry.field(description="The changes.")


@strawberry.enum(description="Where work stands.")
class JobState(Enum):
    """Where work stands."""

    OPEN = "open"
    LEASED = "leased"
    DEAD = "dead"


@strawberry.type(description="Work of the background worker that is not done.")
class JobRow:
    """Work that is not done."""

    id: strawberry.ID = strawberry.field(description="Its id; cancelWork takes it.")
    kind: str = strawberry.field(description="embed, read, close, anew or forget.")
    state: JobState = strawberry.field(description="Where it stands.")
    user_id: str | None = strawberry.field(description="Whose memory.")
    session_id: str | None = strawberry.field(description="For which session.")
    attempts: int = strawberry.field(description="How often it failed.")
    due: datetime = strawberry.field(description="When it is tried next.")
    error: str | None = strawberry.field(description="Why it failed last.")


@strawberry.type(description="How much there is.")
class MemoryStats:
    """How much there is."""

    messages: int = strawberry.field(description="Messages.")
    sessions: int = strawberry.field(description="Sessions.")
    scenes: int = strawberry.field(description="Scenes.")
    entities: int = strawberry.field(description="Entities.")
    users: int = strawberry.field(description="Users.")
    agents: int = strawberry.field(description="Agents.")
    facts: int = strawberry.field(description="Facts that hold.")
    closed_facts: int = strawberry.field(description="Facts that hold no more.")


@strawberry.type
class GraphQuery:
    """The graph, and what happens to it."""

    @strawberry.field(description="Anything of the mind map by its id.")
    async def node(
        self,
        info: Info[Any, None],
        id: Annotated[strawberry.ID, strawberry.argument(description="Its id.")],  # noqa: A002
    ) -> MemoryNode:
        """Anything of the mind map."""
        return node_answer(await _memory(info).reads.node(info.context["tenant"], id))

    @strawberry.field(description="An entity and, page by page, what is known of it.")
    async def entity(self, info: Info[Any, None], id: _Id) -> MemoryNode:  # noqa: A002  the API's word
        """An entity."""
        return node_answer(await _memory(info).reads.node(info.context["tenant"], id, "Entity"))

    @strawberry.field(description="A scene and what it mentions.")
    async def scene(self, info: Info[Any, None], id: _Id) -> MemoryNode:  # noqa: A002  the API's word
        """A scene."""
        return node_answer(await _memory(info).reads.node(info.context["tenant"], id, "Scene"))

    @strawberry.field(description="A user and, page by page, what is known of them.")
    async def user(self, info: Info[Any, None], user_id: _UserId) -> MemoryNode:
        """A user."""
        return node_answer(await _memory(info).reads.user(info.context["tenant"], user_id))

    @strawberry.field(description="A node, the best tied nodes beside it, and every line between all these.")
    async def neighbors(
        self,
        info: Info[Any, None],
        id: _Id,  # noqa: A002  the API's word
        user_id: _Whose = None,
        limit: Annotated[int, strawberry.argument(description="At most so many neighbours, 1 to 100.")] = 20,
    ) -> GraphSlice:
        """What is around a node."""
        memory, tenant = _memory(info), info.context["tenant"]
        node = await memory.reads.node(tenant, id)
        return _slice(await memory.reads.explorer.around(tenant, user_id, node.id, limit=max(1, min(limit, 100))))

    @strawberry.field(description="The shortest paths between two nodes; empty when nothing leads there.")
    async def path(
        self,
        info: Info[Any, None],
        source: Annotated[str, strawberry.argument(description="The id of one end.")],
        target: Annotated[str, strawberry.argument(description="The id of the other.")],
        user_id: _Whose = None,
    ) -> GraphSlice:
        """The shortest paths between two nodes."""
        return _slice(await _memory(info).reads.explorer.between(info.context["tenant"], user_id, source, target))

    @strawberry.field(description="The most telling part of a memory: what held at a moment, by what was known then.")
    async def graph(
        self,
        info: Info[Any, None],
        user_id: _Whose = None,
        limit: Annotated[int, strawberry.argument(description="At most so many facts, 1 to 1000.")] = 200,
        valid_at: ValidAtArgument = None,
        as_of: AsOfArgument = None,
    ) -> GraphSlice:
        """The most telling part of a memory."""
        moments = moments_asked(valid_at=valid_at, as_of=as_of, now=datetime.now(UTC))
        found = await _memory(info).reads.explorer.at(
            info.context["tenant"], user_id, moments, limit=max(1, min(limit, 1000))
        )
        return _slice(found)

    @strawberry.field(description="What happened to a user's facts, the latest to begin first, the closed ones too.")
    async def timeline(
        self,
        info: Info[Any, None],
        user_id: _UserId,
        first: FirstArgument = 50,
        after: AfterCursor = None,
        valid_at: ValidAtArgument = None,
        as_of: AsOfArgument = None,
        closed: ClosedArgument = True,
    ) -> FactConnection:
        """What happened to a user's facts."""
        node = node_answer(await _memory(info).reads.user(info.context["tenant"], user_id))
        found: FactConnection = await node.facts(
            info, first=first, after=after, valid_at=valid_at, as_of=as_of, closed=closed
        )
        return found

    @strawberry.field(
        description="What changed in the graph after a number, in order; graphChanged goes on from there."
    )
    async def changes_since(
        self,
        info: Info[Any, None],
        seq: Annotated[float, strawberry.argument(description="The last change that is known; 0 for all.")],
        limit: Annotated[int, strawberry.argument(description="At most so many, 1 to 500.")] = 100,
    ) -> ChangePage:
        """What changed after a number."""
        log, tenant = _memory(info).changes, info.context["tenant"]
        after = int(max(0.0, min(seq, 2.0**53)))
        head = await log.head(tenant)
        found = await log.since(tenant, after, rows_max=max(1, min(limit, 500)))
        complete = not found or found[0].seq == after + 1
        return ChangePage(
            epoch=head.epoch, head=head.seq, complete=complete, changes=[change_view(one) for one in found]
        )

    @strawberry.field(description="Work in the background that is not done, the next first; what was given up last.")
    async def jobs(
        self,
        info: Info[Any, None],
        state: Annotated[JobState | None, strawberry.argument(description="Only such work.")] = None,
        limit: Annotated[int, strawberry.argument(description="At most so many, 1 to 100.")] = 50,
    ) -> list[JobRow]:
        """Work that is not done."""
        rows = await _memory(info).reads.jobs(info.context["tenant"], state.value if state else None, limit=limit)
        names = ("id", "kind", "user_id", "session_id", "attempts", "due", "error")
        return [JobRow(state=JobState(row["state"]), **{name: row[name] for name in names}) for row in rows]

    @strawberry.field(description="How much the tenant, or one user of it, remembers.")
    async def stats(self, info: Info[Any, None], user_id: _Whose = None) -> MemoryStats:
        """How much there is."""
        found = await _memory(info).reads.stats(info.context["tenant"], user_id)
        return MemoryStats(
            messages=found.get("messages", 0),
            sessions=found.get("sessions", 0),
            scenes=found.get("Scene", 0),
            entities=found.get("Entity", 0),
            users=found.get("User", 0),
            agents=found.get("Agent", 0),
            facts=found.get("facts", 0),
            closed_facts=found.get("closed facts", 0),
        )


def change_view(one: NumberedChange) -> GraphChange:
    """A change as the API shows it."""
    return GraphChange(
        seq=one.seq,
        at=datetime.fromisoformat(one.at),
        user_id=one.user_id,
        op=one.change.op.value,
        element_id=strawberry.ID(one.change.element_id),
        reason=one.change.reason,
        body=JSON(one.change.body) if one.change.body else None,
    )


def _slice(part: GraphPart) -> GraphSlice:
    return GraphSlice(
        epoch=part.epoch,
        seq=part.seq,
        total=part.total,
        nodes=[node_answer(node) for node in part.nodes],
        edges=[_edge(edge) for edge in part.edges],
        paths=[[strawberry.ID(name) for name in path] for path in part.paths],
    )


def _edge(edge: EdgeView) -> GraphEdge:
    return GraphEdge(
        id=strawberry.ID(edge.id),
        source_id=strawberry.ID(edge.source),
        target_id=strawberry.ID(edge.target),
        predicate=edge.predicate,
        relation=edge.relation,
        strength=edge.strength,
        confidence=edge.confidence,
        valid_at=datetime.fromisoformat(edge.valid_at) if edge.valid_at else None,
        invalid_at=datetime.fromisoformat(edge.invalid_at) if edge.invalid_at else None,
    )


def _memory(info: Info[Any, None]) -> Memory:
    memory: Memory = info.context["memory"]
    return memory
