"""The REST door for exploring: parts of the mind map that a viewer does not hold, for the tenant of the request."""

from datetime import UTC, datetime
from typing import Annotated, Final

import orjson
from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from graph_service.api.tenant import tenant_of
from graph_service.memory.community_map import CommunityMaps
from graph_service.memory.explore import Explorer
from graph_service.memory.graph_reads import id_named
from graph_service.memory.holding import look_asked, moments_asked
from schema.errors import InputError
from schema.frames import Frame
from schema.ids import TenantId

_Tenant = Annotated[TenantId, Depends(tenant_of)]
_User = Annotated[str | None, Query(max_length=200)]
_Limit = Annotated[int, Query(ge=1, le=300)]
_AROUND: Final = 40


def explore_router(explorer: Explorer, maps: CommunityMaps) -> APIRouter:
    """The routes below `/api/explore`, and `/api/neighborhood`."""
    router = APIRouter(prefix="/api")

    @router.get("/explore/around/{node_id}")
    async def around(tenant: _Tenant, node_id: str, user: _User = None, limit: _Limit = _AROUND) -> Response:
        """A `graph_part`: a node, the best tied beside it and their edges; 404 when there is no such node."""
        return _answer(await explorer.around(tenant, user, node_id, limit=limit))

    @router.get("/explore/search")
    async def search(tenant: _Tenant, q: str, user: _User = None, limit: _Limit = 20) -> Response:
        """A `graph_part` of nodes that have all the words in their names."""
        return _answer(await explorer.named(tenant, user, q, limit=limit))

    @router.get("/explore/changes")
    async def changes(
        tenant: _Tenant,
        user: _User = None,
        since: datetime | None = None,
        before: Annotated[int | None, Query(ge=1)] = None,
        limit: _Limit = 50,
    ) -> Response:
        """The `recent_changes`, the newest first."""
        _check_zones(since=since)
        return _answer(await explorer.recent(tenant, user, since=since, before=before, limit=limit))

    @router.get("/explore/at")
    async def at(
        tenant: _Tenant,
        user: _User = None,
        valid_at: datetime | None = None,
        as_of: datetime | None = None,
        limit: _Limit = 300,
    ) -> Response:
        """A `graph_part`: the most telling facts that had begun by `valid_at`, by what was known `as_of`."""
        _check_zones(valid_at=valid_at, as_of=as_of)
        moments = moments_asked(valid_at=valid_at, as_of=as_of, now=datetime.now(UTC))
        return _answer(await explorer.at(tenant, user, moments, limit=limit))

    @router.get("/explore/communities")
    async def communities(tenant: _Tenant, user: _User = None) -> Response:
        """The `community_map` of a memory; the first time it may take seconds to find it."""
        return _answer(await maps.whole(tenant, user))

    @router.get("/explore/community/{community_id}")
    async def community(tenant: _Tenant, community_id: str, user: _User = None, limit: _Limit = 200) -> Response:
        """A `graph_part`: the best tied members of a community; 404 when it is no more."""
        return _answer(await maps.members(tenant, user, community_id, limit=limit))

    _add_neighborhood(router, explorer)
    _add_ways(router, explorer)
    return router


def _add_neighborhood(router: APIRouter, explorer: Explorer) -> None:
    """What is around a thing, also as it was at a moment, for programs that know no more than its id or URI."""

    @router.get("/neighborhood")
    async def neighborhood(
        tenant: _Tenant,
        node: Annotated[str, Query(max_length=1_000)],
        user: _User = None,
        limit: _Limit = _AROUND,
        valid_at: datetime | None = None,
        as_of: datetime | None = None,
        closed: bool = True,
    ) -> Response:
        """A `graph_part`: a node by its id or URI, the best tied beside it and their edges; 404 without such a node."""
        _check_zones(valid_at=valid_at, as_of=as_of)
        look = look_asked(valid_at=valid_at, as_of=as_of, closed=closed, now=datetime.now(UTC))
        return _answer(await explorer.around(tenant, user, id_named(node), limit=limit, look=look))


def _add_ways(router: APIRouter, explorer: Explorer) -> None:
    """How one thing leads to another."""

    @router.get("/explore/path")
    async def path(
        tenant: _Tenant,
        source: Annotated[str, Query(max_length=200)],
        target: Annotated[str, Query(max_length=200)],
        user: _User = None,
    ) -> Response:
        """A `graph_part` with the shortest paths between two nodes; it is empty when nothing leads there."""
        return _answer(await explorer.between(tenant, user, source, target))

    @router.get("/explore/why/{element_id}")
    async def why(tenant: _Tenant, element_id: str, user: _User = None) -> Response:
        """A `graph_part` with chains of causes of a node or a fact; 404 when there is no such element."""
        return _answer(await explorer.because(tenant, user, element_id))


def _check_zones(**moments: datetime | None) -> None:
    for name, moment in moments.items():
        if moment is not None and moment.tzinfo is None:
            raise InputError(f"{name} is {moment.isoformat()!r}, without a zone; add 'Z' or an offset")


def _answer(found: Frame) -> Response:
    return Response(
        orjson.dumps(found.model_dump(mode="json")),
        media_type="application/json",
        headers={"Cache-Control": "no-store"},
    )
