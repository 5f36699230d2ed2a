"""Test `/metrics`: the listed metrics, for administrators of all tenants, without names of tenants or users."""

import inspect
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest_asyncio
from httpx import AsyncClient
from neo4j import AsyncGraphDatabase
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families
from starlette.types import Message, Receive, Scope, Send

from graph_service.app.metrics_page import metrics_page
from graph_service.app.middleware import RequestRecord
from graph_service.auth.access import Role
from graph_service.graph.store import Graph
from graph_service.memory import service as memory_service
from graph_service.memory.consolidation import pipeline
from graph_service.memory.consolidation import proposal_check as check
from graph_service.observability import metrics as measures
from graph_service.observability.metrics import COUNTERS, HISTOGRAMS, Counter
from tests.conftest import Server
from tests.support.growth import slowness
from tests.support.open_service import OpenService, open_service

ADDED_MAX_S = 50e-6


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def service(server: Server, tmp_path_factory: object) -> AsyncIterator[OpenService]:
    folder: Path = tmp_path_factory.mktemp("metrics")  # type: ignore[attr-defined]
    async with open_service(server, folder) as running:
        yield running


def families(text: str) -> dict[str, Metric]:
    return {family.name: family for family in text_string_to_metric_families(text)}


def value(page: dict[str, Metric], name: str, **labels: str) -> float:
    samples = [sample for family in page.values() for sample in family.samples if sample.name == name]
    return sum(one.value for one in samples if labels.items() <= one.labels.items())


async def scraped(service: OpenService, credential: str | None = None) -> dict[str, Metric]:
    async with service.client(credential) as client:
        answer = await client.get("/metrics")
    assert answer.status_code == 200, answer.text
    return families(answer.text)


REMEMBER = """mutation ($user: String!, $text: String!) { remember(input: {userId: $user, sessionId: "s",
    messages: [{role: USER, text: $text}]}) { stored spooled } }"""


async def until_stored(client: AsyncClient) -> None:
    """Store messages until the database takes one: a new one on a slow machine leaves the first to the spool."""
    for number in range(60):
        variables = {"user": "someone", "text": f"Said {number}."}
        answer = await client.post("/graphql", json={"query": REMEMBER, "variables": variables})
        if not answer.json()["data"]["remember"]["spooled"]:
            return


async def test_requests_readings_jobs_and_similarity_are_counted_without_names(
    service: OpenService, tenant: str
) -> None:
    recall = "query ($user: String!, $text: String!) { recall(userId: $user, query: $text) { hits { text } } }"
    async with service.client(**{"Mnemoscene-Tenant": tenant}) as client:
        await until_stored(client)
        before = await scraped(service)
        for query, text in ((REMEMBER, "I love jasmine tea."), (REMEMBER, "我喜欢爬山。"), (recall, "What tea?")):
            variables = {"user": "quixotic-ana", "text": text}
            answer = await client.post("/graphql", json={"query": query, "variables": variables})
            assert "errors" not in answer.json()
    await service.parts.worker.drain()
    page = await scraped(service)

    def grew(name: str, **labels: str) -> float:
        return value(page, name, **labels) - value(before, name, **labels)

    assert grew("mnemoscene_messages_total", store="neo4j") == 2
    assert grew("mnemoscene_requests_total", interface="graphql", status="2xx") == 3
    assert grew("mnemoscene_operation_seconds_count", operation="recall", outcome="done") == 1
    assert grew("mnemoscene_operation_seconds_bucket", operation="recall", le="+Inf") == 1
    assert grew("mnemoscene_recalls_total") == 1
    assert grew("mnemoscene_extractions_total", outcome="rules") >= 1
    assert grew("mnemoscene_facts_total") >= 2
    assert grew("mnemoscene_job_runs_total", kind="extract", outcome="done") >= 1
    assert grew("mnemoscene_database_seconds_count", access="read") > 3
    assert value(page, "mnemoscene_neo4j_up") == 1
    assert value(page, "mnemoscene_memory_bytes", process="service") > 50e6
    assert value(page, "mnemoscene_start_seconds") > 0
    told = str([family.samples for family in page.values()])
    assert [word for word in (tenant, "quixotic", "jasmine", "爬山", "default") if word in told] == []


