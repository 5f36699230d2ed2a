"""REST routes of the viewer: sign-in, snapshot, evidence, and exploration of the mind map."""

from datetime import UTC, datetime
from typing import Annotated, Any, Final

import orjson
from fastapi import APIRouter, Body, Depends, Query
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from graph_service.api.request_gate import HEADER, readable_tenant_of
from graph_service.auth.access import access_of
from graph_service.auth.authenticator import Authenticator
from graph_service.auth.keyring import CREDENTIAL_CHARS_MAX
from graph_service.auth.sign_in import cookie_name
from graph_service.memory.change_log.log import ChangeLog
from graph_service.memory.facts.bitemporal import resolve_as_of, resolve_time_filter
from graph_service.memory.mindmap.community_cache import CommunityMaps
from graph_service.memory.mindmap.reader import Explorer, MindMap
from graph_service.memory.mindmap.snapshot import frame_json
from graph_service.memory.mindmap.snapshot_cache import MapSnapshotCache
from schema.errors import InputError, UnavailableError
from schema.frames import BUDGET_MAX, Scope
from schema.ids import TenantId, to_element_id


def sign_in_router(auth: Authenticator) -> APIRouter:
    """Return the routes `/api/sign-in`, `/api/sign-out`, and `/api/access`."""
    router = APIRouter(prefix="/api")

    @router.post("/sign-in")
    async def sign_in(
        request: Request, key: Annotated[str, Body(embed=True, min_length=1, max_length=CREDENTIAL_CHARS_MAX)]
    ) -> Response:
        """Set a session cookie for an API key or token; return its tenant and role."""
        access = await auth.authenticate(request, token=key.strip())
        auth.check_rate(access)
        body: dict[str, Any] = {"tenant": access.tenant, "role": access.role}
        answer = JSONResponse(body, headers={"Cache-Control": "no-store"})
        if auth.locked:
            text, lasts_s = auth.new_session(access)
            answer.set_cookie(
                cookie_name(request.headers.get("host", "")),
                text,
                max_age=int(lasts_s),
                httponly=True,
                samesite="strict",
                secure=request.url.scheme == "https",
            )
            await auth.write_audit(access, tenant=access.tenant, interface="rest", what=("sign-in",))
        return answer

    @router.post("/sign-out")
    async def sign_out(request: Request) -> Response:
        """Delete the cookie."""
        answer = Response(status_code=204)
        answer.delete_cookie(cookie_name(request.headers.get("host", "")), httponly=True, samesite="strict")
        return answer

    @router.get("/access")
    async def access(request: Request) -> Response:
        """Return tenant and role of the credential, so that the viewer offers only allowed actions."""
        found = access_of(request)
        body = {"tenant": found.tenant, "role": found.role.value}
        return JSONResponse(body, headers={"Cache-Control": "no-store"})

    return router


_Tenant = Annotated[TenantId, Depends(readable_tenant_of)]
_User = Annotated[str | None, Query(max_length=200)]
_Limit = Annotated[int, Query(ge=1, le=300)]
_AROUND: Final = 40


def explore_router(explorer: Explorer, maps: CommunityMaps) -> APIRouter:
    """Return the routes below `/api/explore`, and `/api/neighborhood`."""
    router = APIRouter(prefix="/api")

    @router.get("/explore/around/{node_id}")
    async def around(tenant: _Tenant, node_id: str, user: _User = None, limit: _Limit = _AROUND) -> Response:
        """Return a `graph_part`: a node, its most strongly connected neighbours and their edges; 404 if unknown."""
        return _answer(await explorer.around(tenant, user, node_id, limit=limit))

    @router.get("/explore/search")
    async def search(tenant: _Tenant, q: str, user: _User = None, limit: _Limit = 20) -> Response:
        """Return a `graph_part` of nodes whose names contain all words, and of messages in which they were said."""
        return _answer(await explorer.named(tenant, user, q, limit=limit))

    @router.get("/explore/changes")
    async def changes(
        tenant: _Tenant,
        user: _User = None,
        since: datetime | None = None,
        before: Annotated[int | None, Query(ge=1)] = None,
        limit: _Limit = 50,
    ) -> Response:
        """Return `recent_changes`, newest first."""
        _check_zones(since=since)
        return _answer(await explorer.recent(tenant, user, since=since, before=before, limit=limit))

    @router.get("/explore/totals")
    async def totals(tenant: _Tenant, user: _User = None) -> Response:
        """Return `map_totals`: how many nodes and valid facts there are, loaded or not."""
        return _answer(await explorer.totals(tenant, user))

    @router.get("/explore/at")
    async def at(
        tenant: _Tenant,
        user: _User = None,
        valid_at: datetime | None = None,
        as_of: datetime | None = None,
        limit: _Limit = 300,
    ) -> Response:
        """Return a `graph_part`: the most relevant facts that had begun by `valid_at`, as known `as_of`."""
        _check_zones(valid_at=valid_at, as_of=as_of)
        moments = resolve_as_of(valid_at=valid_at, as_of=as_of, now=datetime.now(UTC))
        return _answer(await explorer.at(tenant, user, moments, limit=limit))

    @router.get("/explore/communities")
    async def communities(tenant: _Tenant, user: _User = None) -> Response:
        """Return the `community_map` of a memory; the first call may take seconds to compute it."""
        return _answer(await maps.community_map(tenant, user))

    @router.get("/explore/community/{community_id}")
    async def community(tenant: _Tenant, community_id: str, user: _User = None, limit: _Limit = 200) -> Response:
        """Return a `graph_part`: the most strongly connected members of a community; 404 if unknown."""
        return _answer(await maps.members(tenant, user, community_id, limit=limit))

    @router.get("/neighborhood")
    async def neighborhood(
        tenant: _Tenant,
        node: Annotated[str, Query(max_length=1_000)],
        user: _User = None,
        limit: _Limit = _AROUND,
        valid_at: datetime | None = None,
        as_of: datetime | None = None,
        include_closed: bool = True,
    ) -> Response:
        """Return a `graph_part`: a node, its most strongly connected neighbours and their edges; 404 if unknown."""
        _check_zones(valid_at=valid_at, as_of=as_of)
        time_filter = resolve_time_filter(valid_at=valid_at, as_of=as_of, closed=include_closed, now=datetime.now(UTC))
        return _answer(await explorer.around(tenant, user, to_element_id(node), limit=limit, time_filter=time_filter))

    _add_path_routes(router, explorer)
    return router


