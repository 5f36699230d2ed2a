"""The route `/metrics`."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from graph_service.live.hub import Hub
from graph_service.metrics_page import MEDIA_TYPE, metrics_page
from graph_service.parts import Parts


def metrics_router(parts: Parts, hub: Hub, version: str) -> APIRouter:
    """What Prometheus scrapes; holds no tenant, no user and no text."""
    router = APIRouter()

    @router.get("/metrics", summary="Counters, times and levels in the text format of Prometheus.")
    async def metrics(request: Request) -> Response:
        since_s: float = request.app.state.answering_since_s
        page = await metrics_page(parts, viewers=hub.viewers, answering_since_s=since_s, name=version)
        return Response(page, media_type=MEDIA_TYPE)

    return router
