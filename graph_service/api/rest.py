"""The REST door of the viewer: a snapshot to fetch and cache, and the evidence behind one element."""

from typing import Annotated, Final

import orjson
from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from graph_service.api.tenant import HEADER, tenant_of
from graph_service.memory.changes import ChangeLog
from graph_service.memory.kept_maps import KeptMaps
from graph_service.memory.mindmap import MindMap
from graph_service.memory.snapshot import frame_json
from schema.errors import UnavailableError
from schema.frames import BUDGET_MAX, Scope
from schema.ids import TenantId

_BUDGET: Final[int] = Scope().budget
_STALE: Final = {"Cache-Control": "no-store", "Vary": HEADER}


def rest_router(mindmap: MindMap, change_log: ChangeLog, kept: KeptMaps | None = None) -> APIRouter:
    """The routes `/api/snapshot` and `/api/evidence/{id}`, each for the tenant of the request.

    Args:
        kept: what is shown while the database is away.
    """
    shelf = KeptMaps() if kept is None else kept
    router = APIRouter(prefix="/api")

    @router.get("/snapshot")
    async def snapshot(
        request: Request,
        tenant: Annotated[TenantId, Depends(tenant_of)],
        user: Annotated[str | None, Query(max_length=200)] = None,
        budget: Annotated[int, Query(ge=1, le=BUDGET_MAX)] = _BUDGET,
    ) -> Response:
        """The frame `graph_snapshot` in one part; 304 when nothing has changed since the `ETag` that the caller has.

        While the database is away it is the last one that was shown, `stale`, with the moment it was read (`as_of`).
        """
        forgettings = shelf.forgettings
        try:
            head = await change_log.head(tenant)
        except UnavailableError:
            last = shelf.nearest(tenant, user, budget)
            if last is None:
                raise
            return Response(frame_json(last.frame(stale=True)), media_type="application/json", headers=_STALE)
        if _matches(request.headers.get("if-none-match"), _etag(head.epoch, head.seq)):
            return Response(status_code=304, headers=_headers(_etag(head.epoch, head.seq)))
        found = await mindmap.snapshot(tenant, user_id=user, budget=budget)
        shelf.keep(tenant, user, budget, found, forgettings=forgettings)
        return Response(
            frame_json(found.frame()), media_type="application/json", headers=_headers(_etag(found.epoch, found.seq))
        )

    @router.get("/evidence/{element_id}")
    async def evidence(element_id: str, tenant: Annotated[TenantId, Depends(tenant_of)]) -> Response:
        """A node or a fact with its facts and the messages that prove it; 404 when the tenant has no such element."""
        found = await mindmap.evidence(tenant, element_id)
        return Response(
            orjson.dumps(found.model_dump(mode="json")),
            media_type="application/json",
            headers={"Cache-Control": "no-store"},
        )

    return router


def _etag(epoch: str, seq: int) -> str:
    return f'"{epoch}-{seq}"'


def _matches(if_none_match: str | None, etag: str) -> bool:
    given = (if_none_match or "").split(",")
    return etag in {tag.strip().removeprefix("W/") for tag in given}


def _headers(etag: str) -> dict[str, str]:
    return {"ETag": etag, "Cache-Control": "private, no-cache", "Vary": HEADER}