def _add_path_routes(router: APIRouter, explorer: Explorer) -> None:
    """Add the routes for paths and causes."""

    @router.get("/explore/path")
    async def path(
        tenant: _Tenant,
        source: Annotated[str, Query(max_length=200)],
        target: Annotated[str, Query(max_length=200)],
        user: _User = None,
    ) -> Response:
        """Return a `graph_part` with the shortest paths between two nodes; empty if there is none."""
        return _answer(await explorer.between(tenant, user, source, target))

    @router.get("/explore/causes/{element_id}")
    async def causes(tenant: _Tenant, element_id: str, user: _User = None) -> Response:
        """Return a `graph_part` with the causal chains of a node or fact; 404 if unknown."""
        return _answer(await explorer.causes(tenant, user, element_id))


def _check_zones(**moments: datetime | None) -> None:
    for name, moment in moments.items():
        if moment is not None and moment.tzinfo is None:
            raise InputError(f"{name} is {moment.isoformat()!r}, without a time zone; add 'Z' or an offset")


def _answer(found: BaseModel) -> Response:
    return Response(
        orjson.dumps(found.model_dump(mode="json")),
        media_type="application/json",
        headers={"Cache-Control": "no-store"},
    )


_BUDGET: Final[int] = Scope().budget
_STALE: Final = {"Cache-Control": "no-store", "Vary": HEADER}


def rest_router(mindmap: MindMap, change_log: ChangeLog, snapshot_cache: MapSnapshotCache | None = None) -> APIRouter:
    """Return the routes `/api/snapshot` and `/api/evidence/{id}`, each for the tenant of the request.

    Args:
        snapshot_cache: snapshots to serve while the database is unavailable.
    """
    snapshots = MapSnapshotCache() if snapshot_cache is None else snapshot_cache
    router = APIRouter(prefix="/api")

    @router.get("/snapshot")
    async def snapshot(
        request: Request,
        tenant: _Tenant,
        user: _User = None,
        budget: Annotated[int, Query(ge=1, le=BUDGET_MAX)] = _BUDGET,
    ) -> Response:
        """Return the frame `graph_snapshot` in one part; 304 if the caller's `ETag` is current.

        While the database is unavailable, return the last snapshot as `stale`, with the time it was read (`as_of`).
        """
        generation = snapshots.generation
        try:
            head = await change_log.head(tenant)
        except UnavailableError:
            last = snapshots.nearest(tenant, user, budget)
            if last is None:
                raise
            return Response(
                frame_json(last.model_copy(update={"stale": True})), media_type="application/json", headers=_STALE
            )
        if _matches(request.headers.get("if-none-match"), _etag(head.epoch, head.seq)):
            return Response(status_code=304, headers=_headers(_etag(head.epoch, head.seq)))
        found = await mindmap.snapshot(tenant, user_id=user, budget=budget)
        snapshots.keep(tenant, user, budget, found, generation=generation)
        return Response(
            frame_json(found), media_type="application/json", headers=_headers(_etag(found.epoch, found.seq))
        )

    @router.get("/evidence/{element_id}")
    async def evidence(element_id: str, tenant: _Tenant) -> Response:
        """Return a node or fact with its facts and evidence messages; 404 if the tenant has no such element."""
        return _answer(await mindmap.evidence(tenant, element_id))

    return router


def _etag(epoch: str, seq: int) -> str:
    return f'"{epoch}-{seq}"'


def _matches(if_none_match: str | None, etag: str) -> bool:
    given = (if_none_match or "").split(",")
    return etag in {tag.strip().removeprefix("W/") for tag in given}


def _headers(etag: str) -> dict[str, str]:
    return {"ETag": etag, "Cache-Control": "private, no-cache", "Vary": HEADER}
