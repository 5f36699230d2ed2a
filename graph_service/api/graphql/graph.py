"""GraphQL: nodes by id, what is around and between them, and their time line."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import (
    AfterCursor,
    AsOfArgument,
    ClosedArgument,
    FirstArgument,
    ValidAtArgument,
    memory_of,
    now_of,
)
from graph_service.api.graphql.nodes import FactConnection, MemoryNode, node_answer
from graph_service.memory.facts.bitemporal import AsOf, look_asked, moments_asked
from graph_service.memory.mindmap.graph_queries import id_named
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


@strawberry.type
class GraphQuery:
    """The graph, and what happens to it."""

    @strawberry.field(description="Anything of the mind map by its id.")
    async def node(
        self,
        info: Info[Any, None],
        id: Annotated[strawberry.ID, strawberry.argument(description="Its id.")],  # noqa: A002
        valid_at: ValidAtArgument = None,
        as_of: AsOfArgument = None,
    ) -> MemoryNode:
        """Anything of the mind map."""
        moments = _moments(info, valid_at, as_of)
        return node_answer(await memory_of(info).reads.node(info.context["tenant"], id), moments)

    @strawberry.field(description="An entity and, page by page, what is known of it.")
    async def entity(
        self,
        info: Info[Any, None],
        id: _Id,  # noqa: A002  the API's word
        valid_at: ValidAtArgument = None,
        as_of: AsOfArgument = None,
    ) -> MemoryNode:
        """Return an entity."""
        moments = _moments(info, valid_at, as_of)
        return node_answer(await memory_of(info).reads.node(info.context["tenant"], id, "Entity"), moments)

    @strawberry.field(description="A scene and what it mentions.")
    async def scene(
        self,
        info: Info[Any, None],
        id: _Id,  # noqa: A002  the API's word
        valid_at: ValidAtArgument = None,
        as_of: AsOfArgument = None,
    ) -> MemoryNode:
        """Return a scene."""
        moments = _moments(info, valid_at, as_of)
        return node_answer(await memory_of(info).reads.node(info.context["tenant"], id, "Scene"), moments)

    @strawberry.field(description="A user and, page by page, what is known of them.")
    async def user(
        self,
        info: Info[Any, None],
        user_id: _UserId,
        valid_at: ValidAtArgument = None,
        as_of: AsOfArgument = None,
    ) -> MemoryNode:
        """Return a user."""
        moments = _moments(info, valid_at, as_of)
        return node_answer(await memory_of(info).reads.user(info.context["tenant"], user_id), moments)

    @strawberry.field(description="A node, the best tied nodes beside it, and every line between all these.")
    async def neighbors(
        self,
        info: Info[Any, None],
        id: _Id,  # noqa: A002  the API's word
        user_id: _Whose = None,
        limit: Annotated[int, strawberry.argument(description="At most so many neighbours, 1 to 100.")] = 20,
        valid_at: ValidAtArgument = None,
        as_of: AsOfArgument = None,
        closed: ClosedArgument = True,
    ) -> GraphSlice:
        """Return what is around a node."""
        look = look_asked(valid_at=valid_at, as_of=as_of, closed=closed, now=now_of(info))
        explorer, tenant = memory_of(info).reads.explorer, info.context["tenant"]
        found = await explorer.around(tenant, user_id, id_named(id), limit=max(1, min(limit, 100)), look=look)
        return _slice(found, _moments(info, valid_at, as_of))

    @strawberry.field(description="The shortest paths between two nodes; empty when nothing leads there.")
    async def path(
        self,
        info: Info[Any, None],
        source: Annotated[str, strawberry.argument(description="The id or URI of one end.")],
        target: Annotated[str, strawberry.argument(description="The id or URI of the other.")],
        user_id: _Whose = None,
        valid_at: ValidAtArgument = None,
        as_of: AsOfArgument = None,
        closed: ClosedArgument = True,
    ) -> GraphSlice:
        """Return the shortest paths between two nodes."""
        look = look_asked(valid_at=valid_at, as_of=as_of, closed=closed, now=now_of(info))
        explorer, tenant = memory_of(info).reads.explorer, info.context["tenant"]
        found = await explorer.between(tenant, user_id, id_named(source), id_named(target), look=look)
        return _slice(found, _moments(info, valid_at, as_of))

    @strawberry.field(description="The most telling part of a memory: what held at a moment, by what was known then.")
    async def graph(
        self,
        info: Info[Any, None],
        user_id: _Whose = None,
        limit: Annotated[int, strawberry.argument(description="At most so many facts, 1 to 1000.")] = 200,
        valid_at: ValidAtArgument = None,
        as_of: AsOfArgument = None,
        closed: ClosedArgument = True,
    ) -> GraphSlice:
        """Return the most telling part of a memory."""
        moments = moments_asked(valid_at=valid_at, as_of=as_of, now=now_of(info))
        found = await memory_of(info).reads.explorer.at(
            info.context["tenant"], user_id, moments, limit=max(1, min(limit, 1000)), closed=closed
        )
        return _slice(found, _moments(info, valid_at, as_of))

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
        """Return what happened to a user's facts."""
        node = node_answer(await memory_of(info).reads.user(info.context["tenant"], user_id))
        found: FactConnection = await node.facts(
            info, first=first, after=after, valid_at=valid_at, as_of=as_of, closed=closed
        )
        return found


def _moments(info: Info[Any, None], valid_at: datetime | None, as_of: datetime | None) -> AsOf | None:
    """From where the facts of what is found are looked at; None where that is not said."""
    if valid_at is None and as_of is None:
        return None
    return moments_asked(valid_at=valid_at, as_of=as_of, now=now_of(info))


def _slice(part: GraphPart, moments: AsOf | None) -> GraphSlice:
    return GraphSlice(
        epoch=part.epoch,
        seq=part.seq,
        total=part.total,
        nodes=[node_answer(node, moments) for node in part.nodes],
        edges=[_edge(edge, moments.known_at if moments else None) for edge in part.edges],
        paths=[[strawberry.ID(name) for name in path] for path in part.paths],
    )


def _edge(edge: EdgeView, known_at: datetime | None) -> GraphEdge:
    return GraphEdge(
        id=strawberry.ID(edge.id),
        source_id=strawberry.ID(edge.source),
        target_id=strawberry.ID(edge.target),
        predicate=edge.predicate,
        relation=edge.relation,
        strength=edge.strength,
        confidence=edge.confidence,
        valid_at=_moment(edge.valid_at),
        invalid_at=_end(edge, known_at),
    )


def _end(edge: EdgeView, known_at: datetime | None) -> datetime | None:
    """When an edge ceased to hold, if that was known."""
    heard = _moment(edge.closing_known_at or edge.known_at)
    return None if known_at is not None and heard is not None and heard > known_at else _moment(edge.invalid_at)


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