async def test_corrections_by_people_are_counted_by_kind(service: OpenService, tenant: str) -> None:
    add = """mutation { addFact(input: {userId: "ana", subject: "user", predicate: "PREFERS", object: "tea",
        statement: "Ana prefers tea."}) { factId } }"""
    before = await scraped(service)
    async with service.client(**{"Mnemoscene-Tenant": tenant}) as client:
        await until_stored(client)
        answer = await client.post("/graphql", json={"query": add})
        fact = answer.json()["data"]["addFact"]["factId"]
        answer = await client.post("/graphql", json={"query": f'mutation {{ rejectFact(id: "{fact}") {{ id }} }}'})
        assert "errors" not in answer.json()
    page = await scraped(service)
    counted = {
        kind: value(page, "mnemoscene_corrections_total", kind=kind)
        - value(before, "mnemoscene_corrections_total", kind=kind)
        for kind in ("add", "update", "confirm", "pin", "reject")
    }
    assert counted == {"add": 1, "update": 0, "confirm": 0, "pin": 0, "reject": 1}


async def test_metrics_require_an_administrator_of_all_tenants(service: OpenService, tenant: str) -> None:
    one = await service.key(tenant, Role.ADMIN)
    all_of = await service.key(None, Role.READ)
    try:
        async with service.client() as client:
            statuses = [
                (await client.get("/metrics", headers={"Authorization": f"Bearer {key}"} if key else {})).status_code
                for key in (None, one.text, all_of.text)
            ]
    finally:
        await service.forget_keys()
    assert statuses == [401, 403, 200]


async def test_metrics_respond_quickly_while_the_database_is_unavailable(service: OpenService) -> None:
    driver = AsyncGraphDatabase.driver("bolt://127.0.0.1:1", auth=("neo4j", "none"))
    gone = replace(service.parts, graph=Graph(driver, database=None))
    try:
        page = families((await metrics_page(gone, viewers=3, answering_since_s=time.time(), name="1")).decode())
    finally:
        await driver.close()
    assert (value(page, "mnemoscene_neo4j_up"), value(page, "mnemoscene_viewers")) == (0, 3)
    assert "mnemoscene_jobs" not in page


async def test_every_metric_is_on_the_page(service: OpenService) -> None:
    page = await scraped(service)
    made = {one.about.name for one in vars(measures).values() if hasattr(one, "about")}
    assert made == {one.about.name for one in (*COUNTERS, *HISTOGRAMS)}
    assert made <= set(page)
    assert all(family.documentation for family in page.values())
    assert sum(len(family.samples) for family in page.values()) < 1_500


def test_unknown_label_value_counts_as_other() -> None:
    counter = Counter("mnemoscene_test", "For a test.", kind=("read",))
    for name in ("read", "ana", "王芳"):
        counter.add(name)
    assert counter.values == {("read",): 1, ("other",): 2}


def test_every_reason_to_reject_a_fact_has_a_series() -> None:
    # The check of proposals, and those of callers' facts and of items in a model's answer.
    source = inspect.getsource(check) + inspect.getsource(memory_service) + inspect.getsource(pipeline)
    reasons = [key[0] for key in measures.REJECTED.values if key != ("other",)]
    assert [reason for reason in reasons if f'"{reason}"' not in source] == []
    assert inspect.getsource(check).count('return "') + 4 == len(reasons)


async def test_counting_a_request_takes_under_50_microseconds() -> None:
    async def bare(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(_message: Message) -> None:
        return None

    async def took_s(app: object) -> float:
        scope = {"type": "http", "path": "/graphql", "method": "POST", "headers": [(b"host", b"127.0.0.1")] * 8}
        best = float("inf")
        for _ in range(20):
            started_s = time.thread_time()
            for _ in range(100):
                await app(scope, receive, send)  # type: ignore[operator]
            best = min(best, (time.thread_time() - started_s) / 100)
        return best

    added_s = await took_s(RequestRecord(bare)) - await took_s(bare)
    print(f"counting a request adds {added_s * 1e6:.1f} µs")
    assert added_s < ADDED_MAX_S * slowness()
