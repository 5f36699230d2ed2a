"""Test `GET /api/neighborhood`, now and as of a time."""

from datetime import timedelta
from typing import Any

import httpx

from tests.integration.live.test_explore import a_memory, ids, service, writer
from tests.support.graph_writer import NOON, GraphWriter
from tests.support.live_service import Service

__all__ = ["service", "writer"]


async def neighbourhood(service: Service, tenant: str, **asked: Any) -> dict[str, Any]:
    async with httpx.AsyncClient(base_url=service.http, timeout=30) as client:
        answer = await client.get("/api/neighborhood", params=asked, headers={"Mnemoscene-Tenant": tenant})
    return {"status": answer.status_code, **answer.json()}


async def test_neighbourhood_now_and_as_of_a_time(service: Service, writer: GraphWriter) -> None:
    await a_memory(writer)
    whole = await neighbourhood(service, writer.tenant, node="ann")
    assert ids(whole) == ["ann", "tea", "rain"]
    assert ids(await neighbourhood(service, writer.tenant, node="ann", include_closed="false")) == ["ann", "tea"]
    held = (NOON + timedelta(hours=1)).isoformat()
    assert set(ids(await neighbourhood(service, writer.tenant, node="ann", include_closed="false", valid_at=held))) == {
        *("ann", "tea", "rain")
    }
    before = (NOON - timedelta(days=900)).isoformat()
    assert ids(await neighbourhood(service, writer.tenant, node="ann", valid_at=before)) == ["ann"]
    assert ids(await neighbourhood(service, writer.tenant, node="福建茶山")) == ["福建茶山", "tea", "walk"]
    assert (await neighbourhood(service, writer.tenant, node="nobody"))["status"] == 404
    assert (await neighbourhood(service, f"{writer.tenant}-other", node="ann"))["status"] == 404
    assert (await neighbourhood(service, writer.tenant, node="ann", valid_at="2026-03-01T00:00:00"))["status"] == 400
